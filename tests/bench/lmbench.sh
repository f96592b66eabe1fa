# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# For the benchmarks beside lmbench 3, which is built elsewhere:
#
#   LMBENCH         the folder of its programs (default: where Debian's package has them)
#   ENOUGH          microseconds a sample of its takes at least (100000). Left to itself it spends
#                   seconds a program to find that out, and as many to find the costs of its loop
#                   and clock (LOOP_O, TIMING_O: below 10 ns a sample)
#   have_lmbench    true if those are there; says what is missing
#   lm PROGRAM...   runs one on the CPU that brunt measures on; all that it prints, if it is done
#                   within two minutes
#   last_cpu        the last CPU that may be used: brunt's

LMBENCH=${LMBENCH:-$(echo /usr/lib/lmbench/bin/*/)}
export ENOUGH=${ENOUGH:-100000} LOOP_O=${LOOP_O:-0} TIMING_O=${TIMING_O:-0}

last_cpu()
{
	taskset -cp $$ | sed 's/.*[:,-] *//'
}

have_lmbench() # PROGRAM...
{
	local program

	for program; do
		[ -x "$LMBENCH/$program" ] && continue
		echo "lmbench 3 is missing: no $program in LMBENCH=$LMBENCH (Debian: package lmbench of" \
			"non-free; or build it from source outside of this tree)" >&2
		return 1
	done
}

lm()
{
	local said

	said=$(timeout -k 5 120 taskset -c "$cpu" "$LMBENCH/$1" "${@:2}" 2>&1)
	if [ $? = 124 ]; then
		echo "$* was not done within two minutes" >&2
		return
	fi
	printf '%s\n' "$said"
}
