// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_UNITS_H
#define BRUNT_BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Numbers as users write them. All of these take the whole string or fail with -EINVAL (-ERANGE
 * where it does not fit), never look at the locale, and leave *out alone on failure.
 */
int units_parse_u64(const char *s, uint64_t *out);
int units_parse_double(const char *s, double *out); /* decimal point only, no nan, inf or hex */
int units_parse_size(const char *s, uint64_t *bytes); /* 4096, 4k, 16M, 1G, 2T: powers of 1024 */
int units_parse_time(const char *s, int64_t *ns);     /* 500ms, 10s, 1.5s, 2m; no unit: seconds */
int units_parse_bool(const char *s, bool *out);	      /* yes no true false on off 1 0 */

/* "1 GiB", "16 MiB", "1.5 GiB", "512 B": exact where it is a whole number of the unit. */
void units_add_size(struct buf *buf, uint64_t bytes);

/* "3 ms", "1.25 s", "2 min 05 s", "1 h 20 min". */
void units_add_duration(struct buf *buf, int64_t ns);

#endif
