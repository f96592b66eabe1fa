// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracers/ring_spools.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/xalloc.h"

#define CHUNK_BYTES (1u << 20)

struct decoding {
	struct traced_devices *devices;
	struct blktrace_files *files;
	struct ring_spools_sums *sums;
};

static void files_failed(struct decoding *decoding, int rc)
{
	decoding->sums->files_rc = rc;
	decoding->files = NULL;
}

static int take(void *arg, const struct blk_record *record)
{
	struct decoding *decoding = arg;
	struct traced_device *device = traced_devices_find(decoding->devices, record->device);
	int rc;

	if (!device) {
		decoding->sums->foreign++;
		return 0;
	}
	if (!blk_record_is_notify(record)) {
		decoding->sums->events++;
		device->events++;
	}
	if (!decoding->files)
		return 0;
	rc = blktrace_files_add(decoding->files, (size_t)(device - decoding->devices->v), record,
				&decoding->sums->files_err);
	if (rc)
		files_failed(decoding, rc);
	return 0;
}

/* Fills the buffer from an offset; the bytes read, fewer at the end of the file. */
static ssize_t read_chunk(int fd, unsigned char *buffer, size_t size, uint64_t offset)
{
	size_t done = 0;
	ssize_t n;

	while (done < size) {
		n = pread(fd, buffer + done, size - done, (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static int decode_spool(struct ring_decoder *decoder, int fd, unsigned char *buffer, size_t size,
			size_t page_size, struct decoding *decoding)
{
	uint64_t offset = 0;
	ssize_t n;

	do {
		n = read_chunk(fd, buffer, size, offset);
		if (n < 0)
			return (int)n;
		for (size_t at = 0; at + page_size <= (size_t)n; at += page_size)
			ring_decode_page(decoder, buffer + at, take, decoding);
		offset += (uint64_t)n;
	} while ((size_t)n == size);
	return offset % page_size ? -EBADMSG : 0;
}

int ring_spools_decode(const struct ring_readers *readers, struct ring_format *format,
		       struct traced_devices *devices, struct blktrace_files *files,
		       struct ring_spools_sums *sums, struct err *err)
{
	struct decoding decoding = { .devices = devices, .files = files, .sums = sums };
	size_t page_size = format->page_size;
	size_t size = page_size > CHUNK_BYTES ? page_size : CHUNK_BYTES / page_size * page_size;
	auto_free unsigned char *buffer = xmalloc(size);
	struct ring_decoder *decoder = ring_decoder_new(format, devices->numbers, devices->n);
	int rc = 0, files_rc;

	*sums = (struct ring_spools_sums){ 0 };
	for (size_t i = 0; !rc && i < readers->n; i++) {
		if (decoding.files) {
			files_rc = blktrace_files_begin_cpu(decoding.files, readers->v[i].cpu,
							    &sums->files_err);
			if (files_rc)
				files_failed(&decoding, files_rc);
		}
		rc = decode_spool(decoder, readers->v[i].spool_fd, buffer, size, page_size,
				  &decoding);
		if (rc)
			err_sys(err, -rc, "the spool of the trace of CPU %u", readers->v[i].cpu);
	}
	sums->ring = *ring_decoder_counts(decoder);
	ring_decoder_free(decoder);
	return rc;
}
