# An IO storm on a slow disk (dm-delay), which is named; on one that fails (dm-error) and on a loop device
# whose file was cut short, which are failed runs with device, offset and errno while the others go
# on; and on one that hangs (a suspended dm), which ends the session.
# modules: brd dm_mod dm_delay loop
# kernels: newest
# boot: own
# timeout: 400

export DM_DISABLE_UDEV=1
load brd rd_nr=4 rd_size=16384
for i in 0 1 2; do
	dmsetup create d$i --table "0 32768 linear /dev/ram$i 0"
	to_undo+=("dmsetup remove --retry d$i")
done
dmsetup create d3 --table "0 32768 delay /dev/ram3 0 50"
to_undo+=("dmsetup remove --retry d3")
use_disks 4 'dm-*'

swap_table() # TABLE-LINES
{
	dmsetup suspend --noflush --nolockfs d1
	dmsetup load d1 <<<"$1"
	dmsetup resume d1
}

# No --destroy: they are only read.
for engine in io_uring libaio psync; do
	depth=4
	[ "$engine" != psync ] || depth=1
	run_check "$BRUNT" run io engine=$engine depth=$depth devices="$named" time=2s -n 1 --warmup 0 \
		-l $engine -o slow
done
# on a busy machine one of the others may be slow as well
all_ends slow '.status == "ok" and (.marks | any(.name == "slow-device" and (.text | test("dm-3: "))))'
all_ends slow '.devices | map(select(.name == "dm-3")) | .[0].read.lat.p50_s > .045'

dmsetup remove --retry d3
use_disks 3 'dm-*'
swap_table "0 16384 linear /dev/ram1 0
16384 8 error
16392 16376 linear /dev/ram1 16392"
for try in "io_uring read" "libaio write" "psync read"; do
	read -r engine rw <<<"$try"
	run_mustfail 4 "$BRUNT" run io engine="$engine" rw="$rw" bs=64k devices="$named" "${destroy[@]}" \
		time=3s -n 1 --warmup 0 --max-retries 0 -l "$engine" -o errors
done
all_ends errors '.status == "failed" and (.reason |
	test("^dm-1: (read|write) of 65536 bytes at offset 8388608: Input/output error \\(EIO\\)"))'
all_ends errors '.devices | all(if .name == "dm-1" then .errors.EIO >= 1 and
	.error_offset_bytes == 8388608 else has("errors") == false and (.read // .write).ios > 0 end)'
swap_table "0 32768 linear /dev/ram1 0"
is_blank "${disks[@]}"

truncate -s 16M backing
losetup /dev/loop0 backing
to_undo+=("losetup -d /dev/loop0")
truncate -s 8M backing
run_mustfail 4 "$BRUNT" run io engine=io_uring rw=read bs=64k depth=4 devices=loop0 time=1s -n 1 \
	--warmup 0 --max-retries 0 -o cut
all_ends cut '.reason | startswith("loop0: read of 65536 bytes at offset 8388608: Input/output error (EIO)")'

# More reads than the guard makes: the workers are at it.
is_read()
{
	[ "$(awk '{ print $1 }' /sys/block/dm-1/stat)" -gt $((reads_before + 2000)) ]
}
reads_before=$(awk '{ print $1 }' /sys/block/dm-1/stat)
start_brunt run io engine=io_uring depth=4 devices="$named" time=10s -n 2 --warmup 0 -o hang
wait_for 90 is_read || { cat err; false; }
dmsetup suspend --noflush --nolockfs d1
end_brunt 120
assert_brunt_status 4
all_ends hang '.status == "failed" and (.reason | test("did not complete within 30 s.*: dm-1 \\(4 in flight\\)"))'
assert_has "the session ends" "$(cat err)"
dmsetup resume d1
# the kernel ends a ring behind its dead process, when its IO has ended
is_closed()
{
	[ "$(dmsetup info -c --noheadings -o open d1)" -eq 0 ]
}
wait_for 90 is_closed
