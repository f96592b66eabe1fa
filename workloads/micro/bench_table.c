// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "workloads/micro/bench.h"

#define BENCH(name_, family_, unit_, ops_, variant_, partner, net)                                 \
	{ .name = name_, .family = family_, .unit = unit_, .ops = &micro_##ops_,                   \
	  .variant = variant_, .has_partner = partner, .is_net = net, .raw_name = name_ ".raw" },

#define TIME(name, family, unit, ops, variant, summary)                                            \
	BENCH(name, family, unit, ops, variant, false, false)
#define PARTNER(name, family, unit, ops, variant, summary)                                         \
	BENCH(name, family, unit, ops, variant, true, false)
#define NET(name, family, unit, ops, variant, summary)                                             \
	BENCH(name, family, unit, ops, variant, false, true)
#define RING_NET(name, family, unit, ops, variant, summary)                                        \
	BENCH(name, family, unit, ops, variant, true, true)
#define RATE(name, family, ops, variant, summary)                                                  \
	BENCH(name, family, "MB/s", ops, variant, false, false)
#define PARTNER_RATE(name, family, ops, variant, summary)                                          \
	BENCH(name, family, "MB/s", ops, variant, true, false)

const struct micro_bench micro_benches[] = {
#include "workloads/micro/metrics.def"
	{ .name = NULL },
};

#undef TIME
#undef PARTNER
#undef NET
#undef RING_NET
#undef RATE
#undef PARTNER_RATE

#define TIME(name, family, unit, ops, variant, summary)                                            \
	{ name, unit, BETTER_LOWER, true, summary },
#define PARTNER TIME
#define NET(name, family, unit, ops, variant, summary)                                             \
	{ name, unit, BETTER_LOWER, true, summary },                                               \
	{ name ".raw", unit, BETTER_LOWER, false, "the same before anything is subtracted" },
#define RING_NET NET
#define RATE(name, family, ops, variant, summary) { name, "MB/s", BETTER_HIGHER, true, summary },
#define PARTNER_RATE RATE

const struct metric_spec micro_metrics[] = {
#include "workloads/micro/metrics.def"
	{ .name = NULL },
};

const struct metric_spec *micro_metric(const char *name)
{
	for (const struct metric_spec *m = micro_metrics; m->name; m++)
		if (!strcmp(m->name, name))
			return m;
	return NULL;
}

/* The whole name, a name before a dot, or a family. */
static bool is_meant(const struct micro_bench *bench, const char *word)
{
	size_t len = strlen(word);

	return !strcmp(bench->name, word) || !strcmp(bench->family, word) ||
	       (!strncmp(bench->name, word, len) && bench->name[len] == '.');
}

static bool is_family(const char *word)
{
	for (const struct micro_bench *b = micro_benches; b->name; b++)
		if (!strcmp(b->family, word))
			return true;
	return false;
}

/*
 * A name that is a metric of its own means just that: "pipe" is not "pipe.bw".
 */
static bool is_whole_name(const char *word)
{
	for (const struct micro_bench *b = micro_benches; b->name; b++)
		if (!strcmp(b->name, word))
			return true;
	return false;
}

static bool is_picked(const struct micro_bench *bench, const struct words *words)
{
	for (size_t i = 0; i < words->n; i++) {
		if (is_whole_name(words->v[i]) && !is_family(words->v[i]) ?
			    !strcmp(bench->name, words->v[i]) :
			    is_meant(bench, words->v[i]))
			return true;
	}
	return false;
}

static int check_word(const char *word, struct err *err)
{
	const char *candidates[2 * 128], *near;
	size_t n = 0;

	if (!*word)
		return err_usage(err, "only: a name is empty; see brunt list workloads micro");
	for (const struct micro_bench *b = micro_benches; b->name; b++) {
		if (is_meant(b, word))
			return 0;
		if (n + 2 <= ARRAY_SIZE(candidates)) {
			candidates[n++] = b->name;
			candidates[n++] = b->family;
		}
	}
	near = words_nearest(word, candidates, n);
	if (near)
		return err_usage(err, "only: unknown metric '%s'; did you mean '%s'?", word, near);
	return err_usage(err, "only: unknown metric '%s'; see brunt list workloads micro", word);
}

int micro_pick(const char *only, const struct micro_bench ***out, size_t *n, struct err *err)
{
	auto_words struct words words = WORDS_INIT;
	const struct micro_bench **picked;
	int rc;

	if (only)
		words_split_at(only, '+', &words);
	for (size_t i = 0; i < words.n; i++) {
		rc = check_word(words.v[i], err);
		if (rc)
			return rc;
	}
	picked = xcalloc(ARRAY_SIZE(micro_benches), sizeof(const struct micro_bench *));
	*n = 0;
	for (const struct micro_bench *b = micro_benches; b->name; b++)
		if (!only || is_picked(b, &words))
			picked[(*n)++] = b;
	*out = picked;
	return 0;
}
