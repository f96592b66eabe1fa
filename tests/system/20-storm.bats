#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The workload `storm`, on small devices: what it does, what it says, and what it leaves alone.

load lib
load runs

setup()
{
	need_program jq jq
	need_storm
	begin_test
}

storm() # KEY=VALUE..., OPTION...
{
	run_check "$BRUNT" run storm -o set "$@"
}

small=(devices=loop:2:64M fill=1M -n 1 --warmup 0)

phases='["mkfs", "mount", "fill", "umount"]'

@test "ext2, ext3 and ext4" {
	run_check "$BRUNT" run storm -o set --sweep fs=ext2,ext3,ext4 "${small[@]}"
	[ "$(ends set '.status == "ok"' | jq -r .point.fs | sort | tr '\n' ' ')" = "ext2 ext3 ext4 " ]
}

@test "mke2fs is asked once for cells that make the same file system" {
	wrap mke2fs <<-'END'
		[[ $last != /proc/* ]] || echo x >>"$here/asked"
		exec "$real" "$@"
	END
	with_bin run_check "$BRUNT" plan storm "${small[@]}" --sweep repeat=1,2,3,4,5
	[ "$(wc -l <asked)" = 1 ]
	with_bin run_check "$BRUNT" plan storm "${small[@]}" --sweep repeat=1,2 --sweep fs=ext2,ext3
	[ "$(wc -l <asked)" = 3 ]
	# what does not fit is found all the same
	with_bin run_mustfail 2 "$BRUNT" plan storm devices=loop:2:64M --sweep fill=1M,80M
	assert_has "fill=80 MiB does not fit in" "$stderr"
}

@test "totals and phases, in seconds and in proportion" {
	storm "${small[@]}"
	all_ends set '.metrics | (.real, .user, .sys, .cpu) | .unit == "s" and .better == "lower"'
	all_ends set '.metrics | (.cpu.value - .user.value - .sys.value | fabs) < 1e-9'
	all_ends set ". as \$run | $phases | all(.[]; . as \$phase |
		[\"real\", \"cpu\", \"dev.mean\", \"dev.max\"] |
		all(.[]; \$run.metrics[\$phase + \".\" + .].value > 0))"
	# a phase lies inside the run, and a device's part of it inside the phase
	all_ends set ". as \$run | $phases | all(.[]; . as \$phase |
		\$run.metrics[\$phase + \".real\"].value <= \$run.metrics.real.value and
		\$run.metrics[\$phase + \".dev.max\"].value <= \$run.metrics[\$phase + \".real\"].value and
		\$run.metrics[\$phase + \".dev.mean\"].value <= \$run.metrics[\$phase + \".dev.max\"].value)"
	all_ends set '.repeat == 1 and .start_skew_s >= 0'
}

@test "each device has its entry" {
	storm "${small[@]}"
	all_ends set '.devices | length == 2 and (map(.name) | unique | length == 2) and
		all(.[]; (.name | startswith("loop")) and .cycles == 1 and
		.mkfs_s > 0 and .mount_s > 0 and .fill_s > 0 and .umount_s > 0 and
		.real_s >= .mkfs_s + .mount_s + .fill_s + .umount_s)'
	all_ends set '.metrics.real.value >= ([.devices[].real_s] | max) - 1e-9'
	[ "$(session set '.workloads[0].description.devices |
		map([.size_bytes, .backing_fs, .direct_io, .block_size])')" = \
		'[[67108864,"tmpfs",false,512],[67108864,"tmpfs",false,512]]' ]
	[[ "$(session set '.workloads[0].description.mke2fs')" == "mke2fs "* ]]
}

@test "the session tells the work of each point in words, and reports print them" {
	storm devices=loop:2:64M min_run=100ms --sweep fill=0,1M -n 1 --warmup 1
	[ "$(session set '.workloads | length')" = 2 ]
	[[ "$(session set '.workloads[0].text')" =~ \
		^2\ loop\ devices\ of\ 64\ MiB\ \(tmpfs\),\ ext3,\ [0-9]+\ cycles?\ \(found ]]
	[ "$(session set '.workloads[1].cells')" = '[{"point":{"fill":"1M"},"config":"none"}]' ]
	run_check "$BRUNT" report set --format text
	[[ $output == *"fill=0: 2 loop devices of 64 MiB (tmpfs), ext3,"* ]]
}

@test "fill=0: no file, and its figures are null with a reason" {
	storm devices=loop:2:64M fill=0 -n 1 --warmup 0
	all_ends set '.status == "ok" and .metrics["fill.real"].value == null and
		.metrics["fill.real"].reason == "fill=0" and .devices[0].fill_s == null'
	run_check "$BRUNT" report set --format json
	jq -e '[.groups[] | select(.metric == "mkfs.real")] | length == 1' <<<"$output"
}

@test "repeat=3 goes through three cycles a device" {
	storm "${small[@]}" repeat=3
	all_ends set '.status == "ok" and .repeat == 3 and all(.devices[]; .cycles == 3)'
}

@test "min_run lets the warm-up choose repeat, and the set keeps it" {
	run_check "$BRUNT" run storm -o set devices=loop:2:64M fill=1M min_run=600ms -n 2
	local chosen
	chosen=$(session set '.calibrated[0].keys.repeat')
	[ "$chosen" -ge 1 ]
	[ "$(session set '.calibrated | map([.workload, .point])')" = '[["storm",{}]]' ]
	# what the formula says: ceil(min_run / warm-up's real)
	[ "$chosen" = "$(ends set '.role == "warmup"' | jq '(.6 / .metrics.real.value) | ceil')" ]
	all_ends set ".repeat == $chosen" '.role == "measured"'
	local first
	first=$(newest_session set)
	run_check "$BRUNT" run -o set --add 1
	[ "$(newest_session set)" != "$first" ]
	[ "$(session set '.calibrated | length')" = 0 ]
	all_ends set ".repeat == $chosen" ".session == \"$(session set .id)\""
}

@test "repeat and min_run exclude each other" {
	run_mustfail 2 "$BRUNT" run storm -o set "${small[@]}" repeat=2 min_run=1s
	[ ! -e set ]
}

@test "mount_method=program uses mount and umount" {
	wrap mount <<-'END'
		echo "mount $*" >>"$here/calls"
		exec "$real" "$@"
	END
	wrap umount <<-'END'
		echo "umount $*" >>"$here/calls"
		exec "$real" "$@"
	END
	with_bin storm "${small[@]}" mount_method=program mount_options=noatime
	all_ends set '.status == "ok"'
	[ "$(grep -c '^mount -t ext3 -o noatime /dev/loop' calls)" = 2 ]
	[ "$(grep -c '^umount ' calls)" = 2 ]
}

# In the host's mount namespace a mount can be seen while mke2fs of another device runs.
@test "mount_ns=private: nobody sees the mounts; mount_ns=host: everybody does" {
	wrap umount <<-END
		cat /proc/$$/mounts >>"\$here/seen"
		exec "\$real" "\$@"
	END
	with_bin run_check "$BRUNT" run storm -o set "${small[@]}" \
		mount_method=program mount_ns=private
	all_ends set '.status == "ok"'
	[ -s seen ]
	run ! grep "^/dev/loop.*ext3" seen
	with_bin run_check "$BRUNT" run storm -o host "${small[@]}" \
		mount_method=program mount_ns=host
	all_ends host '.status == "ok"'
	grep "^/dev/loop.* ext3" seen
}

@test "cache: warm has a cycle that nobody times before each run" {
	wrap mke2fs <<-'END'
		echo "$last" >>"$here/calls"
		exec "$real" "$@"
	END
	with_bin storm "${small[@]}" cache=warm
	all_ends set '.status == "ok" and all(.devices[]; .cycles == 1)'
	[ "$(grep -c /dev/loop calls)" = 4 ]
	rm calls
	with_bin run_check "$BRUNT" run storm -o cold "${small[@]}" \
		--sweep cache=cold,cold-system
	[ "$(count_ends cold '.status == "ok"')" = 2 ]
	[ "$(grep -c /dev/loop calls)" = 4 ]
}

@test "DIR: backing files on a disk, and the session says which file system" {
	local folder=$ROOT fs
	fs=$(stat -f -c %T "$BATS_TEST_TMPDIR")
	for folder in "$BATS_TEST_TMPDIR" /var/tmp "$ROOT"; do
		fs=$(stat -f -c %T "$folder")
		[[ $fs == tmpfs || $fs == ramfs || ! -w $folder ]] || break
	done
	[[ $fs != tmpfs && $fs != ramfs ]] || skip "no folder on a disk"
	run_check "$BRUNT" run storm -o set "devices=loop:2:64M:$folder" fill=1M -n 1
	all_ends set '.status == "ok"'
	[ "$(session set '.workloads[0].description.devices | all(.[]; .backing_fs != "tmpfs" and
		(.backing_fs | length) > 0 and (.direct_io | type) == "boolean")')" = true ]
	[ -z "$(find "$folder" -maxdepth 1 -name '.brunt*')" ]
}

@test "block_size, mkfs_options and mount_options reach the file system" {
	wrap umount <<-'END'
		grep " $last " /proc/mounts >>"$here/mounts"
		device=$(grep " $last " /proc/mounts | cut -d " " -f 1)
		dumpe2fs -h "$device" >>"$here/dumps" 2>/dev/null
		exec "$real" "$@"
	END
	with_bin storm "${small[@]}" fs=ext4 block_size=1024 mount_method=program \
		'mkfs_options=-N 4096 -L "two words" -E stride=4' mount_options=noatime+data=writeback
	all_ends set '.status == "ok"'
	[ "$(grep -c 'noatime.*data=writeback' mounts)" = 2 ]
	[ "$(grep -c '^Block size: *1024$' dumps)" = 2 ]
	[ "$(grep -c '^Inode count: *4096$' dumps)" = 2 ]
	[ "$(grep -c '^Filesystem volume name: *two words$' dumps)" = 2 ]
	[ "$(grep -c '^RAID stride: *4$' dumps)" = 2 ]
}

@test "options that cannot work are found before anything is made" {
	run_mustfail 2 "$BRUNT" run storm -o set "${small[@]}" mkfs_options=/dev/null
	run_mustfail 2 "$BRUNT" run storm -o set "${small[@]}" 'mkfs_options=-J device=/dev/loop0'
	run_mustfail 2 "$BRUNT" run storm -o set "${small[@]}" 'mkfs_options=-O no_such_feature'
	assert_has no_such_feature "$stderr"
	run_mustfail 2 "$BRUNT" run storm -o set "${small[@]}" mount_options=remount
	run_mustfail 2 "$BRUNT" run storm -o set "${small[@]}" block_size=8192
	run_mustfail 2 "$BRUNT" run storm -o set devices=loop:2:64M fill=100M
	assert_has "does not fit" "$stderr"
	run_mustfail 2 "$BRUNT" run storm -o set devices=loop+sda
	run_mustfail 2 "$BRUNT" run storm -o set devices=loop:2:1000
	run_mustfail 2 "$BRUNT" run storm -o set devices=loop:2:64M:/no/such/folder
	[ ! -e set ]
}

@test "more memory than there is: 77 with numbers" {
	run_mustfail 77 "$BRUNT" run storm -o set devices=loop:4096:1T -n 1
	assert_has "available" "$stderr"
	[[ "$stderr" =~ need.*of\ memory ]]
	[ ! -e set ]
}

@test "an unknown mount option fails the run, names device and phase, and leaves nothing" {
	run_mustfail 4 "$BRUNT" run storm -o set "${small[@]}" mount_options=no_such_option
	all_ends set '.status == "failed" and (.reason | test("^loop[0-9]+: mount: "))'
}

@test "more devices than there are loop nodes: added, and removed afterwards" {
	local there
	there=$(find /sys/block -name 'loop*' | wc -l)
	[ "$there" -lt 64 ] || skip "$there loop nodes exist"
	run_check "$BRUNT" run storm -o set "devices=loop:$((there + 4)):8M" fs=ext2 fill=64k -n 1 \
		--warmup 0
	all_ends set ".status == \"ok\" and (.devices | length == $((there + 4)))"
	# the nodes are in assert_same_state
}

@test "every device was checked: a mke2fs that makes nothing is no success" {
	wrap mke2fs <<-'END'
		[[ $last != /dev/loop* ]] || exit 0
		exec "$real" "$@"
	END
	with_bin run_mustfail 4 "$BRUNT" run storm -o set "${small[@]}"
	all_ends set '.status != "ok" and (.reason | test("^loop[0-9]+: "))'
}

@test "each configuration does the same work: env of one reaches its mke2fs only" {
	wrap mke2fs <<-'END'
		echo "${FOO-none} $LC_ALL" >>"$here/calls"
		exec "$real" "$@"
	END
	with_bin storm "${small[@]}" -c a -c b,env.FOO=of-b
	[ "$(grep -c '^of-b C$' calls)" = 2 ]
	[ "$(grep -c '^none C$' calls)" -ge 2 ]
}

@test "foreign loop devices, mounts and files survive" {
	foreign_loop 16M
	mke2fs -q -F "$foreign"
	mkdir theirs
	mount "$foreign" theirs
	to_undo+=("umount $PWD/theirs")
	echo theirs >theirs/file
	mkdir -p /run/brunt
	echo theirs >/run/brunt/foreign-file
	to_undo+=("rm -f /run/brunt/foreign-file; rmdir /run/brunt 2>/dev/null || true")
	storm "${small[@]}" -c a -c b,mount_ns=host
	all_ends set '.status == "ok"'
	all_ends set "all(.devices[]; .name != \"${foreign#/dev/}\")"
	[ "$(cat theirs/file /run/brunt/foreign-file)" = $'theirs\ntheirs' ]
	run_check "$BRUNT" clean
	[ "$(cat theirs/file /run/brunt/foreign-file)" = $'theirs\ntheirs' ]
	losetup "$foreign"
}

@test "two storms in one session: each point has its devices" {
	run_check "$BRUNT" run storm -o set fs=ext2 devices=loop:2:16M -n 1 --warmup 0 \
		--sweep fill=0,64k -c a -c b,mount_ns=host
	[ "$(count_ends set '.status == "ok"')" = 4 ]
}

@test "plan names devices and need, and makes nothing" {
	run_check "$BRUNT" plan storm "${small[@]}"
	assert_has "2 loop devices of 64 MiB" "$output"
	assert_same_state
}
