// SPDX-License-Identifier: GPL-3.0-or-later
/* The sets of results/published, read and analysed. */
#ifndef BRUNT_TESTS_PUBLISHED_SET_H
#define BRUNT_TESTS_PUBLISHED_SET_H

#include <string.h>

#include "tests/unit/made_set.h"

static inline char *published_path(const char *name)
{
	const char *tests = getenv("BRUNT_TESTS");

	return xasprintf("%s/../results/published/%s", tests ? tests : "tests", name);
}

static inline void published_analyse(const char *name, const struct analysis_options *options,
				     struct made_analysis *out)
{
	char *path = published_path(name);
	struct err err = { 0 };

	assert_int_equal(set_read(path, &out->data, &err), 0);
	assert_int_equal(out->data.skipped, 0);
	assert_int_equal(analysis_make(&out->data, 1, options, &out->analysis, &err), 0);
	free(path);
}

/* The only comparison of this metric and kind under a configuration, or with one under a label. */
static inline const struct analysis_comparison *published_row(const struct made_analysis *m,
							      const char *kind, const char *factor,
							      const char *metric)
{
	const struct analysis_comparison *found = NULL;

	for (size_t i = 0; i < m->analysis.ncomparisons; i++) {
		const struct analysis_comparison *c = &m->analysis.comparisons[i];
		const struct analysis_cell *cell = c->base->cell;

		if (strcmp(c->kind, kind) != 0 || strcmp(c->base->metric, metric) != 0 ||
		    strcmp(!strcmp(kind, "label") ? cell->config : cell->label, factor) != 0)
			continue;
		assert_null(found);
		found = c;
	}
	assert_non_null(found);
	return found;
}

#endif
