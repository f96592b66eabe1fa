#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The tracer `command`: any tracer by its commands, and what comes of those that do not do what
# they are there for.

load lib
load runs

work=(sleep .05)

traced() # KEYS
{
	run_check "$BRUNT" run command -o set -n 1 --warmup 0 -t none -t "command,$1" -- "${work[@]}"
	all_ends set '.status == "ok"'
}

# A run that does not count, and why; the tracer's processes are gone whatever they do.
spoiled() # STATUS REASON KEYS
{
	rm -rf set
	run_mustfail 4 "$BRUNT" run -q command -o set -n 1 --warmup 0 --max-retries 0 \
		-t "command,$3" -- "${work[@]}"
	all_ends set ".status == \"$1\" and (.reason | test(\"$2\"))"
	no_sleepers
}

# Hostile ones sleep for a number of seconds that nobody else does: 7000 + of this test.
no_sleepers()
{
	local left

	left=$(grep -lzxE '70[0-9][0-9]\.[0-9]+' /proc/[0-9]*/cmdline 2>/dev/null | cut -d / -f 3)
	# a zombie has no words
	[ -z "$left" ] || {
		echo "left: $left"
		return 1
	}
}

@test "a tracer that stays gets SIGINT, and what it cost and lost is on record" {
	traced 'start=echo up; touch up; exec sleep 7001.1,ready=test -e up,lost=echo " 0 "'
	all_ends set '.tracer | .lost == 0 and .cpu_s > 0 and .attach_s > 0 and .drain_s >= 0 and
		.events == null and .bytes == null' '.config == "command"'
	all_ends set '.tracer == null' '.config == "none"'
	[ "$(cat "set/runs/$(ends set '.config == "command"' | jq .run)/tracer.log")" = up ]
	no_sleepers
	run_check "$BRUNT" report set
	assert_has "command/command" "$output"
	assert_has "0 lost" "$output"
	# without ready= it is given a delay
	rm -rf set
	traced 'start=exec sleep 7001.2,delay=100ms'
	all_ends set '.tracer.attach_s >= 0.1' '.config == "command"'
}

@test "it is attached before the work and stopped behind it" {
	# shellcheck disable=SC2016
	run_check "$BRUNT" run command -o set -n 1 --warmup 0 \
		-t 'command,start=echo start >>trail,ready=grep -q start trail && echo ready >>trail,stop=echo stop >>trail,lost=echo lost >>trail; echo 0' \
		-- sh -c 'echo work >>trail'
	all_ends set '.status == "ok" and .tracer.lost == 0'
	[ "$(tr '\n' ' ' <trail)" = "start ready work stop lost " ]
}

@test "ready= is asked until it says yes" {
	traced 'start=sleep .2; touch up; exec sleep 7002.1,ready=echo asked; test -e up'
	[ "$(grep -c asked "set/runs/$(ends set '.config == "command"' | jq .run)/tracer.log")" -gt 1 ]
}

@test "its lines know the run's folder, the devices and the process that start= made" {
	# shellcheck disable=SC2016
	traced 'start=echo "$BRUNT_RUN_DIR;$BRUNT_RUN;$BRUNT_SESSION;$BRUNT_PGID;$BRUNT_TRACER_PID" >known; exec sleep 7003.1,ready=test -s known,stop=kill -0 $BRUNT_PGID; kill -TERM $BRUNT_TRACER_PID'
	local run
	run=$(ends set '.config == "command"' | jq .run)
	[[ $(cat known) == "$PWD/set/runs/$run;$run;$(session set .id);"[1-9]*";" ]]
}

@test "BRUNT_DEVICES names the devices of a storm" {
	need_storm
	# shellcheck disable=SC2016
	run_check "$BRUNT" run storm devices=loop:2:16M fill=0 -o set -n 1 --warmup 0 \
		-t 'command,start=echo $BRUNT_DEVICES >known,stop=true'
	all_ends set '.status == "ok"'
	[[ $(cat known) =~ ^/dev/loop[0-9]+\ /dev/loop[0-9]+$ ]]
}

@test "a tracer that forks away is kept and ended all the same" {
	traced 'start=setsid -f sleep 7004.1,stop=kill $(grep -lzx 7004[.]1 /proc/[0-9]*/cmdline 2>/dev/null | cut -d / -f 3)'
	no_sleepers
}

@test "invalid when it lost events" {
	spoiled invalid "^the tracer lost 17 events$" 'start=true,stop=true,lost=echo 17'
	all_ends set '.tracer.lost == 17'
}

@test "a number of lost events that is none: invalid, and never 0" {
	local answer
	for answer in "echo 5 events" "echo none" "true" "echo -1" "echo 1; echo 2" \
		"echo 99999999999999999999999999"; do
		spoiled invalid "lost= printed" "start=true,stop=true,lost=$answer"
		all_ends set '.tracer.lost == null'
	done
	spoiled invalid "^lost=: exit status 4: cannot tell$" \
		'start=true,stop=true,lost=echo cannot tell >&2; exit 4'
	spoiled invalid "^lost=: not within 0.2 s$" \
		'start=true,stop=true,lost=sleep 7005.1,stop_timeout=200ms'
}

@test "without lost= nobody knows what was lost" {
	traced 'start=true,stop=true'
	all_ends set '.tracer | has("lost") and .lost == null' '.config == "command"'
}

@test "a start that fails, with its last word" {
	spoiled failed "start=: exit status 3: no such tracer$" \
		'start=echo trying; echo no such tracer >&2; exit 3'
	spoiled failed "start=: exit status 127: " 'start=/no/such/tracer'
	spoiled failed "start=: exit status 3" \
		'start=exit 3,ready=while kill -0 $BRUNT_TRACER_PID 2>/dev/null; do sleep .01; done'
	# also where ready= waits for it
	spoiled failed "start=: exit status 3" 'start=exit 3,ready=sleep 7012.1,timeout=20s'
	spoiled failed "start=: signal 9" 'start=kill -9 $$'
}

@test "a start that leaves nothing to stop" {
	spoiled failed "left no process that could be asked to end: give stop=" 'start=true'
}

@test "a tracer that is never ready" {
	spoiled failed "ready=: not within 2 s: not yet$" \
		'start=exec sleep 7006.1,ready=echo not yet; false,timeout=2s'
	spoiled failed "ready=: not within 0.3 s" \
		'start=exec sleep 7006.2,ready=sleep 7006.3,timeout=300ms'
}

@test "a tracer that ends in the middle of the work" {
	work=(sleep 3)
	spoiled invalid "^the tracer ended during the run, exit status 6: enough$" \
		'start=sleep 1; echo enough; exit 6,delay=50ms'
}

@test "a start that returns with 0 in the middle of the work" {
	work=(sleep 3)
	# nothing is left that could trace
	spoiled invalid "^the tracer ended during the run, exit status 0$" 'start=sleep 1,ready=true'
	# what it does may last: stop= ends it
	rm -rf set
	traced 'start=sleep 1,ready=true,stop=true'
	all_ends set '.marks | any(.name == "tracer" and (.text | test("start= returned during the run")))' \
		'.config == "command"'
	# or a process that it left
	rm -rf set
	traced 'start=setsid -f sleep 7011.1; sleep 1,ready=true'
	no_sleepers
}

@test "a tracer that does not end is killed, with all that it started" {
	# shellcheck disable=SC2016
	local deaf='trap "" INT; sleep 7007.1 & setsid sleep 7007.2 & touch $BRUNT_RUN_DIR/deaf; while :; do sleep 7007.3; done'
	# shellcheck disable=SC2016
	deaf+=',ready=test -e $BRUNT_RUN_DIR/deaf'
	spoiled invalid "did not end within 0.3 s of SIGINT .*: killed" "start=$deaf,stop_timeout=300ms"
	spoiled invalid "did not end within 2 s of stop=: killed" "start=$deaf,stop=true,stop_timeout=2s"
	# stop itself
	spoiled invalid "stop=: not within 0.3 s" \
		'start=exec sleep 7007.4,delay=100ms,stop=sleep 7007.5,stop_timeout=300ms'
	spoiled invalid "stop=: exit status 5: cannot$" \
		'start=exec sleep 7007.6,delay=100ms,stop=kill $BRUNT_TRACER_PID; echo cannot; exit 5'
}

@test "a tracer that kills the process that keeps it" {
	spoiled failed "start=: its keeper was killed" 'start=kill -9 $PPID; sleep 7008.1,delay=5s'
	work=(sleep 3)
	spoiled invalid "^the process that keeps the tracer was killed$" \
		'start=sleep 1; kill -9 $PPID; sleep 7008.2,delay=50ms'
}

@test "lines that sh would refuse: status 2, before anything is run" {
	run_mustfail 2 "$BRUNT" run command -o set -t 'command,start=echo "open' -- true
	assert_has "start=echo \"open: " "$stderr"
	run_mustfail 2 "$BRUNT" plan command -t 'command,start=true,stop=if true' -- true
	assert_has "stop=if true: " "$stderr"
	run_mustfail 2 "$BRUNT" plan command -t 'command,start= ' -- true
	assert_has "start= is empty" "$stderr"
	run_mustfail 2 "$BRUNT" plan command -t command -- true
	assert_has "start= is missing" "$stderr"
	run_mustfail 2 "$BRUNT" plan command -t command,start=true,timeout=x -- true
	[ ! -e set ]
}

@test "plan tells how it is stopped" {
	run_check "$BRUNT" plan command -t none -t 'command,start=perf record -a' -- true
	assert_has "tracer started by: perf record -a; stopped by SIGINT; losses not known (no lost=)" "$output"
	run_check "$BRUNT" plan command -t 'command,start=a,stop=b c,lost=echo 0' -- true
	assert_has "tracer started by: a; stopped by: b c; losses asked for" "$output"
}

is_up()
{
	[ -s up ]
}

hostile='start=trap "" INT; setsid sleep 7009.1 & sleep 7009.2 & echo $$ >up; sleep 7009.3; sleep 7009.4'

@test "SIGKILL in a run: clean ends the tracer's processes" {
	start_brunt run command -o set -n 1 --warmup 0 -t "command,$hostile,delay=50ms" -- sleep 60
	wait_for 60 is_up
	wait_for 60 has_started set 1
	kill -KILL "$brunt_pid"
	end_brunt
	run_check "$BRUNT" clean
	no_sleepers
	run_check "$BRUNT" clean
	[ -z "$output" ]
}

@test "an interrupt, also while it is not ready yet: all ends, and stop= was run" {
	start_brunt run command -o set -n 1 --warmup 0 \
		-t "command,$hostile,ready=false,stop=touch stopped,stop_timeout=2s" -- sleep 60
	wait_for 60 is_up
	kill -TERM "$brunt_pid"
	end_brunt
	assert_brunt_status 143
	no_sleepers
	[ -e stopped ]
	run_check "$BRUNT" clean
	[ -z "$output" ]
}

@test "without root, too" {
	need_root
	as_nobody
	mkdir there
	chown nobody there
	cd there
	run_check "${as_nobody[@]}" ../brunt run command -o set -n 1 --warmup 0 \
		-t 'command,start=exec sleep 7010.1,delay=50ms,lost=echo 0' -- true
	all_ends set '.status == "ok" and .tracer.lost == 0'
	run_mustfail 4 "${as_nobody[@]}" ../brunt run command -o bad -n 1 --warmup 0 --max-retries 0 \
		-t 'command,start=trap "" INT; setsid -f sleep 7010.2; touch deaf; sleep 7010.3; sleep 7010.4,ready=test -e deaf,stop_timeout=200ms' -- true
	no_sleepers
}
