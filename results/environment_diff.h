// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_ENVIRONMENT_DIFF_H
#define BRUNT_RESULTS_ENVIRONMENT_DIFF_H

#include <jansson.h>
#include <stddef.h>

#include "results/set.h"

/*
 * What differs between sessions besides what is compared. Keys that change by themselves (uptime)
 * are left out. Where the kernel has another release or version, that is what labels compare: these
 * are told, and what comes with them (its build; sysctls, mitigations and options of its
 * configuration that only one of them has) is not. Of two builds of one release and version all is
 * told. Options that differ ("kernel.config.CONFIG_HZ") come last, at most CONFIG_DIFF_MAX of them,
 * where the set has both configurations; their hash is named where it has not.
 */
struct environment_change {
	const char *key;
	const json_t *before, *after; /* NULL: there is no such key */
};

/*
 * Two sessions of one host: the first, and the first of another label or set, or of its own. The
 * first session of another host is held against the first of the same label, or the first of all.
 */
struct environment_pair {
	const struct set_data *base_data, *fresh_data;
	const json_t *base, *fresh;
	struct environment_change *changes;
	size_t n, cap;
	json_t *options; /* of the kernel's configuration: changes point into it; may be NULL */
	json_t *work; /* as work_diff(): what is compared is not the same work */
};

struct environment_pairs {
	struct environment_pair *v;
	size_t n, cap;
};

/*
 * Pairs that differ in something: each label and set with the first session of its host, and
 * each session with the first of its label and set. Pointers go into sets.
 */
void environment_pairs_find(const struct set_data *sets, size_t nsets,
			    struct environment_pairs *out);
void environment_pairs_release(struct environment_pairs *pairs);

#endif
