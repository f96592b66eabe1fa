// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * fio's output for people. Units stand beside each figure and change from line to line; figures
 * are rounded to four digits. Before 3.0 "KB" meant 1024 bytes.
 *
 *	name: (groupid=0, jobs=2): err= 0: pid=12: ...
 *	  read: IOPS=3697, BW=14.4MiB/s (15.1MB/s)(2048MiB/141787msec)
 *	  read : io=701144KB, bw=565B/s, iops=35, runt= 21562msec
 *	    slat (usec): min=2, max=108, avg= 8.43, stdev= 3.21
 *	    clat percentiles (usec):
 *	     |  1.00th=[  355],  5.00th=[  367], ...
 *	  cpu          : usr=1.00%, sys=2.91%, ctx=524312, majf=0, minf=64
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "parsers/fio_reader.h"

bool fio_normal_is_job(struct slice text)
{
	return slice_find(text, ": (groupid=") && slice_find(text, ": err=");
}

static struct parsed_record *record_of(struct fio_normal *normal)
{
	return &normal->out->records[normal->record];
}

/* What stands behind "KEY=" and blanks, up to the line's end; len 0: there is no such key. */
static struct slice behind(struct slice text, const char *key)
{
	const char *at = slice_find(text, key);

	return at ? slice_trim(slice_from(text, at + strlen(key))) : (struct slice){ 0 };
}

int fio_normal_end(struct fio_normal *normal)
{
	struct parsed_record *record;
	bool in_job = normal->in_job;

	normal->in_job = false;
	normal->direction = normal->kind = NULL;
	if (!in_job)
		return 0;
	record = record_of(normal);
	if (record->failed)
		return 0;
	if (!record->n)
		return figure_fail(record, "fio gives no figures of IO for this job");
	return normal->interrupted ? figure_fail(record, "fio was interrupted") : 0;
}

/* name is empty for figures without a job's first line, as they stand in quotations. */
static int begin_job(struct fio_normal *normal, const struct line *line, struct slice name)
{
	struct fio_name called = { .job = name, .alone = normal->alone, .line = line->number };
	int rc = fio_normal_end(normal);

	if (rc)
		return rc;
	if (!fio_add_job(normal->out, &called))
		return -errno;
	normal->record = normal->out->n - 1;
	normal->in_job = true;
	normal->wrong = false;
	return 0;
}

static int read_job(struct fio_normal *normal, const struct line *line, struct slice text)
{
	struct slice error = behind(text, ": err=");
	struct number number;
	int rc = begin_job(normal, line, slice_until(text, slice_find(text, ": (groupid=")));

	if (rc)
		return rc;
	if (!number_read(error, &number))
		return figure_fail(record_of(normal), "fio does not say whether this job failed");
	if (number.value == 0)
		return 0;
	error.len = error.len < 160 ? error.len : 160;
	return figure_fail(record_of(normal), "fio ended this job with error %.*s", (int)error.len,
			   error.s);
}

/* ---- rates ---- */

static const struct {
	const char *name;
	double bytes;
} sizes[] = {
	{ "B/s", 1 },
	{ "KiB/s", 1024 },
	{ "MiB/s", 1048576 },
	{ "GiB/s", 1073741824 },
	{ "TiB/s", 1099511627776 },
	{ "kB/s", 1e3 },
	{ "MB/s", 1e6 },
	{ "GB/s", 1e9 },
	{ "TB/s", 1e12 },
	{ "Kibit/s", 1024 / 8. },
	{ "Mibit/s", 1048576 / 8. },
	{ "Gibit/s", 1073741824 / 8. },
	{ "kbit/s", 1e3 / 8 },
	{ "Mbit/s", 1e6 / 8 },
	{ "Gbit/s", 1e9 / 8 },
};

/* Before 3.0 all of these are powers of 1024. */
static const struct {
	const char *name;
	double bytes;
} old_sizes[] = { { "B/s", 1 }, { "KB/s", 1024 }, { "MB/s", 1048576 }, { "GB/s", 1073741824 } };

static bool starts_with_unit(struct slice rest, const char *name)
{
	struct slice after;

	if (!slice_starts(rest, name))
		return false;
	after = slice_from(rest, rest.s + strlen(name));
	return !after.len || slice_blank(after) || after.s[0] == ',' || after.s[0] == '(';
}

static double size_of(struct slice rest, bool old)
{
	for (size_t i = 0; !old && i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (starts_with_unit(rest, sizes[i].name))
			return sizes[i].bytes;
	for (size_t i = 0; old && i < sizeof(old_sizes) / sizeof(old_sizes[0]); i++)
		if (starts_with_unit(rest, old_sizes[i].name))
			return old_sizes[i].bytes;
	return NAN;
}

/* "36.5k", before 3.0 "36.5K": IOPS have powers of 1000 in all versions. */
static double thousands_of(struct slice rest)
{
	static const char letters[] = "kMGT";
	char first = rest.len ? rest.s[0] : '\0';
	const char *letter = strchr(letters, first == 'K' ? 'k' : first);

	return letter && *letter ? pow(1000, (double)(letter - letters) + 1) : 1;
}

/* Does a figure end here, so that nothing of it was cut off or stands behind another mark? */
static bool ends_figure(struct slice rest)
{
	if (rest.len > 1 && rest.s[0] == ',')
		rest = slice_from(rest, rest.s + 1);
	return !rest.len || slice_blank(rest) || rest.s[0] == '(';
}

static void read_rate(const struct line *line, struct slice text, bool bandwidth, bool old,
		      struct figure *out)
{
	struct number number;
	struct slice rest;
	double scale;

	*out = (struct figure){ .value = NAN };
	if (!number_read(text, &number) || number.value < 0)
		return;
	rest = slice_from(text, text.s + number.len);
	scale = bandwidth ? size_of(rest, old) : thousands_of(rest);
	if (!bandwidth && !ends_figure(slice_from(rest, rest.s + (scale > 1))))
		return;
	*out = (struct figure){ .value = number.value * scale,
				/* cut off in part of the versions, rounded in others */
				.half_step = 2 * number.half_step * scale,
				.text = slice_until(text, text.s + number.len),
				.line = line->number,
				.column = line_column(line, text.s) };
	if (isnan(scale))
		out->half_step = 0;
}

/* The number in front of "msec" behind the last '/' or "runt="; NAN: it is not there. */
static double runtime_of(struct slice text)
{
	const char *end = slice_find(text, "msec"), *start = end;
	struct number number;

	if (!end)
		return NAN;
	while (start > text.s && start[-1] >= '0' && start[-1] <= '9')
		start--;
	if (!number_word(slice_until(slice_from(text, start), end), &number))
		return NAN;
	return number.value;
}

static const char *direction_of(struct slice text)
{
	static const char *const names[] = { "read", "write", "trim", "mixed" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct slice rest;

		if (!slice_starts(text, names[i]))
			continue;
		rest = slice_trim(slice_from(text, text.s + strlen(names[i])));
		if (rest.len && rest.s[0] == ':')
			return names[i];
	}
	return NULL;
}

static int read_direction(struct fio_normal *normal, const struct line *line, struct slice text)
{
	struct fio_rate rate = { .direction = direction_of(text) };
	bool old = !slice_find(text, "IOPS=");
	int rc = 0;

	if (!rate.direction || (old && !slice_find(text, "iops=")))
		return 0;
	if (!normal->in_job)
		rc = begin_job(normal, line, (struct slice){ 0 });
	if (rc)
		return rc;
	normal->direction = rate.direction;
	normal->kind = NULL;
	rate.runtime_ms = runtime_of(text);
	read_rate(line, behind(text, old ? "iops=" : "IOPS="), false, old, &rate.iops);
	read_rate(line, behind(text, old ? "bw=" : "BW="), true, old, &rate.bw);
	normal->wrong = rate.runtime_ms > FIO_MOST_MS;
	rc = fio_add_rate(record_of(normal), &rate);
	return rc ? rc : 1;
}

/* ---- latencies ---- */

/* "(usec)" in seconds; 0: no unit of fio's. */
static double unit_of(struct slice text)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "(nsec)", 1e-9 }, { "(usec)", 1e-6 }, { "(msec)", 1e-3 }, { "(sec)", 1 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (slice_find(text, units[i].name))
			return units[i].seconds;
	return 0;
}

static const char *kind_of(struct slice word)
{
	static const char *const kinds[] = { "slat", "clat", "lat" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (slice_is(word, kinds[i]))
			return kinds[i];
	return NULL;
}

/* The line of a mean, or the one above percentiles. */
static int read_latency(struct fio_normal *normal, const struct line *line, struct slice text)
{
	struct slice rest = text, average;
	const char *kind = kind_of(slice_next_word(&rest));
	double scale = unit_of(text);
	struct number number;
	int rc;

	if (!kind || scale == 0 || !normal->direction)
		return 0;
	if (slice_is(slice_next_word(&rest), "percentiles")) {
		normal->kind = kind;
		normal->scale = scale;
		return 1;
	}
	average = behind(text, "avg=");
	if (!number_read(average, &number) || normal->wrong ||
	    !slice_starts(slice_from(average, average.s + number.len), ", "))
		return 0; /* "lat (usec) : 500=87.09%, ..." is how they are distributed */
	rc = fio_add_latency(record_of(normal), normal->direction, kind, NULL, &number, scale,
			     slice_until(average, average.s + number.len), line->number,
			     line_column(line, average.s));
	return rc ? rc : 1;
}

/* "|  1.00th=[  355],  5.00th=[  367]," */
static int read_percentiles(struct fio_normal *normal, const struct line *line, struct slice text)
{
	struct slice rest = text;
	const char *mark;
	int rc = 0;

	if (!slice_find(text, "th=["))
		normal->kind = NULL;
	if (normal->kind && !slice_starts(text, "|")) { /* "9.90th" may be of "99.90th" */
		rc = parsed_add_note(normal->out, line->number, line_column(line, text.s),
				     "the rest of a line of percentiles: left out");
		return rc ? rc : 1;
	}
	while (!rc && normal->kind && (mark = slice_find(rest, "th=["))) {
		struct slice before = slice_until(rest, mark), percent, value;
		struct number percentile, number;

		percent = slice_last_word(&before);
		value = slice_trim(slice_from(rest, mark + 4));
		rest = value;
		if (percent.len && percent.s[0] == '|')
			percent = slice_from(percent, percent.s + 1);
		if (!number_word(percent, &percentile) || !number_read(value, &number) ||
		    !slice_starts(slice_from(value, value.s + number.len), "]") ||
		    percentile.value < 0 || percentile.value > 100 || normal->wrong)
			continue;
		rc = fio_add_latency(record_of(normal), normal->direction, normal->kind,
				     &percentile.value, &number, normal->scale,
				     slice_until(value, value.s + number.len), line->number,
				     line_column(line, value.s));
	}
	return rc ? rc : normal->kind != NULL;
}

static int read_cpu(struct fio_normal *normal, const struct line *line, struct slice text)
{
	static const char *const keys[][2] = { { "usr=", "user_percent" },
					       { "sys=", "sys_percent" } };
	int rc = 0;

	if (!normal->in_job || !slice_starts(text, "cpu") || !slice_find(text, "usr="))
		return 0;
	for (size_t i = 0; !rc && i < 2; i++) {
		struct slice value = behind(text, keys[i][0]);
		struct number number;

		if (number_read(value, &number) &&
		    slice_starts(slice_from(value, value.s + number.len), "%"))
			rc = fio_add_percent(record_of(normal), keys[i][1], &number,
					     slice_until(value, value.s + number.len), line->number,
					     line_column(line, value.s));
	}
	return rc ? rc : 1;
}

int fio_normal_line(struct fio_normal *normal, const struct line *line)
{
	struct slice text = slice_trim(line_unquoted(line));
	int rc;

	if (fio_normal_is_job(text))
		return read_job(normal, line, text);
	if (slice_starts(text, "Run status group"))
		return fio_normal_end(normal);
	rc = normal->kind ? read_percentiles(normal, line, text) : 0;
	if (!rc)
		rc = read_direction(normal, line, text);
	if (!rc)
		rc = read_latency(normal, line, text);
	if (!rc)
		rc = read_cpu(normal, line, text);
	return rc < 0 ? rc : 0;
}
