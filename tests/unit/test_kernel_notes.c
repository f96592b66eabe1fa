// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "machine/kernel_notes.h"

/* As /sys/kernel/notes begins: a note of Xen, then the build id, of four bytes here. */
static const unsigned char notes[] = {
	4, 0, 0, 0, 6, 0, 0, 0, 6, 0, 0, 0, 'X', 'e', 'n', 0, 'l', 'i', 'n', 'u', 'x', 0, 0, 0,
	4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xde, 0xad, 0x00, 0x0f,
};

static void id_is_found_behind_other_notes(void **state)
{
	auto_buf struct buf id = BUF_INIT;

	(void)state;
	assert_int_equal(kernel_notes_build_id(notes, sizeof(notes), &id), 0);
	assert_string_equal(id.s, "dead000f");
}

static void note_of_another_name_is_no_id(void **state)
{
	unsigned char other[sizeof(notes)];
	auto_buf struct buf id = BUF_INIT;

	(void)state;
	memcpy(other, notes, sizeof(notes));
	other[36] = 'Q';
	assert_int_equal(kernel_notes_build_id(other, sizeof(other), &id), -ENOENT);
	assert_int_equal(id.len, 0);
}

/* Each length on a heap block of just that size, so that a sanitizer sees a step beyond it. */
static void cut_notes_give_nothing(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof(notes); n++) {
		auto_free char *cut = xmalloc(n ? n : 1);
		auto_buf struct buf id = BUF_INIT;

		memcpy(cut, notes, n);
		assert_int_equal(kernel_notes_build_id(cut, n, &id), -ENOENT);
	}
}

static void lengths_that_overflow_give_nothing(void **state)
{
	unsigned char bad[sizeof(notes)];
	auto_buf struct buf id = BUF_INIT;

	(void)state;
	memcpy(bad, notes, sizeof(notes));
	memset(bad, 0xff, 8);
	assert_int_equal(kernel_notes_build_id(bad, sizeof(bad), &id), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(id_is_found_behind_other_notes),
		cmocka_unit_test(note_of_another_name_is_no_id),
		cmocka_unit_test(cut_notes_give_nothing),
		cmocka_unit_test(lengths_that_overflow_give_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
