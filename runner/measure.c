// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/measure.h"

#include <errno.h>

#include "machine/undo.h"
#include "results/set.h"
#include "runner/message.h"
#include "runner/show_report.h"

static void warn_of_dead_sessions(void)
{
	size_t n = undo_count_dead();

	if (n)
		message("%zu killed session%s left something behind; brunt clean undoes it", n,
			n == 1 ? "" : "s");
}

static void tell_where(const char *set_path, const struct session_outcome *outcome,
		       bool interrupted, bool quiet)
{
	if (outcome->failed || outcome->invalid)
		message("%zu run(s) failed, %zu invalid; see brunt report %s", outcome->failed,
			outcome->invalid, set_path);
	if (outcome->broken && !interrupted)
		message("%zu round(s) missing after retries", outcome->broken);
	if (!quiet)
		message("the results are in %s", set_path);
}

int measure(const struct session_request *request, int *status, struct err *err)
{
	struct session_outcome outcome = { 0 };
	struct err report_err = { 0 };
	int rc;

	warn_of_dead_sessions();
	rc = session_run(request, &outcome, err);
	if (!rc || outcome.runs) {
		if (!request->quiet && show_report(request->set_path, &report_err))
			message("%s", report_err.text);
		tell_where(request->set_path, &outcome, rc == -EINTR, request->quiet);
	}
	if (rc == -EINTR && outcome.recorded)
		message("stopped; brunt resume %s goes on", request->set_path);
	else if (rc == -EINTR)
		message("stopped before the first run");
	*status = outcome.broken ? EXIT_UNTRUSTED : EXIT_OK;
	return rc;
}
