#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What goes wrong, from a failing mkfs to a full disk: what brunt says, that it goes on where it
# can, and that none of it gets into a mean.

load lib
load runs

small=(storm -o set devices=loop:2:64M fill=1M --warmup 0)

# mke2fs does this in place of its work when it is called the Nth time for a device.
mke2fs_fails_in() # N COMMAND
{
	wrap mke2fs <<-END
		[[ \$last == /dev/loop* ]] || exec "\$real" "\$@"
		# of several at once each makes another file
		i=1
		until (set -C; : >"\$here/call-\$i") 2>/dev/null; do
			i=\$((i + 1))
		done
		[ \$i != $1 ] || { $2; }
		exec "\$real" "\$@"
	END
}

@test "mkfs fails on one device: the run is lost, the round repeated, the rest goes on" {
	need_storm
	mke2fs_fails_in 3 'echo "mke2fs 1.0"; echo "mke2fs: no more of this on $last" >&2; echo more; exit 3'
	with_bin run_check "$BRUNT" run "${small[@]}" -n 3
	[ "$(ends set | jq -r '[.run, .round, .status] | join(" ")' | tr '\n' ';')" = \
		"1 1 ok;2 2 failed;3 3 ok;4 4 ok;" ]
	all_ends set '.reason | test("^loop[0-9]+: mkfs: exit status 3: .*no more of this")' \
		'.run == 2'
	assert_has "round 2/3, none: failed" "$stderr"
	assert_has "mkfs: exit status 3" "$stderr"
	assert_has "no more of this" "$stderr"
	# the other device did its work
	[ "$(ends set '.run == 2' | jq -c '[.devices[].cycles] | sort')" = '[0,1]' ]
	all_ends set '.metrics.real.value == null and .metrics.real.reason' '.run == 2'
	cat set/runs/2/loop*-mkfs.txt | grep -q "mke2fs 1.0"
	run_check "$BRUNT" report set --format json
	jq -e '[.groups[] | select(.metric == "real") | .n] == [3]' <<<"$output"
}

@test "without retries the same is status 4" {
	need_storm
	mke2fs_fails_in 3 'echo "mke2fs: no more of this" >&2; exit 3'
	with_bin run_mustfail 4 "$BRUNT" run "${small[@]}" -n 3 --max-retries 0
	assert_has "1 round(s) missing" "$stderr"
	run_mustfail 4 "$BRUNT" report set --format json
	jq -e '[.groups[] | select(.metric == "real") | .n] == [2]' <<<"$output"
}

@test "a round that fails in one configuration is out of the other's comparison, too" {
	need_storm
	mke2fs_fails_in 7 'exit 3'
	with_bin run_mustfail 4 "$BRUNT" run "${small[@]}" -n 4 -c a -c b --max-retries 0
	run_mustfail 4 "$BRUNT" report set --format json
	jq -e '[.counts[] | .ok] | sort == [3, 4]' <<<"$output"
	jq -e '[.counts[] | .left_out] | sort == [0, 1]' <<<"$output"
	jq -e '[.groups[] | select(.metric == "real") | .n] | all(.[]; . == 3)' <<<"$output"
}

@test "mkfs that a signal ends" {
	need_storm
	mke2fs_fails_in 1 'kill -KILL $$'
	with_bin run_mustfail 4 "$BRUNT" run "${small[@]}" -n 1 --max-retries 0
	all_ends set '.reason | test("^loop[0-9]+: mkfs: signal 9")'
}

@test "mkfs fails on all devices: one is named, and how many more there are" {
	need_storm
	wrap mke2fs <<-'END'
		[[ $last == /dev/loop* ]] || exec "$real" "$@"
		echo "mke2fs: never" >&2
		exit 1
	END
	with_bin run_mustfail 4 "$BRUNT" run storm -o set devices=loop:3:64M --warmup 0 -n 1 \
		--max-retries 0
	all_ends set '.reason | test("^loop[0-9]+: mkfs: exit status 1.*never.*and 2 more")'
}

@test "mkfs fails in every run: no hours are spent on it" {
	need_storm
	wrap mke2fs <<-'END'
		[[ $last == /dev/loop* ]] || exec "$real" "$@"
		echo "mke2fs: never" >&2
		exit 1
	END
	with_bin run_mustfail 4 "$BRUNT" run "${small[@]}" -n 100
	assert_has "configuration none fails every time" "$stderr"
	assert_has "never" "$stderr"
	[ "$(count_ends set)" -le 3 ]
	[ "$(session set .status)" = failed ]
}

@test "a device that is busy for a moment is tried again, which is marked" {
	need_storm
	wrap mke2fs <<-'END'
		[[ $last == /dev/loop* ]] || exec "$real" "$@"
		if mkdir "$here/once" 2>/dev/null; then
			echo "$last is apparently in use by the system; will not make a filesystem here!"
			exit 1
		fi
		exec "$real" "$@"
	END
	with_bin run_check "$BRUNT" run "${small[@]}" -n 1
	all_ends set '.status == "ok" and ([.marks[].name] | index("retries"))'
	all_ends set '[.devices[].retries // 0] | add == 1'
	all_ends set '[.devices[] | select(.retries) | .retry_s > 0] == [true]'
}

# umount does this once in place of its work, then works; the run is lost and repeated.
umount_once() # COMMAND STATUS REASON
{
	need_storm
	wrap umount <<-END
		! mkdir "\$here/once" 2>/dev/null || { $1; }
		exec "\$real" "\$@"
	END
	with_bin run_check "$BRUNT" run "${small[@]}" -n 1 mount_method=program --max-retries 1
	[ "$(ends set | jq -r .status | tr '\n' ' ')" = "$2 ok " ]
	all_ends set ".reason | test(\"^loop[0-9]+: $3\")" '.run == 1'
}

@test "umount that fails" {
	umount_once 'echo "umount: not today" >&2; exit 32' failed \
		'umount: exit status 32: .*not today'
}

@test "umount that returns without having unmounted" {
	umount_once 'exit 0' invalid 'umount unmounted nothing'
}

# A copy of the mounts in another namespace keeps them alive: umount returns 0 all the same.
# It ends some time after the last umount, longer than brunt looks.
@test "umount that unmounts nothing because somebody holds a copy: invalid" {
	need_storm
	unshare --mount --propagation private true 2>/dev/null || skip "no private mount namespace"
	wrap umount <<-'END'
		mkdir "$here/once" 2>/dev/null &&
			setsid unshare --mount --propagation private sh -c "cd '$here'
				>holding
				until [ -e release ]; do sleep .1; done
				sleep 8" >/dev/null 2>&1 3>&- &
		until [ -e "$here/holding" ]; do sleep .02; done
		"$real" "$@" || exit
		: >"$here/release"
	END
	with_bin run_check "$BRUNT" run storm -o set devices=loop:1:64M --warmup 0 -n 1 \
		mount_method=program mount_ns=host --max-retries 1
	all_ends set '.status == "invalid" and (.reason | test("umount unmounted nothing"))' '.run == 1'
	all_ends set '.status == "ok"' '.run == 2'
	run_check "$BRUNT" report set --format json
	jq -e '.counts[0].invalid == 1 and ([.groups[] | select(.metric == "real") | .n] == [1])' \
		<<<"$output"
	assert_same_state 30
}

@test "DIR without room: 77 with numbers" {
	need_storm
	mkdir full
	mount -t tmpfs -o size=4M none full
	to_undo+=("umount $PWD/full")
	run_mustfail 77 "$BRUNT" run storm -o set "devices=loop:2:64M:$PWD/full" -n 1
	assert_has "2 devices of 64 MiB need" "$stderr"
	[[ "$stderr" =~ [0-9.]+\ MiB\ in\ .*full,\ 4\ MiB\ are\ available ]]
	[ ! -e set ]
	head -c 4M /dev/zero >full/file 2>/dev/null || true
	run_mustfail 77 "$BRUNT" run storm -o set "devices=loop:2:64M:$PWD/full" -n 1
	assert_has "are available" "$stderr"
}

@test "DIR that gets full in the run: no such run is ok" {
	need_storm
	mkdir disk
	mount -t tmpfs -o size=64M none disk
	to_undo+=("umount $PWD/disk")
	mke2fs_fails_in 1 'head -c 64M /dev/zero >"$here/disk/file" 2>/dev/null'
	with_bin run_mustfail 4 "$BRUNT" run storm -o set "devices=loop:2:64M:$PWD/disk" fill=1M \
		--warmup 0 -n 1 --max-retries 0
	all_ends set '.status != "ok" and (.reason | test("^loop[0-9]+: "))'
}

@test "a set that has no room: a failure, with its name, and what is there can be read" {
	need_root
	mkdir disk
	# enough for a session and its kernel's configuration, not for the runs
	mount -t tmpfs -o size=512k none disk
	to_undo+=("umount $PWD/disk")
	run_mustfail 1 "$BRUNT" run command -o disk/set -n 2000 --warmup 0 -- true
	assert_has "No space left on device" "$stderr"
	assert_has "disk/set" "$stderr"
	run_check "$BRUNT" status disk/set
	run_check "$BRUNT" report disk/set --format json
	jq -e '.groups | length > 0 and all(.[]; .n >= 3)' <<<"$output"
}

@test "output that has no room fails its run" {
	need_root
	mkdir disk
	mount -t tmpfs -o size=128k none disk
	to_undo+=("umount $PWD/disk")
	run ! "$BRUNT" run command -o disk/set -n 1 --warmup 0 -- head -c 1M /dev/zero
	[ "$status" -lt 128 ]
	[ "$(ends disk/set '.status == "ok"')" = "" ]
}

@test "a set that cannot be written" {
	echo file >file
	run_mustfail 1 "$BRUNT" run command -o file/set -n 1 -- true
	assert_has "file/set" "$stderr"
	run_mustfail 1 "$BRUNT" run command -o /proc/no/set -n 1 -- true
}

@test "not root: a storm is refused with 77, a command works" {
	need_root
	as_nobody
	mkdir mine
	chown nobody mine
	run_mustfail 77 "${as_nobody[@]}" ./brunt run storm -o mine/set -n 1
	assert_has "needs root" "$stderr"
	run_mustfail 77 "${as_nobody[@]}" ./brunt plan storm
	[ ! -e mine/set ]
	run_check "${as_nobody[@]}" ./brunt run command -o mine/set -n 2 -c a -c b -- id -u
	all_ends mine/set '.status == "ok" and .metrics.real.value > 0'
	[ "$(cat mine/set/runs/1/stdout)" = "$(id -u nobody)" ]
	run_check "${as_nobody[@]}" ./brunt list workloads
	assert_has "needs root" "$output"
	run_check "${as_nobody[@]}" ./brunt clean
}

@test "no mke2fs: 77, and its package" {
	need_storm
	: >nothing
	cat >without <<-END
		mount --bind "$PWD/nothing" "$(readlink -f "$(command -v mke2fs)")" || exit 99
		exec "\$@"
	END
	run --separate-stderr unshare --mount --propagation private bash without \
		"$BRUNT" run storm -o set -n 1
	[ "$status" != 99 ] || skip "mke2fs cannot be hidden"
	[ "$status" != 1 ] || [ -n "${stderr##unshare*}" ] || skip "no private mount namespace"
	[ "$status" = 77 ]
	assert_has e2fsprogs "$stderr"
	[ ! -e set ]
}

@test "somebody else sets a sysctl that brunt has set: invalid, and theirs stays" {
	need_root
	local before
	before=$(cat /proc/sys/vm/swappiness)
	to_undo+=("echo $before >/proc/sys/vm/swappiness")
	run_mustfail 4 "$BRUNT" run command -o set -n 1 --warmup 0 --max-retries 0 \
		-c a,sysctl.vm.swappiness=37 -- sh -c 'echo 38 >/proc/sys/vm/swappiness'
	all_ends set '.status == "invalid" and (.reason | test("swappiness"))'
	[ "$(cat /proc/sys/vm/swappiness)" = 38 ]
}
