// SPDX-License-Identifier: GPL-3.0-or-later
/* A storm with and without blktrace, what reports say of it, and the texts that they should be. */
#ifndef BRUNT_TESTS_REPORT_TESTS_H
#define BRUNT_TESTS_REPORT_TESTS_H

#include "results/report.h"
#include "results/reports/layout.h"
#include "tests/unit/made_set.h"

static const struct analysis_options defaults = ANALYSIS_OPTIONS_INIT;

/* The report in a format; belongs to the caller. */
static inline char *report_in(const struct made_set *made, const char *format,
			      const struct report_options *options)
{
	struct buf out = BUF_INIT;
	struct made_analysis m;
	struct err err = { 0 };

	assert_int_equal(set_read(made->path, &m.data, &err), 0);
	free(m.data.path);
	m.data.path = xstrdup("set"); /* the folder of this test has no name that lasts */
	assert_int_equal(analysis_make(&m.data, 1, &defaults, &m.analysis, &err), 0);
	if (report_find(format)->write(&m.analysis, options, &out, &err))
		fail_msg("%s", err.text);
	made_analysis_release(&m);
	return buf_steal(&out);
}

/* BRUNT_GOLDEN=write writes the files anew, to be looked at with git diff. */
static inline void assert_golden(const char *actual, const char *name)
{
	const char *tests = getenv("BRUNT_TESTS");
	auto_free char *path = xasprintf("%s/fixtures/reports/%s", tests ? tests : "tests", name);
	auto_buf struct buf expected = BUF_INIT;
	const char *write = getenv("BRUNT_GOLDEN");

	if (write && !strcmp(write, "write")) {
		struct err err = { 0 };

		assert_int_equal(files_replace(path, actual, strlen(actual), &err), 0);
		return;
	}
	assert_int_equal(files_read_at(AT_FDCWD, path, 1 << 20, &expected), 0);
	if (!strcmp(actual, expected.s))
		return;
	fputs(actual, stderr); /* whole: print_error() cuts it off */
	fail_msg("%s is not what stands above", path);
}

/* Every line fits, ends without blanks, and holds no control character. */
static inline void assert_fits(const char *report, size_t width)
{
	auto_free char *copy = xstrdup(report);
	char *rest, *line;

	for (const char *p = report; *p; p++)
		assert_true(*p == '\n' || ((unsigned char)*p >= 0x20 && *p != 0x7f));
	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (layout_width(line) > width)
			print_error("%zu columns: %s\n", layout_width(line), line);
		assert_true(layout_width(line) <= width);
		assert_int_not_equal(line[strlen(line) - 1], ' ');
	}
	assert_null(strstr(report, "nan"));
	assert_null(strstr(report, "inf"));
}

static inline void add_line(struct made_set *made, unsigned int run, unsigned int round,
		     const char *config, unsigned int position, const char *role, double real,
		     double user, double sys, const char *more)
{
	char *line = xasprintf(
		"{\"schema\":\"1.0\",\"event\":\"end\",\"run\":%u,\"round\":%u,\"position\":%u,"
		"\"session\":\"%s\",\"host\":\"%s\",\"boot_id\":\"%s\",\"label\":\"%s\","
		"\"config\":\"%s\",\"workload\":\"%s\",\"point\":%s,\"role\":\"%s\","
		"\"metrics\":{"
		"\"real\":{\"value\":%.3f,\"unit\":\"s\",\"better\":\"lower\",\"headline\":true},"
		"\"user\":{\"value\":%.3f,\"unit\":\"s\",\"better\":\"lower\",\"headline\":true},"
		"\"sys\":{\"value\":%.3f,\"unit\":\"s\",\"better\":\"lower\",\"headline\":true},"
		"\"cpu\":{\"value\":%.3f,\"unit\":\"s\",\"better\":\"lower\",\"headline\":true},"
		"\"mkfs.real\":{\"value\":%.4f,\"unit\":\"s\",\"better\":\"lower\"}}%s}\n",
		run, round, position, made->session, made->host, made->boot, made->label, config,
		made->workload, made->point, role, real, user, sys, user + sys, real / 50, more);

	made_append(made, line);
	free(line);
}

static const struct {
	double real, user, sys;
} storm_none[10] = {
	{ 5.11, 4.08, 2.90 }, { 6.02, 4.21, 3.14 }, { 5.64, 3.99, 2.88 }, { 6.31, 4.15, 3.22 },
	{ 5.42, 4.02, 2.93 }, { 5.23, 4.25, 2.87 }, { 6.14, 4.07, 3.05 }, { 5.95, 4.17, 3.18 },
	{ 5.37, 4.01, 2.91 }, { 6.10, 4.24, 3.07 },
}, storm_traced[10] = {
	{ 5.62, 4.16, 3.29 }, { 5.84, 4.05, 3.42 }, { 5.71, 4.19, 3.31 }, { 6.02, 4.02, 3.55 },
	{ 5.91, 4.26, 3.33 }, { 5.36, 4.00, 3.24 }, { 6.41, 4.22, 3.47 }, { 5.87, 4.11, 3.44 },
	{ 6.05, 4.18, 3.26 }, { 6.27, 4.10, 3.51 },
};

static const char storm_session[] =
	",\"rounds\":10,\"environment\":{\"cpu.count\":2,\"cpu.model\":\"AMD EPYC\","
	"\"virtualisation\":\"kvm\",\"memory.total_bytes\":24696061952,"
	"\"kernel.release\":\"6.18.44\",\"kernel.version\":\"#1 SMP\",\"kernel.hz\":250,"
	"\"kernel.hz_tick_accounting\":\"tick\",\"uptime_s\":5},"
	"\"workloads\":[{\"workload\":\"storm\",\"description\":{\"devices\":["
	"{\"name\":\"loop0\",\"size_bytes\":1073741824,\"backing_fs\":\"tmpfs\"},"
	"{\"name\":\"loop1\",\"size_bytes\":1073741824,\"backing_fs\":\"tmpfs\"}]}}]";

static inline void storm_rounds(struct made_set *made, unsigned int run, double more_sys)
{
	static const char plain[] = ",\"status\":\"ok\",\"system\":{\"kthread_s\":0.53}";
	char *traced;

	add_line(made, run++, 1, "none", 1, "warmup", 9, 9, 9, plain);
	add_line(made, run++, 1, "blktrace", 2, "warmup", 9, 9, 9, plain);
	for (unsigned int i = 0; i < 10; i++) {
		traced = xasprintf(",\"status\":\"ok\",\"system\":{\"kthread_s\":0.61},"
				   "\"tracer\":{\"backend\":\"tracefs\",\"cpu_s\":0.08,"
				   "\"events\":%u,\"bytes\":6000000,\"lost\":0}%s",
				   119000 + 62 * i,
				   i == 4 ? ",\"marks\":[{\"name\":\"steal\",\"text\":"
					    "\"the host took 0.31 s\"}]" :
					    "");
		add_line(made, run++, i + 1, "none", 1 + i % 2, "measured", storm_none[i].real,
			 storm_none[i].user, storm_none[i].sys + more_sys, plain);
		add_line(made, run++, i + 1, "blktrace", 2 - i % 2, "measured",
			 storm_traced[i].real, storm_traced[i].user,
			 storm_traced[i].sys + more_sys, traced);
		free(traced);
	}
}

#define STORM_CONFIGS \
	"[{\"name\":\"none\",\"tracer\":\"none\"},{\"name\":\"blktrace\",\"tracer\":\"blktrace\"}]"

/* The kernels of the 2007 post: the second takes .4 s more of sys. */
static inline void two_labels(struct made_set *made)
{
	made->label = "2.6.23-rc6 + 2.6.23-rc6-mm1";
	made_session(made, "2026-01-01T00:00:01Z", STORM_CONFIGS, storm_session);
	storm_rounds(made, 1, 0);
	made->label = "2.6.23-rc6 + 2.6.23-rc6-mm1 + markers";
	made->session = "s2";
	made->boot = "boot2";
	made_session(made, "2026-01-01T00:00:02Z", STORM_CONFIGS,
		     ",\"rounds\":10,\"environment\":{\"cpu.count\":2,\"cpu.model\":\"AMD EPYC\","
		     "\"virtualisation\":\"kvm\",\"memory.total_bytes\":24696061952,"
		     "\"kernel.release\":\"6.18.44-markers\",\"kernel.version\":\"#2 SMP\","
		     "\"kernel.hz\":250,\"kernel.hz_tick_accounting\":\"tick\",\"uptime_s\":9}");
	storm_rounds(made, 23, .4);
}

#endif
