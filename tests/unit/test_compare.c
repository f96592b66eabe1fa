// SPDX-License-Identifier: GPL-3.0-or-later
/* Picked sides, what they decide, and the edges: few runs, no spread, nothing above 0. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runner/gate.h"
#include "runner/trailer.h"
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
static void read_side(const char *text, struct analysis_side *side, size_t set, char *label,
		      char *config)
{
	const char *slash = strchr(text, '/');

	snprintf(label, 32, "%.*s", (int)(slash - text), text);
	snprintf(config, 32, "%s", slash + 1);
	*side = (struct analysis_side){ .set = set, .label = *label ? label : NULL,
					.config = *config ? config : NULL };
}

static int pick(struct picked *p, const struct made_set *base, const char *base_side,
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

static void release(struct picked *p)
{
	analysis_release(&p->analysis);
	for (size_t i = 0; i < p->nsets; i++)
		set_data_release(&p->sets[i]);
}

static void refused(struct picked *p, enum exit_status status, const char *words)
{
	assert_int_equal(p->err.status, status);
	if (!strstr(p->err.text, words))
		print_error("%s\n", p->err.text);
	assert_non_null(strstr(p->err.text, words));
	for (size_t i = 0; i < p->nsets; i++)
		set_data_release(&p->sets[i]);
}

static const struct analysis_comparison *only(const struct picked *p)
{
	assert_int_equal(p->analysis.ncomparisons, 1);
	return &p->analysis.comparisons[0];
}

static void add_runs(struct made_set *made, const char *config, const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		made_value(made, config, (unsigned int)i + 1, "real", values[i]);
}

static const double slow[] = { 1.20, 1.22, 1.21, 1.19, 1.23, 1.21 };
static const double fast[] = { 1.01, 1.03, 1.02, 1.00, 1.04, 1.02 };

/* Two labels of two configurations each, on boots of their own. */
static void two_by_two(struct made_set *made)
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

/* ---- what is compared ---- */

static void a_set_alone_is_held_against_its_baseline(void **state)
{
	struct picked p = { .options = defaults };

	two_by_two(*state);
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_int_equal(p.analysis.ncomparisons, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct analysis_comparison *c = &p.analysis.comparisons[i];

		assert_string_equal(c->kind, "config");
		assert_string_equal(c->base->cell->config, "none");
		assert_string_equal(c->fresh->cell->config, "trace");
		assert_string_equal(c->base->cell->label, c->fresh->cell->label);
		assert_true(c->paired);
		assert_int_equal(c->family_size, 2);
	}
	assert_int_equal(p.analysis.ninteractions, 1);
	release(&p);
}

static void one_label_of_a_set_alone(void **state)
{
	struct picked p = { .options = defaults };

	two_by_two(*state);
	assert_int_equal(pick(&p, *state, "6.2/", NULL, NULL), 0);
	assert_string_equal(only(&p)->base->cell->label, "6.2");
	assert_int_equal(only(&p)->family_size, 1);
	assert_int_equal(p.analysis.ncells, 2);
	assert_int_equal(p.analysis.ninteractions, 0);
	release(&p);
}

static void one_configuration_alone_is_held_against_the_first_label(void **state)
{
	struct picked p = { .options = defaults };

	two_by_two(*state);
	assert_int_equal(pick(&p, *state, "/none", NULL, NULL), 0);
	assert_string_equal(only(&p)->kind, "label");
	assert_string_equal(only(&p)->base->cell->label, "6.1");
	assert_string_equal(only(&p)->fresh->cell->label, "6.2");
	assert_string_equal(only(&p)->fresh->cell->config, "none");
	release(&p);
}

static void configurations_of_the_same_sessions_are_pairs(void **state)
{
	struct picked p = { .options = defaults };

	two_by_two(*state);
	assert_int_equal(pick(&p, *state, "6.1/none", *state, "6.1/trace"), 0);
	assert_true(only(&p)->paired);
	assert_string_equal(only(&p)->unit, "round");
	assert_double(only(&p)->change_pct, 100 * (1.21 / 1.02 - 1), 1e-9);
	release(&p);
	assert_int_equal(pick(&p, *state, "6.1/trace", *state, "6.1/none"), 0);
	assert_double(only(&p)->change_pct, 100 * (1.02 / 1.21 - 1), 1e-9);
	assert_int_equal(only(&p)->verdict, VERDICT_BETTER);
	release(&p);
}

static void labels_and_configurations_at_once_are_no_pairs(void **state)
{
	struct picked p = { .options = defaults };

	two_by_two(*state);
	assert_int_equal(pick(&p, *state, "6.1/none", *state, "6.2/trace"), 0);
	assert_false(only(&p)->paired);
	assert_string_equal(only(&p)->kind, "label");
	assert_true(only(&p)->confounded);
	release(&p);
}

static void like_is_held_against_like(void **state)
{
	struct picked p = { .options = defaults };

	two_by_two(*state);
	assert_int_equal(pick(&p, *state, "6.1/", *state, "6.2/"), 0);
	assert_int_equal(p.analysis.ncomparisons, 2);
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(p.analysis.comparisons[i].base->cell->config,
				    p.analysis.comparisons[i].fresh->cell->config);
	assert_int_equal(p.analysis.ninteractions, 1);
	release(&p);
}

static void two_sets_are_never_pooled(void **state)
{
	struct made_set *made = *state, other;
	struct picked p = { .options = defaults };

	add_runs(made, "none", fast, 6);
	made_set_init(&other);
	add_runs(&other, "none", slow, 4);
	assert_int_equal(pick(&p, made, "/", &other, "/"), 0);
	assert_false(only(&p)->paired);
	assert_int_equal(only(&p)->base->n, 6);
	assert_int_equal(only(&p)->fresh->n, 4);
	assert_int_equal(only(&p)->n, 4);
	assert_string_equal(only(&p)->base->cell->set, made->path);
	assert_string_equal(only(&p)->fresh->cell->set, other.path);
	/* one label on both sides: nothing of a kernel is claimed */
	assert_false(only(&p)->confounded);
	assert_int_equal(only(&p)->verdict, VERDICT_WORSE);
	release(&p);
	/* other names, where each side has one */
	other.label = "patched";
	assert_int_equal(pick(&p, made, "/none", &other, "/none"), 0);
	release(&p);
	made_set_release(&other);
}

static void sets_of_two_labels_interact(void **state)
{
	struct made_set *made = *state, other;
	struct picked p = { .options = defaults };

	add_runs(made, "none", fast, 6);
	add_runs(made, "trace", fast, 6);
	made_set_init(&other);
	other.label = "6.2";
	add_runs(&other, "none", fast, 6);
	add_runs(&other, "trace", slow, 6);
	assert_int_equal(pick(&p, made, "/", &other, "/"), 0);
	assert_int_equal(p.analysis.ncomparisons, 2);
	assert_int_equal(p.analysis.ninteractions, 1);
	assert_double(p.analysis.interactions[0].difference, 1.21 - 1.02, 1e-9);
	assert_double(p.analysis.interactions[0].c.change_pct, 18.63, 1e-3);
	assert_true(p.analysis.interactions[0].c.p < 1e-6);
	assert_string_equal(p.analysis.interactions[0].c.unit, "round");
	assert_true(p.analysis.interactions[0].c.confounded);
	release(&p);
	made_set_release(&other);
}

static void sides_that_no_session_has_both_of_are_no_pairs(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };

	made_session(made, "2026-01-01T00:00:01Z", "[{\"name\":\"none\"}]", "");
	add_runs(made, "none", fast, 6);
	made->session = "s2";
	made_session(made, "2026-01-01T00:00:02Z", "[{\"name\":\"late\"}]", "");
	add_runs(made, "late", slow, 6);
	assert_int_equal(pick(&p, made, "/none", made, "/late"), 0);
	assert_false(only(&p)->paired);
	assert_int_equal(only(&p)->n, 6);
	assert_string_equal(only(&p)->kind, "config");
	assert_int_equal(only(&p)->verdict, VERDICT_WORSE);
	release(&p);
}

static void points_stay_apart(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };

	made->point = "{\"jobs\":\"1\"}";
	add_runs(made, "none", fast, 6);
	add_runs(made, "trace", slow, 6);
	made->point = "{\"jobs\":\"2\"}";
	add_runs(made, "none", fast, 6);
	add_runs(made, "trace", fast, 6);
	assert_int_equal(pick(&p, made, "/none", made, "/trace"), 0);
	assert_int_equal(p.analysis.ncomparisons, 2);
	assert_int_equal(p.analysis.nsections, 2);
	assert_int_equal(p.analysis.comparisons[0].family_size, 2);
	assert_int_equal(p.analysis.comparisons[0].verdict, VERDICT_WORSE);
	assert_int_equal(p.analysis.comparisons[1].verdict, VERDICT_EQUIVALENT);
	release(&p);
}

static void what_cannot_be_compared_is_said(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };

	add_runs(made, "none", fast, 6);
	assert_int_not_equal(pick(&p, made, "/", NULL, NULL), 0);
	refused(&p, EXIT_USAGE, "nothing to compare");
	assert_int_not_equal(pick(&p, made, "/", made, "/"), 0);
	refused(&p, EXIT_USAGE, "both sides are the same");
	assert_int_not_equal(pick(&p, made, "/nine", NULL, NULL), 0);
	refused(&p, EXIT_USAGE, "did you mean 'none'");
	assert_int_not_equal(pick(&p, made, "6.2/", NULL, NULL), 0);
	refused(&p, EXIT_USAGE, "no label '6.2'");
}

/* ---- exit statuses ---- */

static int status_of(const struct picked *p, double fail, double within, bool bisect)
{
	struct gate gate = { fail, within, bisect };

	return gate_status(&gate, &p->analysis);
}

static void worse_beyond_the_bound_is_3(void **state)
{
	struct picked p = { .options = defaults };

	add_runs(*state, "none", fast, 6);
	add_runs(*state, "trace", slow, 6);
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_true(only(&p)->at_best_pct > 10);
	assert_int_equal(gate_status(&no_gate, &p.analysis), EXIT_OK);
	assert_int_equal(status_of(&p, 10, NAN, false), EXIT_WORSE);
	assert_int_equal(status_of(&p, only(&p)->at_best_pct, NAN, false), EXIT_OK);
	assert_int_equal(status_of(&p, 50, NAN, false), EXIT_OK);
	assert_int_equal(status_of(&p, NAN, 10, false), EXIT_NOT_WITHIN);
	assert_int_equal(status_of(&p, NAN, 50, false), EXIT_OK);
	assert_int_equal(status_of(&p, 10, 10, false), EXIT_WORSE); /* 3 before 6 */
	assert_int_equal(status_of(&p, 10, NAN, true), GATE_BAD);
	assert_int_equal(status_of(&p, NAN, NAN, true), GATE_BAD);
	assert_int_equal(status_of(&p, 50, NAN, true), GATE_GOOD);
	assert_int_equal(status_of(&p, 50, 10, true), GATE_UNDECIDED);
	assert_int_equal(status_of(&p, only(&p)->at_best_pct + .01, NAN, true), GATE_UNDECIDED);
	release(&p);
	/* the other way round it is better, whatever the number's sign */
	assert_int_equal(pick(&p, *state, "/trace", *state, "/none"), 0);
	assert_int_equal(status_of(&p, 0, NAN, false), EXIT_OK);
	assert_int_equal(status_of(&p, 0, NAN, true), GATE_GOOD);
	release(&p);
}

/* A change inside the margin reads "equivalent", and is worse all the same. */
static void the_word_of_the_verdict_does_not_hide_a_change(void **state)
{
	struct picked p = { .options = defaults };
	double values[6];

	for (size_t i = 0; i < 6; i++)
		values[i] = 1.005 * fast[i];
	add_runs(*state, "none", fast, 6);
	add_runs(*state, "trace", values, 6);
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_int_equal(only(&p)->verdict, VERDICT_EQUIVALENT);
	assert_int_equal(status_of(&p, .4, NAN, false), EXIT_WORSE);
	assert_int_equal(status_of(&p, 1, 1, false), EXIT_OK);
	assert_int_equal(status_of(&p, NAN, NAN, true), GATE_GOOD);
	release(&p);
}

static void less_is_worse_where_more_is_better(void **state)
{
	struct picked p = { .options = defaults };

	for (unsigned int i = 0; i < 6; i++) {
		char *a = xasprintf("{\"bw\":{\"value\":%g,\"unit\":\"B/s\",\"better\":\"higher\","
				    "\"headline\":true}}", 100 * slow[i]);
		char *b = xasprintf("{\"bw\":{\"value\":%g,\"unit\":\"B/s\",\"better\":\"higher\","
				    "\"headline\":true}}", 100 * fast[i]);

		made_run(*state, "none", i + 1, "measured", "ok", a);
		made_run(*state, "trace", i + 1, "measured", "ok", b);
		free(a);
		free(b);
	}
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_true(only(&p)->change_pct < -10);
	assert_int_equal(status_of(&p, 10, NAN, false), EXIT_WORSE);
	assert_int_equal(status_of(&p, 10, NAN, true), GATE_BAD);
	release(&p);
}

static void labels_of_few_boots_are_4(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };
	static const char *const boots[] = { "b1", "b2", "b3", "b4", "b5", "b6" };

	two_by_two(made);
	assert_int_equal(pick(&p, made, "/none", NULL, NULL), 0);
	assert_true(only(&p)->confounded);
	assert_int_equal(gate_status(&no_gate, &p.analysis), EXIT_UNTRUSTED);
	assert_int_equal(status_of(&p, 1, 1, false), EXIT_UNTRUSTED); /* 4 before 3 and 6 */
	assert_int_equal(status_of(&p, 1, NAN, true), GATE_UNDECIDED);
	release(&p);
	p.options.one_boot = true;
	assert_int_equal(pick(&p, made, "/none", NULL, NULL), 0);
	assert_int_equal(status_of(&p, 1, NAN, false), EXIT_WORSE);
	release(&p);
	p.options.one_boot = false;
	for (size_t i = 0; i < 6; i++) {
		made->boot = made->session = boots[i];
		made->label = i < 3 ? "many-a" : "many-b";
		add_runs(made, "none", i < 3 ? &fast[i] : &slow[i - 3], 2);
	}
	assert_int_equal(pick(&p, made, "many-a/none", made, "many-b/none"), 0);
	assert_string_equal(only(&p)->unit, "boot");
	assert_int_equal(only(&p)->n, 3);
	assert_int_equal(status_of(&p, 1, NAN, false), EXIT_WORSE);
	release(&p);
}

static void an_invalid_verdict_is_4(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };

	add_runs(made, "none", fast, 6);
	add_runs(made, "trace", slow, 6);
	for (unsigned int i = 7; i < 10; i++)
		made_run(made, "trace", i, "measured", "invalid: lost", MADE_METRIC("real", "1"));
	assert_int_equal(pick(&p, made, "/", NULL, NULL), 0);
	assert_int_equal(only(&p)->verdict, VERDICT_INVALID);
	assert_int_equal(status_of(&p, 1, 1, false), EXIT_UNTRUSTED);
	assert_int_equal(status_of(&p, 1, NAN, true), GATE_UNDECIDED);
	release(&p);
}

/* ---- edges ---- */

static void add_imported(struct made_set *made, const double *a, size_t na, const double *b,
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

static void so_few_runs_are_never_enough(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };

	add_imported(made, fast, 1, slow, 6, "s");
	assert_int_equal(pick(&p, made, "/", NULL, NULL), 0);
	assert_int_equal(only(&p)->n, 1);
	assert_nan(only(&p)->p);
	assert_nan(only(&p)->ci95_pct[0]);
	assert_int_equal(only(&p)->verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(only(&p)->reason, "too few: 1, need 3");
	assert_int_equal(status_of(&p, 1, NAN, false), EXIT_OK);
	assert_int_equal(status_of(&p, NAN, 50, false), EXIT_NOT_WITHIN);
	assert_int_equal(status_of(&p, 1, NAN, true), GATE_UNDECIDED);
	release(&p);
	made->session = "s1";
	made->label = "old";
	add_runs(made, "none", fast, 1);
	assert_int_equal(pick(&p, made, "/", NULL, NULL), 0);
	assert_int_equal(only(&p)->n, 2);
	assert_false(isnan(only(&p)->p));
	assert_string_equal(only(&p)->reason, "too few: 2, need 3");
	assert_int_equal(status_of(&p, NAN, 99, false), EXIT_NOT_WITHIN);
	release(&p);
}

static void a_side_without_runs_is_said(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };

	add_runs(made, "none", fast, 6);
	for (unsigned int i = 1; i < 4; i++)
		made_run(made, "trace", i, "warmup", "ok", MADE_METRIC("real", "1"));
	assert_int_not_equal(pick(&p, made, "/none", made, "/trace"), 0);
	refused(&p, EXIT_FAILED, "no finished run");
}

/* The rounding of what was printed is the spread that equal values have. */
static void equal_values_have_the_spread_of_their_last_digit(void **state)
{
	struct picked p = { .options = defaults };
	static const double one[] = { 2, 2, 2 }, other[] = { 2.1, 2.1, 2.1 };

	add_imported(*state, one, 3, one, 3, "s");
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_double(only(&p)->change_pct, 0, 0);
	assert_double(only(&p)->p, 1, 1e-12);
	assert_true(only(&p)->ci95_pct[0] < -1 && only(&p)->ci95_pct[1] > 1);
	release(&p);
	assert_string_equal(((struct made_set *)*state)->label, "new");
	add_runs(*state, "none", other, 3);
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_int_equal(only(&p)->fresh->n, 6);
	release(&p);
}

static void means_that_are_not_above_0_have_no_percent(void **state)
{
	struct picked p = { .options = defaults };
	static const double below[] = { -1, -2, -3, -2 }, above[] = { 5, 6, 5, 6 };

	add_imported(*state, below, 4, above, 4, "s");
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_nan(only(&p)->change_pct);
	assert_nan(only(&p)->ci95_pct[0]);
	assert_nan(only(&p)->at_best_pct);
	assert_true(only(&p)->ci95_units[0] > 0);
	assert_true(only(&p)->p < .01);
	/* what is proven to be worse passes no gate for want of a percentage; nothing is within */
	assert_int_equal(only(&p)->verdict, VERDICT_WORSE);
	assert_int_equal(status_of(&p, 1, NAN, false), EXIT_WORSE);
	assert_int_equal(status_of(&p, NAN, 1, false), EXIT_NOT_WITHIN);
	assert_int_equal(status_of(&p, 1, NAN, true), GATE_BAD);
	release(&p);
}

static void imported_runs_are_in_no_round(void **state)
{
	struct picked p = { .options = defaults };

	add_imported(*state, fast, 3, slow, 6, "s");
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_int_equal(only(&p)->base->n, 3);
	assert_int_equal(only(&p)->fresh->n, 6);
	assert_false(only(&p)->paired);
	assert_false(only(&p)->confounded);
	assert_nan(only(&p)->base->lag1); /* the order is not known */
	assert_int_equal(p.analysis.counts[1].broken_rounds, 0);
	release(&p);
}

/* ---- order and outliers ---- */

static void a_run_far_from_the_others_is_named(void **state)
{
	struct picked p = { .options = defaults };
	double values[12];

	for (size_t i = 0; i < 12; i++)
		values[i] = fast[i % 6];
	values[7] = 2;
	add_runs(*state, "none", values, 12);
	add_runs(*state, "trace", fast, 6);
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	/* complete rounds only: run 8 is none's eighth, without a partner */
	assert_int_equal(only(&p)->base->n, 6);
	assert_int_equal(only(&p)->base->noutliers, 0);
	release(&p);
	add_runs(*state, "trace", values, 12); /* rounds 1 to 6 again, and the rest */
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_int_equal(only(&p)->base->n, 12);
	assert_int_equal(only(&p)->base->noutliers, 1);
	assert_int_equal(only(&p)->base->outliers[0]->number, 8);
	assert_false(only(&p)->base->drifts);
	release(&p);
}

static void a_step_in_the_middle_is_drift(void **state)
{
	struct picked p = { .options = defaults };
	double values[20];

	for (size_t i = 0; i < 20; i++)
		values[i] = 1 + (i >= 10 ? .5 : 0) + .01 * (double)(i % 3);
	add_runs(*state, "none", values, 20);
	add_runs(*state, "trace", values, 20);
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_true(only(&p)->base->drifts);
	assert_true(only(&p)->base->lag1 > .7);
	assert_int_equal(only(&p)->base->noutliers, 0);
	assert_int_not_equal(only(&p)->verdict, VERDICT_INVALID); /* rounds take it out */
	release(&p);
}

/* ---- the trailer ---- */

static void the_trailer_is_one_line_whatever_the_names(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };
	struct buf line = BUF_INIT;

	add_runs(made, "none", fast, 6);
	add_runs(made, "a\nSigned-off-by: x \x1b[31m", slow, 6);
	made_session(made, "2026-01-01T00:00:01Z", "[{\"name\":\"none\"}]", "");
	add_runs(made, "third", slow, 6);
	assert_int_equal(pick(&p, made, "/", NULL, NULL), 0);
	trailer_add(&p.analysis, &line);
	assert_ptr_equal(strchr(line.s, '\n'), line.s + line.len - 1);
	assert_null(strchr(line.s, '\x1b'));
	assert_int_equal(strncmp(line.s, "Benchmarked: brunt ", 19), 0);
	assert_non_null(strstr(line.s, ", set sha256:"));
	if (!strstr(line.s, "real +18.63% [18.36, 18.90]"))
		print_error("%s", line.s);
	assert_non_null(strstr(line.s, "real +18.63% [18.36, 18.90]"));
	buf_release(&line);
	release(&p);
}


int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(a_set_alone_is_held_against_its_baseline),
		MADE_TEST(one_label_of_a_set_alone),
		MADE_TEST(one_configuration_alone_is_held_against_the_first_label),
		MADE_TEST(configurations_of_the_same_sessions_are_pairs),
		MADE_TEST(labels_and_configurations_at_once_are_no_pairs),
		MADE_TEST(like_is_held_against_like),
		MADE_TEST(two_sets_are_never_pooled),
		MADE_TEST(sets_of_two_labels_interact),
		MADE_TEST(sides_that_no_session_has_both_of_are_no_pairs),
		MADE_TEST(points_stay_apart),
		MADE_TEST(what_cannot_be_compared_is_said),
		MADE_TEST(worse_beyond_the_bound_is_3),
		MADE_TEST(the_word_of_the_verdict_does_not_hide_a_change),
		MADE_TEST(less_is_worse_where_more_is_better),
		MADE_TEST(labels_of_few_boots_are_4),
		MADE_TEST(an_invalid_verdict_is_4),
		MADE_TEST(so_few_runs_are_never_enough),
		MADE_TEST(a_side_without_runs_is_said),
		MADE_TEST(equal_values_have_the_spread_of_their_last_digit),
		MADE_TEST(means_that_are_not_above_0_have_no_percent),
		MADE_TEST(imported_runs_are_in_no_round),
		MADE_TEST(a_run_far_from_the_others_is_named),
		MADE_TEST(a_step_in_the_middle_is_drift),
		MADE_TEST(the_trailer_is_one_line_whatever_the_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
