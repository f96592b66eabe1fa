// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/command.h"
#include "runner/measure.h"
#include "runner/run_arguments.h"

static const char *const usage[] = {
	"brunt run WORKLOAD [KEY=VALUE]... [-t TRACER[,KEY=VALUE]...]... [-c NAME[,KEY=VALUE]...]...",
	"brunt run command [KEY=VALUE]... [OPTION]... -- PROGRAM [ARGUMENT]...",
	"brunt run -f EXPERIMENT.yaml",
	"brunt run -o SET [-l LABEL] [--add N]      the experiment of a set once more",
	NULL,
};

static const struct option_spec options_table[] = {
	RUN_EXPERIMENT_OPTIONS,
	{ "tune", 0, NULL, "governor, turbo and watchdogs as brunt check wants them; restored" },
	{ "force", 0, NULL, "although another brunt measures, or the label was another kernel's" },
	{ "quiet", 'q', NULL, "no progress, no report at the end" },
	{ 0 },
};

static int run(const struct options *options, int *status, struct err *err)
{
	struct run_arguments arguments;
	struct session_request request;
	int rc;

	rc = run_arguments_read(&arguments, options, err);
	if (rc)
		return rc;
	rc = run_arguments_check(&arguments, NULL, err);
	if (!rc) {
		request = (struct session_request){
			.experiment = &arguments.experiment,
			.set_path = arguments.set_path,
			.label = arguments.label,
			.rounds = arguments.rounds,
			.until_pct = arguments.until_pct,
			.consent = &arguments.consent,
			.force = options_has(options, "force"),
			.tune = options_has(options, "tune"),
			.quiet = options_has(options, "quiet"),
		};
		rc = measure(&request, status, err);
	}
	run_arguments_release(&arguments);
	return rc;
}

const struct command command_run = {
	.name = "run",
	.summary = "measure: rounds of every configuration, into a set",
	.usage = usage,
	.options = options_table,
	.more_help = run_more_help,
	.run = run,
};
