// SPDX-License-Identifier: GPL-3.0-or-later
/* Options in which the configurations of two kernels differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "results/config_diff.h"

static const char base[] = "#\n# Linux/x86 6.1.0 Kernel Configuration\n#\nCONFIG_HZ=250\n"
			   "# CONFIG_PREEMPT is not set\nCONFIG_HZ_250=y\nCONFIG_OLD=m\n"
			   "CONFIG_LOCALVERSION=\"\"\n";
static const char fresh[] = "#\n# Linux/x86 6.2.0 Kernel Configuration\n#\nCONFIG_HZ=1000\n"
			    "CONFIG_PREEMPT=y\n# CONFIG_HZ_250 is not set\n"
			    "CONFIG_LOCALVERSION=\"\"\nCONFIG_NEW=y";

static void assert_diff(const char *a, const char *b, bool unknown_too, const char *expected)
{
	size_t more;
	auto_json json_t *found = config_diff(a, b, unknown_too, &more);
	auto_buf struct buf text = BUF_INIT;

	json_write(&text, found, 0);
	while (text.len && text.s[text.len - 1] == '\n')
		text.s[--text.len] = '\0';
	assert_string_equal(text.s, expected);
	assert_int_equal(more, 0);
}

static void options_that_differ_are_named_and_comments_are_not(void **state)
{
	(void)state;
	assert_diff(base, base, true, "{}");
	assert_diff(base, fresh, false,
		    "{\"CONFIG_HZ\":[\"250\",\"1000\"],\"CONFIG_HZ_250\":[\"y\",\"n\"],"
		    "\"CONFIG_PREEMPT\":[\"n\",\"y\"]}");
}

static void options_that_one_kernel_does_not_know_are_null(void **state)
{
	(void)state;
	assert_diff("CONFIG_OLD=m\n", "CONFIG_NEW=y\n", true,
		    "{\"CONFIG_NEW\":[null,\"y\"],\"CONFIG_OLD\":[\"m\",null]}");
	assert_diff("CONFIG_OLD=m\n", "CONFIG_NEW=y\n", false, "{}");
	assert_diff("", "", true, "{}");
	assert_diff("# CONFIG_\nCONFIG_\n# CONFIG_A\n= is not set", "", true, "{}");
}

static void a_list_that_is_too_long_ends_and_is_counted(void **state)
{
	auto_buf struct buf text = BUF_INIT;
	json_t *found;
	size_t more;

	(void)state;
	for (int i = 0; i < CONFIG_DIFF_MAX + 7; i++)
		buf_addf(&text, "CONFIG_X%03d=y\n", i);
	found = config_diff(text.s, "", true, &more);
	assert_int_equal(json_object_size(found), CONFIG_DIFF_MAX);
	assert_int_equal(more, 7);
	json_decref(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_that_differ_are_named_and_comments_are_not),
		cmocka_unit_test(options_that_one_kernel_does_not_know_are_null),
		cmocka_unit_test(a_list_that_is_too_long_ends_and_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
