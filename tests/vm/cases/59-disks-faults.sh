# A disk that fails (dm-error, dm-flakey) or hangs (a suspended one) under mkfs, mount or umount: the
# run fails and names it, with the program's words; the others go on to their end; the session ends
# even where a process hangs for good, and once the disk answers again clean finds what is left.
# modules: brd dm_mod dm_flakey
# kernels: newest
# boot: own
# timeout: 500

export DM_DISABLE_UDEV=1
good="0 32768 linear /dev/ram1 0"
load brd rd_nr=3 rd_size=16384
for i in 0 1 2; do
	dmsetup create d$i --table "0 32768 linear /dev/ram$i 0"
	to_undo+=("dmsetup remove --retry d$i")
done
use_disks 3 'dm-*'
to_undo+=("swap_table '$good'")

swap_table() # TABLE
{
	dmsetup suspend --noflush --nolockfs d1
	dmsetup load d1 --table "$1"
	dmsetup resume d1
}

# What happens to /dev/dm-1 when a program is about to work on it.
before() # PROGRAM COMMAND
{
	rm -rf bin
	wrap "$1" <<-END
		[[ "\$*" != *dm-1* ]] || { $2; } >/dev/null 2>&1
		exec "\$real" "\$@"
	END
}

storm() # SET WORD...
{
	local set=$1
	shift
	with_bin run_mustfail 4 "$BRUNT" run storm devices="$named" "${destroy[@]}" fill=64k -n 1 \
		--warmup 0 --max-retries 0 mount_method=program -o "$set" "$@"
	all_ends "$set" '.devices | map(select(.name != "dm-1")) | length == 2 and all(.cycles == 1)'
}

clean_again()
{
	# shellcheck disable=SC2094 # the word and the file have one name
	wait_for 20 "$BRUNT" clean >clean
	run_check "$BRUNT" clean
	[ -z "$output" ]
	is_blank "${disks[@]}"
}

declare -f swap_table >swap
for try in "mkfs mke2fs 0 32768 flakey /dev/ram1 0 0 1000" "mount mount 0 32768 error" \
	"umount umount 0 32768 error"; do
	read -r phase program table <<<"$try"
	before "$program" "source $PWD/swap; swap_table '$table'"
	storm "error-$phase"
	swap_table "$good"
	if [ "$phase" = umount ]; then
		# the kernel's umount does not tell
		all_ends error-umount '.status == "invalid" and (.reason | test("^dm-1: "))'
	else
		all_ends "error-$phase" ".status == \"failed\" and
			(.reason | test(\"^dm-1: $phase: exit status [0-9]+: .\"))"
	fi
	assert_has "something could not be undone; brunt clean" "$stderr"
	clean_again
done

for try in "mkfs mke2fs" "mount mount" "umount umount"; do
	read -r phase program <<<"$try"
	before "$program" "dmsetup suspend --noflush --nolockfs d1"
	storm "hang-$phase" deadline=20s
	all_ends "hang-$phase" ".status == \"failed\" and
		(.reason | test(\"not done after 20 s: /dev/dm-1: $phase: pid [0-9]+ in state D\"))"
	assert_has "the session ends" "$stderr"
	if [ "$phase" = mkfs ]; then
		run_mustfail 1 "$BRUNT" clean
		assert_has "not undone: /dev/dm-1 is still mounted or in use" "$output"
	fi
	dmsetup resume d1
	clean_again
done
