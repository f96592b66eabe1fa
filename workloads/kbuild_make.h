// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_KBUILD_MAKE_H
#define BRUNT_WORKLOADS_KBUILD_MAKE_H

#include "base/buf.h"
#include "base/words.h"
#include "results/run.h"

/*
 * The environment that kernels are built in: what would change the build is taken out of ours
 * (make's own variables, compilers, KBUILD_*), compiler caches are off, time stamp, user and host
 * are fixed, so that two builds give the same bytes. extra, of a configuration, wins.
 */
void kbuild_environment(const struct words *extra, struct words *out);

/*
 * Those of a configuration that can change what is built, sorted and joined by blanks: "" where
 * there are none. To be freed.
 */
char *kbuild_variables(const struct words *extra);

/* make -C TREE O=FOLDER -jJOBS (0: -j alone), without targets. */
void kbuild_make_words(const char *make, const char *tree, const char *folder, unsigned int jobs,
		       struct words *out);

/*
 * The last lines of a log of the run in one, "a / b / c", and the first error where that stands
 * above them; nothing where it is empty. Paths below tree and folder are shown without these.
 */
void kbuild_add_log_tail(const struct run_context *context, const char *name, const char *tree,
			 const char *folder, struct buf *out);

/*
 * Can make(1) and the kernel's Makefiles work with this path? They hand it to the shell without
 * quotes: with a blank in it a kernel is built elsewhere, also in its source tree.
 */
int kbuild_path_check(const char *key, const char *path, struct err *err);

#endif
