// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_IO_JOB_H
#define BRUNT_WORKLOADS_IO_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/histogram.h"
#include "workloads/io_engine.h"
#include "workloads/io_pattern.h"

/*
 * The timed part of an IO storm: one process keeps the jobs that were dealt to it at their depth
 * until the time is over, and lets what is in flight end. What it finds stands in records in
 * memory that it shares with its parent; it allocates, logs and writes nothing else.
 */
#define IO_ERROR_KINDS 8

/* What one job did; zero at first. */
struct io_job_record {
	struct histogram lat[IO_OPS]; /* ns, from queueing to completion; in the measured time */
	uint64_t bytes[IO_OPS];	      /* likewise */
	uint64_t ramp, drained;	      /* IOs that completed before and after it */
	uint32_t in_flight;
	struct {
		int error; /* errno; 0: fewer bytes than asked for */
		uint64_t count;
	} errors[IO_ERROR_KINDS];
	struct io_failure { /* the first one, which ends the job */
		bool failed;
		enum io_op op;
		int error;
		uint64_t offset;
		uint32_t length;
		int64_t result;
	} failure;
};

/* What one worker did. */
struct io_worker_record {
	_Alignas(128) int64_t wake_ns; /* when the gate let it through */
	int64_t end_ns;		       /* when the last IO had completed */
	int64_t user_ns, sys_ns;       /* in the measured time */
	int64_t voluntary, involuntary; /* switches, likewise */
	uint64_t submits, reaps;       /* calls that brought something, likewise */
	uint64_t memory_bytes;
	int error;		       /* why it could not go on at all: errno, with text */
	char text[512];
	char engine[96];	       /* of io_engine.describe */
	/* ns: to the return of the call that handed the IO over, and from there */
	struct histogram submission[IO_OPS], completion[IO_OPS];
};

struct io_job {
	struct io_pattern pattern;
	struct io_job_record *record;
	struct io_unit **parked; /* not in flight: depth places */
	uint32_t nparked;
	bool ended;
	int64_t next_ns; /* with a rate: when the next IO is due */
};

struct io_loop {
	const struct io_engine *engine;
	void *engine_state;
	struct io_job *jobs; /* count of them */
	uint32_t count;
	struct io_unit *units;	/* depth a job, in the order of jobs */
	struct io_unit **staged; /* queued but not handed over: as many places as units */
	struct io_done *done;	/* IO_REAP_MAX */
	uint32_t depth;		/* a job */
	uint32_t batch, batch_min;
	uint64_t rate;
	int64_t measure_ns, end_ns; /* of the measured time, CLOCK_MONOTONIC */
	const uint32_t *stop;	/* shared: not 0 ends it early */
	struct io_worker_record *record;

	/* implementation's own */
	uint32_t nstaged, in_flight, alive;
};

#define IO_REAP_MAX 256

/*
 * Allocates units for jobs with records and patterns set; their buffers lie in arena, stride bytes
 * each. batch 0: no limit.
 */
void io_loop_init(struct io_loop *loop, unsigned char *arena, size_t stride);
void io_loop_release(struct io_loop *loop);

/* 0, or a negative errno of the engine, which no job is to blame for. */
int io_loop_run(struct io_loop *loop);

#endif
