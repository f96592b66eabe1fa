# SIGKILL in the middle of a traced storm: clean undoes what is left, and nothing is left then (the
# state before and after is compared for every case).
# modules: loop

# The workers are in a mount namespace of their own.
it_has_mounted()
{
	grep -qs ' - ext3 /dev/loop' /proc/[0-9]*/mountinfo
}

start_brunt run storm devices=loop:4:32M fill=1M repeat=1000 -n 2 --warmup 0 -o set -t blktrace
wait_for 60 it_has_mounted
[ "$(cat /sys/kernel/tracing/current_tracer)" = blk ]
kill -KILL "$brunt_pid"
end_brunt
run_check "$BRUNT" status set
assert_has killed "$output"
run_check "$BRUNT" clean
[ -n "$output" ]
[ "$(cat /sys/kernel/tracing/current_tracer)" = nop ]
run_check "$BRUNT" clean
[ -z "$output" ]
run_check "$BRUNT" run storm devices=loop:2:32M fill=64k -n 1 --warmup 0 -o again -t blktrace
all_ends again '.status == "ok"'
