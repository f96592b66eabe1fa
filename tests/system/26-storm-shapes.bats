#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Storms of other file systems and in other shapes: xfs and btrfs, in lockstep, some devices at a
# time, on some CPUs.

load lib
load runs

setup()
{
	need_storm
	need_program jq jq
	begin_test
}

teardown()
{
	end_test
}

# Can the kernel make it, or is there a module?
need_fs() # FS PROGRAM PACKAGE
{
	need_program "$2" "$3"
	grep -qw "$1" /proc/filesystems || modprobe -n -q "fs-$1" || skip "this kernel has no $1"
}

once=(-n 1 --warmup 0)

made_and_verified() # FS PROGRAM CHECKER
{
	run_check "$BRUNT" run storm devices=loop:2:320M fs="$1" fill=1M repeat=2 "${once[@]}" -o set
	all_ends set '.status == "ok" and (.devices | length == 2 and
		all(.cycles == 2 and .mkfs_s > 0 and .mount_s > 0 and .fill_s > 0 and .umount_s > 0))'
	session set ".workloads[0].description" | jq -e --arg p "$2" --arg c "$3" \
		'(.[$p] | test("[0-9]+\\.[0-9]+")) and (.[$c] | test("[0-9]+\\.[0-9]+"))'
	assert_has ", $1, 2 cycles" "$(session set '.workloads[0].text')"
}

# The checker is told that the file system is broken: that reaches the run.
fault_is_found() # FS CHECKER
{
	wrap "$2" <<-END
		case " \$* " in
		*" -n "* | *" check "*) echo "something is wrong here"; exit 1 ;;
		esac
		exec "\$real" "\$@"
	END
	with_bin run_mustfail 4 "$BRUNT" run storm devices=loop:1:320M fs="$1" fill=64k "${once[@]}" \
		--max-retries 0 -o broken
	all_ends broken ".status == \"invalid\" and (.reason |
		test(\": $2 finds a fault: exit status 1: something is wrong here\"))"
}

@test "xfs: made, mounted, filled, and verified by xfs_repair" {
	need_fs xfs mkfs.xfs xfsprogs
	made_and_verified xfs mkfs.xfs xfs_repair
	fault_is_found xfs xfs_repair
	run_mustfail 2 "$BRUNT" plan storm devices=loop:2:200M fs=xfs
	assert_has "a device of 200 MiB is too small for xfs, which takes 300 MiB" "$stderr"
	run_mustfail 2 "$BRUNT" plan storm devices=loop:2:320M fs=xfs mkfs_options='-d name=/dev/sda'
	run_mustfail 2 "$BRUNT" plan storm devices=loop:2:320M fs=xfs lazy=yes
	run_mustfail 2 "$BRUNT" plan storm devices=loop:2:320M fs=xfs fill=300M
	assert_has "does not fit in" "$stderr"
}

@test "btrfs: made, mounted, filled, verified by btrfs check, and forgotten by the kernel" {
	need_fs btrfs mkfs.btrfs btrfs-progs
	made_and_verified btrfs mkfs.btrfs btrfs
	fault_is_found btrfs btrfs
	run_mustfail 2 "$BRUNT" plan storm devices=loop:2:64M fs=btrfs
	assert_has "too small for btrfs, which takes 109 MiB" "$stderr"
	run_check "$BRUNT" run storm devices=loop:1:64M fs=btrfs mkfs_options=-M fill=64k "${once[@]}" -o mixed
	all_ends mixed '.status == "ok"'
}

@test "named disks bear xfs and btrfs, and are blank afterwards" {
	need_fs xfs mkfs.xfs xfsprogs
	need_fs btrfs mkfs.btrfs btrfs-progs
	truncate -s 320M disk
	disk=$(losetup --find --show disk)
	to_undo+=("losetup -d $disk")
	run_check "$BRUNT" run storm devices="$disk" --destroy "$disk" fill=1M "${once[@]}" -o set \
		-c xfs,fs=xfs,reset=discard -c btrfs,fs=btrfs,reset=zero -c ext4,fs=ext4
	all_ends set '.status == "ok"'
	[ "$(session set '[.workloads[].description.devices[0].reset] | sort')" = '["discard","none","zero"]' ]
	cmp -n 4194304 disk /dev/zero
	run_check "$BRUNT" run storm devices="$disk" --destroy "$disk" fs=btrfs fill=64k leave=yes "${once[@]}" -o left
	[ "$(blkid -p -o value -s TYPE "$disk")" = btrfs ]
	run_check "$BRUNT" run storm devices="$disk" --destroy "$disk" fill=64k "${once[@]}" -o after
	cmp -n 4194304 disk /dev/zero
}

@test "the log of a large xfs, which is tried in memory, does not take all of it" {
	need_program unshare util-linux
	need_fs xfs mkfs.xfs xfsprogs
	sed 's/^MemAvailable:.*/MemAvailable: 1048576 kB/' /proc/meminfo >meminfo
	run_mustfail 77 unshare --mount sh -c "mount --bind $PWD/meminfo /proc/meminfo &&
		exec $BRUNT plan storm devices=loop:1:4T fs=xfs fill=0"
	assert_has "takes 2 GiB of memory for its log, 1 GiB are available; mkfs_options='-l size=64m'" "$stderr"
	run_check unshare --mount sh -c "mount --bind $PWD/meminfo /proc/meminfo &&
		exec $BRUNT plan storm devices=loop:1:4T fs=xfs fill=0 mkfs_options='-l size=64m'"
}

@test "a program or a kernel without the file system is named: 77" {
	need_program unshare util-linux
	need_fs xfs mkfs.xfs xfsprogs
	touch empty
	for program in mkfs.xfs xfs_repair; do
		run_mustfail 77 unshare --mount sh -c "mount --bind $PWD/empty $(command -v $program) &&
			exec $BRUNT plan storm devices=loop:1:320M fs=xfs"
		assert_has "$program is missing (package xfsprogs)" "$stderr"
	done
	printf '\text4\n' >filesystems
	wrap modprobe <<-END
		exit 1
	END
	with_bin run_mustfail 77 unshare --mount sh -c "mount --bind $PWD/filesystems /proc/filesystems &&
		exec $BRUNT plan storm devices=loop:1:320M fs=xfs"
	assert_has "the kernel has no xfs (CONFIG_XFS_FS)" "$stderr"
}

@test "lockstep: no device begins a phase before all have ended the one before" {
	wrap mke2fs <<-'END'
		[[ $last != *[02468] ]] || sleep .3
		exec "$real" "$@"
	END
	with_bin run_check "$BRUNT" run storm devices=loop:4:32M fs=ext2 phases=lockstep fill=64k repeat=2 \
		"${once[@]}" -o set
	all_ends set '.status == "ok" and .metrics."mkfs.real".value >= 0.3 and
		(.devices | all(.real_s >= .work_s)) and ([.devices[].real_s] | min) > 0.6'
	# who fails holds up nobody
	wrap mke2fs <<-'END'
		[[ $last != *[13579] ]] || exit 1
		exec "$real" "$@"
	END
	with_bin run_mustfail 4 "$BRUNT" run storm devices=loop:4:32M fs=ext2 phases=lockstep fill=64k repeat=3 \
		"${once[@]}" --max-retries 0 -o failing
	all_ends failing '.status == "failed" and ([.devices[].cycles] | unique) == [0, 3]'
}

@test "parallel: so many devices at work at a time" {
	wrap mke2fs <<-'END'
		mkdir -p "$here/now"
		mkdir "$here/now/$$"
		ls "$here/now" | wc -l >>"$here/counts"
		sleep .1
		rmdir "$here/now/$$"
		exec "$real" "$@"
	END
	for phases in pipeline lockstep; do
		rm -f counts
		with_bin run_check "$BRUNT" run storm devices=loop:6:32M fs=ext2 parallel=2 phases=$phases fill=0 \
			"${once[@]}" -o $phases
		all_ends $phases '.status == "ok"'
		[ "$(sort -n counts | tail -n 1)" -le 2 ]
		[ "$(wc -l <counts)" -ge 6 ]
	done
}

@test "trace=backing: the disk below the files is what tracers get, and memory has none" {
	local disk

	disk=$(lsblk -ndo pkname "$(findmnt -nvo SOURCE -T "$PWD")" 2>/dev/null || true)
	[ -n "$disk" ] || disk=$(basename "$(findmnt -nvo SOURCE -T "$PWD")")
	[ -e "/sys/block/$disk/queue" ] || skip "the tests are on no disk"
	run_check "$BRUNT" run storm devices=loop:2:16M:"$PWD" fs=ext2 fill=0 trace=backing "${once[@]}" -o set
	assert_has "\"$disk\"" "$(session set .workloads[0].description.traced)"
	run_mustfail 2 "$BRUNT" plan storm devices=loop:2:16M trace=backing
	assert_has "devices in memory lie on no disk" "$stderr"
	run_mustfail 2 "$BRUNT" run storm devices=loop:2:16M:"$PWD" fs=ext2 fill=0 trace=paths "${once[@]}" -o paths
	assert_has "is made of no other devices" "$stderr"
}

@test "cpus: the work runs there, and the record says where" {
	[ "$(nproc)" -gt 1 ] || skip "there is one CPU only"
	run_check "$BRUNT" run storm devices=loop:3:32M cpus=1 fill=64k "${once[@]}" -o set
	all_ends set '.devices | all(.cpu == 1 and (.node | type) == "number")'
	run_check "$BRUNT" run storm devices=loop:3:32M cpus=local fill=64k "${once[@]}" -o local
	run_mustfail 2 "$BRUNT" plan storm devices=loop:3:32M cpus=8000
	assert_has "none of these CPUs" "$stderr"
	run_mustfail 2 "$BRUNT" plan storm devices=loop:3:32M cpus=1-
}
