#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The workload `kbuild` on a real kernel: the newest linux-source package, a few minutes.

load lib
load runs

setup()
{
	local package

	need_program jq jq
	for package in flex bison bc; do
		need_program $package $package
	done
	compgen -G '/usr/src/linux-source-*.tar.*' >/dev/null ||
		skip "no kernel source in /usr/src (package linux-source-6.1)"
	begin_test
	export XDG_CACHE_HOME=$PWD/cache
}

teardown()
{
	end_test
}

@test "the newest linux-source package: unpacked, configured, kernel/sched/ built and timed" {
	run_check "$BRUNT" run kbuild target=kernel/sched/ -n 1 --warmup 0 -o set
	all_ends set '.status == "ok" and .build.objects >= 3 and .build.text_bytes > 10000'
	all_ends set '.metrics | .real.value > 0 and .user.value > 0 and .sys.value > 0'
	grep -q 'kernel/sched/core.o' set/runs/1/build.log
	session set '.workloads[0].description | .version, .compiler' | grep -vq null
}
