# NVMe disks of the user. The machine loses power in the middle of a storm on two of them, twice, and at
# the second boot they come up under other names, while a disk of somebody has the old name of one: when no
# journal in memory is left, clean knows them by WWID and by what is on them, and wipes them, and not
# the other. The set knows its disks again, on this machine only.
# kernels: newest
# timeout: 400
# disk: a 32M
# disk: b 32M
# disk: other 32M
# disk: state 64M ext4

mkdir -p /disks/state/lib /var/lib/brunt
mount --bind /disks/state/lib /var/lib/brunt
to_undo+=("umount /var/lib/brunt; rmdir /var/lib/brunt")
echo 0123456789abcdef0123456789abcdef >/etc/machine-id
to_undo+=("rm -f /etc/machine-id")
a=$(used_disk a)
b=$(used_disk b)
other=$(used_disk other)
storm=(storm devices="$a+$b" fs=ext4 --warmup 0)
destroy=(--destroy "$a" --destroy "$b")

it_has_mounted()
{
	grep -qs " - ext4 $b" /proc/[0-9]*/mountinfo
}

pci_address() # DISK
{
	basename "$(readlink -f "/sys/class/block/${1#/dev/}/device/device")"
}

# The first one that is bound gets the lowest number that is free. Disks are probed side by side, so
# either of two may have that: the one that has not is bound first.
swap_names() # DISK DISK
{
	local names low high

	mapfile -t names < <(printf '%s\n' "$@" | sort -V)
	low=$(pci_address "${names[0]}") high=$(pci_address "${names[1]}")
	echo "$low" >/sys/bus/pci/drivers/nvme/unbind
	echo "$high" >/sys/bus/pci/drivers/nvme/unbind
	echo "$high" >/sys/bus/pci/drivers/nvme/bind
	wait_for 60 test -b "${names[0]}"
	echo "$low" >/sys/bus/pci/drivers/nvme/bind
	wait_for 60 test -b "${names[1]}"
}

case $VM_BOOT in
1)
	run_check "$BRUNT" run "${storm[@]}" "${destroy[@]}" fill=256k -n 1 -o set -t none -t blktrace
	all_ends set '.status == "ok" and (.config == "none" or (.tracer | .events > 200 and .lost == 0))'
	jq -e 'all(.driver == "nvme" and .model == "QEMU NVMe Ctrl" and .scheduler == "none" and
		.transport == "pcie" and (.id | startswith("nvme.")) and (.serial | length > 0))' \
		< <(session set '.workloads[0].description.devices')
	is_blank "$a" "$b"
	mke2fs -q -F -t ext4 "$other"
	start_brunt run "${storm[@]}" "${destroy[@]}" fill=1M repeat=100000 -n 1 -o killed
	wait_for 60 it_has_mounted
	power_loss
	;;
2)
	run_check "$BRUNT" clean
	assert_has "$a wiped" "$output"
	assert_has "$b wiped" "$output"
	is_blank "$a" "$b"
	start_brunt run "${storm[@]}" "${destroy[@]}" fill=1M repeat=100000 -n 1 -o killed mount_ns=host
	wait_for 60 it_has_mounted
	power_loss
	;;
3)
	sum=$(sha256sum <"$other")
	swap_names "$a" "$other"
	# what was called a is the other now, and the other way round
	[ "$(sha256sum <"$a")" = "$sum" ]
	run_mustfail 5 "$BRUNT" run "${storm[@]}" "${destroy[@]}" -n 1 -o other
	run_check "$BRUNT" clean
	assert_has "$other wiped" "$output"
	assert_has "$b wiped" "$output"
	assert_has_not "$a wiped" "$output"
	run_check "$BRUNT" clean
	[ -z "$output" ]
	is_blank "$other" "$b"
	[ "$(sha256sum <"$a")" = "$sum" ]
	# by WWID, and without a further word
	wwid=$("$BRUNT" list devices "${other#/dev/}" --json | jq -r '.[0].wwid')
	run_check "$BRUNT" run storm devices="$wwid" --destroy "$wwid" fs=ext4 fill=64k -n 1 --warmup 0 -o wwid
	run_check "$BRUNT" run -o wwid
	echo fedcba9876543210fedcba9876543210 >/etc/machine-id
	run_mustfail 5 "$BRUNT" run -o wwid
	assert_has "$other: all of it would be lost" "$stderr"
	echo 0123456789abcdef0123456789abcdef >/etc/machine-id
	# the set is of the disk that had this name before
	run_check "$BRUNT" run storm devices="$other" --destroy "$other" fs=ext4 fill=64k -n 1 --warmup 0 -o named
	swap_names "$a" "$other"
	run_mustfail 5 "$BRUNT" run -o named
	assert_has "$other holds ext4" "$stderr"
	[ "$(sha256sum <"$other")" = "$sum" ]
	;;
esac
