// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_CONFIG_DIFF_H
#define BRUNT_RESULTS_CONFIG_DIFF_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define CONFIG_DIFF_MAX 40

/*
 * The options in which two kernel configurations (texts as /proc/config.gz) differ: an object of
 * "CONFIG_HZ": ["250", "1000"], in the order of the names, at most CONFIG_DIFF_MAX; *more is how
 * many there are besides. What is not set is "n"; null is an option that a kernel does not know,
 * and such ones are only told with unknown_too. To be released.
 */
json_t *config_diff(const char *base, const char *fresh, bool unknown_too, size_t *more);

#endif
