// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_SESSION_KERNEL_H
#define BRUNT_RUNNER_SESSION_KERNEL_H

#include "results/set.h"

/*
 * A label stands for one kernel on each host: usage error where an earlier session of label and
 * host had another build than the one that runs now. Builds of one release are told apart by their
 * build id, where that is not known by release and version.
 */
int session_check_kernel(const struct set_data *data, const char *label, struct err *err);

#endif
