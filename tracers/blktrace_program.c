// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * blktrace(8) sets its traces up and starts them before the work; brunt then stops and starts
 * them itself, around the work, with the ioctls that the program uses too, which it does not
 * mind. So the trace begins and ends with the work, and the kernel's answers prove that it ran.
 *
 * The program ends by tearing down whatever trace a device has, its own or not. Where one of them
 * is no longer ours it is killed instead, and what is left of ours is torn down here.
 */
#include "tracers/blktrace_program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "machine/kernel_fs.h"
#include "machine/lockdown.h"
#include "machine/relay.h"
#include "machine/tracefs.h"
#include "traces/blktrace_count.h"
#include "tracers/blktrace_process.h"
#include "tracers/capture_folder.h"
#include "tracers/relay_traces.h"

#define SUB_BUFFERS 4u		   /* as many as the program has by itself */
#define SUB_BUFFER_MAX (16u << 20) /* what it takes */
#define WINDOW_SUB_BUFFERS 16u	   /* of each file so much is mapped and locked */

#define READY_NS (20 * NS_PER_S)
#define DRAIN_NS (10 * NS_PER_S)
#define DEVICE_NS (200 * NS_PER_MS) /* more for each device */
#define LOOK_NS (5 * NS_PER_MS)

#define FILES_SPARE 256

struct capture {
	const struct blktrace_options *options;
	struct undo *undo;
	int debugfs;
	bool debugfs_mounted; /* where the program looks for it */
	char *path;

	/* of the run */
	struct traced_devices *devices;
	struct blktrace_process *process;
	struct capture_folder folder;
	const struct traced_device *off; /* found off when we came to stop */
};

static unsigned int sub_buffers(uint64_t buffer)
{
	uint64_t n = (buffer + SUB_BUFFER_MAX - 1) / SUB_BUFFER_MAX;

	return n > SUB_BUFFERS ? (unsigned int)n : SUB_BUFFERS;
}

static uint64_t memory(uint64_t buffer, uint64_t cpus, uint64_t devices)
{
	unsigned int n = sub_buffers(buffer);
	uint64_t window = n > WINDOW_SUB_BUFFERS ? n : WINDOW_SUB_BUFFERS;

	return (buffer + buffer / n * window) * cpus * devices;
}

/* For each device itself and, on each CPU, what is read and what is written. */
static uint64_t files(uint64_t cpus, uint64_t devices)
{
	return devices * (1 + 2 * cpus) + FILES_SPARE;
}

/* The traces that the kernel can make of devices at all. */
static bool kernel_traces(void)
{
	auto_close int fd = tracefs_open(NULL);
	char text[256];

	/* Where that cannot be read nobody knows, and the first run tells. */
	return fd < 0 || files_read_line_at(fd, "available_tracers", text, sizeof(text)) ||
	       strstr(text, "blk");
}

static const char *unavailable(void)
{
	static char reason[sizeof(((struct err *)NULL)->text)];
	auto_free char *path = NULL;
	auto_close int debugfs = -1;
	char level[LOCKDOWN_SIZE];
	struct err err = { 0 };

	if (geteuid())
		return "it needs root";
	if (process_find("blktrace", &path))
		return "blktrace is missing (package blktrace)";
	if (!lockdown_read(level) && strcmp(level, "none") != 0) {
		snprintf(reason, sizeof(reason), "this kernel is locked down (%s), which keeps "
			 "blktrace(8) from its files in debugfs", level);
		return reason;
	}
	if (!kernel_traces())
		return "this kernel has no block traces (CONFIG_BLK_DEV_IO_TRACE)";
	debugfs = relay_debugfs_open(&err);
	if (debugfs < 0) {
		snprintf(reason, sizeof(reason), "%s", err.text);
		return reason;
	}
	return NULL;
}

static int capture_open(const struct blktrace_options *options, struct undo *undo, void **out,
			struct err *err)
{
	auto_close int mounted = kernel_fs_open_mounted("/sys/kernel/debug", DEBUGFS_MAGIC);
	struct capture *capture = xcalloc(1, sizeof(*capture));
	int rc = 0;

	*capture = (struct capture){ .options = options, .undo = undo, .folder.fd = -1 };
	capture->debugfs_mounted = mounted >= 0;
	capture->debugfs = relay_debugfs_open(err);
	if (capture->debugfs < 0)
		rc = capture->debugfs;
	else if (process_find("blktrace", &capture->path))
		rc = err_missing(err, "blktrace is missing (package blktrace)");
	if (rc) {
		close_fd(&capture->debugfs);
		free(capture);
		return rc;
	}
	*out = capture;
	return 0;
}

static void capture_close(void *arg)
{
	struct capture *capture = arg;

	close_fd(&capture->debugfs);
	free(capture->path);
	free(capture);
}

static void make_argv(const struct capture *capture, struct words *argv)
{
	const struct blktrace_options *options = capture->options;
	unsigned int n = sub_buffers(options->buffer);
	auto_words struct words masks = WORDS_INIT;

	words_add(argv, "blktrace");
	if (!capture->debugfs_mounted) {
		words_add(argv, "-r");
		words_add(argv, "/proc/self/fd/3");
	}
	words_add(argv, "-D");
	words_add(argv, capture->folder.path);
	words_add(argv, "-b");
	words_add_taken(argv, xasprintf("%" PRIu64, (options->buffer / n + 1023) / 1024));
	words_add(argv, "-n");
	words_add_taken(argv, xasprintf("%u", n));
	if (options->act_mask)
		words_split_at(options->act_mask, ',', &masks);
	for (size_t i = 0; i < masks.n; i++) {
		words_add(argv, "-a");
		words_add(argv, masks.v[i]);
	}
	for (size_t i = 0; i < capture->devices->n; i++) {
		words_add(argv, "-d");
		words_add(argv, capture->devices->v[i].path);
	}
}

/* While `blk` is the current tracer the kernel gives records to ftrace and none to the program. */
static int check_ftrace(struct err *err)
{
	auto_close int tracefs = tracefs_open(NULL);
	char text[64];

	if (tracefs < 0 || tracefs_read(tracefs, "current_tracer", text, sizeof(text)) ||
	    strcmp(text, "blk") != 0)
		return 0;
	return err_set(err, EBUSY, "somebody else is tracing: current_tracer is blk, which takes the "
		       "records of all devices (to clear: echo nop >current_tracer in tracefs)");
}

static int raise_file_limit(uint64_t wanted, struct err *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
		return 0;
	if (limit.rlim_max < wanted)
		return err_missing(err, "%" PRIu64 " open files are needed, the hard limit is %" PRIu64
				   " (ulimit -Hn): fewer devices, or a larger limit", wanted,
				   (uint64_t)limit.rlim_max);
	limit.rlim_cur = wanted;
	setrlimit(RLIMIT_NOFILE, &limit);
	return 0;
}

/* Its own words, with how it ended where it has. */
static int blame(struct capture *capture, int code, const char *what, struct err *err)
{
	auto_buf struct buf words = BUF_INIT, status = BUF_INIT;

	blktrace_process_add_words(capture->process, true, &words);
	if (blktrace_process_ended(capture->process, 0)) {
		buf_add(&status, ", ");
		blktrace_process_add_status(capture->process, &status);
	}
	return err_set(err, code, "%s%s; it said: %s%s", what, status.len ? status.s : "", words.s,
		       strstr(words.s, strerror(EPERM)) ?
			       "; a locked-down kernel does that: backend=tracefs works there" : "");
}

static int wait_until_ready(struct capture *capture, struct err *err)
{
	int64_t end = clock_mono_ns() + READY_NS + (int64_t)capture->devices->n * DEVICE_NS;
	pid_t pid = blktrace_process_pid(capture->process);
	int rc;

	while ((rc = relay_traces_look(capture->devices, capture->debugfs, pid, capture->undo,
				       err)) == -EAGAIN) {
		if (interrupt_count())
			return err_set(err, EINTR, "interrupted");
		if (blktrace_process_ended(capture->process, LOOK_NS))
			return blame(capture, EIO, "the program ended before it traced", err);
		if (clock_mono_ns() > end)
			return blame(capture, ETIMEDOUT, "the program does not trace", err);
	}
	if (!rc && blktrace_process_ended(capture->process, 0))
		return blame(capture, EIO, "the program ended before it traced", err);
	return rc;
}

static int start_program(struct capture *capture, struct err *err)
{
	uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	auto_words struct words argv = WORDS_INIT;
	struct blktrace_command command = {
		.path = capture->path,
		.debugfs = capture->debugfs_mounted ? -1 : capture->debugfs,
		.files = files(cpus, capture->devices->n),
	};

	make_argv(capture, &argv);
	command.argv = argv.v;
	return blktrace_process_start(&capture->process, &command, capture->undo, err);
}

static int admit(struct traced_devices *devices, struct err *err)
{
	return traced_devices_check_free(devices, err);
}

static int capture_attach(void *arg, struct traced_devices *devices, struct run_context *context,
			  struct err *err)
{
	struct capture *capture = arg;
	const struct blktrace_options *options = capture->options;
	int rc;

	capture->devices = devices;
	rc = check_ftrace(err);
	if (!rc)
		rc = raise_file_limit(devices->n + FILES_SPARE, err);
	if (!rc)
		rc = capture_folder_make(&capture->folder, options->output, options->session,
					 options->keep, context, capture->undo, err);
	if (!rc)
		rc = relay_traces_announce(devices, capture->undo, err);
	/* As late as can be: what is traced from here on would be torn down by the program. */
	if (!rc)
		rc = traced_devices_check_free(devices, err);
	if (!rc)
		rc = start_program(capture, err);
	return rc ? rc : wait_until_ready(capture, err);
}

static int capture_start(void *arg, struct err *err)
{
	struct capture *capture = arg;

	return relay_traces_start(capture->devices, err);
}

static int capture_stop(void *arg, struct err *err)
{
	struct capture *capture = arg;

	(void)err;
	relay_traces_stop(capture->devices, capture->debugfs, &capture->off);
	return 0;
}

/* True when it ended by itself, with its files whole. */
static bool end_program(struct capture *capture, struct run *run, struct blktrace_ledger *ledger)
{
	int64_t start = clock_mono_ns(), limit;
	const struct traced_device *foreign;
	struct err err = { 0 };
	bool whole = false;

	foreign = relay_traces_first_foreign(capture->devices, capture->debugfs);
	limit = DRAIN_NS + (int64_t)capture->devices->n * DEVICE_NS;
	if (blktrace_process_ended(capture->process, 0)) {
		blame(capture, EIO, "the program ended during the run", &err);
	} else if (foreign) {
		err_set(&err, EBUSY, "the trace of %s was ended by somebody else during the run",
			foreign->name);
	} else if (capture->off) {
		err_set(&err, EBUSY, "the trace of %s was stopped by somebody else during the run",
			capture->off->name);
		whole = !blktrace_process_stop(capture->process, limit, &ledger->cpu_s, NULL);
	} else {
		whole = !blktrace_process_stop(capture->process, limit, &ledger->cpu_s, &err);
	}
	blktrace_process_kill(capture->process, &ledger->cpu_s);
	if (err.text[0])
		run_invalid(run, "%s", err.text);
	ledger->drain_s = (double)(clock_mono_ns() - start) / NS_PER_S;
	return whole;
}

static void count_losses(struct capture *capture, struct blktrace_ledger *ledger)
{
	if (relay_traces_first_foreign(capture->devices, capture->debugfs) ||
	    relay_traces_dropped(capture->devices, capture->debugfs, &ledger->lost, NULL))
		ledger->lost_unknown = true;
}

/* The device that a file DEVICE.blktrace.CPU is of; the program writes '_' for '!' in names. */
static struct traced_device *device_of(struct capture *capture, const char *name)
{
	const char *end = strstr(name, ".blktrace.");
	const char *own;
	size_t i, at;

	for (i = 0; i < capture->devices->n; i++) {
		own = capture->devices->v[i].name;
		for (at = 0; own[at] && (own[at] == name[at] ||
					 (own[at] == '!' && name[at] == '_')); at++)
			;
		if (!own[at] && name + at == end)
			return &capture->devices->v[i];
	}
	return NULL;
}

static int count_each(struct capture *capture, struct blktrace_count *sum, struct err *err)
{
	auto_words struct words names = WORDS_INIT;
	int rc = capture_folder_list(&capture->folder, &names);

	if (rc)
		return err_sys(err, -rc, "%s", capture->folder.path);
	for (size_t i = 0; !rc && i < names.n; i++) {
		struct traced_device *device = device_of(capture, names.v[i]);
		struct blktrace_count count = *sum;

		if (!device)
			continue;
		rc = blktrace_count_file(capture->folder.fd, names.v[i], device->number, &count,
					 err);
		device->events += count.events - sum->events;
		*sum = count;
	}
	return rc;
}

static void count_files(struct capture *capture, struct run *run, struct blktrace_ledger *ledger)
{
	struct blktrace_count count = { 0 };
	struct err err = { 0 };

	if (count_each(capture, &count, &err))
		run_invalid(run, "its files: %s", err.text);
	if (count.broken)
		run_invalid(run, "%" PRIu64 " records of the trace are damaged", count.broken);
	if (count.torn)
		run_invalid(run, "the last record of the trace is cut off");
	if (count.foreign)
		run_mark(run, "tracer", "%" PRIu64 " records were of other devices", count.foreign);
	ledger->events = count.events;
	ledger->bytes = count.bytes;
}

/* What it said but for its statistics; nothing, as a rule. */
static void mark_words(struct capture *capture, struct run *run)
{
	auto_buf struct buf words = BUF_INIT;

	blktrace_process_add_words(capture->process, true, &words);
	if (strcmp(words.s, "(no word)") != 0)
		run_mark(run, "tracer", "blktrace said: %s", words.s);
}

static int capture_collect(void *arg, struct run_context *context,
			   struct blktrace_ledger *ledger, struct err *err)
{
	struct capture *capture = arg;
	struct err keep_err = { 0 };
	uint64_t said;

	(void)err;
	count_losses(capture, ledger); /* they are gone with the trace */
	if (end_program(capture, context->run, ledger)) {
		count_files(capture, context->run, ledger);
		mark_words(capture, context->run);
	} else {
		ledger->uncounted = true;
	}
	said = blktrace_process_dropped(capture->process);
	if (said > ledger->lost)
		ledger->lost = said;
	if (capture->options->keep &&
	    capture_folder_keep(&capture->folder, context, &keep_err))
		run_mark(context->run, "trace", "not kept: %s", keep_err.text);
	return 0;
}

static void capture_detach(void *arg, struct run_context *context)
{
	struct capture *capture = arg;
	struct err err = { 0 };

	blktrace_process_free(capture->process);
	capture->process = NULL;
	capture->off = NULL;
	if (relay_traces_clear(capture->devices, capture->debugfs, capture->undo, &err))
		run_mark(context->run, "tracer", "not restored: %s", err.text);
	if (capture->folder.noted || !capture->options->keep) {
		if (capture_folder_remove(&capture->folder, &err))
			run_mark(context->run, "tracer", "not removed: %s", err.text);
	} else {
		capture_folder_release(&capture->folder);
	}
	capture->devices = NULL;
}

const struct blktrace_backend blktrace_program = {
	.name = "program",
	.default_buffer = 2u << 20,
	.per_device = true,
	.unavailable = unavailable,
	.memory = memory,
	.files = files,
	.admit = admit,
	.open = capture_open,
	.close = capture_close,
	.attach = capture_attach,
	.start = capture_start,
	.stop = capture_stop,
	.collect = capture_collect,
	.detach = capture_detach,
};
