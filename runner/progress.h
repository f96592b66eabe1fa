// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_PROGRESS_H
#define BRUNT_RUNNER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a person sees while it runs, on stderr: a live line on a terminal, a plain line a run
 * otherwise. Nothing is printed between a run's start and end.
 */
void progress_start(size_t total_runs, bool quiet);
void progress_run_starts(unsigned int round, unsigned int rounds, const char *config,
			 const char *point, bool warmup);
void progress_run_ended(const char *status, double real_s, const char *reason);

/* Removes the live line, so that a message can be printed; safe at any time. */
void progress_clear_line(void);
void progress_end(void);

#endif
