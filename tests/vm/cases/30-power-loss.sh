# The machine loses power in the middle of an experiment: its set is readable after the next boot,
# status says what happened, no line speaks of files that are empty now, and resume does the rounds
# that are missing.
# modules: loop
# kernels: newest
# disk: state 128M ext4

set=/disks/state/set

traces_are_whole()
{
	local run events

	ends $set '.config == "blktrace"' | jq -r '"\(.run) \(.tracer.events)"' >runs
	[ "$(wc -l <runs)" -ge "$1" ]
	while read -r run events; do
		[ "$events" -gt 400 ]
		[ "$(parsed_records "$run")" = "$events" ]
	done <runs
}

case $VM_BOOT in
1)
	start_brunt run storm devices=loop:4:32M fill=256k -n 2 --warmup 0 -o $set \
		-t none -t blktrace,keep=yes,buffer=256k
	wait_for 80 has_started $set 4
	# or the run might end before the machine does
	kill -STOP "$brunt_pid"
	power_loss
	;;
2)
	# the journals were in memory, as all that they speak of
	run_check "$BRUNT" clean
	[ -z "$output" ]
	run_check "$BRUNT" status $set
	assert_has "1 of 2 rounds, killed" "$output"
	assert_has "1 without an end" "$output"
	run_check "$BRUNT" report $set --format json
	[ "$(jq -c '.sets[0] | [.runs, .unended]' <<<"$output")" = '[3,1]' ]
	ln -s $set set
	traces_are_whole 1
	run_check "$BRUNT" resume $set
	[ "$(ends $set '.status == "ok"' | jq -r .boot_id | uniq -c | awk '{ print $1 }' |
		tr '\n' ' ')" = "3 2 " ]
	[ "$(session $set '[.resumes != null, .rounds, .status]')" = '[true,1,"complete"]' ]
	traces_are_whole 2
	# both boots are one result
	run_check "$BRUNT" report $set --format json
	[ "$(jq -c '[.groups[] | select(.metric == "real") | .n]' <<<"$output")" = '[2,2]' ]
	run_check "$BRUNT" resume $set
	assert_has "nothing is missing" "$stderr"
	run_check "$BRUNT" status $set
	assert_has "1 of 1 rounds, complete" "$output"
	;;
esac
