// SPDX-License-Identifier: GPL-3.0-or-later
/* What the tests of compare have in common: sides that are picked, and what they decide. */
#ifndef BRUNT_TESTS_COMPARE_TESTS_H
#define BRUNT_TESTS_COMPARE_TESTS_H

#include "runner/gate.h"
#include "tests/unit/assert_double.h"
#include "tests/unit/made_set.h"

#define TWO_CONFIGS "[{\"name\":\"none\"},{\"name\":\"trace\"}]"
#define IMPORTED ",\"imported\":{\"title\":\"a post\",\"order\":\"unknown\"}"

static const struct analysis_options defaults = ANALYSIS_OPTIONS_INIT;
static const struct gate no_gate = { .fail_if_worse_pct = NAN, .require_within_pct = NAN };

/* Sets that were read, and the analysis of what was picked of them. */
struct picked {
	struct set_data sets[2];
	size_t nsets;
	struct analysis_side base, fresh;
	struct analysis_options options;
	struct analysis analysis;
	struct err err;
};

/* "label/config", either may be empty; second NULL: one side. */
static inline void read_side(const char *text, struct analysis_side *side, size_t set, char *label,
		      char *config)
{
	const char *slash = strchr(text, '/');

	snprintf(label, 32, "%.*s", (int)(slash - text), text);
	snprintf(config, 32, "%s", slash + 1);
	*side = (struct analysis_side){ .set = set, .label = *label ? label : NULL,
					.config = *config ? config : NULL };
}

static inline int pick(struct picked *p, const struct made_set *base, const char *base_side,
		const struct made_set *fresh, const char *fresh_side)
{
	static char names[4][32];

	p->err = (struct err){ 0 };
	p->nsets = 1;
	assert_int_equal(set_read(base->path, &p->sets[0], &p->err), 0);
	if (fresh && fresh != base)
		assert_int_equal(set_read(fresh->path, &p->sets[p->nsets++], &p->err), 0);
	read_side(base_side, &p->base, 0, names[0], names[1]);
	p->options.base = &p->base;
	p->options.fresh = NULL;
	if (fresh_side) {
		read_side(fresh_side, &p->fresh, p->nsets - 1, names[2], names[3]);
		p->options.fresh = &p->fresh;
	}
	return analysis_make(p->sets, p->nsets, &p->options, &p->analysis, &p->err);
}

static inline void release(struct picked *p)
{
	analysis_release(&p->analysis);
	for (size_t i = 0; i < p->nsets; i++)
		set_data_release(&p->sets[i]);
}

static inline void refused(struct picked *p, enum exit_status status, const char *words)
{
	assert_int_equal(p->err.status, status);
	if (!strstr(p->err.text, words))
		print_error("%s\n", p->err.text);
	assert_non_null(strstr(p->err.text, words));
	for (size_t i = 0; i < p->nsets; i++)
		set_data_release(&p->sets[i]);
}

static inline const struct analysis_comparison *only(const struct picked *p)
{
	assert_int_equal(p->analysis.ncomparisons, 1);
	return &p->analysis.comparisons[0];
}

static inline void add_runs(struct made_set *made, const char *config, const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		made_value(made, config, (unsigned int)i + 1, "real", values[i]);
}

static const double slow[] = { 1.20, 1.22, 1.21, 1.19, 1.23, 1.21 };
static const double fast[] = { 1.01, 1.03, 1.02, 1.00, 1.04, 1.02 };

/* Two labels of two configurations each, on boots of their own. */
static inline void two_by_two(struct made_set *made)
{
	made_session(made, "2026-01-01T00:00:01Z", TWO_CONFIGS, "");
	add_runs(made, "none", fast, 6);
	add_runs(made, "trace", slow, 6);
	made->session = "s2";
	made->label = "6.2";
	made->boot = "boot2";
	made_session(made, "2026-01-01T00:00:02Z", TWO_CONFIGS, "");
	add_runs(made, "none", slow, 6);
	add_runs(made, "trace", slow, 6);
}

static inline int status_of(const struct picked *p, double fail, double within, bool bisect)
{
	struct gate gate = { fail, within, bisect };

	return gate_status(&gate, &p->analysis);
}

static inline void add_imported(struct made_set *made, const double *a, size_t na, const double *b,
			 size_t nb, const char *unit)
{
	for (size_t side = 0; side < 2; side++) {
		const double *values = side ? b : a;

		made->session = side ? "s2" : "s1";
		made->label = side ? "new" : "old";
		made_session(made, "", "[{\"name\":\"none\"}]", IMPORTED);
		for (size_t i = 0; i < (side ? nb : na); i++) {
			char *metrics = xasprintf("{\"real\":{\"value\":%.17g,\"unit\":\"%s\","
						  "\"better\":\"lower\",\"half_step\":0.05}}",
						  values[i], unit);

			made_run(made, "none", 0, "measured", "ok", metrics);
			free(metrics);
		}
	}
}

#endif
