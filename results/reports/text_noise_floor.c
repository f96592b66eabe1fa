// SPDX-License-Identifier: GPL-3.0-or-later
/* What the session shows where nothing differs: the baseline with its second copy (--aa). */
#include <math.h>
#include <string.h>

#include "results/reports/figures.h"
#include "results/reports/text_parts.h"

bool text_is_noise_floor(const struct text_pair *pair)
{
	return pair->n && pair->first->noise_floor;
}

/* "storm jobs=4, 6.1: " where there are several sections, or labels */
static void add_where(struct text *text, const struct analysis_section *section,
		      const struct text_pair *pair, struct buf *line)
{
	bool sections = text->analysis->nsections > 1;
	bool labels = text_many_labels(text->analysis, section);

	if (sections)
		text_section_name(text, section, line);
	if (labels) {
		buf_add(line, sections ? ", " : "");
		text->escape(line, pair->first->base->cell->label);
	}
	if (sections || labels)
		buf_add(line, ": ");
}

static bool add_changes(struct text *text, const struct text_pair *pair, struct buf *line)
{
	const char *separator = ": ";

	for (size_t i = 0; i < pair->n; i++) {
		const struct analysis_comparison *c = &pair->first[i];

		if (!c->headline || (isnan(c->ci95_pct[0]) && isnan(c->ci95_units[0])))
			continue;
		buf_addf(line, "%s%s ", separator, text_metric_name(text, c->base));
		text_add_change(line, c);
		buf_add(line, HARD_BLANK);
		text_add_interval(line, c);
		separator = ", ";
	}
	return *separator == ',';
}

static void add_false_alarms(struct text *text, const struct text_pair *pair, struct buf *line)
{
	const char *separator = "warning: the noise floor of ";
	size_t n = 0;

	for (size_t i = 0; i < pair->n; i++) {
		const struct analysis_comparison *c = &pair->first[i];

		if (!c->headline || !c->false_alarm)
			continue;
		buf_addf(line, "%s%s", separator, text_metric_name(text, c->base));
		separator = ", ";
		n++;
	}
	if (n)
		buf_addf(line, " excludes 0 although nothing differs: a false alarm. One interval "
			       "in 20 does so by chance; if it stays with more rounds, this "
			       "machine or workload makes changes of that size up.");
}

void text_noise_floor(struct text *text, const struct analysis_section *section,
		      const struct text_pair *pair)
{
	auto_buf struct buf line = BUF_INIT;

	add_where(text, section, pair, &line);
	buf_add(&line, "noise floor (A/A)");
	if (!add_changes(text, pair, &line))
		buf_add(&line, ": not known from these runs");
	text->answer(text, line.s);
	buf_clear(&line);
	add_false_alarms(text, pair, &line);
	if (line.len)
		text->answer(text, line.s);
}
