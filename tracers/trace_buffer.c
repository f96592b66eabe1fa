// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracers/trace_buffer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/tracefs.h"

static int compare_cpus(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

int trace_buffer_cpus(int tracefs, unsigned int **cpus, size_t *n, struct err *err)
{
	int fd = openat(tracefs, "per_cpu", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	unsigned int *found = NULL;
	size_t count = 0, cap = 0;
	struct dirent *entry;
	uint64_t cpu;

	if (!folder) {
		err_sys(err, errno, "tracefs: per_cpu");
		close_fd(&fd);
		return -ENOENT;
	}
	while ((entry = readdir(folder))) {
		if (strncmp(entry->d_name, "cpu", 3) || units_parse_u64(entry->d_name + 3, &cpu))
			continue;
		GROW(found, count, cap);
		found[count++] = (unsigned int)cpu;
	}
	closedir(folder);
	if (!count)
		return err_set(err, ENOENT, "tracefs: per_cpu is empty");
	qsort(found, count, sizeof(*found), compare_cpus);
	*cpus = found;
	*n = count;
	return 0;
}

/* The number behind "name: " at the start of a line. */
static int stat_number(const char *text, const char *name, uint64_t *out)
{
	size_t len = strlen(name);

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (!strncmp(line, name, len) && !strncmp(line + len, ": ", 2))
			return sscanf(line + len + 2, "%" SCNu64, out) == 1 ? 0 : -EBADMSG;
	return -EBADMSG;
}

static int add_cpu_stats(int tracefs, unsigned int cpu, struct trace_buffer_stats *sum)
{
	auto_buf struct buf text = BUF_INIT;
	struct trace_buffer_stats one;
	char path[64];
	int rc;

	snprintf(path, sizeof(path), "per_cpu/cpu%u/stats", cpu);
	rc = files_read_at(tracefs, path, 1 << 14, &text);
	if (!rc)
		rc = stat_number(text.s, "entries", &one.entries);
	if (!rc)
		rc = stat_number(text.s, "overrun", &one.overrun);
	if (!rc)
		rc = stat_number(text.s, "commit overrun", &one.commit_overrun);
	if (!rc)
		rc = stat_number(text.s, "dropped events", &one.dropped);
	if (!rc)
		rc = stat_number(text.s, "read events", &one.read);
	if (!rc)
		rc = stat_number(text.s, "bytes", &one.bytes);
	if (rc)
		return rc;
	sum->entries += one.entries;
	sum->overrun += one.overrun;
	sum->commit_overrun += one.commit_overrun;
	sum->dropped += one.dropped;
	sum->read += one.read;
	sum->bytes += one.bytes;
	return 0;
}

int trace_buffer_stats(int tracefs, const unsigned int *cpus, size_t n,
		       struct trace_buffer_stats *stats, struct err *err)
{
	struct trace_buffer_stats sum = { 0 };
	int rc;

	for (size_t i = 0; i < n; i++) {
		rc = add_cpu_stats(tracefs, cpus[i], &sum);
		if (rc)
			return err_sys(err, -rc, "tracefs: per_cpu/cpu%u/stats", cpus[i]);
	}
	*stats = sum;
	return 0;
}

static uint64_t increase(uint64_t before, uint64_t after)
{
	return after >= before ? after - before : after;
}

struct trace_buffer_stats trace_buffer_change(const struct trace_buffer_stats *before,
					      const struct trace_buffer_stats *after)
{
	return (struct trace_buffer_stats){
		.entries = after->entries,
		.bytes = after->bytes,
		.overrun = increase(before->overrun, after->overrun),
		.commit_overrun = increase(before->commit_overrun, after->commit_overrun),
		.dropped = increase(before->dropped, after->dropped),
		.read = increase(before->read, after->read),
	};
}

uint64_t trace_buffer_lost(const struct trace_buffer_stats *before,
			   const struct trace_buffer_stats *after)
{
	struct trace_buffer_stats change = trace_buffer_change(before, after);

	return change.overrun + change.commit_overrun + change.dropped;
}

int trace_buffer_first_event(int tracefs, char *out, size_t size)
{
	return files_read_line_at(tracefs, "set_event", out, size);
}

static int check_tracer(int tracefs, struct err *err)
{
	char text[64];
	int rc = tracefs_read(tracefs, "current_tracer", text, sizeof(text));

	if (rc)
		return err_sys(err, -rc, "tracefs: current_tracer");
	if (strcmp(text, "nop") != 0)
		return err_set(err, EBUSY, "somebody else is tracing: current_tracer is %s "
			       "(to clear: echo nop >current_tracer in tracefs)", text);
	return 0;
}

static int check_events(int tracefs, struct err *err)
{
	char text[128];
	int rc = trace_buffer_first_event(tracefs, text, sizeof(text));

	if (rc)
		return err_sys(err, -rc, "tracefs: set_event");
	if (*text)
		return err_set(err, EBUSY, "somebody else is tracing: the event %s is switched on "
			       "(to clear: echo >set_event in tracefs)", text);
	return 0;
}

static int check_entries(int tracefs, const unsigned int *cpus, size_t n, struct err *err)
{
	struct trace_buffer_stats stats;
	int rc = trace_buffer_stats(tracefs, cpus, n, &stats, err);

	if (!rc && stats.entries)
		rc = err_set(err, EBUSY, "the trace buffer holds %" PRIu64 " entries that somebody "
			     "may want (to clear: echo >trace in tracefs)", stats.entries);
	return rc;
}

static int check_cpumask(int tracefs, size_t n, struct err *err)
{
	char text[2048];
	unsigned int bits = 0, digit;
	int rc = files_read_line_at(tracefs, "tracing_cpumask", text, sizeof(text));

	if (rc)
		return err_sys(err, -rc, "tracefs: tracing_cpumask");
	for (const char *p = text; *p; p++)
		if (sscanf((char[]){ *p, 0 }, "%x", &digit) == 1)
			bits += (unsigned int)__builtin_popcount(digit);
	if (bits < n)
		return err_set(err, EBUSY, "tracing_cpumask leaves out some of the %zu CPUs: it is "
			       "%s (to clear: write as many one bits to it in tracefs)", n, text);
	return 0;
}

static int check_pipe(int tracefs, struct err *err)
{
	auto_close int fd = openat(tracefs, "trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		return 0;
	if (errno == EBUSY)
		return err_set(err, EBUSY, "somebody else is reading trace_pipe (to find them: "
			       "fuser -v on it in tracefs)");
	return err_sys(err, errno, "tracefs: trace_pipe");
}

int trace_buffer_check_idle(int tracefs, const unsigned int *cpus, size_t n, struct err *err)
{
	int rc = check_tracer(tracefs, err);

	if (!rc)
		rc = check_events(tracefs, err);
	if (!rc)
		rc = check_entries(tracefs, cpus, n, err);
	if (!rc)
		rc = check_cpumask(tracefs, n, err);
	if (!rc)
		rc = check_pipe(tracefs, err);
	return rc;
}

int trace_buffer_empty(int tracefs)
{
	int fd = openat(tracefs, "trace", O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}
