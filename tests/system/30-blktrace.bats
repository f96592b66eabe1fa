#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The tracer `blktrace`: what it records, that blkparse reads it, and that it keeps out of what
# others trace.

load lib
load runs

setup()
{
	need_program jq jq
	need_program mke2fs e2fsprogs
	begin_test
	need_blk_tracer
}

small=(storm -o set devices=loop:2:64M fill=1M -n 1 --warmup 0)

# A value of tracefs for the time of the test.
set_tracefs() # NAME VALUE
{
	local old

	old=$(sed 's/.*\[\(.*\)\].*/\1/' "$tracefs/$1")
	to_undo+=("echo '$old' >$tracefs/$1")
	echo "$2" >"$tracefs/$1"
}

@test "a traced run has events, none lost, and says what they cost" {
	run_check "$BRUNT" run "${small[@]}" -t none -t blktrace
	all_ends set '.status == "ok"'
	all_ends set '.tracer == null' '.config == "none"'
	all_ends set '.tracer | .events > 100 and .lost == 0 and .backend == "tracefs" and
		.bytes > 0 and .cpu_s >= 0 and .attach_s > 0 and .drain_s >= 0' '.config == "blktrace"'
	[ "$(session set '.configs | map([.name, .tracer, .backend])')" = \
		'[["none","none",null],["blktrace","blktrace","tracefs"]]' ]
	[ -z "$(find set/runs -name 'trace*')" ]
	run_check "$BRUNT" report set
	assert_has "blktrace/tracefs" "$output"
	assert_has "0 lost" "$output"
}

@test "blkparse reads the kept files, and counts as many events" {
	need_program blkparse blktrace
	run_check "$BRUNT" run "${small[@]}" -t none -t blktrace,keep=yes
	local run events
	run=$(ends set '.config == "blktrace"' | jq .run)
	events=$(ends set '.config == "blktrace"' | jq .tracer.events)
	[ "$(parsed_records "$run")" = "$events" ]
	[ "$(ends set '.config == "blktrace"' | jq -r '.devices[].name' | sort -u)" = \
		"$(find "set/runs/$run/trace" -name '*.blktrace.*' -printf '%f\n' | cut -d . -f 1 | sort -u)" ]
	# the work can be seen in it, by name
	blkparse -q -i "$(ends set '.config == "blktrace"' | jq -r '.devices[0].name')" \
		-D "set/runs/$run/trace" | grep -q ' Q .*\[mke2fs\]$'
}

@test "act_mask=issue+complete records nothing else" {
	need_program blkparse blktrace
	run_check "$BRUNT" run "${small[@]}" -t blktrace,keep=yes,act_mask=issue+complete
	all_ends set '.status == "ok" and .tracer.events > 0 and .tracer.lost == 0'
	[ "$(parsed_records 1)" = "$(ends set | jq .tracer.events)" ]
	for device in $(ends set | jq -r '.devices[].name'); do
		blkparse -q -i "$device" -D set/runs/1/trace -f '%a\n' | grep -v -e '^$' -e '^Input file'
	done | sort -u >actions
	[ "$(cat actions)" = $'C\nD' ]
}

@test "an act_mask that does not exist: status 2" {
	run_mustfail 2 "$BRUNT" run "${small[@]}" -t blktrace,act_mask=issue+nonsense
	assert_has nonsense "$stderr"
	[ ! -e set ]
}

@test "trace buffers larger than a tenth of the memory: 77, and what would fit" {
	run_mustfail 77 "$BRUNT" run "${small[@]}" -t blktrace,buffer=1T
	assert_has "buffer=" "$stderr"
	[ ! -e set ]
}

@test "blktrace has nothing to do with a command" {
	run_mustfail 2 "$BRUNT" run command -o set -t blktrace -- true
	[ ! -e set ]
}

@test "what somebody set in tracefs is restored" {
	set_tracefs tracing_on 0
	set_tracefs trace_clock global
	set_tracefs buffer_size_kb 2048
	look_at_tracefs "$tracefs" >before
	run_check "$BRUNT" run "${small[@]}" -t none -t blktrace -t blktrace,name=large,buffer=16M
	all_ends set '.status == "ok"'
	all_ends set '.tracer.events > 0' '.config != "none"'
	look_at_tracefs "$tracefs" >after
	diff before after
}

refused() # TEXT
{
	look_at_tracefs "$tracefs" >before
	run_mustfail 1 "$BRUNT" run "${small[@]}" -t none -t blktrace
	assert_has "$1" "$stderr"
	look_at_tracefs "$tracefs" >after
	diff before after
	[ ! -s set/runs.jsonl ]
}

@test "refused while somebody else has current_tracer" {
	set_tracefs current_tracer blk
	refused "current_tracer is blk"
}

@test "refused while somebody else has an event on" {
	to_undo+=("echo >$tracefs/trace")
	to_undo+=("echo >$tracefs/set_event")
	# one that hardly ever comes
	echo module:module_free >"$tracefs/set_event" 2>/dev/null ||
		echo sched:sched_process_hang >"$tracefs/set_event" 2>/dev/null ||
		echo sched:sched_switch >"$tracefs/set_event"
	refused "somebody else is tracing: the event"
}

@test "refused while the buffer holds what somebody may want" {
	set_tracefs tracing_on 1
	to_undo+=("echo >$tracefs/trace")
	echo "a word of somebody else" >"$tracefs/trace_marker" || skip "no trace_marker"
	refused "the trace buffer holds"
	grep -q "a word of somebody else" "$tracefs/trace"
}

@test "refused while another device is traced, whose trace survives" {
	foreign_loop 16M
	local enable=/sys/block/${foreign#/dev/}/trace/enable
	echo 1 >"$enable"
	to_undo+=("echo 0 >$enable")
	refused "${foreign#/dev/} is traced already"
	[ "$(cat "$enable")" = 1 ]
	run_check "$BRUNT" clean
	[ "$(cat "$enable")" = 1 ]
}

@test "without a tracer a traced device of somebody else is no reason" {
	foreign_loop 16M
	local enable=/sys/block/${foreign#/dev/}/trace/enable
	echo 1 >"$enable"
	to_undo+=("echo 0 >$enable")
	run_check "$BRUNT" run "${small[@]}" -t none
	[ "$(cat "$enable")" = 1 ]
}

@test "an instance of somebody else is no reason, and survives" {
	local instance=$tracefs/instances/somebody
	mkdir "$instance"
	to_undo+=("rmdir $instance")
	to_undo+=("echo >$instance/set_event")
	echo sched:sched_process_exec >"$instance/set_event"
	echo 64 >"$instance/buffer_size_kb"
	look_at_tracefs "$instance" >before
	run_check "$BRUNT" run "${small[@]}" -t none -t blktrace
	all_ends set '.tracer.events > 0' '.config == "blktrace"'
	run_check "$BRUNT" clean
	look_at_tracefs "$instance" >after
	diff before after
	# it went on recording
	grep -q mke2fs "$instance/trace"
}

# Something happens while a run goes on: once, before the first mke2fs of it.
in_the_run() # COMMAND
{
	wrap mke2fs <<-END
		if [[ \$last == /dev/loop* ]] && mkdir "\$here/once" 2>/dev/null; then
			$1
		fi
		exec "\$real" "\$@"
	END
}

@test "invalid, and in no mean, when somebody switches tracing off in the run" {
	in_the_run "echo 0 >$tracefs/tracing_on"
	with_bin run_mustfail 4 "$BRUNT" run "${small[@]}" --max-retries 0 -t blktrace
	all_ends set '.status == "invalid" and (.reason | test("switched off"))'
	run_mustfail 4 "$BRUNT" report set --format json
	jq -e '.groups == [] and .counts[0].invalid == 1' <<<"$output"
}

@test "a round with an invalid run is repeated" {
	in_the_run "echo 0 >$tracefs/tracing_on"
	with_bin run_check "$BRUNT" run "${small[@]}" --max-retries 1 -t blktrace
	[ "$(ends set | jq -r '[.round, .status] | join(" ")')" = $'1 invalid\n2 ok' ]
	run_check "$BRUNT" report set --format json
	jq -e '.groups != [] and all(.groups[]; .n == 1)' <<<"$output"
}

@test "invalid when somebody switches an event on in the run, which is left to them" {
	to_undo+=("echo >$tracefs/trace")
	to_undo+=("echo >$tracefs/set_event")
	in_the_run "echo sched:sched_process_exec >$tracefs/set_event"
	with_bin run_mustfail 4 "$BRUNT" run "${small[@]}" --max-retries 0 -t blktrace
	all_ends set '.status == "invalid" and (.reason | test("sched_process_exec"))'
	grep -q sched_process_exec "$tracefs/set_event"
}

@test "invalid when somebody ends the trace of a device in the run" {
	in_the_run 'echo 0 >/sys/block/${last#/dev/}/trace/enable'
	with_bin run_mustfail 4 "$BRUNT" run "${small[@]}" --max-retries 0 -t blktrace
	all_ends set '.status == "invalid" and (.reason | test("the trace of loop[0-9]+ was ended"))'
}

# The kernel refuses it while the buffer is read.
@test "nobody can take the tracer away in the run" {
	in_the_run "echo nop 2>/dev/null >$tracefs/current_tracer"
	with_bin run_check "$BRUNT" run "${small[@]}" --max-retries 0 -t blktrace
	all_ends set '.status == "ok" and .tracer.events > 100'
	[ -d once ]
}

# ---- backends; blktrace(8) itself runs in the virtual machines (tests/vm/cases/1*) ----

need_lockdown()
{
	run --separate-stderr "$BRUNT" plan "${small[@]}" -t blktrace,backend=program
	# shellcheck disable=SC2154 # of bats
	[ "$status" = 77 ] || skip "blktrace(8) can run here: this is for kernels where it cannot"
}

@test "auto falls back to tracefs where blktrace(8) cannot run, and says why" {
	need_lockdown
	run_check "$BRUNT" run "${small[@]}" -t none -t blktrace
	all_ends set '.tracer.backend == "tracefs"' '.config == "blktrace"'
	# shellcheck disable=SC2154
	assert_has "blktrace: traced by tracefs, since blktrace(8) cannot run here: " "$stderr"
	session set '.configs[1].backend_reason' | grep -q "^blktrace(8) cannot run here: "
	run_check "$BRUNT" plan "${small[@]}" -t blktrace
	assert_has "blktrace by tracefs, buffers of 8 MiB on " "$output"
	assert_has "blktrace(8) cannot run here: " "$output"
	run_check "$BRUNT" run -q "${small[@]/set/quiet}" -t blktrace
	assert_has_not "traced by" "$stderr"
}

@test "backend=tracefs as asked needs no reason" {
	run_check "$BRUNT" run "${small[@]}" -t blktrace,backend=tracefs
	all_ends set '.tracer.backend == "tracefs"'
	assert_has_not "traced by" "$stderr"
	[ "$(session set '.configs[0].backend_reason')" = null ]
}

@test "backend=program where it cannot run: 77, the reason and what can" {
	need_lockdown
	run_mustfail 77 "$BRUNT" run "${small[@]}" -t blktrace,backend=program
	assert_has "backend=program cannot run here: " "$stderr"
	[[ $stderr == *"is missing (package blktrace)"* || $stderr == *"locked down"* ]]
	assert_has "backend=tracefs can" "$stderr"
	[ ! -e set ]
}

@test "a backend that does not exist: status 2" {
	run_mustfail 2 "$BRUNT" run "${small[@]}" -t blktrace,backend=relay
	assert_has "auto" "$stderr"
	[ ! -e set ]
}

@test "runs by another backend do not join a configuration" {
	run_check "$BRUNT" run "${small[@]}" -t blktrace,backend=tracefs
	local file
	file=$(newest_session set)
	sed -i 's/"backend":"tracefs"/"backend":"program"/; s/"backend": "tracefs"/"backend": "program"/' "$file"
	jq -e '.configs[0].backend == "program"' "$file"
	run_mustfail 2 "$BRUNT" run -o set
	assert_has "was traced by backend program in set, and would be by tracefs now" "$stderr"
	[ "$(count_ends set)" = 1 ]
}

# A folder on a disk that brunt can see, for the rest of the test.
on_a_disk()
{
	local source
	source=$(df --output=source . | tail -n 1)
	[ -b "$source" ] || skip "this folder is on no disk ($source)"
	mkdir -p disk
}

@test "a capture on the disk of the backing files: status 2, and output= is a way out" {
	on_a_disk
	local args=(storm -o set "devices=loop:2:64M:$PWD/disk" fill=1M -n 1 --warmup 0)
	run_mustfail 2 "$BRUNT" run "${args[@]}" -t none -t blktrace,backend=tracefs
	assert_has "on the same disk" "$stderr"
	assert_has "output=/dev/shm" "$stderr"
	[ ! -s set/runs.jsonl ]
	run_check "$BRUNT" run "${args[@]}" -t none -t blktrace,backend=tracefs,keep=yes,output=/dev/shm
	all_ends set '.status == "ok"'
	[ "$(parsed_records "$(ends set '.config == "blktrace"' | jq .run)")" = \
		"$(ends set '.config == "blktrace"' | jq .tracer.events)" ]
	# untraced it is nobody's business
	run_check "$BRUNT" run "${args[@]/set/plain}" -t none
}

@test "output= that is no folder: status 2" {
	run_mustfail 2 "$BRUNT" run "${small[@]}" -t blktrace,output=/no/such/folder
	assert_has "output=/no/such/folder" "$stderr"
	touch file
	run_mustfail 2 "$BRUNT" run "${small[@]}" -t blktrace,output=file
	assert_has "is no folder" "$stderr"
	[ ! -e set ]
}

@test "plan tells how large traces get, once a run of the set has shown it" {
	run_check "$BRUNT" plan "${small[@]}" -t none -t blktrace,keep=yes
	assert_has "blktrace: how large its traces get is not known before a run" "$output"
	assert_has_not "none: how large" "$output"
	run_check "$BRUNT" run "${small[@]}" -t none -t blktrace,keep=yes
	local events
	events=$(ends set '.config == "blktrace"' | jq .tracer.events)
	run_check "$BRUNT" plan "${small[@]}" -t none -t blktrace,keep=yes
	assert_has "blktrace: traces of about " "$output"
	assert_has "($events events of 48 bytes in run " "$output"
	assert_has " in 1 run" "$output"
}
