# cgroup2 with all its controllers (other machines have some of them elsewhere): processes that a
# program leaves are found and ended, even outside its session, and their group is gone.

grep -qw memory /sys/fs/cgroup/cgroup.controllers || skip "this kernel has no memory controller"
grep -qw memory /sys/fs/cgroup/cgroup.subtree_control
# shellcheck disable=SC2016 # the program expands it
run_check "$BRUNT" run command -n 2 --warmup 0 -o set -- sh -c '
	setsid sh -c "trap : TERM; echo \$\$ >>pids; exec sleep 987" >/dev/null 2>&1 &
	sleep 986 >/dev/null 2>&1 & echo $! >>pids
	while [ $(wc -l <pids) -lt 2 ]; do usleep 10000; done'
[ "$(session set '.workloads[0].description.cgroup')" = true ]
all_ends set '.status == "ok" and ([.marks[].name] | index("leftover_processes"))'
[ "$(wc -l <pids)" = 4 ]
while read -r pid; do
	wait_for 60 is_gone "$pid"
done <pids
[ -z "$(find /sys/fs/cgroup -name 'brunt*')" ]
