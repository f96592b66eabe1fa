// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A row a value, metric after metric: rows of one run (set, session, number) become one record
 * again. Rows without a run are means.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/brunt_reader.h"
#include "parsers/csv_fields.h"

static const char head[] = "set,host,label,config,workload,point,run,round,position,metric,unit,"
			   "better,value,n,sd,session,boot_id,aa_of,half_step,headline";

enum {
	SET,
	HOST,
	LABEL,
	CONFIG,
	WORKLOAD,
	POINT,
	RUN,
	ROUND,
	POSITION,
	METRIC,
	UNIT,
	BETTER,
	VALUE,
	N,
	SD,
	SESSION,
	BOOT_ID,
	AA_OF,
	HALF_STEP,
	HEADLINE,
	COLUMNS
};

enum { MOST_ROWS = 1 << 20, MOST_METRICS = 500 };

/* A row, and what tells its run: the fields up to the point, the run's number, the session. */
struct row {
	struct line line;
	struct slice place, run, session, set;
	size_t index, leader; /* its own place; that of the first row of its run */
};

struct rows {
	struct row *v;
	size_t n, cap;
};

bool brunt_csv_is_head(struct slice text)
{
	text = slice_trim(text);
	return slice_starts(text, head) &&
	       (text.len == strlen(head) || text.s[strlen(head)] == ',');
}

/* ---- rows that belong together ---- */

static int compare_slices(struct slice a, struct slice b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n ? memcmp(a.s, b.s, n) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_runs(const struct row *a, const struct row *b)
{
	int order = compare_slices(a->place, b->place);

	if (!order)
		order = compare_slices(a->session, b->session);
	return order ? order : compare_slices(a->run, b->run);
}

static int by_run(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;
	int order = compare_runs(a, b);

	return order ? order : (a->index > b->index) - (a->index < b->index);
}

static int by_leader(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	if (a->leader != b->leader)
		return a->leader < b->leader ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Rows of a run stand together afterwards, runs in the order of their first rows. */
static void put_together(struct rows *rows)
{
	if (!rows->n)
		return;
	qsort(rows->v, rows->n, sizeof(*rows->v), by_run);
	for (size_t i = 0; i < rows->n; i++) {
		struct row *row = &rows->v[i];
		bool goes_on = i && row->run.len && !compare_runs(row, row - 1);

		row->leader = goes_on ? row[-1].leader : row->index;
	}
	qsort(rows->v, rows->n, sizeof(*rows->v), by_leader);
}

/* ---- texts ---- */

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Is the apostrophe in front the one that keeps spreadsheets from computing? */
static bool is_guarded(const char *text)
{
	static const char *const starts[] = {
		"=", "+", "-", "@", "\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"
	};
	const char *at = text + 1;

	if (*text != '\'')
		return false;
	at += strspn(at, " ");
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(at, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* What the report made of characters that could do harm; "\xcc" and the like become bytes again. */
static char *read_text(struct slice field, size_t *len)
{
	char *text = csv_unquote(field, len), *out = text;
	size_t at;

	if (!text)
		return NULL;
	for (at = is_guarded(text); at < *len; at++) {
		int high = -1, low = -1;

		if (text[at] == '\\' && at + 3 < *len && text[at + 1] == 'x') {
			high = hex(text[at + 2]);
			low = hex(text[at + 3]);
		}
		if (high >= 8 && low >= 0) {
			*out++ = (char)(16 * high + low);
			at += 3;
		} else {
			*out++ = text[at];
		}
	}
	*out = '\0';
	*len = (size_t)(out - text);
	return text;
}

static int set_text(char **member, struct slice field)
{
	size_t len;
	char *text;
	int rc;

	if (!field.len)
		return 0;
	text = read_text(field, &len);
	rc = text ? parsed_set_text(member, text, len) : -ENOMEM;
	free(text);
	return rc;
}

/* ---- a record ---- */

/* "jobs=4 fs=ext3"; a word without '=' belongs to the value before it. */
static int add_points(struct parsed_record *record, struct slice field)
{
	size_t len;
	char *text = read_text(field, &len), *at = text;
	int rc = text ? 0 : -ENOMEM;

	while (!rc && *at) {
		char *equals = strchr(at, '='), *end = at + strlen(at), *blank;

		if (!equals || equals == at)
			break;
		for (blank = strchr(equals, ' '); blank; blank = strchr(blank + 1, ' ')) {
			size_t word = strcspn(blank + 1, " =");

			if (word && blank[1 + word] == '=') {
				end = blank;
				break;
			}
		}
		*equals = '\0';
		rc = parsed_add_point(record, at, equals + 1, (size_t)(end - equals - 1));
		at = *end ? end + 1 : end;
	}
	free(text);
	return rc;
}

static unsigned int count_of(struct slice field)
{
	double count;

	return slice_count(field, &count) && count < 4e9 ? (unsigned int)count : 0;
}

/* "label (set)" where there are several sets. */
static int set_label(struct parsed_record *record, const struct csv_fields *fields,
		     bool several_sets)
{
	size_t len, set_len;
	char *label = read_text(fields->v[LABEL], &len);
	char *set = read_text(fields->v[SET], &set_len);
	char *both = label && set ? malloc(len + set_len + 4) : NULL;
	int rc = -ENOMEM;

	if (both) {
		memcpy(both, label, len);
		memcpy(both + len, " (", 2);
		memcpy(both + len + 2, set, set_len);
		both[len + 2 + set_len] = ')';
		rc = parsed_set_text(&record->label, both, several_sets ? len + set_len + 3 : len);
	}
	free(label);
	free(set);
	free(both);
	return rc;
}

static int add_record(struct parsed *out, const struct csv_fields *fields, size_t line,
		      bool several_sets)
{
	struct parsed_record *record = parsed_add_record(out, "", 0);
	int rc;

	if (!record)
		return -errno;
	record->line = line;
	rc = set_label(record, fields, several_sets);
	if (!rc)
		rc = set_text(&record->host, fields->v[HOST]);
	if (!rc)
		rc = set_text(&record->config, fields->v[CONFIG]);
	if (!rc)
		rc = set_text(&record->workload, fields->v[WORKLOAD]);
	if (!rc)
		rc = add_points(record, fields->v[POINT]);
	if (!rc)
		rc = set_text(&record->session, fields->v[SESSION]);
	if (!rc)
		rc = set_text(&record->boot_id, fields->v[BOOT_ID]);
	if (!rc)
		rc = set_text(&record->aa_of, fields->v[AA_OF]);
	record->run = count_of(fields->v[RUN]);
	record->round = count_of(fields->v[ROUND]);
	record->position = count_of(fields->v[POSITION]);
	return rc;
}

static int add_figure(struct parsed_record *record, const struct row *row,
		      const struct csv_fields *fields, const struct number *value)
{
	size_t len;
	char *metric = read_text(fields->v[METRIC], &len), *unit = read_text(fields->v[UNIT], &len);
	struct figure figure = { .metric = metric,
				 .unit = unit,
				 .value = value->value,
				 .better = brunt_better(fields->v[BETTER]),
				 .headline = slice_is(fields->v[HEADLINE], "1"),
				 .text = fields->v[VALUE],
				 .line = row->line.number,
				 .column = line_column(&row->line, fields->v[VALUE].s) };
	struct number sd, half_step;
	bool has_sd = number_word(fields->v[SD], &sd);
	int rc = -ENOMEM;

	sd.half_step = 0; /* it is not rounded */
	if (number_word(fields->v[HALF_STEP], &half_step) && half_step.value > 0)
		figure.half_step = half_step.value;
	if (metric && unit && row->run.len)
		rc = figure_add(record, &figure);
	else if (metric && unit)
		rc = figure_add_summary(record, &figure, count_of(fields->v[N]), PARSED_SD,
					has_sd ? &sd : NULL, fields->v[SD]);
	free(metric);
	free(unit);
	return rc;
}

/* Is this another metric, and not one too many? */
static bool has_room(const struct parsed_record *record, struct slice metric)
{
	if (record->n >= MOST_METRICS)
		return false;
	for (size_t i = 0; i < record->n; i++)
		if (slice_is(metric, record->values[i].metric))
			return false;
	return true;
}

static int add_row(struct parsed *out, const struct row *row, bool begins, bool several_sets)
{
	struct csv_fields fields;
	struct number value;
	int rc = 0;

	csv_split(row->line.text, &fields);
	if (begins)
		rc = add_record(out, &fields, row->line.number, several_sets);
	if (rc)
		return rc;
	if (!has_room(&out->records[out->n - 1], fields.v[METRIC]))
		return parsed_add_note(out, row->line.number, 1,
				       "the metric once more, or more than %d of one run: left out",
				       MOST_METRICS);
	number_word(fields.v[VALUE], &value);
	return add_figure(&out->records[out->n - 1], row, &fields, &value);
}

/* ---- the table ---- */

static int keep_row(struct rows *rows, const struct line *line, const struct csv_fields *fields)
{
	const struct slice *v = fields->v;

	if (rows->n == rows->cap) {
		size_t cap = rows->cap ? 2 * rows->cap : 64;
		struct row *grown;

		if (rows->n >= MOST_ROWS)
			return -E2BIG;
		grown = reallocarray(rows->v, cap, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		rows->v = grown;
		rows->cap = cap;
	}
	rows->v[rows->n] = (struct row){
		.line = *line,
		.place = { v[SET].s, (size_t)(v[POINT].s + v[POINT].len - v[SET].s) },
		.run = v[RUN],
		.session = v[SESSION],
		.set = v[SET],
		.index = rows->n,
	};
	rows->n++;
	return 0;
}

/* A name that is more than quotes and bytes that end it. */
static bool is_name(struct slice field)
{
	size_t at = slice_starts(field, "\"");

	return at < field.len && field.s[at] && field.s[at] != '"';
}

static int read_rows(struct parsed *out, struct lines *lines, struct rows *rows)
{
	struct csv_fields fields;
	struct number value;
	struct line line;
	int rc = 0;

	while (!rc) {
		struct lines before = *lines;

		if (!csv_next_row(lines, &line))
			break;
		csv_split(line.text, &fields);
		if (fields.n < COLUMNS || fields.n > CSV_FIELDS) {
			*lines = before; /* the table has ended */
			break;
		}
		if (!number_word(fields.v[VALUE], &value) || !is_name(fields.v[METRIC]))
			rc = parsed_add_note(out, line.number, 1,
					     "a row without a value or a metric: left out");
		else
			rc = keep_row(rows, &line, &fields);
	}
	return rc;
}

int brunt_csv_read(struct parsed *out, struct lines *lines)
{
	struct rows rows = { 0 };
	bool several_sets = false;
	int rc = read_rows(out, lines, &rows);

	for (size_t i = 1; i < rows.n; i++)
		several_sets |= compare_slices(rows.v[i].set, rows.v[0].set) != 0;
	put_together(&rows);
	for (size_t i = 0; !rc && i < rows.n; i++) {
		bool begins = !i || rows.v[i].leader != rows.v[i - 1].leader;

		rc = add_row(out, &rows.v[i], begins, several_sets);
	}
	free(rows.v);
	return rc;
}
