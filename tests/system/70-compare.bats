#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=fast
# compare, verify, plan --from and the published sets: what scripts see of them.

load lib

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	published=$ROOT/results/published
}

# A set of one metric: a line a value. Values of "-" leave that round without a run.
# make_set SET LABEL BOOT CONFIG VALUE...
make_set()
{
	local set=$1 label=$2 boot=$3 config=$4 run round=0 value
	shift 4
	mkdir -p "$set/sessions"
	touch "$set/runs.jsonl"
	run=$(wc -l <"$set/runs.jsonl")
	jq -n --arg l "$label" --arg b "$boot" '{schema: "1.0", id: ($l + $b), host: "h", label: $l,
		boot_id: $b, started: "2026-01-01", experiment: {}}' >"$set/sessions/$label$boot.json"
	for value; do
		round=$((round + 1))
		[ "$value" != - ] || continue
		run=$((run + 1))
		jq -nc --arg l "$label" --arg b "$boot" --arg c "$config" --argjson v "$value" \
			--argjson r "$run" --argjson n "$round" '{schema: "1.0", event: "end", run: $r,
			round: $n, position: 1, session: ($l + $b), host: "h", boot_id: $b, label: $l,
			config: $c, workload: "command", point: {}, role: "measured", status: "ok",
			start_boottime_ns: ($r * 60000000000),
			metrics: {real: {value: $v, unit: "s", better: "lower", headline: true}}}' \
			>>"$set/runs.jsonl"
	done
}

fast='1.01 1.03 1.02 1.00 1.04 1.02' slow='1.20 1.22 1.21 1.19 1.23 1.21'
noisy='0.80 1.30 1.10 0.90 1.25 1.00'

# shellcheck disable=SC2086 # the values are words
two_configs() # SET: b is slower than a by 18.6 %
{
	make_set "$1" 6.1 b1 a $fast
	make_set "$1" 6.1 b1 b $slow
}

@test "the kernel builds of 2005: sys alone is proven" {
	run_check "$BRUNT" compare "$published/lsm-kernel-build" --format json
	jq -e '[.comparisons[] | [.metric, .verdict, .family_size]] ==
		[["real", "equivalent", 3], ["user", "equivalent", 3], ["sys", "better", 3]]' <<<"$output"
	jq -e 'def near(a; b): (a - b | fabs) < 1e-6;
		.comparisons[2] | near(.ci95_pct[0]; -2.788246) and near(.ci95_pct[1]; -0.828283) and
		near(.p; 0.0024298163) and near(.p_holm; 0.0072894) and .paired == false' <<<"$output"
	run_check "$BRUNT" report "$published/lsm-kernel-build"
	assert_has "LSM hook updates, 2005-08-25 (Chris Wright)" "$output"
	assert_has "improves sys" "$output"
}

@test "the markers of 2007: no claim holds, blktrace does, and they do not interact" {
	run_check "$BRUNT" report "$published/markers" --format json
	jq -e '[.comparisons[] | .verdict] == ["worse", "worse", "inconclusive", "inconclusive", null]
		and all(.groups[]; .values == null and .n == 10)' <<<"$output"
	jq -e '.comparisons[4] | .kind == "interaction" and (.p * 10000 | round) == 2207 and
		(100 * .change_pct | round) == -583 and (100 * .ci95_pct[0] | round) == -1474 and
		(100 * .ci95_pct[1] | round) == 401' <<<"$output"
	run_check "$BRUNT" report "$published/markers"
	assert_has "x 0.942 [0.853, 1.040], p .22" "$output"
}

@test "the paravirt rows of 2007: two of ten survive the correction" {
	run_check "$BRUNT" compare "$published/paravirt" --format json
	[ "$(jq -c '[.comparisons[] | select(.verdict == "worse") | [.metric,
		(1000 * .p_holm | round)]]' <<<"$output")" = '[["null_call",2],["fork",19]]' ]
	[ "$(jq '.comparisons | length' <<<"$output")" = 10 ]
}

@test "what brunt cannot know of other people's runs is said" {
	run_check "$BRUNT" report "$published/lsm-kernel-build"
	assert_has "judged as published" "$output"
	assert_has "no test for drift" "$output"
	assert_has_not "autocorrelation" "$output"
}

@test "compare exits with 3, 6 and 0 as its options ask" {
	two_configs set
	run_check "$BRUNT" compare set
	assert_has "real  worse" "$output"
	run_mustfail 3 "$BRUNT" compare set --fail-if-worse 10
	run_check "$BRUNT" compare set --fail-if-worse 25
	run_mustfail 6 "$BRUNT" compare set --require-within 5
	run_check "$BRUNT" compare set --require-within 25
	run_mustfail 3 "$BRUNT" compare set --fail-if-worse 10 --require-within 5
	run_check "$BRUNT" compare set,config=b set,config=a --fail-if-worse 0
	run_mustfail 2 "$BRUNT" compare set --fail-if-worse much
}

# shellcheck disable=SC2086
@test "labels of one boot exit with 4, before 3 and 6, unless --one-boot" {
	make_set set 6.1 b1 a $fast
	make_set set 6.2 b2 a $slow
	run_mustfail 4 "$BRUNT" compare set
	assert_has "cannot be told apart" "$output"
	run_mustfail 4 "$BRUNT" compare set --fail-if-worse 1 --require-within 1
	run_mustfail 3 "$BRUNT" compare set --fail-if-worse 1 --one-boot
	run_check "$BRUNT" compare set --fail-if-worse 150 --one-boot
	run_mustfail 4 "$BRUNT" compare set,label=6.1 set,label=6.2
	# report says the same, and it is no failure of the report
	run_check "$BRUNT" report set
}

@test "a metric in another unit on each side is named, and exits with 4" {
	two_configs set
	jq -c 'if .config == "b" then .metrics.real.unit = "ms" else . end |
		.metrics.cpu = {value: .metrics.real.value, unit: "s", better: "lower"}' \
		set/runs.jsonl >new && mv new set/runs.jsonl
	run_mustfail 4 "$BRUNT" compare set --fail-if-worse 50 --require-within 50
	assert_has "real was not compared: s in a, ms in b" "$output"
	assert_has "cpu  worse" "$output"
	assert_has_not "STDDEV      b" "$output"
	run_mustfail 125 "$BRUNT" compare set --bisect
	run_mustfail 4 "$BRUNT" compare set --metric real
	run_check "$BRUNT" compare set --metric cpu
	run_check "$BRUNT" report set --format json
	jq -e '.not_compared == [{host: "h", workload: "command", point: {}, metric: "real",
		base: {set: "set", label: "6.1", config: "a", unit: "s", better: "lower"},
		new: {set: "set", label: "6.1", config: "b", unit: "ms", better: "lower"}}]' <<<"$output"
	run_check "$BRUNT" report set --format mail
	assert_has "real was not compared" "$output"
}

@test "a metric whose unit changes in the middle of a side is named, and exits with 4" {
	two_configs set
	jq -c 'if .config == "b" and .round > 3 then .metrics.real.unit = "ms" else . end' \
		set/runs.jsonl >new && mv new set/runs.jsonl
	run_mustfail 4 "$BRUNT" compare set
	assert_has "3 of 6 rounds" "$output"
	assert_has "real in ms was not compared: s in a, ms in b" "$output"
	assert_has "real in s of b (runs 10, 11, 12)" "$output"
}

@test "a side whose runs all failed exits with 4, alone and beside others" {
	two_configs set
	jq -c 'if .config == "b" then .status = "failed" | .reason = "no luck" else . end' \
		set/runs.jsonl >new && mv new set/runs.jsonl
	run_mustfail 4 "$BRUNT" compare set
	assert_has "nothing can be compared" "$output"
	assert_has "no luck" "$output"
	run_mustfail 125 "$BRUNT" compare set --bisect
	# shellcheck disable=SC2086
	make_set set 6.1 b1 c $fast
	run_mustfail 4 "$BRUNT" compare set,config=c set,config=b
}

# shellcheck disable=SC2086
@test "a configuration that always fails costs the others nothing" {
	two_configs set
	make_set set 6.1 b1 c $fast
	jq -c 'if .config == "c" then .status = "failed" | .reason = "no luck" else . end' \
		set/runs.jsonl >new && mv new set/runs.jsonl
	run_check "$BRUNT" compare set,config=a set,config=b
	assert_has "real  worse" "$output"
	run_mustfail 4 "$BRUNT" compare set
	assert_has "a -> b costs real +18.6" "$output"
	assert_has "a -> c: no verdict: no run of c counts" "$output"
	run_mustfail 4 "$BRUNT" report set
	for format in text mail markdown html; do
		[ "$format" != html ] || command -v gnuplot >/dev/null || continue
		run_mustfail 4 "$BRUNT" report set --format "$format"
		assert_has "no verdict: no run of" "$output"
	done
	run_mustfail 4 "$BRUNT" report set --format json
	jq -e '.not_compared[0] | .metric == null and .new.config == "c"' <<<"$output"
}

@test "a metric that some runs lack: its row is of the rounds that have it" {
	make_set set 6.1 b1 a 1.0 1.1 1.2 9
	make_set set 6.1 b1 b 2.0 2.1 2.2 9
	jq -c 'if .config == "b" and .round == 4 then .metrics.cpu = .metrics.real |
		del(.metrics.real) else . end' set/runs.jsonl >new && mv new set/runs.jsonl
	run_check "$BRUNT" report set
	assert_has "3 of 4 rounds" "$output"
	assert_has "not in every run that counts: real of b (run 8)" "$output"
	# the mean of a is 1.1, not 3.1
	[[ $output =~ real\ s\ +1.10\ +0.10\ +2.10\ +0.10 ]]
	run_check "$BRUNT" report set --format json
	jq -e '.comparisons[0].base | .n == 3 and (1000 * .mean | round) == 1100' <<<"$output"
	jq -e '[.groups[] | select(.metric == "real") | .missing_in] == [[], [8]]' <<<"$output"
}

# A mean over all runs would say the opposite here: boots with many runs weigh more in it.
@test "a verdict has the sign of its change, however many runs a boot has" {
	local i

	for i in 1 2 3 4; do
		make_set set 6.1 "old$i" a "$(jq -n "0.96 + 0.02 * $i")"
		make_set set 6.2 "new$i" a "$(jq -n "1.03 + 0.02 * $i")"
	done
	# shellcheck disable=SC2046
	make_set set 6.1 old5 a $(printf '1.06 %.0s' {1..20})
	# shellcheck disable=SC2046
	make_set set 6.2 new5 a $(printf '1.03 %.0s' {1..20})
	run_mustfail 3 "$BRUNT" compare set --format json --fail-if-worse 0
	jq -e '.comparisons[0] | .unit == "boot" and .verdict == "worse" and .change_pct > 4 and
		.base.label == "6.1"' <<<"$output"
}

# shellcheck disable=SC2086
@test "--bisect exits with 0, 1 or 125" {
	two_configs set
	run_mustfail 1 "$BRUNT" compare set --bisect --fail-if-worse 10
	run_check "$BRUNT" compare set --bisect --fail-if-worse 30
	make_set noise 6.1 b1 a $fast
	make_set noise 6.1 b1 b $noisy
	run_mustfail 125 "$BRUNT" compare noise --bisect --fail-if-worse 5
	make_set same 6.1 b1 a $fast
	make_set same 6.1 b1 b $fast
	run_check "$BRUNT" compare same --bisect
	make_set labels 6.1 b1 a $fast
	make_set labels 6.2 b2 a $slow
	run_mustfail 125 "$BRUNT" compare labels --bisect
	# git reads every other status as a bad commit
	run_mustfail 125 "$BRUNT" compare no-such-set --bisect
	assert_has "no-such-set" "$stderr"
	run_mustfail 125 "$BRUNT" compare set,config=nine --bisect
}

# shellcheck disable=SC2086
@test "two sets are two sides, unpaired" {
	make_set one 6.1 b1 a $fast
	make_set two 6.1 b1 a $slow
	run_mustfail 3 "$BRUNT" compare one two --format json --fail-if-worse 10
	jq -e '.comparisons | length == 1 and (.[0] | .base.set == "one" and .new.set == "two" and
		.paired == false and .unit == "run" and .verdict == "worse")' <<<"$output"
	run_check "$BRUNT" compare one two
	assert_has "command: one -> two costs real" "$output"
	# the same set by another path is still one, and its configurations are pairs
	two_configs set
	run_check "$BRUNT" compare set,config=a ./set/../set,config=b --format json
	jq -e '.comparisons[0].paired and (.sets | length) == 1' <<<"$output"
}

# shellcheck disable=SC2086
@test "two sets of two boots exit with 4 unless --one-boot, and are named in the trailer" {
	make_set one 6.1 b1 a $fast
	make_set two 6.1 b2 a $slow
	run_mustfail 4 "$BRUNT" compare one two --fail-if-worse 10
	assert_has "set and boot cannot be told apart" "$output"
	run_mustfail 3 "$BRUNT" compare one two --fail-if-worse 10 --one-boot
	run_mustfail 4 "$BRUNT" compare one two --trailer
	[[ $output =~ ,\ a:\ one\ -\>\ two,\ real\ \+18\.6.*\(inconclusive\)$ ]]
	run_check "$BRUNT" compare two one --trailer --one-boot
	[[ $output =~ ,\ a:\ two\ -\>\ one,\ real\ -15\.7 ]]
}

# shellcheck disable=SC2086
@test "labels of one boot exit with 4, and the reason is not the boot" {
	make_set set 6.1 b1 a $fast
	make_set set 6.2 b1 a $slow
	run_mustfail 4 "$BRUNT" compare set
	assert_has "labels of one boot" "$output"
	assert_has_not "kernel and boot" "$output"
	run_mustfail 3 "$BRUNT" compare set --fail-if-worse 10 --one-boot
}

# shellcheck disable=SC2086
@test "other work under one name is told" {
	local set format
	make_set one 6.1 b1 a $fast
	make_set two 6.1 b1 a $fast
	for set in one two; do
		jq --arg s "$set" '.experiment = {workloads: [{workload: "command", argv: "do \($s)"}],
			configs: [{name: "a", tracer: "none"}]}' "$set/sessions/6.1b1.json" >new
		mv new "$set/sessions/6.1b1.json"
	done
	run_check "$BRUNT" compare one two
	assert_has "did not do the same work" "$stderr"
	assert_has "the work is not the same, 6.1 of one -> 6.1 of two:" "$output"
	assert_has "command argv do one -> do two" "$output"
	for format in mail markdown; do
		run_check "$BRUNT" compare one two --format "$format"
		assert_has "the work is not the same" "$output"
	done
	run_check "$BRUNT" compare one two --format json
	jq -e '.work_differences | length == 1 and (.[0] | .key == "command argv" and
		.base_value == "do one" and .new_value == "do two")' <<<"$output"
	cp one/sessions/6.1b1.json two/sessions/6.1b1.json
	run_check "$BRUNT" compare one two
	[ -z "$stderr" ]
}

@test "session files that are missing or torn are told as such" {
	two_configs set
	echo '{' >set/sessions/6.1b1.json
	run_check "$BRUNT" report set
	assert_has "1 session file could not be read" "$output"
	assert_has "1 session that runs are of has no file" "$output"
	assert_has_not "line could not be read" "$output"
	rm set/sessions/6.1b1.json
	run_check "$BRUNT" report set
	assert_has "1 session that runs are of has no file" "$output"
	run_check "$BRUNT" report set --format json
	jq -e '.sets[0].missing_sessions == 1' <<<"$output"
}

@test "what is wrong with a side is said" {
	two_configs set
	run_mustfail 2 "$BRUNT" compare
	run_mustfail 2 "$BRUNT" compare set set set
	run_mustfail 2 "$BRUNT" compare set,config=B
	assert_has "there is no configuration 'B'" "$stderr"
	run_mustfail 2 "$BRUNT" compare set,tracer=b
	assert_has "label=NAME or config=NAME" "$stderr"
	run_mustfail 2 "$BRUNT" compare set set
	assert_has "both sides are the same" "$stderr"
	run_mustfail 1 "$BRUNT" compare nowhere
	run_mustfail 2 "$BRUNT" compare set --metric rael
	assert_has "did you mean 'real'" "$stderr"
}

# shellcheck disable=SC2086
@test "names with commas, blanks, quotes and escapes" {
	local evil=$'a,b "c" $(x)\e[31m\n'
	make_set 'my, set' "$evil" b1 "$evil" $fast
	make_set 'my, set' "$evil" b1 plain $slow
	run_check "$BRUNT" compare 'my, set'
	assert_has_not $'\e' "$output"
	run_check "$BRUNT" compare "my\\, set,config=${evil/,/\\,}" 'my\, set,config=plain' --format json
	[ "$(jq -r '.comparisons[0].base.config' <<<"$output")" = "${evil%$'\n'}" ]
	run_check "$BRUNT" compare 'my, set' --trailer
	[ "$(wc -l <<<"$output")" = 1 ]
}

@test "--summary judges a table that somebody posted" {
	run_check "$BRUNT" compare --summary 14.679982,.34,10 14.993041,.59,10 --format json
	jq -e '.comparisons[0] | (.change_pct * 1000 | round) == 2133 and .verdict == "inconclusive" and
		(.p * 10000 | round) == 1675 and .runs_needed.n == 44 and (.mde_pct * 100 | round) == 441 and
		(.ci95_pct[0] * 100 | round) == -100 and (.ci95_pct[1] * 100 | round) == 530 and
		(.at_worst_pct * 1000 | round) == 4737 and (.at_best_pct * 1000 | round) == -444' <<<"$output"
	run_check "$BRUNT" compare --summary 27.754796,2.09,10 26.694993,3.23,10 --format json
	jq -e '.comparisons[0].runs_needed.n == 379' <<<"$output"
	run_mustfail 3 "$BRUNT" compare --summary 14.68,.34,10 27.75,2.09,10 --fail-if-worse 50
	run_mustfail 6 "$BRUNT" compare --summary 14.68,.34,10 14.99,.59,10 --require-within 2
	run_check "$BRUNT" compare --summary 14.68,.34,10 14.99,.59,10 --require-within 5
	run_check "$BRUNT" compare --summary 5,0,3 5,0,3
	assert_has "0.0" "$output"
	run_check "$BRUNT" compare --summary 5,1,1 6,1,1
	assert_has "too few" "$output"
	assert_has_not "none" "$output"
	run_check "$BRUNT" compare --summary -10,1,5 -12,1,5
	assert_has "improves value -2.0 [-3.5, -0.5]" "$output"
	run_check "$BRUNT" compare --summary 10,1,5 -1e308,1,5
	assert_has "the values are" "$output"
	run_mustfail 2 "$BRUNT" compare --summary 14.68,.34,10
	run_mustfail 2 "$BRUNT" compare --summary 14.68,.34 1,2,3
	run_mustfail 2 "$BRUNT" compare --summary 14.68,-1,10 1,2,3
	run_mustfail 2 "$BRUNT" compare --summary nan,1,10 1,2,3
	run_mustfail 2 "$BRUNT" compare --summary 1,1,10 1,2,0
}

# shellcheck disable=SC2086
@test "a metric that is no headline decides nothing unless it is asked to" {
	two_configs set
	sed -i 's/"headline":true/"headline":false/' set/runs.jsonl
	run_check "$BRUNT" compare set
	run_mustfail 2 "$BRUNT" compare set --fail-if-worse 1
	assert_has "--all-metrics" "$stderr"
	run_mustfail 3 "$BRUNT" compare set --fail-if-worse 1 --all-metrics
}

@test "the hash is what sha256sum makes of the files" {
	local set=$published/markers expected
	cp -r "$set" set
	two_configs set
	expected=$(cd set && sha256sum runs.jsonl summaries.jsonl sessions/*.json | sha256sum)
	run_check "$BRUNT" verify set
	assert_has "sha256:${expected%% *}" "$output"
	run_check "$BRUNT" report set
	assert_has "set sha256:${expected:0:12}" "$output"
	run_check "$BRUNT" compare set,label=6.1 --trailer
	[[ $output =~ ^Benchmarked:\ brunt\ [0-9.]+,\ set\ sha256:${expected:0:12},\ real\ \+18\.[0-9]+%\ \[ ]]
}

@test "verify computes a report again, and finds what was changed" {
	two_configs set
	run_check "$BRUNT" report set --format json --margin 2 -o report.json
	run_check "$BRUNT" verify report.json set
	assert_has "all as the sets give them" "$output"
	jq '.comparisons[0].change_pct = 1.5' report.json >forged.json
	run_mustfail 1 "$BRUNT" verify forged.json
	assert_has "real, 6.1/a -> 6.1/b: change_pct is 1.5, the set gives 18.6" "$output"
	jq '.comparisons[0].verdict = "equivalent"' report.json >forged.json
	run_mustfail 1 "$BRUNT" verify forged.json
	jq 'del(.groups[0])' report.json >forged.json
	run_mustfail 1 "$BRUNT" verify forged.json
	jq '.groups[0].values[0] += 0.001' report.json >forged.json
	run_mustfail 1 "$BRUNT" verify forged.json
	# a set that went on since
	make_set set 6.1 b1 a - - - - - - 1.5
	run_mustfail 1 "$BRUNT" verify report.json
	assert_has "hash is" "$output"
	# a line that cannot be read
	echo '{"torn":' >>set/runs.jsonl
	run_mustfail 1 "$BRUNT" verify set
	run_mustfail 1 "$BRUNT" verify no-such-file
	run_mustfail 1 "$BRUNT" verify set/runs.jsonl
	run_mustfail 2 "$BRUNT" verify
}

@test "verify finds what was taken out of a report, and what was put in" {
	local path n=0

	two_configs set
	make_set set 6.2 b2 a 2 3 4 5 6 7
	"$BRUNT" report set --format json >report.json
	# each member of the report, and of the first element of each of its arrays
	while read -r path; do
		n=$((n + 1))
		jq "delpaths([$path])" report.json >forged.json
		run_mustfail 1 "$BRUNT" verify forged.json
	done < <(jq -c '(paths | select(length == 1)), (paths | select(length == 2)),
		(paths | select(length == 3 and .[1] == 0))' report.json)
	[ "$n" -gt 80 ]
	jq 'del(.comparisons[] | select(.metric == "real"))' report.json >forged.json
	run_mustfail 1 "$BRUNT" verify forged.json
	assert_has "real" "$output"
	assert_has "is missing" "$output"
	jq '.comparisons += [.comparisons[0]] | .groups[0].median2 = 1 | .more = {}' report.json \
		>forged.json
	run_mustfail 1 "$BRUNT" verify forged.json
	assert_has "more is" "$output"
	assert_has "median2 is 1" "$output"
	assert_has "comparisons has" "$output"
}

@test "verify does what the options and sides of the report say, wherever the set went" {
	local options

	two_configs set
	make_set set 6.2 b2 a 2 3 4 5 6 7
	for options in '--metric real --one-boot' '--base b' '--effect 5 --margin 0 --all-metrics'; do
		# shellcheck disable=SC2086 # words
		run_check "$BRUNT" report set --format json $options
		cat <<<"$output" >report.json
		run_check "$BRUNT" verify report.json
	done
	run_check "$BRUNT" compare set,label=6.1,config=a set,config=b --format json
	cat <<<"$output" >compare.json
	run_check "$BRUNT" verify compare.json
	mkdir elsewhere
	mv set compare.json elsewhere
	run_check "$BRUNT" verify elsewhere/compare.json
	for options in lsm-lmbench ltt paravirt-patching markers; do
		"$BRUNT" report "$published/$options" --format json >report.json
		run_check "$BRUNT" verify report.json
	done
}

@test "plan --from: rounds and hours by the spread and the run times of a set" {
	two_configs set
	run_check "$BRUNT" plan --from set --effect 1
	[[ $output =~ real\ +[0-9]+\ rounds ]]
	assert_has "1 min 00 s a run" "$output"
	run_check "$BRUNT" plan --from "$published/markers"
	[[ $output =~ real\ +44\ runs\ \(25\ to\ 110\) ]]
	[[ $output =~ real\ +380\ runs ]]
	run_mustfail 2 "$BRUNT" plan --effect 2
	run_mustfail 2 "$BRUNT" plan command --from set
	run_mustfail 2 "$BRUNT" plan --from set --effect 0
	run_mustfail 1 "$BRUNT" plan --from no-such-set
}

@test "plan --from: labels in one boot each need boots, not more runs" {
	# shellcheck disable=SC2086 # the values are words
	make_set set 6.1 b1 a $fast
	# shellcheck disable=SC2086
	make_set set 6.2 b2 a $slow
	run_check "$BRUNT" plan --from set
	[[ $output =~ real\ +3\ boots\ a\ side\ or\ more,\ 1\ and\ 1\ so\ far ]]
	assert_has "kernel and boot cannot be told apart" "$output"
	[[ ! $output =~ [0-9]\ runs ]]
	for boot in b3 b4 b5 b6; do
		make_set set 6.$((1 + ${boot#b} % 2)) $boot a "1.0${boot#b}" "1.1${boot#b}"
	done
	run_check "$BRUNT" plan --from set
	[[ $output =~ real\ +[0-9]+\ boots ]]
}

@test "plan --from: rows that get no verdict say why, and no number of rounds" {
	two_configs set
	jq -c '.metrics.sys = (.metrics.real | .value /= 1000) |
		.metrics.cpu = (.metrics.real | .better = "none") |
		.metrics.user = (.metrics.real | .value *= -1)' set/runs.jsonl >lines
	mv lines set/runs.jsonl
	run_check "$BRUNT" plan --from set
	[[ $output =~ real\ +[0-9]+\ rounds ]]
	[[ $output =~ sys\ +no\ verdict:\ split\ sampled\ at\ 4\ ms ]]
	[[ $output =~ cpu\ +no\ verdict:\ neither\ more\ nor\ less ]]
	[[ $output =~ user\ +no\ verdict:\ split ]]
	jq -c '.metrics.real.value *= -1' set/runs.jsonl >lines
	mv lines set/runs.jsonl
	run_check "$BRUNT" plan --from set
	[[ $output =~ real\ +not\ known:\ a\ mean\ is\ not\ above\ 0 ]]
	jq -c 'if .config == "b" and .round < 4 then .status = "failed" else . end' set/runs.jsonl >lines
	mv lines set/runs.jsonl
	run_check "$BRUNT" plan --from set
	assert_has "invalid so far: 3 of 6 runs of b failed or were invalid" "$output"
}

@test "--bisect: wrong words and lost output are undecided, not a bad commit" {
	run_mustfail 125 "$BRUNT" compare "$ROOT/results/published/markers" --bisect --nosuch
	run bash -c "\"$BRUNT\" compare '$ROOT/results/published/lsm-kernel-build' --bisect \
		--fail-if-worse 20 >/dev/full 2>/dev/null"
	[ "$status" = 125 ]
}

@test "one set given twice would stand twice in its family" {
	run_mustfail 2 "$BRUNT" report "$ROOT/results/published/markers" \
		"$ROOT/results/published/../published/markers"
	assert_has "are one set" "$stderr"
}
