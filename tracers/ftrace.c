// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Events of the kernel's own tracer, in an instance: what others trace is not touched, and does
 * not touch this. Its memory is taken before the first run, so that the untraced runs miss it too.
 *
 * mode=drain is what trace-cmd record does: a process a CPU reads the ring buffer and writes it
 * to a file while the work goes on. That is part of what is measured, also where the file is
 * thrown away afterwards. mode=overwrite is the flight recorder: nobody reads, and what does not
 * fit takes the place of what is oldest.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/units.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "machine/trace_instance.h"
#include "machine/tracefs.h"
#include "tracers/capture_place.h"
#include "tracers/ftrace_options.h"
#include "tracers/ftrace_work.h"
#include "tracers/ring_readers.h"
#include "tracers/trace_buffer.h"
#include "tracers/trace_events.h"
#include "tracers/tracer.h"
#include "traces/ring_buffer.h"
#include "traces/trace_dat.h"

struct ftrace {
	struct ftrace_options options;
	struct words events, requests; /* by name, and as they are switched on */
	char *place; /* where captures go: output=, else the set */
	int tracefs, fd; /* of tracefs and of the instance, which owns it */
	struct trace_instance *instance;
	unsigned int *cpus;
	size_t ncpus;
	struct ring_format format;

	/* of the run */
	struct ring_readers *readers;
	struct trace_buffer_stats before;
	int on_fd; /* tracing_on */
	bool found_off, started;
	double attach_s, drain_s;
};

static int check(const struct keys *keys, struct buf *plan_text, struct err *err)
{
	auto_close int tracefs = -1;
	auto_words struct words events = WORDS_INIT;
	struct ftrace_options options;
	int rc;

	tracefs = tracefs_open(err);
	if (tracefs < 0)
		return tracefs;
	rc = ftrace_options_read(keys, &options, err);
	if (rc)
		return rc;
	rc = ftrace_options_check(&options, tracefs, err);
	if (!rc)
		rc = trace_events_find(tracefs, options.events, &events, NULL, err);
	if (!rc)
		ftrace_options_tell(&options, events.n, plan_text);
	ftrace_options_release(&options);
	return rc;
}

/* What the instance is through the whole session. Nothing is restored: it goes with the folder. */
static int set_up(struct ftrace *ftrace, struct err *err)
{
	const struct ftrace_options *options = &ftrace->options;
	int rc = files_write_value_at(ftrace->fd, "tracing_on", "0");

	if (!rc)
		rc = files_write_value_at(ftrace->fd, "trace_clock", options->clock);
	if (rc)
		return err_sys(err, -rc, "tracefs: tracing_on or trace_clock of an instance");
	return trace_instance_resize(ftrace->instance, options->buffer / 1024, err);
}

static int make_instance(struct ftrace *ftrace, const struct tracer_site *site, struct err *err)
{
	static unsigned int number;
	auto_free char *name = xasprintf("brunt-%s-%u", site->session, ++number);
	int rc;

	ftrace->tracefs = tracefs_open(err);
	if (ftrace->tracefs < 0)
		return ftrace->tracefs;
	rc = trace_events_find(ftrace->tracefs, ftrace->options.events, &ftrace->events,
			       &ftrace->requests, err);
	if (!rc)
		rc = trace_instance_make(&ftrace->instance, ftrace->tracefs, name, site->undo, err);
	if (rc)
		return rc;
	ftrace->fd = trace_instance_fd(ftrace->instance);
	rc = trace_buffer_cpus(ftrace->fd, &ftrace->cpus, &ftrace->ncpus, err);
	if (!rc)
		rc = ring_format_read(ftrace->fd, &ftrace->format, err);
	return rc ? rc : set_up(ftrace, err);
}

static void close_tracer(void *state)
{
	struct ftrace *ftrace = state;

	trace_instance_remove(ftrace->instance, NULL); /* what is left, clean will find */
	close_fd(&ftrace->tracefs);
	free(ftrace->cpus);
	words_release(&ftrace->events);
	words_release(&ftrace->requests);
	ftrace_options_release(&ftrace->options);
	free(ftrace->place);
	free(ftrace);
}

static int open_tracer(const struct keys *keys, const struct tracer_site *site, void **state,
		       struct err *err)
{
	struct ftrace *ftrace = xcalloc(1, sizeof(*ftrace));
	int rc;

	ftrace->tracefs = ftrace->on_fd = -1;
	rc = ftrace_options_read(keys, &ftrace->options, err);
	if (rc) {
		free(ftrace);
		return rc;
	}
	ftrace->place = xstrdup(ftrace->options.output ? ftrace->options.output : site->set_path);
	rc = make_instance(ftrace, site, err);
	if (rc) {
		close_tracer(ftrace);
		return rc;
	}
	*state = ftrace;
	return 0;
}

static const char *backend(const void *state)
{
	return ftrace_mode_name(((const struct ftrace *)state)->options.mode);
}

static const char *planned_backend(const struct keys *keys)
{
	struct ftrace_options options;
	const char *name;

	if (ftrace_options_read(keys, &options, NULL))
		return NULL;
	name = ftrace_mode_name(options.mode);
	ftrace_options_release(&options);
	return name;
}

static int admit(void *state, const struct target *target, struct err *err)
{
	const struct ftrace *ftrace = state;

	if (ftrace->options.mode != FTRACE_DRAIN)
		return 0;
	return capture_place_check(ftrace->place, target, err);
}

static int start_readers(struct ftrace *ftrace, const struct run_context *context,
			 struct err *err)
{
	const char *output = ftrace->options.output;
	auto_close int folder = output ? open(output, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (output && folder < 0)
		return err_sys(err, errno, "output=%s", output);
	return ring_readers_start(&ftrace->readers, ftrace->fd,
				  output ? folder : context->folder_fd, ftrace->cpus,
				  ftrace->ncpus, ftrace->format.page_size, err);
}

static int enable_events(struct ftrace *ftrace, struct err *err)
{
	size_t on = 0;
	int rc = trace_events_enable(ftrace->fd, &ftrace->requests, err);

	if (!rc)
		rc = trace_events_count_enabled(ftrace->fd, &on, err);
	if (!rc && on != ftrace->events.n)
		rc = err_set(err, EIO, "the kernel switched %zu events on, not %zu", on,
			     ftrace->events.n);
	return rc;
}

static int prepare_buffer(struct ftrace *ftrace, struct err *err)
{
	int rc = trace_buffer_empty(ftrace->fd);

	if (rc)
		return err_sys(err, -rc, "tracefs: emptying the buffer of an instance");
	ftrace->on_fd = openat(ftrace->fd, "tracing_on", O_RDWR | O_CLOEXEC);
	if (ftrace->on_fd < 0)
		return err_sys(err, errno, "tracefs: tracing_on of an instance");
	return trace_buffer_stats(ftrace->fd, ftrace->cpus, ftrace->ncpus, &ftrace->before, err);
}

/* The processes of the work are listed before our readers are among them. */
static int attach_all(struct ftrace *ftrace, const struct run_context *context, struct err *err)
{
	struct ftrace_work work = { 0 };
	int rc = prepare_buffer(ftrace, err);

	if (!rc && ftrace->options.scope == FTRACE_WORK)
		ftrace_work_find(&work);
	if (!rc && ftrace->options.mode == FTRACE_DRAIN)
		rc = start_readers(ftrace, context, err);
	if (!rc && ftrace->options.scope == FTRACE_WORK)
		rc = ftrace_work_follow(ftrace->fd, &work, err);
	else if (!rc && ftrace->readers && ftrace_work_can_follow())
		rc = ftrace_work_leave_out(ftrace->fd, ftrace->readers->pids, ftrace->readers->n,
					   err);
	if (!rc)
		rc = enable_events(ftrace, err);
	ftrace_work_release(&work);
	return rc;
}

static int attach(void *state, const struct target *target, struct run_context *context,
		  struct err *err)
{
	struct ftrace *ftrace = state;
	int64_t begin = clock_mono_ns();
	int rc = attach_all(ftrace, context, err);

	(void)target;
	ftrace->attach_s = (double)(clock_mono_ns() - begin) / NS_PER_S;
	return rc;
}

static int start(void *state, struct err *err)
{
	struct ftrace *ftrace = state;

	if (pwrite(ftrace->on_fd, "1", 1, 0) != 1)
		return err_sys(err, errno, "tracefs: writing 1 to tracing_on");
	ftrace->started = true;
	return 0;
}

static int stop(void *state, struct err *err)
{
	struct ftrace *ftrace = state;
	char on = 0;
	ssize_t n = pread(ftrace->on_fd, &on, 1, 0);

	ftrace->found_off = ftrace->started && n == 1 && on == '0';
	if (pwrite(ftrace->on_fd, "0", 1, 0) != 1)
		return err_sys(err, errno, "tracefs: writing 0 to tracing_on");
	return 0;
}

/* Did somebody meddle with our instance? Says so. */
static void check_undisturbed(struct ftrace *ftrace, struct run *run)
{
	size_t on = 0;

	if (ftrace->found_off)
		run_invalid(run, "tracing was switched off by somebody else during the run");
	if (!trace_events_count_enabled(ftrace->fd, &on, NULL) && on != ftrace->events.n)
		run_invalid(run, "%zu events were on at the end of the run, not %zu: somebody else "
			    "switched some", on, ftrace->events.n);
}

/* Readers that were not there while the work went on have nothing to do but to drain. */
static int drain(struct ftrace *ftrace, struct run_context *context, struct err *err)
{
	int64_t begin = clock_mono_ns();
	struct err readers_err = { 0 };
	int rc = 0;

	if (!ftrace->readers && ftrace->options.keep)
		rc = start_readers(ftrace, context, err);
	if (!rc && ftrace->readers && ring_readers_finish(ftrace->readers, &readers_err))
		run_invalid(context->run, "%s", readers_err.text);
	ftrace->drain_s = (double)(clock_mono_ns() - begin) / NS_PER_S;
	return rc;
}

static uint64_t drained_bytes(const struct ring_readers *readers)
{
	uint64_t bytes = 0;

	for (size_t i = 0; readers && i < readers->n; i++)
		bytes += readers->v[i].bytes;
	return bytes;
}

/* Counters of the kernel over the run. In mode=overwrite what was overwritten is no loss. */
static void record_ledger(const struct ftrace *ftrace, const struct trace_buffer_stats *full,
			  const struct trace_buffer_stats *after, struct run *run)
{
	bool overwrites = ftrace->options.mode == FTRACE_OVERWRITE;
	const struct trace_buffer_stats change = trace_buffer_change(&ftrace->before, after);
	uint64_t overwritten = overwrites ? change.overrun : 0;
	uint64_t lost = trace_buffer_lost(&ftrace->before, after) - overwritten;
	uint64_t events = change.entries + change.read + overwritten;

	run_tracer(run, "backend", json_text(ftrace_mode_name(ftrace->options.mode)));
	run_tracer(run, "cpu_s", json_number(ftrace->readers ? ftrace->readers->cpu_s : 0));
	run_tracer(run, "events", json_integer((json_int_t)events));
	run_tracer(run, "bytes", json_integer((json_int_t)(overwrites ? full->bytes :
							   drained_bytes(ftrace->readers))));
	run_tracer(run, "lost", json_integer((json_int_t)lost));
	run_tracer(run, "attach_s", json_number(ftrace->attach_s));
	run_tracer(run, "drain_s", json_number(ftrace->drain_s));
	run_tracer(run, "buffer_bytes", json_integer((json_int_t)ftrace->options.buffer));
	run_tracer(run, "event_types", json_integer((json_int_t)ftrace->events.n));
	run_tracer(run, "scope", json_text(ftrace_scope_name(ftrace->options.scope)));
	if (overwrites)
		run_tracer(run, "overwritten", json_integer((json_int_t)overwritten));
	if (lost)
		run_invalid(run, "ftrace lost %" PRIu64 " events of %" PRIu64 "; give it a larger "
			    "buffer", lost, events + lost);
	else if (!events)
		run_mark(run, "tracer", "no event was recorded");
}

static int write_trace(const struct ftrace *ftrace, int fd, struct err *err)
{
	const struct ring_readers *readers = ftrace->readers;
	auto_free struct trace_dat_cpu *cpus = xcalloc(readers->n, sizeof(*cpus));
	const struct trace_dat_source source = {
		.tracefs = ftrace->tracefs,
		.instance = ftrace->fd,
		.events = &ftrace->events,
		.page_size = ftrace->format.page_size,
		.cpus = cpus,
		.ncpus = readers->n,
	};

	for (size_t i = 0; i < readers->n; i++)
		cpus[i] = (struct trace_dat_cpu){ .cpu = readers->v[i].cpu,
						  .fd = readers->v[i].spool_fd };
	return trace_dat_write(fd, &source, err);
}

/* A trace that cannot be kept is no fault of the run. */
static void keep_trace(const struct ftrace *ftrace, const struct run_context *context)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
	struct err err = { 0 };
	auto_free char *folder = NULL, *path = NULL;
	auto_close int fd = -1;
	int rc = capture_place_make_folder(context->folder, context->folder_fd, &folder, &err);

	if (!rc) {
		fd = openat(context->folder_fd, "trace/trace.dat", flags, 0644);
		path = files_join(folder, "trace.dat");
		rc = fd < 0 ? err_sys(&err, errno, "%s", path) : write_trace(ftrace, fd, &err);
		files_give_to_sudo_user(path);
	}
	if (rc)
		run_mark(context->run, "trace", "not kept whole: %s", err.text);
}

static int collect(void *state, struct run_context *context, struct err *err)
{
	struct ftrace *ftrace = state;
	struct trace_buffer_stats full, after;
	int rc;

	check_undisturbed(ftrace, context->run);
	rc = trace_buffer_stats(ftrace->fd, ftrace->cpus, ftrace->ncpus, &full, err);
	if (!rc)
		rc = drain(ftrace, context, err);
	if (!rc)
		rc = trace_buffer_stats(ftrace->fd, ftrace->cpus, ftrace->ncpus, &after, err);
	if (rc)
		return rc;
	if (ftrace->readers && after.entries)
		run_invalid(context->run, "%" PRIu64 " events were left in the trace buffer",
			    after.entries);
	record_ledger(ftrace, &full, &after, context->run);
	if (ftrace->options.keep)
		keep_trace(ftrace, context);
	return 0;
}

static void detach(void *state, struct run_context *context)
{
	struct ftrace *ftrace = state;
	int rc;

	if (ftrace->on_fd >= 0 && pwrite(ftrace->on_fd, "0", 1, 0) != 1)
		run_mark(context->run, "tracer", "tracing_on of our instance cannot be written");
	close_fd(&ftrace->on_fd);
	rc = trace_events_disable(ftrace->fd);
	if (!rc)
		rc = ftrace_work_forget(ftrace->fd);
	if (rc)
		run_mark(context->run, "tracer", "events of our instance stay on: %s",
			 strerror(-rc));
	ring_readers_free(ftrace->readers);
	ftrace->readers = NULL;
	trace_buffer_empty(ftrace->fd);
	ftrace->started = ftrace->found_off = false;
	ftrace->drain_s = 0;
}

const struct tracer tracer_ftrace = {
	.name = "ftrace",
	.summary = "events of the kernel's own tracer (tracefs), as trace-cmd records them",
	.keys = ftrace_keys,
	.unavailable = ftrace_unavailable,
	.check = check,
	.open = open_tracer,
	.close = close_tracer,
	.backend = backend,
	.planned_backend = planned_backend,
	.admit = admit,
	.attach = attach,
	.start = start,
	.stop = stop,
	.collect = collect,
	.detach = detach,
};
