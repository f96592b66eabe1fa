#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Storms on disks that the user named, which here are loop devices of the tests' own: what is refused,
# what --destroy gives away, and what is left of it.

load lib
load runs

setup()
{
	need_root
	need_program jq jq
	need_program mke2fs e2fsprogs
	need_program losetup mount
	[ -e /dev/loop-control ] || skip "no loop driver: /dev/loop-control is missing"
	begin_test
	disks=()
}

teardown()
{
	end_test
}

make_disks() # NUMBER
{
	local i

	for ((i = 0; i < $1; i++)); do
		truncate -s 16M "disk$i"
		disks[i]=$(losetup --find --show "disk$i")
		to_undo+=("losetup -d ${disks[i]}")
	done
	named=$(IFS=+ && echo "${disks[*]}")
	destroy=()
	for i in "${disks[@]}"; do
		destroy+=(--destroy "$i")
	done
}

is_blank() # FILE...
{
	local file

	for file in "$@"; do
		cmp -n 4194304 "$file" /dev/zero || return
		tail -c 4194304 "$file" | cmp -n 4194304 - /dev/zero || return
	done
}

# The workers are in a mount namespace of their own.
is_mounted_somewhere() # DISK
{
	grep -qs " - ext3 $1 " /proc/[0-9]*/mountinfo
}

small=(fill=64k -n 1 --warmup 0)

@test "disks that --destroy gives away are used and wiped, and the word is not kept" {
	make_disks 3
	ln -s "${disks[2]}" link
	# by each of the names that they have
	run_check "$BRUNT" run storm devices="${disks[0]}+${disks[1]#/dev/}+$PWD/link" \
		--destroy "${disks[0]#/dev/}" --destroy "$PWD/link" --destroy="${disks[1]}" \
		"${small[@]}" -o set
	all_ends set '.status == "ok" and (.devices | length == 3 and all(.cycles == 1 and .mkfs_s > 0))'
	[ "$(session set '.workloads[0].description.devices |
		map([.driver, .size_bytes, .block_size, (.rotational | type)])')" = \
		'[["loop",16777216,512,"boolean"],["loop",16777216,512,"boolean"],["loop",16777216,512,"boolean"]]' ]
	is_blank disk?
	run_mustfail 1 grep -rq destroy set/sessions
	run_mustfail 5 "$BRUNT" run -o set
	assert_has "--destroy ${disks[0]}" "$stderr"
	[ "$(count_ends set)" = 1 ]
	run_check "$BRUNT" run -o set "${destroy[@]}"
	[ "$(count_ends set '.status == "ok"')" = 2 ]
	is_blank disk?
}

@test "without --destroy nothing happens, and each disk is named" {
	make_disks 3
	run_mustfail 5 "$BRUNT" run storm devices="$named" "${destroy[@]:0:2}" "${small[@]}" -o set
	assert_has "${disks[1]}: all of it would be lost: where it may be, --destroy ${disks[1]}" "$stderr"
	assert_has "${disks[2]}: all of it would be lost" "$stderr"
	assert_has_not "${disks[0]}:" "$stderr"
	assert_has "2 devices are refused: nothing was touched" "$stderr"
	run_mustfail 5 "$BRUNT" plan storm devices="$named" "${small[@]}"
	[ ! -e set ]
	run_check "$BRUNT" plan storm devices="$named" "${destroy[@]}" "${small[@]}"
	assert_has "3 disks (${disks[0]#/dev/} 16 MiB, " "$output"
	is_blank disk?
}

@test "one unfit disk among three refuses the run, and not a byte changes" {
	make_disks 3
	mke2fs -q -F -t ext4 -L photos "${disks[1]}"
	sync
	sha256sum disk? >sums
	run_mustfail 5 "$BRUNT" run storm devices="$named" "${destroy[@]}" "${small[@]}" -o set
	assert_has "1 of 3 devices refused, none was touched: ${disks[1]} holds ext4 labelled 'photos'" "$stderr"
	assert_has "wipefs -a ${disks[1]}" "$stderr"
	[ ! -e set ]
	sync
	sha256sum -c --quiet sums
}

@test "mounted, data at the end, twice the same, no disk: 5 with the reason" {
	make_disks 3
	mke2fs -q -F "${disks[0]}"
	mkdir at
	mount "${disks[0]}" at
	to_undo+=("umount $PWD/at")
	printf x | dd of="${disks[1]}" bs=1 seek=16777215 conv=notrunc status=none
	sync
	run_mustfail 5 "$BRUNT" run storm \
		devices="$named+${disks[2]#/dev/}+/dev/null+/dev/no-such-disk" \
		"${destroy[@]}" "${small[@]}" -o set
	assert_has "${disks[0]}: is mounted at $PWD/at: unmount it first" "$stderr"
	assert_has "${disks[1]} holds data at byte 16777215" "$stderr"
	assert_has "${disks[2]} is the same device as ${disks[2]}: name it once" "$stderr"
	assert_has "/dev/null is no block device" "$stderr"
	assert_has "/dev/no-such-disk: No such file" "$stderr"
	assert_has "5 devices are refused" "$stderr"
	[ ! -e set ]
}

@test "--destroy is an option in full, and no key" {
	make_disks 1
	run_mustfail 2 "$BRUNT" run storm devices="$named" --destro "${disks[0]}" "${small[@]}"
	assert_has "did you mean --destroy" "$stderr"
	run_mustfail 2 "$BRUNT" run storm devices="$named" destroy="${disks[0]}" "${small[@]}"
	run_mustfail 2 "$BRUNT" run storm devices="$named" --destroy /dev/null "${small[@]}"
	assert_has "no block device" "$stderr"
	run_mustfail 2 "$BRUNT" run storm devices="$named" --destroy /dev/no-such-disk "${small[@]}"
	cat >experiment.yaml <<-END
		experiment: {rounds: 1, warmup: 0}
		workloads:
		  - {workload: storm, devices: [${disks[0]}], destroy: ${disks[0]}}
	END
	run_mustfail 2 "$BRUNT" run -f experiment.yaml
	for command in run plan resume; do
		run_check "$BRUNT" $command --help
		assert_has "--destroy DEV" "$output"
	done
	[ ! -e brunt-results ]
}

@test "configurations of one storm share its disks" {
	make_disks 2
	run_check "$BRUNT" run storm devices="$named" "${destroy[@]}" fill=64k -n 2 --warmup 1 \
		min_run=100ms -c ext3 -c ext4,fs=ext4 -o set
	all_ends set '.status == "ok"'
	[ "$(count_ends set)" = 6 ]
	is_blank disk?
}

@test "resume wants --destroy again" {
	make_disks 1
	start_brunt run storm devices="$named" "${destroy[@]}" fill=64k --warmup 0 -n 1000 -o set
	wait_for 60 has_ended set 2
	kill -INT "$brunt_pid"
	end_brunt
	assert_brunt_status 130
	is_blank disk0
	run_mustfail 5 "$BRUNT" resume set
	assert_has "--destroy ${disks[0]}" "$stderr"
	start_brunt resume set "${destroy[@]}"
	wait_for 60 eval '[ "$(count_ends set)" -ge 5 ]'
	kill -INT "$brunt_pid"
	end_brunt
	assert_brunt_status 130
	is_blank disk0
}

killed_and_cleaned() # NAMESPACE
{
	make_disks 2
	start_brunt run storm devices="$named" "${destroy[@]}" fill=1M repeat=100000 mount_ns="$1" \
		-n 1 --warmup 0 -o set
	wait_for 60 is_mounted_somewhere "${disks[0]}"
	kill -KILL "$brunt_pid"
	end_brunt
	run_mustfail 5 "$BRUNT" run storm devices="$named" "${destroy[@]}" "${small[@]}" -o set2
	run_check "$BRUNT" clean
	assert_has "${disks[0]} wiped" "$output"
	assert_has "${disks[1]} wiped" "$output"
	is_blank disk?
	run_check "$BRUNT" clean
	[ -z "$output" ]
	run_check "$BRUNT" run storm devices="$named" "${destroy[@]}" "${small[@]}" -o set2
}

@test "SIGKILL: the next run refuses the disks, clean wipes them" {
	killed_and_cleaned private
}

@test "SIGKILL with mounts in the host's namespace: clean unmounts, then wipes" {
	killed_and_cleaned host
}

@test "a disk that a program fails on: the run fails, the other goes on, both are wiped" {
	make_disks 2
	wrap mke2fs <<-END
		[ "\$last" = ${disks[1]} ] || exec "\$real" "\$@"
		echo "mke2fs: Input/output error while zeroing block 7" >&2
		exit 1
	END
	with_bin run_mustfail 4 "$BRUNT" run storm devices="$named" "${destroy[@]}" "${small[@]}" \
		--max-retries 0 -o set
	all_ends set ".status == \"failed\" and .devices[0].cycles == 1 and
		(.reason | test(\"^${disks[1]#/dev/}: mkfs: exit status 1: .*zeroing block 7\"))"
	is_blank disk?
}

@test "a device that hangs is named at the deadline, the others are done" {
	make_disks 2
	wrap mke2fs <<-END
		[ "\$last" = ${disks[1]} ] || exec "\$real" "\$@"
		exec sleep 1000
	END
	with_bin run_mustfail 4 "$BRUNT" run storm devices="$named" "${destroy[@]}" "${small[@]}" \
		--max-retries 0 deadline=10s -o set
	all_ends set ".status == \"failed\" and .devices[0].cycles == 1 and
		(.reason | test(\"^not done after 10 s: ${disks[1]}: mkfs: pid [0-9]+ in state S\"))"
	is_blank disk?
}
