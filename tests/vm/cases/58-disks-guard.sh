# What the guard refuses, alone and all together, on disks with something to lose: mounted, with a
# partition, swap, below dm and md, with a file system, LUKS, LVM, all random as plain dm-crypt leaves
# them, raw data in the middle, bytes at the end, read-only; by symlinks and by another node, too. Not
# a byte of them changes, nor of the one that is fit. A partition may be used where its neighbour is
# mounted.
# modules: sd_mod scsi_debug dm_mod raid1
# kernels: newest
# timeout: 400

export DM_DISABLE_UDEV=1
load scsi_debug add_host=13 per_host_store=1 dev_size_mb=8 delay=0
use_disks 13 'sd*'
read -r mounted parted swapped below_dm below_md holding random fixed luks lvm crypt raw fit <<<"${disks[*]}"

# all of it may go, as far as the user is concerned
refused() # TEXT DEVICE...
{
	local text=$1 list
	shift
	list=$(IFS=+ && echo "$*")
	run_mustfail 5 "$BRUNT" run storm devices="$list" "${destroy[@]}" -o set
	assert_has "$text" "$stderr"
	[ ! -e set ]
}

sums()
{
	local disk

	sync
	for disk in "${disks[@]}"; do
		sha256sum "$disk"
	done
}

mke2fs -q -F -t ext4 "$mounted"
mkdir at
# a mount that writes changes its disk by itself, now and then
mount -t ext4 -o ro "$mounted" at
to_undo+=("umount at")
# an MBR with one partition, from sector 2048 to the end
printf '\0\0\0\0\x83\0\0\0\0\x08\0\0\0\x38\0\0' | dd of="$parted" bs=1 seek=446 conv=notrunc status=none
printf '\x55\xaa' | dd of="$parted" bs=1 seek=510 conv=notrunc status=none
sync
blockdev --rereadpt "$parted"
wait_for 60 test -b "${parted}1"
mkswap "$swapped" >/dev/null
swapon "$swapped"
to_undo+=("swapoff $swapped")
dmsetup create above --table "0 16384 linear $below_dm 0"
to_undo+=("dmsetup remove above")
echo md_above >/sys/module/md_mod/parameters/new_array
md=/sys/block/md_above/md
echo raid1 >$md/level
echo 1 >$md/raid_disks
cat "/sys/class/block/${below_md#/dev/}/dev" >$md/new_dev
echo 0 >"$md/dev-${below_md#/dev/}/slot"
echo active >$md/array_state
to_undo+=("echo inactive >$md/array_state; echo clear >$md/array_state; rm -f /dev/md_above")
mke2fs -q -F -t ext4 "$holding"
head -c 100 /dev/urandom | dd of="$random" bs=1 seek=$((8388608 - 100)) conv=notrunc status=none
blockdev --setro "$fixed"
printf 'LUKS\xba\xbe\0\1aes' | dd of="$luks" conv=notrunc status=none
printf 'LABELONE\1\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001' | dd of="$lvm" bs=512 seek=1 conv=notrunc status=none
dd if=/dev/urandom of="$crypt" bs=1M count=8 status=none
# what lies between the ends of a small disk is all ends
dd if=/dev/urandom of="$raw" bs=64k seek=40 count=1 conv=notrunc status=none
mkdir -p disk/by-id
ln -s "$holding" disk/by-id/scsi-holding
read -r _ _ _ _ majors minor _ < <(ls -l "$mounted")
mknod node b "${majors%,}" "$minor"
touch bound
mount --bind "$holding" bound
to_undo+=("umount bound")

sums >before
refused "$mounted: is mounted at $PWD/at: unmount it" "$mounted"
refused "$parted has partitions" "$parted"
refused "--destroy ${parted}1" "${parted}1"
destroy+=(--destroy "${parted}1")
refused "$swapped: is swap" "$swapped"
refused "$below_dm: is part of dm-0" "$below_dm"
refused "$below_md: is part of md_above" "$below_md"
refused "$holding holds ext4" "$holding"
refused "$random holds data at byte 83885" "$random"
refused "$fixed is read-only" "$fixed"
refused "$luks holds " "$luks"
refused "$lvm holds " "$lvm"
refused "$crypt holds data at byte" "$crypt"
refused "$raw holds data at byte 26" "$raw"
refused "$PWD/disk/by-id/scsi-holding holds ext4" "$PWD/disk/by-id/scsi-holding"
refused "$PWD/node: is mounted at $PWD/at" "$PWD/node"
refused "$PWD/bound holds ext4" "$PWD/bound"
refused "is the same device as $fit" "$fit" "${fit#/dev/}"
refused "12 devices are refused: nothing was touched" "${disks[@]}"
for disk in "${disks[@]:0:12}"; do
	assert_has "brunt: $disk" "$stderr"
done
assert_has_not "$fit" "$stderr"
# mounted where this namespace cannot see it
unshare --mount --propagation private sh -c "umount at; mount -t ext4 $holding at; sleep 100" &
holder=$!
to_undo+=("kill $holder 2>/dev/null")
wait_for 60 grep -qs " - ext4 $holding" "/proc/$holder/mountinfo"
refused "$holding: somebody has it open exclusively, or mounted in another" "$holding"
kill "$holder"
wait "$holder" || true
sums >after
diff <(grep -v "$holding" before) <(grep -v "$holding" after)

# it cannot discard, which plan knows as run does
for words in storm "io rw=write"; do
	# shellcheck disable=SC2086 # several words
	run_mustfail 2 "$BRUNT" plan $words devices="$fit" "${destroy[@]}" reset=discard
	assert_has "$fit cannot discard" "$stderr"
done
run_check "$BRUNT" run storm devices="$fit" "${destroy[@]}" fill=64k -n 1 --warmup 0 -o set
all_ends set '.status == "ok"'

# a partition of a disk with another one that is mounted
printf '\0\0\0\0\x83\0\0\0\0\x08\0\0\0\x10\0\0\0\0\0\0\x83\0\0\0\0\x18\0\0\0\x20\0\0' |
	dd of="$parted" bs=1 seek=446 conv=notrunc status=none
sync
blockdev --rereadpt "$parted"
wait_for 60 test -b "${parted}2"
mke2fs -q -F -t ext4 "${parted}1"
mkdir neighbour
mount -t ext4 -o ro "${parted}1" neighbour
to_undo+=("umount neighbour")
sum=$(sha256sum <"${parted}1")
run_mustfail 5 "$BRUNT" run storm devices="$parted" "${destroy[@]}" --overwrite -o part
assert_has "its partition ${parted#/dev/}1 is mounted" "$stderr"
run_check "$BRUNT" list devices "${parted#/dev/}*" --json
jq -e 'map([.name[3:], .fit]) == [["", false], ["1", false], ["2", true]]' <<<"$output"
run_check "$BRUNT" run storm devices="${parted}2" --destroy "${parted}2" fs=ext2 fill=64k -n 1 --warmup 0 \
	-o part -t none -t blktrace,name=blktrace
all_ends part '.status == "ok"'
is_blank "${parted}2"
[ "$(sha256sum <"${parted}1")" = "$sum" ]
