// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_TRAILER_H
#define BRUNT_RUNNER_TRAILER_H

#include "base/buf.h"
#include "results/analysis.h"

/*
 * A line for a commit message, as git interpret-trailers reads them:
 * "Benchmarked: brunt 0.1.0, set sha256:3f1c9a02d1e4, sys +12.3% [8.1, 16.4]". What was shown to
 * change stands in it; where nothing was, real or the first headline metric, with its verdict. With
 * several pairs, or two sets, the names of the sides stand before. The beginning of the hash is
 * enough for `brunt verify` to be held against it.
 */
void trailer_add(const struct analysis *analysis, struct buf *out);

#endif
