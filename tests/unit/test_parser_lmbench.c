// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parsers/lmbench.h"
#include "tests/unit/assert_double.h"
#include "tests/unit/parsed_text.h"

#define FIXTURE(test, name)                                                              \
	static void test(void **state)                                                   \
	{                                                                                \
		(void)state;                                                             \
		assert_fixture("lmbench", "lmbench/" name);                              \
	}

FIXTURE(a_full_summary_with_missing_cells, "summary")
FIXTURE(groups_by_description_where_blanks_are_gone, "descriptions")
FIXTURE(groups_by_bare_lines_in_a_quoted_mail, "labels")
FIXTURE(a_kernel_in_place_of_host_and_system, "kernel-column")
FIXTURE(rows_and_headers_wrapped_by_a_mail_program, "wrapped")
FIXTURE(groups_by_empty_lines_below_a_fused_ruler, "empty-lines")
FIXTURE(a_cell_that_was_not_even_printed_as_blanks, "lost-cell")
FIXTURE(what_can_be_read_in_two_ways_is_left_out, "unclear")
FIXTURE(two_summaries_and_a_copy_of_one, "two-summaries")
FIXTURE(raw_files_with_errors_between_the_lines, "raw")

static const struct parsed_value *find(const struct parsed_record *record, const char *metric)
{
	for (size_t i = 0; i < record->n; i++)
		if (!strcmp(record->values[i].metric, metric))
			return &record->values[i];
	return NULL;
}

/* The summary fixture is what lmbench would make of the first run of the raw one. */
static void a_raw_file_and_its_summary_agree_within_rounding(void **state)
{
	struct parsed raw, summary;
	size_t compared = 0;

	(void)state;
	parsed_of_file("lmbench", "lmbench/raw.txt", &raw);
	parsed_of_file("lmbench", "lmbench/summary.txt", &summary);
	for (size_t i = 0; i < summary.records[0].n; i++) {
		const struct parsed_value *cell = &summary.records[0].values[i];
		const struct parsed_value *value = find(&raw.records[0], cell->metric);

		if (!value)
			continue;
		/* cut off instead of rounded: up to a whole step */
		assert_true(fabs(value->value - cell->value) <= 2 * cell->half_step + 1e-9);
		assert_string_equal(value->unit, cell->unit);
		assert_int_equal(value->better, cell->better);
		assert_int_equal(value->headline, cell->headline);
		compared++;
	}
	assert_true(compared > 35);
	parsed_release(&raw);
	parsed_release(&summary);
}

static void where_how_exact_and_which_way(void **state)
{
	struct parsed parsed;
	const struct parsed_value *fork, *pipe;

	(void)state;
	parsed_of_file("lmbench", "lmbench/summary.txt", &parsed);
	fork = find(&parsed.records[0], "fork");
	pipe = find(&parsed.records[0], "unix.bw");
	assert_int_equal(fork->line, 19);
	assert_int_equal(fork->column, 65);
	assert_string_equal(fork->text, "450.");
	assert_double(fork->half_step, .5, 0);
	assert_int_equal(fork->better, PARSED_LOWER);
	assert_true(fork->headline);
	assert_false(fork->summary);
	assert_double(pipe->half_step, 50, 0);
	assert_int_equal(pipe->better, PARSED_HIGHER);
	assert_false(find(&parsed.records[0], "int.bit")->headline);
	parsed_release(&parsed);
}

static void what_is_computed_as_lmbench_does_says_so(void **state)
{
	struct parsed parsed;

	(void)state;
	parsed_of_file("lmbench", "lmbench/raw.txt", &parsed);
	assert_non_null(strstr(find(&parsed.records[0], "null_io")->note,
			       "mean of read and write"));
	assert_string_equal(find(&parsed.records[0], "null_io")->text, "");
	assert_non_null(strstr(find(&parsed.records[0], "create.0k")->note, "files a second"));
	assert_null(find(&parsed.records[0], "stat")->note);
	parsed_release(&parsed);
}

static void assert_cell(const char *text, unsigned int width, double value, double half_step)
{
	struct lmbench_number number;

	assert_int_equal(lmbench_cell_read((struct slice){ text, strlen(text) }, width, &number),
			 LMBENCH_NUMBER);
	assert_double(number.value, value, 1e-12 * value);
	assert_double(number.half_step, half_step, 1e-12 * half_step);
	assert_null(number.unclear);
}

static void cells(void **state)
{
	static const char *const none[] = { "", ".", "1.2.3", "12x", "1e", "1e-", "1e-1234", "K",
					    "2.6.13-", "1234567890123456", "+5" };
	static const char *const missing[] = { "-1", "-", "--", "na", "N/A" };
	struct lmbench_number number;

	(void)state;
	assert_cell("0.25", 4, .25, .005);
	assert_cell(".79", 4, .79, .005);
	assert_cell("199.", 4, 199, .5);
	assert_cell("2524", 4, 2524, .5);
	assert_cell("17K", 4, 17e3, 500);
	assert_cell("13.K", 4, 13e3, 500);
	assert_cell("20.2K", 7, 20200, 50);
	assert_cell("123K", 5, 123e3, 500);
	assert_cell("1.2M", 4, 1.2e6, 5e4);
	assert_cell("5e-4", 4, 5e-4, 5e-5);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		assert_int_equal(lmbench_cell_read((struct slice){ none[i], strlen(none[i]) }, 4,
						   &number), LMBENCH_NO_CELL);
	for (size_t i = 0; i < ARRAY_SIZE(missing); i++)
		assert_int_equal(lmbench_cell_read((struct slice){ missing[i],
								   strlen(missing[i]) }, 4,
						   &number), LMBENCH_MISSING);
	assert_int_equal(lmbench_cell_read((struct slice){ "123K", 4 }, 4, &number),
			 LMBENCH_NUMBER);
	assert_non_null(number.unclear);
}

/* One run above, two rows that are like it below: whose they are nobody knows. */
static void rows_that_are_two_of_one_run_stay_runs_of_their_own(void **state)
{
	static const char text[] = "L1 $ L2 $ Main mem Guesses\n"
				   "k 1.5 2.5 3.5\n"
				   "float float float float\nadd mul div bogo\n"
				   "before\nk 1 2 3 4\nafter\nk 5 6 7 8\n";
	struct parsed parsed;

	(void)state;
	parsed_of_text("lmbench", text, sizeof(text) - 1, &parsed);
	assert_parsed(&parsed,
		      "||: l1.lat=1.5ns l2.lat=2.5ns main.lat=3.5ns\n"
		      "before||: float.add=1ns float.mul=2ns float.div=3ns float.bogo=4ns\n"
		      "after||: float.add=5ns float.mul=6ns float.div=7ns float.bogo=8ns\n", "");
	parsed_release(&parsed);
}

static void bw_mem_as_scripts_run_it(void **state)
{
	static const char text[] = "gcc -o ../bin/bw_mem bw_mem.c -lm\n1.0 2.0\n"
				   "10:28:22 ./bin/x86_64/bw_mem -P 1 64m rd\n67.11 5875.25\n"
				   "./bw_mem 1m wr\nbash: no\n1.05 7.5\n";
	struct parsed parsed;

	(void)state;
	parsed_of_text("lmbench", text, sizeof(text) - 1, &parsed);
	assert_parsed(&parsed, "||: bw_mem.rd=5875.25MB/s\n", "");
	assert_int_equal(parsed.records[0].npoint, 1);
	assert_string_equal(parsed.records[0].point[0].value, "64m");
	parsed_release(&parsed);
}

/* "Some other bandwidth" may be the title of a block that is not known. */
static void rows_behind_something_else_belong_to_no_block(void **state)
{
	static const char text[] = "\"mappings\n0.524288 22\n67.108864 21500\n"
				   "\"some other bandwidth\n0.000512 7.5\n67.108864 9.5\n\n"
				   "Simple syscall: 0.5500 microseconds\n0.25 0.75\n";
	struct parsed parsed;

	(void)state;
	parsed_of_text("lmbench", text, sizeof(text) - 1, &parsed);
	assert_parsed(&parsed, "||: null_call=0.55us\n",
		      "5:1 a row behind something else than rows: of which block? Left out, as the "
		      "last row before it is\n");
	parsed_release(&parsed);
}

static void the_last_row_of_a_block_is_not_known_where_the_text_ends(void **state)
{
	static const char *const texts[] = { "\"mappings\n0.524288 22\n67.108864 21500\n",
					     "\"mappings\n0.524288 22\n67.10\n" };
	struct parsed parsed;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		parsed_of_text("lmbench", texts[i], strlen(texts[i]), &parsed);
		assert_int_equal(parsed.n, 0);
		assert_int_equal(parsed.nnotes, 1);
		parsed_release(&parsed);
	}
}

#define INTEGERS "Host                 OS  intgr intgr  intgr  intgr  intgr\n" \
		 "                          bit   add    mul    div    mod\n"   \
		 "--------- ------------- ------ ------ ------ ------ ------\n" \
		 "tin         Linux 6.7.1 0.2500 0.5000 0.7500 2.5000 2.7500\n"

/* Five figures as well, but latencies of memory. */
static void a_table_that_is_not_known_does_not_go_on_with_the_one_above(void **state)
{
	static const char *const between[] = {
		"\nMemory of a new kind in nanoseconds - smaller is better\n",
		"\nMemory of a new kind\n-----------------------------------------------------------\n",
	};
	struct parsed parsed;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		auto_free char *text = xasprintf(
			INTEGERS "%sHost OS l1 l2 l3 main rand\n"
				 "tin         Linux 6.7.1 1.2500 4.7500 20.500 75.500 125.50\n",
			between[i]);

		parsed_of_text("lmbench", text, strlen(text), &parsed);
		assert_parsed(&parsed, "6.7.1|tin|: int.bit=0.25ns int.add=0.5ns int.mul=0.75ns "
				       "int.div=2.5ns int.mod=2.75ns\n", "");
		parsed_release(&parsed);
	}
}

#define MEMORY "Memory latencies in nanoseconds - smaller is better\n"                    \
	       "Host                 OS   Mhz   L1 $   L2 $    Main mem    Rand mem\n"     \
	       "--------- -------------   ---   ----   ----    --------    --------\n"
#define PROCESSES "Processor, Processes - times in microseconds - smaller is better\n"    \
		  "Host OS Mhz null null open slct sig sig fork exec sh\n"                \
		  "call I/O stat clos TCP inst hndl proc proc proc\n"
#define RUN "wren Linux 2.6.30- 1600 0.20 0.40 3.25 5.50 10.5 1.25 5.25 250. 750. "

/* A mail program that cuts lines anywhere: the half of a figure is none, and no label either. */
static void half_of_a_figure_in_the_next_line_is_left_out(void **state)
{
	static const char last[] = PROCESSES "before\n" RUN "25\n24\n" RUN "2550\n";
	static const char middle[] = PROCESSES "before\n" RUN "2500\n"
		"wren Linux 2.6.30- 1600 0.20 0.40 3.25 5.50 10.5 1.25 5.25 250. 7\n50. 2524\n"
		RUN "2550\n";
	struct parsed parsed;

	(void)state;
	parsed_of_text("lmbench", last, sizeof(last) - 1, &parsed);
	assert_int_equal(parsed.n, 2);
	assert_string_equal(parsed.records[1].label, "before");
	assert_null(find(&parsed.records[0], "sh"));
	assert_double(find(&parsed.records[0], "exec")->value, 750, 0);
	assert_double(find(&parsed.records[1], "sh")->value, 2550, 0);
	assert_int_equal(parsed.nnotes, 1);
	assert_int_equal(parsed.notes[0].line, 5);
	assert_non_null(strstr(parsed.notes[0].text, "cut in two"));
	parsed_release(&parsed);
	parsed_of_text("lmbench", middle, sizeof(middle) - 1, &parsed);
	assert_int_equal(parsed.n, 2);
	assert_string_equal(parsed.records[1].label, "before");
	assert_double(find(&parsed.records[1], "sh")->value, 2550, 0);
	assert_int_equal(parsed.nnotes, 1);
	parsed_release(&parsed);
}

static void a_version_between_rows_is_a_label_and_no_half_of_a_figure(void **state)
{
	static const char text[] = PROCESSES "4.9\n" RUN "2500\n4.14\n" RUN "2550\n";
	struct parsed parsed;

	(void)state;
	parsed_of_text("lmbench", text, sizeof(text) - 1, &parsed);
	assert_int_equal(parsed.n, 2);
	assert_string_equal(parsed.records[0].label, "4.9");
	assert_string_equal(parsed.records[1].label, "4.14");
	assert_double(find(&parsed.records[0], "sh")->value, 2500, 0);
	assert_int_equal(parsed.nnotes, 0);
	parsed_release(&parsed);
}

/* It was taken for text, and that for the label of all rows below. */
static void a_row_with_something_odd_in_it_names_no_rows_below(void **state)
{
	static const char text[] =
		PROCESSES "before\n"
		"wren Linux 2.6.30- 1600 0.20 0.40 -nan 5.50 10.5 1.25 5.25 250. 750. 1,234.5\n"
		RUN "2550\n" RUN "2500 (+3%)\n"
		"It was made by mail 2b30 : Tue Apr 17 2001 - 00:28:24 PDT\n\nbefore\n"
		"wren Linux 2.6.30- 1% 2% 3% 4% 5% 6% 7% 8% 9% 10% 11%\n" RUN "2600\n";
	struct parsed parsed;

	(void)state;
	parsed_of_text("lmbench", text, sizeof(text) - 1, &parsed);
	assert_int_equal(parsed.n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(parsed.records[i].label, "before");
	assert_null(find(&parsed.records[0], "stat"));
	assert_null(find(&parsed.records[0], "sh"));
	assert_double(find(&parsed.records[0], "open_close")->value, 5.5, 0);
	assert_double(find(&parsed.records[2], "sh")->value, 2600, 0);
	assert_int_equal(parsed.nnotes, 4);
	parsed_release(&parsed);
}

static void names_in_one_line_and_all_figures_in_the_next_are_a_row(void **state)
{
	static const char text[] = MEMORY "wren      Linux 2.6.30-\n"
					  "  1600 1.5000 7.5000 80.5 250.5\n";
	struct parsed parsed;

	(void)state;
	parsed_of_text("lmbench", text, sizeof(text) - 1, &parsed);
	assert_parsed(&parsed, "|wren|: l1.lat=1.5ns l2.lat=7.5ns main.lat=80.5ns "
			       "rand.lat=250.5ns\n", "");
	parsed_release(&parsed);
}

/* A remote table has no rows as a rule; those of the next one were read as its own. */
static void rows_below_a_title_that_was_wrapped_are_not_of_the_table_above(void **state)
{
	static const char text[] = "Host OS UDP RPC/ TCP RPC/ TCP\nUDP TCP conn\n"
				   "--------- ------------- ----- ----- ----- ----- ----\n\n"
				   "Latencies of a new kind in microseconds - smaller is\nbetter\n"
				   "----------------------------------------------------\n"
				   "Host OS one two three four five\n"
				   "tin         Linux 6.7.1  1.25  4.75  20.5  75.5  12.\n"
				   "Host OS UDP RPC/ TCP RPC/ TCP\nUDP TCP conn\n"
				   "tin         Linux 6.7.1  2.25  4.75  20.5  75.5  12.\n";
	struct parsed parsed;

	(void)state;
	parsed_of_text("lmbench", text, sizeof(text) - 1, &parsed);
	assert_int_equal(parsed.n, 1);
	assert_double(find(&parsed.records[0], "remote.udp.lat")->value, 2.25, 0);
	parsed_release(&parsed);
}

/* Which of the two is missing, and which half of a figure? */
static void a_missing_cell_and_half_of_a_figure_are_not_a_whole_row(void **state)
{
	static const char text[] =
		"Host OS 0K File 10K File Mmap Prot Page 100fd\n"
		"Create Delete Create Delete Latency Fault Fault selct\n"
		"vm        Linux 6.18.44   46.6   12.5 2415.5   63.5  1202.0       0.7270\n"
		"0 2.658\n"
		"vm        Linux 6.18.44   46.6   12.5 2415.5   63.5  1202.0 0.727 0.72700 2.658\n";
	struct parsed parsed;

	(void)state;
	parsed_of_text("lmbench", text, sizeof(text) - 1, &parsed);
	assert_int_equal(parsed.n, 1);
	assert_double(find(&parsed.records[0], "prot_fault")->value, .727, 0);
	assert_int_equal(parsed.nnotes, 1);
	parsed_release(&parsed);
}

static int sure(const char *text)
{
	return parser_find("lmbench")->recognise(text, strlen(text));
}

static void recognises_its_own_only(void **state)
{
	(void)state;
	assert_true(sure("Simple syscall: 0.5 microseconds\n") >= 80);
	assert_int_equal(sure(""), 0);
	assert_int_equal(sure("lmbench is slow\nreal 0m1s\n"), 0);
	assert_int_equal(sure("size=4k\n2 7.10\n4 9.5\n"), 0);
	/* a header without rows */
	assert_int_equal(sure("L1 $ L2 $ Main mem Guesses\n"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_full_summary_with_missing_cells),
		cmocka_unit_test(groups_by_description_where_blanks_are_gone),
		cmocka_unit_test(groups_by_bare_lines_in_a_quoted_mail),
		cmocka_unit_test(a_kernel_in_place_of_host_and_system),
		cmocka_unit_test(rows_and_headers_wrapped_by_a_mail_program),
		cmocka_unit_test(groups_by_empty_lines_below_a_fused_ruler),
		cmocka_unit_test(a_cell_that_was_not_even_printed_as_blanks),
		cmocka_unit_test(what_can_be_read_in_two_ways_is_left_out),
		cmocka_unit_test(two_summaries_and_a_copy_of_one),
		cmocka_unit_test(raw_files_with_errors_between_the_lines),
		cmocka_unit_test(a_raw_file_and_its_summary_agree_within_rounding),
		cmocka_unit_test(where_how_exact_and_which_way),
		cmocka_unit_test(what_is_computed_as_lmbench_does_says_so),
		cmocka_unit_test(cells),
		cmocka_unit_test(rows_that_are_two_of_one_run_stay_runs_of_their_own),
		cmocka_unit_test(rows_behind_something_else_belong_to_no_block),
		cmocka_unit_test(the_last_row_of_a_block_is_not_known_where_the_text_ends),
		cmocka_unit_test(a_table_that_is_not_known_does_not_go_on_with_the_one_above),
		cmocka_unit_test(a_missing_cell_and_half_of_a_figure_are_not_a_whole_row),
		cmocka_unit_test(rows_below_a_title_that_was_wrapped_are_not_of_the_table_above),
		cmocka_unit_test(bw_mem_as_scripts_run_it),
		cmocka_unit_test(half_of_a_figure_in_the_next_line_is_left_out),
		cmocka_unit_test(a_version_between_rows_is_a_label_and_no_half_of_a_figure),
		cmocka_unit_test(a_row_with_something_odd_in_it_names_no_rows_below),
		cmocka_unit_test(names_in_one_line_and_all_figures_in_the_next_are_a_row),
		cmocka_unit_test(recognises_its_own_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
