// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A thousand devices on hundreds of CPUs make more files than a process may have open, so each
 * file is opened for a full buffer and closed again.
 */
#include "traces/blktrace_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/xalloc.h"

#define FLUSH_BYTES (64u * 1024)
#define COMM_BYTES 16 /* TASK_COMM_LEN: what the kernel's own process records have */

/* One device on the CPU that is being written. */
struct stream {
	struct buf out;
	uint32_t sequence;
	bool timed;		/* the device has its timestamp record */
	unsigned int created;	/* files of CPUs below this one exist */
	uint32_t *pids; /* those named in this file, ascending */
	size_t npids, pids_cap;
};

struct blktrace_files {
	char *folder;
	struct blktrace_source source;
	struct stream *streams;
	unsigned int cpu;
	uint64_t left_out;
};

struct blktrace_files *blktrace_files_new(const char *folder, const struct blktrace_source *source)
{
	struct blktrace_files *files = xcalloc(1, sizeof(*files));

	files->folder = xstrdup(folder);
	files->source = *source;
	files->streams = xcalloc(source->ndevices ? source->ndevices : 1, sizeof(*files->streams));
	return files;
}

static int open_file(const struct blktrace_files *files, size_t device, unsigned int cpu, int flags,
		     struct err *err)
{
	auto_free char *path = xasprintf("%s/%s.blktrace.%u", files->folder,
					 files->source.devices[device].name, cpu);
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0644);

	if (fd < 0)
		return err_sys(err, errno, "%s", path);
	if (flags & O_CREAT)
		files_give_to_sudo_user(path);
	return fd;
}

/* The file of this CPU, new and with those before it, or as it stands. */
static int open_stream(struct blktrace_files *files, size_t device, struct err *err)
{
	struct stream *stream = &files->streams[device];
	int fd = -1;

	if (stream->created > files->cpu)
		return open_file(files, device, files->cpu, O_APPEND, err);
	while (stream->created <= files->cpu) {
		close_fd(&fd);
		fd = open_file(files, device, stream->created, O_CREAT | O_TRUNC, err);
		if (fd < 0)
			return fd;
		stream->created++;
	}
	return fd;
}

static int flush(struct blktrace_files *files, size_t device, struct err *err)
{
	struct stream *stream = &files->streams[device];
	auto_close int fd = -1;
	int rc;

	if (!stream->out.len)
		return 0;
	fd = open_stream(files, device, err);
	if (fd < 0)
		return fd;
	rc = files_write_all(fd, stream->out.s, stream->out.len);
	buf_clear(&stream->out);
	return rc ? err_sys(err, -rc, "%s.blktrace.%u", files->source.devices[device].name,
			    files->cpu) : 0;
}

static int flush_all(struct blktrace_files *files, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < files->source.ndevices; i++)
		rc = flush(files, i, err);
	return rc;
}

int blktrace_files_begin_cpu(struct blktrace_files *files, unsigned int cpu, struct err *err)
{
	struct stream *stream;
	int rc = flush_all(files, err);

	if (rc)
		return rc;
	files->cpu = cpu;
	for (size_t i = 0; i < files->source.ndevices; i++) {
		stream = &files->streams[i];
		stream->sequence = 0;
		stream->npids = 0;
	}
	return 0;
}

static void put(struct stream *stream, const struct blk_record *record)
{
	unsigned char header[BLK_RECORD_HEADER_MAX];

	buf_addn(&stream->out, header, blk_record_encode(record, 7, header));
	buf_addn(&stream->out, record->pdu, record->pdu_len);
}

/* Notify records are numbered neither by the kernel nor here. */
static void put_notify(struct blktrace_files *files, size_t device, enum blk_notify code,
		       uint64_t time, uint32_t pid, const void *pdu, uint16_t pdu_len)
{
	const struct blk_record record = {
		.time = time,
		.action = code | ((uint64_t)BLK_CATEGORY_NOTIFY << BLK_CATEGORY_SHIFT),
		.pid = pid,
		.device = files->source.devices[device].number,
		.cpu = files->cpu,
		.pdu = pdu,
		.pdu_len = pdu_len,
	};

	put(&files->streams[device], &record);
}

static void put_timestamp(struct blktrace_files *files, size_t device)
{
	const uint32_t pdu[2] = { (uint32_t)(files->source.wall_ns / NS_PER_S),
				  (uint32_t)(files->source.wall_ns % NS_PER_S) };

	put_notify(files, device, BLK_NOTIFY_TIMESTAMP, files->source.mono_ns, 0, pdu,
		   sizeof(pdu));
	files->streams[device].timed = true;
}

/* Notes a pid as named; false where it was already. */
static bool first_of_pid(struct stream *stream, uint32_t pid)
{
	size_t low = 0, high = stream->npids, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (stream->pids[middle] == pid)
			return false;
		if (stream->pids[middle] < pid)
			low = middle + 1;
		else
			high = middle;
	}
	GROW(stream->pids, stream->npids, stream->pids_cap);
	memmove(stream->pids + low + 1, stream->pids + low,
		(stream->npids - low) * sizeof(*stream->pids));
	stream->pids[low] = pid;
	stream->npids++;
	return true;
}

static void put_process(struct blktrace_files *files, size_t device,
			const struct blk_record *record)
{
	char pdu[COMM_BYTES] = "";
	const char *comm;

	if (!files->source.comm || !first_of_pid(&files->streams[device], record->pid))
		return;
	comm = files->source.comm(files->source.arg, record->pid);
	if (!comm)
		return;
	snprintf(pdu, sizeof(pdu), "%s", comm);
	put_notify(files, device, BLK_NOTIFY_PROCESS, record->time, record->pid, pdu,
		   sizeof(pdu));
}

int blktrace_files_add(struct blktrace_files *files, size_t device,
		       const struct blk_record *record, struct err *err)
{
	struct stream *stream = &files->streams[device];
	struct blk_record out = *record;
	bool notify = blk_record_is_notify(record);

	if (!notify && blk_record_code(record) > BLK_ACTION_DRIVER_DATA) {
		files->left_out++;
		return 0;
	}
	if (!stream->timed)
		put_timestamp(files, device);
	put_process(files, device, record);
	out.cpu = files->cpu; /* blkparse drops records whose CPU is not the file's */
	out.sequence = notify ? 0 : ++stream->sequence;
	put(stream, &out);
	return stream->out.len >= FLUSH_BYTES ? flush(files, device, err) : 0;
}

int blktrace_files_finish(struct blktrace_files *files, uint64_t *left_out, struct err *err)
{
	int rc = flush_all(files, err);

	if (!rc && left_out)
		*left_out = files->left_out;
	for (size_t i = 0; i < files->source.ndevices; i++) {
		buf_release(&files->streams[i].out);
		free(files->streams[i].pids);
	}
	free(files->streams);
	free(files->folder);
	free(files);
	return rc;
}
