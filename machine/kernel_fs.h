// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_KERNEL_FS_H
#define BRUNT_MACHINE_KERNEL_FS_H

/*
 * A file system that the kernel makes of itself (tracefs, debugfs, securityfs): where it is
 * mounted, or a mount of our own that has no place in the tree (fsmount) and goes with its
 * descriptor.
 */
struct kernel_fs {
	const char *type;
	unsigned long magic;	 /* of statfs */
	const char *places[2];	 /* where it is looked for; NULL: nowhere else */
};

extern const struct kernel_fs kernel_fs_tracefs, kernel_fs_debugfs, kernel_fs_securityfs;

/* A descriptor of its root folder, or a negative errno; -ENODEV: the kernel has none. */
int kernel_fs_open(const struct kernel_fs *fs);

/* The same, but only where it is mounted: -ENOENT. */
int kernel_fs_open_mounted(const char *path, unsigned long magic);

#endif
