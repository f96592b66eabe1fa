// SPDX-License-Identifier: GPL-3.0-or-later
#include "parsers/parse_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/lines.h"

struct sure {
	const struct parser *parser;
	int score;
};

/* A bit a line. */
struct taken {
	unsigned char *bits;
	size_t lines;
};

static size_t count_lines(const char *text, size_t len)
{
	struct lines lines = { .rest = { text, len } };
	struct line line = { .number = 0 };

	while (lines_next(&lines, &line))
		;
	return line.number;
}

static bool is_taken(const struct taken *taken, size_t line)
{
	return line <= taken->lines && (taken->bits[line / 8] & 1 << line % 8);
}

static void take(struct taken *taken, const struct parsed *parsed)
{
	for (size_t i = 0; i < parsed->n; i++)
		for (size_t k = 0; k < parsed->records[i].n; k++) {
			size_t line = parsed->records[i].values[k].line;

			if (line <= taken->lines)
				taken->bits[line / 8] |= (unsigned char)(1 << line % 8);
		}
}

static bool overlaps(const struct taken *taken, const struct parsed_record *record)
{
	for (size_t k = 0; k < record->n; k++)
		if (is_taken(taken, record->values[k].line))
			return true;
	return !record->n && is_taken(taken, record->line);
}

static void drop_taken(const struct taken *taken, struct parsed *parsed)
{
	size_t kept = 0;

	for (size_t i = 0; i < parsed->n; i++) {
		if (overlaps(taken, &parsed->records[i]))
			parsed_record_release(&parsed->records[i]);
		else
			parsed->records[kept++] = parsed->records[i];
	}
	parsed->n = kept;
}

/* By falling score; insertion keeps the order of the table. */
static size_t rank(const char *text, size_t len, const struct parser *only, struct sure *out)
{
	size_t n = 0;

	for (size_t i = 0; parsers[i]; i++) {
		struct sure sure = { parsers[i], 0 };
		size_t at = n;

		if (only && only != parsers[i])
			continue;
		sure.score = only ? 100 : parsers[i]->recognise(text, len);
		if (!sure.score)
			continue;
		for (; at && out[at - 1].score < sure.score; at--)
			out[at] = out[at - 1];
		out[at] = sure;
		n++;
	}
	return n;
}

static void drop_empty(struct parse_parts *parts)
{
	size_t kept = 0;
	bool any = false;

	for (size_t i = 0; i < parts->n; i++)
		any |= parts->v[i].parsed.n > 0;
	for (size_t i = 0; any && i < parts->n; i++) {
		if (parts->v[i].parsed.n)
			parts->v[kept++] = parts->v[i];
		else
			parsed_release(&parts->v[i].parsed);
	}
	if (any)
		parts->n = kept;
}

static int parse_ranked(const char *text, size_t len, const struct sure *ranked, size_t n,
			struct taken *taken, struct parse_parts *out, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++) {
		struct parse_part *part = &out->v[out->n++];

		part->parser = ranked[i].parser;
		rc = part->parser->parse(text, len, &part->parsed, err);
		if (rc)
			break;
		drop_taken(taken, &part->parsed);
		take(taken, &part->parsed);
	}
	return rc;
}

int parse_all(const char *text, size_t len, const struct parser *only, struct parse_parts *out,
	      struct err *err)
{
	struct taken taken = { .lines = count_lines(text, len) };
	struct parse_parts parts = { .n = 0 };
	struct sure *ranked;
	size_t n = 0;
	int rc;

	while (parsers[n])
		n++;
	ranked = calloc(n + 1, sizeof(*ranked));
	parts.v = calloc(n + 1, sizeof(*parts.v));
	taken.bits = calloc(taken.lines / 8 + 1, 1);
	if (!ranked || !parts.v || !taken.bits) {
		rc = parsed_error(err, ENOMEM, 0);
	} else {
		n = rank(text, len, only, ranked);
		rc = parse_ranked(text, len, ranked, n, &taken, &parts, err);
	}
	free(ranked);
	free(taken.bits);
	if (rc) {
		parse_parts_release(&parts);
		return rc;
	}
	drop_empty(&parts);
	*out = parts;
	return 0;
}

void parse_parts_release(struct parse_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++)
		parsed_release(&parts->v[i].parsed);
	free(parts->v);
	*parts = (struct parse_parts){ .n = 0 };
}
