#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What `command` does around its program, and the figures that it reads from its output.

load lib
load runs

setup()
{
	need_program jq jq
	begin_test
}

teardown()
{
	end_test
}

run_command()
{
	run_check "$BRUNT" run command -o set "$@"
}

@test "metric: the number that a group matches, of the last match, with unit and direction" {
	run_command -n 1 --warmup 0 'metric=tps:^tps = ([0-9.]+):1/s:higher+lat:latency: +([0-9.e-]+):ms:lower' -- \
		printf 'tps = 7\nlatency:  1.5e1 ms\ntps = 120.5\nnot tps = 9\n'
	all_ends set '.status == "ok"'
	all_ends set '.metrics.tps | .value == 120.5 and .unit == "1/s" and .better == "higher" and
		.headline'
	all_ends set '.metrics.lat | .value == 15 and .unit == "ms" and .better == "lower"'
}

@test "metric: less of what is to be high is worse" {
	run_command -n 4 -c a,argv='echo t 10' -c b,argv='echo t 5' 'metric=t:t ([0-9]+):1/s:higher'
	run_check "$BRUNT" report set --format json
	jq -e '.comparisons[] | select(.metric == "t") | .change_pct == -50 and .p_holm != null' \
		<<<"$output"
}

@test "metric: a colon in the expression, stderr, and no group" {
	run_command -n 1 --warmup 0 'metric=n:[0-9]+::lower+t:at 1:2: ([0-9]+):s:lower' -- \
		sh -c 'echo 41 words; echo at 1:2: 3 >&2'
	all_ends set '.metrics.t.value == 3 and .metrics.n.unit == ""'
}

@test "metric: what is not printed, or no number, fails the run and is not 0" {
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o set \
		'metric=tps:tps ([0-9]+):1/s:higher' -- echo nothing
	all_ends set '.status == "failed" and (.reason | test("metric tps")) and
		.metrics.tps.value == null and .metrics.tps.reason == "not in the output"'
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o other \
		'metric=tps:tps (.*):1/s:higher' -- echo 'tps 1,5'
	all_ends other '.status == "failed" and (.reason | test("1,5.* is no number"))'
}

@test "metric: mistakes are found before the first run" {
	local bad
	for bad in tps 'tps:x' 'tps:x:s' 'tps:x:s:more' ':x:s:lower' 'real:x:s:lower' \
		'a:(:s:lower' 'a:x:s:lower+a:y:s:lower' 'a b:x:s:lower'; do
		run_mustfail 2 "$BRUNT" run command -n 1 -o set "metric=$bad" -- true
	done
	run_mustfail 2 "$BRUNT" run command -n 1 -o set output=null metric=a:x:s:lower -- true
	run_mustfail 2 "$BRUNT" run command -n 1 -o set parse=tmie -- true
	assert_has time "$stderr"
	[ ! -e set ]
}

@test "metric: it can be what is judged by" {
	run_command -n 3 --primary tps -c a,argv='echo tps 5' -c b,argv='echo tps 6' \
		'metric=tps:tps ([0-9]+):1/s:higher'
	run_check "$BRUNT" report set --format json
	jq -e '[.comparisons[] | select(.p_holm != null)] | length == 1 and .[0].metric == "tps"' \
		<<<"$output"
	run_mustfail 2 "$BRUNT" run command --primary tsp 'metric=tps:x:1/s:higher' -o none -- true
}

@test "parse=time: what time printed, beside what was measured" {
	run_command -n 1 --warmup 0 parse=time -- \
		printf '\nreal\t0m1.500s\nuser\t0m0.250s\nsys\t0m0.125s\n'
	all_ends set '.status == "ok" and .metrics["time.real"].value == 1.5 and
		.metrics["time.user"].value == .25 and .metrics["time.sys"].value == .125 and
		.metrics["time.real"].unit == "s" and .metrics.real.value < 1.5'
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o none parse=time -- \
		echo no figures
	all_ends none '.status == "failed" and (.reason | test("no time output"))'
}

@test "parse=time: a label that is no UTF-8 loses no figure" {
	run_command -n 1 --warmup 0 parse=time -- \
		printf 'caf\351 x\n\nreal\t0m1.500s\nuser\t0m0.250s\nsys\t0m0.125s\ny\n\nreal\t0m2.500s\nuser\t0m0.250s\nsys\t0m0.125s\n'
	all_ends set '.metrics["time.caf? x.real"].value == 1.5 and
		.metrics["time.y.real"].value == 2.5'
}

@test "parse=time: what the program says before its times is no part of a metric's name" {
	run_command -n 2 --warmup 0 --primary time.real parse=time -- \
		sh -c 'echo "done in 0.$$ s"; printf "\nreal\t0m1.500s\nuser\t0m0.250s\nsys\t0m0.125s\n"'
	all_ends set '.status == "ok" and .metrics["time.real"].value == 1.5'
}

@test "a primary metric that the output does not have fails the run" {
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o set \
		--primary time.bogus parse=time -- \
		printf '\nreal\t0m1.500s\nuser\t0m0.250s\nsys\t0m0.125s\n'
	all_ends set '.status == "failed" and (.reason | test("time.bogus"))'
}

@test "parse=time: the exit status decides, whatever is printed" {
	run_command -n 1 --warmup 0 parse=time -- \
		printf 'make: *** [x] Error 1 (ignored)\n\nreal\t0m1.500s\nuser\t0m0.250s\nsys\t0m0.125s\n'
	all_ends set '.status == "ok" and .metrics["time.real"].value == 1.5'
}

@test "metric: a long line with many matches is searched in time that grows with its length" {
	head -c 8000000 /dev/zero | tr '\0' a >long
	echo 7 >>long
	timeout 60 "$BRUNT" run command -q -n 1 --warmup 0 -o set 'metric=n:a?([a-z0-9]):x:higher' \
		-- cat long </dev/null
	all_ends set '.metrics.n.value == 7'
}

@test "metric: an interrupt ends the search" {
	head -c 60000000 /dev/zero | tr '\0' a >long
	start_brunt run command -n 1 --warmup 0 -o set 'metric=n:[a-z]:x:higher' -- cat long
	wait_for 30 sh -c '[ "$(stat -c %s set/runs/1/stdout 2>/dev/null)" = 60000000 ]'
	sleep 1
	kill -INT "$brunt_pid"
	wait_for 60 is_gone "$brunt_pid"
	end_brunt
	assert_brunt_status 130
}

@test "metric: blanks and carriage returns beside a number; an empty expression is refused early" {
	run_command -n 1 --warmup 0 'metric=n:n=(.*)$:x:higher' -- printf 'n= 1.5 \r\n'
	all_ends set '.metrics.n.value == 1.5'
	run_mustfail 2 "$BRUNT" run command -o none metric=a::s:lower -- true
	assert_has "empty expression" "$stderr"
	[ ! -e none ]
}

@test "prepare and cleanup run around each run, and their words are kept apart" {
	run_command -n 2 --warmup 1 prepare='sh -c "echo before >>log; echo kept"' \
		cleanup='sh -c "echo after >>log"' -- sh -c 'echo run >>log'
	[ "$(tr '\n' ' ' <log)" = "before run after before run after before run after " ]
	[ "$(cat set/runs/1/prepare)" = kept ]
	[ ! -e set/runs/1/stdout ]
	[ ! -e set/runs/1/cleanup ]
}

@test "prepare that fails: the program does not run; cleanup runs all the same" {
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o set \
		prepare='sh -c "echo no room; exit 3"' cleanup='touch cleaned' -- touch ran
	all_ends set '.status == "failed" and (.reason | test("prepare.*exit status 3.*no room"))'
	[ -e cleaned ]
	[ ! -e ran ]
}

@test "cleanup runs after a failed program, and its own failure is one" {
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o set \
		cleanup='touch cleaned' -- false
	[ -e cleaned ]
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o bad \
		cleanup='sh -c "echo stuck >&2; exit 1"' -- true
	all_ends bad '.status == "failed" and (.reason | test("cleanup: sh: exit status 1: stuck"))'
}

@test "cleanup runs after Ctrl-C too" {
	start_brunt run command -n 1 --warmup 0 -o set cleanup='touch cleaned' -- \
		sh -c 'echo up; sleep 987'
	wait_for 60 test -s set/runs/1/stdout
	kill -INT "$brunt_pid"
	end_brunt
	assert_brunt_status 130
	[ -e cleaned ]
}

@test "processes that prepare leaves are gone before the program starts" {
	run_command -n 1 --warmup 0 prepare='sh -c "sleep 987 & echo \$! >pid"' -- \
		sh -c 'grep -q "^State:.[^ZX]" /proc/$(cat pid)/status 2>/dev/null || echo gone'
	[ "$(cat set/runs/1/stdout)" = gone ]
}

@test "prepare and cleanup through a shell, in the environment of the configuration" {
	run_command -n 1 --warmup 0 shell=yes prepare='echo $((6 * 7)) "$X" >made' -c a,env.X=x -- \
		'cat made'
	[ "$(cat set/runs/1/stdout)" = "42 x" ]
	run_mustfail 77 "$BRUNT" run command -o none prepare=no-such-program -- true
	run_mustfail 2 "$BRUNT" run command -o none cleanup= -- true
	[ ! -e none ]
}

@test "expect: another exit status is the good one" {
	run_command -n 1 --warmup 0 expect=3 -- sh -c 'exit 3'
	all_ends set '.status == "ok"'
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o zero expect=3 -- true
	all_ends zero '.status == "failed" and (.reason | test("exit status 0, not 3"))'
	run_mustfail 4 "$BRUNT" run command -n 1 --warmup 0 --max-retries 0 -o signal expect=11 -- \
		sh -c 'kill -SEGV $$'
	all_ends signal '.status == "failed"'
	run_mustfail 2 "$BRUNT" run command expect=256 -o none -- true
}
