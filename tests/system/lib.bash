# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# For the system tests: load lib. What each gives:
#
#   $BRUNT, $ROOT            the program, the root of the tree; $BATS_TEST_TMPDIR to write to
#   run_check CMD...         must exit with 0; $output (stdout), $stderr and $lines as of bats' run
#   run_mustfail STATUS CMD...
#   need_root, need_program NAME PACKAGE
#   machine_state            text: what of the machine brunt could leave changed
#   keep_state               remembers it, for
#   assert_same_state [S]    which waits up to S seconds (0) for it to be the same again

bats_require_minimum_version 1.5.0

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
if [ -z "${BRUNT:-}" ]; then
	case ${O:=build} in
	/*) BRUNT=$O/brunt ;;
	*) BRUNT=$ROOT/$O/brunt ;;
	esac
fi
export BRUNT ROOT NO_COLOR=1 LC_ALL=C

show_run()
{
	printf 'status %s of: %s\n' "${status:-}" "$1"
	printf -- '-- stdout\n%s\n-- stderr\n%s\n' "${output:-}" "${stderr:-}"
}

run_check()
{
	# shellcheck disable=SC2034 # stderr is read by show_run and by tests
	run --separate-stderr "$@" </dev/null
	[ "${status:-}" = 0 ] && return
	show_run "$*"
	return 1
}

run_mustfail()
{
	local expected=$1
	shift
	run --separate-stderr "$@" </dev/null
	[ "${status:-}" = "$expected" ] && return
	show_run "$*"
	printf -- '-- expected status %s\n' "$expected"
	return 1
}

# Is the text in it? A message where not.
assert_has() # TEXT IN
{
	[[ $2 == *"$1"* ]] && return
	printf 'not there: %s\nin: %s\n' "$1" "$2"
	return 1
}

assert_has_not() # TEXT IN
{
	[[ $2 != *"$1"* ]] && return
	printf 'there: %s\nin: %s\n' "$1" "$2"
	return 1
}

need_root()
{
	[ "$(id -u)" = 0 ] || skip "needs root"
}

need_program() # NAME PACKAGE
{
	command -v "$1" >/dev/null || skip "$1 is missing (package $2)"
}

look_at_tracefs() # FOLDER
{
	local name

	for name in current_tracer tracing_on trace_clock buffer_size_kb set_event; do
		printf 'tracefs %s: %s\n' "$name" "$(tr '\n' ' ' <"$1/$name")"
	done
	[ ! -d "$1/instances" ] ||
		find "$1/instances" -mindepth 1 -name 'brunt*' -prune -printf 'tracefs instance %f\n'
}

# The values of tracefs, from a mount that nobody else sees where there is none.
tracefs_values()
{
	local folder

	for folder in /sys/kernel/tracing /sys/kernel/debug/tracing; do
		[ -e "$folder/current_tracer" ] || continue
		look_at_tracefs "$folder"
		return
	done
	# in a chroot "/" is no mount point, so that only /sys can be cut off from the others
	unshare --mount --propagation unchanged bash -c "$(declare -f look_at_tracefs)
		mount --make-rslave / 2>/dev/null || mount --make-rslave /sys || exit 0
		mount -t tracefs none /sys/kernel/tracing || exit 0
		look_at_tracefs /sys/kernel/tracing" 2>/dev/null
}

# Those named brunt, or whose program is a brunt; not the shells of the tests, whose paths may
# hold the word too.
brunt_processes()
{
	local folder comm exe words

	while read -r folder exe; do
		{ read -r comm <"$folder/comm"; } 2>/dev/null || continue
		case $comm:${exe##*/} in
		brunt*:* | *:brunt*) echo "process ${folder#/proc/} $comm" ;;
		*)
			mapfile -d '' -t words 2>/dev/null <"$folder/cmdline" || continue
			# of a valgrind or a shell, too; those that make it have it further behind
			case "${words[*]:0:3} " in
			*bats* | *tests/run* | *.ci/run* | *make\ *) ;;
			*/brunt\ * | brunt\ *) echo "process ${folder#/proc/} $comm" ;;
			esac
			;;
		esac
	done < <(find /proc/[0-9]*/exe -maxdepth 0 -printf '%h %l\n' 2>/dev/null)
}

machine_state()
{
	local disk

	for disk in /sys/block/*; do
		echo "disk ${disk##*/}"
		[ ! -e "$disk/loop/backing_file" ] ||
			echo "loop ${disk##*/}: $(cat "$disk/loop/backing_file" 2>/dev/null)"
		[ ! -e "$disk/disksize" ] || echo "zram ${disk##*/}: $(cat "$disk/disksize")"
		[ ! -e "$disk/trace/enable" ] ||
			echo "trace ${disk##*/}: $(cat "$disk/trace/enable" 2>/dev/null)"
	done
	sed 's/^/mount /' /proc/self/mounts
	[ "$(id -u)" != 0 ] || tracefs_values
	brunt_processes
	find /sys/fs/cgroup -maxdepth 6 -type d -name 'brunt*' -printf 'cgroup %p\n' 2>/dev/null
	find /dev/shm /run/brunt /var/lib/brunt -mindepth 1 -printf 'file %p\n' 2>/dev/null | sort
	find /dev -maxdepth 1 -name 'loop*' -printf 'node %p\n' | sort
}

keep_state()
{
	machine_state >"$BATS_TEST_TMPDIR/.state"
}

assert_same_state() # [SECONDS]
{
	local end=$((SECONDS + ${1:-0})) before=$BATS_TEST_TMPDIR/.state after=$BATS_TEST_TMPDIR/.state2

	while machine_state >"$after" && ! cmp -s "$before" "$after"; do
		if [ $SECONDS -ge $end ]; then
			echo "the machine is not as it was (<: before, >: now)"
			diff "$before" "$after"
			return 1
		fi
		sleep .1
	done
}
