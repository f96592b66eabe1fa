// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/trace_size.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "results/reports/layout.h"
#include "results/set.h"

/* Of a record without a pdu, which nearly all are. */
#define EVENT_BYTES 48

static const struct set_run *last_run(const struct set_data *data, const char *label,
				      const char *workload, const char *config)
{
	for (size_t i = data->nruns; i-- > 0;) {
		const struct set_run *run = &data->runs[i];

		if (run->status == RUN_OK && !strcmp(run->config, config) &&
		    !strcmp(run->workload, workload) && !strcmp(run->label, label) &&
		    run->ledger.events >= 0)
			return run;
	}
	return NULL;
}

static size_t count_runs(const struct plan *plan, size_t workload, size_t config)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->nsteps; i++)
		n += plan->steps[i].config == config &&
		     plan->points[plan->steps[i].point].workload == workload;
	return n;
}

static void add_known(const struct config *config, const struct set_run *run, size_t runs,
		      struct buf *out)
{
	const char *keep = keys_get(&config->tracer_keys, "keep");
	uint64_t bytes = (uint64_t)llround(run->ledger.events) * EVENT_BYTES;
	bool kept = false;

	if (keep)
		units_parse_bool(keep, &kept);
	buf_add(out, "traces of about ");
	units_add_size(out, bytes);
	buf_addf(out, " a run (%.0f events of %d bytes in run %u), ", run->ledger.events, EVENT_BYTES,
		 run->number);
	if (kept) {
		units_add_size(out, bytes * runs);
		buf_addf(out, " in %zu run%s", runs, runs == 1 ? "" : "s");
	} else {
		buf_add(out, "removed after each");
	}
}

static void add_one(const struct experiment *experiment, const struct plan *plan,
		    const struct set_data *data, const char *label, size_t workload, size_t c,
		    struct buf *out)
{
	const struct config *config = &experiment->configs[c];
	const char *name = experiment->workloads[workload].name;
	const struct set_run *run = data ? last_run(data, label, name, config->name) : NULL;

	layout_escape(out, config->name);
	if (experiment->nworkloads > 1)
		buf_addf(out, ", %s", name);
	buf_add(out, ": ");
	if (run)
		add_known(config, run, count_runs(plan, workload, c), out);
	else
		buf_add(out, "how large its traces get is not known before a run of it in the set");
	buf_addc(out, '\n');
}

void trace_size_add(const struct experiment *experiment, const struct plan *plan,
		    const char *set_path, const char *label, struct buf *out)
{
	struct set_data data;
	bool is_set = set_is(set_path) && set_read(set_path, &data, NULL) == 0;

	for (size_t w = 0; w < experiment->nworkloads; w++)
		for (size_t c = 0; c < experiment->nconfigs; c++)
			if (experiment->configs[c].tracer->needs_devices &&
			    experiment->workloads[w].type->has_devices)
				add_one(experiment, plan, is_set ? &data : NULL, label, w, c, out);
	if (is_set)
		set_data_release(&data);
}
