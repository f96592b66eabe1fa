// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_TELL_H
#define BRUNT_WORKLOADS_STORM_TELL_H

#include "base/buf.h"
#include "base/keys.h"

/*
 * A storm that is set up, in words: "10 loop devices of 1 GiB (tmpfs), ext3, 10 cycles, pipeline,
 * cold", and each further key that was given. state is a struct storm.
 */
void storm_tell(const void *state, const struct keys *keys, struct buf *out);

#endif
