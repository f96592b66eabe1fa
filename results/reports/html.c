// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * One page that needs nothing else: no script, no address of any host, pictures inside. The answer
 * in words, what was run, tables and pictures, what stands beside them, the environment.
 */
#include <stdlib.h>
#include <string.h>

#include "results/reports/html_escape.h"
#include "results/reports/html_parts.h"

/* ---- words ---- */

static void write_element(struct buf *out, const char *begin, const char *words, const char *end)
{
	buf_add(out, begin);
	html_add_words(out, words);
	buf_add(out, end);
}

static void write_answer(struct text *text, const char *line)
{
	write_element(text->out, "<p class=\"answer\">", line, "</p>\n");
}

static void write_paragraph(struct text *text, unsigned int indent, const char *line)
{
	write_element(text->out, indent ? "<p class=\"inner\">" : "<p>", line, "</p>\n");
}

static void html_init(struct html *html, const struct analysis *analysis, struct buf *out)
{
	*html = (struct html){ .out = out };
	text_init(&html->text, analysis, 0, out);
	text_set_escape(&html->text, html_escape, false);
	html->text.answer = write_answer;
	html->text.paragraph = write_paragraph;
}

/* ---- pictures ---- */

static void write_legend(struct html *html, const struct analysis_section *section)
{
	buf_add(html->out, "<ul class=\"legend\">");
	for (size_t i = 0; i < section->ncells; i++) {
		const struct analysis_cell *cell =
			html->text.analysis->cells[section->first_cell + i];
		const char *parts[TEXT_CELL_PARTS];
		bool numbered = text_cell_parts(&html->text, section, cell, parts) > 1;
		auto_buf struct buf name = BUF_INIT;

		text_cell_name(&html->text, section, cell, &name);
		buf_addf(html->out, "<li><i style=\"background:var(--c%zu)\"></i>",
			 i % PICTURE_SERIES + 1);
		if (numbered)
			buf_addf(html->out, "%zu: ", i + 1);
		buf_addf(html->out, "%s</li>", name.s);
	}
	buf_add(html->out, "</ul>\n");
}

static void write_picture(struct html *html, size_t i)
{
	const struct picture *picture = &html->pictures.v[i];

	buf_addf(html->out,
		 "<figure><figcaption>%s</figcaption>\n"
		 "<svg viewBox=\"0 0 %d %u\" role=\"img\" font-family=\"inherit\" "
		 "aria-labelledby=\"p%zu-title p%zu-text\"><title id=\"p%zu-title\">%s</title>"
		 "<desc id=\"p%zu-text\">%s.</desc>\n%s</svg></figure>\n",
		 picture->caption.s, PICTURE_WIDTH, picture->height, i + 1, i + 1, i + 1,
		 picture->caption.s, i + 1, picture->text.s, picture->svg);
}

void html_write_pictures(struct html *html, size_t section)
{
	bool any = false;

	for (size_t i = 0; i < html->pictures.n; i++) {
		if (html->pictures.v[i].section != section)
			continue;
		if (!any) {
			write_legend(html, &html->text.analysis->sections[section]);
			buf_add(html->out, "<div class=\"pictures\">\n");
		}
		any = true;
		write_picture(html, i);
	}
	if (any)
		buf_add(html->out, "</div>\n");
}

static int draw_pictures(struct html *html, struct err *err)
{
	for (size_t i = 0; i < html->text.analysis->nsections; i++) {
		html_pictures_of_curves(html, i);
		html_pictures_of_changes(html, i);
		html_pictures_of_runs(html, i);
		html_pictures_of_devices(html, i);
	}
	return pictures_draw(&html->pictures, "gnuplot", err);
}

/* ---- the page ---- */

static void write_title(struct html *html)
{
	const struct analysis *analysis = html->text.analysis;
	auto_buf struct buf title = BUF_INIT;

	buf_add(&title, "brunt");
	for (size_t i = 0; i < analysis->nsections && i < 1; i++) {
		buf_add(&title, ": ");
		text_section_name(&html->text, &analysis->sections[i], &title);
		buf_add(&title, analysis->nsections > 1 ? " ..." : "");
	}
	buf_addf(html->out,
		 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		 "<meta http-equiv=\"Content-Security-Policy\" "
		 "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
		 "<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>%s</h1>\n",
		 title.s, html_style, title.s);
}

static void write_section(struct html *html, size_t i, bool runs)
{
	const struct analysis_section *section = &html->text.analysis->sections[i];
	auto_buf struct buf name = BUF_INIT;

	text_section_name(&html->text, section, &name);
	buf_addf(html->out, "<section><h2>%s</h2>\n", name.s);
	if (section->ncomparisons)
		html_write_comparisons(html, section);
	else
		html_write_singles(html, section);
	html_write_pictures(html, i);
	if (runs)
		html_write_each_run(html, section);
	buf_add(html->out, "<div class=\"facts\">\n");
	text_interactions(&html->text, section);
	text_notes(&html->text, section);
	buf_add(html->out, "</div></section>\n");
}

static int write_html(const struct analysis *analysis, const struct report_options *options,
		      struct buf *out, struct err *err)
{
	struct html html;
	int rc;

	html_init(&html, analysis, out);
	rc = draw_pictures(&html, err);
	if (!rc) {
		write_title(&html);
		text_answers(&html.text);
		buf_add(out, "</header>\n<div class=\"facts\">\n");
		text_head(&html.text);
		buf_add(out, "</div>\n<main>\n");
		for (size_t i = 0; i < analysis->nsections; i++)
			write_section(&html, i, options->runs);
		html_write_environment(&html);
		buf_add(out, "</main>\n<footer>\n");
		text_runs(&html.text);
		text_legend(&html.text);
		text_origin(&html.text, options);
		buf_add(out, "</footer>\n</body>\n</html>\n");
	}
	pictures_release(&html.pictures);
	text_release(&html.text);
	return rc;
}

const struct report report_html = {
	.name = "html",
	.summary = "one page with pictures (by gnuplot), for a browser and for paper",
	.write = write_html,
};
