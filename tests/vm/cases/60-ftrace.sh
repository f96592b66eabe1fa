# The tracer ftrace on stock kernels: what it counts is what the work did, trace-cmd reads it, and the
# instance of a killed session goes.
# modules: loop
# timeout: 400

T=/sys/kernel/tracing
run_check "$BRUNT" run -q command -n 1 --warmup 0 -o set -t none \
	-t ftrace,name=work,events=syscalls:sys_enter_write,scope=work,buffer=512k,keep=yes \
	-t ftrace,name=over,events=syscalls+sched,mode=overwrite,buffer=64k -- \
	dd if=/dev/zero of=/dev/null bs=1 count=2000
all_ends set '.status == "ok"'
all_ends set '.tracer | .lost == 0 and .events >= 2000' '.config != "none"'
all_ends set '.tracer | .events < 2100 and .backend == "drain"' '.config == "work"'
all_ends set '.tracer.overwritten > 0' '.config == "over"'
[ -z "$(ls $T/instances)" ]
run=$(ends set '.config == "work"' | jq .run)
if command -v trace-cmd; then
	trace-cmd report "set/runs/$run/trace/trace.dat" 2>words | grep -v '^cpus=' >lines
	[ ! -s words ]
	[ "$(wc -l <lines)" = "$(ends set '.config == "work"' | jq .tracer.events)" ]
	[ "$(grep -c ' dd-[0-9]* .* sys_enter_write: ' lines)" -ge 2000 ]
fi

run_check "$BRUNT" run -q storm devices=loop:1:16M fill=64k -n 1 --warmup 0 -o storm \
	-t ftrace,events=block,buffer=512k
all_ends storm '.status == "ok" and (.tracer | .lost == 0 and .events > 50)'

start_brunt run command -n 1 --warmup 0 -o killed -t ftrace,events=syscalls -- sleep 100
is_on()
{
	[ "$(cat $T/instances/brunt-*/tracing_on 2>/dev/null)" = 1 ]
}
wait_for 60 is_on
kill -KILL "$brunt_pid"
end_brunt
[ -n "$(ls $T/instances)" ]
run_check "$BRUNT" clean
assert_has "tracing instance brunt-" "$output"
[ -z "$(ls $T/instances)" ]
