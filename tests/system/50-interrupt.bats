#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Ctrl-C and other signals at each phase of a session, and kill -9: what is kept, and that nothing
# is left.

load lib
load runs

# The Nth call of a program whose last argument matches hangs, before or after it has done its
# work, until there is a file `go`.
hang_in() # before|after NAME PATTERN N
{
	wrap "$2" <<-END
		hang()
		{
			[[ \$last == $3 ]] || return 0
			# of several at once each makes another file
			i=1
			until (set -C; : >"\$here/$2-\$i") 2>/dev/null; do
				i=\$((i + 1))
			done
			[ \$i = $4 ] || return 0
			: >"\$here/hangs"
			until [ -e "\$here/go" ] || [ ! -e "\$here/hangs" ]; do
				sleep .02
			done
		}
		[ $1 = after ] || hang
		"\$real" "\$@" || exit
		[ $1 = before ] || hang
		exit 0
	END
}

# Starts brunt, waits until the program hangs, sends the signal.
signalled() # SIGNAL STATUS ARG...
{
	local signal=$1 status=$2
	shift 2
	with_bin start_brunt "$@"
	wait_for 60 [ -e hangs ]
	kill -"$signal" "$brunt_pid"
	end_brunt
	assert_brunt_status "$status"
}

# The set after a session that was stopped: readable, marked so, and the run that was stopped is
# in no mean.
assert_interrupted()
{
	jq -e . set/runs.jsonl >jq.out
	[ "$(session set .status)" = interrupted ]
	[ "$(session set 'has("ended")')" = true ]
	[ "$(grep -c '"event":"start"' set/runs.jsonl)" = "$(count_ends set)" ]
	all_ends set '.status == "ok" or (.status == "failed" and .reason == "interrupted")'
	[ "$(count_ends set '.status == "failed"')" -le 1 ]
	"$BRUNT" report set --format json >report.json || [ $? = 4 ]
	jq -e --argjson n "$(count_ends set '.status == "ok" and .role == "measured"')" \
		'([.groups[] | select(.metric == "real") | .n] | add // 0) <= $n' report.json
	assert_has "brunt resume set goes on" "$(cat err)"
	run_check "$BRUNT" clean
	[ -z "$output" ]
}

assert_resumes() # ROUNDS CONFIGS
{
	>go
	run_check "$BRUNT" resume set
	run_check "$BRUNT" report set --format json
	jq -e --argjson n "$1" --argjson configs "$2" '[.groups[] | select(.metric == "real") | .n] |
		length == $configs and all(.[]; . == $n)' <<<"$output"
}

program_that_hangs_in() # N
{
	cat >program <<-END
		#!/bin/sh
		echo x >>log
		[ \$(wc -l <log) -eq $1 ] || exit 0
		echo \$\$ >pid
		>hangs
		until [ -e go ] || [ ! -e hangs ]; do sleep .02; done
	END
	chmod +x program
}

@test "SIGINT in the warm-up of a command" {
	program_that_hangs_in 1
	signalled INT 130 run command -o set -n 2 -- ./program
	assert_interrupted
	is_gone "$(cat pid)"
	[ "$(ends set | jq -r .role)" = warmup ]
	assert_resumes 2 1
}

@test "SIGINT in the timed part of a command" {
	program_that_hangs_in 4
	signalled INT 130 run command -o set -n 2 -c a -c b -- ./program
	assert_interrupted
	is_gone "$(cat pid)"
	assert_resumes 2 2
}

@test "SIGTERM: 143, SIGHUP: 129" {
	program_that_hangs_in 2
	signalled TERM 143 run command -o set -n 2 --warmup 0 -- ./program
	assert_interrupted
	rm -r set log hangs
	signalled HUP 129 run command -o set -n 2 --warmup 0 -- ./program
	assert_interrupted
}

@test "nohup: SIGHUP is ignored where it was ignored before" {
	program_that_hangs_in 1
	trap '' HUP
	start_brunt run command -o set -n 1 --warmup 0 -- ./program
	trap - HUP
	wait_for 30 [ -e hangs ]
	kill -HUP "$brunt_pid"
	>go
	end_brunt
	assert_brunt_status 0
	[ "$(session set .status)" = complete ]
}

@test "a program has the chance to clean up" {
	cat >program <<-'END'
		#!/bin/bash
		trap '>cleaned; exit 1' TERM
		>hangs
		until [ -e go ]; do sleep .02; done
	END
	chmod +x program
	signalled INT 130 run command -o set -n 1 -- ./program
	assert_interrupted
	[ -e cleaned ]
}

@test "a program that ignores SIGTERM is killed" {
	cat >program <<-'END'
		#!/bin/sh
		trap : TERM INT HUP
		echo $$ >pid
		>hangs
		until [ -e go ]; do sleep .02; done
	END
	chmod +x program
	signalled INT 130 run command -o set -n 1 -- ./program
	assert_interrupted
	is_gone "$(cat pid)"
}

@test "SIGINT between runs, or wherever it comes" {
	local n
	for n in 2 5 11; do
		start_brunt run command -o set -n 1000 --warmup 0 -c a -c b -- true
		wait_for 30 has_ended set $n
		kill -INT "$brunt_pid"
		end_brunt
		assert_brunt_status 130
		assert_interrupted
		[ "$(count_ends set)" -ge $n ]
		rm -r set
	done
}

@test "a sysctl is restored after SIGINT" {
	need_root
	local before
	before=$(cat /proc/sys/vm/swappiness)
	program_that_hangs_in 1
	start_brunt run command -o set -n 1 --warmup 0 \
		-c "a,sysctl.vm.swappiness=$((before == 37 ? 38 : 37))" -- ./program
	wait_for 30 [ -e hangs ]
	[ "$(cat /proc/sys/vm/swappiness)" != "$before" ]
	kill -INT "$brunt_pid"
	end_brunt
	assert_brunt_status 130
	[ "$(cat /proc/sys/vm/swappiness)" = "$before" ]
}

@test "a sysctl is restored by clean after SIGKILL, unless somebody else set it meanwhile" {
	need_root
	local before other
	before=$(cat /proc/sys/vm/swappiness)
	other=$((before == 37 ? 38 : 37))
	to_undo+=("echo $before >/proc/sys/vm/swappiness")
	program_that_hangs_in 1
	signalled KILL 137 run command -o set -n 1 --warmup 0 \
		-c "a,sysctl.vm.swappiness=$other" -- ./program
	[ "$(cat /proc/sys/vm/swappiness)" = "$other" ]
	run_check "$BRUNT" clean --dry-run
	[ "$(cat /proc/sys/vm/swappiness)" = "$other" ]
	run_check "$BRUNT" clean
	[ "$(cat /proc/sys/vm/swappiness)" = "$before" ]
	rm hangs log
	signalled KILL 137 run command -o set2 -n 1 --warmup 0 \
		-c "a,sysctl.vm.swappiness=$other" -- ./program
	echo 12 >/proc/sys/vm/swappiness
	run_check "$BRUNT" clean
	[ "$(cat /proc/sys/vm/swappiness)" = 12 ]
}

small=(storm -o set devices=loop:2:64M fill=1M)

@test "SIGINT while plan, or run before it, asks mke2fs: its end is not waited for" {
	need_storm
	hang_in before mke2fs '/proc/*' 1
	signalled INT 130 plan "${small[@]}"
	rm hangs mke2fs-1
	signalled INT 130 run "${small[@]}" -n 2
	[ ! -e set ]
}

@test "SIGINT while a storm is set up" {
	need_storm
	# its version is asked when the devices are there
	hang_in before mke2fs '-V' 1
	signalled INT 130 run "${small[@]}" -n 2
	[ "$(count_ends set)" = 0 ]
	[ "$(session set .status)" = interrupted ]
	assert_resumes 2 1
}

@test "SIGINT in the warm-up of a storm" {
	need_storm
	hang_in before mke2fs '/dev/loop*' 1
	signalled INT 130 run "${small[@]}" -n 2
	assert_interrupted
	[ "$(ends set | jq -r .role)" = warmup ]
	assert_resumes 2 1
}

@test "SIGINT in the timed part of a storm, in mkfs" {
	need_storm
	hang_in before mke2fs '/dev/loop*' 4
	signalled INT 130 run "${small[@]}" -n 2 -c a -c b --warmup 0
	assert_interrupted
	assert_resumes 2 2
}

@test "SIGINT in the timed part of a storm, while devices are mounted" {
	need_storm
	hang_in after mount '*/loop*' 4
	signalled INT 130 run "${small[@]}" -n 2 -c a -c b --warmup 0 mount_method=program
	assert_interrupted
	assert_resumes 2 2
}

@test "the same in the host's mount namespace" {
	need_storm
	hang_in after mount '*/loop*' 4
	signalled INT 130 run "${small[@]}" -n 2 -c a -c b --warmup 0 mount_method=program \
		mount_ns=host
	assert_interrupted
	assert_resumes 2 2
}

@test "SIGINT in the cycle before the run of a warm cache" {
	need_storm
	hang_in before mke2fs '/dev/loop*' 1
	signalled INT 130 run "${small[@]}" -n 2 --warmup 0 cache=warm
	assert_interrupted
	assert_resumes 2 1
}

@test "SIGINT while blktrace records" {
	need_storm
	need_blk_tracer
	hang_in before mke2fs '/dev/loop*' 2
	signalled INT 130 run "${small[@]}" -n 2 --warmup 0 -t blktrace,keep=yes
	undo_test # the test's own tracefs
	assert_interrupted
	assert_same_state
	assert_resumes 2 1
}

# Both wait for it while it is stopped, so that the second comes for certain before the first
# has ended anything.
@test "timeout(1), which signals twice at once: an orderly end" {
	need_storm
	hang_in after mount '*/loop*' 2
	with_bin start_brunt run "${small[@]}" -n 2 --warmup 0 mount_method=program mount_ns=host
	wait_for 60 [ -e hangs ]
	kill -STOP "$brunt_pid"
	kill -TERM "$brunt_pid"
	kill -CONT "$brunt_pid"
	kill -TERM "$brunt_pid"
	touch go
	end_brunt
	assert_brunt_status 143
	assert_has_not "left at once" "$(cat err)"
	run_check "$BRUNT" clean
	[ -z "$output" ]
}

@test "a second signal leaves at once, and clean undoes" {
	need_storm
	need_blk_tracer
	hang_in after mount '*/loop*' 2
	with_bin start_brunt run "${small[@]}" -n 2 --warmup 0 -t blktrace mount_method=program mount_ns=host
	wait_for 60 [ -e hangs ]
	kill -STOP "$brunt_pid"
	kill -INT "$brunt_pid"
	kill -TERM "$brunt_pid"
	kill -CONT "$brunt_pid"
	end_brunt
	[[ $brunt_status == 130 || $brunt_status == 143 ]]
	assert_has "left at once" "$(cat err)"
	run_check "$BRUNT" clean
	[ -n "$output" ]
	run_check "$BRUNT" clean
	[ -z "$output" ]
	undo_test
	assert_same_state 5
	run_check "$BRUNT" status set
	assert_has "killed" "$output"
	assert_resumes 2 1
}

@test "SIGKILL in a traced storm with added nodes, three times, and clean" {
	need_storm
	need_blk_tracer
	local there run
	there=$(find /sys/block -name 'loop*' | wc -l)
	[ "$there" -lt 32 ] || skip "$there loop nodes exist"
	for run in 1 2 3; do
		hang_in after mount '*/loop*' $((run * 2))
		signalled KILL 137 run storm -o set "devices=loop:$((there + 2)):8M" fs=ext2 fill=64k \
			-n 2 --warmup 0 -t none -t blktrace mount_method=program mount_ns=host \
			--seed $run
		run_check "$BRUNT" clean
		[ -n "$output" ]
		run_check "$BRUNT" clean
		[ -z "$output" ]
		rm -f hangs mount-*
		rm -r set
	done
}

# A wrapper's own child, in a session of its own: nothing of the kernel's ends it with brunt.
mke2fs_with_a_child()
{
	wrap mke2fs <<-'END'
		if [[ $last == /dev/loop* ]]; then
			setsid sleep 1000 </dev/null >/dev/null 2>&1 3>&- &
			echo $! >>"$here/children"
			[ ! -e "$here/hang" ] || { >"$here/hangs"; sleep 1000; }
		fi
		exec "$real" "$@"
	END
}

children_are_gone()
{
	local pid

	for pid in $(cat children); do
		is_gone "$pid" || return
	done
}

@test "what a storm's programs have started is ended by clean after SIGKILL" {
	need_storm
	mke2fs_with_a_child
	>hang
	to_undo+=('kill -KILL $(cat children) 2>/dev/null || true')
	signalled KILL 137 run "${small[@]}" -n 1 --warmup 0
	wait_for 60 [ -s children ]
	grep -q brunt "/proc/$(head -n 1 children)/cgroup" || skip "no cgroup can be made here"
	run_check "$BRUNT" clean
	assert_has "killed and removed" "$output"
	wait_for 60 children_are_gone
}

@test "what a storm's programs have started is not there in the next run" {
	need_storm
	mke2fs_with_a_child
	to_undo+=('kill -KILL $(cat children) 2>/dev/null || true')
	with_bin run_check "$BRUNT" run "${small[@]}" -n 1 --warmup 0
	[ -d /sys/fs/cgroup ] && grep -q cgroup2 /proc/mounts || skip "no cgroup2"
	wait_for 60 children_are_gone
}
