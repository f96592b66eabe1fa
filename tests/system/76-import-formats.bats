#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=fast
# import of what other programs print, and of brunt's own reports, from the file to the report.

load lib

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	fixtures=$ROOT/tests/fixtures
	published=$ROOT/results/published
}

metric_of() # SET FILTER METRIC: what the lines of runs say
{
	jq -r "select($2) | .metrics[\"$3\"].value" "$1/runs.jsonl"
}

mean_of() # SET METRIC: mean, n, kind of spread of each summary
{
	jq -r "select(.metric == \"$2\") | \"\(.mean) \(.n) \(.spread_kind)\"" "$1/summaries.jsonl"
}

@test "each format is found by its content" {
	local file format
	while read -r file format; do
		run_check "$BRUNT" import "$fixtures/$file" -o "set-${file//\//-}"
		assert_has ": $format: " "$stderr"
	done <<-END
		kernbench/three-loads.txt kernbench
		kernbench/two-kernels.txt kernbench
		kernbench/appended.log kernbench
		kernbench/kcbench.log kcbench
		fio/one-job.json fio
		fio/two-clones.json fio
		fio/clients.json fio
		fio/version-2.json fio
		fio/terse-3.txt fio
		fio/terse-5.txt fio
		fio/normal-2.txt fio
		fio/normal-3.txt fio
		hyperfine/two-commands.json hyperfine
		hyperfine/parameters.csv hyperfine
		hyperfine/tables.md hyperfine
		hyperfine/printed.txt hyperfine
		perf-stat/repeated.txt perf-stat
		perf-stat/table.txt perf-stat
		perf-stat/in-a-mail.txt perf-stat
		perf-stat/appended.csv perf-stat
		perf-stat/comma-locale.txt perf-stat
		perf-stat/events.jsonl perf-stat
	END
}

@test "what cannot be read in one way is refused with its reason" {
	run_mustfail 1 "$BRUNT" import "$fixtures/fio/broken.json" -o set
	assert_has "broken.json:10" "$stderr"
	assert_has "breaks off" "$stderr"
	run_mustfail 1 "$BRUNT" import "$fixtures/perf-stat/intervals.csv" -o set
	assert_has "a part of one run" "$stderr"
	[ ! -e set ]
}

@test "fio before and after are compared by their IOPS" {
	local i
	for i in 1 2 3; do
		sed "s/8000\\.0/80$i.5/" "$fixtures/fio/one-job.json" >"before$i.json"
		sed "s/8000\\.0/90$i.5/" "$fixtures/fio/one-job.json" >"after$i.json"
	done
	run_check "$BRUNT" import before?.json -l before -c fio -o set
	run_check "$BRUNT" import after?.json -l after -c fio -o set
	run_check "$BRUNT" compare set --metric read.iops
	assert_has "before -> after" "$output"
	run_check "$BRUNT" report set --format json
	[ "$(jq -c '[.groups[] | select(.metric == "read.iops") | [.label, .n, .mean]]' \
		<<<"$output")" = '[["before",3,802.5],["after",3,902.5]]' ]
	[ "$(jq -r '.comparisons[] | select(.metric == "read.iops") | .verdict' <<<"$output")" = better ]
}

@test "a failed fio is imported as failed" {
	run_check "$BRUNT" import "$fixtures/fio/no-aio.txt" -o set
	[ "$(jq -r '"\(.status) \(.metrics | length)"' set/runs.jsonl)" = "failed 0" ]
	jq -e '.reason | contains("Resource temporarily unavailable")' set/runs.jsonl
}

@test "perf's error is the standard error, hyperfine's and kernbench's the deviation" {
	run_check "$BRUNT" import "$fixtures/perf-stat/repeated.txt" -o perf
	[ "$(mean_of perf real)" = "10.8213 5 se" ]
	[ "$(mean_of perf cycles)" = "123456789012 5 se_pct" ]
	run_check "$BRUNT" import "$fixtures/hyperfine/printed.txt" -o hyperfine
	[ "$(mean_of hyperfine real)" = "0.3052 10 sd" ]
	run_check "$BRUNT" import "$fixtures/kernbench/three-loads.txt" -o kernbench
	[ "$(mean_of kernbench real | head -1)" = "210.5 4 sd" ]
	assert_has "mix the runs of all loads" "$stderr"
	[ "$(mean_of kernbench user)" = "701.25 4 sd" ]
	[ "$(mean_of kernbench user.mixed | head -1)" = "780.5 null null" ]
	run_check "$BRUNT" report kernbench
}

@test "means of an unknown number of runs say so, and why there is no verdict" {
	run_check "$BRUNT" import "$fixtures/hyperfine/tables.md" -o hyperfine
	assert_has "of how many runs is not known: no interval and no verdict" "$stderr"
	printf '   10.8213 +- 0.0271 seconds time elapsed  ( +-  0.25%% )\n' >perf.txt
	printf '10.50,msec,task-clock,0.23%%,10503871,100.00,0.998,CPUs utilized\n' >perf.csv
	run_check "$BRUNT" import perf.txt perf.csv -o perf
	assert_has "perf.txt: perf-stat: '': 1 mean, of how many runs is not known" "$stderr"
	jq -e '.n == null and .spread_kind != null' perf/summaries.jsonl
	jq -e '.n == null' hyperfine/summaries.jsonl
	run_check "$BRUNT" report hyperfine
	assert_has "not known how many runs the means are of" "${output//$'\n'/ }"
}

@test "hyperfine's runs are in the order in which they were made" {
	run_check "$BRUNT" import "$fixtures/hyperfine/two-commands.json" -o set
	[ "$(metric_of set '.config | endswith("sort")' real | tr '\n' ' ')" = "1.75 1.5 1.25 " ]
	jq -e '.imported.order == "known"' set/sessions/*.json
	[ "$(jq -r 'select(.status == "failed") | .reason' set/runs.jsonl)" = "exit status 2" ]
}

# What a report says that does not hang on the name of its set.
said_in() # REPORT.json
{
	jq -S 'def where: [.host, .workload, .point, .metric];
		{ groups: [.groups[] | where + [.label, .config, .unit, .better, .headline,
			.half_step, .n, .mean, .sd, .values, .min, .max]] | sort,
		  comparisons: [.comparisons[] | where + [(.base, .new | .label, .config), .kind,
			.change_pct, .ci95_pct, .ci95_rounding_pct, .p, .p_holm, .family_size,
			.rank, .mde_pct, .verdict, .reason]] | sort }' "$1"
}

@test "reports of a set come back as they went out, rounding and verdicts too" {
	local set format options
	for set in lsm-kernel-build lsm-lmbench markers paravirt paravirt-patching ltt; do
		for format in json csv; do
			"$BRUNT" report "$published/$set" --format "$format" >"$set.$format"
			run_check "$BRUNT" import "$set.$format" -o "$set-$format"
			assert_has ": brunt: " "$stderr"
			for options in "" --all-metrics; do
				# shellcheck disable=SC2086 # none or one
				"$BRUNT" report "$published/$set" --format json $options >out.json
				# shellcheck disable=SC2086
				"$BRUNT" report "$set-$format" --format json $options >back.json
				said_in out.json >out
				said_in back.json >back
				[ "$(jq '.comparisons | length' out)" -gt 1 ]
				diff out back
			done
		done
	done
}
