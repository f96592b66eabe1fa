#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The workload `io`, on small devices and for short times: what it does, what it says, what it refuses,
# and what it leaves alone. No test judges a figure by how fast the machine is.

load lib
load runs

setup()
{
	need_root
	need_program jq jq
	[ -e /dev/loop-control ] || skip "no loop driver: /dev/loop-control is missing"
	begin_test
}

short=(time=300ms -n 1 --warmup 0)
small=(devices=loop:2:16M "${short[@]}")

io() # KEY=VALUE..., OPTION...
{
	run_check "$BRUNT" run io -o set "$@"
}

refused() # STATUS WORDS KEY=VALUE...
{
	local status_wanted=$1 words=$2
	shift 2
	run_mustfail "$status_wanted" "$BRUNT" run io -o refused "$@"
	assert_has "$words" "$stderr"
	[ ! -e refused ]
}

named_disks() # NUMBER
{
	local i

	disks=()
	for ((i = 0; i < $1; i++)); do
		truncate -s 16M "disk$i"
		disks[i]=$(losetup --find --show "disk$i")
		to_undo+=("losetup -d ${disks[i]}")
	done
	named=$(IFS=+ && echo "${disks[*]}")
}

need_uring()
{
	"$BRUNT" plan io engine=nop "${small[@]}" >/dev/null 2>&1 ||
		skip "$("$BRUNT" plan io engine=nop "${small[@]}" 2>&1)"
}

@test "each engine reads and writes, and the figures belong together" {
	local engine
	need_uring
	for engine in io_uring libaio psync; do
		io -l "$engine" engine=$engine rw=randrw "${small[@]}"
	done
	[ "$(count_ends set '.status == "ok"')" = 3 ]
	all_ends set '.metrics as $m | ["read", "write"] | all(.[]; . as $op |
		$m[$op + ".iops"].value > 0 and $m[$op + ".iops"].better == "higher" and
		($m[$op + ".bw"].value - 4096 * $m[$op + ".iops"].value | fabs) < 1 and
		$m[$op + ".lat.min"].value <= $m[$op + ".lat.p50"].value and
		$m[$op + ".lat.p50"].value <= $m[$op + ".lat.p90"].value and
		$m[$op + ".lat.p90"].value <= $m[$op + ".lat.p99"].value and
		$m[$op + ".lat.p99"].value <= $m[$op + ".lat.p99.9"].value and
		$m[$op + ".lat.p99.9"].value <= $m[$op + ".lat.p99.99"].value and
		$m[$op + ".lat.p99.99"].value <= $m[$op + ".lat.max"].value)'
	all_ends set '.metrics | (.cpu.value - .user.value - .sys.value | fabs) < 1e-9 and
		.cpu_per_io.value > 0 and .real.value >= .3'
	# submission and completion make up the whole
	all_ends set '.metrics | (."read.slat.mean".value + ."read.clat.mean".value -
		."read.lat.mean".value | fabs) < 1e-9' '.label != "psync"'
	all_ends set '.metrics | has("read.slat.mean") | not' '.label == "psync"'
	all_ends set '.io | .workers >= 1 and .jobs == 2 and .ramp_ios == 0'
	all_ends set '.start_skew_s >= 0'
}

@test "each device has its figures, and they add up to the whole" {
	io engine=libaio depth=4 numjobs=2 devices=loop:3:16M "${short[@]}"
	all_ends set '.io.jobs == 6 and .io.drained_ios == ([.devices[].drained_ios] | add)'
	all_ends set '.devices | length == 3 and all(.[]; (.name | startswith("loop")) and
		.read.ios > 0 and .read.bytes == 4096 * .read.ios and .read.lat.p50_s > 0)'
	all_ends set '(.metrics["read.iops"].value - ([.devices[].read.iops] | add) | fabs) < 1e-3'
	all_ends set '.io.ios == ([.devices[].read.ios] | add)'
}

@test "the histograms are kept, and the figures come from them" {
	io engine=libaio depth=8 "${small[@]}"
	jq -e --slurpfile run <(ends set) '.histograms["read.lat"] | .unit == "ns" and
		(.count == $run[0].io.ios) and ([.buckets[][1]] | add) == .count and
		(.mean / 1e9 - $run[0].metrics["read.lat.mean"].value | fabs) < 1e-12' \
		set/runs/1/series.json
	jq -e '.histograms | has("read.slat") and has("read.clat") and (has("write.lat") | not)' \
		set/runs/1/series.json
}

@test "what reads alone gives no figures of writes, and fsync has its own" {
	io -l read rw=read bs=4k-16k engine=libaio "${small[@]}"
	io -l write rw=write fsync=4 engine=libaio "${small[@]}"
	all_ends set '.metrics | has("read.iops") and (has("write.iops") or has("sync.iops") | not)' \
		'.label == "read"'
	all_ends set '.metrics | (has("read.iops") | not) and ."write.iops".value > 0 and
		."sync.iops".value > 0 and (has("sync.bw") | not)' '.label == "write"'
	# a sync follows on four writes
	all_ends set '.metrics | (."write.iops".value / ."sync.iops".value - 4 | fabs) < 1' \
		'.label == "write"'
}

@test "ramp_time is in no figure" {
	io engine=null ramp_time=100ms "${small[@]}"
	all_ends set '.io.ramp_ios > 0 and .metrics.real.value >= .4 and
		(.metrics["read.iops"].value * .3 - .io.ios | fabs) < 1'
}

@test "the empty engines touch no device" {
	need_uring
	named_disks 1
	# 0x55 everywhere would be seen to change; no --destroy, since nothing is written
	head -c 16M /dev/zero | tr '\0' U >disk0
	cp disk0 before
	io -l null engine=null rw=randwrite devices="$named" "${short[@]}"
	io -l nop engine=nop rw=randwrite devices="$named" "${short[@]}"
	cmp disk0 before
	all_ends set '.status == "ok" and .metrics["write.iops"].value > 0'
}

@test "a file system on a disk needs --destroy, also where the engine does no IO" {
	need_program mke2fs e2fsprogs
	named_disks 1
	head -c 16M /dev/urandom >disk0
	cp disk0 before
	for engine in null libaio; do
		refused 5 "--destroy ${disks[0]}" engine=$engine fs=ext2 size=1M devices="$named" time=100ms
		cmp disk0 before
	done
	rm before && head -c 16M /dev/zero >disk0
	io engine=null fs=ext2 size=1M devices="$named" --destroy "${disks[0]}" "${short[@]}"
	all_ends set '.status == "ok"'
	head -c 4M disk0 | cmp -n 4194304 - /dev/zero
}

@test "rate limits what is written a second" {
	io engine=libaio rw=write bs=4k rate=40k depth=2 devices=loop:1:16M time=500ms -n 1 --warmup 0
	# ten a second, and those that are due at the start
	all_ends set '.io.ios >= 1 and .io.ios <= 8'
}

@test "devices are filled before the first run, once for all points of a sweep" {
	io engine=libaio devices=loop:2:16M time=50ms -n 1 --warmup 1 --sweep depth=1,2
	[ "$(ends set | jq -s 'map(.filled_bytes) | sort | unique')" = "[0,33554432]" ] ||
		[ "$(ends set | jq -s 'map(.filled_bytes) | unique | length')" -le 2 ]
	# the point that ran first filled, the other one found it so
	[ "$(ends set | jq -s '[group_by(.point.depth)[] | map(.filled_bytes) | max] | sort | add')" = 33554432 ]
	io -l hole engine=libaio fill=no "${small[@]}"
	all_ends set '.filled_bytes == 0' '.label == "hole"'
}

@test "ranges that touch are filled once, in whatever order they come" {
	io engine=libaio devices=loop:1:16M size=4M time=20ms -n 3 --warmup 0 --sweep offset=4M,0,8M
	all_ends set '.status == "ok"'
	# 4 MiB each; two that are apart at first may cost the first of them once more
	[ "$(ends set | jq -s '[group_by(.point.offset)[] | map(.filled_bytes) | max] | add')" -le 16777216 ]
}

@test "disks that are only read need no --destroy and keep what they hold" {
	named_disks 2
	mke2fs -q -F "${disks[0]}"
	head -c 16M /dev/urandom >disk1
	sha256sum disk0 disk1 >sums
	io engine=libaio depth=4 devices="$named" "${short[@]}"
	all_ends set '.status == "ok" and (.devices | length == 2 and all(.read.ios > 0))'
	sha256sum --quiet -c sums
	[ "$(session set '.workloads[0].description.devices | map(.driver)')" = '["loop","loop"]' ]
	# one that is mounted may be read, too
	mkdir mnt
	mount -o ro "${disks[0]}" mnt
	to_undo+=("umount $PWD/mnt")
	io engine=libaio -l mounted devices="${disks[0]}" "${short[@]}"
}

@test "disks that are written need --destroy, and are blank at both ends afterwards" {
	named_disks 2
	refused 5 "--destroy ${disks[0]}" rw=randwrite devices="$named" engine=libaio time=100ms
	refused 5 "--destroy ${disks[1]}" rw=randread fill=yes devices="$named" engine=libaio time=100ms
	io rw=randwrite engine=libaio depth=4 devices="$named" --destroy "${disks[0]}" \
		--destroy "${disks[1]}" time=100ms -n 2 --warmup 0
	all_ends set '.status == "ok"'
	for i in 0 1; do
		cmp -n 4194304 disk$i /dev/zero
		tail -c 4194304 disk$i | cmp -n 4194304 - /dev/zero
		# in between stands what was written
		run_mustfail 1 cmp -s disk$i /dev/zero
	done
}

@test "RAM disks of zram, and disks by a pattern" {
	[ -e /sys/class/zram-control/hot_add ] || skip "no zram here (module zram)"
	io engine=libaio rw=randrw devices=zram:2:16M "${short[@]}"
	all_ends set '.status == "ok" and .filled_bytes == 33554432 and
		(.devices | length == 2 and all(.name | startswith("zram")))'
	refused 2 "multiples of 4096" engine=libaio bs=512 devices=zram:1:16M
	named_disks 1
	io -l pattern engine=libaio devices="${disks[0]%?}[${disks[0]: -1}]" "${short[@]}"
	all_ends set '.devices | length == 1' '.label == "pattern"'
}

@test "what is no disk to read is refused with each one's reason" {
	named_disks 1
	truncate -s 4k tiny
	local tiny
	tiny=$(losetup --find --show tiny)
	to_undo+=("losetup -d $tiny")
	refused 5 "3 devices are refused" engine=libaio devices="$named+$PWD/tiny+$tiny+$named" time=100ms
	assert_has "$PWD/tiny is no block device" "$stderr"
	assert_has "$tiny is smaller than 64 KiB" "$stderr"
	assert_has "is the same device as" "$stderr"
}

@test "an error is a failed run that names device, offset and errno; the other goes on" {
	local bad
	named_disks 2
	bad=${disks[0]#/dev/}
	truncate -s 1M disk0
	for engine in libaio psync; do
		run_mustfail 4 "$BRUNT" run io -o set -l $engine rw=read bs=64k engine=$engine \
			devices="$named" time=2s -n 1 --warmup 0 --max-retries 0
	done
	all_ends set ".status == \"failed\" and
		(.reason | startswith(\"$bad: read of 65536 bytes at offset 1048576: Input/output error (EIO)\"))"
	all_ends set '.devices | .[0].errors.EIO >= 1 and .[0].error_offset_bytes == 1048576 and
		.[0].read.ios == 16 and (.[1] | .read.ios > 0 and (has("errors") | not))'
	all_ends set '.metrics["read.iops"] | .value == null and .reason == "the run failed"'
}

@test "files in a folder: without a name, one a job, gone afterwards" {
	mkdir dir
	io engine=libaio directory=dir rw=randrw size=1M numjobs=2 depth=4 direct=no time=100ms -n 2
	all_ends set '.status == "ok" and .io.jobs == 2 and .filled_bytes == 2097152'
	[ -z "$(ls -A dir)" ]
	[ "$(session set '.workloads[0].description.directory')" = "$PWD/dir" ]
}

@test "more files in a folder than descriptors at first: the limit is raised" {
	mkdir dir
	ulimit -Sn 256
	io engine=libaio directory=dir size=4k numjobs=300 direct=no time=1s -n 1 --warmup 0
	all_ends set '.status == "ok" and .io.jobs == 300'
}

@test "files on file systems that the run makes" {
	need_program mke2fs e2fsprogs
	io engine=libaio fs=ext4 rw=randrw size=1M numjobs=2 devices=loop:2:16M time=100ms -n 2 --warmup 0
	all_ends set '.status == "ok" and .io.jobs == 4 and .filled_bytes == 4194304 and
		(.devices | length == 2 and all(.read.ios > 0))'
	[[ "$(session set '.workloads[0].text')" == *"files on ext4"* ]]
}

@test "bad input is refused before anything runs" {
	refused 2 "size=5000 is no multiple of bs" size=5000 engine=libaio
	refused 2 "offset=100 is no multiple of bs" offset=100 engine=libaio
	refused 2 "a device is too small" size=2G engine=libaio
	refused 2 "a device is too small" bs=2M devices=loop:1:1M engine=libaio
	refused 2 "multiple of the lesser" bs=4k-6k engine=libaio
	refused 2 "did you mean 'iodepth'" iodept=4
	refused 2 "one IO in flight a job" engine=psync depth=2
	refused 2 "workers=4" devices=loop:10:1M depth=10000 workers=1 engine=null
	refused 77 "fs.aio-max-nr is" devices=loop:100:1M depth=30000 workers=100 engine=libaio
	refused 2 "No such file" directory="$PWD/nowhere" engine=libaio
	refused 2 "is no folder" directory=/dev/null engine=libaio
	refused 2 "ramp_time" ramp_time=9000000000s engine=libaio
	refused 2 "fs=xfs needs devices of 300 MiB" fs=xfs devices=loop:1:64M engine=libaio
}

@test "a device that cannot poll is named before anything runs" {
	need_uring
	run_mustfail 77 "$BRUNT" run io -o set hipri=yes "${small[@]}"
	[[ $stderr == *"hipri=yes: /dev/loop"*" cannot be polled"* ]]
	[ ! -e set ]
}

@test "io_uring that the kernel refuses: what it is, and the remedy" {
	need_uring
	[ -e /proc/sys/kernel/io_uring_disabled ] || skip "this kernel has no io_uring_disabled"
	local before
	before=$(cat /proc/sys/kernel/io_uring_disabled)
	to_undo+=("echo $before >/proc/sys/kernel/io_uring_disabled")
	echo 2 >/proc/sys/kernel/io_uring_disabled
	refused 77 "kernel.io_uring_disabled is 2" "${small[@]}"
	assert_has "engine=libaio" "$stderr"
}

@test "traced by blktrace there are six events or more an IO" {
	need_blk_tracer
	io engine=libaio depth=4 devices=loop:1:16M time=100ms -n 1 --warmup 0 -t none -t blktrace
	all_ends set '.status == "ok" and .tracer.events > .io.ios and .tracer.lost == 0' \
		'.config == "blktrace"'
}

@test "files in a folder cannot be traced by blktrace" {
	need_blk_tracer
	run_mustfail 2 "$BRUNT" run io -o set engine=libaio directory="$PWD" size=1M direct=no "${short[@]}" \
		-t none -t blktrace
	assert_has "io has no block devices here" "$stderr"
}

@test "an interrupt ends it at once and leaves nothing" {
	start_brunt run io engine=libaio depth=4 devices=loop:2:16M time=600s -n 2 --warmup 0 -o set
	wait_for 60 has_started set 1
	sleep .3
	kill -INT "$brunt_pid"
	end_brunt 30
	assert_brunt_status 130
	all_ends set '.status == "failed" and .reason == "interrupted"'
	assert_same_state 5
}

# A filling that goes on for as long as nobody ends it: its process is stopped.
is_filling()
{
	local pid

	for pid in $(pgrep -P "$brunt_pid"); do
		grep -q '^wchar: [1-9][0-9]\{6\}' "/proc/$pid/io" 2>/dev/null || continue
		kill -STOP "$pid"
		return 0
	done
	return 1
}

interrupted_while_filling() # KEY=VALUE...
{
	start_brunt run io engine=libaio "$@" -n 1 --warmup 0 -o set
	wait_for 60 is_filling
	kill -INT "$brunt_pid"
	end_brunt 30
	assert_brunt_status 130
	all_ends set '.status == "failed" and .reason == "interrupted"'
	rm -r set
}

@test "an interrupt ends the filling of devices and files" {
	need_program mke2fs e2fsprogs
	mkdir dir
	interrupted_while_filling devices=loop:2:512M
	interrupted_while_filling devices=loop:1:1G fs=ext2 size=512M
	interrupted_while_filling directory=dir size=512M direct=no
	assert_same_state 5
}

@test "plan and list tell what there will be" {
	run_check "$BRUNT" plan io engine=libaio "${small[@]}"
	assert_has "2 loop devices of 16 MiB (tmpfs), need 32 MiB" "$output"
	run_check "$BRUNT" list workloads io
	assert_has "iodepth=N" "$output"
	run_check "$BRUNT" list metrics
	assert_has "read.lat.p99.99" "$output"
	run_mustfail 2 "$BRUNT" plan io engine=libaio "${small[@]}" --primary write.iop
	assert_has "write.iops" "$stderr"
}
