# SIGKILL in the middle of a storm on disks that the user named: the next run refuses them, clean
# wipes what is brunt's, and leaves alone what somebody else made there meanwhile. One that was pulled
# and has come back is known by its WWID.
# modules: sd_mod scsi_debug
# kernels: newest
# timeout: 400

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
wait_for 60 mke2fs -q -F -t ext4 "${disks[0]}"
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

pulled_is_mounted()
{
	grep -qs " - ext4 ${disks[3]}" /proc/[0-9]*/mountinfo
}

# the disk leaves, and comes back as a new one (diskseq), under a name that is free
start_brunt run storm devices="${disks[3]}" --destroy "${disks[3]}" fs=ext4 fill=64k repeat=100000 -n 1 --warmup 0 -o pulled
wait_for 90 pulled_is_mounted || { cat err; false; }
kill -KILL "$brunt_pid"
end_brunt
name=${disks[3]#/dev/}
diskseq=$(cat "/sys/block/$name/diskseq")
host=$(readlink -f "/sys/block/$name/device" | sed 's|.*/\(host[0-9]*\)/.*|\1|')
wait_for 60 flock -x -n "${disks[3]}" true
echo 1 >"/sys/block/$name/device/delete"
wait_for 60 test ! -e "/sys/block/$name"
echo '- - -' >"/sys/class/scsi_host/$host/scan"
wait_for 60 are_disks 4 'sd*'
run_check "$BRUNT" clean
assert_has " wiped" "$output"
assert_has_not "left alone" "$output"
is_blank "${disks[@]:1}"
run_mustfail 1 grep -qx "$diskseq" /sys/block/sd*/diskseq
