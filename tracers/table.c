// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

#include "tracers/tracer.h"

#define TRACER(name) extern const struct tracer tracer_##name;
#include "tracers/tracers.def"
#undef TRACER

const struct tracer *const tracers[] = {
#define TRACER(name) &tracer_##name,
#include "tracers/tracers.def"
#undef TRACER
	NULL,
};

const struct tracer *tracer_find(const char *name)
{
	for (const struct tracer *const *t = tracers; *t; t++)
		if (!strcmp((*t)->name, name))
			return *t;
	return NULL;
}
