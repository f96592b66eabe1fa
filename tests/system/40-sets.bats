#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Sets: what is added to them, what is refused, and how a session that ended early goes on.

load lib
load runs

# A program that hangs in run N of the set, until there is a file `go`.
hang_in() # N
{
	cat >program <<-END
		#!/bin/sh
		echo x >>log
		[ \$(wc -l <log) -eq $1 ] || exit 0
		>hangs
		until [ -e go ] || [ ! -e hangs ]; do sleep .02; done
	END
	chmod +x program
}

rounds_of() # SET CONFIG: how many values of real it has
{
	"$BRUNT" report "$1" --format json | jq "[.groups[] | select(.metric == \"real\" and
		.config == \"$2\") | .n] | add"
}

@test "an existing set is added to, and nothing of it changes" {
	run_check "$BRUNT" run command -o set -n 2 -c a -c b -- true
	cp -r set before
	run_check "$BRUNT" run command -o set -n 2 -c a -c b -- true
	cmp -n "$(wc -c <before/runs.jsonl)" before/runs.jsonl set/runs.jsonl
	for file in $(cd before && find sessions runs -type f); do
		cmp "before/$file" "set/$file"
	done
	[ "$(find set/sessions -name '*.json' | wc -l)" = 2 ]
	[ "$(ends set | jq .run | tr '\n' ' ')" = "1 2 3 4 5 6 7 8 9 10 11 12 " ]
	[ "$(rounds_of set a)" = 4 ]
}

@test "run -o SET does the experiment of the set again" {
	run_check "$BRUNT" run command -o set -n 2 --warmup 0 -c a -c b,env.X=1 -- echo words
	run_check "$BRUNT" run -o set
	[ "$(count_ends set '.status == "ok"')" = 8 ]
	[ "$(cat set/runs/8/stdout)" = words ]
	[ "$(jq -c '[.rounds, .experiment.workloads, .experiment.configs]' set/sessions/*.json |
		sort -u | wc -l)" = 1 ]
}

@test "--add N measures so many rounds more" {
	run_check "$BRUNT" run command -o set -n 2 --warmup 0 -c a -c b -- true
	run_check "$BRUNT" run -o set --add 3
	[ "$(rounds_of set a)" = 5 ]
	[ "$(rounds_of set b)" = 5 ]
	run_mustfail 2 "$BRUNT" run command -o other --add 3 -- true
	run_mustfail 2 "$BRUNT" run -o none --add 3
	[ ! -e other ]
	[ ! -e none ]
}

@test "other parameters under the same label and configuration are refused" {
	run_check "$BRUNT" run command -o set -n 1 --warmup 0 -c a,env.X=1 -- true
	cp -r set before
	run_mustfail 2 "$BRUNT" run command -o set -n 1 --warmup 0 -c a,env.X=2 -- true
	assert_has "env.X=1 there, 2 here" "$stderr"
	run_mustfail 2 "$BRUNT" run command -o set -n 1 --warmup 0 -c a -- true
	run_mustfail 2 "$BRUNT" run command -o set -n 1 --warmup 0 -c a,env.X=1 -- true again
	run_mustfail 2 "$BRUNT" run command -o set -n 1 --warmup 0 -c a,env.X=1 output=null -- true
	diff -r before set
}

@test "what run refuses of a set plan refuses too" {
	run_check "$BRUNT" run command -o set -n 1 --warmup 0 -c a,env.X=1 -- true
	cp -r set before
	for json in '' --json; do
		# shellcheck disable=SC2086 # no word at all where it is empty
		run_mustfail 2 "$BRUNT" plan $json command -o set -c a,env.X=2 -- true
		assert_has "env.X=1 there, 2 here" "$stderr"
		# shellcheck disable=SC2086
		run_mustfail 77 "$BRUNT" plan $json command -- ./no_such_program
	done
	run_check "$BRUNT" plan command -o set -l other -c a,env.X=2 -- true
	# as if the configuration had been traced then
	jq '.configs[0].backend = "tracefs"' set/sessions/*.json >session
	cat session >"$(newest_session set)"
	run_mustfail 2 "$BRUNT" plan -o set
	assert_has "traced by backend tracefs" "$stderr"
	cp before/sessions/* set/sessions
	mkdir folder
	echo mine >folder/file
	run_mustfail 1 "$BRUNT" plan command -o folder -- true
	run_mustfail 1 "$BRUNT" plan command -o folder/file -- true
	diff -r before set
}

@test "the order that plan shows for a set is the one that run takes" {
	local planned
	run_check "$BRUNT" run command -q -o set -n 6 --warmup 0 -c a -c b -c c -- true
	planned=$("$BRUNT" plan -o set | sed -n 's/^  round [0-9]*: //p')
	run_check "$BRUNT" run -q -o set
	[ "$(session set '[.plan[] | .config] | _nwise(3) | join(" ")')" = "$planned" ]
}

@test "under another label, or as another configuration, they are not" {
	run_check "$BRUNT" run command -o set -n 1 --warmup 0 -l one -c a,env.X=1 -- true
	run_check "$BRUNT" run command -o set -n 1 --warmup 0 -l two -c a,env.X=2 -- true
	run_check "$BRUNT" run command -o set -n 1 --warmup 0 -l one -c b,env.X=2 -- true
	[ "$(ends set | jq -r '.label + " " + .config' | tr '\n' ';')" = "one a;two a;one b;" ]
}

@test "a folder that is no set and not empty is left alone" {
	mkdir folder
	echo mine >folder/file
	run_mustfail 1 "$BRUNT" run command -o folder -n 1 -- true
	assert_has "no set" "$stderr"
	[ "$(ls -A folder)" = file ]
}

@test "labels are the rows of a grid, configurations its columns" {
	run_check "$BRUNT" run command -q -o set -n 3 -l first -c alpha -c beta -- sleep .01
	run_check "$BRUNT" run -q -o set -l second
	run_check "$BRUNT" report set
	local grid
	grid=$(grep -E -A 3 '^real, m?s +alpha +STDDEV +beta +STDDEV' <<<"$output")
	[[ "$grid" =~ $'\n'first\ +[0-9.]+\ +[0-9.]+\ +[0-9.]+\ +[0-9.]+ ]]
	[[ "$grid" =~ $'\n'second\ +[0-9.]+\ +[0-9.]+\ +[0-9.]+\ +[0-9.]+ ]]
}

@test "labels of one boot are not told from the boot, unless --one-boot" {
	run_check "$BRUNT" run command -q -o set -n 4 -l first -c a -- true
	run_check "$BRUNT" run command -q -o set -n 4 -l second -c a -- true
	set_real set '.label == "first"' .03
	set_real set '.label == "second"' .12
	run_check "$BRUNT" report set --format json
	jq -e '.comparisons[] | select(.metric == "real" and .kind == "label") |
		.base.label == "first" and .new.label == "second" and .change_pct > 50 and
		.verdict == "inconclusive" and (.reason | test("boot"))' <<<"$output"
	run_check "$BRUNT" report set --format json --one-boot
	jq -e '.comparisons[] | select(.metric == "real" and .kind == "label") |
		.verdict == "worse"' <<<"$output"
}

@test "two sets are never pooled" {
	run_check "$BRUNT" run command -q -o one -n 2 --warmup 0 -c a -- true
	run_check "$BRUNT" run command -q -o two -n 3 --warmup 0 -c a -- true
	run_check "$BRUNT" report one two --format json
	[ "$(jq -c '[.groups[] | select(.metric == "real") | [.set, .n]] | sort' <<<"$output")" = \
		'[["one",2],["two",3]]' ]
}

@test "a torn line is skipped and said, and the set goes on behind it" {
	run_check "$BRUNT" run command -q -o set -n 2 --warmup 0 -- true
	printf '{"schema":"1.0","event":"end","run":3,"stat' >>set/runs.jsonl
	run_check "$BRUNT" report set
	assert_has "1 line could not be read" "$output"
	run_check "$BRUNT" status set
	assert_has "1 unreadable line" "$output"
	run_check "$BRUNT" run -q -o set
	[ "$(rounds_of set none)" = 4 ]
	run_check "$BRUNT" report set --format json
	jq -e '.sets[0].skipped_lines == 1 and .sets[0].runs == 4' <<<"$output"
	# also in the middle
	[ "$(grep -c 'stat$' set/runs.jsonl)" = 1 ]
}

@test "a session's file that is torn does not hide the runs of others" {
	run_check "$BRUNT" run command -q -o set -n 2 --warmup 0 -- true
	printf '{"schema": "1.0", "id"' >set/sessions/00000000T000000-torn-0000.json
	run_check "$BRUNT" report set --format json
	jq -e '.sets[0].runs == 2 and .sets[0].skipped_lines == 1' <<<"$output"
}

@test "a set of a newer schema is refused" {
	run_check "$BRUNT" run command -q -o set -n 1 --warmup 0 -- true
	sed -i 's/"schema":"1\./"schema":"2./' set/runs.jsonl
	run_mustfail 1 "$BRUNT" report set
	assert_has "newer" "$stderr"
}

@test "an empty set: the report says that there is nothing" {
	mkdir -p set/sessions
	run_check "$BRUNT" report set
	assert_has "No finished runs" "$output"
	run_check "$BRUNT" report set --format json
	jq -e '.groups == [] and .comparisons == [] and .sets[0].runs == 0' <<<"$output"
	run_check "$BRUNT" status set
	run_mustfail 1 "$BRUNT" resume set
	assert_has "no session" "$stderr"
	run_mustfail 1 "$BRUNT" report no-such-set
}

@test "a report as JSON has groups and comparisons, and -o writes it to a file" {
	run_check "$BRUNT" run command -q -o set -n 3 -c a -c b -- true
	run_check "$BRUNT" report set --format json -o report.json
	[ -z "$output" ]
	jq -e '.groups | length > 0 and all(.[]; has("host", "label", "config", "workload",
		"point", "metric", "unit", "better", "n", "mean", "sd", "median", "min", "max",
		"ci95", "values") and (.values | length) == .n)' report.json
	jq -e '.comparisons | length > 0 and all(.[]; .base.config == "a" and .new.config == "b")' \
		report.json
	# the figures are those of the runs
	[ "$(jq -c '[.groups[] | select(.metric == "real" and .config == "a")][0].values | sort' \
		report.json)" = "$(ends set '.config == "a" and .role == "measured"' |
		jq -sc 'map(.metrics.real.value) | sort')" ]
	jq -e 'all(.groups[]; ((.values | add / length) - .mean | fabs) <= 1e-9 * (.mean | fabs))' \
		report.json
}

@test "a report that cannot be written is a failure" {
	[ -e /dev/full ] || skip "/dev/full is missing"
	run_check "$BRUNT" run command -q -o set -n 1 --warmup 0 -- true
	run_mustfail 1 bash -c "'$BRUNT' report set >/dev/full"
	run_mustfail 1 "$BRUNT" report set -o /no/such/folder/report
}

@test "a session that was killed: status says so, resume does what is missing" {
	hang_in 6
	start_brunt run command -o set -n 4 --warmup 0 -c a -c b -- ./program
	wait_for 30 [ -e hangs ]
	run_check "$BRUNT" status set
	assert_has "running" "$output"
	assert_has "pid $brunt_pid" "$output"
	run_mustfail 1 "$BRUNT" resume set
	assert_has "still running (pid $brunt_pid)" "$stderr"
	kill -KILL "$brunt_pid"
	end_brunt
	run_check "$BRUNT" status set
	assert_has "2 of 4 rounds, killed" "$output"
	assert_has "1 without an end" "$output"
	assert_has "brunt resume set" "$output"
	run_check "$BRUNT" status --json set
	jq -e '.sessions[0] | .status == "killed" and .rounds_done == 2 and .rounds_planned == 4' \
		<<<"$output"
	jq -e '.total | .rounds_missing == 2 and .rounds_planned == 4' <<<"$output"
	run_check "$BRUNT" clean
	run_check "$BRUNT" resume set
	[ "$(count_ends set '.status == "ok"')" = 9 ]
	[ "$(session set '[.resumes != null, .rounds, .status]')" = '[true,2,"complete"]' ]
	[ "$(ends set ".session == \"$(session set .id)\"" | jq .round | sort | uniq -c |
		tr -s ' ' | tr '\n' ';')" = " 2 1; 2 2;" ]
	run_check "$BRUNT" report set --format json
	jq -e '[.groups[] | select(.metric == "real") | .n] == [4, 4] and .sets[0].unended == 1' \
		<<<"$output"
	run_check "$BRUNT" resume set
	assert_has "nothing is missing" "$stderr"
	[ "$(count_ends set '.status == "ok"')" = 9 ]
	run_check "$BRUNT" status set
	assert_has "2 of 2 rounds, complete" "$output"
	assert_has "all sessions: 4 of 4 rounds, 0 missing; 9 runs ok, 0 failed, 0 invalid" "$output"
}

@test "resume says at its end what run says" {
	hang_in 2
	start_brunt run command -o set -n 2 --warmup 0 --max-retries 0 -- ./program
	wait_for 30 [ -e hangs ]
	kill -INT "$brunt_pid"
	end_brunt
	assert_brunt_status 130
	# the rest fails, so that resume has something to say
	printf '#!/bin/sh\nexit 3\n' >program
	run_mustfail 4 "$BRUNT" resume set
	assert_has "the results are in set" "$stderr"
	assert_has "1 run(s) failed" "$stderr"
	run_check "$BRUNT" status set
	assert_has "all sessions:" "$output"
}

@test "resume of a session that was killed while it resumed" {
	hang_in 3
	start_brunt run command -o set -n 3 --warmup 0 -- ./program
	wait_for 30 [ -e hangs ]
	kill -KILL "$brunt_pid"
	end_brunt
	rm hangs
	hang_in 4
	start_brunt resume set
	wait_for 30 [ -e hangs ]
	kill -KILL "$brunt_pid"
	end_brunt
	run_check "$BRUNT" clean
	run_check "$BRUNT" resume set
	[ "$(rounds_of set none)" = 3 ]
	run_check "$BRUNT" resume set
	assert_has "nothing is missing" "$stderr"
}

@test "resume adds the missing rounds of each point" {
	hang_in 6
	start_brunt run command -o set -n 2 --warmup 0 --sweep output=keep,null -c a -c b -- ./program
	wait_for 30 [ -e hangs ]
	kill -KILL "$brunt_pid"
	end_brunt
	run_check "$BRUNT" clean
	run_check "$BRUNT" resume set
	run_check "$BRUNT" report set --format json
	jq -e '[.groups[] | select(.metric == "real") | .n] == [2, 2, 2, 2]' <<<"$output"
}

@test "resume of a complete session: nothing is missing" {
	run_check "$BRUNT" run command -q -o set -n 2 -- true
	cp set/runs.jsonl before
	run_check "$BRUNT" resume set
	assert_has "nothing is missing" "$stderr"
	cmp before set/runs.jsonl
}

@test "resume on another kernel is refused" {
	run_check "$BRUNT" run command -q -o set -n 2 -- true
	sed -i 's/"kernel.version": "/&other /; s/"status": "complete"/"status": "interrupted"/' \
		set/sessions/*.json
	cp set/runs.jsonl before
	run_mustfail 1 "$BRUNT" resume set
	assert_has "the session ran on kernel" "$stderr"
	cmp before set/runs.jsonl
}

@test "two brunts at once: the second is refused and says who is there" {
	hang_in 2
	start_brunt run command -o set -n 2 --warmup 0 -- ./program
	wait_for 30 [ -e hangs ]
	run_mustfail 1 "$BRUNT" run command -o other -n 1 -- true
	assert_has "pid $brunt_pid" "$stderr"
	assert_has "--force" "$stderr"
	[ ! -e other ]
	>go
	end_brunt
	assert_brunt_status 0
	[ "$(count_ends set '.status == "ok"')" = 2 ]
	run_check "$BRUNT" run command -q -o other -n 1 -- true
}

@test "with --force both work, even in one set" {
	hang_in 2
	start_brunt run command -o set -n 3 --warmup 0 -l first -- ./program
	wait_for 30 [ -e hangs ]
	run_check "$BRUNT" run command -q --force -o set -n 2 --warmup 0 -l second -- true
	run_check "$BRUNT" clean
	assert_has_not killed "$output"
	>go
	end_brunt
	assert_brunt_status 0
	[ "$(count_ends set '.status == "ok"')" = 5 ]
	[ "$(ends set | jq .run | sort -n | tr '\n' ' ')" = "1 2 3 4 5 " ]
	[ "$(jq -r .status set/sessions/*.json | sort -u)" = complete ]
}

@test "what a killed session left is said before the next one, and clean undoes it" {
	hang_in 1
	start_brunt run command -o set -n 1 --warmup 0 -- ./program
	wait_for 30 [ -e hangs ]
	kill -KILL "$brunt_pid"
	end_brunt
	run_check "$BRUNT" run command -o other -n 1 --warmup 0 -- true
	assert_has "1 killed session left something behind" "$stderr"
	run_check "$BRUNT" clean --dry-run
	assert_has "would be" "$output"
	run_check "$BRUNT" clean
	[ -n "$output" ]
	run_check "$BRUNT" clean
	[ -z "$output" ]
}
