// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_TRIAL_H
#define BRUNT_WORKLOADS_STORM_TRIAL_H

#include <stdint.h>

#include "base/err.h"
#include "workloads/ext_check.h"
#include "workloads/storm_fs.h"
#include "workloads/storm_options.h"

/* Of a fresh file system. */
struct storm_figures {
	struct ext_figures ext;	/* all 0 where it is none */
	uint64_t used, free;	/* bytes; free is what a file may have at most */
};

/*
 * Makes the file system once on a sparse file in memory, of the device's size: shows at plan time
 * whether mkfs takes the options, how much a device needs, and what verification has to find later.
 * A usage error with mkfs's words when it does not, when it gives another kind of file system than
 * fs says, or when the fill does not fit in; status 77 without mkfs. What mkfs was asked once, with
 * the same words for the same size, it is not asked again.
 */
int storm_trial(const struct storm_options *options, uint64_t size, struct storm_figures *out,
		struct err *err);

/* Can the kernel mount it, or load what it needs for that? Status 77 when not. */
int storm_trial_kernel(const struct storm_fs *fs, struct err *err);

/*
 * What one device takes at most: what the file system uses when it is fresh, the file that is
 * written in between, 5 % and 1 MiB; in whole MiB.
 */
uint64_t storm_need_each(uint64_t used, uint64_t fill);

#endif
