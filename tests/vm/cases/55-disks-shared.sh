# Disks that other hosts may have, too: one by NVMe over TCP, and what dm and a loop device make of it.
# Each needs shared=ok.
# modules: brd dm_mod loop nvmet nvmet_tcp nvme_tcp
# kernels: newest
# timeout: 400
# boot: own

export DM_DISABLE_UDEV=1
load brd rd_nr=1 rd_size=16384
mkdir -p /tmp/config
mount -t configfs configfs /tmp/config || skip "this kernel has no configfs"
to_undo+=("umount /tmp/config; rmdir /tmp/config")
subsystem=/tmp/config/nvmet/subsystems/brunt port=/tmp/config/nvmet/ports/1
mkdir $subsystem
to_undo+=("rmdir $subsystem")
echo 1 >$subsystem/attr_allow_any_host
mkdir $subsystem/namespaces/1
to_undo+=("rmdir $subsystem/namespaces/1")
echo /dev/ram0 >$subsystem/namespaces/1/device_path
echo 1 >$subsystem/namespaces/1/enable
mkdir $port
to_undo+=("rmdir $port")
echo ipv4 >$port/addr_adrfam
echo tcp >$port/addr_trtype
echo 127.0.0.1 >$port/addr_traddr
echo 4420 >$port/addr_trsvcid
ln -s $subsystem $port/subsystems/brunt
to_undo+=("rm $port/subsystems/brunt")
echo "transport=tcp,traddr=127.0.0.1,trsvcid=4420,nqn=brunt" >/dev/nvme-fabrics
to_undo+=("echo 1 >/sys/class/nvme/nvme0/delete_controller")
use_disks 1 'nvme*n1'
far=${disks[0]}

refused() # DEVICE
{
	run_mustfail 5 "$BRUNT" run storm devices="$1" --destroy "$1" fs=ext2 fill=64k -n 1 --warmup 0 -o set
	assert_has "$1 is reached by tcp, where other hosts may have it, too: shared=ok" "$stderr"
	[ ! -e set ]
}

[ "$("$BRUNT" list devices "$far" --json | jq -c 'map([.transport, .shared, .fit])')" = '[["tcp",true,false]]' ]
refused "$far"
dmsetup create above --table "0 32768 linear $far 0"
to_undo+=("dmsetup remove --retry above")
refused /dev/dm-0
losetup /dev/loop0 /dev/dm-0
to_undo+=("losetup -d /dev/loop0")
refused /dev/loop0
losetup -d /dev/loop0
run_check "$BRUNT" run storm devices=/dev/dm-0 --destroy /dev/dm-0 shared=ok fs=ext2 fill=64k -n 1 --warmup 0 -o set
all_ends set '.status == "ok"'
is_blank /dev/dm-0
