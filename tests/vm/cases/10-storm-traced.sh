# The storm on ten loop devices, without and with block traces: the work is done, the trace is whole,
# and nothing of it is left (the state before and after is compared for every case).
# modules: loop

run_check "$BRUNT" run storm devices=loop:10:32M fs=ext3 fill=256k -n 1 --warmup 0 -o set \
	-t none -t blktrace,keep=yes
all_ends set '.status == "ok"'
all_ends set '.devices | length == 10'
all_ends set '.tracer | .backend == "tracefs" and .events > 1000 and .lost == 0' \
	'.config == "blktrace"'
run=$(ends set '.config == "blktrace"' | jq .run)
[ "$(parsed_records "$run")" = "$(ends set '.config == "blktrace"' | jq .tracer.events)" ]
[ "$(find "set/runs/$run/trace" -name '*.blktrace.*' -printf '%f\n' | cut -d . -f 1 |
	sort -u | wc -l)" = 10 ]
