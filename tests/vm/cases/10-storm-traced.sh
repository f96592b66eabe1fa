# The storm on ten loop devices, without and with block traces: the work is done, the trace is whole,
# and nothing of it is left (the state before and after is compared for every case).
# modules: loop

run_check "$BRUNT" run storm devices=loop:10:32M fs=ext3 fill=256k -n 1 --warmup 0 -o set \
	-t none -t blktrace,keep=yes
all_ends set '.status == "ok" and (.devices | length == 10) and (.config == "none" or
	(.tracer | .backend == "tracefs" and .events > 1000 and .lost == 0))'
read -r run events < <(ends set '.config == "blktrace"' | jq -r '"\(.run) \(.tracer.events)"')
[ "$(parsed_records "$run")" = "$events" ]
[ "$(find "set/runs/$run/trace" -name '*.blktrace.*' -printf '%f\n' | cut -d . -f 1 |
	sort -u | wc -l)" = 10 ]
