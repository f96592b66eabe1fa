// SPDX-License-Identifier: GPL-3.0-or-later
/* All times in seconds; columns "parameter_NAME" may follow. Fields are quoted as RFC 4180 says. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/csv_fields.h"
#include "parsers/hyperfine_reader.h"

/* Before 1.5 there was no median. */
static const char *const heads[] = { "command,mean,stddev,user,system,min,max",
				     "command,mean,stddev,median,user,system,min,max" };

enum { COMMAND, MEAN, STDDEV, USER, SYSTEM, PARAMETERS = 7 }; /* the last ones without a median */

static bool is_head(struct slice text, const char *head)
{
	text = slice_trim(text);
	return slice_starts(text, head) &&
	       (text.len == strlen(head) || text.s[strlen(head)] == ',');
}

bool hyperfine_csv_is_head(struct slice text)
{
	return is_head(text, heads[0]) || is_head(text, heads[1]);
}

/* "command [name=value, name=value]"; the caller frees it. NULL: no memory. */
static char *name_row(const struct csv_fields *names, const struct csv_fields *row, size_t first,
		      size_t *len)
{
	static const char prefix[] = "parameter_";
	char *text = csv_unquote(row->v[COMMAND], len);

	for (size_t i = first; text && i < row->n; i++) {
		struct slice name = names->v[i], value = row->v[i];
		size_t more;
		char *grown;

		if (slice_starts(name, prefix))
			name = slice_from(name, name.s + strlen(prefix));
		more = name.len + value.len + 4;
		grown = realloc(text, *len + more + 1);
		if (!grown) {
			free(text);
			return NULL;
		}
		text = grown;
		memcpy(text + *len, i == first ? " [" : ", ", 2);
		*len += 2;
		if (name.len)
			memcpy(text + *len, name.s, name.len);
		*len += name.len;
		text[(*len)++] = '=';
		if (value.len)
			memcpy(text + *len, value.s, value.len);
		*len += value.len;
		if (i + 1 == row->n)
			text[(*len)++] = ']';
	}
	return text;
}

static bool read_field(const struct line *line, struct slice field, struct hyperfine_figure *out)
{
	return hyperfine_read(line, field, 1, out) && out->number.len == slice_trim(field).len;
}

/* median: 1 where there is a column of it, else 0 */
static int add_row(struct parsed *out, const struct line *line, const struct csv_fields *names,
		   const struct csv_fields *row, size_t median)
{
	struct hyperfine_result result = { .line = line->number };
	char *command;
	int rc;

	if (row->n != names->n || !read_field(line, row->v[MEAN], &result.real))
		return parsed_add_note(out, line->number, 1,
				       "a row that does not fit the names above: left out");
	read_field(line, row->v[STDDEV], &result.sd);
	read_field(line, row->v[USER + median], &result.user);
	read_field(line, row->v[SYSTEM + median], &result.sys);
	command = name_row(names, row, PARAMETERS + median, &result.command.len);
	if (!command)
		return -ENOMEM;
	result.command.s = command;
	rc = hyperfine_add(out, &result);
	free(command);
	return rc;
}

int hyperfine_csv_read(struct parsed *out, struct lines *lines, const struct line *line)
{
	size_t median = is_head(line->text, heads[1]);
	struct csv_fields names, row;
	struct line at = *line;
	int rc = 0;

	csv_split(at.text, &names);
	if (names.n > CSV_FIELDS)
		return parsed_add_note(out, line->number, 1,
				       "a table with more than %d columns: left out", CSV_FIELDS);
	while (!rc) {
		struct lines before = *lines;

		if (!csv_next_row(lines, &at))
			break;
		csv_split(at.text, &row);
		if (row.n < PARAMETERS + median) {
			*lines = before; /* the table has ended */
			break;
		}
		rc = add_row(out, &at, &names, &row, median);
	}
	return rc;
}
