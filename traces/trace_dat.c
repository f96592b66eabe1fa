// SPDX-License-Identifier: GPL-3.0-or-later
#include "traces/trace_dat.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/xalloc.h"

#define TEXT_LIMIT (256u << 20) /* of a file of the kernel */
#define CHUNK_BYTES (1u << 20)

enum { OPTION_DONE = 0, OPTION_TRACECLOCK = 4 };

static void add_u16(struct buf *out, uint16_t value)
{
	buf_addn(out, &value, sizeof(value));
}

static void add_u32(struct buf *out, uint32_t value)
{
	buf_addn(out, &value, sizeof(value));
}

static void add_u64(struct buf *out, uint64_t value)
{
	buf_addn(out, &value, sizeof(value));
}

/* With the byte that ends it. */
static void add_name(struct buf *out, const char *name)
{
	buf_addn(out, name, strlen(name) + 1);
}

/* A file behind its size, which has width bytes. */
static int add_file(struct buf *out, int dirfd, const char *path, size_t width, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	int rc = files_read_at(dirfd, path, TEXT_LIMIT, &text);

	if (rc)
		return err_sys(err, -rc, "%s", path);
	if (width == 4)
		add_u32(out, (uint32_t)text.len);
	else
		add_u64(out, text.len);
	if (text.len)
		buf_addn(out, text.s, text.len);
	return 0;
}

/* One that a kernel may not have, or not show: then it is empty. */
static void add_optional_file(struct buf *out, int dirfd, const char *path, size_t width)
{
	size_t start = out->len;

	if (add_file(out, dirfd, path, width, NULL) == 0)
		return;
	out->len = start;
	if (width == 4)
		add_u32(out, 0);
	else
		add_u64(out, 0);
}

static int add_head(struct buf *out, const struct trace_dat_source *source, struct err *err)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const uint16_t one = 1;
	int rc;

	buf_addn(out, magic, sizeof(magic) - 1);
	add_name(out, "6");
	buf_addc(out, *(const char *)&one ? 0 : 1); /* 0: little-endian */
	buf_addc(out, (char)sizeof(long));
	add_u32(out, (uint32_t)source->page_size);
	add_name(out, "header_page");
	rc = add_file(out, source->tracefs, "events/header_page", 8, err);
	if (rc)
		return rc;
	add_name(out, "header_event");
	return add_file(out, source->tracefs, "events/header_event", 8, err);
}

/* The formats of records that are no events: markers, stacks. */
static int add_ftrace_formats(struct buf *out, int tracefs, struct err *err)
{
	int fd = openat(tracefs, "events/ftrace", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	auto_buf struct buf formats = BUF_INIT;
	const struct dirent *entry;
	struct stat st;
	uint32_t n = 0;

	if (!folder) {
		close_fd(&fd);
		return err_sys(err, errno, "tracefs: events/ftrace");
	}
	while (!rc && (entry = readdir(folder))) {
		auto_free char *path = xasprintf("%s/format", entry->d_name);

		if (*entry->d_name == '.' || fstatat(fd, path, &st, 0) < 0)
			continue;
		rc = add_file(&formats, fd, path, 8, err);
		n++;
	}
	closedir(folder);
	if (rc)
		return rc;
	add_u32(out, n);
	if (formats.len)
		buf_addn(out, formats.s, formats.len);
	return 0;
}

static size_t system_length(const char *name)
{
	return strcspn(name, ":");
}

static bool same_system(const char *a, const char *b)
{
	size_t n = system_length(a);

	return n == system_length(b) && !strncmp(a, b, n);
}

/* Events [first, last), which are all of a system that stand together. */
static int add_system(struct buf *out, int tracefs, const struct words *events, size_t first,
		      size_t last, struct err *err)
{
	const char *name = events->v[first];
	int rc = 0;

	buf_addn(out, name, system_length(name));
	buf_addc(out, '\0');
	add_u32(out, (uint32_t)(last - first));
	for (size_t i = first; !rc && i < last; i++) {
		auto_free char *path = xasprintf("events/%s/format", events->v[i]);

		path[strlen("events/") + system_length(events->v[i])] = '/';
		rc = add_file(out, tracefs, path, 8, err);
	}
	return rc;
}

/* A system whose events do not stand together is written in parts, which readers take. */
static int add_event_formats(struct buf *out, const struct trace_dat_source *source,
			     struct err *err)
{
	const struct words *events = source->events;
	auto_buf struct buf systems = BUF_INIT;
	size_t last;
	uint32_t n = 0;
	int rc = 0;

	for (size_t first = 0; !rc && first < events->n; first = last, n++) {
		last = first + 1;
		while (last < events->n && same_system(events->v[first], events->v[last]))
			last++;
		rc = add_system(&systems, source->tracefs, events, first, last, err);
	}
	add_u32(out, n);
	if (!rc && systems.len)
		buf_addn(out, systems.s, systems.len);
	return rc;
}

/* So that times of clocks that do not count nanoseconds are shown as what they are. */
static void add_options(struct buf *out, int instance)
{
	buf_addn(out, "options  ", 10);
	add_u16(out, OPTION_TRACECLOCK);
	add_optional_file(out, instance, "trace_clock", 4);
	add_u16(out, OPTION_DONE);
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Where each CPU's pages are in the file; a CPU that is left out has none. */
static int add_places(struct buf *out, const struct trace_dat_source *source, struct err *err)
{
	uint32_t n = source->ncpus ? source->cpus[source->ncpus - 1].cpu + 1 : 0;
	uint64_t at = round_up(out->len + sizeof("flyrecord") + n * 16ull, source->page_size);
	struct stat st;

	buf_addn(out, "flyrecord", 10);
	for (uint32_t cpu = 0, i = 0; cpu < n; cpu++) {
		st.st_size = 0;
		if (source->cpus[i].cpu == cpu && fstat(source->cpus[i++].fd, &st) < 0)
			return err_sys(err, errno, "the pages of CPU %u", (unsigned int)cpu);
		add_u64(out, at);
		add_u64(out, (uint64_t)st.st_size);
		at += (uint64_t)st.st_size;
	}
	while (out->len % source->page_size)
		buf_addc(out, '\0');
	return 0;
}

static int copy_pages(int to, int from, struct err *err)
{
	auto_free char *chunk = xmalloc(CHUNK_BYTES);
	off_t at = 0;
	ssize_t n;
	int rc;

	while ((n = pread(from, chunk, CHUNK_BYTES, at)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "reading pages of the trace");
		rc = files_write_all(to, chunk, (size_t)n);
		if (rc)
			return err_sys(err, -rc, "writing trace.dat");
		at += n;
	}
	return 0;
}

static int add_all(struct buf *out, const struct trace_dat_source *source, struct err *err)
{
	int rc = add_head(out, source, err);

	if (!rc)
		rc = add_ftrace_formats(out, source->tracefs, err);
	if (!rc)
		rc = add_event_formats(out, source, err);
	if (rc)
		return rc;
	add_optional_file(out, AT_FDCWD, "/proc/kallsyms", 4);
	add_optional_file(out, source->tracefs, "printk_formats", 4);
	add_optional_file(out, source->tracefs, "saved_cmdlines", 8);
	add_u32(out, source->ncpus ? source->cpus[source->ncpus - 1].cpu + 1 : 0);
	add_options(out, source->instance);
	return add_places(out, source, err);
}

int trace_dat_write(int fd, const struct trace_dat_source *source, struct err *err)
{
	auto_buf struct buf head = BUF_INIT;
	int rc = add_all(&head, source, err), write_rc;

	if (rc)
		return rc;
	write_rc = files_write_all(fd, head.s, head.len);
	if (write_rc)
		return err_sys(err, -write_rc, "writing trace.dat");
	for (size_t i = 0; !rc && i < source->ncpus; i++)
		rc = copy_pages(fd, source->cpus[i].fd, err);
	return rc;
}
