# SIGKILL in the middle of a storm on disks that the user named: the next run refuses them, clean
# wipes what is brunt's, and leaves alone what somebody else made there meanwhile.
# modules: sd_mod scsi_debug
# kernels: newest

it_has_mounted()
{
	grep -qs ' - ext3 /dev/sd' /proc/[0-9]*/mountinfo
}

load scsi_debug add_host=4 per_host_store=1 dev_size_mb=8 delay=0
use_disks 4 'sd*'
start_brunt run storm devices="$named" "${destroy[@]}" fill=1M repeat=100000 -n 1 --warmup 0 -o set
wait_for 90 it_has_mounted || { cat err; false; }
kill -KILL "$brunt_pid"
end_brunt
[ -n "$(find /var/lib/brunt -name '*.journal')" ]
run_mustfail 5 "$BRUNT" run storm devices="$named" "${destroy[@]}" -o other
assert_has "4 devices are refused" "$stderr"
wait_for 20 mke2fs -q -F -t ext4 "${disks[0]}"
sync
sum=$(sha256sum <"${disks[0]}")

run_check "$BRUNT" clean --dry-run
assert_has "${disks[1]} would be wiped" "$output"
run_check "$BRUNT" clean
assert_has "${disks[0]} holds ext4, which does not say that it is ours: left alone" "$output"
for disk in "${disks[@]:1}"; do
	assert_has "$disk wiped" "$output"
done
run_check "$BRUNT" clean
[ -z "$output" ]
is_blank "${disks[@]:1}"
[ "$(sha256sum <"${disks[0]}")" = "$sum" ]
run_mustfail 5 "$BRUNT" run storm devices="$named" "${destroy[@]}" -o other
assert_has "${disks[0]} holds ext4" "$stderr"
run_check "$BRUNT" run storm devices="${named#*+}" "${destroy[@]}" fill=64k -n 1 --warmup 0 -o other
all_ends other '.status == "ok"'
