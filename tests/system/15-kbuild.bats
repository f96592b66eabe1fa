#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The workload `kbuild`, on a small tree that make treats as it does a kernel.

load lib
load runs

setup()
{
	need_program jq jq
	need_program gcc gcc
	begin_test
	export XDG_CACHE_HOME=$PWD/cache
	cp -r "$ROOT/tests/fixtures/kernel" tree
}

teardown()
{
	end_test
}

run_kbuild()
{
	run_check "$BRUNT" run kbuild source=tree -o set "$@"
}

# Appends rules to the tree's Makefile; commands stand behind ">".
rules()
{
	sed 's/^> */\t/' >>tree/Makefile
}

tree_state()
{
	find tree -printf '%P %y %s %T@\n' | sort
}

@test "a run has the times, the object files and the logs of one build" {
	run_kbuild -n 1 --warmup 0 target=kernel/sched/+fs/
	all_ends set '.status == "ok" and .metrics.real.value > 0 and .metrics.real.headline'
	all_ends set '.metrics | .cpu.value > 0 and .max_rss.value > 100000 and
		.minor_faults.value > 0 and .cpu_percent.value > 0 and has("input", "output",
		"major_faults", "voluntary_switches", "involuntary_switches")'
	# of the timed part: what prepare made is not among them
	all_ends set '.build | .objects == 3 and .text_bytes > 0 and
		(.text_sha256 | length) == 64 and (.work | endswith("tree tinyconfig kernel/sched/+fs/"))'
	all_ends set '.system | has("busy_s", "kthread_s")'
	grep -q 'CC      kernel/sched/core.o' set/runs/1/build.log
	grep -q 'CONFIG_tinyconfig=y' set/runs/1/prepare.log
	[ "$(session set '.workloads[0].description | [.version, .config, .target]')" = \
		'["6.1.7-fixture","tinyconfig","kernel/sched/+fs/"]' ]
	session set '.workloads[0].description | .compiler, .linker, .make' | grep -vq null
}

@test "without a target the architecture's image is built" {
	run_kbuild -n 1 --warmup 0
	all_ends set '.build.objects == 3'
	grep -q 'LD      bzImage' set/runs/1/build.log
}

@test "the tree is not written to, and the build folder is gone" {
	tree_state >before
	run_kbuild -n 1 target=fs/
	tree_state >after
	diff before after
	local folder
	folder=$(session set '.workloads[0].description.folder')
	[ "${folder##*/}" = brunt-kbuild ]
	[ ! -e "$folder" ]
}

@test "each run builds from nothing, in the same folder" {
	rules <<-'END'
		prepare: look
		look:
		> @ls -A $(O); echo "in $(O)"
	END
	mkdir build
	run_kbuild -n 2 --warmup 1 target=fs/ dir=build
	[ "$(count_ends set '.build.objects == 1')" = 3 ]
	for run in 1 2 3; do
		grep -q "in $PWD/build/brunt-kbuild" "set/runs/$run/prepare.log"
		! grep -q 'fs$' "set/runs/$run/prepare.log"
	done
	[ -z "$(ls -A build)" ]
}

@test "compiler caches, make's and kbuild's variables do not reach the build" {
	mkdir wrappers
	printf '#!/bin/sh\nexec /usr/bin/gcc "$@"\n' >wrappers/ccache
	chmod +x wrappers/ccache
	ln -s ccache wrappers/gcc
	rules <<-'END'
		show:
		> @env; command -v gcc
		> @mkdir -p $(O)/fs; gcc -c -o $(O)/fs/x.o fs/file.c
	END
	PATH=$PWD/wrappers:$PATH MAKEFLAGS=-k KBUILD_OUTPUT=/elsewhere ARCH=um CC=false V=1 \
		CCACHE_DIR=/x run_kbuild -n 1 --warmup 0 target=show -c a -c b,env.V=2
	local a b
	a=set/runs/$(ends set '.config == "a"' | jq .run)/build.log
	b=set/runs/$(ends set '.config == "b"' | jq .run)/build.log
	! grep -E '^(KBUILD_OUTPUT|ARCH|CC|V|CCACHE_DIR)=' "$a"
	! grep -q '^MAKEFLAGS=.*k' "$a"
	! grep -q wrappers "$a"
	grep -q '^CCACHE_DISABLE=1' "$a"
	grep -q '^KBUILD_BUILD_USER=brunt' "$a"
	grep -q '^KBUILD_BUILD_HOST=brunt' "$a"
	grep -q '^KBUILD_BUILD_TIMESTAMP=2000' "$a"
	# what a configuration asks for does
	grep -q '^V=2' "$b"
}

@test "config: several targets of make, or a file" {
	run_kbuild -n 1 --warmup 0 target=fs/ config=defconfig+mine.config
	[ "$(grep '^CONFIG' set/runs/1/prepare.log)" = $'CONFIG_defconfig=y\nCONFIG_mine=y' ]
	echo CONFIG_OWN=y >own
	run_check "$BRUNT" run kbuild source=tree target=fs/ -n 1 --warmup 0 -o file config=./own
	[ "$(grep '^CONFIG' file/runs/1/prepare.log)" = $'CONFIG_OWN=y\nCONFIG_NEW=n' ]
	run_mustfail 2 "$BRUNT" run kbuild source=tree config=./missing -o none
	run_mustfail 2 "$BRUNT" run kbuild source=tree config=CC=x -o none
	[ ! -e none ]
}

@test "jobs: each value is a point of its own, and statistics never cross points" {
	local cpus
	cpus=$(nproc)
	run_kbuild -n 3 --warmup 0 target=fs/ --sweep jobs=half,optimal,max
	[ "$(count_ends set)" = 9 ]
	any_end set ".point.jobs == \"optimal\" and .build.jobs == $((4 * cpus))"
	any_end set ".point.jobs == \"half\" and .build.jobs == $((cpus > 1 ? cpus / 2 : 1))"
	any_end set '.point.jobs == "max" and (.build | has("jobs") | not)'
	# values that lie far apart between points: a pooled sd would be that distance
	set_real set '.point.jobs == "half"' 100
	set_real set '.point.jobs == "optimal"' 50
	set_real set '.point.jobs == "max"' 10
	run_check "$BRUNT" report set --format json
	jq -e '[.groups[] | select(.metric == "real")] | length == 3 and
		all(.[]; .n == 3 and .sd < .02 * .mean) and
		([[.[].mean] | sort, [10, 50, 100]] | transpose |
			all(.[]; (.[0] / .[1] - 1 | fabs) < .02))' <<<"$output"
	run_mustfail 2 "$BRUNT" run kbuild source=tree jobs=none -o none
	run_mustfail 2 "$BRUNT" run kbuild source=tree jobs=0 -o none
}

@test "a build that fails half-way: the last lines, the log, status 4, nothing left" {
	rules <<-'END'
		broken: fs/
		> @echo 'fs/file.c:1:1: error: no luck'; exit 3
	END
	run_mustfail 4 "$BRUNT" run kbuild source=tree target=broken -n 2 -o set
	assert_has "error: no luck" "$stderr"
	assert_has "build.log" "$stderr"
	all_ends set '.status == "failed" and (.reason | test("make ended with exit status 2")) and
		(.reason | test("error: no luck"))'
	grep -q 'no luck' set/runs/1/build.log
}

@test "a configuration that cannot be prepared: what make said" {
	rules <<-'END'
		prepare: nothing-there.h
	END
	run_mustfail 4 "$BRUNT" run kbuild source=tree target=fs/ -n 2 -o set
	assert_has "make prepare" "$stderr"
	assert_has "nothing-there.h" "$stderr"
}

@test "a run that built something else is invalid" {
	rules <<-'END'
		vary:
		> @mkdir -p $(O)/fs; gcc -DN=$$(cat n) -c -o $(O)/fs/x.o vary.c
	END
	echo 'int f(int a) { return a * N; }' >tree/vary.c
	echo 5 >tree/n
	run_kbuild -n 1 --warmup 0 target=vary -l a
	echo 11 >tree/n
	run_mustfail 4 "$BRUNT" run -o set -n 1 --warmup 0 --max-retries 0 -l b
	assert_has "built something else than run 1" "$stderr"
	all_ends set '.status == "invalid"' '.label == "b"'
	# and so is one that built nothing
	run_mustfail 4 "$BRUNT" run kbuild source=tree target=image_name -n 1 --warmup 0 \
		--max-retries 0 -o empty
	all_ends empty '.status == "invalid" and (.reason | test("no object file"))'
}

@test "a tarball is unpacked once, with progress, and is not for later when it is cut" {
	tar -czf linux.tar.gz tree
	run_check "$BRUNT" run kbuild source=linux.tar.gz target=fs/ -n 1 --warmup 0 -o set
	assert_has "unpacking" "$stderr"
	all_ends set '.status == "ok"'
	run_check "$BRUNT" run -o set -l second -n 1 --warmup 0
	assert_has_not "unpacking" "$stderr"
	all_ends set '.status == "ok"'
	[ "$(ls cache/brunt | wc -l)" = 1 ]

	head -c 700 linux.tar.gz >cut.tar.gz
	run_mustfail 1 "$BRUNT" run kbuild source=cut.tar.gz target=fs/ -n 1 -o cut
	assert_has "unpacking $PWD/cut.tar.gz failed" "$stderr"
	assert_has "Unexpected EOF" "$(tr u U <<<"${stderr/unexpected end/Unexpected EOF}")"
	[ "$(ls -A cache/brunt | wc -l)" = 1 ]
	[ -z "$(ls cut/runs 2>/dev/null)" ]
}

@test "a tree that was built in is refused before the first run" {
	touch tree/.config
	run_mustfail 2 "$BRUNT" run kbuild source=tree -o set
	assert_has "mrproper" "$stderr"
	[ ! -e set ]
	rm tree/.config
	mkdir -p tree/arch/x86/include/generated
	run_mustfail 2 "$BRUNT" plan kbuild source=tree
	assert_has "mrproper" "$stderr"
	rm -r tree/arch
	rm tree/Makefile
	run_mustfail 2 "$BRUNT" plan kbuild source=tree
	assert_has "no kernel source" "$stderr"
	mkdir tree/below
	echo all: >tree/Makefile
	run_mustfail 2 "$BRUNT" run kbuild source=tree dir=tree/below -o set
	assert_has "lies in the source tree" "$stderr"
}

@test "a path that a kernel's Makefiles cannot work with is refused, and nothing is built" {
	local dir

	for dir in "my disk" "o'neil" 'a$b' a:b 'x;y'; do
		mkdir "$dir"
		run_mustfail 2 "$BRUNT" run kbuild source=tree -o none dir="$dir"
		assert_has "Makefiles of kernels" "$stderr"
		cp -r tree "$dir/linux"
		run_mustfail 2 "$BRUNT" plan kbuild source="$dir/linux"
		[ "$(ls "$dir")" = linux ]
	done
	XDG_CACHE_HOME="$PWD/my disk" run_mustfail 2 "$BRUNT" run kbuild source=/etc/passwd -o none
	[ ! -e none ]
	# the name of a tarball is no path to build in
	tar -czf 'linux (1).tar.gz' tree
	run_check "$BRUNT" run kbuild source='linux (1).tar.gz' -n 1 --warmup 0 -o set
	mkdir größe
	run_check "$BRUNT" run kbuild source=tree dir=größe -n 1 --warmup 0 -o umlaut
}

@test "without a source the newest package is taken; without a package: 77, and its name" {
	need_root
	unshare --mount bash -c 'mount -t tmpfs none /usr/src && exec "$@"' - \
		"$BRUNT" plan kbuild </dev/null >out 2>err || status=$?
	[ "$status" = 77 ]
	assert_has "linux-source" "$(cat err)"
	tar -czf linux.tar.gz tree
	unshare --mount bash -c 'mount -t tmpfs none /usr/src &&
		cp linux.tar.gz /usr/src/linux-source-5.9.tar.gz &&
		cp linux.tar.gz /usr/src/linux-source-5.10.tar.gz && exec "$@"' - \
		"$BRUNT" plan kbuild </dev/null >out 2>err
	assert_has "/usr/src/linux-source-5.10.tar.gz (to be unpacked" "$(cat out)"
}

@test "a full disk: what make said of it, and nothing is left" {
	need_root
	rules <<-'END'
		large: fs/
		> dd if=/dev/zero of=$(O)/large.o bs=64k count=100
	END
	mkdir small
	status=0
	unshare --mount bash -c 'mount -t tmpfs -o size=1M none small && "$@"; s=$?
		ls -A small >left; exit $s' - \
		"$BRUNT" run kbuild source=tree dir=small target=large -n 2 -o set </dev/null \
		2>err || status=$?
	[ "$status" = 4 ]
	assert_has "No space left on device" "$(cat err)"
	[ ! -s left ]
}

@test "Ctrl-C during make: the tree of processes is gone, the set is good, resume goes on" {
	rules <<-'END'
		slow: fs/
		> @sh -c 'test -e fast || { echo $$$$ >pid; sleep 987; }'
	END
	start_brunt run kbuild source=tree target=slow -n 1 --warmup 0 -o set
	wait_for 30 test -s tree/pid
	kill -INT "$brunt_pid"
	wait_for 60 is_gone "$(cat tree/pid)"
	end_brunt
	assert_brunt_status 130
	any_end set '.status == "failed" and .reason == "interrupted"'
	touch tree/fast
	run_check "$BRUNT" resume set
	any_end set '.status == "ok"'
}

@test "after SIGKILL brunt clean removes the build folder" {
	rules <<-'END'
		slow: fs/
		> @sh -c 'echo $$$$ >pid; sleep 987'
	END
	mkdir build
	start_brunt run kbuild source=tree target=slow dir=build -n 1 --warmup 0 -o set
	wait_for 30 test -s tree/pid
	kill -KILL "$brunt_pid"
	wait "$brunt_pid" || true
	brunt_pid=
	[ -e build/brunt-kbuild/fs/file.o ]
	# it is not taken for one's own by the next run
	run_mustfail 1 "$BRUNT" run kbuild source=tree target=fs/ dir=build -n 2 -o next
	assert_has "brunt clean" "$stderr"
	run_check "$BRUNT" clean
	wait_for 60 is_gone "$(cat tree/pid)"
	assert_has brunt-kbuild "$output$stderr"
	[ -z "$(ls -A build)" ]
}

@test "cache=cold-system drops the page cache before the timed part only" {
	need_root
	run_kbuild -n 1 --warmup 0 target=fs/ cache=cold-system
	all_ends set '.status == "ok"'
}

@test "two labels side by side, as in a mail; one boot a label decides nothing" {
	run_kbuild -n 3 target=fs/ -l old-hooks
	run_check "$BRUNT" run -o set -l new-hooks
	set_real set '.label == "old-hooks"' 4
	set_real set '.label == "new-hooks"' 5
	run_check "$BRUNT" report set --format mail --runs
	assert_has "old-hooks" "$output"
	assert_has "new-hooks" "$output"
	[ "$(grep -c '^ *\(real\|user\|sys\) .* .* ' <<<"$output")" -ge 3 ]
	run_check "$BRUNT" report set --format json
	jq -e '[.comparisons[] | select(.kind == "label" and .metric == "real")] |
		length == 1 and .[0].verdict == "inconclusive" and
		(.[0].reason | test("cannot be told apart"))' <<<"$output"
}

@test "another source under one label is refused, and named between labels" {
	cp -r tree other
	sed -i 's/SUBLEVEL = 7/SUBLEVEL = 8/' other/Makefile
	(cd tree && run_check "$BRUNT" run kbuild source=. target=fs/ -n 1 --warmup 0 -o ../set -l x)
	# the set's own words mean the same from any folder
	(cd other && run_check "$BRUNT" run -n 1 --warmup 0 -o ../set -l x)
	[ "$(ends set | jq -r .build.work | sort -u | wc -l)" = 1 ]
	# and a tree that has become another one is not taken for the same
	rm -r tree
	mv other tree
	run_mustfail 2 "$BRUNT" run -n 1 --warmup 0 -o set -l x
	assert_has "kbuild version 6.1.7-fixture" "$stderr"
	assert_has "6.1.8-fixture now" "$stderr"
	run_check "$BRUNT" run -n 1 --warmup 0 -o set -l y
	run_check "$BRUNT" report set --format json
	jq -e '[.work_differences[] | select(.key == "kbuild version") | .base_value, .new_value] ==
		["6.1.7-fixture", "6.1.8-fixture"]' <<<"$output"
}

@test "jobs=cpus that comes to another number under one label is refused" {
	[ "$(nproc)" -gt 1 ] || skip "needs two CPUs"
	run_kbuild -n 1 --warmup 0 target=fs/ jobs=cpus -l x
	run_mustfail 2 taskset -c 0 "$BRUNT" run -n 1 --warmup 0 -o set -l x
	assert_has "kbuild jobs $(nproc)" "$stderr"
	assert_has "1 now" "$stderr"
	run_check taskset -c 0 "$BRUNT" run -n 1 --warmup 0 -o set -l y
	run_check "$BRUNT" report set
	assert_has "the work is not the same" "$output"
}

@test "compilers and their flags can be what is compared" {
	printf 'fs/: flags\nflags:\n\t@mkdir -p $(O)/fs; gcc $(KCFLAGS) -c -o $(O)/fs/flags.o flags.c\n' \
		>>tree/Makefile
	echo 'int f(int a) { int b = a * 3; return b + a; }' >tree/flags.c
	run_kbuild -n 2 --warmup 0 target=fs/ -c a,env.KCFLAGS=-O2 -c b,env.KCFLAGS=-O0
	all_ends set '.status == "ok"'
	[ "$(ends set | jq -r .build.text_sha256 | sort -u | wc -l)" = 2 ]
	all_ends set '.build.variables == "KCFLAGS=-O0"' '.config == "b"'
	# each configuration is held against itself
	echo 'int f(int a) { return a + 77; }' >tree/flags.c
	run_mustfail 4 "$BRUNT" run -o set -n 1 --warmup 0 --max-retries 0 -l later
	assert_has "built something else than run" "$stderr"
}

@test "the compiler on record is the one of the configuration" {
	mkdir other
	printf '#!/bin/sh\n[ "$1" != --version ] || { echo "other compiler 9"; exit; }\nexec /usr/bin/gcc "$@"\n' \
		>other/gcc
	sed 's/other compiler/clang version/' other/gcc >other/clang
	chmod +x other/gcc other/clang
	run_kbuild -n 1 --warmup 0 target=fs/ -c plain -c "path,env.PATH=$PWD/other:$PATH" \
		-c "llvm,env.LLVM=1,env.PATH=$PWD/other:$PATH"
	all_ends set '.build.compiler | test("gcc")' '.config == "plain"'
	all_ends set '.build.compiler == "other compiler 9"' '.config == "path"'
	all_ends set '.build.compiler == "clang version 9"' '.config == "llvm"'
}

@test "the warm page cache is made once a session, without .git and results" {
	need_program strace strace
	mkdir -p tree/.git tree/brunt-results/x
	echo 1 | tee tree/.git/packed tree/brunt-results/x/runs >/dev/null
	run_check strace -f -e trace=openat -o opened "$BRUNT" run kbuild source=tree -o set -n 1 \
		--warmup 0 target=fs/ --sweep jobs=1,2
	[ "$(grep -c "$PWD/tree/fs/file.c" opened)" = 1 ]
	! grep -q 'tree/.git/packed\|tree/brunt-results/x/runs' opened
}

@test "mistakes in keys are found before the first run" {
	: >empty
	run_mustfail 2 "$BRUNT" run kbuild source=tree config=/tmp -o none
	run_mustfail 2 "$BRUNT" run kbuild source=tree config=./empty -o none
	assert_has "no file with a configuration" "$stderr"
	run_mustfail 2 "$BRUNT" run kbuild source=tree jobs=half,max -o none
	assert_has "--sweep jobs=" "$stderr"
	[ ! -e none ]
}

@test "a tarball is not unpacked where everybody writes; a damaged cache is named" {
	tar -czf linux.tar.gz tree
	unset XDG_CACHE_HOME
	local other=() open
	[ "$(id -u)" != 0 ] || other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	need_program setpriv util-linux
	status=0
	open=$(mktemp -d) # the folders above ours are nobody else's
	chmod 755 "$open"
	cp linux.tar.gz "$BRUNT" "$open"
	"${other[@]}" env -u HOME "$open/brunt" plan kbuild source="$open/linux.tar.gz" </dev/null \
		2>err || status=$?
	rm -r "$open"
	[ "$status" = 2 ]
	assert_has "HOME and XDG_CACHE_HOME are not set" "$(cat err)"
	export XDG_CACHE_HOME=$PWD/cache
	run_check "$BRUNT" run kbuild source=linux.tar.gz target=fs/ -n 1 --warmup 0 -o set
	rm cache/brunt/*/tree/Makefile
	run_mustfail 2 "$BRUNT" run kbuild source=linux.tar.gz target=fs/ -n 1 --warmup 0 -o next
	assert_has "remove it" "$stderr"
}

@test "the end of a failed log names files without the long way to them" {
	rules <<-'END'
		broken:
		> @echo "$(O)/include/x.h:1: error: no luck"; exit 3
	END
	run_mustfail 4 "$BRUNT" run kbuild source=tree target=broken -n 1 --warmup 0 -o set
	assert_has "with: include/x.h:1: error: no luck" "$stderr"
}

@test "a compiler that is a wrapper, and cannot be taken out of the PATH, is a mark" {
	mkdir tools
	printf '#!/bin/sh\nexec ${DISTCC:+distcc} /usr/bin/gcc "$@"\n' >tools/gcc
	ln -s "$(command -v make)" tools/make
	chmod +x tools/gcc
	PATH=$PWD/tools:$PATH run_kbuild -n 1 --warmup 0 target=fs/
	all_ends set '.status == "ok" and any(.marks[]; .name == "compiler_wrapper")'
	run_check "$BRUNT" run kbuild source=tree target=fs/ -n 1 --warmup 0 -o plain
	all_ends plain 'all(.marks[]; .name != "compiler_wrapper")'
}
