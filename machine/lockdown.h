// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_LOCKDOWN_H
#define BRUNT_MACHINE_LOCKDOWN_H

#define LOCKDOWN_SIZE 32

/*
 * How far the kernel is locked down: "none", "integrity" or "confidentiality". A negative errno
 * where that cannot be read, which does not mean that it is not.
 */
int lockdown_read(char level[LOCKDOWN_SIZE]);

#endif
