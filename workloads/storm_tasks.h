// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_TASKS_H
#define BRUNT_WORKLOADS_STORM_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/words.h"
#include "machine/target.h"
#include "workloads/storm_crew.h"
#include "workloads/storm_options.h"
#include "workloads/storm_worker.h"

/* What each worker gets, built once so that a run only fills in what is its own. */
struct storm_tasks {
	struct storm_task *v;
	struct words *argvs;
	size_t count;
};

/* The devices' strings must live as long. */
void storm_tasks_make(struct storm_tasks *tasks, const struct storm_options *options,
		      const struct target_device *devices, size_t count);
void storm_tasks_release(struct storm_tasks *tasks);

/*
 * For a new run: UUIDs that begin with the session's token (48 bits, machine/disk_content.h) and
 * seeds of its own (from random), where to mount, where to report.
 */
void storm_tasks_renew(struct storm_tasks *tasks, uint64_t token, uint64_t random,
		       char *const *points, const struct storm_crew *crew);

/*
 * The programs' environment: ours without what speaks of language, LC_ALL=C, what keeps mke2fs
 * from asking and showing progress, and last what the configuration adds (may be NULL).
 */
void storm_environment(const struct words *added, struct words *out);

#endif
