#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# How many rounds, and of what: the noise floor, the metrics to judge by, rounds until changes are
# known.

load lib
load runs

# The rounds that a set's runs have, as the analysis counts them: of a configuration.
values_of() # SET CONFIG
{
	"$BRUNT" report "$1" --format json | jq "[.groups[] | select(.metric == \"real\" and
		.config == \"$2\") | .n] | add"
}

comparisons() # SET FILTER
{
	"$BRUNT" report "$1" --format json | jq -c ".comparisons[] | select($2)"
}

@test "--aa: the baseline stands twice in each round, with its keys" {
	run_check "$BRUNT" run command -o set --aa -n 4 --warmup 0 -c a,env.X=1 -c b \
		-- sh -c 'echo "$X"'
	[ "$(count_ends set '.config == "a#2"')" = 4 ]
	[ "$(cat set/runs/*/stdout | grep -c 1)" = 8 ]
	[ "$(session set '.experiment.experiment.aa')" = true ]
	[ "$(session set '.experiment.configs | map(.aa_of) | tostring')" = '[null,null,"a"]' ]
	assert_has "noise floor (A/A): " "$output"
	[ "$(comparisons set '.noise_floor' | jq -r '.new.config' | sort -u)" = "a#2" ]
	[ -z "$(comparisons set '.noise_floor and (.p_holm != null or .verdict != null)')" ]
	[ -n "$(comparisons set '.noise_floor == false and .new.config == "b"')" ]
	for format in mail markdown; do
		run_check "$BRUNT" report set --format $format
		assert_has "noise floor (A/A)" "$output"
	done
}

@test "--aa comes back from the set and from a file" {
	run_check "$BRUNT" run command -q -o set --aa -n 2 --warmup 0 -c a -c b -- true
	run_check "$BRUNT" run -q -o set
	[ "$(count_ends set '.config == "a#2"')" = 4 ]
	run_check "$BRUNT" plan command --aa -n 2 --json -c a -c b -- true
	echo "$output" >experiment.json
	run_check "$BRUNT" run -q -f experiment.json -o other
	[ "$(count_ends other '.config == "a#2" and .role == "measured"')" = 2 ]
	run_check "$BRUNT" verify set
}

@test "names of second baselines are taken" {
	run_mustfail 2 "$BRUNT" run command -o set -c a -c 'a#2' -- true
	assert_has "--aa" "$stderr"
	[ ! -e set ]
}

@test "--primary: the family is what was chosen before the first run" {
	run_check "$BRUNT" run command -q -o set -n 4 --warmup 0 --primary real -c a -c b -- true
	[ "$(session set '.experiment.experiment.primary | tostring')" = '["real"]' ]
	[ "$(comparisons set '.verdict != null' | jq -r .metric)" = real ]
	[ "$(comparisons set '.verdict != null' | jq .family_size)" = 1 ]
	cp -r set before
	run_mustfail 2 "$BRUNT" run command -o set -n 4 --primary cpu -c a -c b -- true
	assert_has "primary" "$stderr"
	run_mustfail 2 "$BRUNT" run command -o set -n 4 -c a -c b -- true
	diff -r before set
	run_check "$BRUNT" run -q -o set --add 1
	run_check "$BRUNT" run command -q -o set -n 1 -l other --primary cpu -c a -c b -- true
	run_mustfail 2 "$BRUNT" run command -o other --primary reel -c a -c b -- true
	assert_has "did you mean 'real'?" "$stderr"
	[ ! -e other ]
}

@test "--until: ten rounds are enough for changes that are known well" {
	run_check "$BRUNT" run command -o set --until 100000 --max 14 --warmup 0 --primary real \
		-c a -c b -- true
	[ "$(session set '.rounds')" = 10 ]
	[ "$(session set '.until | [.pct, .max, .rounds, .stopped] | tostring')" = \
		'[100000,14,10,"reached"]' ]
	[ "$(session set '.plan | length')" = 20 ]
	[ "$(count_ends set)" = 20 ]
	assert_has "until half widths below 100000 %: reached after 10 rounds" "$output"
	run_check "$BRUNT" resume set
	assert_has "nothing is missing" "$stderr"
}

@test "--until: --max bounds it, at all points" {
	cat >experiment.yaml <<-'END'
		experiment: {warmup: 0, until: 0.0001, max: 11, primary: [real]}
		workloads:
		  - {workload: command, name: one, argv: [sleep, '.01']}
		  - {workload: command, name: two, argv: [sleep, '.01']}
		configs: [{name: a}, {name: b}]
	END
	run_check "$BRUNT" run -f experiment.yaml -o set
	[ "$(count_ends set)" = 44 ]
	[ "$(session set '.rounds')" = 11 ]
	[ "$(session set '.until.stopped')" = max ]
	assert_has "until half widths below 0.0001 %: not reached after 11 rounds" "$output"
}

@test "--until: an interrupted session goes on to its end" {
	cat >program <<-'END'
		#!/bin/sh
		echo x >>log
		[ "$(wc -l <log)" -ne 7 ] || kill -INT "$(cat pid)"
		sleep .05
	END
	chmod +x program
	start_brunt run command -o set --until .0001 --max 12 --warmup 0 -c a -c b -- ./program
	echo "$brunt_pid" >pid
	end_brunt
	assert_brunt_status 130
	[ "$(session set '.until.stopped')" = null ]
	[ "$(session set '.rounds')" = 12 ]
	rm program log
	printf '#!/bin/sh\nsleep .01\n' >program
	chmod +x program
	run_check "$BRUNT" resume set
	[ "$(values_of set a)" = 12 ]
	[ "$(session set '.until.stopped')" = max ]
	[ "$(session set '.until.rounds')" = 12 ]
	assert_has_not extended "$output"
}

@test "a set that was extended says so" {
	run_check "$BRUNT" run command -q -o set -n 2 --warmup 0 -c a -c b -- true
	run_check "$BRUNT" report set
	assert_has_not extended "$output"
	run_check "$BRUNT" run -q -o set --add 2
	run_check "$BRUNT" report set --format mail
	assert_has "extended: measured in 2 sessions" "$output"
}

@test "--until and --max say what is missing" {
	run_mustfail 2 "$BRUNT" run command -o set --until 2 -c a -c b -- true
	run_mustfail 2 "$BRUNT" run command -o set --max 20 -c a -c b -- true
	run_mustfail 2 "$BRUNT" run command -o set --until 2 --max 9 -c a -c b -- true
	run_mustfail 2 "$BRUNT" run command -o set --until 2 --max 20 -- true
	[ ! -e set ]
	run_check "$BRUNT" plan command --until 2 --max 20 -c a -c b -- true
	assert_has "below 2 %" "$output"
}
