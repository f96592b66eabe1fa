// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_WORKER_H
#define BRUNT_WORKLOADS_STORM_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "machine/barrier.h"
#include "machine/cpu_list.h"
#include "machine/gate.h"

/*
 * The process that takes one device through its cycles of mkfs, mount, fill and umount: the
 * timed part of a storm. What it finds stands in a record in memory that it shares with its
 * parent; from the release to its last umount it allocates, logs and writes nothing else.
 */
enum storm_phase { STORM_MKFS, STORM_MOUNT, STORM_FILL, STORM_UMOUNT, STORM_PHASES };

const char *storm_phase_name(enum storm_phase phase);

/* Over all cycles of one device. Times in nanoseconds, stamps of CLOCK_MONOTONIC. */
struct storm_phase_times {
	int64_t first_start_ns, last_end_ns;
	int64_t sum_ns;
	int64_t cpu_ns; /* user and system of the worker and the programs it started */
};

/* Why a worker went no further. */
struct storm_failure {
	bool failed;
	bool preparing; /* it was not at the gate yet */
	enum storm_phase phase;
	int error;	 /* errno, 0: none */
	int wait_status; /* of the program, where error is 0 */
};

struct storm_record {
	_Alignas(128) struct storm_phase_times times[STORM_PHASES];
	int64_t wake_ns;	     /* when the gate let it through */
	unsigned int cpu, node;	     /* where it ran then */
	int64_t ready_user_ns, ready_sys_ns; /* its own CPU time when it was ready */
	int64_t retry_ns;	     /* spent on tries that met EBUSY; inside the phases' times */
	uint32_t retries;
	uint32_t cycles;	     /* complete ones */
	uint32_t phase;		     /* where it is */
	pid_t child;		     /* the program that runs for it; 0: none */
	struct storm_failure failure;
	char words[2048];	     /* what a program that failed had to say */
};

/* What all workers of a run have in common. The strings belong to the caller. */
struct storm_job {
	struct gate *gate;
	struct barrier *barrier;
	bool lockstep; /* each phase begins when all are through with the one before */
	uint32_t repeat;
	const char *mkfs_path;
	char *const *envp;
	const char *fs;
	unsigned long mount_flags;
	const char *mount_data;	   /* for mount(2) */
	const char *mount_text;	   /* for mount(8) */
	const char *mount_path, *umount_path; /* of the programs; NULL: the system calls */
	int mount_ns;		   /* descriptor to enter; -1: the caller's own */
	unsigned char *pattern;	   /* of storm_fill.h */
	uint64_t fill;		   /* bytes; 0: no file */
};

/* What is a worker's own. */
struct storm_task {
	const char *device;	 /* "/dev/loop3" */
	dev_t number;		 /* what it must still be before each mkfs (0: anything), */
	char *diskseq;		 /* as the file diskseq_path reads; NULL: the kernel has none */
	char *diskseq_path;
	const char *mount_point; /* made by the worker where it is not there */
	const struct cpu_list *cpus; /* to run on; NULL: as the parent */
	char **mkfs_argv;
	char *uuid;	      /* the word in mkfs_argv: its last 8 digits become the cycle */
	uint64_t fill_seed;   /* of cycle 0; each cycle adds 1 */
	struct storm_record *record;
};

/* The whole life of the forked process; returns what it exits with. */
int storm_worker_run(const struct storm_job *job, const struct storm_task *task);

#endif
