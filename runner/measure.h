// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_MEASURE_H
#define BRUNT_RUNNER_MEASURE_H

#include "runner/session.h"

/*
 * What run and resume do alike: a session, then its report, what is missing, where the results
 * are and how they go on. *status is the exit status; set on failure, too.
 */
int measure(const struct session_request *request, int *status, struct err *err);

#endif
