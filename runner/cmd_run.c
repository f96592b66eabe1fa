// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/files.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "results/set.h"
#include "runner/command.h"
#include "runner/message.h"
#include "runner/run_arguments.h"
#include "runner/session.h"
#include "runner/show_report.h"

static const char *const usage[] = {
	"brunt run WORKLOAD [KEY=VALUE]... [-t TRACER[,KEY=VALUE]...]... [-c NAME[,KEY=VALUE]...]...",
	"brunt run command [KEY=VALUE]... [OPTION]... -- PROGRAM [ARGUMENT]...",
	"brunt run -f EXPERIMENT.yaml",
	"brunt run -o SET [-l LABEL] [--add N]      the experiment of a set once more",
	NULL,
};

static const struct option_spec options_table[] = {
	RUN_EXPERIMENT_OPTIONS,
	{ "force", 0, NULL, "run although another brunt measures here" },
	{ "quiet", 'q', NULL, "no progress, no report at the end" },
	{ 0 },
};

static void tell_where(const char *set_path, const struct session_outcome *outcome)
{
	if (outcome->failed || outcome->invalid)
		message("%zu run(s) failed, %zu invalid; see brunt report %s", outcome->failed,
			outcome->invalid, set_path);
	if (outcome->broken)
		message("%zu round(s) missing after retries", outcome->broken);
	message("the results are in %s", set_path);
}

static int run(const struct options *options, int *status, struct err *err)
{
	struct run_arguments arguments;
	struct session_outcome outcome = { 0 };
	struct session_request request;
	struct err report_err = { 0 };
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
			.force = options_has(options, "force"),
			.quiet = options_has(options, "quiet"),
		};
		undo_warn_of_dead_sessions();
		rc = session_run(&request, &outcome, err);
		if (!rc || outcome.runs) {
			if (!request.quiet &&
			    show_report(arguments.set_path, &report_err))
				message("%s", report_err.text);
			tell_where(arguments.set_path, &outcome);
		}
		if (rc == -EINTR && set_is(arguments.set_path))
			message("stopped; brunt resume %s goes on", arguments.set_path);
	}
	*status = outcome.broken ? EXIT_UNTRUSTED : EXIT_OK;
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
