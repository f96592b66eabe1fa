// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "machine/disk_names.h"

static char folder[] = "/tmp/brunt-test-XXXXXX";

static void put(const char *name, const char *text)
{
	auto_free char *path = files_join(folder, name);
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(files_write_all(fd, text, strlen(text)), 0);
}

static void forget(const char *name)
{
	auto_free char *path = files_join(folder, name);

	assert_int_equal(unlink(path), 0);
}

/* The words of one, joined by blanks with the folder as "F"; NULL: refused. */
static char *expand(const char *word, bool patterns, struct err *err)
{
	auto_words struct words given = WORDS_INIT, out = WORDS_INIT;
	auto_buf struct buf text = BUF_INIT;

	words_add(&given, word);
	if (disk_names_expand(&given, patterns, &out, err))
		return NULL;
	for (size_t i = 0; i < out.n; i++)
		buf_addf(&text, "%s%s", i ? " " : "",
			 strncmp(out.v[i], folder, strlen(folder)) ? out.v[i] :
								    out.v[i] + strlen(folder) + 1);
	return xstrdup(text.s);
}

static void assert_expands(const char *name, const char *expected)
{
	auto_free char *word = *name == '@' ? xasprintf("@%s/%s", folder, name + 1) :
					      files_join(folder, name);
	struct err err = { .text = "" };
	auto_free char *is = expand(word, true, &err);

	if (!is)
		fail_msg("%s", err.text);
	assert_string_equal(is, expected);
}

static void patterns_give_what_is_there_in_the_order_of_numbers(void **state)
{
	(void)state;
	put("d10", "");
	put("d9", "");
	put("e1", "");
	assert_expands("d*", "d9 d10");
	assert_expands("[de]1*", "d10 e1");
	assert_expands("z*", "z*"); /* for the guard to say so */
	assert_expands("d9", "d9");
	forget("d10");
	forget("d9");
	forget("e1");
}

static void lists_have_comments_and_blank_lines(void **state)
{
	(void)state;
	put("list", "# all\n\n  no-such-a # first\r\n\tno-such-b\nno-such-c");
	assert_expands("@list", "no-such-a no-such-b no-such-c");
	forget("list");
}

static void wrong_lists_and_patterns_are_refused(void **state)
{
	auto_free char *list = xasprintf("@%s/list", folder);
	auto_free char *none = xasprintf("@%s/none", folder);
	struct err err;

	(void)state;
	put("list", "# nothing\n");
	assert_null(expand(list, true, &err));
	assert_int_equal(err.status, EXIT_USAGE);
	assert_non_null(strstr(err.text, "names no device"));
	put("list", "@list\n");
	assert_null(expand(list, true, &err));
	assert_non_null(strstr(err.text, "no lists"));
	put("list", "sd*\n");
	assert_null(expand(list, false, &err));
	assert_non_null(strstr(err.text, "nobody has looked at"));
	assert_null(expand("no-such-*", false, &err));
	assert_int_equal(err.status, EXIT_USAGE);
	assert_null(expand(none, true, &err));
	assert_non_null(strstr(err.text, "No such file"));
	forget("list");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_give_what_is_there_in_the_order_of_numbers),
		cmocka_unit_test(lists_have_comments_and_blank_lines),
		cmocka_unit_test(wrong_lists_and_patterns_are_refused),
	};
	int failed;

	if (!mkdtemp(folder))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(folder);
	return failed;
}
