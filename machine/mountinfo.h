// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_MOUNTINFO_H
#define BRUNT_MACHINE_MOUNTINFO_H

#include <stddef.h>

#include "base/err.h"

/*
 * The mounts of this process's namespace that its root folder can reach, from
 * /proc/self/mountinfo, in the kernel's order: of two mounts on one target the later one is on
 * top. Escapes (\040) are decoded.
 */
struct mount_entry {
	int id;
	unsigned int major, minor;
	const char *root;   /* the folder of the file system that is mounted */
	const char *target; /* where */
	const char *fstype;
	const char *source;
};

struct mountinfo {
	struct mount_entry *v;
	size_t n, cap;
	char *text; /* what the strings point into */
};

#define MOUNTINFO_INIT { NULL, 0, 0, NULL }
#define auto_mountinfo __attribute__((cleanup(mountinfo_release)))

int mountinfo_read(struct mountinfo *out, struct err *err);
void mountinfo_release(struct mountinfo *info);

/* The topmost mount on exactly this target; NULL: none. */
const struct mount_entry *mountinfo_at(const struct mountinfo *info, const char *target);

/* The mount that a descriptor's file is on; NULL where it cannot be seen from here. */
const struct mount_entry *mountinfo_of_fd(const struct mountinfo *info, int fd);

#endif
