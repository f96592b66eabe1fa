// SPDX-License-Identifier: GPL-3.0-or-later
/* What the module tables add to the help of run and plan. */
#include "base/xalloc.h"
#include "machine/setting.h"
#include "runner/run_arguments.h"
#include "tracers/tracer.h"
#include "workloads/workload.h"

static void add_line(struct buf *out, const char *name, const char *summary)
{
	size_t start = out->len;

	buf_addf(out, "  %s", name);
	buf_pad_to(out, start, 14);
	buf_addf(out, "%s\n", summary);
}

void run_more_help(struct buf *out)
{
	buf_add(out, "\nworkloads (brunt list workloads NAME shows the keys):\n");
	for (const struct workload *const *w = workloads; *w; w++)
		add_line(out, (*w)->name, (*w)->summary);
	buf_add(out, "\ntracers (brunt list tracers NAME shows the keys):\n");
	for (const struct tracer *const *t = tracers; *t; t++)
		add_line(out, (*t)->name, (*t)->summary);
	buf_add(out, "\nkeys of -c: tracer, tracer.KEY, any key of the workload, and settings:\n");
	for (const struct setting *const *s = settings; *s; s++) {
		auto_free char *name = xasprintf("%s.NAME", (*s)->name);

		add_line(out, name, (*s)->summary);
	}
	buf_add(out, "\nSizes take k, M, G (powers of 1024), times ms, s, m. In -c and -t a comma\n"
		     "ends a value (\\, is a comma), lists inside a value use +.\n"
		     "\nexit status: 0 ok, 1 failure, 2 usage, 4 runs failed or were invalid,\n"
		     "5 refused for safety, 77 something is missing, 128+N ended by signal N\n");
}
