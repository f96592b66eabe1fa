# Ten SCSI disks that the user named, without and with block traces: nothing happens to them without
# --destroy, the work is done, and afterwards they are blank again.
# modules: sd_mod scsi_debug
# kernels: newest
# timeout: 400

load scsi_debug add_host=10 per_host_store=1 dev_size_mb=8 delay=0
use_disks 10 'sd*'

run_mustfail 5 "$BRUNT" run storm devices="$named" -o set "${destroy[@]:0:18}"
assert_has "${disks[9]}: all of it would be lost" "$stderr"
[ ! -e set ]

traced_storm set 10 devices="$named" "${destroy[@]}" fs=ext3 fill=64k
all_ends set '.devices | all(.cycles == 1)'
session set '.workloads[0].description.devices' >facts
jq -e 'length == 10 and all(.driver == "sd" and .model == "scsi_debug" and .size_bytes == 8388608 and
	.block_size == 512 and (.scheduler | length > 0) and (.rotational | type == "boolean"))' facts
is_blank "${disks[@]}"
# the set does not hold the word
run_mustfail 5 "$BRUNT" run -o set
assert_has "10 devices are refused" "$stderr"
