#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Many devices, and kills at moments that nobody chose while brunt has the user's devices and zram.
# BRUNT_SEED=N repeats the moments of a run.

load lib
load runs

setup()
{
	need_program jq jq
	need_storm
	begin_test
}

# The state that is compared in between has the test's own disks in it, the last one not.
teardown()
{
	[ ! -e "$BATS_TEST_TMPDIR/.without_disks" ] ||
		mv "$BATS_TEST_TMPDIR/.without_disks" "$BATS_TEST_TMPDIR/.state"
	end_test
}

# Memory and time go to the test's output: what a report of scale is made from.
storm_of() # NUMBER SIZE KEY...
{
	local begun=$SECONDS

	run_check "$BRUNT" run storm devices="loop:$1:$2" "${@:3}" -n 1 --warmup 0 -q -o set
	all_ends set ".status == \"ok\" and (.devices | length == $1 and all(.cycles == 1))"
	echo "# $1 devices ${*:3}: $((SECONDS - begun)) s, need $(session set \
		'.workloads[0].description.need_bytes / 1048576') MiB," \
		"real $(ends set | jq .metrics.real.value) s" >&3
	assert_same_state 10
	rm -r set
}

@test "64 loop devices of ext2: all done, nothing left" {
	storm_of 64 4M fs=ext2 fill=16k
}

# bats test_tags=long
@test "256 and 1000 loop devices of ext2: all done, nothing left" {
	storm_of 256 4M fs=ext2 fill=16k
	storm_of 1000 4M fs=ext2 fill=16k
	storm_of 1000 4M fs=ext2 fill=16k phases=lockstep parallel=16
}

# bats test_tags=long
@test "64 loop devices of xfs: all done and verified, nothing left" {
	need_program mkfs.xfs xfsprogs
	grep -qw xfs /proc/filesystems || modprobe -n -q fs-xfs || skip "this kernel has no xfs"
	storm_of 64 300M fs=xfs fill=64k
}

@test "too many devices for the limits are refused by name before any is made" {
	run_mustfail 77 bash -c "ulimit -n 200; exec $BRUNT plan storm devices=loop:256:4M fs=ext2 fill=0"
	[[ $stderr =~ "256 devices need "8[0-9]*" open files, ulimit -Hn is 200" ]]
}

# A word a kind: zram, or two disks of the test's own.
kill_at_moments() # COUNT
{
	local moment kind

	RANDOM=${BRUNT_SEED:-$$}
	echo "BRUNT_SEED=${BRUNT_SEED:-$$}"
	disks=()
	for moment in 0 1; do
		truncate -s 16M "disk$moment"
		disks[moment]=$(losetup --find --show "disk$moment")
		to_undo+=("losetup -d ${disks[moment]}")
	done
	cp "$BATS_TEST_TMPDIR/.state" "$BATS_TEST_TMPDIR/.without_disks"
	keep_state
	for ((moment = 1; moment <= $1; moment++)); do
		kind=$((moment % 3))
		echo "kill $moment of kind $kind"
		case $kind in
		0) start_brunt run storm devices="${disks[0]}+${disks[1]}" --destroy "${disks[0]}" \
			--destroy "${disks[1]}" fs=ext2 fill=256k -n 1000 --warmup 0 -o "set$moment" ;;
		1) start_brunt run storm devices="${disks[0]}+${disks[1]}" --destroy "${disks[0]}" \
			--destroy "${disks[1]}" fs=ext4 mount_ns=host fill=256k -n 1000 --warmup 0 -o "set$moment" ;;
		2) start_brunt run storm devices="$ram" fs=ext2 fill=256k -n 1000 --warmup 0 -o "set$moment" ;;
		esac
		sleep 0.$(printf %03d $((RANDOM % 900)))
		kill -KILL "$brunt_pid"
		end_brunt
		run_check "$BRUNT" clean
		assert_same_state 10
		cmp -n 4194304 disk0 /dev/zero
		cmp -n 4194304 disk1 /dev/zero
		run_check "$BRUNT" clean
		[ -z "$output" ]
		rm -rf "set$moment"
	done
	# and they are fit for the next one
	run_check "$BRUNT" run storm devices="${disks[0]}+${disks[1]}" --destroy "${disks[0]}" \
		--destroy "${disks[1]}" fill=64k -n 1 --warmup 0 -o last
}

choose_ram()
{
	ram=zram:3:16M
	[ -e /sys/class/zram-control/hot_add ] || ram=loop:3:16M
}

@test "SIGKILL at 6 moments with the user's disks and zram: clean undoes it each time" {
	choose_ram
	kill_at_moments 6
}

# bats test_tags=long
@test "SIGKILL at 50 moments with the user's disks and zram: clean undoes it each time" {
	choose_ram
	kill_at_moments 50
}
