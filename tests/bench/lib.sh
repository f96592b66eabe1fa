# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# For the benchmarks: loop devices of their own, and the storm as a shell script does it.

devices=() added=()

# make_devices COUNT SIZE: loop devices over files in $work, a tmpfs of our own
make_devices()
{
	local i there

	there=" $(cd /sys/block && echo loop*) "
	for ((i = 0; i < $1; i++)); do
		truncate -s "$2" "$work/disk$i"
		devices+=("$(losetup --find --show "$work/disk$i")")
		[[ $there == *" ${devices[i]#/dev/} "* ]] || added+=("${devices[i]#/dev/loop}")
		mkdir -p "$work/mnt$i"
	done
}

remove_devices()
{
	local i

	for ((i = 0; i < ${#devices[@]}; i++)); do
		losetup -d "${devices[i]}"
	done
	[ ${#added[@]} = 0 ] || "$O/tests/bench/loop_remove" "${added[@]}"
	devices=() added=()
	rm -f "$work"/disk*
}

# one DEVICE FOLDER: what brunt's worker does, with the programs
one()
{
	mke2fs -q -F -t ext3 -b 4096 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$1" &&
		mount -t ext3 "$1" "$2" && cat "$work/pattern" >"$2/fill" && umount "$2"
}

# shell_storm CYCLES: seconds from the first start to the last end
shell_storm()
{
	local start end i c

	for i in "${devices[@]}"; do
		blkdiscard -f "$i" 2>/dev/null
		blockdev --flushbufs "$i"
	done
	start=$(date +%s%N)
	for ((i = 0; i < ${#devices[@]}; i++)); do
		for ((c = 0; c < $1; c++)); do
			one "${devices[i]}" "$work/mnt$i" || echo "the shell storm failed" >&2
		done &
	done
	wait
	end=$(date +%s%N)
	echo "$((end - start))" | awk '{ printf "%.6f\n", $1 / 1e9 }'
}

# brunt_storm DEVICES KEY=VALUE...: one run; its line of runs.jsonl
brunt_storm()
{
	"$BRUNT" run storm "devices=$1" fs=ext3 "${@:2}" -n 1 --warmup 0 -q -l bench --force \
		-o "$work/set-${1//[^0-9a-zA-Z]/_}" 2>"$work/brunt.err" || cat "$work/brunt.err" >&2
	tail -n 1 "$work/set-${1//[^0-9a-zA-Z]/_}/runs.jsonl"
}
