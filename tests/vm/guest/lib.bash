# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# For the cases in a guest: what the system tests have in tests/system/lib.bash and runs.bash
# (run_check, all_ends, wait_for, start_brunt, ...), without bats, and
#
#   skip REASON              ends the case as skipped
#   power_loss               the host kills the machine, and boots it again with the same disks; the
#                            case begins once more, with $VM_BOOT one more than before (1)
#   used_disk NAME           the device of `# disk: NAME ...`
#   traced_storm SET N ARG...    a storm on N devices, untraced, by blktrace(8) and by tracefs: all
#                            work is done, and blkparse finds what brunt counts in the traces
#   load MODULE [WORD]...    a module that makes devices, with the words for it; gone at the end
#   use_disks NUMBER GLOB    waits for so many devices /dev/GLOB, into the array disks; $named and
#                            "${destroy[@]}" are what brunt wants to hear of them
#   is_blank DEVICE...       only zeroes in the first and the last 4 MiB
#
# A case works in a folder of its own, and must leave the machine as it was.

BATS_TEST_DIRNAME=/tests/system
BATS_TEST_TMPDIR=/tmp/case
BRUNT=/usr/sbin/brunt

bats_require_minimum_version()
{
	:
}

source /tests/system/lib.bash
source /tests/system/runs.bash

# A ring buffer that nobody has used yet reads "7 (expanded: 1408)", and whole pages of 4080 bytes
# once it was; it cannot be made small again, which is no fault of brunt's.
tracefs_values()
{
	look_at_tracefs /sys/kernel/tracing | awk '/expanded/ {
		kib = $5 + 0; print $1, $2, int(int((kib * 1024 + 4079) / 4080) * 4080 / 1024); next
	} { print }' | sed 's/ *$//'
}

skip()
{
	echo "$1"
	exit 77
}

# Of bats: the command's words in $output and $stderr, its exit status in $status.
run()
{
	[ "$1" != --separate-stderr ] || shift
	status=0
	"$@" >"$BATS_TEST_TMPDIR/.stdout" 2>"$BATS_TEST_TMPDIR/.stderr" || status=$?
	output=$(cat "$BATS_TEST_TMPDIR/.stdout")
	# shellcheck disable=SC2034
	stderr=$(cat "$BATS_TEST_TMPDIR/.stderr")
}

# The lines of the head of the case: "# WORD: VALUE".
asked_for() # WORD
{
	# shellcheck disable=SC2154 # tests/vm/guest/case sets it
	sed -n "/^\$/q; s/^# $1: *//p" "$case_file"
}

# As brd they make devices as soon as they are loaded, and not again: that is left to load().
makes_devices() # NAME
{
	case $1 in
	scsi_debug | null_blk | brd) true ;;
	*) false ;;
	esac
}

has_module() # NAME
{
	if makes_devices "$1"; then
		grep -q "/${1//_/[-_]}\.ko" "/lib/modules/$(uname -r)/modules.dep" 2>/dev/null
		return
	fi
	modprobe -q "$1" || true
	[ -e "/sys/module/${1//-/_}" ] ||
		grep -q "/${1//_/[-_]}\.ko" "/lib/modules/$(uname -r)/modules.builtin" 2>/dev/null
}

need_what_the_case_wants()
{
	local word fs

	for word in $(asked_for modules); do
		has_module "$word" || skip "this kernel has no module $word"
	done
	while read -r word _ fs; do
		[ -e "/disks/by-name/$word" ] || skip "this kernel has no driver for the disk $word (nvme)"
		[ -z "$fs" ] || grep -q " /disks/$word $fs " /proc/mounts || skip "the disk $word cannot be mounted as $fs"
	done < <(asked_for disk)
	word=$(asked_for lockdown)
	[ -z "$word" ] || lock_down "$word"
}

# Behind the modules, which a kernel may refuse once it is locked.
lock_down() # LEVEL
{
	local file=/sys/kernel/security/lockdown

	[ -e $file ] || skip "this kernel has no lockdown"
	grep -q "\[$1\]" $file || echo "$1" >$file
}

used_disk()
{
	readlink -f "/disks/by-name/$1"
}

load() # MODULE WORD...
{
	modprobe "$@" || return
	to_undo+=("modprobe -r $1")
}

are_disks() # NUMBER GLOB
{
	mapfile -t disks < <(find /dev -maxdepth 1 -name "$2" -type b | sort -V)
	[ ${#disks[@]} = "$1" ]
}

use_disks() # NUMBER GLOB
{
	local disk

	wait_for 60 are_disks "$1" "$2" || return
	destroy=()
	for disk in "${disks[@]}"; do
		destroy+=(--destroy "$disk")
	done
	# shellcheck disable=SC2034
	named=$(IFS=+ && echo "${disks[*]}")
}

is_blank() # DEVICE...
{
	local disk size

	for disk in "$@"; do
		size=$(blockdev --getsize64 "$disk")
		cmp -n 4194304 "$disk" /dev/zero || [ "$size" -lt 4194304 ] || return
		[ "$size" -lt 8388608 ] ||
			tail -c 4194304 "$disk" | cmp -n 4194304 - /dev/zero || return
	done
}

power_loss()
{
	echo "vm kill"
	sleep 1000
}

traced_storm() # SET DEVICES ARG...
{
	local run events

	run_check "$BRUNT" run storm "${@:3}" -n 1 --warmup 0 -o "$1" -t none \
		-t blktrace,keep=yes,buffer=256k -t blktrace,name=tracefs,backend=tracefs,keep=yes
	all_ends "$1" ".status == \"ok\" and all(.marks[]; .name | test(\"trace\") | not) and (.devices | length == $2) and
		(.config == \"none\" or (.tracer | .events > 100 * $2 and .lost == 0 and .bytes > 0))"
	while read -r run events; do
		[ "$(cd "$1" && ln -sfn . set && parsed_records "$run")" = "$events" ]
		[ "$(find "$1/runs/$run/trace" -name '*.blktrace.*' -printf '%f\n' | cut -d . -f 1 |
			sort -u | wc -l)" = "$2" ]
	done < <(ends "$1" '.config != "none"' | jq -r '"\(.run) \(.tracer.events)"')
}
