# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# For tests/vm/run and tests/vm/shell: what a guest is booted with.
#
# ACCEL: how qemu runs it. The default is tcg,thread=single: with a thread for each CPU this qemu
# lets one of them see half of an instruction that the kernel patches on another (static branches),
# and guests die of int3 now and then. O: where the build is; all files of guests lie in $O/vm.
# Functions return not 0 and print a reason on stderr; 77 where something is missing here.

vm=$O/vm

# One line for each kernel, as of tests/vm/kernels, into the array kernels.
find_kernels()
{
	local list

	command -v qemu-system-x86_64 >/dev/null || {
		echo "qemu-system-x86_64 is missing (package qemu-system-x86)" >&2
		return 77
	}
	list=$(tests/vm/kernels) || return
	mapfile -t kernels <<<"$list"
}

# The parts of the initramfs that all boots share.
make_images() # MODULE...
{
	local line release modules

	mkdir -p "$vm"
	tests/vm/image base "$vm/base.cpio" || return
	for line in "${kernels[@]}"; do
		read -r release _ modules <<<"$line"
		rm -f "$vm/modules-$release.cpio"
		[ "$modules" = - ] ||
			tests/vm/image modules "$vm/modules-$release.cpio" "$modules" "$@" || return
	done
}

# The whole initramfs: base, modules, and what is in a folder.
make_initramfs() # RELEASE FOLDER FILE
{
	local parts=("$vm/base.cpio")

	[ ! -e "$vm/modules-$1.cpio" ] || parts+=("$vm/modules-$1.cpio")
	tests/vm/image folder "$3.part" "$2"
	cat "${parts[@]}" "$3.part" >"$3"
	rm "$3.part"
}

# An empty disk of a file: NAME SIZE [FS].
make_disk() # FILE SIZE [FS]
{
	rm -f "$1"
	truncate -s "$2" "$1"
	case ${3:-} in
	'') ;;
	ext2 | ext3 | ext4) mke2fs -q -F -t "$3" "$1" ;;
	*)
		echo "no such file system for a disk: $3" >&2
		return 1
		;;
	esac
}

# The command line of qemu in the array qemu; disks are FILE=NAME.
qemu_line() # KERNEL INITRAMFS MEMORY "CMDLINE" DISK...
{
	local disk number=0

	qemu=(qemu-system-x86_64 -accel "${ACCEL:-tcg,thread=single}" -cpu max -smp 2 -m "$3"
		-nodefaults -no-user-config -display none -no-reboot
		-kernel "$1" -initrd "$2"
		-append "console=ttyS0 panic=-1 quiet mitigations=off psi=1 $4")
	for disk in "${@:5}"; do
		qemu+=(-drive "if=none,id=d$number,format=raw,file=${disk%=*}"
			-device "nvme,drive=d$number,serial=${disk##*=}")
		number=$((number + 1))
	done
}
