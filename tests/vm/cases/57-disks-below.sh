# Devices of device mapper: a tracer on what lies below them, and one that a delay makes slow (dm-delay)
# is named in the report as the one that stands out most: writes so slow that no load of the machine hides it.
# modules: brd dm_mod dm_delay
# kernels: newest
# boot: own
# timeout: 500

export DM_DISABLE_UDEV=1
load brd rd_nr=4 rd_size=16384
for i in 0 1 2 3; do
	table="0 32768 linear /dev/ram$i 0"
	[ $i != 2 ] || table="0 32768 delay /dev/ram$i 0 0 /dev/ram$i 0 400"
	dmsetup create d$i --table "$table"
	to_undo+=("dmsetup remove --retry d$i")
done
use_disks 4 'dm-*'

run_check "$BRUNT" run storm devices="$named" "${destroy[@]}" fs=ext2 fill=64k -n 3 --warmup 0 -o slow
all_ends slow '.status == "ok"'
run_check "$BRUNT" report slow
assert_has "devices that stand out, none: dm-2 +" "$output"

for what in paths backing; do
	run_check "$BRUNT" run storm devices="${disks[0]}+${disks[1]}" "${destroy[@]}" fs=ext2 fill=256k trace=$what \
		-n 1 --warmup 0 -o $what -t blktrace,keep=yes,buffer=256k
	all_ends $what '.status == "ok" and .tracer.events > 100 and .tracer.lost == 0'
	[ "$(session $what '.workloads[0].description.traced | sort')" = '["ram0","ram1"]' ]
	[ -n "$(find $what/runs -name 'ram0.blktrace.*' -size +1k)" ]
	[ -z "$(find $what/runs -name 'dm-*.blktrace.*')" ]
done
run_mustfail 5 "$BRUNT" run storm devices=ram3 --destroy ram3 trace=paths -n 1 -o ram
assert_has "/dev/ram3: is part of dm-3" "$stderr"
