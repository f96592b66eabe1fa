// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracers/ftrace_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/units.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "machine/tracefs.h"
#include "tracers/buffer_memory.h"
#include "tracers/capture_place.h"
#include "tracers/ftrace_work.h"
#include "tracers/trace_events.h"

#define CLOCKS "local|global|counter|uptime|perf|mono|mono_raw|boot|tai|x86-tsc"

const struct key_spec ftrace_keys[] = {
	{ "events", KEY_LIST, NULL, "NAME+NAME...", 0, 0,
	  "what to record: SYSTEM, SYSTEM:EVENT or EVENT, patterns too: "
	  "syscalls+sched:sched_switch+block:*; all", trace_events_check },
	{ "mode", KEY_ENUM, "drain", "drain|overwrite", 0, 0,
	  "drain: a process a CPU writes the buffer to a file during the run, as trace-cmd record; "
	  "overwrite: nobody reads, the newest events stay in the buffer", NULL },
	{ "buffer", KEY_SIZE, "8M", "SIZE", 64 << 10, 1LL << 40, "trace buffer of each CPU", NULL },
	{ "scope", KEY_ENUM, "machine", "machine|work", 0, 0,
	  "whose events: of all that runs, or of the work's processes alone (kernel threads are "
	  "none)", NULL },
	{ "clock", KEY_ENUM, "local", CLOCKS, 0, 0, "the clock of the events' times", NULL },
	{ "keep", KEY_BOOL, "no", NULL, 0, 0,
	  "keep the trace for trace-cmd report: runs/<n>/trace/trace.dat", NULL },
	{ "output", KEY_STRING, NULL, "DIR", 0, 0,
	  "where the capture is written during the run (the set): another disk, or memory", NULL,
	  files_absolute },
	{ 0 },
};

const char *ftrace_mode_name(enum ftrace_mode mode)
{
	return mode == FTRACE_OVERWRITE ? "overwrite" : "drain";
}

const char *ftrace_scope_name(enum ftrace_scope scope)
{
	return scope == FTRACE_WORK ? "work" : "machine";
}

const char *ftrace_unavailable(void)
{
	static char reason[sizeof(((struct err *)NULL)->text)];
	static const char missing[] = "this kernel has no trace events (CONFIG_EVENT_TRACING)";
	struct err err = { 0 };
	char text[256];
	auto_close int tracefs =
		tracefs_probe("available_events", missing, text, sizeof(text), &err);

	if (tracefs < 0) {
		snprintf(reason, sizeof(reason), "%s", err.text);
		return reason;
	}
	if (faccessat(tracefs, "instances", F_OK, 0) < 0)
		return "this kernel's tracefs has no instances";
	return NULL;
}

int ftrace_options_read(const struct keys *keys, struct ftrace_options *options, struct err *err)
{
	const char *events = keys_text(keys, ftrace_keys, "events");
	const char *output = keys_get(keys, "output");

	if (!events)
		return err_usage(err, "events= is missing, as events=syscalls or "
				 "events=sched:sched_switch+block (available_events in tracefs lists "
				 "them)");
	*options = (struct ftrace_options){
		.events = xstrdup(events),
		.clock = xstrdup(keys_text(keys, ftrace_keys, "clock")),
		.output = output ? xstrdup(output) : NULL,
		.buffer = keys_size(keys, ftrace_keys, "buffer"),
		.keep = keys_bool(keys, ftrace_keys, "keep"),
	};
	if (!strcmp(keys_text(keys, ftrace_keys, "mode"), "overwrite"))
		options->mode = FTRACE_OVERWRITE;
	if (!strcmp(keys_text(keys, ftrace_keys, "scope"), "work"))
		options->scope = FTRACE_WORK;
	return 0;
}

void ftrace_options_release(struct ftrace_options *options)
{
	free(options->events);
	free(options->clock);
	free(options->output);
	*options = (struct ftrace_options){ 0 };
}

/* "[local] global counter ..." */
static int check_clock(const char *clock, int tracefs, struct err *err)
{
	auto_words struct words words = WORDS_INIT;
	char text[512], *word;
	size_t len;
	int rc = files_read_line_at(tracefs, "trace_clock", text, sizeof(text));

	if (rc)
		return err_sys(err, -rc, "tracefs: trace_clock");
	words_split_at(text, ' ', &words);
	for (size_t i = 0; i < words.n; i++) {
		word = words.v[i];
		len = strlen(word);
		if (*word == '[' && word[len - 1] == ']') {
			word[len - 1] = '\0';
			word++;
		}
		if (!strcmp(word, clock))
			return 0;
	}
	return err_missing(err, "this kernel has no trace clock %s; it has %s", clock, text);
}

int ftrace_options_check(const struct ftrace_options *options, int tracefs, struct err *err)
{
	auto_buf struct buf what = BUF_INIT;
	int rc = check_clock(options->clock, tracefs, err);

	if (!rc)
		rc = capture_place_check_output(options->output, err);
	if (!rc && options->scope == FTRACE_WORK && !ftrace_work_can_follow())
		rc = err_missing(err, "scope=work cannot be had in a pid namespace (a container): the "
				 "kernel's set_event_pid takes the pids outside of it");
	if (rc)
		return rc;
	buffer_memory_tell(options->buffer, &what);
	return buffer_memory_check(options->buffer * buffer_memory_cpus(), options->buffer, what.s,
				   NULL, err);
}

void ftrace_options_tell(const struct ftrace_options *options, size_t events, struct buf *out)
{
	buf_addf(out, "%zu kind%s of event by ftrace, ", events, events == 1 ? "" : "s");
	buffer_memory_tell(options->buffer, out);
	if (options->mode == FTRACE_OVERWRITE)
		buf_add(out, ", not read during the run");
	else
		buf_addf(out, ", drained to %s during the run",
			 options->output ? options->output : "the set");
	buf_add(out, options->scope == FTRACE_WORK ? "; of the work's processes" :
						     "; of all that runs on the machine");
}
