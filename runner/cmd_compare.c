// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "base/xalloc.h"
#include "results/environment_diff.h"
#include "runner/command.h"
#include "runner/gate.h"
#include "runner/message.h"
#include "runner/show_report.h"
#include "runner/trailer.h"

static const char *const usage[] = {
	"brunt compare BASE [NEW] [OPTION]...      each SET[,label=LABEL][,config=CONFIG]",
	"brunt compare --summary MEAN,SD,N MEAN,SD,N [OPTION]...",
	NULL,
};

static const struct option_spec options_table[] = {
	REPORT_FORMAT_OPTION,
	REPORT_JUDGE_OPTIONS,
	{ "fail-if-worse", 0, "PCT", "exit with 3 when a change for the worse above PCT is shown" },
	{ "require-within", 0, "PCT", "exit with 6 unless all changes are shown to be within" },
	{ "bisect", 0, NULL, "exit as git bisect run reads it: 0, 1, or 125 for undecided" },
	{ "summary", 0, "MEAN,SD,N", "judge figures that somebody published; less is better" },
	{ "trailer", 0, NULL, "a line for a commit message instead of the table" },
	{ 0 },
};

static void more_help(struct buf *out)
{
	buf_add(out,
		"\nBASE alone: each configuration against the baseline, or, where there is one\n"
		"configuration, each label against the first. \\, is a comma in a name.\n"
		"--bisect: 1 when a change for the worse above PCT of --fail-if-worse (or the\n"
		"margin) is shown, 0 when every headline metric is shown not to have one.\n"
		"\nexit status: 0 ok, 1 failure, 2 usage, 3 worse than --fail-if-worse,\n"
		"4 not to be trusted (a verdict is invalid, too few boots to tell the sides from them,\n"
		"a side lost all its runs, or a metric has another unit on each side),\n"
		"6 not shown to be within --require-within; 4 before 3 before 6\n");
}

/* ---- SET[,label=L][,config=C] ---- */

struct side {
	struct words parts;
	const char *path;
	struct analysis_side side;
};

static int read_side(const char *argument, struct side *out, struct err *err)
{
	*out = (struct side){ .parts = WORDS_INIT };
	if (set_is(argument)) { /* its name may hold commas */
		words_add(&out->parts, argument);
		out->path = out->parts.v[0];
		return 0;
	}
	words_split_at(argument, ',', &out->parts);
	out->path = out->parts.n ? out->parts.v[0] : "";
	for (size_t i = 1; i < out->parts.n; i++) {
		const char *part = out->parts.v[i];

		if (!strncmp(part, "label=", 6))
			out->side.label = part + 6;
		else if (!strncmp(part, "config=", 7))
			out->side.config = part + 7;
		else
			return err_usage(err, "%s: behind a set stands label=NAME or config=NAME, "
					      "not '%s'", argument, part);
	}
	if (!set_is(out->path))
		return err_set(err, ENOENT, "%s is no set of results", out->path);
	return 0;
}

static bool same_folder(const char *a, const char *b)
{
	auto_free char *x = realpath(a, NULL), *y = realpath(b, NULL);

	return x && y && !strcmp(x, y);
}

/* ---- the sets ---- */

/* What is compared: one set, or two, or none on disk. */
struct compared {
	struct side sides[2];
	size_t nsides;
	struct set_data sets[2];
	size_t nsets;
};

static void compared_release(struct compared *compared)
{
	for (size_t i = 0; i < compared->nsets; i++)
		set_data_release(&compared->sets[i]);
	for (size_t i = 0; i < 2; i++)
		words_release(&compared->sides[i].parts);
}

static int read_sets(const struct options *options, struct compared *out, struct err *err)
{
	int rc = 0;

	if (!options->arguments.n || options->arguments.n > 2 || options->has_rest)
		return err_usage(err, "compare takes one set or two; see brunt compare --help");
	while (!rc && out->nsides < options->arguments.n) {
		rc = read_side(options->arguments.v[out->nsides], &out->sides[out->nsides], err);
		if (!rc)
			out->nsides++;
	}
	if (!rc)
		rc = set_read(out->sides[0].path, &out->sets[0], err);
	if (rc)
		return rc;
	out->nsets = 1;
	if (out->nsides < 2 || same_folder(out->sides[0].path, out->sides[1].path))
		return 0;
	rc = set_read(out->sides[1].path, &out->sets[1], err);
	if (rc)
		return rc;
	out->nsets = 2;
	out->sides[1].side.set = 1;
	return 0;
}

/* ---- --summary ---- */

/* The step of a number's last digit as it is written: .01 of "14.68", 0 of "1e3". */
static double printed_step(const char *text)
{
	const char *point = strchr(text, '.');

	if (strpbrk(text, "eE"))
		return 0;
	return point ? pow(10, -(double)strlen(point + 1)) : 1;
}

static int read_summary(const char *text, struct set_side *out, struct err *err)
{
	auto_words struct words parts = WORDS_INIT;
	uint64_t n;

	words_split_at(text, ',', &parts);
	if (parts.n != 3 || units_parse_double(parts.v[0], &out->mean) ||
	    units_parse_double(parts.v[1], &out->sd) || out->sd < 0 ||
	    units_parse_u64(parts.v[2], &n) || n < 1 || n > UINT_MAX)
		return err_usage(err, "--summary %s: give MEAN,SD,N as 14.68,0.34,10", text);
	out->n = n;
	/* what a mean is printed with says nothing of the values, unless they were all equal */
	out->step = out->sd > 0 ? 0 : printed_step(parts.v[0]);
	return 0;
}

static int make_summaries(const struct options *options, struct compared *out, struct err *err)
{
	struct set_side sides[2] = { { .label = "base" }, { .label = "new" } };
	int rc;

	if (options->arguments.n != 1)
		return err_usage(err, "--summary takes two: --summary MEAN,SD,N MEAN,SD,N");
	if (options_has(options, "trailer"))
		return err_usage(err, "--trailer names a set; --summary has none");
	rc = read_summary(options_get(options, "summary"), &sides[0], err);
	if (!rc)
		rc = read_summary(options->arguments.v[0], &sides[1], err);
	if (rc)
		return rc;
	set_of_summaries("--summary", sides, 2, &out->sets[0]);
	out->nsets = 1;
	return 0;
}

/* ---- the answer ---- */

static int read_gate(const struct options *options, struct gate *gate, struct err *err)
{
	int rc;

	*gate = (struct gate){ .fail_if_worse_pct = NAN, .require_within_pct = NAN,
			       .bisect = options_has(options, "bisect") };
	rc = options_percent(options, "fail-if-worse", PERCENT_MAX, &gate->fail_if_worse_pct, err);
	if (!rc)
		rc = options_percent(options, "require-within", PERCENT_MAX,
				     &gate->require_within_pct, err);
	return rc;
}

/* A gate that no row can close would let everything through. */
static int check_gate(const struct gate *gate, const struct analysis *analysis, struct err *err)
{
	const struct analysis_options *options = &analysis->options;
	bool asked = gate->bisect || !isnan(gate->fail_if_worse_pct) ||
		     !isnan(gate->require_within_pct);

	if (!analysis->ncomparisons)
		return gate_says_why_nothing(analysis) ?
			       0 :
			       err_set(err, ENOENT, "the sides have no metric in common that has "
						    "runs that count");
	for (size_t i = 0; i < analysis->ncomparisons; i++)
		if (!analysis->comparisons[i].noise_floor &&
		    (analysis->comparisons[i].headline || options->all_metrics))
			return 0;
	if (!asked)
		return 0;
	return err_usage(err, "no headline metric is compared: add --all-metrics to judge "
			      "by others");
}

static void note_hosts(const struct analysis *analysis)
{
	for (size_t i = 0; i < analysis->ncomparisons; i++) {
		const struct analysis_cell *base = analysis->comparisons[i].base->cell;
		const struct analysis_cell *fresh = analysis->comparisons[i].fresh->cell;

		if (!strcmp(base->host, fresh->host))
			continue;
		message("the hosts differ too: %s and %s", base->host, fresh->host);
		return;
	}
}

/* Under one name is not always one work. */
static void note_work(const struct analysis *analysis)
{
	struct environment_pairs pairs;
	size_t n = 0;

	environment_pairs_find(analysis->sets, analysis->nsets, &pairs);
	for (size_t i = 0; i < pairs.n; i++)
		n += json_array_size(pairs.v[i].work);
	if (n)
		message("the sessions did not do the same work: %zu key%s of it differ%s, see the "
			"report", n, n == 1 ? "" : "s", n == 1 ? "s" : "");
	environment_pairs_release(&pairs);
}

static int show(const struct options *options, const struct report *report,
		const struct analysis *analysis, struct err *err)
{
	auto_buf struct buf line = BUF_INIT;

	if (!options_has(options, "trailer"))
		return report_write(options, report, analysis, err);
	trailer_add(analysis, &line);
	fputs(line.s, stdout);
	return 0;
}

static int compare(const struct options *options, struct compared *compared, int *status,
		   struct err *err)
{
	struct analysis_options analysis_options = ANALYSIS_OPTIONS_INIT;
	const struct report *report;
	struct analysis analysis;
	struct gate gate;
	int rc;

	rc = report_find_format(options, &report, err);
	if (!rc)
		rc = report_read_options(options, &analysis_options, err);
	if (!rc)
		rc = read_gate(options, &gate, err);
	if (!rc)
		rc = options_has(options, "summary") ? make_summaries(options, compared, err) :
						       read_sets(options, compared, err);
	if (rc)
		return rc;
	if (compared->nsides)
		analysis_options.base = &compared->sides[0].side;
	if (compared->nsides > 1)
		analysis_options.fresh = &compared->sides[1].side;
	rc = analysis_make(compared->sets, compared->nsets, &analysis_options, &analysis, err);
	if (rc)
		return rc;
	rc = check_gate(&gate, &analysis, err);
	if (!rc) {
		note_hosts(&analysis);
		note_work(&analysis);
		rc = show(options, report, &analysis, err);
	}
	if (!rc)
		*status = gate_status(&gate, &analysis);
	analysis_release(&analysis);
	return rc;
}

static int run(const struct options *options, int *status, struct err *err)
{
	struct compared compared = { .nsides = 0 };
	int rc = compare(options, &compared, status, err);

	compared_release(&compared);
	return rc;
}

/* git would read 1 and 2 as a bad commit, also where the words of the call are wrong. */
static int error_status(int argc, char **argv, int status)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "--bisect"))
			return GATE_UNDECIDED;
	return status;
}

const struct command command_compare = {
	.name = "compare",
	.summary = "decides: one side against another, with an exit status for scripts",
	.usage = usage,
	.options = options_table,
	.more_help = more_help,
	.error_status = error_status,
	.run = run,
};
