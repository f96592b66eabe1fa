// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/xalloc.h"
#include "parsers/parser.h"
#include "tests/unit/assert_double.h"

/* What is expected of a record; NAN where the metric must not be there. */
struct expected {
	const char *label;
	double real, user, sys;
};

static void parse_text(const char *text, size_t len, struct parsed *out)
{
	struct err err = { 0 };

	memset(out, 0, sizeof(*out));
	assert_int_equal(parser_find("time")->parse(text, len, out, &err), 0);
}

static void parse_file(const char *name, struct parsed *out)
{
	const char *tests = getenv("BRUNT_TESTS");
	auto_free char *folder = files_join(tests ? tests : "tests", "fixtures/time");
	auto_free char *path = files_join(folder, name);
	auto_buf struct buf text = BUF_INIT;

	assert_int_equal(files_read_at(AT_FDCWD, path, 1 << 20, &text), 0);
	parse_text(text.s, text.len, out);
}

static const struct parsed_value *find(const struct parsed_record *record, const char *metric)
{
	for (size_t i = 0; i < record->n; i++)
		if (!strcmp(record->values[i].metric, metric))
			return &record->values[i];
	return NULL;
}

static void assert_metric(const struct parsed_record *record, const char *metric, double expected)
{
	const struct parsed_value *value = find(record, metric);

	if (isnan(expected)) {
		assert_null(value);
		return;
	}
	assert_non_null(value);
	assert_double(value->value, expected, 1e-15);
	assert_string_equal(value->unit, "s");
}

static void assert_records(const struct parsed *parsed, const struct expected *expected, size_t n)
{
	assert_int_equal(parsed->n, n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(parsed->records[i].label, expected[i].label);
		assert_metric(&parsed->records[i], "real", expected[i].real);
		assert_metric(&parsed->records[i], "user", expected[i].user);
		assert_metric(&parsed->records[i], "sys", expected[i].sys);
	}
}

static void assert_value(const struct parsed_record *record, const char *metric, const char *unit,
			 double expected, double half_step)
{
	const struct parsed_value *value = find(record, metric);

	assert_non_null(value);
	assert_string_equal(value->unit, unit);
	assert_double(value->value, expected, 1e-15);
	assert_double(value->half_step, half_step, 1e-15);
}

static void assert_unknown(const struct parsed_record *record, const char *metric)
{
	assert_non_null(find(record, metric));
	assert_nan(find(record, metric)->value);
}

static void assert_note(const struct parsed *parsed, size_t i, size_t line, size_t column,
			const char *says)
{
	assert_true(i < parsed->nnotes);
	assert_int_equal(parsed->notes[i].line, line);
	assert_int_equal(parsed->notes[i].column, column);
	assert_non_null(strstr(parsed->notes[i].text, says));
}

static void check_file(const char *name, size_t notes, const struct expected *expected, size_t n)
{
	struct parsed parsed;

	parse_file(name, &parsed);
	assert_records(&parsed, expected, n);
	assert_int_equal(parsed.nnotes, notes);
	for (size_t i = 0; i < parsed.n; i++)
		assert_false(parsed.records[i].failed);
	parsed_release(&parsed);
}

#define CHECK_FILE(name, notes, ...)                                                     \
	do {                                                                             \
		static const struct expected expected[] = { __VA_ARGS__ };               \
                                                                                         \
		(void)state;                                                             \
		check_file(name, notes, expected, ARRAY_SIZE(expected));                 \
	} while (0)

static void bash(void **state)
{
	CHECK_FILE("bash.txt", 0, { "time make -j4 vmlinux", 187.25, 702.125, 63.5 },
		   { "time make modules", 41.75, 7290.006, 9.001 });
}

static void where_and_how_exact(void **state)
{
	struct parsed parsed;
	const struct parsed_value *user;

	(void)state;
	parse_file("bash.txt", &parsed);
	user = find(&parsed.records[0], "user");
	assert_int_equal(user->line, 5);
	assert_int_equal(user->column, 6);
	assert_string_equal(user->text, "11m42.125s");
	assert_double(user->half_step, .0005, 1e-15);
	parsed_release(&parsed);
}

static void timeformat(void **state)
{
	CHECK_FILE("timeformat.txt", 0, { "TIMEFORMAT by hand", 2.5, 2.25, .125 },
		   { "elapsed in minutes", 62.5, .5, .25 }, { "whole seconds", 5, 4, 1 },
		   { "with equal signs", 1.5, 1.2, .1 });
}

static void posix(void **state)
{
	CHECK_FILE("posix.txt", 0, { "", 12.5, 3.25, .75 });
}

static void comma_in_columns(void **state)
{
	CHECK_FILE("comma-columns.txt", 0, { "Ohne Tracer", 52.125, 8.25, 1.5 },
		   { "Ohne Tracer", 63.5, 8.125, 1.25 }, { "Ohne Tracer", 49.875, 8.375, 1.75 },
		   { "Mit Tracer", 57, 8.5, 2 }, { "Mit Tracer", 61, 8.625, 2.125 },
		   { "Mit Tracer", 58.5, 8.25, 1.875 });
}

static void side_by_side(void **state)
{
	CHECK_FILE("side-by-side.txt", 0,
		   { "Untar of a kernel tree: no quota", 70.25, 20.125, 15.5 },
		   { "Untar of a kernel tree: with quota", 72.5, 20.25, 17.75 },
		   { "Untar of a kernel tree: no quota", 71.75, 20.375, 15.25 },
		   { "Untar of a kernel tree: with quota", 73, 20.5, 17.5 });
}

static void table(void **state)
{
	CHECK_FILE("table.txt", 1, { "small: noop", 4.25, NAN, NAN },
		   { "small: deadline", 4.5, NAN, NAN }, { "large: noop", 422.5, NAN, NAN },
		   { "large: cfq", 69.75, NAN, NAN }, { "first", 2, 1.5, .5 },
		   { "old", 62, 2, NAN }, { "new", 63, 3, NAN });
}

static void headings_under_headings(void **state)
{
	CHECK_FILE("nested.txt", 0, { "ext3: before", 1.25, .25, .5 },
		   { "ext3: after", 1.5, NAN, NAN }, { "ext4: before", 2.25, NAN, NAN },
		   { "ext4: after", 2.5, NAN, NAN });
}

static void mail(void **state)
{
	CHECK_FILE("mail.txt", 0, { "numbers of yesterday", 432.25, 5.5, 41.125 },
		   { "numbers of yesterday", 430.75, 5.25, 40.875 },
		   { "numbers of yesterday: It took 7 minutes, 12 seconds. host:/a$ time du -s .",
		     2.5, .5, 1 },
		   { "numbers of yesterday: 4) copy of 100 files", 193.5, NAN, NAN });
}

static void lines_of_a_script(void **state)
{
	CHECK_FILE("takes.txt", 0, { "", 274, NAN, NAN }, { "", 300, NAN, NAN },
		   { "", 1251, NAN, NAN });
}

static void zsh(void **state)
{
	CHECK_FILE("zsh.txt", 1, { "mkfs.ext4 -q disk.img", .186, .05, .12 },
		   { "./storm --total 8", 75.25, 31.07, 240.66 },
		   { "seq 100000", .914, .02, .01 }, { "sort -n", .914, .31, .04 },
		   { "./long", 7807.75, 9.5, 3.25 });
}

static void zsh_pipeline_is_said(void **state)
{
	struct parsed parsed;

	(void)state;
	parse_file("zsh.txt", &parsed);
	assert_note(&parsed, 0, 5, 42, "pipeline");
	parsed_release(&parsed);
}

static void csh(void **state)
{
	struct parsed parsed;

	CHECK_FILE("csh.txt", 1, { "ext2", 125.75, 21.25, 63.5 }, { "ext3", 151.5, 22.125, 71.875 },
		   { "", 3615, 14.5, .5 });
	parse_file("csh.txt", &parsed);
	assert_value(&parsed.records[0], "cpu_percent", "%", 67.3, .05);
	assert_value(&parsed.records[0], "major_faults", "", 1204, 0);
	assert_value(&parsed.records[2], "real", "s", 3615, .5);
	assert_note(&parsed, 0, 4, 11, "'1:75.00' is no time");
	parsed_release(&parsed);
}

static void gnu(void **state)
{
	struct parsed parsed;

	CHECK_FILE("gnu.txt", 0, { "Without the patch", 18.75, 12.25, 3.5 },
		   { "Old kernel", 3618.5, 12.75, 3.25 });
	parse_file("gnu.txt", &parsed);
	assert_value(&parsed.records[0], "cpu_percent", "%", 84, .5);
	assert_value(&parsed.records[0], "max_rss", "B", 20971520, 512);
	assert_value(&parsed.records[0], "major_faults", "", 3, 0);
	assert_value(&parsed.records[0], "minor_faults", "", 4711, 0);
	assert_value(&parsed.records[0], "fs_inputs", "", 16, 0);
	assert_value(&parsed.records[0], "fs_outputs", "", 2048, 0);
	assert_unknown(&parsed.records[1], "max_rss");
	assert_unknown(&parsed.records[1], "cpu_percent");
	parsed_release(&parsed);
}

static void gnu_verbose(void **state)
{
	static const struct expected expected[] = { { "./storm --cycles 5", 30.01, 7.25, 41.5 },
						    { "false", 3723, 0, 0 } };
	struct parsed parsed;

	(void)state;
	parse_file("gnu-verbose.txt", &parsed);
	assert_records(&parsed, expected, ARRAY_SIZE(expected));
	assert_value(&parsed.records[0], "max_rss", "B", 4194304, 512);
	assert_value(&parsed.records[0], "voluntary_switches", "", 97, 0);
	assert_value(&parsed.records[0], "involuntary_switches", "", 13, 0);
	assert_false(parsed.records[0].failed);
	assert_true(parsed.records[1].failed);
	assert_string_equal(parsed.records[1].reason, "Command exited with non-zero status 3");
	assert_unknown(&parsed.records[1], "max_rss");
	assert_value(&parsed.records[1], "real", "s", 3723, .5);
	assert_int_equal(parsed.nnotes, 1);
	assert_note(&parsed, 0, 33, 1, "without the elapsed time");
	parsed_release(&parsed);
}

static void two_times_in_a_cell_are_not_taken_for_one(void **state)
{
	static const char text[] = "| old | new |\n|-----|-----|\n"
				   "| real 0m2.5s 0m3.5s | real 0m4.5s |\n"
				   "| real 0m2.5s | real 0m4.5s |\n";
	struct parsed parsed;

	(void)state;
	parse_text(text, sizeof(text) - 1, &parsed);
	assert_int_equal(parsed.n, 2);
	assert_note(&parsed, 0, 3, 3, "several times of one kind");
	assert_value(&parsed.records[0], "real", "s", 2.5, .05);
	assert_value(&parsed.records[1], "real", "s", 4.5, .05);
	parsed_release(&parsed);
}

/* Its time is no time, and nothing else is left of it. */
static void verbose_without_a_figure_is_no_run_unless_it_failed(void **state)
{
	static const char text[] = "    Elapsed (wall clock) time (h:mm:ss or m:ss): 0m 183.02s\n";
	static const char failed[] = "\n\n    Elapsed (wall clock) time (h:mm:ss or m:ss): 1:75\n"
				     "    Exit status: 1\n";
	struct parsed parsed;

	(void)state;
	parse_text(text, sizeof(text) - 1, &parsed);
	assert_int_equal(parsed.n, 0);
	assert_note(&parsed, 0, 1, 50, "60 seconds or more");
	parsed_release(&parsed);
	parse_text(failed, sizeof(failed) - 1, &parsed);
	assert_int_equal(parsed.n, 1);
	assert_int_equal(parsed.records[0].n, 0);
	assert_true(parsed.records[0].failed);
	assert_int_equal(parsed.records[0].line, 3);
	parsed_release(&parsed);
}

static void busybox(void **state)
{
	struct parsed parsed;

	CHECK_FILE("busybox.txt", 1,
		   { "time dd if=/dev/zero of=/dev/null count=1000000", 1.25, .5, .75 },
		   { "time sleep 3723", 3723, 0, 0 }, { "gzip -9 log", 13.02, .25, 1.75 });
	parse_file("busybox.txt", &parsed);
	assert_null(find(&parsed.records[2], "max_rss"));
	assert_value(&parsed.records[2], "minor_faults", "", 42, 0);
	assert_note(&parsed, 0, 14, 41, "BusyBox");
	parsed_release(&parsed);
}

static void bsd(void **state)
{
	struct parsed parsed;

	CHECK_FILE("bsd.txt", 0, { "baseline", 4.25, 2.5, .75 }, { "patched", 4.5, 2.75, .5 },
		   { "FreeBSD -h", 62.25, 40.5, 1.25 }, { "ksh of OpenBSD", 1, .5, .25 });
	parse_file("bsd.txt", &parsed);
	assert_null(find(&parsed.records[0], "max_rss"));
	assert_value(&parsed.records[1], "max_rss", "B", 1044480, 0);
	assert_value(&parsed.records[1], "minor_faults", "", 255, 0);
	assert_value(&parsed.records[1], "involuntary_switches", "", 5, 0);
	assert_value(&parsed.records[2], "max_rss", "B", 2068 * 1024, 512);
	parsed_release(&parsed);
}

static void failed_programs(void **state)
{
	static const bool failed[] = { true, false, true, true };
	struct parsed parsed;

	(void)state;
	parse_file("failed.txt", &parsed);
	assert_int_equal(parsed.n, ARRAY_SIZE(failed));
	for (size_t i = 0; i < parsed.n; i++) {
		assert_int_equal(parsed.records[i].failed, failed[i]);
		assert_int_equal(parsed.records[i].reason != NULL, failed[i]);
	}
	assert_string_equal(parsed.records[0].reason, "make: *** [Makefile:2009: .] Error 2");
	parsed_release(&parsed);
}

static void unclear_is_left_out(void **state)
{
	static const struct expected expected[] = { { "Impossible", NAN, 1, NAN },
						    { "Torn", 1.5, NAN, NAN } };
	struct parsed parsed;

	(void)state;
	parse_file("unclear.txt", &parsed);
	assert_records(&parsed, expected, ARRAY_SIZE(expected));
	assert_int_equal(parsed.nnotes, 9);
	assert_note(&parsed, 0, 2, 6, "comma");
	assert_note(&parsed, 1, 3, 6, "comma");
	assert_note(&parsed, 2, 5, 1, "spread");
	assert_note(&parsed, 3, 7, 1, "no runs by its name");
	assert_note(&parsed, 4, 7, 1, "no runs by its name");
	assert_note(&parsed, 5, 10, 6, "no names of columns");
	assert_note(&parsed, 6, 12, 6, "'0m64.500s' is no time");
	assert_note(&parsed, 7, 15, 5, "before and behind");
	assert_note(&parsed, 8, 19, 5, "without a real");
	parsed_release(&parsed);
}

static void prose_has_no_times(void **state)
{
	struct parsed parsed;

	(void)state;
	parse_file("prose.txt", &parsed);
	assert_int_equal(parsed.n, 0);
	assert_int_equal(parsed.nnotes, 0);
	parsed_release(&parsed);
}

static void recognised(void **state)
{
	static const char gnu[] = "0.1user 0.1system 0:01elapsed 20%CPU (0a+0b 9maxresident)k\n";
	static const char rows[] = "real 0m1s\nuser 0m1s\nsys 0m0s\n", one[] = "real 0m1s\n";
	const struct parser *time = parser_find("time");

	(void)state;
	assert_true(time->recognise(gnu, strlen(gnu)) > time->recognise(rows, strlen(rows)));
	assert_true(time->recognise(rows, strlen(rows)) > time->recognise(one, strlen(one)));
	assert_true(time->recognise(one, strlen(one)) > 0);
	assert_int_equal(time->recognise("no such thing\n", 14), 0);
	assert_int_equal(time->recognise(NULL, 0), 0);
}

static void line_ends_of_others(void **state)
{
	static const char text[] = "a:\r\nreal\t0m1.5s\r\nuser\t0m1.0s\r\nsys\xc2\xa0""0m0.5s";
	static const struct expected expected[] = { { "a", 1.5, 1, .5 } };
	struct parsed parsed;

	(void)state;
	parse_text(text, sizeof(text) - 1, &parsed);
	assert_records(&parsed, expected, 1);
	parsed_release(&parsed);
}

static void too_many_digits(void **state)
{
	static const char text[] = "real 9999999999999999\nreal 99999999999m1s\nreal 1m1s\n";
	static const struct expected expected[] = { { "", 61, NAN, NAN } };
	struct parsed parsed;

	(void)state;
	parse_text(text, sizeof(text) - 1, &parsed);
	assert_records(&parsed, expected, 1);
	assert_note(&parsed, 0, 1, 6, "more digits");
	assert_note(&parsed, 1, 2, 6, "more digits");
	parsed_release(&parsed);
}

/* Two commands that differ behind what a label has room for stay two. */
static void long_labels_differ(void **state)
{
	auto_buf struct buf text = BUF_INIT;
	struct parsed parsed;

	(void)state;
	for (int i = 0; i < 2; i++) {
		buf_add(&text, "$ time ");
		for (int k = 0; k < 60; k++)
			buf_add(&text, "/a/path");
		buf_addf(&text, " -j%d\nreal 0m1s\n", i);
	}
	parse_text(text.s, text.len, &parsed);
	assert_int_equal(parsed.n, 2);
	assert_true(strlen(parsed.records[0].label) < 200);
	assert_string_not_equal(parsed.records[0].label, parsed.records[1].label);
	parsed_release(&parsed);
}

/* Seconds since 1970 in a log differ in each run: they made a group of each. */
static void a_clock_is_no_label(void **state)
{
	static const char text[] = "*** building\nstart time: 1708930050.011573855\n\n"
				   "real: 3.5s\nend time: 1708930083\n*** building\n"
				   "start time: 1708930089\nreal: 4.5s\n";
	struct parsed parsed;

	(void)state;
	parse_text(text, sizeof(text) - 1, &parsed);
	assert_int_equal(parsed.n, 2);
	assert_string_equal(parsed.records[0].label, "building");
	assert_string_equal(parsed.records[1].label, "building");
	parsed_release(&parsed);
}

static void control_characters_are_blanks(void **state)
{
	static const char text[] = "a\x1b[1mb\0c:\nreal 0m1s\n";
	struct parsed parsed;

	(void)state;
	parse_text(text, sizeof(text) - 1, &parsed);
	assert_int_equal(parsed.n, 1);
	assert_string_equal(parsed.records[0].label, "a [1mb c");
	parsed_release(&parsed);
}

static void limits(void **state)
{
	static const char text[] = "real 0m1s\n", bad[] = "real 1m60s\n";
	struct parsed full = { .n = PARSED_MAX_RECORDS, .nnotes = 0 };
	struct parsed noted = { .nnotes = PARSED_MAX_NOTES };
	struct err err = { 0 };

	(void)state;
	assert_null(parsed_add_record(&full, "", 0));
	assert_int_equal(errno, E2BIG);
	assert_int_equal(parser_find("time")->parse(text, strlen(text), &full, &err), -E2BIG);
	assert_non_null(strstr(err.text, "more than 100000"));
	assert_int_equal(parser_find("time")->parse(bad, strlen(bad), &noted, &err), -E2BIG);
}

static void adds_to_what_is_there(void **state)
{
	struct parsed parsed;
	struct err err = { 0 };

	(void)state;
	parse_text("real 0m1s\n", 10, &parsed);
	assert_int_equal(parser_find("time")->parse("x:\nreal 0m2s\n", 13, &parsed, &err), 0);
	assert_int_equal(parsed.n, 2);
	assert_string_equal(parsed.records[0].label, "");
	assert_string_equal(parsed.records[1].label, "x");
	parsed_release(&parsed);
}

static void parser_table(void **state)
{
	(void)state;
	for (size_t i = 0; parsers[i]; i++) {
		assert_ptr_equal(parser_find(parsers[i]->name), parsers[i]);
		assert_true(strlen(parsers[i]->summary) > 5);
		assert_non_null(parsers[i]->recognise);
		assert_non_null(parsers[i]->parse);
	}
	assert_null(parser_find("no such parser"));
	assert_null(parser_find(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bash),
		cmocka_unit_test(where_and_how_exact),
		cmocka_unit_test(timeformat),
		cmocka_unit_test(posix),
		cmocka_unit_test(comma_in_columns),
		cmocka_unit_test(side_by_side),
		cmocka_unit_test(table),
		cmocka_unit_test(headings_under_headings),
		cmocka_unit_test(mail),
		cmocka_unit_test(lines_of_a_script),
		cmocka_unit_test(zsh),
		cmocka_unit_test(zsh_pipeline_is_said),
		cmocka_unit_test(csh),
		cmocka_unit_test(gnu),
		cmocka_unit_test(gnu_verbose),
		cmocka_unit_test(two_times_in_a_cell_are_not_taken_for_one),
		cmocka_unit_test(verbose_without_a_figure_is_no_run_unless_it_failed),
		cmocka_unit_test(busybox),
		cmocka_unit_test(bsd),
		cmocka_unit_test(failed_programs),
		cmocka_unit_test(unclear_is_left_out),
		cmocka_unit_test(prose_has_no_times),
		cmocka_unit_test(recognised),
		cmocka_unit_test(line_ends_of_others),
		cmocka_unit_test(too_many_digits),
		cmocka_unit_test(long_labels_differ),
		cmocka_unit_test(a_clock_is_no_label),
		cmocka_unit_test(control_characters_are_blanks),
		cmocka_unit_test(limits),
		cmocka_unit_test(adds_to_what_is_there),
		cmocka_unit_test(parser_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
