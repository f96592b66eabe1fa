#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The workload `command`: what is measured, how the program is started, what counts as a failure.

load lib
load runs

run_command()
{
	run_check "$BRUNT" run command -o set "$@"
}

@test "a run has real, user, sys, cpu and what the kernel counted" {
	run_command -n 1 --warmup 0 -- sh -c 'sleep .05; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'
	all_ends set '.status == "ok" and .role == "measured" and .config == "none"'
	all_ends set '.metrics.real.value >= .05 and .metrics.real.unit == "s" and
		.metrics.real.better == "lower"'
	all_ends set '.metrics | .cpu.value > 0 and
		(.cpu.value - .user.value - .sys.value | fabs) < 1e-9'
	all_ends set '.metrics | .max_rss.value > 100000 and .max_rss.unit == "B"'
	all_ends set '.metrics | .minor_faults.value > 0 and .major_faults.value >= 0 and
		.voluntary_switches.value >= 1 and .involuntary_switches.value >= 0'
	all_ends set '.system | has("busy_s", "kthread_s", "steal_s")'
}

@test "the report and what is said behind it keep their order in one file" {
	"$BRUNT" run command -o set -n 2 --warmup 0 -- true >both 2>&1
	[ "$(tail -n 1 both)" = "brunt: the results are in set" ]
	grep -q real both
}

@test "warm-up and measured runs are told apart, with run numbers from 1" {
	run_command -n 2 --warmup 1 -- true
	[ "$(ends set | jq -c '[.run, .round, .role]' | tr '\n' ' ')" = \
		'[1,1,"warmup"] [2,1,"measured"] [3,2,"measured"] ' ]
	all_ends set '.session and .host and .boot_id and .label and .point == {}'
	[ "$(session set '[.status, .rounds, .experiment.experiment.warmup]')" = '["complete",2,1]' ]
}

@test "the output of each run is kept, empty files are not" {
	run_command -n 1 --warmup 0 -- sh -c 'echo words; echo complaints >&2'
	[ "$(cat set/runs/1/stdout)" = words ]
	[ "$(cat set/runs/1/stderr)" = complaints ]
	run_check "$BRUNT" run command -n 1 --warmup 0 -o quiet -- true
	[ -d quiet/runs/1 ]
	[ -z "$(ls quiet/runs/1)" ]
}

@test "output=null throws it away" {
	run_command -n 1 --warmup 0 output=null -- echo words
	all_ends set '.status == "ok"'
	[ -z "$(ls set/runs/1)" ]
}

@test "a program that always fails: status 4, and the message says which and how" {
	run_mustfail 4 "$BRUNT" run command -n 4 -o set -c good,argv=true \
		-c 'bad,argv=sh -c "echo no luck >&2; exit 7"'
	assert_has "configuration bad" "$stderr"
	assert_has "exit status 7" "$stderr"
	assert_has "no luck" "$stderr"
	all_ends set '.status == "failed" and (.reason | test("exit status 7.*no luck"))' \
		'.config == "bad"'
	all_ends set '.status == "ok"' '.config == "good"'
	# no use going on for hours
	[ "$(count_ends set '.config == "bad"')" -lt 4 ]
}

@test "a program that said much before it failed: its last words are told" {
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o set -- \
		sh -c 'yes much | head -c 3000000 >&2; echo; echo last words >&2; exit 3'
	all_ends set '.reason | test("exit status 3: last words")'
}

@test "a failed run is in no mean, and its round is repeated" {
	run_command -n 3 --warmup 0 -- sh -c 'echo x >>log; test $(wc -l <log) -ne 2'
	assert_has "exit status 1" "$stderr"
	assert_has "run 2" "$stderr"
	[ "$(count_ends set '.status == "failed"')" = 1 ]
	[ "$(count_ends set '.status == "ok"')" = 3 ]
	run_check "$BRUNT" report set --format json
	jq -e '[.groups[] | select(.metric == "real")] | length == 1 and .[0].n == 3' <<<"$output"
	jq -e '.counts[0] | .ok == 3 and .failed == 1' <<<"$output"
	local failed
	failed=$(ends set '.status == "failed"' | jq '.metrics.real.value')
	jq -e --argjson failed "$failed" 'all(.groups[]; .values | index($failed) == null)' \
		<<<"$output"
}

@test "without retries a failed run leaves its round missing: status 4" {
	run_mustfail 4 "$BRUNT" run command -n 3 --warmup 0 --max-retries 0 -o set -- \
		sh -c 'echo x >>log; test $(wc -l <log) -ne 2'
	assert_has "run 2/3: round 2/3, none: failed" "$stderr"
	assert_has "1 round(s) missing" "$stderr"
	[ "$(session set .status)" = complete ]
	run_mustfail 4 "$BRUNT" report set --format json
	jq -e '.untrusted and ([.groups[] | select(.metric == "real")][0].n == 2)' <<<"$output"
}

@test "a program that a signal ends" {
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o set -- \
		sh -c 'kill -SEGV $$'
	all_ends set '.status == "failed" and (.reason | test("signal 11"))'
}

@test "a program that is not there, or that cannot be executed: 77 before anything is made" {
	run_mustfail 77 "$BRUNT" run command -n 1 -o set -- no-such-program-here
	assert_has no-such-program-here "$stderr"
	echo true >script
	run_mustfail 77 "$BRUNT" run command -n 1 -o set -- ./script
	assert_has "Permission denied" "$stderr"
	[ ! -e set ]
}

@test "a file that the kernel cannot execute fails its run" {
	printf '\177ELFbroken' >broken
	chmod +x broken
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o set -- ./broken
	all_ends set '.status == "failed" and (.reason | test("Exec format error"))'
}

@test "no shell reads the words" {
	run_command -n 1 --warmup 0 -- printf '%s\n' '$HOME' 'two words' '*' "it's" '; false' ''
	[ "$(cat set/runs/1/stdout)" = "$(printf '%s\n' '$HOME' 'two words' '*' "it's" '; false' '')" ]
}

@test "argv= is split into words as sh does, and nothing is expanded" {
	run_command -n 1 --warmup 0 "argv=printf '%s\n' \$HOME \"a b\" c\\ d *"
	[ "$(cat set/runs/1/stdout)" = "$(printf '%s\n' '$HOME' 'a b' 'c d' '*')" ]
	run_mustfail 2 "$BRUNT" run command -n 1 "argv=echo 'open"
}

@test "shell=yes hands it to the shell" {
	run_command -n 1 --warmup 0 shell=yes 'argv=echo $((6*7)) | tr 4 x; echo "$LC_ALL"'
	[ "$(cat set/runs/1/stdout)" = $'x2\nC' ]
	run_check "$BRUNT" run command -q -n 1 --warmup 0 -o one shell=yes -- 'echo $((6*7)) | tr 4 y'
	[ "$(cat one/runs/1/stdout)" = y2 ]
}

@test "with shell=yes quotes are the shell's business" {
	run_command -n 1 --warmup 0 shell=yes 'argv=echo a # it'"'s a comment"
	[ "$(cat set/runs/1/stdout)" = a ]
	run_mustfail 2 "$BRUNT" run command -n 1 -o no "argv=echo it's"
	assert_has "a quote is not closed" "$stderr"
	run_mustfail 2 "$BRUNT" plan command -n 1 -c a,shell=yes,argv=true -c "b,argv=echo it's"
	run_mustfail 2 "$BRUNT" plan command shell=yes -- ' '
	[ ! -e no ]
}

@test "argv of a configuration replaces the program behind --" {
	run_command -n 1 --warmup 0 -c one -c two,argv='echo second\, with a comma' -- echo first
	[ "$(session set '[.workloads[] | [.text, .cells[].config]]')" = \
		'[["echo first","one"],["echo second, with a comma","two"]]' ]
	[ "$(cat set/runs/"$(ends set '.config == "one"' | jq .run)"/stdout)" = first ]
	[ "$(cat set/runs/"$(ends set '.config == "two"' | jq .run)"/stdout)" = \
		"second, with a comma" ]
}

@test "a configuration without a program: status 2" {
	run_mustfail 2 "$BRUNT" run command -n 1 -o set -c one,argv=true -c two
	[ ! -e set ]
}

@test "env.NAME reaches the program, of its configuration only" {
	FOO=outside run_command -n 1 --warmup 0 -c plain -c 'other,env.FOO=in side,env.BAR=' -- \
		sh -c 'echo "$FOO-${BAR-unset}"'
	[ "$(cat set/runs/"$(ends set '.config == "plain"' | jq .run)"/stdout)" = outside-unset ]
	[ "$(cat set/runs/"$(ends set '.config == "other"' | jq .run)"/stdout)" = "in side-" ]
}

@test "LC_ALL=C, unless a configuration says otherwise" {
	LC_ALL=de_DE.UTF-8 run_command -n 1 --warmup 0 -c plain -c other,env.LC_ALL=C.UTF-8 -- \
		sh -c 'echo "$LC_ALL"'
	[ "$(cat set/runs/"$(ends set '.config == "plain"' | jq .run)"/stdout)" = C ]
	[ "$(cat set/runs/"$(ends set '.config == "other"' | jq .run)"/stdout)" = C.UTF-8 ]
}

# getenv(3) of a program takes the first of two, a shell the last.
@test "no variable stands in the environment twice" {
	LC_ALL=C FOO=outside run_command -n 1 --warmup 0 -c a,env.LC_ALL=C.UTF-8,env.FOO=in -- env
	[ "$(grep -E '^(LC_ALL|FOO)=' set/runs/1/stdout | sort | tr '\n' ' ')" = \
		"FOO=in LC_ALL=C.UTF-8 " ]
}

@test "what a program prints last does not steer the terminal" {
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o set -l $'la\eb' -- \
		sh -c 'printf "red \033[31m and \302\233 2J\n" >&2; exit 1'
	assert_has 'red \x1b[31m and \xc2\x9b 2J' "$stderr"
	assert_has_not $'\e' "$stderr"
	assert_has_not $'\e' "$output"
}

@test "standard input is /dev/null, whatever brunt's own is" {
	echo words >file
	"$BRUNT" run command -q -n 1 --warmup 0 -o set -- \
		sh -c 'readlink /proc/self/fd/0; cat' <file
	[ "$(cat set/runs/1/stdout)" = /dev/null ]
}

@test "the program gets no descriptor of brunt's" {
	(
		for fd in /proc/"$BASHPID"/fd/*; do
			[ "${fd##*/}" -le 2 ] || eval "exec ${fd##*/}>&-"
		done
		exec "$BRUNT" run command -q -n 1 --warmup 0 -o set -- \
			bash -c 'cd /proc/self/fd && echo *' </dev/null 2>/dev/null
	)
	# bash itself has one of the folder open while it lists it
	[[ "$(cat set/runs/1/stdout)" =~ ^0\ 1\ 2(\ 3)?$ ]]
}

@test "the program is in a process group and a session of its own, with default signals" {
	(
		trap '' HUP PIPE
		"$BRUNT" run command -q -n 1 --warmup 0 -o set -- \
			sh -c 'cut -d " " -f 5,6 /proc/$$/stat; exec grep Sig /proc/self/status' </dev/null
	)
	{
		read -r group sid
		rest=$(cat)
	} <set/runs/1/stdout
	[ "$group" = "$sid" ]
	[ "$sid" != "$(cut -d " " -f 6 /proc/self/stat)" ]
	[[ "$rest" =~ SigBlk:[[:space:]]0000000000000000 ]]
	# SIGHUP 1, SIGINT 2, SIGPIPE 4096, SIGTERM 16384
	[[ "$rest" =~ SigIgn:[[:space:]]([0-9a-f]+) ]]
	[ $((16#${BASH_REMATCH[1]} & (1 | 2 | 4096 | 16384))) = 0 ]
}

@test "a sysctl is set for the runs of its configuration, and restored" {
	need_root
	local before other
	before=$(cat /proc/sys/vm/swappiness)
	other=$((before == 37 ? 38 : 37))
	run_command -n 2 --warmup 0 -c plain -c "other,sysctl.vm.swappiness=$other" -- \
		cat /proc/sys/vm/swappiness
	for number in $(ends set '.config == "plain"' | jq .run); do
		[ "$(cat "set/runs/$number/stdout")" = "$before" ]
	done
	for number in $(ends set '.config == "other"' | jq .run); do
		[ "$(cat "set/runs/$number/stdout")" = "$other" ]
	done
	[ "$(cat /proc/sys/vm/swappiness)" = "$before" ]
}

@test "a sysctl is restored where the program fails, and where the value is refused" {
	need_root
	local before
	before=$(cat /proc/sys/vm/swappiness)
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o set \
		-c "bad,sysctl.vm.swappiness=$((before == 37 ? 38 : 37))" -- false
	[ "$(cat /proc/sys/vm/swappiness)" = "$before" ]
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o refused \
		-c "bad,sysctl.vm.swappiness=rubbish" -- true
	all_ends refused '.status == "failed" and (.reason | test("swappiness"))'
	[ "$(cat /proc/sys/vm/swappiness)" = "$before" ]
}

@test "an unknown sysctl is found before the first run" {
	run "$BRUNT" run command -n 1 -o set -c a,sysctl.vm.no_such_thing=1 -- true
	[[ "$status" = 2 || "$status" = 77 ]]
	assert_has no_such_thing "$output"
	[ ! -e set ]
}

@test "--sweep makes points, and each has all configurations and rounds" {
	run_command -n 2 --warmup 0 --sweep output=keep,null --sweep shell=no,yes -c a -c b -- echo 1
	[ "$(count_ends set)" = 16 ]
	[ "$(ends set | jq -c '[.point.output, .point.shell, .config, .round]' | sort -u | wc -l)" = 16 ]
	run_check "$BRUNT" report set --format json
	jq -e '[.groups[] | select(.metric == "real")] | length == 8 and all(.[]; .n == 2)' <<<"$output"
	jq -e 'all(.comparisons[]; .base.config == "a" and .new.config == "b")' <<<"$output"
}

@test "a file says the same as words" {
	cat >words.yaml <<-'END'
		experiment: {rounds: 3, warmup: 0, seed: 7}
		workloads:
		  - workload: command
		    argv: [sh, -c, echo it]
		    output: [keep, "null"]
		configs:
		  - name: a
		  - name: b
		    env.FOO: a value, with a comma
		    sysctl.vm.swappiness: 50
	END
	run_check "$BRUNT" plan --json -f words.yaml
	local file=$output
	run_check "$BRUNT" plan --json command -n 3 --warmup 0 --seed 7 --sweep output=keep,null \
		-c a -c 'b,env.FOO=a value\, with a comma,sysctl.vm.swappiness=50' -- sh -c 'echo it'
	[ "$(jq -S . <<<"$file")" = "$(jq -S . <<<"$output")" ]
	# and what plan prints is such a file
	echo "$file" >plan.json
	run_check "$BRUNT" plan --json -f plan.json
	[ "$output" = "$file" ]
}

@test "run -f runs the file" {
	cat >it.yaml <<-'END'
		experiment: {rounds: 2, warmup: 0}
		workloads: [{workload: command, argv: [echo, from a file]}]
		configs: [{name: a}, {name: b, argv: [echo, of b]}]
	END
	run_check "$BRUNT" run -f it.yaml -o set
	[ "$(count_ends set '.status == "ok"')" = 4 ]
	[ "$(cat set/runs/1/stdout set/runs/2/stdout | sort)" = $'from a file\nof b' ]
}

@test "a mistake in a file: status 2, with its line" {
	printf 'workloads:\n  - workload: command\n    argv: "true"\n    agrv: "true"\n' >bad.yaml
	run_mustfail 2 "$BRUNT" run -f bad.yaml -o set
	assert_has "bad.yaml:4" "$stderr"
	assert_has "did you mean" "$stderr"
	[ ! -e set ]
}

@test "the order is balanced: each configuration as often in each position" {
	run_command -n 6 --warmup 0 --seed 11 -c a -c b -c c -- true
	session set '[.plan[] | [.round, .position, .config]]' >plan
	jq -e 'group_by(.[0]) | length == 6 and all(.[]; map(.[2]) | sort == ["a", "b", "c"])' plan
	jq -e 'group_by(.[1]) | length == 3 and
		all(.[]; map(.[2]) | group_by(.) | map(length) == [2, 2, 2])' plan
	# and the runs follow it
	[ "$(ends set | jq -sc 'map([.round, .position, .config])')" = "$(cat plan)" ]
	# the same seed gives the same order
	run_check "$BRUNT" run command -n 6 --warmup 0 --seed 11 -c a -c b -c c -o again -- true
	[ "$(session again '[.plan[] | [.round, .position, .config]]')" = "$(cat plan)" ]
}

@test "a clear difference is worse, and its reverse is better" {
	run_command -n 5 -c short -c long -- true
	set_real set '.config == "short"' .05
	set_real set '.config == "long"' .15
	run_check "$BRUNT" report set --format json
	jq -e '.comparisons[] | select(.metric == "real") | .verdict == "worse" and .paired and
		.change_pct > 50 and .ci95_pct[0] > 0 and .p_holm < .05 and
		.base.config == "short" and .new.config == "long" and .kind == "config"' <<<"$output"
	run_check "$BRUNT" report set --format json --base long
	jq -e '.comparisons[] | select(.metric == "real") | .verdict == "better" and
		.change_pct < -30' <<<"$output"
	run_check "$BRUNT" report set
	assert_has "real" "$output"
	assert_has "worse" "$output"
}

@test "every comparison has its verdict and its figures, or null" {
	run_command -n 3 -c a -c b -- true
	run_check "$BRUNT" report set --format json --all-metrics
	jq -e '.comparisons | length > 3 and all(.[];
		has("verdict", "reason", "p", "p_holm", "ci95_pct", "at_worst_pct", "at_best_pct",
			"mde_pct", "runs_needed", "family_size", "paired", "unit", "kind"))' <<<"$output"
	jq -e 'all(.comparisons[]; .verdict == null or (.verdict | IN("worse", "better",
		"equivalent", "inconclusive", "invalid")))' <<<"$output"
}

@test "two rounds are too few for a verdict, and the report says so" {
	run_command -n 2 -c a,argv=true -c b,argv='sleep .05'
	assert_has "too few" "$output"
	set_real set '.config == "a"' .01
	set_real set '.config == "b"' .05
	run_check "$BRUNT" report set --format json
	jq -e '.comparisons[] | select(.metric == "real") |
		.verdict != "worse" and (.reason | test("too few"))' <<<"$output"
}

leave_one_behind() # BRUNT as a command line
{
	"$@" run command -q -n 1 --warmup 0 -o left/set -- \
		sh -c 'sleep 987 >/dev/null 2>&1 & echo $!' </dev/null
	all_ends left/set '.status == "ok" and ([.marks[].name] | index("leftover_processes"))'
	wait_for 60 is_gone "$(cat left/set/runs/1/stdout)"
}

@test "processes that the program leaves are killed, and marked" {
	mkdir left
	leave_one_behind "$BRUNT"
}

@test "so they are where brunt is not root and has no cgroup" {
	need_root
	as_nobody
	mkdir left
	chown nobody left
	leave_one_behind "${as_nobody[@]}" ./brunt
}

@test "a program that ignores SIGTERM and leaves its session is gone as well" {
	need_root
	run_command -n 1 --warmup 0 -- sh -c 'setsid sh -c "trap : TERM; echo \$\$ >pid; sleep 987" \
		>/dev/null 2>&1 & while [ ! -s pid ]; do sleep .01; done'
	[ "$(session set '.workloads[0].description.cgroup')" = true ] ||
		skip "no cgroup: nothing holds what leaves its session"
	any_end set '[.marks[].name] | index("leftover_processes")'
	wait_for 60 is_gone "$(cat pid)"
}

@test "progress and messages are on stderr, the report alone on stdout" {
	run_check "$BRUNT" run command -n 1 -o set -- true
	assert_has_not "run 1/" "$output"
	assert_has "run 1/2: warm-up 1/1, none: ok" "$stderr"
	assert_has "results are in set" "$stderr"
	run_check "$BRUNT" run command -q -n 1 -o quiet -- true
	[ -z "$output" ]
	assert_has_not "run 1/" "$stderr"
}

@test "the default set is below brunt-results" {
	run_check "$BRUNT" run command -q -n 1 -- true
	[ "$(find brunt-results -maxdepth 1 -name 'command-*' | wc -l)" = 1 ]
	run_check "$BRUNT" report
	run_check "$BRUNT" status
	assert_has "1 of 1 rounds, complete" "$output"
}

cgroup2_folder()
{
	local folder

	folder=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	[ -n "$folder" ] && [ -w "$folder/cgroup.procs" ] || skip "no cgroup2 that can be written"
	echo "$folder"
}

@test "a cgroup that somebody removes: the run fails and says so, nobody waits for the launcher" {
	need_root
	cgroup2=$(cgroup2_folder)
	cat >program <<-END
		#!/bin/bash
		own=$cgroup2\$(sed -n 's/^0:://p' /proc/self/cgroup)
		# out of it, to remove it as soon as it is empty
		mkdir once 2>/dev/null || exit 0
		(
			echo 0 >"\${own%/*}/cgroup.procs"
			>outside
			until rmdir "\$own" 2>/dev/null || [ -e end ]; do :; done
		) >/dev/null 2>&1 &
		until [ -e outside ]; do sleep .01; done
	END
	chmod +x program
	to_undo+=(">$PWD/end")
	run_mustfail 4 "$BRUNT" run command -o set -n 30 --warmup 0 --max-retries 0 -- ./program
	any_end set '.status == "ok"'
	any_end set '.status == "failed" and (.reason | test("moving into the cgroup .*brunt-"))'
}

@test "below a threaded cgroup, where no process can be moved, it works without one" {
	need_root
	folder=$(cgroup2_folder)/threaded-$$
	mkdir "$folder"
	to_undo+=("rmdir $folder")
	echo threaded >"$folder/cgroup.type" || skip "no threaded cgroup here"
	# shellcheck disable=SC2016 # the words of the inner shell
	run_check bash -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$folder" \
		"$BRUNT" run command -o set -n 1 -- true
	[ "$(session set '.workloads[0].description.cgroup')" = false ]
}

@test "the peak of memory is the program's, not brunt's" {
	run_check "$BRUNT" run command -q -o set -n 1 --warmup 0 -c small,argv=true \
		-c large,argv='dd if=/dev/zero of=/dev/null bs=8M count=1' output=null
	all_ends set '.metrics.max_rss.value | . > 100000 and . < 2500000' '.config == "small"'
	all_ends set '.metrics.max_rss.value > 8000000' '.config == "large"'
}

@test "a script whose interpreter is missing: what is missing" {
	printf '#!/no/such/shell\n' >script
	chmod +x script
	run_mustfail 4 "$BRUNT" run command -q -n 1 --warmup 0 --max-retries 0 -o set -- ./script
	all_ends set '.reason | test("interpreter")'
}
