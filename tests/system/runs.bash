# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# For the system tests that run workloads: load runs, behind lib. A set is a folder below
# $BATS_TEST_TMPDIR, where each test works; what each gives:
#
#   setup, teardown              begin_test and end_test; a file that needs more has its own
#   need_storm                   what the workload storm needs
#   ends SET [FILTER]            the lines of finished runs for which a jq filter is true
#   all_ends SET CONDITION [FILTER]      there are some, and the condition holds for all of them
#   any_end SET CONDITION        it holds for one
#   count_ends SET [FILTER]
#   set_real SET FILTER SECONDS  gives those runs a real of about that (+-1 %), whatever they took
#   parsed_records RUN           how many records blkparse finds in the kept files of a run in `set`
#   session SET [FILTER]         what a jq filter makes of the newest session's file
#   wait_for SECONDS CMD...      until it succeeds; false when it did not in time
#   has_started|has_ended SET N  for wait_for: run N of a set has begun, ended
#   is_gone PID
#   wrap NAME <BODY              bin/NAME, a bash script; of use in it: $real, the program itself,
#                                $last, its last argument, $here, the test's folder
#   with_bin CMD...              with bin/ first in PATH
#   start_brunt ARG...           in the background: $brunt_pid; its words are in out and err
#   end_brunt                    waits for it: its exit status in $brunt_status
#   foreign_loop SIZE            a loop device that is not brunt's: $foreign; its file too
#   as_nobody                    goes to a folder where "${as_nobody[@]}" ./brunt can be run
#   own_tracefs                  $tracefs, mounted for the test alone where nobody has mounted it
#   undo_test                    takes all of this back; for teardown()

foreign='' tracefs='' brunt_pid=''
as_nobody=()
to_undo=()

# Of tests that need more than this the file has its own.
setup()
{
	need_program jq jq
	begin_test
}

teardown()
{
	end_test
}

need_storm()
{
	need_root
	need_program mke2fs e2fsprogs
	[ -e /dev/loop-control ] || skip "no loop driver: /dev/loop-control is missing"
}

begin_test()
{
	cd "$BATS_TEST_TMPDIR" || return
	keep_state
}

ends()
{
	jq -c "select(.event == \"end\") | select(${2:-true})" "$1/runs.jsonl"
}

count_ends()
{
	ends "$@" | grep -c .
}

# What a test says of figures must not hang on how busy the machine is.
set_real() # SET FILTER SECONDS
{
	jq -c --argjson s "$3" "if .event == \"end\" and ($2)
		then .metrics.real.value = \$s * (1 + ((.run * 7 % 5) - 2) / 200) else . end" \
		"$1/runs.jsonl" >"$1.lines" && mv "$1.lines" "$1/runs.jsonl"
}

all_ends()
{
	local bad

	bad=$(ends "$1" "(${3:-true}) and ((${2}) | not)") || return
	if [ -z "$bad" ] && [ "$(count_ends "$1" "${3:-true}")" -gt 0 ]; then
		return
	fi
	printf 'not so for all finished runs of %s: %s\n%s\n' "$1" "$2" "${bad:-there is none}"
	return 1
}

any_end()
{
	[ "$(count_ends "$1" "$2")" -gt 0 ] && return
	printf 'so for no finished run of %s: %s\n%s\n' "$1" "$2" "$(ends "$1")"
	return 1
}

# The number of records in the kept files of a run, as blkparse counts them.
parsed_records() # RUN
{
	local file device seen='' sum=0 said

	for file in set/runs/"$1"/trace/*.blktrace.*; do
		device=${file##*/}
		device=${device%%.*}
		[[ " $seen " != *" $device "* ]] || continue
		seen+=" $device"
		said=$(blkparse -i "$device" -D "set/runs/$1/trace" 2>&1)
		grep -q '^Skips: 0 forward' <<<"$said" || echo "skips in $file"
		sum=$((sum + $(sed -n 's/^Events ([^)]*): \([0-9,]*\) entries/\1/p' <<<"$said" | tr -d ,)))
	done
	echo $sum
}

# Those of one second are told apart by when they were written.
newest_session()
{
	local file newest=''

	for file in "$1"/sessions/*.json; do
		[[ -n $newest && $newest -nt $file ]] || newest=$file
	done
	echo "$newest"
}

session()
{
	jq -cr "${2:-.}" "$(newest_session "$1")"
}

wait_for()
{
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		if [ $SECONDS -ge $end ]; then
			echo "it did not come to this: $*"
			return 1
		fi
		sleep .02
	done
}

has_started()
{
	grep -q "\"event\":\"start\",\"run\":$2," "$1/runs.jsonl" 2>/dev/null
}

has_ended()
{
	grep -q "\"event\":\"end\",\"run\":$2," "$1/runs.jsonl" 2>/dev/null
}

is_gone()
{
	! kill -0 "$1" 2>/dev/null
}

wrap()
{
	mkdir -p bin
	{
		echo '#!/bin/bash'
		echo "real='$(command -v "$1")' here='$PWD' last=\${*: -1}"
		cat
	} >"bin/$1"
	chmod +x "bin/$1"
}

# Only brunt: a wrapped mount is not for the test's own.
with_bin()
{
	PATH=$PWD/bin:$PATH "$@"
}

start_brunt()
{
	"$BRUNT" "$@" </dev/null >out 2>err 3>&- &
	brunt_pid=$!
}

end_brunt()
{
	wait_for "${1:-60}" brunt_ended || return
	brunt_status=0
	wait "$brunt_pid" || brunt_status=$?
	brunt_pid=
}

# A zombie has ended; kill -0 does not see that.
brunt_ended()
{
	local state

	state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$brunt_pid/status" 2>/dev/null)
	[ -z "$state" ] || [ "$state" = Z ]
}

assert_brunt_status()
{
	[ "$brunt_status" = "$1" ] && return
	printf 'exit status %s, not %s; stderr:\n' "$brunt_status" "$1"
	cat err
	return 1
}

foreign_loop()
{
	truncate -s "$1" foreign.img
	foreign=$(losetup --find --show foreign.img) || return
	to_undo+=("losetup -d $foreign")
}

# Those of root are closed to others; and the program may be below such a folder, too.
as_nobody()
{
	local folder

	need_program setpriv util-linux
	folder=$(mktemp -d /tmp/brunt-nobody-XXXXXX)
	to_undo+=("rm -rf $folder")
	chmod 755 "$folder"
	cp "$BRUNT" "$folder/brunt"
	cd "$folder" || return
	as_nobody=(setpriv --reuid=nobody --regid=nogroup --clear-groups env -u XDG_RUNTIME_DIR)
	"${as_nobody[@]}" ./brunt --version >/dev/null || skip "nobody cannot run programs in /tmp"
}

own_tracefs()
{
	for tracefs in /sys/kernel/tracing /sys/kernel/debug/tracing; do
		[ ! -e $tracefs/current_tracer ] || return 0
	done
	tracefs=$BATS_TEST_TMPDIR/tracefs
	mkdir -p "$tracefs"
	mount -t tracefs none "$tracefs" || skip "tracefs cannot be mounted"
	to_undo+=("umount $tracefs")
}

need_blk_tracer()
{
	need_root
	own_tracefs
	grep -qw blk "$tracefs/available_tracers" 2>/dev/null ||
		skip "this kernel has no tracer blk (CONFIG_BLK_DEV_IO_TRACE)"
}

undo_test()
{
	local i

	if [ -n "$brunt_pid" ]; then
		kill -KILL "$brunt_pid" 2>/dev/null
		wait "$brunt_pid" 2>/dev/null
		"$BRUNT" clean
	fi
	for ((i = ${#to_undo[@]} - 1; i >= 0; i--)); do
		eval "${to_undo[i]}"
	done
	to_undo=()
}

end_test()
{
	undo_test
	assert_same_state 5
}
