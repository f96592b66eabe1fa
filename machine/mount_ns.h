// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_MOUNT_NS_H
#define BRUNT_MACHINE_MOUNT_NS_H

#include "base/err.h"

/*
 * A mount namespace of the session's own, kept alive by a descriptor only: when the last
 * process in it and the descriptor are gone, so are its mounts. Mounts of the host still arrive
 * in it, none leaves it (slave). Inside it a small tmpfs hides *folder (an existing folder as
 * /mnt, an empty one if there is any, else that of the undo journals), so that mount points can be
 * made there without touching the host.
 */

/*
 * The namespace's descriptor or a negative errno (-ENOENT with status 77 where the kernel or a
 * container does not let us); folder gets the path of the hiding tmpfs. One at a time: the root
 * folder that mount_ns_enter() goes to is that of the newest one.
 */
int mount_ns_new(char folder[64], struct err *err);

/*
 * For a child process: enter the namespace. Returns 0 or a negative errno, allocates nothing.
 * The root folder is the caller's one as before, also in a chroot; the current folder becomes /.
 */
int mount_ns_enter(int fd);

#endif
