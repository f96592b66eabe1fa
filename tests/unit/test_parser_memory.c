// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Memory that runs out at any allocation: parsers and plain_read() say so, free what they have and
 * give what they read before. malloc() and its kin are this file's own.
 */
#include <errno.h>
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
#include "parsers/parse_all.h"
#include "parsers/plain.h"

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define OWN_MALLOC 0
#else
#define OWN_MALLOC 1
#endif

static size_t until_failure = SIZE_MAX; /* allocations; SIZE_MAX: none fails */
static long held;			/* blocks that were not freed */

#if OWN_MALLOC
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static bool fails(void)
{
	if (until_failure == SIZE_MAX)
		return false;
	if (until_failure) {
		until_failure--;
		return false;
	}
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	void *block = fails() ? NULL : __libc_malloc(size);

	held += block != NULL;
	return block;
}

void *calloc(size_t n, size_t size)
{
	void *block = fails() ? NULL : __libc_calloc(n, size);

	held += block != NULL;
	return block;
}

void *realloc(void *block, size_t size)
{
	void *grown = fails() ? NULL : __libc_realloc(block, size);

	held += !block && grown;
	return grown;
}

void free(void *block)
{
	held -= block != NULL;
	__libc_free(block);
}
#endif

/* Runs it with the first, second, ... allocation failing, until none of them does. */
static void exhaust(int (*run)(const struct buf *text, const struct parser *parser),
		    const struct buf *text, const struct parser *parser)
{
	for (size_t n = 0;; n++) {
		long before = held;
		size_t left;
		int rc;

		until_failure = n;
		rc = run(text, parser);
		left = until_failure;
		until_failure = SIZE_MAX;
		assert_int_equal(held, before);
		if (left) {
			assert_int_equal(rc, 0);
			return;
		}
		if (rc)
			assert_int_equal(rc, -ENOMEM);
		/* beyond the first ones most are alike */
		n += n > 200 ? n / 10 : 0;
	}
}

static int run_parse(const struct buf *text, const struct parser *parser)
{
	struct parsed parsed = { 0 };
	struct err err = { 0 };
	int rc = parser->parse(text->s, text->len, &parsed, &err);

	if (rc && !err.text[0])
		rc = -EINVAL; /* the contract wants words */
	parsed_release(&parsed);
	return rc;
}

static int run_recognise(const struct buf *text, const struct parser *parser)
{
	int sure = parser->recognise(text->s, text->len);

	return sure >= 0 && sure <= 100 ? 0 : -EINVAL;
}

static int run_all(const struct buf *text, const struct parser *parser)
{
	struct parse_parts parts = { .n = 0 };
	struct err err = { 0 };
	int rc = parse_all(text->s, text->len, parser, &parts, &err);

	parse_parts_release(&parts);
	return rc;
}

static int run_plain(const struct buf *text, const struct parser *parser)
{
	struct plain plain;
	int rc = plain_read(text->s, text->len, &plain);

	(void)parser;
	if (!rc)
		plain_release(&plain);
	return rc;
}

static size_t files_seen;

static int exhaust_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	auto_buf struct buf text = BUF_INIT;

	(void)ftw;
	if (type != FTW_F || st->st_size > 65536)
		return 0;
	buf_add(&text, "");
	assert_int_equal(files_read_at(AT_FDCWD, path, 1 << 20, &text), 0);
	for (size_t i = 0; parsers[i]; i++) {
		exhaust(run_parse, &text, parsers[i]);
		exhaust(run_recognise, &text, parsers[i]);
	}
	exhaust(run_all, &text, NULL);
	exhaust(run_plain, &text, NULL);
	files_seen++;
	return 0;
}

static void any_allocation_may_fail(void **state)
{
	const char *tests = getenv("BRUNT_TESTS");
	char folder[4096]; /* skip() comes back to no clean-up */

	(void)state;
	if (!OWN_MALLOC) {
		print_message("a sanitizer has the allocations\n");
		skip();
	}
	snprintf(folder, sizeof(folder), "%s/fixtures", tests ? tests : "tests");
	assert_int_equal(nftw(folder, exhaust_file, 16, FTW_PHYS), 0);
	assert_true(files_seen > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
