// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The same results as they come out of mails, terminals, logs and other locales: each variant gives
 * what the text says, or less, and never another figure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/same_figures.h"

static const char *const names[] = {
	"time/bash.txt", "time/bsd.txt", "time/busybox.txt", "time/csh.txt", "time/gnu.txt",
	"time/gnu-verbose.txt", "time/posix.txt", "time/side-by-side.txt", "time/table.txt",
	"time/zsh.txt", "kernbench/kcbench.log", "kernbench/three-loads.txt",
	"kernbench/two-kernels.txt", "lmbench/labels.txt", "lmbench/raw.txt", "lmbench/summary.txt",
	"means/markers.txt", "perf-stat/repeated.txt", "perf-stat/appended.csv",
	"perf-stat/events.jsonl", "fio/normal-2.txt", "fio/normal-3.txt",
	"fio/terse-3.txt", "fio/one-job.json", "hyperfine/printed.txt",
	"hyperfine/parameters.csv", "hyperfine/two-commands.json",
};

/* before, behind: each line; %zu in before is the line's number */
struct variant {
	const char *name, *before, *behind;
	bool same; /* nothing may be lost either */
};

static const struct variant around_lines[] = {
	{ "lines of DOS", "", "\r", true },
	{ "in colour", "\x1b[32m", "\x1b[0m", true },
	{ "to the end of the line", "\x1b[K", "\x1b[K", true },
	{ "blanks behind", "", "   ", false },
	{ "quoted", "> ", "", false },
	{ "quoted twice", ">> ", "", false },
	{ "quoted with initials", "AB> ", "", false },
	{ "set off", "    ", "", false },
	{ "in a table", "| ", " |", false },
	{ "with line numbers", "%4zu  ", "", false },
	{ "as grep shows it", "%zu:", "", false },
	{ "as a patch adds it", "+", "", false },
	{ "as a patch takes it off", "-", "", false },
	{ "as a list", "* ", "", false },
	{ "as a comment", "# ", "", false },
	{ "with a clock", "[12:34:56] ", "", false },
	{ "with the time of day", "12:00:01 ", "", false },
	{ "with seconds since 1970", "1714564800.123 ", "", false },
	{ "with seconds since boot", "[   12.345678] ", "", false },
	{ "from a build server", "2024-05-01T12:00:00.1234567Z ", "", false },
	{ "from a container", "web_1  | ", "", false },
	{ "from syslog", "Jan  1 00:00:00 host app[12]: ", "", false },
	{ "from a host", "host1: ", "", false },
	{ "with semicolons", "", ";", false },
	{ "as CSV", "\"", "\",x", false },
	{ "with NUL", "", "\x01", false }, /* made NUL below */
};

static void add_around(struct buf *out, const struct buf *text, const struct variant *variant)
{
	size_t line = 1;

	for (const char *s = text->s, *eol; s < text->s + text->len; s = eol + 1, line++) {
		eol = memchr(s, '\n', (size_t)(text->s + text->len - s));
		if (!eol)
			eol = text->s + text->len;
		if (strstr(variant->before, "%z"))
			buf_addf(out, *variant->before == '%' && variant->before[1] == '4' ?
					      "%4zu  " : "%zu:", line);
		else
			buf_add(out, variant->before);
		buf_addn(out, s, (size_t)(eol - s));
		if (*variant->behind == 1)
			buf_addn(out, "", 1);
		else
			buf_add(out, variant->behind);
		buf_addc(out, '\n');
	}
}

static void lines_with_something_around_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		auto_buf struct buf text = BUF_INIT;
		struct figures whole;

		figures_of_fixture(names[i], &text, &whole);
		for (size_t v = 0; v < ARRAY_SIZE(around_lines); v++) {
			auto_buf struct buf changed = BUF_INIT;
			size_t n;

			add_around(&changed, &text, &around_lines[v]);
			n = figures_check_text(&whole, changed.s, changed.len, names[i],
					       around_lines[v].name);
			if (around_lines[v].same && n != whole.n)
				fail_msg("%s, %s: %zu figures of %zu", names[i],
					 around_lines[v].name, n, whole.n);
		}
		figures_release(&whole);
	}
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Each of these bytes becomes that text, between digits only where between is set. */
static const struct substitute {
	const char *name;
	char byte;
	const char *text;
	bool between, same;
} substitutes[] = {
	{ "decimal commas", '.', ",", true, false },
	{ "points that group", ',', ".", true, false },
	{ "apostrophes that group", ',', "'", true, false },
	{ "thin blanks that group", ',', "\xe2\x80\xaf", true, false },
	{ "no-break spaces", ' ', "\xc2\xa0", false, true },
	{ "lines of old Macs", '\n', "\r", false, false },
	{ "one line", '\n', " ", false, false },
	{ "vertical tabs", '\n', "\v\n", false, false },
	{ "empty lines between", '\n', "\n\n", false, false },
	{ "another program's lines between", '\n', "\n  CC      drivers/net/e1000.o\n", false,
	  false },
};

static void bytes_that_became_others(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		auto_buf struct buf text = BUF_INIT;
		struct figures whole;

		figures_of_fixture(names[i], &text, &whole);
		for (size_t k = 0; k < ARRAY_SIZE(substitutes); k++) {
			const struct substitute *sub = &substitutes[k];
			auto_buf struct buf changed = BUF_INIT;
			size_t n;

			for (size_t at = 0; at < text.len; at++) {
				bool digits = at && at + 1 < text.len &&
					      is_digit(text.s[at - 1]) && is_digit(text.s[at + 1]);

				if (text.s[at] == sub->byte && (!sub->between || digits))
					buf_add(&changed, sub->text);
				else
					buf_addc(&changed, text.s[at]);
			}
			n = figures_check_text(&whole, changed.s, changed.len, names[i], sub->name);
			if (sub->same && n != whole.n)
				fail_msg("%s, %s: %zu figures of %zu", names[i], sub->name, n,
					 whole.n);
		}
		figures_release(&whole);
	}
}

/* A mark of UTF-8 in front, and colour inside of numbers. */
static void marks_of_terminals_and_editors(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		auto_buf struct buf text = BUF_INIT, marked = BUF_INIT, colour = BUF_INIT;
		struct figures whole;

		figures_of_fixture(names[i], &text, &whole);
		buf_addf(&marked, "\xef\xbb\xbf%s", text.s);
		assert_int_equal(figures_check_text(&whole, marked.s, marked.len, names[i],
						    "with a mark"), whole.n);
		for (size_t at = 0; at < text.len; at++) {
			if (is_digit(text.s[at]))
				buf_addf(&colour, "\x1b[1;31m%c\x1b[0m", text.s[at]);
			else
				buf_addc(&colour, text.s[at]);
		}
		assert_int_equal(figures_check_text(&whole, colour.s, colour.len, names[i],
						    "digits in colour"), whole.n);
		figures_release(&whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_with_something_around_them),
		cmocka_unit_test(bytes_that_became_others),
		cmocka_unit_test(marks_of_terminals_and_editors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
