# The workload `command`, the lists, and what is recorded of a machine that is not the developer's.

for what in workloads tracers settings parsers reports metrics; do
	run_check "$BRUNT" list $what
	[ -n "$output" ]
done
run_check "$BRUNT" list tracers --json
jq -e '.[] | select(.name == "blktrace")' <<<"$output"

run_check "$BRUNT" run command -n 3 -o set -c plain -c other,sysctl.vm.swappiness=37 -- \
	cat /proc/sys/vm/swappiness
all_ends set '.status == "ok"'
all_ends set '.metrics | .real.value > 0 and .cpu.value > 0 and .max_rss.value > 0'
all_ends set '.system | .busy_s != null and .kthread_s != null and .steal_s != null'
for run in $(ends set '.config == "other"' | jq .run); do
	[ "$(cat "set/runs/$run/stdout")" = 37 ]
done
[ "$(session set '.environment["kernel.release"]')" = "$(uname -r)" ]
session set '.environment | to_entries | map(select(.value == null) | .key) | sort | join(" ")' \
	>unknown
echo "unknown here: $(cat unknown)"
for key in boot_id host; do
	all_ends set ".$key != null and .$key != \"\""
done
run_check "$BRUNT" report set
assert_has "real" "$output"
