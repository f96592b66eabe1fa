// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "results/report.h"
#include "results/report_diff.h"
#include "results/reports/layout.h"
#include "runner/command.h"

enum { REPORT_LIMIT = 1 << 30, MAX_SETS = 1000 };

static const char *const usage[] = {
	"brunt verify SET|REPORT...      REPORT: what --format json of report or compare wrote",
	NULL,
};

static const struct option_spec options_table[] = { { 0 } };

static void more_help(struct buf *out)
{
	buf_add(out,
		"\nOf a report the figures are computed again from its sets, which are looked\n"
		"for where it says, then beside it. Of a set the hash is shown that reports and\n"
		"commit messages name.\n"
		"\nexit status: 0 all the same, 1 something differs or cannot be read, 2 usage\n");
}

static void print_line(const char *text)
{
	auto_buf struct buf out = BUF_INIT;

	layout_escape(&out, text);
	puts(out.s ? out.s : "");
}

/* ---- a set ---- */

static int verify_set(const char *path, bool *same, struct err *err)
{
	auto_buf struct buf line = BUF_INIT;
	struct set_data data;
	int rc = set_read(path, &data, err);

	if (rc)
		return rc;
	buf_addf(&line, "%s: %s, %zu runs, %zu summaries, %zu sessions", path, data.hash,
		 data.nruns, data.nsummaries, json_object_size(data.sessions));
	if (data.nunended)
		buf_addf(&line, ", %zu runs without an end", data.nunended);
	if (data.skipped)
		buf_addf(&line, ", %zu lines or files that cannot be read", data.skipped);
	print_line(line.s);
	*same = !data.skipped;
	set_data_release(&data);
	return 0;
}

/* ---- a report ---- */

/* Where a set is that a report names: there, or beside the report; NULL: nowhere. */
static char *find_set(const char *report, const char *named)
{
	auto_free char *copy = xstrdup(report), *base = xstrdup(named);
	const char *folder = dirname(copy);
	char *path = xstrdup(named);

	if (set_is(path))
		return path;
	free(path);
	path = files_join(folder, named);
	if (*named != '/' && set_is(path))
		return path;
	free(path);
	path = files_join(folder, basename(base));
	if (set_is(path))
		return path;
	free(path);
	return NULL;
}

/* The set under the name that the report has for it. */
static int read_named_set(const char *report, const char *named, struct set_data *data,
			  struct err *err)
{
	auto_free char *path = find_set(report, named);
	int rc;

	if (!path)
		return err_set(err, ENOENT, "%s: the set %s is neither there nor beside it", report,
			       named);
	rc = set_read(path, data, err);
	if (rc)
		return rc;
	free(data->path);
	data->path = xstrdup(named);
	return 0;
}

/* What the sets give now, as the JSON report of the same options. */
static int compute(const json_t *report, const struct set_data *sets, size_t n, json_t **out,
		   struct err *err)
{
	const struct report_options report_options = { .width = 72 };
	struct analysis_options options;
	struct analysis_side sides[2] = { { 0 } };
	auto_buf struct buf text = BUF_INIT;
	struct analysis analysis;
	int rc;

	report_read_back_options(report, &options, sides);
	rc = analysis_make(sets, n, &options, &analysis, err);
	if (rc)
		return rc;
	rc = report_find("json")->write(&analysis, &report_options, &text, err);
	analysis_release(&analysis);
	return rc ? rc : json_parse(text.s, text.len, "report", out, err);
}

static int compare_with_sets(const char *path, const json_t *report, const struct set_data *sets,
			     size_t n, bool *same, struct err *err)
{
	auto_json json_t *computed = NULL;
	auto_words struct words lines = WORDS_INIT;
	auto_buf struct buf line = BUF_INIT;
	int rc = compute(report, sets, n, &computed, err);

	if (rc)
		return err_context(err, rc, "%s", path);
	report_diff(report, computed, &lines);
	for (size_t i = 0; i < lines.n; i++)
		print_line(lines.v[i]);
	buf_addf(&line, "%s: %zu groups, %zu comparisons: ", path,
		 json_array_size(json_object_get(computed, "groups")),
		 json_array_size(json_object_get(computed, "comparisons")));
	if (lines.n)
		buf_addf(&line, "%zu difference%s", lines.n, lines.n == 1 ? "" : "s");
	else
		buf_add(&line, "all as the sets give them");
	print_line(line.s);
	*same = !lines.n;
	return 0;
}

static int verify_report(const char *path, bool *same, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	auto_json json_t *report = NULL;
	const json_t *named, *set;
	struct set_data *sets;
	size_t n = 0, i;
	int rc = files_read_at(AT_FDCWD, path, REPORT_LIMIT, &text);

	if (rc)
		return err_sys(err, -rc, "%s", path);
	rc = json_parse(text.s ? text.s : "", text.len, path, &report, err);
	if (rc)
		return err_context(err, rc, "neither a set nor a JSON report");
	named = json_object_get(report, "sets");
	if (!json_array_size(named) || json_array_size(named) > MAX_SETS ||
	    !json_is_array(json_object_get(report, "comparisons")))
		return err_set(err, EINVAL, "%s is no JSON report of brunt's that names its sets",
			       path);
	sets = xcalloc(json_array_size(named), sizeof(*sets));
	json_array_foreach(named, i, set) {
		if (!rc && json_is_null(json_object_get(set, "hash")))
			rc = err_set(err, EINVAL, "%s is of figures that were given to compare "
				     "--summary, and of no set: there is nothing to compute it from",
				     path);
		if (!rc)
			rc = read_named_set(path, json_get_text(set, "set", ""), &sets[n], err);
		n += !rc;
	}
	if (!rc)
		rc = compare_with_sets(path, report, sets, n, same, err);
	for (i = 0; i < n; i++)
		set_data_release(&sets[i]);
	free(sets);
	return rc;
}

static int run(const struct options *options, int *status, struct err *err)
{
	if (!options->arguments.n)
		return err_usage(err, "verify what? A set, or a report as JSON");
	for (size_t i = 0; i < options->arguments.n; i++) {
		const char *path = options->arguments.v[i];
		bool same = true;
		int rc = set_is(path) ? verify_set(path, &same, err) :
					verify_report(path, &same, err);

		if (rc)
			return rc;
		if (!same)
			*status = EXIT_FAILED;
	}
	return 0;
}

const struct command command_verify = {
	.name = "verify",
	.summary = "computes a report's figures again from its set",
	.usage = usage,
	.options = options_table,
	.more_help = more_help,
	.run = run,
};
