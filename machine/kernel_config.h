// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_KERNEL_CONFIG_H
#define BRUNT_MACHINE_KERNEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/*
 * The configuration that the running kernel was built with: /proc/config.gz, else
 * /boot/config-RELEASE. -ENOENT where neither can be read. Runs gzip.
 */
int kernel_config_read(struct buf *text);

/* The value of "CONFIG_HZ" in such a text, "y", "m" or what stands there; -ENOENT when not set. */
int kernel_config_get(const char *text, const char *name, char *value, size_t size);

bool kernel_config_is(const char *text, const char *name, const char *value);

/*
 * How CPU time is split into user and sys: "tick" (sampled), "virt-native", "virt-gen" (exact);
 * NULL where the text does not tell. cmdline is the kernel's: virt-gen works with nohz_full only.
 */
const char *kernel_config_accounting(const char *text, const char *cmdline);

/*
 * The preemption model: "none", "voluntary", "full", "lazy", "rt". Where a kernel can choose at
 * boot (PREEMPT_DYNAMIC), cmdline's preempt= comes before what it was built with. version is uname(2)'s;
 * text may be "" where the configuration cannot be read. NULL: none of them tells.
 */
const char *kernel_config_preempt(const char *text, const char *version, const char *cmdline);

#endif
