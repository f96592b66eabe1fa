#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Sessions of one set: which kernel a label stands for, what differs between them, `brunt check`
# and `--tune`.

load lib
load runs

setup()
{
	need_program jq jq
	begin_test
}

teardown()
{
	end_test
}

run_true() # ARG...
{
	run_check "$BRUNT" run command -q -n 1 --warmup 0 -o set "$@" -- true
}

# Changes the file of the newest session.
change_session() # FILTER
{
	local file
	file=$(newest_session set)
	jq "$1" "$file" >changed && mv changed "$file"
}

# Sessions are in the order of their start, in whole seconds.
next_second()
{
	sleep 1.1
}

# A machine with a governor and turbo, for a program alone: its files are in fake/. These keep their
# length when they are written, so the two governors are of one length.
with_fake_cpus() # CMD...
{
	local cpu

	if [ ! -d fake ]; then
		for cpu in 0 1; do
			mkdir -p fake/cpu$cpu/cpufreq
			echo interactive >fake/cpu$cpu/cpufreq/scaling_governor
		done
		mkdir fake/intel_pstate
		echo 0 >fake/intel_pstate/no_turbo
		echo 0-1 | tee fake/online fake/possible fake/present >/dev/null
	fi
	unshare --mount bash -c 'mount --bind fake /sys/devices/system/cpu && exec "$@"' - "$@"
}

@test "a label that meets another build of the kernel is refused, unless forced" {
	run_true -l patched
	[ "$(session set '.environment."kernel.build_id" | length')" -gt 20 ] ||
		skip "this kernel tells no build id"
	change_session '.environment."kernel.build_id" = "0123456789abcdef0123"'
	run_mustfail 2 "$BRUNT" run -q -o set -l patched
	assert_has "another kernel" "$stderr"
	assert_has 0123456789abcdef0123 "$stderr"
	[ "$(count_ends set)" = 1 ]
	# another label is free, and so is the other host
	run_check "$BRUNT" run -q -o set -l other
	change_session '.environment."kernel.build_id" = "0123456789abcdef0123" | .host = "else"'
	run_check "$BRUNT" run -q -o set -l other
	run_check "$BRUNT" run -q -o set -l patched --force
	[ "$(count_ends set)" = 4 ]
}

@test "two sessions on the same machine: the report names no difference" {
	run_true -l a
	run_check "$BRUNT" run -q -o set -l b
	run_check "$BRUNT" report set
	assert_has_not "environment," "$output"
	run_check "$BRUNT" report set --format json
	jq -e '.differences == []' <<<"$output"
}

@test "two sessions with a changed sysctl: the report names exactly that" {
	need_root
	local old new
	old=$(cat /proc/sys/vm/swappiness)
	new=$((old == 37 ? 38 : 37))
	to_undo+=("echo $old >/proc/sys/vm/swappiness")
	run_true -l a
	echo $new >/proc/sys/vm/swappiness
	next_second
	run_check "$BRUNT" run -q -o set -l b
	run_check "$BRUNT" report set
	assert_has "environment, a -> b:" "$output"
	assert_has "sysctl.vm.swappiness $old -> $new" "$output"
	run_check "$BRUNT" report set --format json
	jq -e --arg old "$old" --arg new "$new" '.differences | length == 1 and (.[0] |
		.key == "sysctl.vm.swappiness" and .base_value == $old and .new_value == $new and
		.base.label == "a" and .new.label == "b")' <<<"$output"
}

@test "two sessions with a changed mount option: the report names exactly that" {
	need_root
	unshare --mount bash -c 'mount -t tmpfs -o size=1m none /mnt && exec "$@"' - \
		"$BRUNT" run command -q -n 1 --warmup 0 -o set -l a -- true
	next_second
	unshare --mount bash -c 'mount -t tmpfs -o size=1m,noexec none /mnt && exec "$@"' - \
		"$BRUNT" run -q -o set -l b </dev/null
	run_check "$BRUNT" report set --format json
	jq -e '.differences | (map(.key) == ["mount./mnt"]) and
		(.[0].base_value | test("noexec") | not) and (.[0].new_value | test("noexec"))' \
		<<<"$output"
}

@test "two sessions of one label with a changed governor: the report names exactly that" {
	need_root
	with_fake_cpus "$BRUNT" run command -q -n 1 --warmup 0 -o set -l a -- true
	echo performance >fake/cpu1/cpufreq/scaling_governor
	next_second
	with_fake_cpus "$BRUNT" run -q -o set -l a </dev/null
	run_check "$BRUNT" report set
	assert_has "environment, session" "$output"
	assert_has "cpu.governor interactive -> interactive+performance" "$output"
	run_check "$BRUNT" report set --format json
	jq -e '.differences | length == 1' <<<"$output"
}

@test "check: what stands in the way, with what to do, and nothing is changed" {
	need_root
	with_fake_cpus "$BRUNT" check --json >json
	jq -e '.[] | select(.name == "governor") | .state == "hinders" and
		(.text | test("interactive")) and (.advice | test("--tune"))' json
	jq -e '.[] | select(.name == "turbo") | .state == "hinders"' json
	jq -e 'map(.name) | contains(["load", "swap", "memory", "tracers", "lockdown",
		"virtual machine", "open files"])' json
	jq -e 'all(.[]; .state | IN("ok", "hinders", "unknown"))' json
	jq -e 'all(.[]; .state != "hinders" or .advice != null)' json
	[ "$(cat fake/cpu0/cpufreq/scaling_governor)" = interactive ]
	run_check "$BRUNT" check
	assert_has "stand in the way; nothing was changed" "$output"
	run_mustfail 2 "$BRUNT" check now
}

@test "--tune: governor and turbo while it measures, as before afterwards" {
	need_root
	with_fake_cpus "$BRUNT" run command -q -n 1 --warmup 0 -o set --tune -- \
		sh -c 'cd /sys/devices/system/cpu; head -qn1 cpu*/cpufreq/scaling_governor */no_turbo' \
		</dev/null
	[ "$(cat set/runs/1/stdout)" = $'performance\nperformance\n1' ]
	[ "$(head -qn1 fake/cpu*/cpufreq/scaling_governor fake/*/no_turbo)" = \
		$'interactive\ninteractive\n0' ]
	[ "$(session set '.environment."cpu.governor"')" = performance ]
	session set '.tuned' | jq -e 'map(select(.path | endswith("scaling_governor"))) |
		length == 2 and all(.[]; .old == "interactive" and .new == "performance")'
	run_check "$BRUNT" run command -q -n 1 --warmup 0 -o plain -- true
	[ "$(session plain 'has("tuned")')" = false ]
}

@test "--tune after SIGKILL: brunt clean restores" {
	need_root
	[ -e /proc/sys/kernel/timer_migration ] || skip "no sysctl to look at"
	with_fake_cpus sh -c '"$0" "$@" & wait_pid=$!
		until [ -s set/runs/1/stdout ]; do sleep .05; done
		kill -KILL $wait_pid; wait $wait_pid
		"$BRUNT" clean' \
		"$BRUNT" run command -q -n 1 --warmup 0 -o set --tune -- \
		sh -c 'echo up; sleep 987' </dev/null || true
	[ "$(head -qn1 fake/cpu*/cpufreq/scaling_governor fake/*/no_turbo)" = \
		$'interactive\ninteractive\n0' ]
}

@test "what --tune cannot set is said, and the rest is set" {
	need_root
	with_fake_cpus true
	mkdir fake/cpufreq
	echo 1 >fake/cpufreq/boost
	with_fake_cpus bash -c 'mount --bind -o ro fake/cpufreq fake/cpufreq 2>/dev/null
		mount --bind fake/cpufreq /sys/devices/system/cpu/cpufreq &&
		mount -o remount,bind,ro /sys/devices/system/cpu/cpufreq && exec "$@"' - \
		"$BRUNT" run command -q -n 1 --warmup 0 -o set --tune -- \
		head -n1 /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor </dev/null 2>err
	assert_has "--tune" "$(cat err)"
	assert_has boost "$(cat err)"
	[ "$(cat set/runs/1/stdout)" = performance ]
}

@test "another program under one label is refused: the same words in another folder" {
	mkdir a b
	printf '#!/bin/sh\nexit 0\n' | tee a/p >b/p
	chmod +x a/p b/p
	(cd a && run_check "$BRUNT" run command -q -n 1 --warmup 0 -o ../set -l x -- ./p)
	cd b
	run_mustfail 2 "$BRUNT" run -q -n 1 --warmup 0 -o ../set -l x
	assert_has "other work" "$stderr"
	assert_has "a/p" "$stderr"
	assert_has "b/p" "$stderr"
	# another label says that it is another one, and the report names it
	run_check "$BRUNT" run -q -n 1 --warmup 0 -o ../set -l y
	run_check "$BRUNT" report ../set --format json
	jq -e 'any(.work_differences[]; .key == "command program" and
		(.base_value | endswith("a/p")) and (.new_value | endswith("b/p")))' <<<"$output"
	run_check "$BRUNT" run -q -n 1 --warmup 0 -o ../set -l x --force
}

@test "a file of the current folder among the words: another folder is other work" {
	mkdir a b
	echo 1 | tee a/input >b/input
	(cd a && run_check "$BRUNT" run command -q -n 1 --warmup 0 -o ../set -- cat input)
	cd b
	run_mustfail 2 "$BRUNT" run -q -n 1 --warmup 0 -o ../set
	assert_has "command folder" "$stderr"
}

@test "what runs inherit is on record and named: CPUs, nice, LD_PRELOAD, the cgroup's limit" {
	[ "$(nproc)" -gt 1 ] || skip "needs two CPUs"
	run_true -l a
	next_second
	run_check taskset -c 0 nice -n 5 env LD_PRELOAD=libc.so.6 "$BRUNT" run -q -o set -l b
	run_check "$BRUNT" report set --format json
	jq -e '([.differences[].key] | sort) ==
		["process.cpus", "process.ld_preload", "process.nice"]' <<<"$output"
	run_check taskset -c 0 nice -n 5 "$BRUNT" check
	assert_has "runs may use 0 only" "$output"
	assert_has "nice 5" "$output"
}

@test "the file system of a folder that is used is on record wherever it is mounted" {
	need_root
	mkdir place
	unshare --mount bash -c 'mount -t tmpfs -o size=1M none place && cd place &&
		"$@" -l a -o ../set -- true && mount -o remount,noatime . &&
		"$1" run -q -o ../set -l b' - \
		"$BRUNT" run command -q -n 1 --warmup 0 </dev/null 2>err
	run_check "$BRUNT" report set --format json
	jq -e --arg key "mount.$PWD/place" '[.differences[].key] == [$key]' <<<"$output"
}

@test "another kernel configuration: the options that differ are named" {
	local hash
	run_true -l a
	hash=$(session set '.environment."kernel.config_sha256"' | tr -d '"')
	[ "$hash" != null ] || skip "the kernel's configuration cannot be read here"
	[ "$(sha256sum <"set/sessions/kernel-$hash.config")" = "$hash  -" ]
	next_second
	run_check "$BRUNT" run -q -o set -l b
	sed 's/^CONFIG_HZ=.*/CONFIG_HZ=77/' "set/sessions/kernel-$hash.config" >other
	hash=$(sha256sum <other | cut -d ' ' -f 1)
	mv other "set/sessions/kernel-$hash.config"
	change_session ".environment.\"kernel.config_sha256\" = \"$hash\" |
		.environment.\"kernel.release\" = \"9.9\""
	run_check "$BRUNT" report set --format json
	jq -e '[.differences[] | select(.key | startswith("kernel.config")) | .key, .new_value] ==
		["kernel.config.CONFIG_HZ", "77"]' <<<"$output"
	# where the text is not kept the hash says that they differ
	rm "set/sessions/kernel-$hash.config"
	run_check "$BRUNT" report set --format json
	jq -e '[.differences[] | select(.key | startswith("kernel.config")) | .key] ==
		["kernel.config_sha256"]' <<<"$output"
}

@test "another host: what differs between the two is named" {
	run_true -l a
	next_second
	run_check "$BRUNT" run -q -o set -l a --force
	change_session '.host = "other" | .environment."cpu.model" = "Z80"'
	run_check "$BRUNT" report set
	assert_has "host $(uname -n) -> other:" "$output"
	assert_has "Z80" "$output"
}

@test "three boots of a label, as a verdict needs, are no rounds added after a look" {
	local boot
	for boot in 1 2 3; do
		run_true -l a
		change_session ".boot_id = \"boot$boot\""
		next_second
	done
	run_check "$BRUNT" report set
	assert_has_not extended "$output"
	run_true -l a
	change_session '.boot_id = "boot3"'
	run_check "$BRUNT" report set
	assert_has "extended: measured in 2 sessions of one" "$output"
}

@test "a start that fails leaves no empty set" {
	echo no tarball >x.tar.gz
	export XDG_CACHE_HOME=$PWD/cache
	run_mustfail 1 "$BRUNT" run kbuild source=x.tar.gz -o set
	[ ! -e set ]
	mkdir mine
	run_mustfail 1 "$BRUNT" run kbuild source=x.tar.gz -o mine
	[ -d mine ]
	[ -z "$(ls -A mine)" ]
}

@test "Ctrl-C is no failed run and no missing round" {
	start_brunt run command -n 3 --warmup 0 -o set -- sh -c 'echo up; sleep 987'
	wait_for 60 test -s set/runs/1/stdout
	kill -INT "$brunt_pid"
	end_brunt
	assert_brunt_status 130
	assert_has_not "failed, " "$(cat err)"
	assert_has_not "missing after retries" "$(cat err)"
	assert_has "brunt resume set goes on" "$(cat err)"
}

@test "--tune that has nothing to set says so" {
	need_root
	[ ! -e /proc/sys/kernel/nmi_watchdog ] && [ ! -e /proc/sys/kernel/numa_balancing ] ||
		skip "this kernel has something to set"
	mkdir -p empty
	unshare --mount bash -c 'mount --bind empty /sys/devices/system/cpu && exec "$@"' - \
		"$BRUNT" run command -n 1 --warmup 0 --tune -o set -- true </dev/null >out 2>err
	assert_has "--tune: nothing was set" "$(cat err)"
}
