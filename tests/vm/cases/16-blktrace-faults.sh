# A blktrace(8) that does not do what it is there for: no run counts, and no trace is left.
# modules: loop
# kernels: newest
# timeout: 500

storm() # SET REASON
{
	with_bin run_mustfail 4 "$BRUNT" run -q storm devices=loop:2:16M fill=0 -n 1 --warmup 0 \
		--max-retries 0 -o "$1" -t blktrace,backend=program,buffer=64k
	all_ends "$1" ".status != \"ok\" and (.reason | test(\"$2\"))"
	[ "$(sort -u /sys/block/*/trace/enable)" = 0 ]
	[ -z "$(pidof blktrace)" ]
	[ -z "$(find "$1/runs" -name '*.blktrace.*')" ]
}

# Something happens once in a run, before the first mke2fs of a loop device.
in_the_run() # COMMAND
{
	rm -rf once bin
	wrap mke2fs <<-END
		if [[ \$last == /dev/loop* ]] && mkdir "\$here/once" 2>/dev/null; then
			$1
		fi
		exec "\$real" "\$@"
	END
}

wrap blktrace <<<'exit 0'
storm nothing 'the program ended before it traced, exit status 0; it said: [(]no word[)]'

wrap blktrace <<<'echo "Thread 0 failed open /x/trace0: 1/Operation not permitted" >&2'
storm eperm 'Operation not permitted; a locked-down kernel does that: backend=tracefs'

# shellcheck disable=SC2016 # the wrapper expands it
in_the_run 'kill -KILL $(pidof blktrace)'
storm killed 'the program ended during the run, signal 9'
all_ends killed '.tracer | .events == null and .bytes == null'

# more than fits
# shellcheck disable=SC2016
writes='dd if=/dev/zero of=$last bs=4k count=4000 oflag=direct 2>/dev/null'

# It reads nothing, so records are lost; and then it does not end.
in_the_run "kill -STOP \$(pidof blktrace); $writes"
storm hangs 'did not end within'
all_ends hangs '.tracer.lost > 0 and .tracer.drain_s > 5'

# It reads again, but what did not fit is gone.
in_the_run "kill -STOP \$(pidof blktrace); $writes; kill -CONT \$(pidof blktrace)"
storm lost 'blktrace lost [0-9]+ events'

rm -r bin
mv /usr/sbin/blktrace /usr/sbin/blktrace.away
run_mustfail 77 "$BRUNT" run storm devices=loop:2:16M fill=0 -o missing -t blktrace,backend=program
mv /usr/sbin/blktrace.away /usr/sbin/blktrace
assert_has "blktrace is missing (package blktrace)" "$stderr"

# what is not there is said before anything is started
run_mustfail 77 "$BRUNT" run storm devices=loop:2:16M fill=0 -o missing -t blktrace,buffer=4M
assert_has "trace buffers of 4 MiB on 2 CPUs for 2 devices take 80 MiB" "$stderr"
run_mustfail 77 bash -c "ulimit -n 250; $BRUNT run storm devices=loop:2:16M fill=0 -o missing \
	-t blktrace,buffer=64k"
assert_has "266 files have to be open for 2 devices on 2 CPUs, and the hard limit is 250" "$stderr"
[ ! -s missing/runs.jsonl ]
