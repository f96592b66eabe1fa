#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bats file_tags=fast
# The command line itself: nothing here runs a workload.

load lib

setup()
{
	mkdir "$BATS_TEST_TMPDIR/here" && cd "$BATS_TEST_TMPDIR/here" || return
}

# The names in a table such as COMMAND(run).
names_in() # FILE
{
	sed -n 's/^[A-Z]*(\([a-z_0-9]*\))$/\1/p' "$ROOT/$1"
}

commands()
{
	names_in runner/commands.def
}

@test "--version says name and version, on stdout" {
	run_check "$BRUNT" --version
	[[ $output =~ ^brunt\ [0-9]+\.[0-9]+ ]]
	[ -z "$stderr" ]
}

@test "--help names every command" {
	run_check "$BRUNT" --help
	[ -z "$stderr" ]
	for command in $(commands); do
		assert_has "  $command " "$output"
	done
}

@test "COMMAND --help says how it is called and each option of it" {
	for command in $(commands); do
		run_check "$BRUNT" "$command" --help
		assert_has "usage: brunt $command" "$output"
		[ -z "$stderr" ]
	done
}

@test "help is at most 100 columns wide" {
	for command in $(commands) ''; do
		# shellcheck disable=SC2086 # no word at all where there is no command
		run_check "$BRUNT" $command --help
		[ "$(printf '%s\n' "$output" | wc -L)" -le 100 ]
	done
}

# The options in the help of COMMAND, a line each.
help_options() # COMMAND
{
	"$BRUNT" "$1" --help | sed -nE 's/^  (-., |    )--([a-z-]+).*/\2/p' | sort -u
}

# Those that the man page has in the part on COMMAND.
man_options() # COMMAND
{
	awk -v command="$1" '/^\.Sh/ || /^\.It Cm/ { inside = $0 ~ "^\\.It Cm (.* )?" command "( |$)" }
		inside && /^\.(It )?Fl/ { for (i = 2; i <= NF; i++) print $i }' "$ROOT/docs/brunt.8" |
		sed -nE 's/^-([a-z][a-z-]+)$/\1/p' | sort -u
}

# Short forms, "n rounds".
help_letters() # COMMAND
{
	"$BRUNT" "$1" --help | sed -nE 's/^  -(.), --([a-z-]+).*/\1 \2/p' | sort
}

@test "the man page has each option of each command, and no other one" {
	for command in $(commands); do
		[ "$command" != plan ] || continue
		diff <(help_options "$command") <(man_options "$command") || {
			echo "brunt $command (<: --help, >: man page)"
			return 1
		}
	done
	# of plan it says: the arguments of run
	diff <(help_options plan) <({ man_options plan; man_options run; } |
		grep -vxE 'force|quiet|tune' | sort -u)
}

@test "the man page has the short forms of options" {
	for command in run report resume; do
		help_letters "$command" | while read -r letter name; do
			grep -q "Fl $letter , -$name\b" "$ROOT/docs/brunt.8" || echo "-$letter, --$name"
		done | { ! grep .; }
	done
}

@test "the help of each command says what its exit statuses mean" {
	for command in $(commands); do
		run_check "$BRUNT" "$command" --help
		assert_has "exit status: 0 " "$output"
	done
}

@test "brunt help is --help, brunt help COMMAND its help" {
	for command in $(commands); do
		[ "$("$BRUNT" help "$command")" = "$("$BRUNT" "$command" --help)" ]
	done
	[ "$("$BRUNT" help)" = "$("$BRUNT" --help)" ]
	run_mustfail 2 "$BRUNT" help reprot
	assert_has "did you mean 'report'" "$stderr"
	run_mustfail 2 "$BRUNT" help run plan
}

@test "two values for one option: status 2, not the last one" {
	run_mustfail 2 "$BRUNT" plan command -n 3 -n 4 -- true
	assert_has "--rounds is given twice: 3 and 4" "$stderr"
	run_mustfail 2 "$BRUNT" report -o a --output=b
	run_check "$BRUNT" plan command -c a -c b -t none -- true
}

@test "plan --from heeds no other option, so it refuses them" {
	for option in --json --aa '-n 5' '-l x' '-o set' '-c a' '--sweep fs=ext3,ext4'; do
		# shellcheck disable=SC2086 # an option and its value
		run_mustfail 2 "$BRUNT" plan --from set $option
		assert_has "has no place beside it" "$stderr"
	done
}

@test "a plan that no memory holds: status 2, not the end by the kernel" {
	run_mustfail 2 "$BRUNT" plan command -n 1000000 -c a -c b -- true
	assert_has "at most 200000 fit in a session" "$stderr"
	run_mustfail 2 "$BRUNT" run command -o set -n 1000000 -c a -c b -- true
	run_mustfail 2 "$BRUNT" plan command --until 1 --max 1000000 -c a -c b -- true
	[ ! -e set ]
}

@test "no command is a usage error" {
	run_mustfail 2 "$BRUNT"
	[ -z "$output" ]
	assert_has --help "$stderr"
}

@test "an unknown command: status 2 and what may be meant" {
	run_mustfail 2 "$BRUNT" reprot
	[ -z "$output" ]
	assert_has "did you mean 'report'" "$stderr"
}

@test "a command is no prefix of its name" {
	run_mustfail 2 "$BRUNT" rep
}

@test "an unknown option: status 2 and what may be meant" {
	run_mustfail 2 "$BRUNT" plan storm --round 3
	[ -z "$output" ]
	assert_has "did you mean" "$stderr"
	assert_has "--rounds" "$stderr"
}

@test "an option without its value" {
	run_mustfail 2 "$BRUNT" plan storm --rounds
	run_mustfail 2 "$BRUNT" plan storm -n
}

@test "a value that an option cannot have" {
	run_mustfail 2 "$BRUNT" plan storm -n none
	run_mustfail 2 "$BRUNT" plan storm -n 0
	run_mustfail 2 "$BRUNT" plan storm -n -3
	run_mustfail 2 "$BRUNT" plan storm -n 3x
	run_mustfail 2 "$BRUNT" plan storm -n 99999999999999999999
}

@test "an unknown workload: status 2 and what may be meant" {
	run_mustfail 2 "$BRUNT" plan strom
	assert_has "did you mean" "$stderr"
	assert_has "storm" "$stderr"
}

@test "an unknown key of a workload: status 2 and what may be meant" {
	run_mustfail 2 "$BRUNT" plan storm device=loop:2:64M
	assert_has "did you mean" "$stderr"
	assert_has "devices" "$stderr"
}

@test "an unknown tracer: status 2 and what may be meant" {
	run_mustfail 2 "$BRUNT" plan storm -t blktrase
	assert_has "did you mean" "$stderr"
	assert_has "blktrace" "$stderr"
}

@test "an unknown key of a tracer: status 2" {
	run_mustfail 2 "$BRUNT" plan storm -t blktrace,nosuchkey=1
	assert_has "nosuchkey" "$stderr"
}

@test "two configurations with one name: status 2" {
	run_mustfail 2 "$BRUNT" plan command -t none -t none -- true
	assert_has "name=" "$stderr"
}

@test "command without a program: status 2" {
	run_mustfail 2 "$BRUNT" plan command
}

@test "list without a word, or with an unknown one: status 2" {
	run_mustfail 2 "$BRUNT" list
	run_mustfail 2 "$BRUNT" list workload
	assert_has "did you mean" "$stderr"
	assert_has "workloads" "$stderr"
}

@test "list shows every module of the tables" {
	for kind in workloads tracers parsers; do
		run_check "$BRUNT" list "$kind"
		for name in $(names_in "$kind/$kind.def"); do
			assert_has "${name//_/-}" "$output" # C has no hyphen in names
		done
	done
	run_check "$BRUNT" list reports
	for name in $(names_in results/reports.def); do
		assert_has "$name" "$output"
	done
}

@test "list --json is an array with a name and a summary each" {
	need_program jq jq
	for kind in workloads tracers settings parsers reports; do
		run_check "$BRUNT" list "$kind" --json
		jq -e 'type == "array" and length > 0 and all(.[]; .name and .summary)' \
			<<<"$output"
	done
}

@test "list NAME tells of one module, and not of another one" {
	run_check "$BRUNT" list workloads storm
	assert_has devices "$output"
	run_mustfail 2 "$BRUNT" list workloads strom
}

@test "each metric of list has a unit and says what is better" {
	need_program jq jq
	run_check "$BRUNT" list metrics --json
	jq -e 'length > 0 and all(.[]; (.unit | type) == "string" and
		(.better == "lower" or .better == "higher" or .better == "none"))' <<<"$output"
}

@test "output that cannot be written is no success" {
	[ -e /dev/full ] || skip "/dev/full is missing"
	run_mustfail 1 bash -c "'$BRUNT' --help >/dev/full"
	assert_has "No space left" "$stderr"
}

@test "plan touches nothing and writes nothing" {
	keep_state
	run_check "$BRUNT" plan command -n 2 -- true
	assert_same_state
	[ -z "$(ls -A)" ]
}

@test "no colour where stdout is no terminal" {
	run_check env -u NO_COLOR TERM=xterm-256color "$BRUNT" list workloads
	assert_has_not $'\e[' "$output"
	assert_has_not $'\e[' "$stderr"
}

complete_line() # LINE...: what bash is offered for a line, sorted
{
	bash -c '. "$1"; COMP_LINE=$3 COMP_POINT=${#3}; _brunt "$2"; printf "%s\n" "${COMPREPLY[@]}"' \
		_ "$ROOT/docs/brunt.bash" "$BRUNT" "$1" | LC_ALL=C sort | tr '\n' ' '
}

@test "bash completes commands, modules, keys and values as the tables have them" {
	[ "$(complete_line 'brunt re')" = 'report resume ' ]
	[ "$(complete_line 'brunt run st')" = 'storm ' ]
	[ "$(complete_line 'brunt run storm mount_n')" = 'mount_ns= ' ]
	[ "$(complete_line 'brunt run storm mount_ns=')" = 'host private ' ]
	[ "$(complete_line 'brunt run storm -t blk')" = 'blktrace ' ]
	[ "$(complete_line 'brunt run storm -t blktrace,keep=y,back')" = 'y,backend= ' ]
	[ "$(complete_line 'brunt run storm -t blktrace,backend=')" = 'auto program tracefs ' ]
	[ "$(complete_line 'brunt run storm -c a,sysc')" = 'a,sysctl. ' ]
	[ "$(complete_line 'brunt report --format ma')" = 'mail markdown ' ]
	[ "$(complete_line 'brunt report --form')" = '--format ' ]
	[ "$(complete_line 'brunt list tracers no')" = 'none ' ]
	[ "$(complete_line 'brunt import --as lm')" = 'lmbench ' ]
}

@test "completion of a line that holds a command runs no command" {
	cd "$BATS_TEST_TMPDIR"
	# shellcheck disable=SC2016
	complete_line 'brunt run storm -t a,$(touch${IFS}ran),x=`touch${IFS}ran`,k'
	[ ! -e ran ]
}
