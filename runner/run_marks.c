// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run_marks.h"

/* A build of many short processes has some dozens a second on a quiet machine. */
#define SWITCHES_LEAST 100
#define SWITCHES_A_CPU_SECOND 200
#define FREQUENCY_LEAST 0.9 /* of the highest that a run of this process ended with */

static void mark_load(struct run *run, const struct evidence *evidence, long cpus)
{
	if (evidence->running > 0 && 2 * evidence->running >= cpus)
		run_mark(run, "load_before", "%lld other task%s ran before the start, on %ld CPU%s",
			 (long long)evidence->running, evidence->running == 1 ? "" : "s", cpus,
			 cpus == 1 ? "" : "s");
}

static void mark_frequency(struct run *run, const struct evidence *evidence)
{
	static int64_t highest_khz = -1;

	if (evidence->max_khz < 0)
		return;
	if (evidence->max_khz > highest_khz)
		highest_khz = evidence->max_khz;
	if ((double)evidence->max_khz < FREQUENCY_LEAST * (double)highest_khz)
		run_mark(run, "frequency", "the fastest CPU ended with %lld MHz, after %lld MHz in "
			 "an earlier run", (long long)evidence->max_khz / 1000,
			 (long long)highest_khz / 1000);
}

static void mark_switches(struct run *run)
{
	double switches = run_value(run, "involuntary_switches"), cpu_s = run_value(run, "cpu");

	if (switches >= SWITCHES_LEAST && switches > SWITCHES_A_CPU_SECOND * cpu_s)
		run_mark(run, "involuntary_switches",
			 "%.0f times the CPU was taken away in %.2f s of CPU", switches, cpu_s);
}

void run_marks_add(struct run *run, const struct evidence *evidence, long cpus)
{
	mark_load(run, evidence, cpus);
	if (evidence->throttled > 0)
		run_mark(run, "throttling", "CPUs were slowed for heat %lld times",
			 (long long)evidence->throttled);
	if (evidence->warnings)
		run_mark(run, "kernel_warnings", "%zu in the kernel's log, the first: %s",
			 evidence->warnings, evidence->first_warning);
	mark_frequency(run, evidence);
	mark_switches(run);
}
