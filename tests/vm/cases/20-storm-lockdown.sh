# A locked-down kernel, as Secure Boot has it: it keeps blktrace(8) from its files in debugfs, and
# brunt's traces work nevertheless.
# modules: loop
# kernels: newest
# lockdown: integrity

grep -q '\[integrity\]' /sys/kernel/security/lockdown
# it is true what is said of debugfs
file=$(find /sys/kernel/debug/ -path '*/tracing' -prune -o -type f -perm 600 -print | head -n 1)
run_mustfail 1 cat "$file"
assert_has "Operation not permitted" "$stderr"

run_check "$BRUNT" run storm devices=loop:4:32M fill=256k -n 1 --warmup 0 -o set \
	-t none -t blktrace,keep=yes
all_ends set '.status == "ok" and (.config == "none" or
	(.tracer | .backend == "tracefs" and .events > 400 and .lost == 0))'
read -r run events < <(ends set '.config == "blktrace"' | jq -r '"\(.run) \(.tracer.events)"')
[ "$(parsed_records "$run")" = "$events" ]
[ "$(session set '.environment["kernel.lockdown"]')" = integrity ]
# it said so
assert_has "blktrace: traced by tracefs, since blktrace(8) cannot run here: this kernel is locked down (integrity)" \
	"$stderr"
run_mustfail 77 "$BRUNT" run storm devices=loop:4:32M -o program -t blktrace,backend=program
assert_has "locked down (integrity)" "$stderr"
assert_has "backend=tracefs can" "$stderr"
