// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_KBUILD_PARTS_H
#define BRUNT_WORKLOADS_KBUILD_PARTS_H

#include <jansson.h>

#include "workloads/kbuild_artefact.h"
#include "workloads/kbuild_options.h"
#include "workloads/kbuild_source.h"
#include "workloads/program.h"
#include "workloads/work_folder.h"
#include "workloads/workload.h"

/* The workload kbuild, set up: shared by the files that make it up. */
struct kbuild {
	struct kbuild_options options;
	struct kbuild_source source;
	struct work_folder folder;
	struct program *program;
	char *make;
	char *work; /* what is built of what, in words that are the same in every session */
	char *set_path;
	json_t *references; /* by "variables": "build" of the first good run, with its "run" */

	/* of the current run */
	struct words env, argv;
	char *variables; /* of the configuration, that change what is built; "" where none does */
	char *wrapper; /* around the compiler: its path; NULL: there is none */
	char *compiler, *compiler_of; /* its version, and the variables that it was asked with */
	struct program_words words;
	struct kbuild_since since;
	int log_fd;
};

#define KBUILD_SETTLE_NS (10 * NS_PER_S)
#define KBUILD_LOG "build.log"

/* The hook: a fresh folder, configured and prepared, and the timed make ready to go. */
int kbuild_prepare(void *state, struct run_context *context, struct target *target,
		   struct err *err);

/* "image", or the targets joined by '+' (appended). */
void kbuild_add_targets(const struct kbuild *kbuild, struct buf *out);

/* What is built of what, in words that are the same in every session; to be freed. */
char *kbuild_work(const struct kbuild *kbuild);

/* The hooks of these names. */
json_t *kbuild_describe(const void *state);
json_t *kbuild_found(const void *state);
void kbuild_places(const void *state, struct words *out);
void kbuild_tell(const void *state, const struct keys *keys, struct buf *out);

#endif
