// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The report for a terminal and a file: the answer in words, what was run, a grid of means as
 * kernel developers post them, each comparison, and what stands beside it.
 */
#include "results/reports/text_parts.h"

static void write_section(struct text *text, const struct analysis_section *section, bool runs)
{
	auto_buf struct buf name = BUF_INIT;
	struct text_pair pair;

	buf_addc(text->out, '\n');
	if (text->analysis->nsections > 1) {
		text_section_name(text, section, &name);
		layout_wrap(text->out, text->width, 0, 0, name.s);
		for (size_t i = 0; i < text->width && i < layout_width(name.s); i++)
			buf_addc(text->out, '=');
		buf_add(text->out, "\n\n");
	}
	if (section->ncomparisons) {
		text_grids(text, section);
		for (size_t i = 0; i < section->ncomparisons; i += pair.n) {
			pair = text_pair_at(text->analysis, section, i);
			text_pair_table(text, section, &pair);
		}
	} else {
		text_single_table(text, section);
	}
	if (runs)
		text_each_run(text, section);
	text_interactions(text, section);
	text_notes(text, section);
}

static int write_text(const struct analysis *analysis, const struct report_options *options,
		      struct buf *out, struct err *err)
{
	struct text text;

	(void)err;
	text_init(&text, analysis, options->width, out);
	text_answers(&text);
	buf_addc(out, '\n');
	text_head(&text);
	for (size_t i = 0; i < analysis->nsections; i++)
		write_section(&text, &analysis->sections[i], options->runs);
	text_curves(&text);
	text_runs(&text);
	text_name_list(&text);
	text_legend(&text);
	text_origin(&text, options);
	text_release(&text);
	return 0;
}

const struct report report_text = {
	.name = "text",
	.summary = "for a terminal: answer, tables, phases, what tracing took, runs to look at",
	.write = write_text,
};
