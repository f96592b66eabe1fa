# Somebody else runs blktrace(8) on one of the devices: brunt refuses, and that trace survives whole.
# And where somebody takes a device's trace away in a run, the run is invalid and theirs survives.
# modules: loop
# kernels: newest

args=(storm devices=loop:2:16M fill=0 -n 1 --warmup 0 --max-retries 0)

their_trace() # DEVICE FOLDER
{
	mkdir -p "$2"
	blktrace -d "/dev/$1" -b 64 -n 4 -D "$2" >"$2/words" 2>&1 &
	their_pid=$!
	wait_for 60 has_open "$1"
}

has_open() # DEVICE
{
	[ "$(find "/proc/$their_pid/fd" -lname "*/block/$1/trace*" 2>/dev/null | wc -l)" = 2 ]
}

# brunt takes the first devices that are not bound
their_trace loop0 theirs
for backend in program tracefs; do
	run_mustfail 1 "$BRUNT" run "${args[@]}" -o refused -t blktrace,backend=$backend,buffer=64k
	assert_has "loop0 is traced already" "$stderr"
	[ ! -s refused/runs.jsonl ]
done
run_check "$BRUNT" clean
# what brunt bound to it stays until the other one closes it
[ -e /sys/block/loop0/loop/backing_file ]
dd if=/dev/zero of=/dev/loop0 bs=4k count=50 oflag=direct 2>/dev/null
kill -INT "$their_pid"
wait "$their_pid"
wait_for 60 test ! -e /sys/block/loop0/loop/backing_file
assert_has "dropped 0" "$(cat theirs/words)"
# of a device that had no size when it began, all but what has a place on it
[ "$(blkparse -q -i loop0 -D theirs -f '%a\n' | grep -c '^P$')" = 50 ]

wrap mke2fs <<-'END'
	if [[ $last == /dev/loop1 ]] && mkdir "$here/once" 2>/dev/null; then
		until [ -e "$here/taken-away" ]; do sleep .1; done
	fi
	exec "$real" "$@"
END
# no program of the storm: those it ends
{
	wait_for 100 test -e once
	blktrace -d /dev/loop1 -k
	their_trace loop1 later
	echo "$their_pid" >pid
	touch taken-away
	wait "$their_pid"
} &
with_bin run_mustfail 4 "$BRUNT" run "${args[@]}" -o taken -t blktrace,backend=program,buffer=64k
all_ends taken '.status == "invalid" and (.reason | test("the trace of loop1 was ended by somebody"))'
[ "$(cat /sys/block/loop0/trace/enable)" = 0 ]
[ "$(cat /sys/block/loop1/trace/enable)" = 1 ]
kill -INT "$(cat pid)"
wait_for 60 is_gone "$(cat pid)"
assert_has "dropped 0" "$(cat later/words)"
[ "$(blkparse -q -i loop1 -D later -f '%a\n' | grep -c '^Q$')" -gt 20 ]
