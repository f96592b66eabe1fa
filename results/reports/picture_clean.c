// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * gnuplot's SVG as a part of a page: without its frame, with ids that no other picture has, with
 * names in place of their marks, with variables instead of colours and the page's font.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/reports/picture.h"

struct cleaner {
	const struct picture *picture;
	size_t number;
	struct buf *out;
};

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* "[[3]]" at text: what follows it, with the name added; NULL: it is no mark */
static const char *name_at(const struct cleaner *c, const char *text)
{
	char *end;
	size_t number;

	if (!begins(text, "[["))
		return NULL;
	number = strtoul(text + 2, &end, 10);
	if (!begins(end, "]]") || !number || number > c->picture->names.n)
		return NULL;
	buf_add(c->out, c->picture->names.v[number - 1]);
	return end + 2;
}

/* "rgb(  0,   0, 201)": colours are numbers of variables */
static const char *colour_at(const struct cleaner *c, const char *text)
{
	int red, green, blue, used = 0;

	if (!begins(text, "rgb("))
		return NULL;
	if (sscanf(text, "rgb(%d,%d,%d)%n", &red, &green, &blue, &used) < 3 || !used || red ||
	    green)
		return NULL;
	buf_addf(c->out, "var(--c%d)", blue);
	return text + used;
}

/* What is written for something else, with the picture's number behind it where it is an id. */
static const char *replaced_at(const struct cleaner *c, const char *text)
{
	static const struct {
		const char *from, *to;
		bool id;
	} table[] = {
		{ " id='", " id='p", true },
		{ " id=\"", " id=\"p", true },
		{ " xlink:href='#", " href='#p", true },
		{ "url(#", "url(#p", true },
		{ " color=\"black\"", "", false },
		{ " color=\"white\"", "", false },
		{ " color=\"gray\"", "", false },
		{ " stroke=\"black\"", " stroke=\"currentColor\"", false },
		{ " font-family=\"sans-serif\"", "", false },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!begins(text, table[i].from))
			continue;
		buf_add(c->out, table[i].to);
		if (table[i].id)
			buf_addf(c->out, "%zu-", c->number);
		return text + strlen(table[i].from);
	}
	return NULL;
}

/* Elements that say nothing: titles of plots, filters, groups without content. */
static const char *left_out_at(const char *text)
{
	static const char *const ends[][2] = { { "<title>", "</title>" },
					       { "<filter ", "</filter>" } };
	const char *end;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		if (!begins(text, ends[i][0]))
			continue;
		end = strstr(text, ends[i][1]);
		return end ? end + strlen(ends[i][1]) : NULL;
	}
	if (!begins(text, "<g fill=\"none\""))
		return NULL;
	end = strchr(text, '>');
	return end && begins(end, ">\n</g>\n") ? end + strlen(">\n</g>\n") : NULL;
}

int picture_clean(const char *svg, const struct picture *picture, size_t number, struct buf *out,
		  struct err *err)
{
	const struct cleaner cleaner = { picture, number, out };
	const char *text = strstr(svg, "<g id=\"gnuplot_canvas\">"), *end = NULL, *plots, *next;

	for (const char *s = text; s && (s = strstr(s, "</svg>")); s++)
		end = s;
	plots = end ? strstr(text, "gnuplot_plot_1") : NULL;
	if (!plots || !strstr(plots, "<use "))
		return err_set(err, EINVAL, "gnuplot drew nothing in picture %zu", number);
	while (text < end) {
		next = left_out_at(text);
		if (!next)
			next = name_at(&cleaner, text);
		if (!next)
			next = colour_at(&cleaner, text);
		if (!next)
			next = replaced_at(&cleaner, text);
		if (!next) {
			if (*text != '\t')
				buf_addc(out, *text);
			next = text + 1;
		}
		text = next;
	}
	return 0;
}
