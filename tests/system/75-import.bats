#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=fast
# import: results of other tools as a set that report and compare take like our own.

load lib

setup()
{
	cd "$BATS_TEST_TMPDIR" || return
	fixtures=$ROOT/tests/fixtures
	published=$ROOT/results/published
}

# "label config workload metric=value..." of each run of a set
runs_of() # SET
{
	jq -r '"\(.label)|\(.config)|\(.workload)|\(.status) " +
		([.metrics | to_entries[] | "\(.key)=\(.value.value)"] | join(" "))' "$1/runs.jsonl"
}

times() # REAL...
{
	local real
	for real; do
		printf '\nreal\t0m%ss\nuser\t0m1.5s\nsys\t0m0.25s\n' "$real"
	done
}

# The comparisons of two sets are the same but for the names of what is compared.
assert_same_figures() # SET SET
{
	local filter='[.comparisons[] | [.change_pct, .ci95_pct, .ci95_rounding_pct, .p, .p_holm,
		.mde_pct, .verdict, .family_size]] | sort'
	run_check "$BRUNT" report "$1" --format json
	jq -S "$filter" <<<"$output" >first
	run_check "$BRUNT" report "$2" --format json
	jq -S "$filter" <<<"$output" >second
	[ "$(jq length first)" -gt 1 ]
	diff first second
}

@test "a text that was cut off in mid-line says so, and half a number is none" {
	printf 'real 187.25\nuser 1.5\nsys 0.25\nreal 3' >cut.txt
	run_check "$BRUNT" import cut.txt -o set
	assert_has "cut.txt:4: the text ends within this line" "$stderr"
	[ "$(jq -c '[.metrics[].value]' set/runs.jsonl)" = "[187.25,1.5,0.25]" ]
	printf 'real\t3m7' >cut.txt
	run_mustfail 1 "$BRUNT" import cut.txt -o none
	assert_has "cut.txt:1: the text ends within this line" "$stderr"
	# whole although no newline ends it
	printf '\nreal\t0m2.5s\nuser\t0m1.5s\nsys\t0m0.25s' >whole.txt
	run_check "$BRUNT" import whole.txt -o whole
	[ "$(jq '.metrics.sys.value' whole/runs.jsonl)" = 0.25 ]
}

@test "files of time are before and after by their names" {
	times 2.5 2.6 2.4 >before.txt
	times 3.5 3.6 3.4 >after.txt
	run_check "$BRUNT" import before.txt after.txt -o set
	assert_has "before.txt: time: '': 3 runs" "$stderr"
	assert_has "the results are in set" "$stderr"
	[ "$output" = "" ]
	[ "$(runs_of set | head -1)" = "before|none|time|ok real=2.5 user=1.5 sys=0.25" ]
	run_check "$BRUNT" compare set --metric real
	assert_has "before -> after costs real" "$output"
	# nothing is derived
	assert_has_not cpu "$(<set/runs.jsonl)"
	jq -e '.metrics.real | .text == "0m2.5s" and .half_step == 0.05 and .line == 2 and
		.better == "lower" and .headline' <(head -1 set/runs.jsonl)
	jq -e '.round == null and .position == null and .boot_id == null and .host == null' \
		<(head -1 set/runs.jsonl)
}

@test "label and configuration can be given" {
	times 2.5 2.6 >a
	run_check "$BRUNT" import a -l 6.1 -c ext4 -o set
	[ "$(runs_of set | cut -d' ' -f1 | uniq)" = "6.1|ext4|time|ok" ]
	# what the text tells apart stays apart
	{ printf 'Before:\n' && times 2.5 && printf 'After:\n' && times 2.5; } >b
	run_check "$BRUNT" import b -l 6.2 -o set
	[ "$(runs_of set | tail -n +3 | cut -d' ' -f1)" = $'6.2|Before|time|ok\n6.2|After|time|ok' ]
	assert_has "configurations" "$stderr"
	run_check "$BRUNT" import b -l 6.3 -c x -o other
	[ "$(jq -r '[.label, .config, .workload] | join("|")' other/runs.jsonl)" = \
		$'6.3|x|time: Before\n6.3|x|time: After' ]
}

@test "a set is added to, and nothing is imported twice" {
	times 2.5 2.6 >a
	times 3.5 3.6 >b
	run_check "$BRUNT" import a -o set
	run_check "$BRUNT" import b -o set
	[ "$(jq -s '[.[].run] == [1, 2, 3, 4]' set/runs.jsonl)" = true ]
	[ "$(ls set/sessions)" = $'0001-a.json\n0002-b.json' ]
	cp a copy-of-a
	run_mustfail 1 "$BRUNT" import copy-of-a -o set
	assert_has "is in set already (session 0001-a)" "$stderr"
	[ "$(wc -l <set/runs.jsonl)" = 4 ]
	run_check "$BRUNT" verify set
}

# As on a disk that is full: a file may not grow beyond 8 KiB.
import_without_room() # FILE SET
{
	(
		trap '' XFSZ
		ulimit -f 8
		"$BRUNT" import "$1" -o "$2"
	)
}

@test "half an import is none where the disk is full, and it can be done again" {
	times $(seq 2 60) >many
	{ times 2.5 2.6; cat "$fixtures/means/markers.txt"; } >few
	run_mustfail 1 import_without_room many none
	assert_has "File too large" "$stderr"
	[ ! -e none ]
	run_check "$BRUNT" import few -o set
	cp -r set before
	run_mustfail 1 import_without_room many set
	diff -r before set
	run_check "$BRUNT" import many -o set
	[ "$(wc -l <set/runs.jsonl)" = 61 ]
	run_check "$BRUNT" verify set
}

@test "nothing recognised: it says what was looked for, and writes nothing" {
	echo 'a text of no results' >empty
	times 2.5 >good
	run_mustfail 1 "$BRUNT" import good empty -o set
	assert_has "empty: nothing was recognised; looked for: brunt, time, lmbench" "$stderr"
	[ ! -e set ]
	run_mustfail 1 "$BRUNT" import good --as lmbench -o set
	assert_has "nothing was recognised; looked for: lmbench" "$stderr"
	run_mustfail 2 "$BRUNT" import good --as lmbensh
	assert_has "did you mean 'lmbench'?" "$stderr"
	run_mustfail 1 "$BRUNT" import not-there
	run_mustfail 1 "$BRUNT" import .
	assert_has "is a folder" "$stderr"
	run_mustfail 2 "$BRUNT" import
}

@test "what cannot be read in one way is left out with its place" {
	{ times 2.5 && printf 'real 1m64.5s\nuser 0m1s\n'; } >a
	run_check "$BRUNT" import a -o set
	assert_has "a:5:6: '1m64.5s' is no time" "$stderr"
	jq -se '[.[].metrics.real.value] == [2.5, null]' set/runs.jsonl
}

@test "a failed run stays failed and counts in no mean" {
	{ times 2.5 2.6 2.4 && printf "make: *** [Makefile:9: all] Error 2\n" && times 0.1; } >a
	run_check "$BRUNT" import a -o set
	assert_has "4 runs, 1 of them failed" "$stderr"
	[ "$(jq -r 'select(.status == "failed") | .reason' set/runs.jsonl)" = \
		"make: *** [Makefile:9: all] Error 2" ]
	run_mustfail 4 "$BRUNT" report set --format json
	jq -e '.groups[0].n == 3 and .groups[0].mean == 2.5' <<<"$output"
}

@test "mails and pages of their archives" {
	run_check "$BRUNT" import "$fixtures/plain/page.html" -o page
	jq -e '.imported | .author == "Ann Other" and .title == "archive: slow builds" and
		.format == "time" and .order == "unknown"' page/sessions/*.json
	[ "$(jq -r .metrics.real.line page/runs.jsonl | head -1)" = 9 ]
	run_check "$BRUNT" import "$fixtures/plain/quoted.txt" -o quoted
	[ "$(jq -s '[.[].metrics.real.value] == [12.5, 2.5]' quoted/runs.jsonl)" = true ]
}

@test "standard input is a file" {
	times 2.5 >a
	run --separate-stderr "$BRUNT" import - -o set <a
	[ "$status" = 0 ]
	[ "$(runs_of set | wc -l)" = 1 ]
}

@test "a signal ends it while it reads, and nothing is written" {
	local pid status=0
	mkfifo pipe
	"$BRUNT" import pipe -o set 3>&- &
	pid=$!
	exec 4>pipe # returns when import has opened it
	kill -TERM "$pid"
	wait "$pid" || status=$?
	exec 4>&-
	[ "$status" = 143 ]
	[ ! -e set ]
}

# The published sets hold each figure as it was printed: put back into the layout of the posts
# they have to give what they gave.
@test "kernel builds in two columns, as they were posted" {
	jq -rs 'def side(l): [.[] | select(.label == l) | .metrics];
		[side("old-hooks"), side("new-hooks")] | transpose[] as [$a, $b] |
		["real", "user", "sys"][] | "\(.) \($a[.].text) \(.) \($b[.].text)",
			(select(. == "sys") | "")' "$published/lsm-kernel-build/runs.jsonl" >rows
	{ printf 'Kernel build:\n\nold hooks new hooks\n--------- ---------\n' && cat rows; } >post
	run_check "$BRUNT" import post -o set
	assert_has "'Kernel build: old hooks': 6 runs" "$stderr"
	assert_same_figures set "$published/lsm-kernel-build"
}

@test "rows of lmbench under bare labels, as they were quoted" {
	{
		printf '> Processor, Processes - times in microseconds - smaller is better\n'
		printf '> Host                 OS  Mhz null null      open slct sig  sig  fork exec sh\n'
		printf '>                              call  I/O stat clos TCP  inst hndl proc proc proc\n'
		jq -rs 'group_by(.label)[] | "> " + .[0].label, (.[] | "> ezr       Linux 2.6.21- 1000 " +
			([.metrics[].text] | join(" ")), ">")' "$published/paravirt/runs.jsonl"
	} >post
	run_check "$BRUNT" import post -o set
	assert_same_figures set "$published/paravirt"
}

@test "means with their STDDEV, as they were posted" {
	{
		printf '10 runs with each configuration, averages of the times:\n\n'
		printf 'Kernel                                 w/out BT   STDDEV     w/ BT    STDDEV\n'
		printf -- '-------------------------------------  ---------  ------   ---------  ------\n'
		jq -rs 'group_by(.label)[] | (.[0].label | . + " " * (37 - length)) +
			([.[] | "  \(.text)    \(.spread)"] | join("  "))' "$published/markers/summaries.jsonl"
	} >post
	run_check "$BRUNT" import post -o set
	[ "$(wc -l <set/summaries.jsonl)" = 4 ]
	assert_same_figures set "$published/markers"
	run_check "$BRUNT" verify set
}

@test "all figures of a post: builds beside lmbench, families apart" {
	{ cat "$fixtures/lmbench/descriptions.txt" && printf '\nKernel build:\n\nold new\n--- ---\n' &&
		printf 'real 1m2.5s real 1m3.5s\nuser 1m1s user 1m1s\n'; } >post
	run_check "$BRUNT" import post -o set
	assert_has "post: lmbench: 'x86_64-linux-gnu-before': 2 runs" "$stderr"
	assert_has "post: time: 'Kernel build: new': 1 run" "$stderr"
	[ "$(runs_of set | cut -d'|' -f3 | sort | uniq -c | tr -s ' ')" = $' 4 lmbench\n 2 time' ]
}

@test "a comma locale changes nothing" {
	need_program localedef locales
	localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 2>/dev/null || skip "no source of the locale de_DE"
	for file in time/comma-columns.txt lmbench/summary.txt means/units.txt; do
		rm -rf one two
		run_check "$BRUNT" import "$fixtures/$file" -o one
		run_check env LOCPATH="$PWD" LC_ALL=de_DE.UTF-8 "$BRUNT" import "$fixtures/$file" -o two
		cat one/*.jsonl >first
		cat two/*.jsonl >second
		diff first second
	done
}
