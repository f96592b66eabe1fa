# Two NVMe disks. The machine loses power in the middle of a storm on them: after the next boot, when
# no journal in memory is left, clean knows them by what is on them, and wipes them.
# kernels: newest
# disk: a 32M
# disk: b 32M
# disk: state 64M ext4

mkdir -p /disks/state/lib /var/lib/brunt
mount --bind /disks/state/lib /var/lib/brunt
to_undo+=("umount /var/lib/brunt; rmdir /var/lib/brunt")
a=$(used_disk a)
b=$(used_disk b)
storm=(storm devices="$a+$b" --destroy "$a" --destroy "$b" fs=ext4 --warmup 0)

it_has_mounted()
{
	grep -qs " - ext4 $b" /proc/[0-9]*/mountinfo
}

case $VM_BOOT in
1)
	run_check "$BRUNT" run "${storm[@]}" fill=256k -n 1 -o set -t none -t blktrace
	all_ends set '.status == "ok" and (.config == "none" or (.tracer | .events > 200 and .lost == 0))'
	jq -e 'all(.driver == "nvme" and .model == "QEMU NVMe Ctrl" and .scheduler == "none")' \
		< <(session set '.workloads[0].description.devices')
	is_blank "$a" "$b"
	start_brunt run "${storm[@]}" fill=1M repeat=100000 -n 1 -o killed
	wait_for 60 it_has_mounted
	power_loss
	;;
2)
	run_mustfail 5 "$BRUNT" run "${storm[@]}" -n 1 -o set
	run_check "$BRUNT" clean
	assert_has "$a wiped" "$output"
	assert_has "$b wiped" "$output"
	run_check "$BRUNT" clean
	[ -z "$output" ]
	is_blank "$a" "$b"
	;;
esac
