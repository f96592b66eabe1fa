// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/one_run.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/accounting.h"
#include "machine/evidence.h"
#include "machine/setting.h"
#include "runner/run_marks.h"

#define STEAL_LEAST_S 0.05

/* A setting that is in force. */
struct applied {
	const struct setting *family;
	const char *name;
	void *state;
};

struct running {
	const struct run_parts *parts;
	struct run_context *context;
	struct target target;
	struct applied *applied;
	size_t napplied;
	struct accounting *before, *after;
	bool interrupted;
};

/* Writes down that a hook failed. True when it did. */
static bool failed(struct running *r, const char *what, int rc, const struct err *err)
{
	if (!rc)
		return false;
	if (rc == -EINTR && interrupt_count()) {
		r->interrupted = true;
		run_fail(r->context->run, "interrupted");
	} else {
		run_fail(r->context->run, "%s: %s", what, err->text);
	}
	return true;
}

static int apply_settings(struct running *r, struct err *err)
{
	const struct keys *wanted = r->parts->settings;
	const struct setting *family;
	struct applied *applied;
	const char *key;
	int rc;

	r->applied = xcalloc(wanted->n, sizeof(*r->applied));
	for (size_t i = 0; i < wanted->n; i++) {
		family = setting_find(wanted->v[i].name, &key);
		if (!family->apply)
			continue;
		applied = &r->applied[r->napplied];
		rc = family->apply(key, wanted->v[i].value, &r->target, r->parts->undo,
				   &applied->state, err);
		if (rc)
			return rc;
		applied->family = family;
		applied->name = wanted->v[i].name;
		r->napplied++;
	}
	return 0;
}

static void restore_settings(struct running *r)
{
	struct err err = { 0 };
	struct applied *applied;
	int rc;

	while (r->napplied) {
		applied = &r->applied[--r->napplied];
		rc = applied->family->restore(applied->state, r->parts->undo, &err);
		if (rc)
			run_invalid(r->context->run, "%s was not restored: %s", applied->name,
				    err.text);
	}
	free(r->applied);
}

static void record_system(struct running *r)
{
	struct accounting_change change;
	struct run *run = r->context->run;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (!r->before || !r->after)
		return;
	accounting_between(r->before, r->after, r->context->idle_rate, &change);
	run_system(run, "busy_s", json_number(change.busy_s));
	run_system(run, "kthread_s", json_number(change.kthread_s));
	run_system(run, "irq_s", json_number(change.irq_s));
	run_system(run, "softirq_s", json_number(change.softirq_s));
	run_system(run, "iowait_s", json_number(change.iowait_s));
	run_system(run, "steal_s", json_number(change.steal_s));
	run_system(run, "span_s", json_number(change.span_s));
	/* /proc/stat counts ticks: a few of them say nothing. */
	if (change.steal_s > 0.01 * change.span_s * (double)cpus && change.steal_s >= STEAL_LEAST_S)
		run_mark(run, "steal", "the host took %.2f s of CPU in %.2f s", change.steal_s,
			 change.span_s);
}

/* The part between attach and detach: the work itself and the end of its trace. */
static void traced_part(struct running *r)
{
	const struct workload *workload = r->parts->workload;
	const struct tracer *tracer = r->parts->tracer;
	struct evidence evidence;
	struct err err = { 0 };
	bool bad = false;

	evidence_begin(&evidence);
	accounting_look(&r->before, &err);
	if (tracer->start)
		bad = failed(r, "start of the tracer", tracer->start(r->parts->tracer_state, &err),
			     &err);
	if (!bad)
		bad = failed(r, "execute",
			     workload->execute(r->parts->workload_state, r->context, &err), &err);
	if (tracer->stop)
		failed(r, "stop of the tracer", tracer->stop(r->parts->tracer_state, &err), &err);
	evidence_worked(&evidence);
	if (!bad && workload->settle)
		bad = failed(r, "settle",
			     workload->settle(r->parts->workload_state, r->context, &err), &err);
	accounting_look(&r->after, &err);
	evidence_end(&evidence);
	record_system(r);
	if (tracer->collect && !r->interrupted)
		failed(r, "collect",
		       tracer->collect(r->parts->tracer_state, r->context, &err), &err);
	if (!bad)
		failed(r, "verify",
		       workload->verify(r->parts->workload_state, r->context, &err), &err);
	run_marks_add(r->context->run, &evidence, sysconf(_SC_NPROCESSORS_ONLN));
}

static void attached_part(struct running *r)
{
	const struct target traced = target_for_tracer(&r->target);
	const struct tracer *tracer = r->parts->tracer;
	int64_t start = clock_mono_ns();
	struct err err = { 0 };
	bool bad = false;

	if (tracer->attach)
		bad = failed(r, "attach of the tracer",
			     tracer->attach(r->parts->tracer_state, &traced, r->context, &err),
			     &err);
	if (tracer->attach && !bad)
		run_tracer(r->context->run, "attach_s",
			   json_number((double)(clock_mono_ns() - start) / 1e9));
	if (!bad)
		traced_part(r);
	if (tracer->attach)
		tracer->detach(r->parts->tracer_state, r->context);
}

int one_run(const struct run_parts *parts, struct run_context *context, struct err *err)
{
	struct running r = { .parts = parts, .context = context };
	struct err local = { 0 };
	int rc;

	rc = parts->workload->prepare(parts->workload_state, context, &r.target, &local);
	if (!failed(&r, "prepare", rc, &local)) {
		rc = apply_settings(&r, &local);
		if (!failed(&r, "settings", rc, &local))
			attached_part(&r);
		restore_settings(&r);
	}
	parts->workload->cleanup(parts->workload_state, context);
	process_reap_orphans();
	accounting_free(r.before);
	accounting_free(r.after);
	if (r.interrupted)
		return err_set(err, EINTR, "interrupted");
	return 0;
}
