// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_RUN_H
#define BRUNT_WORKLOADS_STORM_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/words.h"
#include "results/run.h"
#include "workloads/ext_check.h"
#include "workloads/storm_crew.h"
#include "workloads/media.h"
#include "workloads/storm_options.h"
#include "workloads/storm_place.h"
#include "workloads/storm_tasks.h"
#include "workloads/storm_trial.h"
#include "workloads/traced.h"

/* What setup makes, and the hooks of a run, as workload.h has them. */
struct storm {
	struct storm_options options;
	struct storm_figures *figures; /* of a fresh file system, a device each; malloced */
	struct media media;
	struct storm_place place;
	struct storm_tasks tasks;
	struct storm_crew crew;
	struct traced traced;
	struct cpu_list *cpus; /* a device each; NULL: all of them */
	struct words envp;
	unsigned char *pattern;
	const struct storm_fs *fs;
	char *mkfs_path, *mkfs_version, *checker_version;
	char *mount_path, *umount_path; /* NULL: the system calls */
	uint64_t need_each;	      /* memory or disk for a loop device; 0: named ones */
	uint64_t token;		      /* the session's, in each UUID */
	int64_t longest_ns; /* run so far */
	bool unclean;	    /* something may still be mounted */
	bool timed_out;	    /* the run, by its deadline */
};

int storm_prepare(void *state, struct run_context *context, struct target *target,
		  struct err *err);
int storm_execute(void *state, struct run_context *context, struct err *err);
int storm_settle(void *state, struct run_context *context, struct err *err);
int storm_verify(void *state, struct run_context *context, struct err *err);
void storm_cleanup(void *state, struct run_context *context);

#endif
