// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_KBUILD_OPTIONS_H
#define BRUNT_WORKLOADS_KBUILD_OPTIONS_H

#include <stdbool.h>

#include "base/err.h"
#include "base/keys.h"
#include "base/words.h"

/* The keys of the workload kbuild, read. */
extern const struct key_spec kbuild_keys[];

enum { KBUILD_CONFIG_MAX = 64 << 20 }; /* bytes of a file */

struct kbuild_options {
	const char *source;    /* a tree or a tarball; NULL: the newest linux-source package */
	const char *config;    /* as given */
	char *config_file;     /* NULL: config names targets of make */
	struct words configs;  /* those */
	struct words targets;  /* of the timed make; none: the architecture's image */
	unsigned int jobs;     /* 0: no limit */
	char *folder;	       /* where the build folder is made */
	bool cold;	       /* page cache dropped before each run */
};

/* Strings that are not owned point into keys. */
int kbuild_options_read(const struct keys *keys, struct kbuild_options *out, struct err *err);
void kbuild_options_release(struct kbuild_options *options);

#endif
