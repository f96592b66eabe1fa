// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/assert_double.h"
#include "tests/unit/parsed_text.h"

#define FIXTURE(test, name)                                                              \
	static void test(void **state)                                                   \
	{                                                                                \
		(void)state;                                                             \
		assert_fixture("means", "means/" name);                                  \
	}

FIXTURE(configurations_beside_each_other, "markers")
FIXTURE(units_metrics_and_numbers_of_runs, "units")
FIXTURE(blanks_between_names_are_gone, "collapsed")

static void a_mean_keeps_its_print(void **state)
{
	struct parsed parsed;
	const struct parsed_value *value;

	(void)state;
	parsed_of_file("means", "means/markers.txt", &parsed);
	value = &parsed.records[0].values[0];
	assert_string_equal(value->text, "12.250000");
	assert_double(value->half_step, 5e-7, 1e-20);
	assert_string_equal(value->spread_text, "0.25");
	assert_double(value->spread_half_step, .005, 1e-15);
	assert_int_equal(value->line, 13);
	assert_int_equal(value->column, 26);
	assert_int_equal(value->better, PARSED_LOWER); /* the text speaks of times */
	assert_true(value->headline);
	assert_string_equal(value->unit, ""); /* but not of seconds */
	parsed_release(&parsed);
}

static void read(const char *text, const char *records, const char *notes)
{
	struct parsed parsed;

	parsed_of_text("means", text, strlen(text), &parsed);
	assert_parsed(&parsed, records, notes);
	parsed_release(&parsed);
}

#define TABLE "Kernel  old  stddev\n6.1     2.5  0.5\n"

static void how_many_runs(void **state)
{
	(void)state;
	read("mean of ten iterations\n" TABLE, "6.1||old: value=2.5(10,sd=0.5)\n", "");
	read(TABLE "(n=3)\n", "6.1||old: value=2.5(3,sd=0.5)\n", "");
	read("2 runs, 2 runs\n" TABLE, "6.1||old: value=2.5(2,sd=0.5)\n", "");
	read("it runs 4 times, 10 times faster\n" TABLE, "6.1||old: value=2.5(0,sd=0.5)\n",
	     "3:0 the text does not say how many runs these means are of\n");
}

static void no_table_of_means(void **state)
{
	static const char *const texts[] = {
		"", "stddev\n", "Kernel  stddev  old\n6.1  0.5  2.5\n",
		"the stddev is 1.5\n2 3 4\n",
		"a  %stddev  %change\nb  1.5  2.5\n", "Kernel  old  stddev\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		assert_int_equal(parser_find("means")->recognise(texts[i], strlen(texts[i])), 0);
		read(texts[i], "", "");
	}
}

#define CELLS "10 runs\n| fs | a (s) | stddev | b (s) | stddev |\n|----|-------|--------|------|---|\n"

static void two_figures_in_one_cell_are_not_of_two_columns(void **state)
{
	(void)state;
	read(CELLS "| x | 1.5 | 0.5 | 2.5 | 0.25 |\n", "x||: a=1.5s(10,sd=0.5) b=2.5s(10,sd=0.25)\n",
	     "");
	read(CELLS "| x | - | 1.5 0.5 | 2.5 | 0.25 |\n| y | 1.5 | 0.5 | 2.5 0.25 |\n"
		   "| z | 1.5 | 0.5 |  | |\n",
	     "z||: a=1.5s(10,sd=0.5)\n",
	     "4:7 fewer figures than columns, and it is not clear whose they are: left out\n"
	     "5:7 fewer figures than columns, and it is not clear whose they are: left out\n");
}

/* Control bytes end no name. */
static void names_with_nul_are_names(void **state)
{
	static const char text[] = "2 runs\nfs   \0sed (s)  stddev\nx   1.5  0.5\n";
	struct parsed parsed;

	(void)state;
	parsed_of_text("means", text, sizeof(text) - 1, &parsed);
	assert_int_equal(parsed.n, 1);
	assert_string_equal(parsed.records[0].values[0].metric, "_sed");
	parsed_release(&parsed);
}

/* What the writer computed from the rows above is no third kernel. */
static void rows_of_differences_are_left_out(void **state)
{
	static const char text[] = "10 runs each\n\nkernel       ms    STDDEV\n"
				   "6.1        14.25   0.50\n6.2        14.75   0.60\n"
				   "diff        0.50   0.10\nchange (%)  3.50   0.10\n"
				   "change 2   15.00   0.50\n";
	struct parsed parsed;

	(void)state;
	parsed_of_text("means", text, sizeof(text) - 1, &parsed);
	assert_int_equal(parsed.n, 3);
	assert_string_equal(parsed.records[1].label, "6.2");
	assert_string_equal(parsed.records[2].label, "change 2");
	assert_int_equal(parsed.nnotes, 2);
	assert_int_equal(parsed.notes[0].line, 6);
	parsed_release(&parsed);
}

/* A mail program cut the lines: half of a figure is none. */
static void rows_that_go_on_in_the_next_line_are_left_out(void **state)
{
	static const char text[] = "kernel     ms     STDDEV\n6.1        14.25  0.5\n0\n"
				   "6.2        14.75  0.60\n8          15.75  0.70\n"
				   "16         16.75  0.80\n";
	struct parsed parsed;

	(void)state;
	parsed_of_text("means", text, sizeof(text) - 1, &parsed);
	assert_int_equal(parsed.n, 3);
	assert_string_equal(parsed.records[0].label, "6.2");
	assert_string_equal(parsed.records[1].label, "8");
	assert_int_equal(parsed.notes[0].line, 2);
	parsed_release(&parsed);
}

static void parts_of_framed_rows_are_no_rows(void **state)
{
	static const char text[] = "| Configuration | elapsed (s) | stddev |\n"
				   "|---------------|-------------|--------|\n"
				   "| ext3          | 14.25       | 0.5    |\n"
				   " 120.5       | 2.25   | 5 |\n"
				   "| ext4          | 14.25       | 0.\n"
				   "| ext2          | 15.25       | 0.5    |\n";
	struct parsed parsed;

	(void)state;
	parsed_of_text("means", text, sizeof(text) - 1, &parsed);
	assert_int_equal(parsed.n, 2);
	assert_string_equal(parsed.records[1].label, "ext2");
	assert_int_equal(parsed.notes[parsed.nnotes - 1].line, 5);
	parsed_release(&parsed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(configurations_beside_each_other),
		cmocka_unit_test(units_metrics_and_numbers_of_runs),
		cmocka_unit_test(blanks_between_names_are_gone),
		cmocka_unit_test(a_mean_keeps_its_print),
		cmocka_unit_test(how_many_runs),
		cmocka_unit_test(no_table_of_means),
		cmocka_unit_test(rows_of_differences_are_left_out),
		cmocka_unit_test(parts_of_framed_rows_are_no_rows),
		cmocka_unit_test(rows_that_go_on_in_the_next_line_are_left_out),
		cmocka_unit_test(two_figures_in_one_cell_are_not_of_two_columns),
		cmocka_unit_test(names_with_nul_are_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
