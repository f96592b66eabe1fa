// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Texts that break off anywhere: what is read then is what the whole text says too. A number that
 * lost its last digits, a block that lost its last row, is left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/same_figures.h"

static void check_fixture(const char *name)
{
	auto_buf struct buf text = BUF_INIT;
	struct figures whole;
	char what[64];

	figures_of_fixture(name, &text, &whole);
	for (size_t cut = 0; cut < text.len; cut++) {
		snprintf(what, sizeof(what), "cut off after %zu bytes", cut);
		figures_check_text(&whole, text.s, cut, name, what);
	}
	figures_release(&whole);
}

static void no_figure_is_half_of_another(void **state)
{
	static const char *const names[] = {
		"time/bash.txt", "time/bsd.txt", "time/busybox.txt", "time/comma-columns.txt",
		"time/csh.txt", "time/failed.txt", "time/gnu.txt", "time/gnu-verbose.txt",
		"time/mail.txt", "time/nested.txt", "time/posix.txt", "time/side-by-side.txt",
		"time/table.txt", "time/takes.txt", "time/timeformat.txt", "time/zsh.txt",
		"kernbench/kcbench.log", "kernbench/three-loads.txt", "kernbench/two-kernels.txt",
		"lmbench/labels.txt", "lmbench/raw.txt", "means/markers.txt", "means/units.txt",
		"perf-stat/repeated.txt", "perf-stat/in-a-mail.txt", "fio/normal-3.txt",
		"fio/terse-3.txt", "hyperfine/parameters.csv", "fio/one-job.json",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		check_fixture(names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_figure_is_half_of_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
