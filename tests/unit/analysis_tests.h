// SPDX-License-Identifier: GPL-3.0-or-later
/* What the tests of the analysis have in common: sets made in a folder, and finding a row. */
#ifndef BRUNT_TESTS_ANALYSIS_TESTS_H
#define BRUNT_TESTS_ANALYSIS_TESTS_H

#include "tests/unit/assert_double.h"
#include "tests/unit/made_set.h"

#define TWO_CONFIGS "[{\"name\":\"none\"},{\"name\":\"trace\"}]"

static const struct analysis_options defaults = ANALYSIS_OPTIONS_INIT;

static inline const struct analysis_group *group(const struct made_analysis *m, const char *label,
					  const char *config, const char *metric)
{
	for (size_t i = 0; i < m->analysis.ngroups; i++) {
		const struct analysis_group *g = &m->analysis.groups[i];

		if (!strcmp(g->cell->label, label) && !strcmp(g->cell->config, config) &&
		    !strcmp(g->metric, metric))
			return g;
	}
	return NULL;
}

static inline const struct analysis_comparison *comparison(const struct made_analysis *m,
						    const char *kind, const char *fresh,
						    const char *metric)
{
	bool label = !strcmp(kind, "label");

	for (size_t i = 0; i < m->analysis.ncomparisons; i++) {
		const struct analysis_comparison *c = &m->analysis.comparisons[i];

		if (!strcmp(c->kind, kind) && !strcmp(c->base->metric, metric) &&
		    !strcmp(label ? c->fresh->cell->label : c->fresh->cell->config, fresh))
			return c;
	}
	return NULL;
}

static inline const struct analysis_count *count(const struct made_analysis *m, const char *config)
{
	for (size_t i = 0; i < m->analysis.ncounts; i++)
		if (!strcmp(m->analysis.counts[i].cell->config, config))
			return &m->analysis.counts[i];
	return NULL;
}

static inline void run_status_of(struct made_set *made, const char *config, unsigned int round,
			  const char *status, double value)
{
	char *metrics = xasprintf(MADE_METRIC("real", "%.17g"), value);

	made_run(made, config, round, "measured", status, metrics);
	free(metrics);
}

/* Rounds of none and trace with these values of real. */
static inline void rounds(struct made_set *made, const double *none, const double *trace,
			  unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		made_value(made, "none", i + 1, "real", none[i]);
		made_value(made, "trace", i + 1, "real", trace[i]);
	}
}

#endif
