// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_WORK_DIFF_H
#define BRUNT_RESULTS_WORK_DIFF_H

#include <jansson.h>

/*
 * What two sessions did under one name: the keys of workloads, and of configurations, that both
 * have by name and that differ between them. Keys of points are left out, which are never compared
 * across. So is what they found when they set up: a file's path may stay when what is in it
 * changes.
 *
 * An array of {key, base, new}, as {"key": "command argv", "base": "true", "new": "sleep 1"}; null
 * where a side has no such key. To be released; empty: nothing is known to differ.
 */
json_t *work_diff(const json_t *base_session, const json_t *new_session);

/*
 * Of that alone what the sessions found when they set up ("kbuild version": "6.1.1", "6.1.2"), for
 * points and configurations that both have. new_workloads is the array of a session's file.
 */
json_t *work_diff_found(const json_t *base_session, const json_t *new_workloads);

#endif
