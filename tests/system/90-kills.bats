#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=long
# kill -9 and other signals at moments that nobody chose. BRUNT_SEED=N repeats the moments of a
# run. Not SIGINT as the first one: it is ignored in the background until brunt takes it.

load lib
load runs

setup()
{
	need_program jq jq
	need_storm
	begin_test
	need_blk_tracer
	undo_test
	RANDOM=${BRUNT_SEED:-$$}
	echo "BRUNT_SEED=${BRUNT_SEED:-$$}"
}

# Two sets of devices, one in the host's mount namespace, together more than there are nodes.
start_storm()
{
	local there

	there=$(find /sys/block -name 'loop*' | wc -l)
	start_brunt run storm -o set "devices=loop:$(((there + 5) / 2)):16M" fill=256k -n 1000 \
		--warmup 0 -t none -t blktrace,keep=yes -c host,tracer=blktrace,mount_ns=host
}

random_pause() # LEAST MOST, in milliseconds
{
	local ms=$(($1 + RANDOM % ($2 - $1)))

	echo "after $ms ms"
	sleep $((ms / 1000)).$(printf %03d $((ms % 1000)))
}

# What others have there, before and after each.
make_foreign()
{
	own_tracefs
	foreign_loop 16M
	mke2fs -q -F "$foreign"
	mkdir theirs
	mount "$foreign" theirs
	to_undo+=("umount $PWD/theirs")
	echo theirs >theirs/file
	instance=$tracefs/instances/somebody
	mkdir "$instance"
	to_undo+=("rmdir $instance" "echo >$instance/set_event")
	echo sched:sched_process_fork >"$instance/set_event"
	look_at_tracefs "$instance" >instance.before
	keep_state
}

assert_foreign()
{
	losetup "$foreign"
	[ "$(cat theirs/file)" = theirs ]
	look_at_tracefs "$instance" >instance.after
	diff instance.before instance.after
}

@test "SIGKILL at 30 moments of a traced storm: clean undoes it each time" {
	local enable moment
	cp "$BATS_TEST_TMPDIR/.state" first
	make_foreign
	enable=/sys/block/${foreign#/dev/}/trace/enable
	to_undo+=("echo 0 >$enable")
	for moment in {1..30}; do
		echo "kill $moment"
		start_storm
		random_pause 20 3500
		kill -KILL "$brunt_pid"
		end_brunt
		assert_brunt_status 137
		# while it is running, this would be a reason for brunt not to trace
		echo 1 >"$enable"
		run_check "$BRUNT" clean
		[ "$(cat "$enable")" = 1 ]
		echo 0 >"$enable"
		assert_same_state 5
		assert_foreign
		run_check "$BRUNT" clean
		[ -z "$output" ]
	done
	run_check "$BRUNT" run -q -o set -n 3
	run_check "$BRUNT" report set --format json
	jq -e '[.groups[] | select(.metric == "real") | .n] | length == 3 and all(.[]; . >= 3)' \
		<<<"$output"
	all_ends set '.status == "ok"'
	all_ends set '.tracer.lost == 0 and .tracer.events > 0' '.config != "none"'
	cp first "$BATS_TEST_TMPDIR/.state"
}

@test "SIGTERM at 15 moments of a traced storm: nothing is left" {
	local moment
	for moment in {1..15}; do
		echo "signal $moment"
		start_storm
		random_pause 20 3500
		kill -TERM "$brunt_pid"
		end_brunt
		assert_brunt_status 143
		assert_same_state 5
		run_check "$BRUNT" clean
		[ -z "$output" ]
		[ ! -s set/runs.jsonl ] || jq -e . set/runs.jsonl >/dev/null
	done
	[ "$(jq -r .status set/sessions/*.json | sort -u)" = interrupted ]
	all_ends set '.status == "ok" or .reason == "interrupted"'
	[ "$(grep -c '"event":"start"' set/runs.jsonl)" = "$(count_ends set)" ]
}

@test "a second signal at 10 moments: clean undoes it" {
	local moment
	for moment in {1..10}; do
		echo "signals $moment"
		start_storm
		random_pause 300 3500
		kill -TERM "$brunt_pid"
		random_pause 0 30
		kill -INT "$brunt_pid" 2>/dev/null || true
		end_brunt
		[[ $brunt_status == 130 || $brunt_status == 143 ]]
		run_check "$BRUNT" clean
		assert_same_state 5
	done
}

@test "SIGKILL at 20 moments of a run that is traced by ftrace and by commands: clean undoes it" {
	local moment
	cp "$BATS_TEST_TMPDIR/.state" first
	own_tracefs
	keep_state
	for moment in {1..20}; do
		echo "kill $moment"
		start_brunt run command -o set -n 1000 --warmup 0 -t ftrace,events=syscalls+sched,keep=yes \
			-t ftrace,name=work,events=sched,scope=work,mode=overwrite,buffer=128k \
			-t 'command,start=setsid -f sleep 7100.1; exec sleep 7100.2,delay=50ms' \
			-- dd if=/dev/zero of=/dev/null bs=1 count=20000
		random_pause 20 2500
		kill -KILL "$brunt_pid"
		end_brunt
		run_check "$BRUNT" clean
		assert_same_state 5
		[ -z "$(grep -lzxE '7100\.[12]' /proc/[0-9]*/cmdline 2>/dev/null)" ]
		run_check "$BRUNT" clean
		[ -z "$output" ]
	done
	cp first "$BATS_TEST_TMPDIR/.state"
}
