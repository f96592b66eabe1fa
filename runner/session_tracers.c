// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/session_tracers.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "runner/message.h"
#include "runner/session_record.h"

static int open_one(struct session_tracers *all, size_t i, const struct tracer_site *site,
		    struct err *err)
{
	const struct config *config = &all->experiment->configs[i];
	int rc;

	if (!config->tracer->open)
		return 0;
	rc = config->tracer->open(&config->tracer_keys, site, &all->states[i], err);
	all->open[i] = !rc;
	return rc;
}

/* Before the first run rather than in it. */
static int admit_targets(struct session_tracers *all, size_t i, const struct cells *cells,
			 struct err *err)
{
	const struct tracer *tracer = all->experiment->configs[i].tracer;
	int rc = 0;

	for (size_t p = 0; !rc && p < cells->plan->npoints; p++) {
		const struct instance *instance = cells_find(cells, p, i);
		const struct workload *type = cells->experiment->workloads[instance->workload].type;
		struct target target = { 0 };

		if (!type->devices)
			continue;
		type->devices(instance->state, &target);
		target = target_for_tracer(&target);
		if (tracer->needs_devices && !target.ndevices)
			rc = err_usage(err, "%s has no block devices here that could be traced",
				       type->name);
		if (!rc && tracer->admit)
			rc = tracer->admit(all->states[i], &target, err);
	}
	return rc;
}

int session_tracers_open(struct session_tracers *all, const char *session, struct undo *undo,
			 const char *set_path, const struct cells *cells, struct err *err)
{
	const struct experiment *experiment = cells->experiment;
	const struct tracer_site site = { session, undo, set_path };
	int rc = 0;

	all->experiment = experiment;
	all->states = xcalloc(experiment->nconfigs, sizeof(*all->states));
	all->open = xcalloc(experiment->nconfigs, sizeof(*all->open));
	for (size_t i = 0; !rc && i < experiment->nconfigs; i++) {
		rc = open_one(all, i, &site, err);
		if (!rc)
			rc = admit_targets(all, i, cells, err);
		if (rc)
			err_context(err, rc, "tracer %s", experiment->configs[i].tracer->name);
	}
	return rc;
}

int session_tracers_record(const struct session_tracers *all, const struct set_data *old,
			   json_t *session, bool quiet, struct err *err)
{
	const struct config *config;
	const struct tracer *tracer;
	const char *backend, *reason;
	json_t *object;
	int rc;

	for (size_t i = 0; i < all->experiment->nconfigs; i++) {
		config = &all->experiment->configs[i];
		tracer = config->tracer;
		backend = tracer->backend ? tracer->backend(all->states[i]) : NULL;
		reason = tracer->reason ? tracer->reason(all->states[i]) : NULL;
		rc = session_check_backend(old, config->name, backend, err);
		if (rc)
			return rc;
		object = json_pack("{s:o,s:s}", "name", json_text(config->name), "tracer",
				   tracer->name);
		json_object_set_new(object, "backend", json_text(backend));
		if (reason)
			json_object_set_new(object, "backend_reason", json_text(reason));
		json_array_append_new(json_object_get(session, "configs"), object);
		if (reason && !quiet)
			message("%s: traced by %s, since %s", config->name, backend, reason);
	}
	return 0;
}

void session_tracers_close(struct session_tracers *all)
{
	for (size_t i = all->open ? all->experiment->nconfigs : 0; i-- > 0;)
		if (all->open[i])
			all->experiment->configs[i].tracer->close(all->states[i]);
	free(all->states);
	free(all->open);
	*all = (struct session_tracers){ 0 };
}
