// SPDX-License-Identifier: GPL-3.0-or-later
/* Layouts that give a whole run in one line, and the lines that may follow them. */
#include <math.h>
#include <string.h>

#include "parsers/time_reader.h"

static int add_one(struct time_reader *reader, const struct time_values *values,
		   struct slice beside, enum time_attach attach)
{
	int rc = time_add_record(reader, values, time_label_clean(beside), NULL, false);

	if (rc)
		return rc;
	time_record_done(reader, attach);
	return 1;
}

/* CPU time is in plain seconds: "12:14.25user" is a line's number in front of it. */
static bool read_cpu_time(struct slice word, const char *suffix, struct duration *out)
{
	return duration_with(word, suffix, out) && out->form == DURATION_BARE;
}

/* "COMMAND  0.05s user 0.02s system 99% cpu 0.177 total", read from the end. */
static int read_zsh(struct time_reader *reader, const struct line *line, struct slice body)
{
	struct slice words[8], rest = body;
	struct duration user, sys, real;
	struct time_values values = { .n = 0 };
	int rc;

	if (!slice_ends(slice_trim(body), "total"))
		return 0;
	for (size_t i = 8; i-- > 0;)
		words[i] = slice_last_word(&rest);
	if (!slice_is(words[1], "user") || !slice_is(words[3], "system") ||
	    !slice_is(words[5], "cpu") || !slice_is(words[7], "total") ||
	    !read_cpu_time(words[0], "s", &user) || !read_cpu_time(words[2], "s", &sys) ||
	    !duration_with(words[6], "", &real))
		return 0;
	if (user.decimals < 2 || sys.decimals < 2) {
		rc = time_note(reader, line->number, line_column(line, words[0].s),
			       "fewer decimals than zsh prints, as where a line was cut: left out");
		return rc ? rc : 1;
	}
	rc = time_check(reader, &real, words[6].s, line);
	if (rc)
		return rc;
	time_values_add_duration(&values, "real", &real, words[6].s, line);
	time_values_add_duration(&values, "user", &user, words[0].s, line);
	time_values_add_duration(&values, "sys", &sys, words[2].s, line);
	time_values_add_percent(&values, words[4], line);
	if (slice_trim(rest).len && reader->last_total_line + 1 == line->number &&
	    reader->last_total == real.seconds) {
		rc = time_note(reader, line->number, line_column(line, words[6].s),
			       "the same total as in the line above: members of one pipeline, "
			       "which took that time together; both are kept");
		if (rc)
			return rc;
	}
	reader->last_total_line = line->number;
	reader->last_total = real.seconds;
	return add_one(reader, &values, rest, ATTACH_NOTHING);
}

/* "14.440u 50.650s 1:45.35 61.7% 0+0k 0+0io 939pf+0w" */
static int read_csh(struct time_reader *reader, const struct line *line, struct slice body)
{
	struct slice rest = body, user_word, sys_word, real_word, percent, word;
	struct duration user, sys, real;
	struct time_values values = { .n = 0 };
	const char *faults;
	double count;
	int rc;

	for (sys_word = slice_next_word(&rest);; sys_word = word) {
		user_word = sys_word;
		word = slice_next_word(&rest);
		if (!word.len)
			return 0;
		if (read_cpu_time(user_word, "u", &user) && read_cpu_time(word, "s", &sys))
			break;
	}
	sys_word = word;
	real_word = slice_next_word(&rest);
	percent = slice_next_word(&rest);
	if (!duration_with(real_word, "", &real) || real.form != DURATION_COLONS ||
	    !slice_ends(percent, "%"))
		return 0;
	rc = time_check(reader, &real, real_word.s, line);
	if (rc)
		return rc;
	time_values_add_duration(&values, "real", &real, real_word.s, line);
	time_values_add_duration(&values, "user", &user, user_word.s, line);
	time_values_add_duration(&values, "sys", &sys, sys_word.s, line);
	time_values_add_percent(&values, percent, line);
	while ((word = slice_next_word(&rest)).len) {
		faults = slice_find(word, "pf+");
		if (faults && slice_count(slice_until(word, faults), &count))
			time_values_add(&values, "major_faults", "", count, 0,
					slice_until(word, faults), line);
	}
	return add_one(reader, &values, slice_until(body, user_word.s), ATTACH_NOTHING);
}

/* The resident set in "(0avgtext+0avgdata 3072maxresident)k", in KiB; 0 is what it does not know.
 */
static void add_resident(struct time_values *values, struct slice rest, const struct line *line)
{
	const char *end = slice_find(rest, "maxresident)k"), *start = end;
	struct slice digits;
	double kib;

	if (!end)
		return;
	while (start > rest.s && start[-1] >= '0' && start[-1] <= '9')
		start--;
	digits = (struct slice){ start, (size_t)(end - start) };
	if (slice_count(digits, &kib))
		time_values_add(values, "max_rss", "B", kib > 0 ? 1024 * kib : NAN,
				kib > 0 ? 512 : 0, digits, line);
}

/* "0.18user 0.05system 0:00.30elapsed 76%CPU (...)k" */
static int read_gnu(struct time_reader *reader, const struct line *line, struct slice body)
{
	struct slice rest = body, user_word, sys_word, real_word, percent;
	struct duration user, sys, real;
	struct time_values values = { .n = 0 };
	int rc;

	do {
		user_word = slice_next_word(&rest);
		if (!user_word.len)
			return 0;
	} while (!read_cpu_time(user_word, "user", &user));
	sys_word = slice_next_word(&rest);
	real_word = slice_next_word(&rest);
	percent = slice_next_word(&rest);
	if (!read_cpu_time(sys_word, "system", &sys) || !duration_with(real_word, "elapsed", &real))
		return 0;
	rc = time_check(reader, &real, real_word.s, line);
	if (rc)
		return rc;
	time_values_add_duration(&values, "real", &real, real_word.s, line);
	time_values_add_duration(&values, "user", &user, user_word.s, line);
	time_values_add_duration(&values, "sys", &sys, sys_word.s, line);
	time_values_add_percent(&values, percent, line);
	add_resident(&values, rest, line);
	return add_one(reader, &values, slice_until(body, user_word.s), ATTACH_FAULTS);
}

/* "Time at Fri Oct 12 18:27:29 CST 2018 takes 274 seconds", as build scripts log it. */
static int read_takes(struct time_reader *reader, const struct line *line, struct slice body)
{
	struct slice rest = body, unit, number;
	struct time_values values = { .n = 0 };
	struct duration real;
	int rc;

	if (!slice_starts(slice_trim(body), "Time at "))
		return 0;
	unit = slice_last_word(&rest);
	number = slice_last_word(&rest);
	if (!slice_is(unit, "seconds") || !duration_with(number, "", &real) ||
	    real.form != DURATION_BARE || !slice_is(slice_last_word(&rest), "takes"))
		return 0;
	rc = time_check(reader, &real, number.s, line);
	if (rc)
		return rc;
	time_values_add_duration(&values, "real", &real, number.s, line);
	return add_one(reader, &values, (struct slice){ 0 }, ATTACH_NOTHING);
}

int time_read_one_line(struct time_reader *reader, const struct line *line, struct slice body)
{
	bool user_and_system = reader->has & HAS_USER && reader->has & HAS_SYS;
	int rc = 0;

	if (!(reader->has & HAS_DIGIT))
		return 0;
	if (user_and_system)
		rc = read_zsh(reader, line, body);
	if (!rc && slice_has(body, '%'))
		rc = read_csh(reader, line, body);
	if (!rc && user_and_system)
		rc = read_gnu(reader, line, body);
	if (!rc && reader->has & HAS_TIME)
		rc = read_takes(reader, line, body);
	return rc;
}

/* A count glued in front of its name: "(14major" in "(14major+32417minor)pagefaults". */
static void add_glued(struct time_values *values, const char *metric, struct slice word,
		      const char *name, const struct line *line)
{
	const char *end = slice_find(word, name), *start = end;
	double count;

	if (!end)
		return;
	while (start > word.s && start[-1] >= '0' && start[-1] <= '9')
		start--;
	word = (struct slice){ start, (size_t)(end - start) };
	if (slice_count(word, &count))
		time_values_add(values, metric, "", count, 0, word, line);
}

/* "0inputs+0outputs (14major+32417minor)pagefaults 0swaps" */
static int read_faults(struct time_reader *reader, const struct line *line, struct slice body)
{
	struct slice rest = body, io = slice_next_word(&rest), faults;
	struct time_values values = { .n = 0 };
	int rc = 0;

	if (!slice_ends(io, "outputs"))
		return 0;
	faults = slice_next_word(&rest);
	if (!slice_ends(faults, "minor)pagefaults"))
		return 0;
	add_glued(&values, "major_faults", faults, "major", line);
	add_glued(&values, "minor_faults", faults, "minor", line);
	add_glued(&values, "fs_inputs", io, "inputs", line);
	add_glued(&values, "fs_outputs", io, "outputs", line);
	if (reader->attach == ATTACH_FAULTS)
		rc = time_add_values(reader, &values);
	reader->attach = ATTACH_NOTHING;
	return rc ? rc : 1;
}

/*
 * macOS counts the resident set in bytes, FreeBSD in KiB, with the same words. It is a whole
 * number of pages: a count of bytes is a multiple of 4096, one of KiB hardly ever.
 */
static void add_bsd_resident(struct time_values *values, double count, struct slice number,
			     const struct line *line)
{
	bool bytes = fmod(count, 4096) == 0;

	if (count > 0)
		time_values_add(values, "max_rss", "B", bytes ? count : 1024 * count,
				bytes ? 0 : 512, number, line);
	else
		time_values_add(values, "max_rss", "B", NAN, 0, number, line);
}

/* "       178  page reclaims" */
static int read_usage(struct time_reader *reader, const struct line *line, struct slice body)
{
	static const struct {
		const char *text, *metric; /* NULL: nothing that is kept */
	} table[] = {
		{ "maximum resident set size", "max_rss" },
		{ "page reclaims", "minor_faults" },
		{ "page faults", "major_faults" },
		{ "voluntary context switches", "voluntary_switches" },
		{ "involuntary context switches", "involuntary_switches" },
		{ "block input operations", "fs_inputs" },
		{ "block output operations", "fs_outputs" },
		{ "average shared memory size", NULL },
		{ "average unshared data size", NULL },
		{ "average unshared stack size", NULL },
		{ "swaps", NULL },
		{ "messages sent", NULL },
		{ "messages received", NULL },
		{ "signals received", NULL },
		{ "instructions retired", NULL },
		{ "cycles elapsed", NULL },
		{ "peak memory footprint", NULL },
	};
	struct slice rest = body, number = slice_next_word(&rest);
	struct time_values values = { .n = 0 };
	double count;
	int rc = 0;

	if (!slice_count(number, &count))
		return 0;
	rest = slice_trim(rest);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!slice_is(rest, table[i].text))
			continue;
		if (i == 0)
			add_bsd_resident(&values, count, number, line);
		else if (table[i].metric)
			time_values_add(&values, table[i].metric, "", count, 0, number, line);
		if (reader->attach == ATTACH_USAGE)
			rc = time_add_values(reader, &values);
		return rc ? rc : 1;
	}
	return 0;
}

int time_read_attached(struct time_reader *reader, const struct line *line, struct slice body)
{
	int rc = read_faults(reader, line, body);

	return rc ? rc : read_usage(reader, line, body);
}
