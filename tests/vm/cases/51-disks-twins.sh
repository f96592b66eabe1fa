# Two ways to one disk: equal WWIDs are refused, under whatever name, and nothing is written; a disk
# that has come back as another one (diskseq) needs a word of its own.
# modules: sd_mod scsi_debug
# kernels: newest

load scsi_debug add_host=2 per_host_store=1 vpd_use_hostno=0 dev_size_mb=8 delay=0
use_disks 2 'sd*'
read -r one two <<<"${disks[*]}"
wwid=$("$BRUNT" list devices "$one" --json | jq -r '.[0].wwid')
[ "$wwid" = "$("$BRUNT" list devices "$two" --json | jq -r '.[0].wwid')" ] ||
	skip "scsi_debug of this kernel gives each host's disks WWIDs of their own"
for named in "$one" "$one+$two" "$wwid"; do
	run_mustfail 5 "$BRUNT" run storm devices="$named" "${destroy[@]}" --overwrite -o set
	assert_has "has the same WWID as" "$stderr"
	[ ! -e set ]
done
cmp -n 8388608 "$one" /dev/zero
# to read from one of two ways is fine, from both counts the disk's work twice
run_mustfail 5 "$BRUNT" plan io devices="$one+$two"
assert_has "$two has the same WWID as $one" "$stderr"
run_check "$BRUNT" plan io devices="$one"
"$BRUNT" list devices | grep -A 1 "^${one#/dev/} " | grep 'two ways to one disk'
