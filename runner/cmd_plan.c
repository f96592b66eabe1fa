// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "results/reports/layout.h"
#include "runner/command.h"
#include "runner/plan.h"
#include "runner/plan_from.h"
#include "runner/run_arguments.h"
#include "runner/trace_size.h"

static const char *const usage[] = {
	"brunt plan WORKLOAD [KEY=VALUE]... [-t ...]... [-c ...]... (as brunt run)",
	"brunt plan -f EXPERIMENT.yaml",
	"brunt plan --from SET [--effect PCT]      how many rounds and hours a change of PCT takes",
	NULL,
};

static const struct option_spec options_table[] = {
	RUN_EXPERIMENT_OPTIONS,
	{ "from", 0, "SET", "plan by the spread and the run times of this set" },
	{ "effect", 0, "PCT", "with --from: the change that is to be shown (2)" },
	{ "json", 0, NULL, "the resolved experiment, for brunt run -f" },
	{ 0 },
};

/* Names are the user's: nothing in them may steer the terminal. */
static void add_name(struct buf *out, const char *before, const char *name)
{
	buf_add(out, before);
	layout_escape(out, name);
}

static void add_order(const struct experiment *experiment, const struct plan *plan,
		      struct buf *out)
{
	const struct plan_step *step, *last = NULL;

	for (size_t i = 0; i < plan->nsteps; i++) {
		step = &plan->steps[i];
		if (!last || last->round != step->round || last->point != step->point ||
		    last->warmup != step->warmup) {
			const struct plan_point *point = &plan->points[step->point];

			buf_addf(out, "%s  %s %u", last ? "\n" : "",
				 step->warmup ? "warm-up" : "round", step->round);
			if (experiment->nworkloads > 1)
				add_name(out, " ", experiment->workloads[point->workload].name);
			if (*point->text) {
				add_name(out, " (", point->text);
				buf_addc(out, ')');
			}
			buf_addc(out, ':');
		}
		add_name(out, " ", experiment->configs[step->config].name);
		last = step;
	}
	buf_addc(out, '\n');
}

/* What is not heeded must not look as if it were. */
static int check_from_alone(const struct options *options, struct err *err)
{
	if (options->arguments.n || options->has_rest)
		return err_usage(err, "--from plans by a set; a workload has no place beside it");
	for (size_t i = 0; i < options->n; i++) {
		const char *name = options->v[i].spec->name;

		if (strcmp(name, "from") != 0 && strcmp(name, "effect") != 0)
			return err_usage(err, "--from plans by a set; --%s has no place beside it",
					 name);
	}
	return 0;
}

static int plan_from(const struct options *options, struct err *err)
{
	struct analysis_options analysis_options = ANALYSIS_OPTIONS_INIT;
	const char *path = options_get(options, "from");
	auto_buf struct buf out = BUF_INIT;
	struct analysis analysis;
	struct set_data data;
	int rc = check_from_alone(options, err);

	if (!rc)
		rc = options_percent(options, "effect", 100, &analysis_options.effect_pct, err);
	if (rc)
		return rc;
	if (analysis_options.effect_pct <= 0)
		return err_usage(err, "--effect must be above 0");
	rc = set_read(path, &data, err);
	if (rc)
		return rc;
	rc = analysis_make(&data, 1, &analysis_options, &analysis, err);
	if (!rc) {
		plan_from_add(&analysis, &out);
		fputs(out.s, stdout);
		analysis_release(&analysis);
	}
	set_data_release(&data);
	return rc;
}

static void add_json(const struct run_arguments *arguments, struct buf *out)
{
	auto_json json_t *json = experiment_to_json(&arguments->experiment);

	json_write(out, json, 2);
}

static void add_plan(const struct run_arguments *arguments, struct buf *out)
{
	const struct experiment *experiment = &arguments->experiment;
	struct plan plan;

	plan_make(&plan, experiment, arguments->rounds, experiment->warmup, arguments->order_seed);
	trace_size_add(experiment, &plan, arguments->set_path, arguments->label, out);
	add_name(out, "label ", arguments->label);
	buf_addf(out, ", %zu configuration%s, %zu point%s, %u rounds, %zu runs\n",
		 experiment->nconfigs, experiment->nconfigs == 1 ? "" : "s", plan.npoints,
		 plan.npoints == 1 ? "" : "s", arguments->rounds, plan.nsteps);
	if (arguments->until_pct > 0)
		buf_addf(out, "rounds end, from %u on, when the 95 %% half width of each headline "
			      "change is below %g %%\n",
			 experiment->rounds, arguments->until_pct);
	buf_addf(out, "order from seed %u", experiment->seed);
	if (arguments->order_seed != experiment->seed)
		buf_addf(out, " and %u sessions before", arguments->order_seed - experiment->seed);
	buf_add(out, ":\n");
	add_order(experiment, &plan, out);
	plan_release(&plan);
}

static int run(const struct options *options, int *status, struct err *err)
{
	struct run_arguments arguments;
	auto_buf struct buf out = BUF_INIT;
	int rc;

	*status = EXIT_OK;
	if (options_has(options, "from"))
		return plan_from(options, err);
	if (options_has(options, "effect"))
		return err_usage(err, "--effect needs --from SET: spread comes from runs");
	rc = run_arguments_read(&arguments, options, err);
	if (rc)
		return rc;
	rc = run_arguments_check(&arguments, &out, err);
	if (!rc) {
		if (options_has(options, "json")) {
			buf_clear(&out);
			add_json(&arguments, &out);
		} else {
			add_plan(&arguments, &out);
		}
		fputs(out.s, stdout);
	}
	run_arguments_release(&arguments);
	return rc;
}

const struct command command_plan = {
	.name = "plan",
	.summary = "what run would do: devices, needs and order; touches nothing",
	.usage = usage,
	.options = options_table,
	.more_help = run_more_help,
	.run = run,
};
