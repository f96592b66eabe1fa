# The workload `command`, the lists, and what is recorded of a machine that is not the developer's.

for what in workloads tracers settings parsers reports metrics; do
	run_check "$BRUNT" list $what
	[ -n "$output" ]
done
run_check "$BRUNT" list tracers --json
assert_has '"name": "blktrace"' "$output"

run_check "$BRUNT" run command -n 2 -o set -c plain -c other,sysctl.vm.swappiness=37 -- \
	cat /proc/sys/vm/swappiness
all_ends set '.status == "ok" and .boot_id != "" and .host != "" and
	(.metrics | .real.value > 0 and .cpu.value > 0 and .max_rss.value > 0) and
	(.system | .busy_s != null and .kthread_s != null and .steal_s != null)'
for run in $(ends set '.config == "other"' | jq .run); do
	[ "$(cat "set/runs/$run/stdout")" = 37 ]
done
session set '.environment' >environment
jq -r 'to_entries[] | select(.value == null) | .key' environment | sort >unknown
# a virtual machine has no cpufreq, the guest no /boot/config-*, no /etc/os-release, no compiler
run_mustfail 1 grep -vE '^(cpu\.(driver|energy_preference|governor|idle_states|max_khz|min_khz|turbo)|kernel\.(config_sha256|hz.*)|memory\.zswap|os\.pretty_name|sysctl\.kernel\.sched_energy_aware|tool\.(gcc|ld|make))$' \
	unknown
[ "$(jq -r '.["kernel.release"]' environment)" = "$(uname -r)" ]
run_check "$BRUNT" report set
assert_has "real" "$output"
