// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "machine/cpu_list.h"

static void lists_are_read_as_sysfs_and_users_write_them(void **state)
{
	struct cpu_list list;

	(void)state;
	assert_int_equal(cpu_list_parse("0-2,5", &list), 0);
	assert_int_equal(list.bits[0], 0x27);
	assert_int_equal(cpu_list_parse("63+64-65", &list), 0);
	assert_true(list.bits[0] == 1UL << 63);
	assert_int_equal(list.bits[1], 3);
	assert_int_equal(cpu_list_parse("8191", &list), 0);
}

static void what_is_no_list_is_refused_and_leaves_the_list_alone(void **state)
{
	static const char *const wrong[] = {
		"", "a", "1-", "-1", "3-1", "1,,2", "1,", "1 2", "+1", "8192", "99999999999999999999",
	};
	struct cpu_list list = { { 7 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (!cpu_list_parse(wrong[i], &list))
			fail_msg("accepted '%s'", wrong[i]);
		assert_int_equal(list.bits[0], 7);
	}
}

static void a_process_runs_where_it_was_told_to(void **state)
{
	struct cpu_list allowed, none, is;
	int status;

	(void)state;
	assert_int_equal(cpu_list_allowed(&allowed), 0);
	is = allowed;
	assert_true(cpu_list_keep(&is, &allowed));
	assert_memory_equal(&is, &allowed, sizeof(is));
	assert_int_equal(cpu_list_parse("8191", &none), 0);
	assert_false(cpu_list_keep(&none, &allowed));
	if (fork() == 0) {
		struct cpu_list one = { { 0 } };
		size_t word = 0;

		while (!allowed.bits[word])
			word++;
		one.bits[word] = allowed.bits[word] & -allowed.bits[word];
		_exit(cpu_list_apply(&one) || cpu_list_allowed(&is) ||
		      memcmp(&one, &is, sizeof(is)));
	}
	wait(&status);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read_as_sysfs_and_users_write_them),
		cmocka_unit_test(what_is_no_list_is_refused_and_leaves_the_list_alone),
		cmocka_unit_test(a_process_runs_where_it_was_told_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
