// SPDX-License-Identifier: GPL-3.0-or-later
/* What a sweep of an IO storm shows, against the swept key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/process.h"
#include "results/reports/curve.h"
#include "tests/unit/report_tests.h"

static const struct report_options plain = { .width = 72, .version = "0.0" };

#define CONFIGS "[{\"name\":\"none\"},{\"name\":\"blktrace\"}]"

/* Two rounds of a point: IOPS of the baseline as given, a tenth less when traced. */
static void add_point(struct made_set *made, const char *point, double iops)
{
	static const char *const configs[] = { "none", "blktrace" };

	made->point = point;
	for (unsigned int round = 1; round <= 2; round++) {
		for (int c = 0; c < 2; c++) {
			auto_free char *metrics = xasprintf(
				"{\"read.iops\":{\"value\":%.17g,\"unit\":\"1/s\","
				"\"better\":\"higher\",\"headline\":true},"
				"\"read.lat.p99\":{\"value\":%.17g,\"unit\":\"s\","
				"\"better\":\"lower\",\"headline\":true},"
				"\"read.bw\":{\"value\":%.17g,\"unit\":\"B/s\","
				"\"better\":\"higher\"}}",
				iops * (c ? .9 : 1) * (1 + round * .001), .5 / iops, iops * 4096);

			made_run(made, configs[c], round, "measured", "ok", metrics);
		}
	}
}

static void make_sweep(struct made_set *made)
{
	made->workload = "io";
	made_session(made, "2026-01-01T00:00:01Z", CONFIGS, ",\"rounds\":2");
	/* in the order of a plan, not of the values */
	add_point(made, "{\"depth\":\"16\"}", 40000);
	add_point(made, "{\"depth\":\"1\"}", 10000);
	add_point(made, "{\"depth\":\"4\"}", 20000);
}

static void bars_grow_with_the_figures_in_the_order_of_the_values(void **state)
{
	struct made_set *made = *state;
	char *report;

	make_sweep(made);
	report = report_in(made, "text", &plain);
	assert_fits(report, 72);
	assert_non_null(strstr(report,
			       "read.iops, 1/s against depth\n"
			       "1         none               10015  #########\n"
			       "          blktrace            9014  ########\n"
			       "4         none               20030  ##################\n"
			       "          blktrace           18027  ################\n"
			       "16        none               40060  ####################################\n"
			       "          blktrace           36054  ################################\n"));
	assert_non_null(strstr(report, "read.lat.p99, us against depth\n"));
	/* what gets no verdict has no curve */
	assert_null(strstr(report, "read.bw, MB/s against"));
	free(report);
}

static void with_two_swept_keys_the_longer_sweep_is_the_axis(void **state)
{
	struct made_set *made = *state;
	char *report;

	made->workload = "io";
	made_session(made, "2026-01-01T00:00:01Z", CONFIGS, ",\"rounds\":2");
	add_point(made, "{\"depth\":\"1\",\"devices\":\"loop:8:1G\"}", 80000);
	add_point(made, "{\"depth\":\"1\",\"devices\":\"loop:1:1G\"}", 10000);
	add_point(made, "{\"depth\":\"1\",\"devices\":\"loop:2:1G\"}", 20000);
	add_point(made, "{\"depth\":\"2\",\"devices\":\"loop:1:1G\"}", 15000);
	add_point(made, "{\"depth\":\"2\",\"devices\":\"loop:2:1G\"}", 25000);
	add_point(made, "{\"depth\":\"2\",\"devices\":\"loop:8:1G\"}", 90000);
	report = report_in(made, "text", &plain);
	assert_non_null(strstr(report, "read.iops, 1/s against devices, depth=1\nloop:1:1G none"));
	assert_non_null(strstr(report, "read.iops, 1/s against devices, depth=2\nloop:1:1G none"));
	assert_null(strstr(report, "against depth"));
	free(report);
}

static void words_and_single_points_have_no_curve(void **state)
{
	struct made_set *made = *state;
	char *report;

	made->workload = "io";
	made_session(made, "2026-01-01T00:00:01Z", CONFIGS, ",\"rounds\":2");
	add_point(made, "{\"engine\":\"libaio\",\"depth\":\"1\"}", 10000);
	add_point(made, "{\"engine\":\"io_uring\",\"depth\":\"1\"}", 20000);
	report = report_in(made, "text", &plain);
	assert_null(strstr(report, " against "));
	free(report);
}

static void the_page_has_a_picture_of_each(void **state)
{
	struct made_set *made = *state;
	auto_free char *path = NULL;
	char *page;

	if (process_find("gnuplot", &path)) {
		print_message("there is no gnuplot\n");
		skip();
	}
	make_sweep(made);
	page = report_in(made, "html", &plain);
	assert_non_null(strstr(page, "<figcaption>read.iops, 1/s against depth: mean"));
	assert_non_null(strstr(page, "<figcaption>read.lat.p99, us against depth: mean"));
	assert_non_null(strstr(page, "none: 1: 10015"));
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(bars_grow_with_the_figures_in_the_order_of_the_values),
		MADE_TEST(with_two_swept_keys_the_longer_sweep_is_the_axis),
		MADE_TEST(words_and_single_points_have_no_curve),
		MADE_TEST(the_page_has_a_picture_of_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
