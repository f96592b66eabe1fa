#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The tracer `ftrace`: what it records and counts, that trace-cmd reads it, and that it keeps out
# of what others trace.

load lib
load runs

setup()
{
	need_program jq jq
	need_root
	begin_test
	own_tracefs
	[ -e "$tracefs/available_events" ] || skip "this kernel has no trace events"
	grep -q '^syscalls:sys_enter_write$' "$tracefs/available_events" ||
		skip "this kernel cannot trace system calls (CONFIG_FTRACE_SYSCALLS)"
}

calls=events=syscalls:sys_enter_write+sys_enter_read
work=(dd if=/dev/zero of=/dev/null bs=1 count=5000)

ftrace() # SET "KEYS" ARG...
{
	run_check "$BRUNT" run command -o "$1" -n 1 --warmup 0 -t none -t "ftrace,$2" "${@:3}"
}

traced() # SET FILTER
{
	all_ends "$1" "$2" '.config == "ftrace"'
}

# What trace-cmd makes of a kept trace: a line an event.
records() # RUN
{
	trace-cmd report "set/runs/$1/trace/trace.dat" 2>words | grep -v '^cpus='
}

traced_run()
{
	ends set '.config == "ftrace"' | jq .run
}

# A script that does something to brunt's instance, which is $instance, in the middle of a run.
in_the_run() # <LINES
{
	{
		echo '#!/bin/bash'
		echo "tracefs='$tracefs'"
		# shellcheck disable=SC2016 # the script expands it
		echo 'instance=$(echo "$tracefs"/instances/brunt-*)'
		cat
		echo "exec ${work[*]}"
	} >work
	chmod +x work
}

# The parent of the launcher is brunt, and the readers are children of that.
readers=$(
	cat <<-'END'
		brunt=$(sed -n 's/^PPid:\t//p' /proc/$PPID/status)
		readers=$(grep -lx "PPid:	$brunt" /proc/[0-9]*/status 2>/dev/null |
			xargs grep -lx "Name:	brunt-reader" | cut -d / -f 3)
	END
)

@test "a traced run has events, none lost, and says what they cost" {
	ftrace set "$calls" -- "${work[@]}"
	all_ends set '.status == "ok"'
	all_ends set '.tracer == null' '.config == "none"'
	traced set '.tracer | .events >= 10000 and .lost == 0 and .backend == "drain" and
		.bytes > 0 and .cpu_s >= 0 and .attach_s > 0 and .drain_s >= 0 and
		.event_types == 2 and .scope == "machine" and .buffer_bytes == 8388608'
	[ "$(session set '.configs | map([.name, .tracer, .backend])')" = \
		'[["none","none",null],["ftrace","ftrace","drain"]]' ]
	[ -z "$(find set/runs -name 'trace*')" ]
	run_check "$BRUNT" report set
	assert_has "ftrace/drain" "$output"
	assert_has "0 lost" "$output"
}

@test "trace-cmd reads the kept file, and counts as many events" {
	need_program trace-cmd trace-cmd
	ftrace set "$calls,keep=yes" -- "${work[@]}"
	traced set '.status == "ok" and (.marks | map(select(.name == "trace")) == [])'
	records "$(traced_run)" >lines
	[ ! -s words ]
	[ "$(wc -l <lines)" = "$(ends set '.config == "ftrace"' | jq .tracer.events)" ]
	[ "$(grep -c ' dd-[0-9]* .* sys_enter_write: .*fd: 0x0*1,.*count: 0x0*1$' lines)" = 5000 ]
}

@test "the readers of the buffer are not in it" {
	need_program trace-cmd trace-cmd
	ftrace set "events=syscalls,keep=yes" -- "${work[@]}"
	traced set '.status == "ok" and .tracer.event_types > 100'
	records "$(traced_run)" >lines
	run_mustfail 1 grep -m 1 ' brunt-reader-' lines
}

@test "scope=work records what the work does and nothing else" {
	need_program trace-cmd trace-cmd
	(while :; do echo >/dev/null; done) &
	to_undo+=("kill $!")
	ftrace set "$calls,scope=work,keep=yes" -- sh -c "(${work[*]}); true"
	traced set '.status == "ok" and .tracer.scope == "work"'
	records "$(traced_run)" >lines
	[ "$(grep -c ' dd-[0-9]* .* sys_enter_write: .*fd: 0x0*1,.*count: 0x0*1$' lines)" = 5000 ]
	[ "$(sed 's/^ *\(.*\)-[0-9]* .*/\1/' lines | sort -u | grep -vx -e dd -e sh -e brunt)" = "" ]
	# and the machine is all of it
	ftrace all "$calls,keep=yes" -- sh -c "(${work[*]}); true"
	rm -rf set && mv all set
	records "$(traced_run)" >lines
	grep -q ' bash-' lines
}

@test "mode=overwrite: the newest events stay, nobody reads, and nothing counts as lost" {
	need_program trace-cmd trace-cmd
	ftrace set "$calls,mode=overwrite,buffer=64k,keep=yes" -- "${work[@]}"
	traced set '.status == "ok" and (.tracer | .backend == "overwrite" and .lost == 0 and
		.events >= 10000 and .overwritten > 0 and .overwritten < .events)'
	records "$(traced_run)" | grep -v 'EVENTS DROPPED' >lines
	[ "$(wc -l <lines)" = \
		"$(ends set '.config == "ftrace"' | jq '.tracer | .events - .overwritten')" ]
	ftrace quiet "$calls,mode=overwrite" -- "${work[@]}"
	traced quiet '.tracer | .cpu_s == 0 and .bytes > 0 and .overwritten == 0 and .events >= 10000'
}

@test "invalid when events are lost, with their number" {
	in_the_run <<-END
		$readers
		kill -STOP \$readers
		dd if=/dev/zero of=/dev/null bs=1 count=30000
		kill -CONT \$readers
	END
	run_mustfail 4 "$BRUNT" run command -o set -n 1 --warmup 0 --max-retries 0 \
		-t "ftrace,$calls,buffer=64k" -- ./work
	traced set '.status == "invalid" and .tracer.lost > 0 and
		(.reason | test("^ftrace lost [0-9]+ events of [0-9]+; give it a larger buffer$"))'
	# of a reader that was killed nobody knows what it would have read
	in_the_run <<-END
		$readers
		kill -KILL \$readers
	END
	run_mustfail 4 "$BRUNT" run command -o killed -n 1 --warmup 0 --max-retries 0 \
		-t "ftrace,$calls" -- ./work
	traced killed '.status == "invalid" and (.reason | test("ended by signal 9"))'
}

@test "invalid when somebody meddles with the instance in the run" {
	# shellcheck disable=SC2016
	in_the_run <<<'echo 0 >"$instance/tracing_on"'
	run_mustfail 4 "$BRUNT" run command -o off -n 1 --warmup 0 --max-retries 0 \
		-t "ftrace,$calls" -- ./work
	traced off '.status == "invalid" and (.reason | test("switched off"))'
	# shellcheck disable=SC2016
	in_the_run <<<'echo sched:sched_switch >>"$instance/set_event"'
	run_mustfail 4 "$BRUNT" run command -o more -n 1 --warmup 0 --max-retries 0 \
		-t "ftrace,$calls" -- ./work
	traced more '.status == "invalid" and (.reason | test("3 events were on .* not 2"))'
}

@test "a run without an event is marked" {
	ftrace set events=sched:sched_process_hang -- true
	traced set '.status == "ok" and .tracer.events == 0 and
		(.marks | any(.name == "tracer" and .text == "no event was recorded"))'
}

@test "what others trace is no reason, and goes on" {
	local instance=$tracefs/instances/somebody
	mkdir "$instance"
	to_undo+=("rmdir $instance")
	echo sched:sched_process_exec >"$instance/set_event"
	to_undo+=("echo >$tracefs/trace" "echo >$tracefs/set_event")
	echo sched:sched_process_fork >"$tracefs/set_event"
	look_at_tracefs "$instance" >before
	look_at_tracefs "$tracefs" >before.all
	ftrace set events=sched:sched_process_exec -- sh -c '/bin/true; /bin/true'
	traced set '.status == "ok" and .tracer.events >= 3'
	look_at_tracefs "$instance" >after
	diff before after
	look_at_tracefs "$tracefs" >after.all
	diff before.all after.all
	grep -q '/true ' "$instance/trace"
}

@test "several configurations have an instance each, which are gone afterwards" {
	run_check "$BRUNT" run command -o set -n 2 --warmup 0 -t "ftrace,$calls" \
		-t "ftrace,name=sched,events=sched,buffer=1M,clock=mono" \
		-t "ftrace,name=both,$calls+sched_switch" -- sh -c "ls $tracefs/instances; ${work[*]}"
	all_ends set '.status == "ok" and .tracer.events > 0 and .tracer.lost == 0'
	[ "$(grep -c '^brunt-' set/runs/1/stdout)" = 3 ]
	[ -z "$(find "$tracefs/instances" -name 'brunt*')" ]
}

@test "a storm's block events, of its processes and of all" {
	need_storm
	run_check "$BRUNT" run storm devices=loop:2:64M fill=1M -o set -n 1 --warmup 0 -t none \
		-t ftrace,events=block -t ftrace,name=work,events=block+sched,scope=work
	all_ends set '.status == "ok"'
	all_ends set '.tracer.events > 100 and .tracer.lost == 0' '.config != "none"'
}

@test "an event that does not exist: status 2, and what may be meant" {
	run_mustfail 2 "$BRUNT" plan command -t ftrace,events=sched:sched_swich -- true
	assert_has "did you mean 'sched:sched_switch'?" "$stderr"
	run_mustfail 2 "$BRUNT" run command -o set -t ftrace,events=syscalls+bloc -- true
	assert_has "no event 'bloc'; did you mean 'block'?" "$stderr"
	run_mustfail 2 "$BRUNT" plan command -t ftrace,events=a:b:c -- true
	assert_has "'a:b:c' is no SYSTEM, SYSTEM:EVENT or EVENT" "$stderr"
	run_mustfail 2 "$BRUNT" plan command -t ftrace -- true
	assert_has "events= is missing" "$stderr"
	[ ! -e set ]
}

@test "plan says what would be recorded, where to and of whom" {
	run_check "$BRUNT" plan command -t none -t "ftrace,$calls" -- true
	assert_has "2 kinds of event by ftrace, buffers of 8 MiB on " "$output"
	assert_has "drained to the set during the run; of all that runs on the machine" "$output"
	run_check "$BRUNT" plan command -t "ftrace,$calls,mode=overwrite,scope=work" -- true
	assert_has "not read during the run; of the work's processes" "$output"
}

@test "events as a list in a file" {
	cat >file.yaml <<-END
		workloads:
		  - {workload: command, argv: ["true"]}
		configs:
		  - {name: none}
		  - {name: traced, tracer: ftrace, tracer.events: [block, "sched:sched_switch"]}
	END
	run_check "$BRUNT" plan -f file.yaml
	assert_has " kinds of event by ftrace" "$output"
	run_check "$BRUNT" plan -f file.yaml --json
	assert_has '"block+sched:sched_switch"' "$output"
}

@test "buffers larger than a tenth of the memory: 77, and what would fit" {
	run_mustfail 77 "$BRUNT" run command -o set -t "ftrace,$calls,buffer=1T" -- true
	assert_has "trace buffers of 1 TiB on " "$stderr"
	assert_has "give buffer=" "$stderr"
	[ ! -e set ]
}

@test "output= elsewhere, and one that is no folder" {
	need_program trace-cmd trace-cmd
	ftrace set "$calls,output=/dev/shm,keep=yes" -- "${work[@]}"
	traced set '.status == "ok"'
	[ "$(records "$(traced_run)" | wc -l)" = "$(ends set '.config == "ftrace"' | jq .tracer.events)" ]
	run_mustfail 2 "$BRUNT" run command -o other -t "ftrace,$calls,output=/no/such" -- true
	assert_has "output=/no/such" "$stderr"
}

@test "without root: 77" {
	as_nobody
	run_mustfail 77 "${as_nobody[@]}" ./brunt run command -o set -t ftrace,events=sched -- true
	assert_has "tracer ftrace cannot run here: it needs root" "$stderr"
}

has_events()
{
	[ "$(cat "$tracefs"/instances/brunt-*/tracing_on 2>/dev/null)" = 1 ]
}

@test "SIGKILL in a run: clean removes the instance" {
	start_brunt run command -o set -n 1 --warmup 0 -t ftrace,events=syscalls -- sleep 60
	wait_for 60 has_events
	kill -KILL "$brunt_pid"
	end_brunt
	[ -n "$(find "$tracefs/instances" -name 'brunt-*')" ]
	run_check "$BRUNT" clean --dry-run
	assert_has "would be removed" "$output"
	run_check "$BRUNT" clean
	assert_has "tracing instance brunt-" "$output"
	[ -z "$(find "$tracefs/instances" -name 'brunt-*')" ]
	run_check "$BRUNT" clean
	[ -z "$output" ]
}

@test "an interrupt in a run: the instance is gone" {
	start_brunt run command -o set -n 1 --warmup 0 -t ftrace,events=syscalls -- sleep 60
	wait_for 60 has_events
	kill -TERM "$brunt_pid"
	end_brunt
	assert_brunt_status 143
	[ -z "$(find "$tracefs/instances" -name 'brunt-*')" ]
	run_check "$BRUNT" clean
	[ -z "$output" ]
}
