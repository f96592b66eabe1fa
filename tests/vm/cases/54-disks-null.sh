# 64 disks of null_blk, and two of brd, which has no queue: the storm and the blk tracer on drivers
# that are nothing like a loop device.
# modules: null_blk brd
# kernels: newest
# memory: 1024
# boot: own
# timeout: 400

mkdir -p /tmp/config
mount -t configfs configfs /tmp/config || skip "this kernel has no configfs"
to_undo+=("umount /tmp/config; rmdir /tmp/config")
load null_blk nr_devices=0
# newer kernels name the disk as its folder, older ones by number
for i in {0..63}; do
	mkdir "/tmp/config/nullb/nullb$i"
	to_undo+=("rmdir /tmp/config/nullb/nullb$i")
	echo 2 >"/tmp/config/nullb/nullb$i/size"
	echo 1 >"/tmp/config/nullb/nullb$i/memory_backed"
	echo 1 >"/tmp/config/nullb/nullb$i/power"
done
use_disks 64 'nullb*'
run_check "$BRUNT" run storm devices="$named" "${destroy[@]}" fs=ext2 fill=16k -n 1 --warmup 0 -o set
all_ends set '.status == "ok" and (.devices | length == 64 and all(.cycles == 1))'
jq -e 'all(.driver == "nullb")' < <(session set '.workloads[0].description.devices')
is_blank "${disks[@]:60}"

load brd rd_nr=2 rd_size=8192
use_disks 2 'ram*'
run_check "$BRUNT" run storm devices="$named" "${destroy[@]}" fill=256k -n 1 --warmup 0 -o brd \
	-t none -t blktrace,buffer=1M
all_ends brd '.status == "ok" and (.config == "none" or (.tracer | .events > 100 and .lost == 0))'
jq -e 'all(.driver == "ramdisk")' < <(session brd '.workloads[0].description.devices')
is_blank "${disks[@]}"
