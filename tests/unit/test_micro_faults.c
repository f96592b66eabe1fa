// SPDX-License-Identifier: GPL-3.0-or-later
/* Page faults: what was not a fault of the kind that is measured does not count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "workloads/micro/bench.h"

static const struct micro_ops *ops_of(const char *name)
{
	for (const struct micro_bench *b = micro_benches; b->name; b++)
		if (!strcmp(b->name, name))
			return b->ops;
	fail_msg("no bench %s", name);
	return NULL;
}

static void a_fault_a_page(void **state)
{
	const struct micro_ops *ops = ops_of("page_fault.anon");
	struct micro_sample sample = { .n = 0 };
	struct micro_site site = { .cpu = -1 };
	struct err err;
	void *opened;

	(void)state;
	assert_int_equal(ops->open(&site, 0, &opened, &err), 0);
	assert_int_equal(ops->batch(opened, 1500, &sample), 0);
	/* under a sanitizer a fault of its shadow every eighth page comes on top */
	assert_in_range(sample.n, 1500, 1500 + 1500 / 8 + 8);
	assert_true(sample.ns > 0);
	ops->close(opened);
}

/* As when no huge page is free any more: the kernel falls back to small ones without a word. */
static void small_pages_are_not_taken_for_huge_ones(void **state)
{
	const struct micro_ops *ops = ops_of("page_fault.thp");
	struct micro_sample sample = { .n = 0 };
	struct micro_site site = { .cpu = -1 };
	struct err err;
	void *opened;

	(void)state;
	if (ops->open(&site, 0, &opened, &err)) {
		print_message("SKIP: no huge pages here: %s\n", err.text);
		skip();
	}
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
	assert_int_equal(ops->batch(opened, 20, &sample), -ENOMEM);
	assert_int_equal(sample.n, 0);
	assert_int_equal(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0), 0);
	ops->close(opened);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fault_a_page),
		cmocka_unit_test(small_pages_are_not_taken_for_huge_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
