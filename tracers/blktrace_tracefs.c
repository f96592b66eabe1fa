// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The order of attaching matters. Recording is off first, and the buffer is looked at once more:
 * what it holds from then on is ours. `blk` becomes the current tracer before the readers open
 * their pipes, since the kernel refuses to change it while one is open, for us as for others.
 */
#include "tracers/blktrace_tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/xalloc.h"
#include "machine/tracefs.h"
#include "traces/blktrace_files.h"
#include "traces/ring_buffer.h"
#include "tracers/capture_place.h"
#include "tracers/comm_names.h"
#include "tracers/ring_readers.h"
#include "tracers/ring_spools.h"
#include "tracers/trace_buffer.h"
#include "tracers/trace_session.h"

struct capture {
	const struct blktrace_options *options;
	struct undo *undo;
	int tracefs;
	unsigned int *cpus;
	size_t ncpus;
	struct ring_format format;

	/* of the run */
	struct traced_devices *devices;
	struct tracefs_value size, off, tracer, on; /* restored in the opposite order */
	int on_fd;				    /* tracing_on */
	struct ring_readers *readers;
	struct trace_buffer_stats before;
	uint64_t mono_ns, wall_ns; /* the start by both clocks */
	bool found_off;		   /* tracing_on was 0 when we came to stop */
};

static const char *unavailable(void)
{
	static char reason[sizeof(((struct err *)NULL)->text)];
	static const char missing[] = "this kernel has no tracer `blk` (CONFIG_BLK_DEV_IO_TRACE)";
	struct err err = { 0 };
	char text[256];
	auto_close int tracefs =
		tracefs_probe("available_tracers", missing, text, sizeof(text), &err);

	if (tracefs < 0) {
		snprintf(reason, sizeof(reason), "%s", err.text);
		return reason;
	}
	return strstr(text, "blk") ? NULL : missing;
}

static int open_capture(struct capture *capture, struct err *err)
{
	int rc = trace_buffer_cpus(capture->tracefs, &capture->cpus, &capture->ncpus, err);

	if (!rc)
		rc = trace_buffer_check_idle(capture->tracefs, capture->cpus, capture->ncpus, err);
	if (!rc)
		rc = traced_devices_check_others(err);
	if (!rc)
		rc = ring_format_read(capture->tracefs, &capture->format, err);
	if (!rc)
		rc = trace_session_use(capture->tracefs, capture->undo,
				       capture->options->buffer / 1024, err);
	return rc;
}

static void free_capture(struct capture *capture)
{
	close_fd(&capture->tracefs);
	free(capture->cpus);
	free(capture);
}

static int capture_open(const struct blktrace_options *options, struct undo *undo, void **out,
			struct err *err)
{
	struct capture *capture;
	int tracefs = tracefs_open(err), rc;

	if (tracefs < 0)
		return tracefs;
	capture = xcalloc(1, sizeof(*capture));
	capture->options = options;
	capture->undo = undo;
	capture->tracefs = tracefs;
	capture->on_fd = -1;
	rc = open_capture(capture, err);
	if (rc) {
		free_capture(capture);
		return rc;
	}
	*out = capture;
	return 0;
}

/* Once more what a detach could not restore, as while somebody had a pipe open. */
static int restore_left(struct capture *capture, struct err *err)
{
	struct tracefs_value *values[] = { &capture->on, &capture->tracer, &capture->off,
					   &capture->size };
	int rc;

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		rc = tracefs_restore(capture->tracefs, capture->undo, values[i], err);
		if (rc && values[i]->set) /* not set: it is somebody else's by now */
			return err_context(err, rc, "still from the run before");
	}
	return 0;
}

static void capture_close(void *arg)
{
	struct capture *capture = arg;

	/* What cannot be restored stays open in the journal, for `brunt clean`. */
	restore_left(capture, NULL);
	trace_session_leave(capture->tracefs, capture->undo, NULL);
	free_capture(capture);
}

/* Nobody traces, recording is off, the buffer is empty and has our size. */
static int take_buffer(struct capture *capture, struct err *err)
{
	int rc = trace_buffer_check_idle(capture->tracefs, capture->cpus, capture->ncpus, err);

	if (!rc)
		rc = traced_devices_check_others(err);
	if (!rc)
		rc = trace_session_check(capture->tracefs, err);
	if (!rc)
		rc = trace_session_resize(capture->tracefs, capture->undo,
					  capture->options->buffer / 1024, &capture->size, err);
	if (!rc)
		rc = tracefs_set(capture->tracefs, capture->undo, &capture->off, "tracing_on", "0",
				 err);
	if (!rc)
		rc = trace_buffer_check_idle(capture->tracefs, capture->cpus, capture->ncpus, err);
	return rc;
}

static int become_tracer(struct capture *capture, struct err *err)
{
	int rc = tracefs_set(capture->tracefs, capture->undo, &capture->tracer, "current_tracer",
			     "blk", err);

	if (rc == -EBUSY)
		return err_set(err, EBUSY, "somebody else is reading the trace buffer "
			       "(trace_pipe_raw): current_tracer cannot be changed");
	if (rc)
		return rc;
	capture->on_fd = openat(capture->tracefs, "tracing_on", O_RDWR | O_CLOEXEC);
	if (capture->on_fd < 0)
		return err_sys(err, errno, "tracefs: tracing_on");
	return trace_buffer_stats(capture->tracefs, capture->cpus, capture->ncpus,
				  &capture->before, err);
}

static uint64_t memory(uint64_t buffer, uint64_t cpus, uint64_t devices)
{
	(void)devices;
	return buffer * cpus;
}

/* The spools go to the run's folder, or where the user says. */
static int start_readers(struct capture *capture, const struct run_context *context,
			 struct err *err)
{
	const char *output = capture->options->output;
	auto_close int folder = output ? open(output, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (output && folder < 0)
		return err_sys(err, errno, "output=%s", output);
	return ring_readers_start(&capture->readers, capture->tracefs,
				  output ? folder : context->folder_fd, capture->cpus,
				  capture->ncpus, capture->format.page_size, err);
}

static int capture_attach(void *arg, struct traced_devices *devices, struct run_context *context,
			  struct err *err)
{
	struct capture *capture = arg;
	int rc = restore_left(capture, err);

	if (!rc)
		rc = take_buffer(capture, err);
	if (!rc)
		rc = become_tracer(capture, err);
	if (!rc)
		rc = start_readers(capture, context, err);
	if (rc)
		return rc;
	capture->devices = devices;
	return traced_devices_enable(devices, capture->undo, capture->options->act_mask, err);
}

static int capture_start(void *arg, struct err *err)
{
	struct capture *capture = arg;
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	capture->mono_ns = (uint64_t)clock_mono_ns();
	capture->wall_ns = (uint64_t)wall.tv_sec * NS_PER_S + (uint64_t)wall.tv_nsec;
	return tracefs_set(capture->tracefs, capture->undo, &capture->on, "tracing_on", "1", err);
}

static int capture_stop(void *arg, struct err *err)
{
	struct capture *capture = arg;
	char state = 0;
	ssize_t n = pread(capture->on_fd, &state, 1, 0);

	capture->found_off = n == 1 && state == '0';
	if (pwrite(capture->on_fd, "0", 1, 0) != 1)
		return err_sys(err, errno, "tracefs: writing 0 to tracing_on");
	return 0;
}

/* Did somebody meddle with what we rely on while the run went on? Says so. */
static void check_undisturbed(struct capture *capture, struct run *run)
{
	const struct traced_device *off = traced_devices_first_off(capture->devices);
	struct err err = { 0 };
	char text[128];
	int rc;

	if (capture->found_off)
		run_invalid(run, "tracing was switched off by somebody else during the run");
	rc = tracefs_read(capture->tracefs, "current_tracer", text, sizeof(text));
	if (rc || strcmp(text, "blk") != 0)
		run_invalid(run, "current_tracer was changed to %s by somebody else during the run",
			    rc ? "something unreadable" : text);
	if (off)
		run_invalid(run, "the trace of %s was ended by somebody else during the run",
			    off->name);
	rc = trace_buffer_first_event(capture->tracefs, text, sizeof(text));
	if (!rc && *text)
		run_invalid(run, "the event %s was switched on by somebody else during the run",
			    text);
	if (!capture->size.set && trace_session_check(capture->tracefs, &err))
		run_invalid(run, "%s", err.text);
}

static const char *comm_of(void *arg, uint32_t pid)
{
	return comm_names_get(arg, pid);
}

static struct blktrace_files *new_files(struct capture *capture, const char *folder,
					struct blktrace_device *names, struct comm_names *comms)
{
	struct blktrace_source source = {
		.devices = names,
		.ndevices = capture->devices->n,
		.mono_ns = capture->mono_ns,
		.wall_ns = capture->wall_ns,
		.comm = comm_of,
		.arg = comms,
	};

	for (size_t i = 0; i < capture->devices->n; i++)
		names[i] = (struct blktrace_device){ .name = capture->devices->v[i].name,
						     .number = capture->devices->v[i].number };
	return blktrace_files_new(folder, &source);
}

static int decode_and_keep(struct capture *capture, struct run_context *context,
			   struct ring_spools_sums *sums, struct err *err)
{
	size_t n = capture->devices->n;
	auto_free struct blktrace_device *names = xcalloc(n ? n : 1, sizeof(*names));
	struct comm_names *comms;
	struct blktrace_files *files;
	uint64_t left_out = 0;
	struct err files_err = { 0 };
	auto_free char *folder = NULL;
	int rc, files_rc;

	if (capture_place_make_folder(context->folder, context->folder_fd, &folder, &files_err)) {
		run_mark(context->run, "trace", "not kept: %s", files_err.text);
		return ring_spools_decode(capture->readers, &capture->format, capture->devices,
					  NULL, sums, err);
	}
	comms = comm_names_read(capture->tracefs);
	files = new_files(capture, folder, names, comms);
	rc = ring_spools_decode(capture->readers, &capture->format, capture->devices, files, sums,
				err);
	files_rc = blktrace_files_finish(files, &left_out, &files_err);
	comm_names_free(comms);
	if (!rc && (sums->files_rc || files_rc))
		run_mark(context->run, "trace", "not kept whole: %s",
			 sums->files_rc ? sums->files_err.text : files_err.text);
	if (left_out)
		run_mark(context->run, "trace", "%" PRIu64 " zone records have no place in the "
			 "kept files", left_out);
	return rc;
}

static void judge(const struct ring_spools_sums *sums, struct run *run)
{
	if (sums->ring.broken)
		run_invalid(run, "%" PRIu64 " records or pages of the trace are damaged",
			    sums->ring.broken);
	if (sums->ring.other)
		run_mark(run, "tracer", "%" PRIu64 " records in the trace buffer were no block "
			 "records", sums->ring.other);
	if (sums->foreign)
		run_mark(run, "tracer", "%" PRIu64 " records were of other devices", sums->foreign);
}

static int read_rest(struct capture *capture, struct run *run, struct blktrace_ledger *ledger,
		     struct trace_buffer_stats *after, struct err *err)
{
	int64_t start = clock_mono_ns();
	struct err readers_err = { 0 };

	if (ring_readers_finish(capture->readers, &readers_err))
		run_invalid(run, "%s", readers_err.text);
	ledger->drain_s = (double)(clock_mono_ns() - start) / NS_PER_S;
	ledger->cpu_s = capture->readers->cpu_s;
	ledger->bytes = 0;
	for (size_t i = 0; i < capture->readers->n; i++)
		ledger->bytes += capture->readers->v[i].bytes;
	return trace_buffer_stats(capture->tracefs, capture->cpus, capture->ncpus, after, err);
}

static int capture_collect(void *arg, struct run_context *context,
			   struct blktrace_ledger *ledger, struct err *err)
{
	struct capture *capture = arg;
	struct ring_spools_sums sums;
	struct trace_buffer_stats after;
	int rc;

	check_undisturbed(capture, context->run);
	rc = read_rest(capture, context->run, ledger, &after, err);
	if (rc)
		return rc;
	if (after.entries)
		run_invalid(context->run, "%" PRIu64 " records were left in the trace buffer",
			    after.entries);
	if (capture->options->keep)
		rc = decode_and_keep(capture, context, &sums, err);
	else
		rc = ring_spools_decode(capture->readers, &capture->format, capture->devices, NULL,
					&sums, err);
	if (rc)
		return rc;
	judge(&sums, context->run);
	ledger->events = sums.events;
	/* Pages tell of overwritten records too, which the counters hold already. */
	ledger->lost = trace_buffer_lost(&capture->before, &after);
	if (sums.ring.missed > ledger->lost)
		ledger->lost = sums.ring.missed;
	ledger->lost_unknown = sums.ring.missed_unknown;
	return 0;
}

static void restore(struct capture *capture, struct run_context *context,
		    struct tracefs_value *value)
{
	struct err err = { 0 };

	if (tracefs_restore(capture->tracefs, capture->undo, value, &err))
		run_mark(context->run, "tracer", "not restored: %s", err.text);
}

/* Leaves nothing of ours behind in a buffer whose readers did not get to its end. */
static void empty_buffer(struct capture *capture)
{
	struct trace_buffer_stats stats;

	if (!capture->tracer.set)
		return;
	if (!trace_buffer_stats(capture->tracefs, capture->cpus, capture->ncpus, &stats, NULL) &&
	    stats.entries)
		trace_buffer_empty(capture->tracefs);
}

static void capture_detach(void *arg, struct run_context *context)
{
	struct capture *capture = arg;
	struct err err = { 0 };

	restore(capture, context, &capture->on);
	close_fd(&capture->on_fd);
	if (capture->devices && traced_devices_disable(capture->devices, capture->undo, &err))
		run_mark(context->run, "tracer", "not restored: %s", err.text);
	ring_readers_free(capture->readers);
	empty_buffer(capture);
	restore(capture, context, &capture->tracer);
	restore(capture, context, &capture->off);
	restore(capture, context, &capture->size);
	capture->readers = NULL;
	capture->devices = NULL;
	capture->found_off = false;
}

const struct blktrace_backend blktrace_tracefs = {
	.name = "tracefs",
	.default_buffer = 8u << 20,
	.memory = memory,
	.unavailable = unavailable,
	.open = capture_open,
	.close = capture_close,
	.attach = capture_attach,
	.start = capture_start,
	.stop = capture_stop,
	.collect = capture_collect,
	.detach = capture_detach,
};
