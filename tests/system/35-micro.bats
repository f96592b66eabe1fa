#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The workload `micro`: what is measured, what is missing and why, and that nothing is left.

load lib
load runs

# Not /tmp, where two of these would meet.
run_micro()
{
	mkdir -p files
	run_check "$BRUNT" run micro quick=yes dir=files --warmup 0 -o set "$@"
}

metric() # NAME FILTER
{
	jq -cr "select(.event == \"end\") | .metrics[\"$1\"] | $2" set/runs.jsonl | tail -n 1
}

partners()
{
	pgrep -c '^brunt-(mi|pa)'
}

no_partners()
{
	[ "$(partners)" = 0 ]
}

@test "each metric has a value with its spread, or the reason why not" {
	run_micro -n 1
	[ "$(count_ends set '.status == "ok"')" = 1 ]
	# all that list metrics says, but for raw values of what is missing, which are null as well
	[ "$(ends set | jq -r '.metrics | keys[]' | sort)" = \
		"$("$BRUNT" list metrics --json | jq -r '.[] | select(.workload == "micro") | .name' | sort)" ]
	all_ends set '[.metrics[] | if .value == null then (.reason | length) > 0
		else .value > 0 and .within.n >= 30 and .within.median == .value and
		.within.min <= .value and .within.p95 >= .value and .within.mad >= 0 end] | all'
	# what any machine has
	all_ends set '[.metrics["null_call", "read", "write", "null_io", "stat", "fstat", "open_close",
		"sig_install", "sig_handle.raw", "fork", "vfork", "spawn", "exec.dynamic", "sh", "pipe",
		"af_unix", "udp", "tcp", "tcp_connect", "rpc_udp", "rpc_tcp", "ctx_2p_0k.raw",
		"file_create.0k", "file_delete.10k", "mmap", "pipe.bw", "mem_read.bw", "mem_lat.main",
		"futex_pingpong", "getrandom"].value] | all(. > 0)'
}

@test "only= measures these metrics, variants and families, and nothing else" {
	run_micro -n 1 only=null_call+exec+signals
	all_ends set '(.metrics | keys) == ["exec.dynamic", "exec.static", "null_call", "sig_handle",
		"sig_handle.raw", "sig_install"]'
	[ ! -e set/runs/1/series.json ]
}

@test "times below 10 us are in ns, others in us, bandwidths in MB/s" {
	run_micro -n 1 only=null_call+pipe+pipe.bw
	[ "$(metric null_call '[.unit, .better]')" = '["ns","lower"]' ]
	[ "$(metric pipe '[.unit, .better]')" = '["us","lower"]' ]
	[ "$(metric pipe.bw '[.unit, .better]')" = '["MB/s","higher"]' ]
}

@test "an unknown metric, place or folder: status 2, with what was meant" {
	run_mustfail 2 "$BRUNT" run micro only=null_call+null_ioo -o set
	assert_has "did you mean 'null_io'" "$stderr"
	run_mustfail 2 "$BRUNT" run micro only=null_call+ -o set
	assert_has "only: a name is empty" "$stderr"
	run_mustfail 2 "$BRUNT" run micro place=elsewhere -o set
	assert_has "same-cpu|other-cpu|free" "$stderr"
	run_mustfail 2 "$BRUNT" run micro dir=nowhere -o set
	assert_has "nowhere: No such file" "$stderr"
	run_mustfail 2 "$BRUNT" plan micro only=sat
	assert_has "did you mean 'stat'" "$stderr"
	[ ! -e set ]
}

@test "too few descriptors: their metrics are missing with the limit, the others are there" {
	ulimit -n 90
	run_micro -n 1 only=null_call+select_100_file+select_100_tcp+epoll_wait
	assert_has "select_100_file is not measured: too few descriptors: the limit is 90" "$stderr"
	all_ends set '.status == "ok" and .metrics.null_call.value > 0'
	for name in select_100_file select_100_tcp epoll_wait; do
		[ "$(metric $name .value)" = null ]
		assert_has "the limit is 90" "$(metric $name .reason)"
	done
}

@test "one CPU with place=other-cpu: partners are missing, the rest goes on" {
	cpu=$(taskset -cp $$ | sed 's/.*[:,-] *//')
	mkdir -p files
	run_check taskset -c "$cpu" "$BRUNT" plan micro place=other-cpu quick=yes dir=files
	assert_has "needs two CPUs" "$output"
	run_check taskset -c "$cpu" "$BRUNT" run micro quick=yes dir=files --warmup 0 -o set -n 1 \
		place=other-cpu only=null_call+pipe+ctx_2p_0k
	all_ends set '.status == "ok" and .metrics.null_call.value > 0 and .metrics.pipe.value == null'
	assert_has "two CPUs" "$(metric pipe .reason)"
	assert_has "two CPUs" "$(metric ctx_2p_0k .reason)"
	assert_has "two CPUs" "$(metric ctx_2p_0k.raw .reason)"
}

@test "the placement is on record" {
	run_micro -n 1 only=null_call
	all_ends set '.micro.cpu >= 0 and .micro.cpu == .micro.partner_cpu and
		.micro.measured_s > 0 and .micro.operations.null_call > 1'
	[ "$(session set '.workloads[0].description | [.place, .cpu == .partner_cpu]')" = \
		'["same-cpu",true]' ]
	run_micro -n 1 only=null_call place=free -l free
	[ "$(session set '.workloads[0].description | [.place, .cpu]')" = '["free",null]' ]
	[ "$(nproc)" -gt 1 ] || return 0
	run_micro -n 1 only=pipe place=other-cpu -l other
	[ "$(session set '.workloads[0].description | .cpu != .partner_cpu')" = true ]
}

@test "a folder where nothing can be made costs the metrics of files alone" {
	run_check "$BRUNT" run micro quick=yes dir=/proc --warmup 0 -n 1 -o set \
		only=null_call+stat+fork+file_create
	all_ends set '.status == "ok" and .metrics.null_call.value > 0'
	for name in stat fork file_create.0k; do
		assert_has "/proc/brunt-micro" "$(metric $name .reason)"
	done
}

@test "a folder that is too small for the large file costs the metrics of files alone" {
	need_root
	mkdir small
	run_check unshare --mount bash -c 'mount -t tmpfs -o size=2m none small &&
		exec "$0" run micro quick=yes dir=small --warmup 0 -n 1 -o set only=null_call+mmap' "$BRUNT"
	all_ends set '.status == "ok" and .metrics.null_call.value > 0'
	assert_has "No space left" "$(metric mmap .reason)"
}

@test "a folder that programs cannot be started from costs the metrics of processes alone" {
	need_root
	mkdir quiet
	run_check unshare --mount bash -c 'mount -t tmpfs -o noexec none quiet &&
		exec "$0" run micro quick=yes dir=quiet --warmup 0 -n 1 -o set only=stat+fork+exec' "$BRUNT"
	all_ends set '.status == "ok" and .metrics.stat.value > 0'
	assert_has noexec "$(metric fork .reason)"
	assert_has noexec "$(metric exec.static .reason)"
}

@test "no network: its metrics say so; a run without any value has failed" {
	need_root
	mkdir -p files
	run_check unshare --net "$BRUNT" run micro quick=yes dir=files --warmup 0 -n 1 -o set \
		only=null_call+tcp+udp
	all_ends set '.status == "ok" and .metrics.null_call.value > 0'
	assert_has "127.0.0.1" "$(metric tcp .reason)"
	run_mustfail 4 unshare --net "$BRUNT" run micro quick=yes dir=files --warmup 0 -n 1 -o none \
		only=tcp+rpc
	all_ends none '.status == "failed" and (.reason | test("nothing could be measured: tcp: "))'
}

@test "the curve of memory latencies is kept" {
	run_micro -n 1 only=mem_lat.main memory=4M
	[ "$(jq -c '.memory_latency | [.stride_bytes, .size_bytes[0], .size_bytes[-1],
		(.size_bytes | length) == (.latency_ns | length), (.latency_ns | all(. > 0))]' \
		set/runs/1/series.json)" = '[128,1024,4194304,true,true]' ]
}

@test "configurations can differ in keys, and their files are made one after the other" {
	run_micro -n 2 -c base -c free,place=free only=null_call+file_create.0k
	[ "$(count_ends set '.status == "ok"')" = 4 ]
	[ -z "$(ls files)" ]
	run_check "$BRUNT" report set
	assert_has "Processor, Processes" "$output"
	assert_has "File & VM system latencies" "$output"
	run_check "$BRUNT" report set --format lmbench --runs
	assert_has "null null" "$output"
	[ "$(grep -c '^[^ ]* .*Linux' <<<"$output")" = 8 ]
}

@test "metrics that need no large file make none" {
	need_root
	mkdir small
	run_check unshare --mount bash -c 'mount -t tmpfs -o size=6m none small &&
		exec "$0" run micro quick=yes dir=small --warmup 0 -n 1 -o set \
			only=stat+mmap_munmap+page_fault.anon' "$BRUNT"
	all_ends set '[.metrics[].value] | all(. > 0)'
}

@test "memory= beyond what is there: 77, with what it would take" {
	run_mustfail 77 "$BRUNT" plan micro memory=1T
	assert_has "memory=1 TiB: these metrics take " "$stderr"
	run_mustfail 77 "$BRUNT" run micro memory=1T only=mem_lat -o set
	assert_has "take 2 TiB at once" "$stderr"
	[ ! -e set ]
	run_check "$BRUNT" plan micro memory=1T only=null_call
}

# Where a group with a limit of its memory can be made: cgroup v1's folder, or cgroup2's.
memory_cgroups()
{
	awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2, "memory.limit_in_bytes" }
		$3 == "cgroup2" { print $2, "memory.max" }' /proc/mounts | while read -r folder file; do
		[ "$file" != memory.max ] || grep -qw memory "$folder/cgroup.subtree_control" || continue
		[ ! -w "$folder/cgroup.procs" ] || echo "$folder $file"
	done | head -n 1
}

@test "a cgroup's limit of memory counts as what is there" {
	local folder file mib
	read -r folder file < <(memory_cgroups) || skip "no cgroup that can limit memory"
	folder+=/limited-$$
	mkdir "$folder"
	echo 100M >"$folder/$file"
	run --separate-stderr bash -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$folder" \
		"$BRUNT" plan micro memory=64M
	rmdir "$folder"
	echo "$stderr"
	[ "$status" = 77 ]
	mib=$(sed -n 's/.*and \([0-9.]*\) MiB are available.*/\1/p' <<<"$stderr")
	awk -v mib="$mib" 'BEGIN { exit !(mib > 50 && mib <= 100) }'
}

# The process that works with brunt's, once it is there.
its_partner()
{
	local measurer
	measurer=$(pgrep -P "$brunt_pid" -x brunt-micro) && pgrep -P "$measurer" -x brunt-partner
}

start_with_partner()
{
	mkdir files
	start_brunt run micro dir=files -n 1 --warmup 0 -o set only=pipe+mem_lat.main+null_call
	wait_for 30 its_partner
}

@test "a partner that hangs costs its metric alone, with the reason" {
	start_with_partner
	kill -STOP "$(its_partner)"
	end_brunt
	assert_brunt_status 0
	all_ends set '.status == "ok" and .metrics.null_call.value > 0 and .metrics["mem_lat.main"].value > 0'
	[ "$(metric pipe .reason)" = 'it hangs: not done within 10 s' ]
	assert_has "pipe is not measured: it hangs" "$(cat err)"
	[ -z "$(ls files)" ]
}

@test "a partner that is killed costs its metric alone, with the reason" {
	start_with_partner
	kill -KILL "$(its_partner)"
	end_brunt
	assert_brunt_status 0
	all_ends set '.status == "ok" and .metrics.null_call.value > 0'
	[ "$(metric pipe .reason)" = 'its partner has ended' ]
}

@test "no perf event slows the switches that are measured; migrations are known all the same" {
	need_program strace strace
	mkdir files
	run_check strace -f -qq -e trace=perf_event_open -e signal=none -o calls "$BRUNT" run micro quick=yes \
		dir=files --warmup 0 -n 1 -o set only=pipe
	[ ! -s calls ]
	grep -q nr_migrations /proc/self/sched || skip "no /proc/self/sched (CONFIG_SCHED_DEBUG)"
	all_ends set '.micro.migrations >= 0'
}

@test "Ctrl-C in mid-run: interrupted, and no process or file is left" {
	mkdir files
	start_brunt run micro dir=files -n 3 --warmup 0 -o set only=null_call+pipe+mem_lat.main+fork
	wait_for 30 has_started set 1
	wait_for 30 test -e files/brunt-micro/hello
	kill -INT "$brunt_pid"
	end_brunt
	assert_brunt_status 130
	all_ends set '.status == "failed" and .reason == "interrupted"'
	[ -z "$(ls files)" ]
	wait_for 60 no_partners
	assert_same_state 5
}

@test "kill -9: all processes die, and brunt clean removes the folder" {
	mkdir files
	start_brunt run micro dir=files -n 3 --warmup 0 -o set only=null_call+pipe+ctx_8p_0k+fork
	wait_for 30 has_started set 1
	wait_for 30 test -e files/brunt-micro/hello
	sleep .3
	kill -KILL "$brunt_pid"
	wait "$brunt_pid" || true
	brunt_pid=
	wait_for 60 no_partners
	[ -e files/brunt-micro ]
	run_check "$BRUNT" clean
	[ -z "$(ls files)" ]
	assert_same_state 5
}

@test "what a killed run left is told before anything is measured" {
	mkdir -p files/brunt-micro
	run_mustfail 1 "$BRUNT" run micro dir=files only=null_call -n 1 -o set
	assert_has "brunt clean" "$stderr"
}
