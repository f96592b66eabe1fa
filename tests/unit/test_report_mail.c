// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/report_tests.h"

static const struct report_options plain = { .width = 120, .version = "0.0" };
static const struct report_options runs = { .width = 120, .runs = true, .version = "0.0" };

static void assert_mail(const char *report)
{
	for (const char *s = report; *s; s++)
		assert_true(*s == '\n' || (*s >= 0x20 && *s < 0x7f));
	assert_fits(report, 72);
	assert_null(strstr(report, "\n\n\n"));
	assert_int_not_equal(*report, '\n');
}

static char *mail_of(const struct made_set *made, const struct report_options *options)
{
	char *report = report_in(made, "mail", options);

	assert_mail(report);
	return report;
}

static void a_storm_reads_as_designed(void **state)
{
	struct made_set *made = *state;
	char *report;

	made->label = "6.18.44";
	made_session(made, "2026-01-01T00:00:01Z", STORM_CONFIGS, storm_session);
	storm_rounds(made, 1, 0);
	report = mail_of(made, &plain);
	assert_golden(report, "storm.mail");
	free(report);
}

static void two_labels_make_a_grid_and_a_list_of_changes(void **state)
{
	char *report;

	two_labels(*state);
	report = mail_of(*state, &plain);
	assert_golden(report, "two_labels.mail");
	free(report);
}

/* As the kernel builds of the LSM hooks post of 2005 stand there: two labels, six runs. */
static void each_run_stands_side_by_side(void **state)
{
	static const double old[6][3] = {
		{ 422.313, 385.012, 56.580 }, { 423.376, 385.412, 57.140 },
		{ 422.643, 383.840, 57.668 }, { 420.015, 383.964, 57.940 },
		{ 423.204, 383.868, 57.712 }, { 421.961, 384.416, 57.252 },
	}, fresh[6][3] = {
		{ 421.542, 385.484, 56.008 }, { 420.593, 384.184, 56.936 },
		{ 421.280, 385.408, 55.935 }, { 420.712, 384.820, 56.520 },
		{ 420.592, 384.652, 56.460 }, { 421.328, 385.284, 56.184 },
	};
	struct made_set *made = *state;
	char *report;

	made->workload = "kbuild";
	made->label = "old hooks";
	made_session(made, "2026-01-01T00:00:01Z", "[{\"name\":\"none\"}]", ",\"rounds\":6");
	for (unsigned int i = 0; i < 6; i++)
		made_times(made, "none", i + 1, old[i][0], old[i][1], old[i][2]);
	made->label = "new hooks";
	made->session = "s2";
	made->boot = "boot2";
	made_session(made, "2026-01-01T00:00:02Z", "[{\"name\":\"none\"}]", ",\"rounds\":6");
	for (unsigned int i = 0; i < 6; i++)
		made_times(made, "none", i + 1, fresh[i][0], fresh[i][1], fresh[i][2]);
	report = mail_of(made, &runs);
	assert_golden(report, "hooks.mail");
	free(report);
}

static void one_configuration_gives_a_table_of_moments(void **state)
{
	struct made_set *made = *state;
	char *report;

	made_session(made, "2026-01-01T00:00:01Z", "[{\"name\":\"none\"}]", ",\"rounds\":5");
	for (unsigned int i = 0; i < 5; i++)
		made_times(made, "none", i + 1, storm_none[i].real, storm_none[i].user,
			   storm_none[i].sys);
	report = mail_of(made, &runs);
	assert_golden(report, "single.mail");
	free(report);
}

static void no_runs_are_no_crash(void **state)
{
	char *report = mail_of(*state, &runs);

	assert_non_null(strstr(report, "No finished runs"));
	free(report);
}

static void names_are_written_in_ascii(void **state)
{
	struct made_set *made = *state;
	char *report;

	made->label = "gr\\u00f6\\u00dfe";
	made->host = "\\ud83d\\udc31";
	made_session(made, "2026-01-01T00:00:01Z", "[{\"name\":\"caf\\u00e9\"},{\"name\":\"b\"}]",
		     ",\"rounds\":3");
	for (unsigned int i = 0; i < 3; i++) {
		add_line(made, 2 * i + 1, i + 1, "caf\\u00e9", 1, "measured", 5, 4, 3,
			 ",\"status\":\"ok\"");
		add_line(made, 2 * i + 2, i + 1, "b", 2, "measured", 6, 4, 3,
			 ",\"status\":\"ok\"");
	}
	report = mail_of(made, &runs);
	assert_non_null(strstr(report, "caf\\u00e9 -> b"));
	free(report);
}

/* A set of one round whose session has these workloads and configurations. */
static char *mail_of_work(struct made_set *made, const char *configs, const char *workloads)
{
	auto_free char *more = xasprintf(",\"rounds\":1,\"workloads\":%s", workloads);

	made_session(made, "2026-01-01T00:00:01Z", configs, more);
	made_value(made, "a", 1, "real", 5);
	return mail_of(made, &plain);
}

static void the_work_is_told_in_the_words_of_its_workload(void **state)
{
	char *report = mail_of_work(
		*state, "[{\"name\":\"a\"},{\"name\":\"b\"}]",
		"[{\"workload\":\"storm\",\"keys\":{\"fs\":\"ext3\"},\"description\":{\"devices\":["
		"{\"name\":\"loop0\",\"size_bytes\":1048576}]},"
		"\"text\":\"10 loop devices of 1 GiB (tmpfs), ext3, 10 cycles, pipeline, cold\","
		"\"cells\":[{\"point\":{},\"config\":\"a\"},{\"point\":{},\"config\":\"b\"}]}]");

	assert_non_null(strstr(report, "\n10 loop devices of 1 GiB (tmpfs), ext3, 10 cycles, "
				       "pipeline, cold\n"));
	assert_null(strstr(report, "1 MiB"));
	free(report);
}

static void each_point_and_configuration_has_its_words(void **state)
{
	char *report = mail_of_work(
		*state,
		"[{\"name\":\"a\",\"argv\":\"one\"},{\"name\":\"b\",\"argv\":\"two\","
		"\"sysctl.vm.swappiness\":\"10\"}]",
		"[{\"workload\":\"w\",\"text\":\"one\",\"cells\":["
		"{\"point\":{\"jobs\":\"1\"},\"config\":\"a\"}]},"
		"{\"workload\":\"w\",\"text\":\"two\",\"cells\":["
		"{\"point\":{\"jobs\":\"1\"},\"config\":\"b\"}]},"
		"{\"workload\":\"w\",\"text\":\"both\",\"cells\":["
		"{\"point\":{\"jobs\":\"2\"},\"config\":\"a\"},"
		"{\"point\":{\"jobs\":\"2\"},\"config\":\"b\"}]},"
		"{\"workload\":\"v\",\"text\":\"other\\u001b[31m\",\"cells\":["
		"{\"point\":{},\"config\":\"a\"},{\"point\":{},\"config\":\"b\"}]}]");

	assert_non_null(strstr(report, "\nw jobs=1 a: one\nw jobs=1 b: two\nw jobs=2: both\n"
				       "v: other\\x1b[31m\nb: sysctl.vm.swappiness=10\n"));
	assert_null(strstr(report, "argv"));
	free(report);
}

/* Sets of an older brunt. */
static void work_without_words_is_told_by_its_keys(void **state)
{
	char *report = mail_of_work(
		*state, "[{\"name\":\"a\",\"argv\":\"one\"},{\"name\":\"b\"}]",
		"[{\"workload\":\"storm\",\"text\":\"words\",\"cells\":[]},"
		"{\"workload\":\"storm\",\"text\":null}]");

	assert_non_null(strstr(report, "\na: argv=one\n"));
	assert_null(strstr(report, "words"));
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(a_storm_reads_as_designed),
		MADE_TEST(two_labels_make_a_grid_and_a_list_of_changes),
		MADE_TEST(each_run_stands_side_by_side),
		MADE_TEST(one_configuration_gives_a_table_of_moments),
		MADE_TEST(no_runs_are_no_crash),
		MADE_TEST(names_are_written_in_ascii),
		MADE_TEST(the_work_is_told_in_the_words_of_its_workload),
		MADE_TEST(each_point_and_configuration_has_its_words),
		MADE_TEST(work_without_words_is_told_by_its_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
