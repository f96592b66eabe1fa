// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What is common to all ways of tracing block devices: the keys, the memory rule, the ledger and
 * what makes a trace worthless.
 */
#include "tracers/blktrace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/units.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "parsers/blk_record.h"
#include "tracers/blktrace_program.h"
#include "tracers/blktrace_tracefs.h"
#include "tracers/buffer_memory.h"
#include "tracers/capture_place.h"
#include "tracers/tracer.h"

static int check_act_mask(const char *value, struct err *err);

static const struct key_spec keys_table[] = {
	{ "backend", KEY_ENUM, "auto", "auto|program|tracefs", 0, 0,
	  "program: blktrace(8); tracefs: the kernel's tracer `blk`; auto: program where it works",
	  NULL },
	{ "keep", KEY_BOOL, "no", NULL, 0, 0, "keep the trace files, in runs/<n>/trace/", NULL },
	{ "buffer", KEY_SIZE, NULL, "SIZE", 64 << 10, 1LL << 40,
	  "trace buffer of each CPU (tracefs: 8M), of each CPU and device (program: 2M)", NULL },
	{ "act_mask", KEY_LIST, "all", "NAME+NAME...", 0, 0,
	  "what to record, as issue+complete; an event is recorded that is in any of them",
	  check_act_mask },
	{ "output", KEY_STRING, NULL, "DIR", 0, 0,
	  "where the capture is written during the run (the set): another disk, or memory", NULL,
	  files_absolute },
	{ 0 },
};

struct blktrace {
	struct blktrace_options options;
	bool expects_events; /* every IO makes at least one under this act_mask */
	const struct blktrace_backend *backend;
	char *reason;	     /* why it is this backend; NULL: as asked, or the first choice */
	char *place;	     /* where captures go: output=, else the set */
	void *capture;
	struct traced_devices *devices; /* of the run */
	double attach_s;
};

/* The backend of the keys and, where it is not the first choice, why; status 77 without one. */
static int choose_backend(const struct keys *keys, const struct blktrace_backend **backend,
			  char **reason, struct err *err)
{
	const char *asked = keys_text(keys, keys_table, "backend"), *why;
	auto_free char *program = NULL;

	*reason = NULL;
	*backend = strcmp(asked, "tracefs") ? &blktrace_program : &blktrace_tracefs;
	why = (*backend)->unavailable();
	if (!why)
		return 0;
	if (strcmp(asked, "program") == 0)
		return err_missing(err, "backend=program cannot run here: %s%s", why,
				   blktrace_tracefs.unavailable() ? "" :
				   "; backend=tracefs can");
	if (strcmp(asked, "tracefs") == 0)
		return err_missing(err, "backend=tracefs cannot run here: %s", why);
	program = xstrdup(why);
	*backend = &blktrace_tracefs;
	why = (*backend)->unavailable();
	if (why)
		return err_missing(err, "blktrace(8) cannot run here: %s; nor can tracefs: %s",
				   program, why);
	*reason = xasprintf("blktrace(8) cannot run here: %s", program);
	return 0;
}

static int check_act_mask(const char *value, struct err *err)
{
	auto_words struct words names = WORDS_INIT;

	words_split_at(value, '+', &names);
	if (names.n == 1 && !strcmp(names.v[0], "all"))
		return 0;
	if (!names.n)
		return err_usage(err, "act_mask= is empty");
	for (size_t i = 0; i < names.n; i++)
		if (!blk_category_bit(names.v[i], strlen(names.v[i])))
			return err_usage(err, "act_mask=%s: '%s' is none of all, read, write, "
					 "flush, sync, queue, requeue, issue, complete, fs, pc, "
					 "notify, ahead, meta, discard, drv_data, fua", value,
					 names.v[i]);
	return 0;
}

/* "issue,complete" and whether each IO shows in it. */
static void read_act_mask(const char *value, struct blktrace *blktrace)
{
	const unsigned int always = BLK_CATEGORY_QUEUE | BLK_CATEGORY_ISSUE |
				    BLK_CATEGORY_COMPLETE;
	auto_words struct words names = WORDS_INIT;
	struct buf mask = BUF_INIT;
	unsigned int bits = 0;

	if (!strcmp(value, "all")) {
		blktrace->expects_events = true;
		return;
	}
	words_split_at(value, '+', &names);
	for (size_t i = 0; i < names.n; i++) {
		bits |= blk_category_bit(names.v[i], strlen(names.v[i]));
		buf_addf(&mask, "%s%s", i ? "," : "", names.v[i]);
	}
	blktrace->options.act_mask = buf_steal(&mask);
	blktrace->expects_events = bits & always;
}

static uint64_t buffer_of(const struct keys *keys, const struct blktrace_backend *backend)
{
	return keys_get(keys, "buffer") ? keys_size(keys, keys_table, "buffer") :
					  backend->default_buffer;
}

static void add_buffers(const struct blktrace_backend *backend, uint64_t buffer, uint64_t devices,
			struct buf *text)
{
	buffer_memory_tell(buffer, text);
	if (backend->per_device && devices)
		buf_addf(text, " for %" PRIu64 " device%s", devices, devices == 1 ? "" : "s");
	else if (backend->per_device)
		buf_add(text, " for each device");
}

static int check_memory(const struct blktrace_backend *backend, uint64_t buffer, uint64_t devices,
			struct err *err)
{
	auto_buf struct buf what = BUF_INIT;

	add_buffers(backend, buffer, devices, &what);
	return buffer_memory_check(backend->memory(buffer, buffer_memory_cpus(), devices), buffer,
				   what.s, backend->per_device ?
					   "fewer devices, or backend=tracefs" : NULL, err);
}

static int check_files(const struct blktrace_backend *backend, uint64_t devices, struct err *err)
{
	uint64_t need = backend->files ? backend->files(buffer_memory_cpus(), devices) : 0;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || need <= limit.rlim_max)
		return 0;
	return err_missing(err, "%" PRIu64 " files have to be open for %" PRIu64 " devices on %" PRIu64
			   " CPUs, "
			   "and the hard limit is %" PRIu64 " (ulimit -Hn): fewer devices, a larger "
			   "limit, or backend=tracefs", need, devices, buffer_memory_cpus(),
			   (uint64_t)limit.rlim_max);
}

static const char *unavailable(void)
{
	return blktrace_program.unavailable() ? blktrace_tracefs.unavailable() : NULL;
}

static int check(const struct keys *keys, struct buf *plan_text, struct err *err)
{
	const struct blktrace_backend *backend;
	auto_free char *reason = NULL;
	uint64_t buffer;
	int rc = choose_backend(keys, &backend, &reason, err);

	if (!rc)
		rc = capture_place_check_output(keys_get(keys, "output"), err);
	if (rc)
		return rc;
	buffer = buffer_of(keys, backend);
	rc = check_memory(backend, buffer, 1, err);
	if (rc)
		return rc;
	buf_addf(plan_text, "blktrace by %s, ", backend->name);
	add_buffers(backend, buffer, 0, plan_text);
	if (reason)
		buf_addf(plan_text, "; %s", reason);
	return 0;
}

static void free_state(struct blktrace *blktrace)
{
	free(blktrace->options.act_mask);
	free(blktrace->options.output);
	free(blktrace->options.session);
	free(blktrace->reason);
	free(blktrace->place);
	free(blktrace);
}

static void read_options(const struct keys *keys, const struct tracer_site *site,
			 struct blktrace *blktrace)
{
	struct blktrace_options *options = &blktrace->options;
	const char *output = keys_get(keys, "output");

	options->keep = keys_bool(keys, keys_table, "keep");
	options->buffer = buffer_of(keys, blktrace->backend);
	options->output = output ? xstrdup(output) : NULL;
	options->session = xstrdup(site->session);
	blktrace->place = xstrdup(output ? output : site->set_path);
	read_act_mask(keys_text(keys, keys_table, "act_mask"), blktrace);
}

static int open_tracer(const struct keys *keys, const struct tracer_site *site, void **state,
		       struct err *err)
{
	struct blktrace *blktrace = xcalloc(1, sizeof(*blktrace));
	int rc = choose_backend(keys, &blktrace->backend, &blktrace->reason, err);

	if (!rc) {
		read_options(keys, site, blktrace);
		rc = check_memory(blktrace->backend, blktrace->options.buffer, 1, err);
	}
	if (!rc)
		rc = blktrace->backend->open(&blktrace->options, site->undo, &blktrace->capture,
					     err);
	if (rc) {
		free_state(blktrace);
		return err_context(err, rc, "blktrace");
	}
	*state = blktrace;
	return 0;
}

static void close_tracer(void *state)
{
	struct blktrace *blktrace = state;

	blktrace->backend->close(blktrace->capture);
	free_state(blktrace);
}

static const char *backend(const void *state)
{
	return ((const struct blktrace *)state)->backend->name;
}

static const char *planned_backend(const struct keys *keys)
{
	const struct blktrace_backend *chosen;
	auto_free char *why = NULL;

	return choose_backend(keys, &chosen, &why, NULL) ? NULL : chosen->name;
}

static const char *reason(const void *state)
{
	return ((const struct blktrace *)state)->reason;
}

static int admit(void *state, const struct target *target, struct err *err)
{
	struct blktrace *blktrace = state;
	const struct blktrace_backend *with = blktrace->backend;
	struct traced_devices *devices;
	int rc = check_memory(with, blktrace->options.buffer, target->ndevices, err);

	if (!rc)
		rc = check_files(with, target->ndevices, err);
	if (!rc)
		rc = capture_place_check(blktrace->place, target, err);
	if (rc || !with->admit)
		return rc;
	devices = traced_devices_new(target);
	rc = with->admit(devices, err);
	traced_devices_free(devices);
	return rc;
}

static int attach(void *state, const struct target *target, struct run_context *context,
		  struct err *err)
{
	struct blktrace *blktrace = state;
	int64_t begin = clock_mono_ns();
	int rc;

	blktrace->devices = traced_devices_new(target);
	rc = blktrace->backend->attach(blktrace->capture, blktrace->devices, context, err);
	blktrace->attach_s = (double)(clock_mono_ns() - begin) / NS_PER_S;
	return rc ? err_context(err, rc, "blktrace") : 0;
}

static int start(void *state, struct err *err)
{
	struct blktrace *blktrace = state;
	int rc = blktrace->backend->start(blktrace->capture, err);

	/* After the start: what is finished in between is then in the trace and not in here. */
	traced_devices_count_before(blktrace->devices);
	return rc ? err_context(err, rc, "blktrace") : 0;
}

static int stop(void *state, struct err *err)
{
	struct blktrace *blktrace = state;
	int rc = blktrace->backend->stop(blktrace->capture, err);

	traced_devices_count_after(blktrace->devices);
	return rc ? err_context(err, rc, "blktrace") : 0;
}

static void judge(const struct blktrace *blktrace, const struct blktrace_ledger *ledger,
		  struct run *run)
{
	const struct traced_device *device;

	if (ledger->lost && ledger->uncounted)
		run_invalid(run, "blktrace lost %" PRIu64 " events; give it a larger buffer",
			    ledger->lost);
	else if (ledger->lost)
		run_invalid(run, "blktrace lost %" PRIu64 " events of %" PRIu64 "; give it a larger "
			    "buffer", ledger->lost, ledger->events + ledger->lost);
	else if (ledger->lost_unknown)
		run_invalid(run, "blktrace lost events, nobody knows how many; give it a larger "
			    "buffer");
	for (size_t i = 0; !ledger->uncounted && i < blktrace->devices->n; i++) {
		device = &blktrace->devices->v[i];
		if (blktrace->expects_events && !device->events &&
		    device->io_after > device->io_before)
			run_invalid(run, "blktrace has no event of %s, which did %" PRIu64 " IOs",
				    device->name, device->io_after - device->io_before);
	}
}

static int collect(void *state, struct run_context *context, struct err *err)
{
	struct blktrace *blktrace = state;
	struct blktrace_ledger ledger = { 0 };
	struct run *run = context->run;
	int rc = blktrace->backend->collect(blktrace->capture, context, &ledger, err);

	if (rc)
		return err_context(err, rc, "blktrace");
	run_tracer(run, "backend", json_text(blktrace->backend->name));
	run_tracer(run, "cpu_s", json_number(ledger.cpu_s));
	run_tracer(run, "events", ledger.uncounted ?
				  json_null() : json_integer((json_int_t)ledger.events));
	run_tracer(run, "bytes", ledger.uncounted ?
				 json_null() : json_integer((json_int_t)ledger.bytes));
	run_tracer(run, "lost", ledger.lost_unknown && !ledger.lost ?
				json_null() : json_integer((json_int_t)ledger.lost));
	run_tracer(run, "attach_s", json_number(blktrace->attach_s));
	run_tracer(run, "drain_s", json_number(ledger.drain_s));
	run_tracer(run, "buffer_bytes", json_integer((json_int_t)blktrace->options.buffer));
	judge(blktrace, &ledger, run);
	return 0;
}

static void detach(void *state, struct run_context *context)
{
	struct blktrace *blktrace = state;

	blktrace->backend->detach(blktrace->capture, context);
	traced_devices_free(blktrace->devices);
	blktrace->devices = NULL;
}

const struct tracer tracer_blktrace = {
	.name = "blktrace",
	.summary = "records every step of every IO of the block devices",
	.keys = keys_table,
	.needs_devices = true,
	.unavailable = unavailable,
	.check = check,
	.open = open_tracer,
	.close = close_tracer,
	.backend = backend,
	.planned_backend = planned_backend,
	.reason = reason,
	.admit = admit,
	.attach = attach,
	.start = start,
	.stop = stop,
	.collect = collect,
	.detach = detach,
};
