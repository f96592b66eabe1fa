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
	grep -qs " - ext3 $1" /proc/[0-9]*/mountinfo
}

small=(fill=64k -n 1 --warmup 0)

@test "disks that --destroy gives away are used and wiped, and no experiment holds the word" {
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
	run_mustfail 5 "$BRUNT" run storm devices="$named" "${small[@]}" -o set2
	assert_has "--destroy ${disks[0]}" "$stderr"
	[ ! -e set2 ]
}

@test "a set knows its disks again, but not those of another machine, nor a new disk of the old name" {
	local file

	[ -s /etc/machine-id ] || skip "this machine has no /etc/machine-id"
	make_disks 2
	run_check "$BRUNT" run storm devices="$named" "${destroy[@]}" "${small[@]}" -o set
	run_check "$BRUNT" run -o set
	[ "$(count_ends set '.status == "ok"')" = 2 ]
	is_blank disk?
	cp -r set other
	for file in other/sessions/*.json; do
		jq '.disks.machine = "0123456789abcdef"' "$file" >file
		mv file "$file"
	done
	run_mustfail 5 "$BRUNT" run -o other
	assert_has "2 devices are refused" "$stderr"
	[ "$(count_ends other)" = 2 ]
	losetup -d "${disks[1]}"
	losetup "${disks[1]}" disk1
	run_mustfail 5 "$BRUNT" run -o set
	assert_has "${disks[1]}: all of it would be lost" "$stderr"
	assert_has_not "${disks[0]}:" "$stderr"
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
	assert_has "--overwrite" "$stderr"
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

@test "a disk that a mounted loop device lies on is not written to, whatever the user said" {
	local above

	make_disks 1
	mke2fs -q -F "${disks[0]}"
	above=$(losetup --find --show "${disks[0]}")
	to_undo+=("losetup -d $above")
	mkdir at
	mount -o ro "$above" at
	to_undo+=("umount $PWD/at")
	sync
	sha256sum disk0 >sums
	run_mustfail 5 "$BRUNT" run storm devices="$named" "${destroy[@]}" --overwrite "${small[@]}" -o set
	assert_has "${disks[0]}: is what ${above#/dev/} lies on: take that down first" "$stderr"
	sync
	sha256sum -c --quiet sums
}

@test "--destroy is an option in full, and no key" {
	make_disks 1
	run_mustfail 2 "$BRUNT" run storm devices="$named" --destro "${disks[0]}" "${small[@]}"
	assert_has "did you mean --destroy" "$stderr"
	run_mustfail 2 "$BRUNT" run storm devices="$named" destroy="${disks[0]}" "${small[@]}"
	run_mustfail 2 "$BRUNT" run storm devices="$named" --destroy /dev/null "${small[@]}"
	assert_has "no block device" "$stderr"
	run_mustfail 2 "$BRUNT" run storm devices="$named" --destroy /dev/no-such-disk "${small[@]}"
	run_mustfail 2 "$BRUNT" run storm devices="$named" --destroy "${disks[0]}+/dev/null" "${small[@]}"
	assert_has "each has a --destroy of its own" "$stderr"
	run_mustfail 5 "$BRUNT" run storm devices="${disks[0]},/dev/null" --destroy "${disks[0]}" "${small[@]}"
	assert_has "several are joined by '+'" "$stderr"
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

@test "resume knows the disks again, and asks where one has changed" {
	[ -s /etc/machine-id ] || skip "this machine has no /etc/machine-id"
	make_disks 1
	start_brunt run storm devices="$named" "${destroy[@]}" fill=64k --warmup 0 -n 1000 -o set
	wait_for 60 has_ended set 2
	kill -INT "$brunt_pid"
	end_brunt
	assert_brunt_status 130
	is_blank disk0
	start_brunt resume set
	wait_for 60 eval '[ "$(count_ends set)" -ge 5 ]'
	kill -INT "$brunt_pid"
	end_brunt
	assert_brunt_status 130
	is_blank disk0
	losetup -d "${disks[0]}"
	losetup "${disks[0]}" disk0
	run_mustfail 5 "$BRUNT" resume set
	assert_has "--destroy ${disks[0]}" "$stderr"
}

@test "--overwrite: what is on the disks given away goes, and on no other" {
	make_disks 2
	mke2fs -q -F -t ext4 -L photos "${disks[0]}"
	head -c 65536 /dev/urandom | dd of="${disks[1]}" bs=64k seek=1 conv=notrunc status=none
	sync
	sha256sum disk? >sums
	run_mustfail 5 "$BRUNT" run storm devices="$named" "${destroy[@]:0:2}" --overwrite "${small[@]}" -o set
	assert_has "${disks[1]} holds data at byte 65" "$stderr"
	run_check "$BRUNT" plan storm devices="$named" "${destroy[@]}" --overwrite "${small[@]}"
	assert_has "${disks[0]}: ext4 labelled 'photos' will be overwritten" "$output"
	sync
	sha256sum -c --quiet sums
	run_check "$BRUNT" run storm devices="$named" "${destroy[@]}" --overwrite "${small[@]}" -o set
	all_ends set '.status == "ok"'
	[ "$(session set '.workloads[0].description.devices | map(.overwritten)' | cut -c 1-28)" = \
		"[\"ext4 labelled 'photos'\",\"d" ]
	is_blank disk?
	# and the word is of that start only
	mke2fs -q -F "${disks[0]}"
	run_mustfail 5 "$BRUNT" run -o set
	assert_has "${disks[0]} holds ext2" "$stderr"
	run_mustfail 5 "$BRUNT" run -o set --overwrite
}

@test "data in the middle of a disk is found, where no probe looks" {
	make_disks 1
	head -c 4096 /dev/urandom | dd of="${disks[0]}" bs=64 seek=$(((4194304 + 65536) / 64)) conv=notrunc status=none
	run_mustfail 5 "$BRUNT" run storm devices="$named" "${destroy[@]}" "${small[@]}" -o set
	assert_has "${disks[0]} holds data at byte 42" "$stderr"
	# what a run wrote there is no data to the next one
	blkdiscard -z "${disks[0]}"
	run_check "$BRUNT" run storm devices="$named" "${destroy[@]}" fill=8M -n 1 --warmup 0 fs=ext2 -o set
	run_check "$BRUNT" run storm devices="$named" "${destroy[@]}" fill=8M -n 1 --warmup 0 -o set2
}

@test "leave=yes: the file system stays, and the next session needs no --overwrite for it" {
	make_disks 1
	run_check "$BRUNT" run storm devices="$named" "${destroy[@]}" "${small[@]}" leave=yes -o set
	[ -s /var/lib/brunt/disks ]
	mkdir at
	mount -o ro "${disks[0]}" at
	[ "$(stat -c %s at/fill)" = 65536 ]
	umount at
	run_mustfail 5 "$BRUNT" run storm devices="$named" "${small[@]}" -o set2
	run_check "$BRUNT" run storm devices="$named" "${destroy[@]}" "${small[@]}" -o set2
	is_blank disk0
	[ ! -e /var/lib/brunt ]
	# a file system of somebody else has another UUID
	run_check "$BRUNT" run storm devices="$named" "${destroy[@]}" "${small[@]}" leave=yes -o set3
	mke2fs -q -F -t ext3 "${disks[0]}"
	run_mustfail 5 "$BRUNT" run storm devices="$named" "${destroy[@]}" "${small[@]}" -o set4
	assert_has "${disks[0]} holds ext3" "$stderr"
	run_check "$BRUNT" run storm devices="$named" "${destroy[@]}" --overwrite "${small[@]}" -o set4
	[ ! -e /var/lib/brunt ]
}

@test "a list and a pattern of disks; one unfit of the pattern refuses all" {
	make_disks 3
	printf '# mine\n%s\n\n  %s # the second\n' "${disks[0]}" "${disks[1]#/dev/}" >list
	run_check "$BRUNT" run storm devices=@list --destroy @list "${small[@]}" -o set
	all_ends set '.devices | length == 2'
	mkdir nodes
	for i in 0 1 2; do
		ln -s "${disks[i]}" "nodes/d$i"
	done
	run_mustfail 5 "$BRUNT" run storm devices="$PWD/nodes/d*" --destroy @list "${small[@]}" -o set2
	assert_has "$PWD/nodes/d2: all of it would be lost" "$stderr"
	run_mustfail 2 "$BRUNT" run storm devices="$PWD/nodes/d*" --destroy "$PWD/nodes/d*" "${small[@]}" -o set2
	assert_has "gives away what nobody has looked at" "$stderr"
	run_check "$BRUNT" run storm devices="$PWD/nodes/d[01]" --destroy @list "${small[@]}" -o set2
	run_mustfail 5 "$BRUNT" run storm devices="nodes-*" "${small[@]}"
	assert_has "nodes-*: No such file" "$stderr"
	run_mustfail 2 "$BRUNT" run storm devices=@none "${small[@]}"
	assert_has "@$PWD/none: No such file" "$stderr"
}

@test "a list means the same from any folder, and no other disks under one label" {
	make_disks 2
	echo "${disks[0]}" >list
	run_check "$BRUNT" run storm devices=@list "${destroy[@]}" "${small[@]}" -o set
	[ "$(session set '.workloads[0].found.disks')" = "${disks[0]#/dev/}" ]
	mkdir elsewhere
	cd elsewhere
	run_check "$BRUNT" run -o ../set --destroy "${disks[0]}"
	cd ..
	echo "${disks[1]}" >list
	run_mustfail 2 "$BRUNT" run -o set "${destroy[@]}"
	assert_has "storm disks ${disks[0]#/dev/} in session" "$stderr"
	[ "$(count_ends set)" = 2 ]
	run_check "$BRUNT" run -o set -l other "${destroy[@]}"
}

@test "plan refuses a trace of what is not there" {
	make_disks 1
	run_mustfail 2 "$BRUNT" plan storm devices="$named" "${destroy[@]}" "${small[@]}" trace=paths
	assert_has "is made of no other devices" "$stderr"
}

@test "list devices tells which are fit, and why others are not" {
	make_disks 2
	mke2fs -q -F -t ext4 -L photos "${disks[1]}"
	run_check "$BRUNT" list devices --json
	jq -e --arg a "${disks[0]}" --arg b "${disks[1]}" 'map({key: .path, value: .}) | from_entries |
		.[$a].fit and .[$a].why == null and .[$a].size_bytes == 16777216 and .[$a].wwid == null and
		(.[$b].fit | not) and (.[$b].why | test("holds ext4 labelled .photos"))' <<<"$output"
	run_check "$BRUNT" list devices "${disks[1]}"
	assert_has "holds ext4 labelled" "$output"
	# a link, a path, a pattern
	ln -s "${disks[1]}" link
	run_check "$BRUNT" list devices "$PWD/link" --json
	[ "$(jq -r 'map(.path) | join(" ")' <<<"$output")" = "${disks[1]}" ]
	mkdir nodes
	ln -s "${disks[0]}" nodes/a
	ln -s "${disks[1]}" nodes/b
	run_check "$BRUNT" list devices "$PWD/nodes/*" --json
	[ "$(jq -r 'map(.path) | join(" ")' <<<"$output")" = "${disks[0]} ${disks[1]}" ]
	run_mustfail 2 "$BRUNT" list devices no-such-disk
	assert_has "there is no 'no-such-disk'" "$stderr"
	run_mustfail 2 "$BRUNT" list devices "${disks[0]}x"
	assert_has "did you mean '${disks[0]#/dev/}'" "$stderr"
}

@test "a partition is used alone, while its neighbour keeps its data" {
	make_disks 1
	losetup -d "${disks[0]}"
	# two partitions of 6 MiB
	printf '\0\0\0\0\x83\0\0\0\0\x08\0\0\0\x30\0\0\0\0\0\0\x83\0\0\0\0\x38\0\0\0\x30\0\0' |
		dd of=disk0 bs=1 seek=446 conv=notrunc status=none
	printf '\x55\xaa' | dd of=disk0 bs=1 seek=510 conv=notrunc status=none
	losetup --partscan "${disks[0]}" disk0
	wait_for 60 test -b "${disks[0]}p2" || skip "this kernel makes no partitions of loop devices"
	mke2fs -q -F -t ext2 -L mine "${disks[0]}p2"
	run_check "$BRUNT" list devices --json
	jq -e --arg d "${disks[0]#/dev/}" 'map({key: .name, value: .}) | from_entries |
		.[$d + "p1"].fit and .[$d + "p1"].partition_of == $d and
		(.[$d + "p2"].why | test("holds ext2")) and (.[$d].why | test("has partitions"))' <<<"$output"
	sync
	sum=$(sha256sum <"${disks[0]}p2")
	run_mustfail 5 "$BRUNT" run storm devices="${disks[0]}" "${destroy[@]}" "${small[@]}" -o set
	assert_has "${disks[0]} has partitions" "$stderr"
	run_mustfail 5 "$BRUNT" run storm devices="${disks[0]}p1" "${destroy[@]}" "${small[@]}" -o set
	assert_has "--destroy ${disks[0]}p1" "$stderr"
	run_mustfail 5 "$BRUNT" run storm devices="${disks[0]}+${disks[0]}p1" "${destroy[@]}" \
		--destroy "${disks[0]}p1" --overwrite "${small[@]}" -o set
	assert_has "is part of ${disks[0]}" "$stderr"
	run_check "$BRUNT" run storm devices="${disks[0]}p1" --destroy "${disks[0]}p1" fs=ext2 "${small[@]}" -o set
	all_ends set '.status == "ok"'
	[ "$(sha256sum <"${disks[0]}p2")" = "$sum" ]
	run_check "$BRUNT" run storm devices="${disks[0]}" "${destroy[@]}" --overwrite "${small[@]}" -o set2
	wait_for 60 test ! -e "/sys/class/block/${disks[0]#/dev/}p1"
	is_blank disk0
}

@test "zram devices are made, used and removed, after SIGKILL by clean" {
	[ -e /sys/class/zram-control/hot_add ] || skip "this kernel has no zram"
	run_check "$BRUNT" run storm devices=zram:3:64M fs=ext4 fill=1M -n 1 --warmup 0 -o set
	all_ends set '.status == "ok" and (.devices | length == 3 and all(.name | startswith("zram")))'
	[ "$(session set '.workloads[0].description.devices | map(.size_bytes) | unique')" = '[67108864]' ]
	assert_has "3 zram devices of 64 MiB" "$(session set '.workloads[0].text')"
	start_brunt run storm devices=zram:2:64M fill=1M repeat=100000 -n 1 --warmup 0 -o killed
	wait_for 60 is_mounted_somewhere /dev/zram
	kill -KILL "$brunt_pid"
	end_brunt
	run_check "$BRUNT" clean
	assert_has "removed" "$output"
	run_mustfail 2 "$BRUNT" run storm devices=zram:2:64M block_size=1024
	run_mustfail 2 "$BRUNT" run storm devices=zram:2:64M leave=yes
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
