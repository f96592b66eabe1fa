// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_RING_SPOOLS_H
#define BRUNT_TRACERS_RING_SPOOLS_H

#include <stdint.h>

#include "base/err.h"
#include "traces/blktrace_files.h"
#include "traces/ring_buffer.h"
#include "tracers/ring_readers.h"
#include "tracers/traced_devices.h"

/* What the spools of one run hold. */
struct ring_spools_sums {
	struct ring_counts ring;
	uint64_t events;  /* of our devices, without notify records */
	uint64_t foreign; /* records of other devices */
	int files_rc;	  /* the first failure of writing the files, text in files_err */
	struct err files_err;
};

/*
 * Decodes what finished readers spooled, counts the events of each device (devices->v[].events,
 * added up), and gives the records of our devices to files, where there are any: the first
 * failure to write ends the writing, not the counting.
 */
int ring_spools_decode(const struct ring_readers *readers, struct ring_format *format,
		       struct traced_devices *devices, struct blktrace_files *files,
		       struct ring_spools_sums *sums, struct err *err);

#endif
