// SPDX-License-Identifier: GPL-3.0-or-later
/* The values of two sides: of rounds that both have, of all runs, or of boots. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/compare.h"
#include "results/ratio.h"

double compare_resolution(const struct analysis_group *group)
{
	static const struct {
		const char *unit;
		double step;
	} clocks[] = { { "s", 1e-9 }, { "ms", 1e-6 }, { "us", 1e-3 },
		/* no clock is finer, but averages over many calls are */
		{ "ns", 1e-3 } };
	double step = 1e-9 * fabs(group->mean);

	if (group->step > 0)
		return group->step;
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (!strcmp(group->unit, clocks[i].unit))
			step = clocks[i].step;
	return step;
}

static void sides_init(struct compare_sides *sides, const struct analysis_group *base,
		       const struct analysis_group *fresh)
{
	*sides = (struct compare_sides){ .x_step = compare_resolution(base),
					.y_step = compare_resolution(fresh) };
	sides->x = xcalloc(base->summarised ? 1 : base->n + 1, sizeof(*sides->x));
	sides->y = xcalloc(fresh->summarised ? 1 : fresh->n + 1, sizeof(*sides->y));
}

void compare_sides_release(struct compare_sides *sides)
{
	free(sides->x);
	free(sides->y);
	free(sides->x_from);
	free(sides->y_from);
	*sides = (struct compare_sides){ .x = NULL };
}

void compare_sides_paired(const struct analysis_group *base, const struct analysis_group *fresh,
			  struct compare_sides *out)
{
	size_t last = 0, n = 0, *fresh_of;

	sides_init(out, base, fresh);
	out->paired = true;
	out->x_from = xcalloc(base->n + 1, sizeof(*out->x_from));
	out->y_from = xcalloc(base->n + 1, sizeof(*out->y_from));
	out->y = xreallocarray(out->y, base->n + 1, sizeof(*out->y));
	for (size_t i = 0; i < fresh->n; i++)
		last = fresh->rounds[i] > last ? fresh->rounds[i] : last;
	fresh_of = xcalloc(last + 1, sizeof(*fresh_of)); /* round -> index + 1 */
	for (size_t i = 0; i < fresh->n; i++)
		fresh_of[fresh->rounds[i]] = i + 1;
	for (size_t i = 0; i < base->n; i++) {
		size_t k = base->rounds[i] <= last ? fresh_of[base->rounds[i]] : 0;

		if (!k)
			continue;
		out->x[n] = base->values[i];
		out->x_from[n] = base->from[i];
		out->y[n] = fresh->values[k - 1];
		out->y_from[n++] = fresh->from[k - 1];
	}
	out->nx = out->ny = n;
	free(fresh_of);
}

static void take_all(const struct analysis_group *group, double *values,
		     const struct set_run ***from)
{
	if (group->summarised)
		return;
	*from = xcalloc(group->n + 1, sizeof(**from));
	for (size_t i = 0; i < group->n; i++) {
		values[i] = group->values[i];
		(*from)[i] = group->from[i];
	}
}

void compare_sides_unpaired(const struct analysis_group *base, const struct analysis_group *fresh,
			    struct compare_sides *out)
{
	sides_init(out, base, fresh);
	take_all(base, out->x, &out->x_from);
	take_all(fresh, out->y, &out->y_from);
	out->x_published = base->summarised ? base : NULL;
	out->y_published = fresh->summarised ? fresh : NULL;
	out->nx = base->n;
	out->ny = fresh->n;
}

static int summary_of_side(const struct analysis_group *published, const double *values, size_t n,
			   double step, struct sample_summary *out)
{
	int rc = 0;

	if (published)
		*out = (struct sample_summary){ published->mean, published->sd, n };
	else
		rc = sample_summarize(values, n, out);
	if (!rc)
		sample_floor_sd(out, step);
	return rc;
}

int compare_summaries(const struct compare_sides *sides, struct sample_summary *x,
		      struct sample_summary *y)
{
	int rc = summary_of_side(sides->x_published, sides->x, sides->nx, sides->x_step, x);

	return rc ? rc : summary_of_side(sides->y_published, sides->y, sides->ny, sides->y_step, y);
}

static struct analysis_compared compared(const struct analysis_group *published,
					 const double *values, size_t n)
{
	struct sample_summary s = { NAN, NAN, n };

	if (summary_of_side(published, values, n, 0, &s))
		s = (struct sample_summary){ NAN, NAN, n };
	return (struct analysis_compared){ n, s.mean, s.sd };
}

void compare_sides_describe(const struct compare_sides *sides, struct analysis_compared *base,
			    struct analysis_compared *fresh)
{
	*base = compared(sides->x_published, sides->x, sides->nx);
	*fresh = compared(sides->y_published, sides->y, sides->ny);
}

/* Means by boot, in the order in which the boots appear; returns how many. */
static size_t boot_means(const struct analysis_group *group, double *means)
{
	const char **ids = xcalloc(group->n + 1, sizeof(*ids));
	double *sums = xcalloc(group->n + 1, sizeof(*sums));
	size_t *counts = xcalloc(group->n + 1, sizeof(*counts)), n = 0, boot = 0;

	for (size_t i = 0; i < group->n; i++) {
		const char *id = group->from[i]->boot_id;

		/* as a rule the one of the run before */
		if (!n || ids[boot] != id)
			for (boot = 0; boot < n && ids[boot] != id; boot++)
				;
		if (boot == n)
			ids[n++] = id;
		sums[boot] += group->values[i];
		counts[boot]++;
	}
	for (size_t i = 0; means && i < n; i++)
		means[i] = sums[i] / (double)counts[i];
	free(ids);
	free(sums);
	free(counts);
	return n;
}

size_t compare_boots(const struct analysis_group *group)
{
	return group->summarised ? 0 : boot_means(group, NULL);
}

void compare_sides_boots(const struct analysis_group *base, const struct analysis_group *fresh,
			 struct compare_sides *out)
{
	sides_init(out, base, fresh);
	out->nx = boot_means(base, out->x);
	out->ny = boot_means(fresh, out->y);
}

struct boot_sum {
	const char *id;
	double x, y;
	size_t n;
};

void compare_by_boot(struct analysis_comparison *c, const struct compare_sides *s)
{
	struct boot_sum *boots = xcalloc(s->nx + 1, sizeof(*boots));
	size_t n = 0, boot = 0;

	for (size_t i = 0; s->paired && s->x_from && i < s->nx; i++) {
		const char *id = s->x_from[i]->boot_id;

		/* as a rule the one of the run before */
		if (!n || boots[boot].id != id)
			for (boot = 0; boot < n && boots[boot].id != id; boot++)
				;
		if (boot == n)
			boots[n++].id = id;
		boots[boot].x += s->x[i];
		boots[boot].y += s->y[i];
		boots[boot].n++;
	}
	c->nboots = n > 1 ? n : 0;
	for (size_t i = 0; i < c->nboots && i < ANALYSIS_BOOTS; i++) {
		bool known = boots[i].x > 0 && boots[i].y > 0;

		c->boots[i] = (struct analysis_boot){
			boots[i].n, known ? ratio_change_pct(boots[i].y / boots[i].x) : NAN
		};
	}
	free(boots);
}
