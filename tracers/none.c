// SPDX-License-Identifier: GPL-3.0-or-later
/* Nothing is attached: the configuration that others are held against. */
#include "tracers/tracer.h"

static const struct key_spec keys[] = { { 0 } };

const struct tracer tracer_none = {
	.name = "none",
	.summary = "nothing is attached",
	.keys = keys,
};
