// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "results/report.h"
#include "runner/command.h"
#include "runner/show_report.h"
#include "runner/version.h"

static const char *const usage[] = {
	"brunt report [SET]... [OPTION]...      without a SET: the newest",
	NULL,
};

static const struct option_spec options_table[] = {
	REPORT_FORMAT_OPTION,
	{ "runs", 0, NULL, "each run's real, user and sys side by side" },
	{ "base", 0, "CONFIG", "the configuration that others are held against (the first)" },
	REPORT_JUDGE_OPTIONS,
	{ "output", 'o', "FILE", "write there instead of stdout" },
	{ 0 },
};

int report_find_format(const struct options *options, const struct report **report,
		       struct err *err)
{
	const char *name = options_get(options, "format"), *names[32], *nearest;
	size_t n = 0;

	*report = report_find(name ? name : "text");
	if (*report)
		return 0;
	while (n < ARRAY_SIZE(names) && reports[n]) {
		names[n] = reports[n]->name;
		n++;
	}
	nearest = words_nearest(name, names, n);
	if (nearest)
		return err_usage(err, "there is no format '%s'; did you mean '%s'?", name, nearest);
	return err_usage(err, "there is no format '%s'; see brunt list reports", name);
}

/* Given twice, a set would stand twice in each family. */
static int check_distinct(const struct words *paths, struct err *err)
{
	for (size_t i = 0; i < paths->n; i++) {
		for (size_t j = 0; j < i; j++) {
			auto_free char *a = realpath(paths->v[i], NULL);
			auto_free char *b = realpath(paths->v[j], NULL);

			if (a && b && !strcmp(a, b))
				return err_usage(err, "%s and %s are one set", paths->v[j],
						 paths->v[i]);
		}
	}
	return 0;
}

static int read_sets(const struct options *options, struct set_data **data, size_t *n,
		     struct err *err)
{
	size_t wanted = options->arguments.n ? options->arguments.n : 1;
	struct set_data *sets = xcalloc(wanted, sizeof(*sets));
	auto_free char *newest = NULL;
	const char *path;
	int rc = check_distinct(&options->arguments, err);

	if (!rc && !options->arguments.n)
		rc = set_newest(&newest, err);
	for (*n = 0; !rc && *n < wanted;) {
		path = newest ? newest : options->arguments.v[*n];
		if (!set_is(path))
			rc = err_set(err, ENOENT, "%s is no set of results", path);
		else
			rc = set_read(path, &sets[*n], err);
		if (!rc)
			++*n;
	}
	*data = sets;
	return rc;
}

int report_read_options(const struct options *options, struct analysis_options *out,
			struct err *err)
{
	int rc = options_percent(options, "margin", 100, &out->margin_pct, err);

	if (!rc)
		rc = options_percent(options, "effect", 100, &out->effect_pct, err);
	if (!rc && out->effect_pct <= 0)
		rc = err_usage(err, "--effect must be above 0");
	out->base_config = options_get(options, "base");
	out->metric = options_get(options, "metric");
	out->all_metrics = options_has(options, "all-metrics");
	out->one_boot = options_has(options, "one-boot");
	return rc;
}

static void to_stdout(struct buf *out)
{
	fwrite(out->s, 1, out->len, stdout);
	buf_clear(out);
}

int report_write(const struct options *options, const struct report *report,
		 const struct analysis *analysis, struct err *err)
{
	const char *file = options_get(options, "output");
	struct report_options report_options = {
		.width = file ? 72 : output_width(),
		.colour = !file && isatty(STDOUT_FILENO) && !getenv("NO_COLOR"),
		.runs = options_has(options, "runs"),
		.version = BRUNT_VERSION,
		.spill = file ? NULL : to_stdout,
	};
	auto_buf struct buf out = BUF_INIT;
	int rc;

	rc = report->write(analysis, &report_options, &out, err);
	if (rc)
		return rc;
	if (file)
		return files_replace(file, out.s, out.len, err);
	to_stdout(&out);
	return 0;
}

static void more_help(struct buf *out)
{
	buf_add(out, "\nexit status: 0 ok, 1 failure, 2 usage, 4 runs failed or were invalid,\n"
		     "77 gnuplot is missing (html)\n");
}

static int run(const struct options *options, int *status, struct err *err)
{
	struct analysis_options analysis_options = ANALYSIS_OPTIONS_INIT;
	struct set_data *sets = NULL;
	const struct report *report;
	struct analysis analysis = { 0 };
	size_t n = 0;
	int rc;

	rc = report_find_format(options, &report, err);
	if (!rc)
		rc = report_read_options(options, &analysis_options, err);
	if (rc)
		return rc;
	rc = read_sets(options, &sets, &n, err);
	if (!rc)
		rc = analysis_make(sets, n, &analysis_options, &analysis, err);
	if (!rc) {
		rc = report_write(options, report, &analysis, err);
		*status = analysis.untrusted ? EXIT_UNTRUSTED : EXIT_OK;
		analysis_release(&analysis);
	}
	for (size_t i = 0; i < n; i++)
		set_data_release(&sets[i]);
	free(sets);
	return rc;
}

const struct command command_report = {
	.name = "report",
	.summary = "what the results say: means, changes, verdicts",
	.usage = usage,
	.options = options_table,
	.more_help = more_help,
	.run = run,
};
