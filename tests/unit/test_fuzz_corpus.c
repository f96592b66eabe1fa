// SPDX-License-Identifier: GPL-3.0-or-later
/* Every fixture, whole and cut off, through every parser; and long lines of one kind of byte. */
#include <fcntl.h>
#include <ftw.h>
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
#include "tests/fuzz/fuzz_parsers.c"

enum { CUTS = 40, LONG = 1 << 18 };

static size_t files_seen;

static int replay_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	auto_buf struct buf bytes = BUF_INIT;

	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	assert_int_equal(files_read_at(AT_FDCWD, path, 16 << 20, &bytes), 0);
	/* what is printed last before a crash says which file it was */
	fprintf(stderr, "# %s, %zu bytes\n", path, bytes.len);
	for (size_t i = 1; i <= CUTS; i++)
		LLVMFuzzerTestOneInput((const uint8_t *)bytes.s, bytes.len * i / CUTS);
	files_seen++;
	return 0;
}

/* An escape that nothing ends goes to the end of its line, of which nothing is left. */
static void a_page_whose_last_line_is_an_escape(void **state)
{
	static const char page[] = "<!DOCTYPE html>\n<pre>real 0m1s\nuser 0m1s\n\x1b]0;title";

	(void)state;
	LLVMFuzzerTestOneInput((const uint8_t *)page, sizeof(page) - 1);
}

static void fixtures(void **state)
{
	const char *tests = getenv("BRUNT_TESTS");
	auto_free char *folder = files_join(tests ? tests : "tests", "fixtures");

	(void)state;
	assert_int_equal(nftw(folder, replay_file, 16, FTW_PHYS), 0);
	assert_true(files_seen > 10);
}

static void nothing(void **state)
{
	(void)state;
	LLVMFuzzerTestOneInput(NULL, 0);
	LLVMFuzzerTestOneInput((const uint8_t *)"\0", 1);
	LLVMFuzzerTestOneInput((const uint8_t *)"\n", 1);
}

/* What a parser whose time grows with the square of a line's length would not survive. */
static void long_lines(void **state)
{
	static const char *const pieces[] = { "|", "> ", "1:", "9", ":", "real ", "real 0m1s ",
					      " ", "\xff", "- ", "run 1 ", "1.0u 1.0s ", "\t" };

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		auto_buf struct buf bytes = BUF_INIT;

		while (bytes.len < LONG)
			buf_add(&bytes, pieces[i]);
		LLVMFuzzerTestOneInput((const uint8_t *)bytes.s, bytes.len);
		buf_add(&bytes, "\nreal 0m1s\n");
		LLVMFuzzerTestOneInput((const uint8_t *)bytes.s, bytes.len);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixtures),
		cmocka_unit_test(a_page_whose_last_line_is_an_escape),
		cmocka_unit_test(nothing),
		cmocka_unit_test(long_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
