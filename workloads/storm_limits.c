// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_limits.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "machine/limits.h"
#include "workloads/storm_fs.h"

#define KIB 1024ULL
#define WORKER_BYTES (512 * KIB)   /* a forked worker with its page tables and its stack */
#define EXT_BYTES (2048 * KIB)	   /* what mke2fs has of its own, at its end */
#define OTHER_BYTES (16384 * KIB)  /* mkfs.xfs, mkfs.btrfs */
#define FILES_EACH 3		   /* device, backing file, whole disk of a partition */

int storm_limits_check(const struct storm_options *options, size_t devices, struct err *err)
{
	bool ext = storm_fs_is_ext(storm_fs_find(options->fs));
	size_t programs = options->parallel && options->parallel < devices ? options->parallel :
									      devices;
	auto_free char *what = xasprintf("%zu devices", devices);
	int rc = limits_raise_files((uint64_t)devices * FILES_EACH, what, err);

	if (!rc)
		rc = limits_check_processes(devices + programs, what, err);
	if (!rc)
		rc = limits_check_memory(devices * WORKER_BYTES +
					 programs * (ext ? EXT_BYTES : OTHER_BYTES), what, err);
	return rc;
}
