# SIGKILL in the middle of a traced storm: clean undoes what is left, and nothing is left then (the
# state before and after is compared for every case).
# modules: loop
# kernels: newest
# timeout: 400

# The workers are in a mount namespace of their own.
it_has_mounted()
{
	grep -qs ' - ext3 /dev/loop' /proc/[0-9]*/mountinfo
}

for backend in program tracefs; do
	start_brunt run storm devices=loop:4:32M fill=1M repeat=1000 -n 2 --warmup 0 -o $backend \
		-t blktrace,backend=$backend,buffer=256k
	wait_for 60 it_has_mounted
	case $backend in
	program) blktrace_pid=$(pidof blktrace) ;;
	tracefs) [ "$(cat /sys/kernel/tracing/current_tracer)" = blk ] ;;
	esac
	[ "$(cat /sys/block/loop0/trace/enable)" = 1 ]
	kill -KILL "$brunt_pid"
	end_brunt
	run_check "$BRUNT" status $backend
	assert_has killed "$output"
	run_check "$BRUNT" clean
	[ -n "$output" ]
	[ $backend = tracefs ] || wait_for 60 is_gone "$blktrace_pid"
	[ "$(cat /sys/kernel/tracing/current_tracer)" = nop ]
	[ -z "$(find $backend/runs -name '*.blktrace.*')" ]
	run_check "$BRUNT" clean
	[ -z "$output" ]
done

# Ctrl-C: the same without clean
start_brunt run storm devices=loop:4:32M fill=1M repeat=1000 -n 2 --warmup 0 -o interrupted \
	-t blktrace,backend=program,buffer=256k
wait_for 60 it_has_mounted
kill -INT "$brunt_pid"
end_brunt
assert_brunt_status 130
[ -z "$(find interrupted/runs -name '*.blktrace.*')" ]
run_check "$BRUNT" clean
[ -z "$output" ]

run_check "$BRUNT" run storm devices=loop:2:32M fill=64k -n 1 --warmup 0 -o set \
	-t blktrace,buffer=256k,keep=yes,output=/dev/shm,act_mask=issue+complete
all_ends set '.status == "ok" and .tracer.backend == "program"'
[ "$(parsed_records 1)" = "$(ends set | jq .tracer.events)" ]
[ "$(blkparse -q -i loop0 -D set/runs/1/trace -f '%a\n' | grep -v -e '^$' -e '^Input' | sort -u | tr '\n' ' ')" = "C D " ]
