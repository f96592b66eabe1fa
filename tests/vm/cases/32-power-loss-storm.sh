# The same in the middle of a traced storm, whose set and kept traces lie on the disk.
# modules: loop
# kernels: newest
# disk: state 128M ext4

set=/disks/state/set

case $VM_BOOT in
1)
	start_brunt run storm devices=loop:4:32M fill=256k repeat=2 -n 3 --warmup 0 -o $set \
		-t none -t blktrace,keep=yes
	wait_for 80 has_started $set 4
	power_loss
	;;
2)
	run_check "$BRUNT" status $set
	assert_has "killed" "$output"
	run_check "$BRUNT" resume $set
	all_ends $set '.status == "ok"'
	all_ends $set '.tracer.events > 400 and .tracer.lost == 0' '.config == "blktrace"'
	# the traces of runs that had ended before are whole as well
	ln -s $set set
	for run in $(ends set '.config == "blktrace"' | jq .run); do
		[ "$(parsed_records "$run")" = "$(ends set ".run == $run" | jq .tracer.events)" ]
	done
	run_check "$BRUNT" report $set --format json
	jq -e '[.groups[] | select(.metric == "real") | .n] == [3, 3]' <<<"$output"
	;;
esac
