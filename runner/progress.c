// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/units.h"
#include "results/reports/layout.h"

static struct {
	bool active, quiet, live, line_shown;
	size_t total, done;
	int64_t started_ns;
	char *what; /* of the current run */
} progress;

void progress_start(size_t total_runs, bool quiet)
{
	progress.active = true;
	progress.quiet = quiet;
	progress.live = isatty(STDERR_FILENO);
	progress.total = total_runs;
	progress.done = 0;
	progress.started_ns = clock_mono_ns();
}

void progress_clear_line(void)
{
	if (progress.line_shown)
		fputs("\r\033[K", stderr);
	progress.line_shown = false;
}

/* Elapsed time and, once a run is done, what is left at the pace so far. */
static void add_times(struct buf *out)
{
	int64_t elapsed = clock_mono_ns() - progress.started_ns;
	size_t left = progress.total > progress.done ? progress.total - progress.done : 0;

	buf_add(out, ", elapsed ");
	units_add_duration(out, elapsed);
	if (progress.done && left) {
		buf_add(out, ", about ");
		units_add_duration(out, elapsed / (int64_t)progress.done * (int64_t)left);
		buf_add(out, " left");
	}
}

void progress_run_starts(unsigned int round, unsigned int rounds, const char *config,
			 const char *point, bool warmup)
{
	auto_buf struct buf line = BUF_INIT, what = BUF_INIT;

	buf_addf(&what, "%s %u", warmup ? "warm-up" : "round", round);
	if (round <= rounds)
		buf_addf(&what, "/%u", rounds);
	else
		buf_add(&what, " (once more)");
	buf_add(&what, ", ");
	layout_escape(&what, config);
	if (*point) {
		buf_add(&what, ", ");
		layout_escape(&what, point);
	}
	free(progress.what);
	progress.what = buf_steal(&what);
	if (progress.done >= progress.total)
		progress.total = progress.done + 1;
	if (!progress.active || progress.quiet || !progress.live)
		return;
	buf_addf(&line, "run %zu/%zu: %s", progress.done + 1, progress.total, progress.what);
	add_times(&line);
	fprintf(stderr, "\r\033[K%s", line.s);
	progress.line_shown = true;
}

void progress_run_ended(const char *status, double real_s, const char *reason)
{
	auto_buf struct buf line = BUF_INIT;

	progress.done++;
	if (!progress.active || progress.quiet)
		return;
	if (progress.live && !strcmp(status, "ok"))
		return;
	progress_clear_line();
	buf_addf(&line, "run %zu/%zu: %s: %s", progress.done, progress.total, progress.what, status);
	if (isfinite(real_s))
		buf_addf(&line, ", real %.4g s", real_s);
	if (reason) {
		buf_add(&line, ": ");
		layout_escape(&line, reason);
	}
	add_times(&line);
	fprintf(stderr, "%s\n", line.s);
}

void progress_end(void)
{
	progress_clear_line();
	free(progress.what);
	progress.what = NULL;
	progress.active = false;
}
