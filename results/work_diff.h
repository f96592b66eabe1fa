// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_WORK_DIFF_H
#define BRUNT_RESULTS_WORK_DIFF_H

#include <jansson.h>

/*
 * What two sessions did under one name: the keys of workloads, and of configurations, that both
 * have by name and that differ between them. Keys of points are left out, which are never compared
 * across.
 *
 * An array of {key, base, new}, as {"key": "command argv", "base": "true", "new": "sleep 1"}; null
 * where a side has no such key. To be released; empty: nothing is known to differ.
 */
json_t *work_diff(const json_t *base_session, const json_t *new_session);

#endif
