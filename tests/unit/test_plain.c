// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parsers/plain.h"
#include "tests/unit/parsed_text.h"

static void read_file(const char *name, struct buf *bytes, struct plain *out)
{
	fixture_read(name, bytes);
	assert_int_equal(plain_read(bytes->s, bytes->len, out), 0);
}

static void assert_plain(const char *bytes, const char *expected)
{
	struct plain plain;

	assert_int_equal(plain_read(bytes, strlen(bytes), &plain), 0);
	assert_int_equal(plain.len, strlen(expected));
	assert_memory_equal(plain.text, expected, plain.len);
	plain_release(&plain);
}

/* The line of the text that begins so. */
static size_t line_of(const struct plain *plain, const char *head)
{
	size_t line = 1;

	for (size_t i = 0; i < plain->len; i++) {
		if ((!i || plain->text[i - 1] == '\n') && plain->len - i >= strlen(head) &&
		    !memcmp(plain->text + i, head, strlen(head)))
			return line;
		line += plain->text[i] == '\n';
	}
	fail_msg("no line begins with %s", head);
	return 0;
}

static void a_page_of_an_archive(void **state)
{
	auto_buf struct buf bytes = BUF_INIT;
	struct plain plain;

	(void)state;
	read_file("plain/page.html", &bytes, &plain);
	assert_string_equal(plain.title, "archive: slow builds");
	assert_string_equal(plain.author, "Ann Other");
	assert_string_equal(plain.date, "Mon, 2 Mar 2009 10:00:00 +0100");
	assert_int_equal(plain_line(&plain, line_of(&plain, "real\t0m12.250s")), 9);
	assert_int_equal(plain_line(&plain, line_of(&plain, "  user  0m3.5s")), 12);
	assert_non_null(memmem(plain.text, plain.len, "'aA b\xc2\xb5\xc2\xb1&unknown;", 18));
	/* neither scripts nor comments are text */
	assert_null(memmem(plain.text, plain.len, "0m9s", 4));
	assert_null(memmem(plain.text, plain.len, "0m8.5s", 6));
	plain_release(&plain);
}

static void quoted_where_the_head_says_so(void **state)
{
	auto_buf struct buf bytes = BUF_INIT;
	struct plain plain;

	(void)state;
	read_file("plain/quoted.txt", &bytes, &plain);
	assert_string_equal(plain.title, "a build");
	assert_int_equal(plain_line(&plain, line_of(&plain, "real 0m12.500s")), 12);
	assert_int_equal(plain_line(&plain, line_of(&plain, "user 0m1.5s")), 14);
	/* the other part is as it is */
	assert_int_equal(plain_line(&plain, line_of(&plain, "x=3D:")), 21);
	plain_release(&plain);
}

static void a_piece_of_a_quoted_mail(void **state)
{
	auto_buf struct buf bytes = BUF_INIT;
	struct plain plain;

	(void)state;
	read_file("plain/piece.txt", &bytes, &plain);
	assert_null(plain.title);
	assert_int_equal(line_of(&plain, "Builds of the tree, of which each is done three times, "
					 "here is what time says:"), 1);
	assert_int_equal(plain_line(&plain, line_of(&plain, "real 0m12.5s")), 4);
	plain_release(&plain);
}

static void a_folded_subject(void **state)
{
	auto_buf struct buf bytes = BUF_INIT;
	struct plain plain;

	(void)state;
	read_file("means/markers.txt", &bytes, &plain);
	assert_string_equal(plain.title, "cost of probes with a large load on a large system");
	assert_string_equal(plain.author, "Bob B. Other");
	plain_release(&plain);
}

static void plain_text_stays_as_it_is(void **state)
{
	static const char *const texts[] = {
		"", "a\n", "x=3D and size=16k\n", "jobs=40\n", "{\"a\": \"<html>\"}\n",
		"[<prev] [next>] <ann@example.org>\n", "1 < 2 && 3 > 2\n",
		/* joined, but not all of it is quoted-printable */
		"a line that ends as if it went on in the next one, because of its last byte =\n"
		"x = 5\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct plain plain;

		assert_int_equal(plain_read(texts[i], strlen(texts[i]), &plain), 0);
		assert_ptr_equal(plain.text, texts[i]);
		assert_int_equal(plain.len, strlen(texts[i]));
		assert_int_equal(plain_line(&plain, 3), 3);
		plain_release(&plain);
	}
}

static void odd_pages(void **state)
{
	(void)state;
	assert_plain("<html>a<br>b<BR/>c", "a\nb\nc");
	assert_plain("<html>&#60;&#x3c;&#xD800;&#1114112;&#x;&#;&lt", "<<  &#x;&#;&lt");
	assert_plain("<html>a<b", "a");
	assert_plain("<html><!-- a", "");
	assert_plain("<pre>1 <2 &amp;lt;</pre>x", "1 <2 &lt;\nx");
}

static void what_may_be_half_of_a_line(void **state)
{
	static const struct {
		const char *text;
		size_t cut;
	} cases[] = {
		{ "", 0 }, { "no figure", 0 }, { "real 3\n", 0 }, { "a 1\nthe end", 0 },
		{ "real 3", 6 }, { "a\nreal 3m", 0 }, { "a\nreal 3m0", 8 },
		{ "real\t0m1.5s", 0 }, { "1.5 real 0.5 user", 0 }, { "{\"a\": 1}", 0 },
		{ "12,345   cyc", 12 }, { "> 12,345   cyc", 14 },
		{ "10.5 seconds time elapsed", 0 }, { "  1.5 seconds time elapsed ( +- 0.1% )", 0 },
		{ "fio: pid=1, err=84, error=Invalid argument", 0 }, { "x\n1 2 ", 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(plain_cut_off(cases[i].text, strlen(cases[i].text)),
				 cases[i].cut);
}

static void colours_and_hard_blanks_are_taken_off(void **state)
{
	(void)state;
	assert_plain("\xef\xbb\xbf" "a\xc2\xa0" "b", "a b");
	assert_plain("\x1b[1;31m1\x1b[0m.5\x1b[K s\n", "1.5 s\n");
	assert_plain("1\x1b[5C2", "1 2");
	assert_plain("\x1b]0;title\x07" "a\x1b(Bb", "ab");
	assert_plain("a\x1b[31\nb\x1b\nc\x1b", "a\nb\nc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_page_of_an_archive),
		cmocka_unit_test(quoted_where_the_head_says_so),
		cmocka_unit_test(a_piece_of_a_quoted_mail),
		cmocka_unit_test(a_folded_subject),
		cmocka_unit_test(plain_text_stays_as_it_is),
		cmocka_unit_test(odd_pages),
		cmocka_unit_test(what_may_be_half_of_a_line),
		cmocka_unit_test(colours_and_hard_blanks_are_taken_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
