// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * fio's terse output, versions 3 to 5: a line a job (or group), its fields between semicolons,
 * times in us and bandwidths in KiB/s. Behind the head come blocks of one layout, one for each
 * direction; how many there are depends on the version and on unified_rw_reporting, and shows by
 * where the two percentages of CPU stand.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "parsers/fio_reader.h"

enum { HEAD = 5, MOST_FIELDS = 400, PERCENTILES = 20 };

/* Places in a block. */
enum { BW = 1, IOPS = 2, RUNTIME = 3, SLAT = 4, CLAT = 8, PERCENTILE = 12, LAT = 32, BLOCK = 41 };

struct fields {
	struct slice v[MOST_FIELDS];
	size_t n;
};

bool fio_terse_is_line(struct slice text)
{
	text = slice_trim(text);
	return slice_starts(text, "3;fio-") || slice_starts(text, "4;fio-") ||
	       slice_starts(text, "5;fio-");
}

static void split(struct slice text, struct fields *out)
{
	struct slice rest = slice_trim(text);

	for (out->n = 0; out->n < MOST_FIELDS;) {
		const char *end = rest.len ? memchr(rest.s, ';', rest.len) : NULL;

		out->v[out->n++] = end ? slice_until(rest, end) : rest;
		if (!end)
			break;
		rest = slice_from(rest, end + 1);
	}
}

static bool is_percent(const struct fields *fields, size_t at)
{
	struct number number;
	struct slice text;

	if (at >= fields->n || !slice_ends(fields->v[at], "%"))
		return false;
	text = fields->v[at];
	text.len--;
	return number_word(text, &number);
}

/* Blocks of that size; 0: the fields do not come to any number of them. */
static size_t count_blocks(const struct fields *fields, size_t size)
{
	for (size_t n = 1; n <= 4; n++)
		if (is_percent(fields, HEAD + n * size) && is_percent(fields, HEAD + n * size + 1))
			return n;
	return 0;
}

static const char *direction_of(char version, size_t block, size_t blocks)
{
	static const char *const names[] = { "read", "write", "trim", "mixed" };

	if (blocks == 1 || (version == '3' && block == 2))
		return "mixed";
	return names[block];
}

struct reader {
	struct parsed *out;
	const struct line *line;
	const struct fields *fields;
};

static struct parsed_record *record_of(struct reader *reader)
{
	return &reader->out->records[reader->out->n - 1];
}

static size_t column(struct reader *reader, struct slice field)
{
	return line_column(reader->line, field.s);
}

static void set_rate(struct reader *reader, struct slice field, double scale, struct figure *out)
{
	struct number number;

	*out = (struct figure){ .value = NAN,
				.text = field,
				.line = reader->line->number,
				.column = column(reader, field) };
	if (!number_word(field, &number) || number.value < 0)
		return;
	out->value = number.value * scale;
	out->half_step = scale; /* cut off, not rounded */
}

static int add_percentiles(struct reader *reader, const char *direction, const struct slice *block)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < PERCENTILES; i++) {
		struct slice field = block[PERCENTILE + i];
		const char *mark = slice_find(field, "%=");
		struct number percentile, number;

		if (!mark || !number_word(slice_until(field, mark), &percentile) ||
		    !number_word(slice_from(field, mark + 2), &number))
			continue;
		if (percentile.value <= 0 || percentile.value > 100)
			continue; /* "0%=0" fills what was not asked for */
		rc = fio_add_latency(record_of(reader), direction, "clat", &percentile.value,
				     &number, 1e-6, slice_from(field, mark + 2),
				     reader->line->number, column(reader, field));
	}
	return rc;
}

static int add_latencies(struct reader *reader, const char *direction, const struct slice *block)
{
	static const struct {
		const char *kind;
		size_t at;
	} kinds[] = { { "slat", SLAT }, { "clat", CLAT }, { "lat", LAT } };
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct slice field = block[kinds[i].at + 2];
		struct number number;

		if (!number_word(field, &number) || !(number.value > 0))
			continue;
		rc = fio_add_latency(record_of(reader), direction, kinds[i].kind, NULL, &number,
				     1e-6, field, reader->line->number, column(reader, field));
		if (!rc && kinds[i].at == CLAT)
			rc = add_percentiles(reader, direction, block);
	}
	return rc;
}

static int add_block(struct reader *reader, const char *direction, const struct slice *block)
{
	struct fio_rate rate = { .direction = direction };
	struct number runtime;
	int rc;

	set_rate(reader, block[IOPS], 1, &rate.iops);
	set_rate(reader, block[BW], 1024, &rate.bw);
	if (!number_word(block[RUNTIME], &runtime))
		return 0;
	rate.runtime_ms = runtime.value;
	if (!(rate.iops.value > 0) && !(rate.bw.value > 0))
		return 0;
	rc = fio_add_rate(record_of(reader), &rate);
	if (rc || rate.runtime_ms > FIO_MOST_MS)
		return rc;
	return add_latencies(reader, direction, block);
}

static int add_cpu(struct reader *reader, size_t at)
{
	static const char *const metrics[] = { "user_percent", "sys_percent" };
	int rc = 0;

	for (size_t i = 0; !rc && i < 2; i++) {
		struct slice field = reader->fields->v[at + i];
		struct number number;

		if (number_read(field, &number))
			rc = fio_add_percent(record_of(reader), metrics[i], &number,
					     (struct slice){ field.s, number.len },
					     reader->line->number, column(reader, field));
	}
	return rc;
}

static int judge(struct reader *reader, bool interrupted)
{
	struct slice error = reader->fields->v[4];
	struct parsed_record *record = record_of(reader);

	if (record->failed)
		return 0;
	if (!slice_is(error, "0"))
		return figure_fail(record, "fio ended this job with error %.*s",
				   (int)(error.len < 20 ? error.len : 20), error.s);
	if (!record->n)
		return figure_fail(record, "fio gives no figures of IO for this job");
	return interrupted ? figure_fail(record, "fio was interrupted") : 0;
}

int fio_terse_read(struct parsed *out, const struct line *line, bool alone, bool interrupted)
{
	struct fields fields;
	struct reader reader = { out, line, &fields };
	struct fio_name name = { .alone = alone, .line = line->number };
	size_t size, blocks;
	char version;
	int rc = 0;

	split(line_unquoted(line), &fields);
	version = fields.v[0].len ? fields.v[0].s[0] : '3';
	size = version == '5' ? BLOCK + 6 : BLOCK;
	blocks = count_blocks(&fields, size);
	if (!blocks)
		return parsed_add_note(out, line->number, 1,
				       "a terse line of fio without all of its fields: left out");
	name.job = fields.v[2];
	if (!fio_add_job(out, &name))
		return -errno;
	for (size_t i = 0; !rc && i < blocks; i++)
		rc = add_block(&reader, direction_of(version, i, blocks),
			       &fields.v[HEAD + i * size]);
	if (!rc)
		rc = judge(&reader, interrupted);
	return rc ? rc : add_cpu(&reader, HEAD + blocks * size);
}
