# The machine loses power in the middle of an experiment: its set is readable after the next boot,
# status says what happened, and resume does the rounds that are missing.
# modules: loop
# kernels: newest
# disk: state 128M ext4

set=/disks/state/set

case $VM_BOOT in
1)
	# the fourth of its runs does not end
	printf '#!/bin/sh\necho x >>/tmp/log\n[ $(wc -l </tmp/log) -lt 4 ] || sleep 1000\n' \
		>/disks/state/program
	chmod +x /disks/state/program
	start_brunt run command -o $set -n 4 --warmup 0 -c a -c b -- /disks/state/program
	wait_for 60 has_started $set 4
	power_loss
	;;
2)
	# the journals were in memory, as all that they speak of
	run_check "$BRUNT" clean
	[ -z "$output" ]
	run_check "$BRUNT" status $set
	assert_has "1 of 4 rounds, killed" "$output"
	assert_has "1 without an end" "$output"
	run_check "$BRUNT" report $set --format json
	jq -e '.sets[0].runs == 3 and .sets[0].unended == 1' <<<"$output"
	boot_before=$(ends $set | jq -r .boot_id | sort -u)
	printf '#!/bin/sh\nexit 0\n' >/disks/state/program
	run_check "$BRUNT" resume $set
	[ "$(count_ends $set '.status == "ok"')" = 9 ]
	[ "$(session $set '[.resumes != null, .rounds, .status]')" = '[true,3,"complete"]' ]
	# both boots are one result
	[ "$(ends $set | jq -r .boot_id | sort -u | wc -l)" = 2 ]
	all_ends $set '.run <= 3' ".boot_id == \"$boot_before\""
	run_check "$BRUNT" report $set --format json
	jq -e '[.groups[] | select(.metric == "real") | .n] == [4, 4]' <<<"$output"
	run_check "$BRUNT" resume $set
	assert_has "nothing is missing" "$stderr"
	run_check "$BRUNT" status $set
	assert_has "3 of 3 rounds, complete" "$output"
	;;
esac
