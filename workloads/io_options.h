// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_OPTIONS_H
#define BRUNT_WORKLOADS_IO_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/keys.h"
#include "workloads/device_spec.h"
#include "workloads/io_engine.h"
#include "workloads/io_pattern.h"

/* The keys of an IO storm, named as fio's where it has them. */
struct io_options {
	struct device_spec devices; /* none where directory is set */
	char *directory;	    /* files in this folder; NULL: none */
	char *fs;		    /* files on such file systems on the devices; NULL: raw devices */
	const struct io_engine *engine;
	struct io_pattern_spec pattern; /* size 0: as much as there is */
	uint32_t iodepth;	    /* in flight, a job */
	uint32_t batch, batch_min;  /* handed over at once, at most (0: all); waited for, at least */
	uint32_t numjobs;	    /* jobs a device */
	uint32_t workers;	    /* processes; 0: one a CPU */
	uint64_t rate;		    /* bytes a second and job; 0: no limit */
	int64_t ramp_ns, runtime_ns;
	bool direct, sqpoll, iopoll;
	enum io_want fixed_buffers, registered_files, fill;
	uint64_t seed;
	bool reads, writes;
};

extern const struct key_spec io_keys[];

#define IO_DEFAULT_FILE_SIZE (64ULL << 20) /* in a folder */
#define IO_MAX_BS (32U << 20)
#define IO_MAX_JOBS 65536

/* From checked keys; what does not go together is a usage error. The caller releases *out. */
int io_options_read(const struct keys *keys, struct io_options *out, struct err *err);
void io_options_release(struct io_options *options);

/* "4k", "4k-64k" into least and most bytes: multiples of 512, most one of least. */
int io_options_bs(const char *text, uint32_t *least, uint32_t *most, struct err *err);

/*
 * The range of a device or file of size bytes that takes direct IO in multiples of block: into
 * out, from options->pattern. A usage error that names it where bs, offset or size does not fit.
 */
int io_options_range(const struct io_options *options, const char *name, uint64_t size,
		     uint32_t block, struct io_pattern_spec *out, struct err *err);

/* Is what lies on the devices lost? Else they are only read. */
bool io_options_destroy(const struct io_options *options);

/* Bytes from the end that a written disk of the user's keeps for brunt's mark. */
uint64_t io_options_kept(const struct io_options *options);

#endif
