// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_KBUILD_SOURCE_H
#define BRUNT_WORKLOADS_KBUILD_SOURCE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "workloads/workload.h"

/* Where the source of a kernel comes from. Nothing is ever written to a tree. */
struct kbuild_source {
	char *path; /* what was given or found: a tree or a tarball */
	bool tarball;
	char *cache; /* of a tarball: the folder that it is unpacked to, once */
	char *tree;  /* NULL: not unpacked yet */
};

/* No side effects. given NULL: the newest linux-source package; -ENOENT (77) without one. */
int kbuild_source_find(const char *given, struct kbuild_source *out, struct err *err);
void kbuild_source_release(struct kbuild_source *source);

/* Unpacks what is not unpacked yet, with progress to site->tell; -EINTR after an interrupt. */
int kbuild_source_open(struct kbuild_source *source, const struct workload_site *site,
		       struct err *err);

/* Is it a kernel's, not built in, and is what it needs to be built here? */
int kbuild_source_check(const char *tree, struct err *err);

/*
 * Reads every file below the tree, so that it is in the page cache: once a session, without .git and
 * sets of results. Says so to site->tell. -EINTR.
 */
int kbuild_source_warm(const char *tree, const struct workload_site *site, struct err *err);

/* "6.1.176"; "" where the Makefile does not say. */
void kbuild_source_version(const char *tree, struct buf *out);

#endif
