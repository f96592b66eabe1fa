// SPDX-License-Identifier: GPL-3.0-or-later
/* What an experiment says of its rounds: the second baseline, headline metrics, when to stop. */
#include <string.h>

#include "base/xalloc.h"
#include "runner/experiment.h"

/* ---- --aa ---- */

static bool ends_in_suffix(const char *name)
{
	size_t n = strlen(name), suffix = strlen(AA_SUFFIX);

	return n >= suffix && !strcmp(name + n - suffix, AA_SUFFIX);
}

static bool same_keys(const struct config *a, const struct config *b)
{
	return a->tracer == b->tracer && keys_equal(&a->tracer_keys, &b->tracer_keys) &&
	       keys_equal(&a->settings, &b->settings) &&
	       keys_equal(&a->workload_keys, &b->workload_keys);
}

/* What a resolved experiment has of it is what would be added now. */
static int check_second(const struct experiment *experiment, const struct config *second,
			struct err *err)
{
	const struct config *base = &experiment->configs[0];
	auto_free char *name = xasprintf("%s" AA_SUFFIX, base->name);

	if (second == base || strcmp(second->aa_of, base->name) != 0 ||
	    strcmp(second->name, name) != 0 || !same_keys(second, base))
		return err_usage(err,
				 "configuration %s: aa_of is for %s, which repeats the baseline %s "
				 "with its keys; leave it out and give aa: true",
				 second->name, name, base->name);
	return 0;
}

static void add_second(struct experiment *experiment)
{
	auto_free char *name = xasprintf("%s" AA_SUFFIX, experiment->configs[0].name);
	struct config *second = experiment_add_config(experiment, name);
	const struct config *base = &experiment->configs[0];

	second->aa_of = xstrdup(base->name);
	second->tracer = base->tracer;
	keys_copy(&second->tracer_keys, &base->tracer_keys);
	keys_copy(&second->settings, &base->settings);
	keys_copy(&second->workload_keys, &base->workload_keys);
}

static int complete_aa(struct experiment *experiment, struct err *err)
{
	bool there = false;
	int rc = 0;

	for (size_t i = 0; i < experiment->nconfigs && !rc; i++) {
		const struct config *config = &experiment->configs[i];

		if (config->aa_of) {
			rc = check_second(experiment, config, err);
			there = true;
		} else if (ends_in_suffix(config->name)) {
			rc = err_usage(err,
				       "configuration %s: names that end in " AA_SUFFIX
				       " are those of second baselines (--aa)",
				       config->name);
		}
	}
	if (rc)
		return rc;
	if (experiment->aa && !there)
		add_second(experiment);
	experiment->aa |= there;
	return 0;
}

/* ---- --primary ---- */

static const struct metric_spec *find_metric(const struct experiment *experiment,
					     const char *name)
{
	for (size_t i = 0; i < experiment->nworkloads; i++)
		for (const struct metric_spec *m = experiment->workloads[i].type->metrics;
		     m && m->name; m++)
			if (!strcmp(m->name, name))
				return m;
	return NULL;
}

/* By the keys of a workload, or of one that a configuration changes. */
static bool is_promised(const struct experiment *experiment, const char *name)
{
	const struct keys none = KEYS_INIT;
	bool promised = false;

	for (size_t i = 0; i < experiment->nworkloads; i++) {
		const struct workload *type = experiment->workloads[i].type;

		for (size_t c = 0; type->promises && c < experiment->nconfigs; c++) {
			struct keys keys = KEYS_INIT;

			experiment_cell_keys(experiment, i, &none, c, &keys);
			promised |= type->promises(&keys, name);
			keys_release(&keys);
		}
	}
	return promised;
}

static int unknown_metric(const struct experiment *experiment, const char *name,
			  struct err *err)
{
	const char *names[256], *nearest;
	size_t n = 0;

	for (size_t i = 0; i < experiment->nworkloads; i++)
		for (const struct metric_spec *m = experiment->workloads[i].type->metrics;
		     m && m->name && n < ARRAY_SIZE(names); m++)
			names[n++] = m->name;
	nearest = words_nearest(name, names, n);
	if (nearest)
		return err_usage(err, "--primary: %s has no metric '%s'; did you mean '%s'?",
				 experiment->workloads[0].name, name, nearest);
	return err_usage(err, "--primary: %s has no metric '%s'; see brunt list workloads %s",
			 experiment->workloads[0].name, name,
			 experiment->workloads[0].type->name);
}

static size_t find_word(const struct words *words, const char *word)
{
	size_t i = 0;

	while (i < words->n && strcmp(words->v[i], word) != 0)
		i++;
	return i;
}

static int check_primary(const struct experiment *experiment, struct err *err)
{
	const struct words *primary = &experiment->primary;
	const struct metric_spec *metric;

	for (size_t i = 0; i < primary->n; i++) {
		metric = find_metric(experiment, primary->v[i]);
		if (!metric && !is_promised(experiment, primary->v[i]))
			return unknown_metric(experiment, primary->v[i], err);
		if (metric && metric->better == BETTER_NONE)
			return err_usage(err,
					 "--primary: neither more nor less of %s is better, so it "
					 "gets no verdict",
					 metric->name);
		if (find_word(primary, primary->v[i]) < i)
			return err_usage(err, "--primary: %s stands there twice", primary->v[i]);
	}
	return 0;
}

bool experiment_same_primary(const struct experiment *a, const struct experiment *b)
{
	if (a->primary.n != b->primary.n)
		return false;
	for (size_t i = 0; i < a->primary.n; i++)
		if (find_word(&b->primary, a->primary.v[i]) == b->primary.n)
			return false;
	return true;
}

/* ---- --until ---- */

static int check_until(const struct experiment *experiment, struct err *err)
{
	unsigned int max = experiment->until_max;

	if (experiment->until_pct <= 0 && max)
		return err_usage(err, "--max bounds --until; the number of rounds is --rounds");
	if (experiment->until_pct <= 0)
		return 0;
	if (!max)
		return err_usage(err, "--until needs --max N: the most rounds there may be");
	if (max < UNTIL_ROUNDS_MIN || experiment->rounds < UNTIL_ROUNDS_MIN)
		return err_usage(err,
				 "--until looks from %d rounds on, since intervals of fewer rounds "
				 "that stop by their width are too narrow; give %s as many",
				 UNTIL_ROUNDS_MIN,
				 max < UNTIL_ROUNDS_MIN ? "--max" : "--rounds");
	if (experiment->rounds > max)
		return err_usage(err, "--until begins with %u rounds, more than --max %u",
				 experiment->rounds, max);
	if (experiment->nconfigs - experiment->aa < 2)
		return err_usage(err, "--until needs a second configuration: the width of a "
				      "change is looked at");
	return 0;
}

int experiment_complete_rounds(struct experiment *experiment, struct err *err)
{
	int rc = complete_aa(experiment, err);

	if (!rc)
		rc = check_primary(experiment, err);
	return rc ? rc : check_until(experiment, err);
}
