// SPDX-License-Identifier: GPL-3.0-or-later
/* The tables of the page. What matters most stands first, since a telephone shows the first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/reports/html_escape.h"
#include "results/reports/html_parts.h"
#include "results/reports/rows.h"
#include "results/reports/runs.h"

/* A table that is too wide is moved sideways, with the keyboard too. */
static void begin_table(struct html *html, const char *caption)
{
	buf_addf(html->out,
		 "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">"
		 "<table>\n<caption>%s</caption>\n",
		 caption, caption);
}

static void end_table(struct html *html)
{
	buf_add(html->out, "</tbody></table></div>\n");
}

static void add_head(struct html *html, const char *name)
{
	buf_addf(html->out, "<th scope=\"col\">%s</th>", name);
}

/* A name of users, as long as it may be. */
static void add_name_head(struct html *html, const char *name)
{
	buf_addf(html->out, "<th scope=\"col\"><span class=\"name\">%s</span></th>", name);
}

/* Whose mean and sd stand below. */
static void add_owner(struct html *html, const char *name)
{
	buf_addf(html->out,
		 "<th scope=\"colgroup\" colspan=\"2\"><span class=\"name\">%s</span></th>", name);
}

static void add_cell(struct html *html, const char *text)
{
	buf_addf(html->out, "<td>%s</td>", text);
}

static void add_interval(struct html *html, const char *low, const char *high, bool known)
{
	if (known)
		buf_addf(html->out, "<td>[%s,&nbsp;%s]</td>", low, high);
	else
		add_cell(html, "-");
}

static void begin_row(struct html *html, const char *name, const char *unit)
{
	buf_addf(html->out,
		 "<tr><th scope=\"row\"><span class=\"name\">%s</span>%s%s%s</th>", name,
		 *unit ? " <span class=\"unit\">" : "", unit, *unit ? "</span>" : "");
}

/* ---- grids ---- */

static void write_grid(struct html *html, const struct analysis_section *section,
		       const char *metric)
{
	const struct analysis *analysis = html->text.analysis;
	struct row_style style = row_style(analysis, section, metric);
	const char *name = layout_name(&html->text.metrics, metric);
	auto_buf struct buf caption = BUF_INIT;
	size_t nlabels, nconfigs;
	const char **labels = row_names(analysis, section, true, &nlabels);
	const char **configs = row_names(analysis, section, false, &nconfigs);

	buf_addf(&caption, "%s%s%s: mean and standard deviation", name,
		 *style.scale.unit ? ", " : "", style.scale.unit);
	begin_table(html, caption.s);
	buf_add(html->out, "<thead><tr class=\"owners\"><td></td>");
	for (size_t i = 0; i < nconfigs; i++)
		add_owner(html, layout_name(&html->text.names, configs[i]));
	buf_add(html->out, "</tr>\n<tr><td></td>");
	for (size_t i = 0; i < nconfigs; i++) {
		add_head(html, "mean");
		add_head(html, "sd");
	}
	buf_add(html->out, "</tr></thead><tbody>\n");
	for (size_t l = 0; l < nlabels; l++) {
		begin_row(html, layout_name(&html->text.rows, labels[l]), "");
		for (size_t i = 0; i < nconfigs; i++) {
			char mean[FIGURE_MAX], sd[FIGURE_MAX];

			row_grid_cell(analysis, section, labels[l], configs[i], metric, &style,
				      mean, sd);
			add_cell(html, mean);
			add_cell(html, sd);
		}
		buf_add(html->out, "</tr>\n");
	}
	end_table(html);
	free(labels);
	free(configs);
}

/* ---- comparisons ---- */

static void add_verdict(struct html *html, const struct analysis_comparison *c)
{
	const char *name = c->verdict == VERDICT_NONE ? "none" : verdict_name(c->verdict);

	buf_addf(html->out, "<td class=\"word %s\">%s</td>", name,
		 c->verdict == VERDICT_NONE ? "no verdict" : name);
}

static void add_p(struct html *html, const struct analysis_comparison *c,
		  const struct row_change *row)
{
	auto_buf struct buf details = BUF_INIT;
	bool below = *row->p && row->p[strlen("p ")] == '<';

	buf_addf(html->out, "<td>%s%s</td><td class=\"note\">", below ? "&lt;" : "",
		 *row->p ? row->p + strlen("p ") + below : "");
	text_verdict_details(&html->text, c, &details);
	html_add_words(html->out, details.len ? details.s : "");
	buf_add(html->out, "</td>");
}

static void write_row(struct html *html, const struct analysis_comparison *c, bool verdicts)
{
	struct row_change row;

	row_change(c, &row);
	begin_row(html, layout_name(&html->text.metrics, c->base->metric), row.unit);
	if (verdicts)
		add_verdict(html, c);
	add_cell(html, row.change);
	add_interval(html, row.low, row.high, row_has_interval(&row));
	add_cell(html, row.worst);
	add_cell(html, row.base_mean);
	add_cell(html, row.base_sd);
	add_cell(html, row.fresh_mean);
	add_cell(html, row.fresh_sd);
	if (verdicts)
		add_p(html, c, &row);
	buf_add(html->out, "</tr>\n");
}

static void write_rows(struct html *html, const struct text_pair *pair, const char *caption,
		       const struct analysis_comparison **rows, size_t n)
{
	bool verdicts = false;

	for (size_t i = 0; i < n; i++)
		verdicts |= rows[i]->verdict != VERDICT_NONE || rows[i]->reason;
	begin_table(html, caption);
	buf_addf(html->out, "<thead><tr class=\"owners\"><td colspan=\"%d\"></td>",
		 verdicts ? 5 : 4);
	add_owner(html, layout_name(&html->text.names, text_side_name(pair, false)));
	add_owner(html, layout_name(&html->text.names, text_side_name(pair, true)));
	buf_addf(html->out, "%s</tr>\n<tr><td></td>", verdicts ? "<td colspan=\"2\"></td>" : "");
	if (verdicts)
		buf_add(html->out, "<th scope=\"col\" class=\"word\">verdict</th>");
	add_head(html, "change");
	add_head(html, "95&nbsp;%");
	add_head(html, "at worst");
	add_head(html, "mean");
	add_head(html, "sd");
	add_head(html, "mean");
	add_head(html, "sd");
	if (verdicts)
		buf_add(html->out, "<th scope=\"col\">p</th><td></td>");
	buf_add(html->out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < n; i++)
		write_row(html, rows[i], verdicts);
	end_table(html);
}

static void write_pair(struct html *html, const struct analysis_section *section,
		       const struct text_pair *pair)
{
	auto_buf struct buf name = BUF_INIT, caption = BUF_INIT;
	size_t n, others;
	const struct analysis_comparison **rows = text_pick_rows(pair, true, &n);
	const struct analysis_comparison **rest = text_pick_rows(pair, false, &others);

	text_pair_name(&html->text, section, pair, &name);
	html_add_words(&caption, name.s);
	buf_addf(html->out, "<h3>%s</h3>\n", caption.s);
	if (n)
		write_rows(html, pair, pair->first->paired ? "means, and change in the same round" :
							     "means and change",
			   rows, n);
	buf_add(html->out, n ? "<div class=\"facts beside\">\n" : "");
	text_ranks(&html->text, rows, n);
	text_boots(&html->text, rows, n);
	buf_add(html->out, n ? "</div>\n" : "");
	if (others) {
		buf_addf(html->out, "<details%s><summary>%zu other figures</summary>\n",
			 n ? "" : " open", others);
		write_rows(html, pair, "other figures, without a verdict", rest, others);
		buf_add(html->out, "</details>\n");
	}
	free(rows);
	free(rest);
}

void html_write_comparisons(struct html *html, const struct analysis_section *section)
{
	const struct analysis *analysis = html->text.analysis;
	struct text_pair pair;
	bool grids = text_has_grid(analysis, section);
	size_t n;
	const char **metrics = row_metrics(analysis, section, true, &n);

	for (size_t i = 0; i < n && grids; i++)
		write_grid(html, section, metrics[i]);
	for (size_t i = 0; i < section->ncomparisons; i += pair.n) {
		pair = text_pair_at(analysis, section, i);
		write_pair(html, section, &pair);
	}
	free(metrics);
}

/* ---- one side ---- */

static void write_single(struct html *html, const struct analysis_cell *cell, const char *name)
{
	static const char *const heads[] = { "n",   "mean",   "sd", "95&nbsp;%",
					     "min", "median", "max" };

	begin_table(html, name);
	buf_add(html->out, "<thead><tr><td></td>");
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		add_head(html, heads[i]);
	buf_add(html->out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < cell->ngroups; i++) {
		const struct analysis_group *group =
			&html->text.analysis->groups[cell->first_group + i];
		struct row_single row;

		row_single(group, &row);
		begin_row(html, layout_name(&html->text.metrics, group->metric), row.unit);
		buf_addf(html->out, "<td>%s</td><td>%s</td><td>%s</td>", row.n, row.mean, row.sd);
		add_interval(html, row.low, row.high, *row.low);
		buf_addf(html->out, "<td>%s</td><td>%s</td><td>%s</td></tr>\n", row.min,
			 row.median, row.max);
	}
	end_table(html);
}

void html_write_singles(struct html *html, const struct analysis_section *section)
{
	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell =
			html->text.analysis->cells[section->first_cell + i];
		auto_buf struct buf name = BUF_INIT;

		html_escape(&name, cell->label);
		buf_add(&name, ", ");
		html_escape(&name, cell->config);
		if (cell->ngroups)
			write_single(html, cell, name.s);
		else
			buf_addf(html->out, "<p>%s: no run counts</p>\n", name.s);
	}
}

/* ---- each run ---- */

void html_write_each_run(struct html *html, const struct analysis_section *section)
{
	const struct analysis *analysis = html->text.analysis;
	struct runs runs;
	char figure[FIGURE_MAX];

	runs_init(&runs, analysis, section);
	begin_table(html, "each run");
	buf_add(html->out, "<thead><tr><td></td><td></td>");
	for (size_t i = 0; i < section->ncells; i++) {
		auto_buf struct buf name = BUF_INIT;

		text_cell_name(&html->text, section, analysis->cells[section->first_cell + i],
			       &name);
		add_name_head(html, name.s);
	}
	buf_add(html->out, "</tr></thead><tbody>\n");
	for (size_t round = 1; round <= runs.rounds; round++) {
		for (size_t m = 0; m < runs.nmetrics; m++) {
			buf_addf(html->out, "<tr%s>", m ? "" : " class=\"first\"");
			if (!m)
				buf_addf(html->out,
					 "<th scope=\"rowgroup\" rowspan=\"%zu\">%zu</th>",
					 runs.nmetrics, round);
			buf_addf(html->out,
				 "<th scope=\"row\">%s <span class=\"unit\">%s</span></th>",
				 layout_name(&html->text.metrics, runs.metrics[m]),
				 runs.styles[m].scale.unit);
			for (size_t i = 0; i < section->ncells; i++) {
				runs_figure(analysis, &runs, section, i, m, round, figure);
				add_cell(html, figure);
			}
			buf_add(html->out, "</tr>\n");
		}
	}
	end_table(html);
	runs_release(&runs);
}
