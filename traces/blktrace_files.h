// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACES_BLKTRACE_FILES_H
#define BRUNT_TRACES_BLKTRACE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "parsers/blk_record.h"

/*
 * The files that blktrace(8) writes, DEVICE.blktrace.CPU, from records in the order in which
 * each CPU made them: version 7 in our byte order, numbered from 1 in each file, which is what
 * blkparse wants to see to say that nothing was skipped. What a capture leaves out is added: the
 * wall clock of the trace (a timestamp record in the first file of each device) and in each file
 * the command name of a pid before its first record.
 *
 * One CPU after the other, in ascending order: begin_cpu, add ..., begin_cpu, add ..., finish. A
 * device without records has no file; one with records has them from CPU 0 on, empty ones too,
 * since blkparse stops at the first CPU whose file is missing.
 */
struct blktrace_files;

struct blktrace_device {
	const char *name;   /* as the files are called */
	uint32_t number;    /* as records hold it */
};

struct blktrace_source {
	const struct blktrace_device *devices; /* kept, ascending numbers */
	size_t ndevices;
	uint64_t mono_ns, wall_ns; /* one moment in the clock of the records and since 1970 */
	/* The command name of a pid, NULL where it is not known; may be NULL. */
	const char *(*comm)(void *arg, uint32_t pid);
	void *arg;
};

/* folder: where the files go; it exists. The files belong to SUDO_UID where there is one. */
struct blktrace_files *blktrace_files_new(const char *folder, const struct blktrace_source *source);

/* The records that follow were made on this CPU. Writes out what was added before. */
int blktrace_files_begin_cpu(struct blktrace_files *files, unsigned int cpu, struct err *err);

/*
 * A record of devices[device]. Its cpu and sequence are given anew. Zone plugging, which version
 * 7 does not know, is left out and counted.
 */
int blktrace_files_add(struct blktrace_files *files, size_t device,
		       const struct blk_record *record, struct err *err);

/* Writes out the rest; frees in any case. *left_out may be NULL. */
int blktrace_files_finish(struct blktrace_files *files, uint64_t *left_out, struct err *err);

#endif
