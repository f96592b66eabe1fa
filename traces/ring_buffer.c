// SPDX-License-Identifier: GPL-3.0-or-later
#include "traces/ring_buffer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <kbuffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/xalloc.h"

/* kbuffer looks at a header before it knows its length: room for that behind a full page. */
#define SLACK 16

struct ring_decoder {
	struct ring_format *format;
	const uint32_t *devices;
	size_t ndevices;
	struct kbuffer *kbuffer;
	unsigned char *page;
	struct ring_counts counts;
};

/* A line of header_page: "field: local_t commit;	offset:8;	size:8;	signed:1;" */
static int header_field(const char *text, const char *name, unsigned int *offset,
			unsigned int *size)
{
	const char *p = strstr(text, name);

	if (!p || sscanf(p + strlen(name), " offset:%u; size:%u;", offset, size) != 2)
		return -EBADMSG;
	return 0;
}

static int read_header_page(int tracefs, struct ring_format *format)
{
	auto_buf struct buf text = BUF_INIT;
	unsigned int at, commit, data_at, data;
	int rc = files_read_at(tracefs, "events/header_page", 1 << 14, &text);

	if (!rc)
		rc = header_field(text.s, " commit;", &at, &commit);
	if (!rc)
		rc = header_field(text.s, " data;", &data_at, &data);
	if (rc)
		return rc;
	if (at != 8 || (commit != 4 && commit != 8) || data_at != at + commit || data < 64 ||
	    data > (1u << 26))
		return -EBADMSG;
	format->commit_size = commit;
	format->page_size = data_at + data;
	return 0;
}

static void claim(int folder, const char *event, struct ring_format *format, unsigned int *last)
{
	auto_free char *path = xasprintf("%s/format", event);
	auto_buf struct buf text = BUF_INIT;
	unsigned int id;
	const char *p;

	if (files_read_at(folder, path, 1 << 16, &text))
		return;
	p = strstr(text.s, "\nID: ");
	if (!p || sscanf(p, "\nID: %u", &id) != 1 || id >= RING_TYPES)
		return;
	format->claimed[id] = true;
	if (id > *last)
		*last = id;
}

static int read_claimed_types(int tracefs, struct ring_format *format)
{
	int fd = openat(tracefs, "events/ftrace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	unsigned int last = 0;
	struct dirent *entry;
	int rc;

	if (!folder) {
		rc = -errno;
		close_fd(&fd);
		return rc;
	}
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			claim(fd, entry->d_name, format, &last);
	closedir(folder);
	format->claimed[0] = true; /* no type at all */
	for (unsigned int type = last; type < RING_TYPES; type++)
		format->claimed[type] = true;
	return last ? 0 : -ENOENT;
}

int ring_format_read(int tracefs, struct ring_format *format, struct err *err)
{
	struct ring_format fresh = { 0 };
	int rc = read_header_page(tracefs, &fresh);

	if (rc)
		return err_sys(err, -rc, "tracefs: events/header_page");
	rc = read_claimed_types(tracefs, &fresh);
	if (rc)
		return err_sys(err, -rc, "tracefs: events/ftrace");
	*format = fresh;
	return 0;
}

struct ring_decoder *ring_decoder_new(struct ring_format *format, const uint32_t *devices,
				      size_t ndevices)
{
	struct ring_decoder *decoder = xcalloc(1, sizeof(*decoder));

	decoder->format = format;
	decoder->devices = devices;
	decoder->ndevices = ndevices;
	decoder->page = xcalloc(1, format->page_size + SLACK);
	decoder->kbuffer = kbuffer_alloc(format->commit_size == 4 ? KBUFFER_LSIZE_4 :
								     KBUFFER_LSIZE_8,
					 KBUFFER_ENDIAN_SAME_AS_HOST);
	if (!decoder->kbuffer)
		abort(); /* out of memory: the same end as xmalloc's */
	return decoder;
}

void ring_decoder_free(struct ring_decoder *decoder)
{
	if (!decoder)
		return;
	kbuffer_free(decoder->kbuffer);
	free(decoder->page);
	free(decoder);
}

const struct ring_counts *ring_decoder_counts(const struct ring_decoder *decoder)
{
	return &decoder->counts;
}

static bool known_device(const struct ring_decoder *decoder, uint32_t device)
{
	size_t low = 0, high = decoder->ndevices, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (decoder->devices[middle] == device)
			return true;
		if (decoder->devices[middle] < device)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/* Does an entry of this size hold such a record and nothing more than padding? */
static bool entry_is_record(const void *entry, size_t size, unsigned int version,
			    struct blk_record *record)
{
	size_t used;

	if (blk_record_decode_bare(entry, size, version, record, &used))
		return false;
	return size - used < 8 && blk_record_action_valid(record);
}

static bool find_type(struct ring_decoder *decoder, unsigned int type, const void *entry,
		      size_t size)
{
	struct ring_format *format = decoder->format;
	struct blk_record record;

	if (type >= RING_TYPES || format->claimed[type])
		return false;
	for (unsigned int version = 7; version <= 8; version++) {
		if (!entry_is_record(entry, size, version, &record) ||
		    !known_device(decoder, record.device))
			continue;
		format->blk_type = type;
		format->blk_version = version;
		return true;
	}
	return false;
}

static int take_entry(struct ring_decoder *decoder, const void *entry, size_t size, uint64_t time,
		      int (*take)(void *arg, const struct blk_record *record), void *arg)
{
	struct blk_record record;
	uint16_t type;

	if (size < sizeof(type)) {
		decoder->counts.broken++;
		return 0;
	}
	memcpy(&type, entry, sizeof(type));
	if (!decoder->format->blk_type)
		find_type(decoder, type, entry, size);
	if (!decoder->format->blk_type || type != decoder->format->blk_type) {
		decoder->counts.other++;
		return 0;
	}
	if (!entry_is_record(entry, size, decoder->format->blk_version, &record)) {
		decoder->counts.broken++;
		return 0;
	}
	decoder->counts.blk++;
	record.time = time;
	record.sequence = 0;
	return take(arg, &record);
}

/* The bytes of events on the page, as its header says; 0 where that cannot be. */
static size_t committed(const struct ring_format *format, const unsigned char *page)
{
	const size_t start = 8 + format->commit_size;
	uint64_t commit8;
	uint32_t commit4;
	size_t size;

	if (format->commit_size == 8) {
		memcpy(&commit8, page + 8, sizeof(commit8));
		size = commit8 & ((1u << 27) - 1);
	} else {
		memcpy(&commit4, page + 8, sizeof(commit4));
		size = commit4 & ((1u << 27) - 1);
	}
	return size <= format->page_size - start ? size : 0;
}

static void count_missed(struct ring_decoder *decoder)
{
	int missed = kbuffer_missed_events(decoder->kbuffer);

	if (missed < 0)
		decoder->counts.missed_unknown = true;
	else
		decoder->counts.missed += (uint64_t)missed;
}

int ring_decode_page(struct ring_decoder *decoder, const void *page,
		     int (*take)(void *arg, const struct blk_record *record), void *arg)
{
	const struct ring_format *format = decoder->format;
	const unsigned char *entry, *end;
	unsigned long long time;
	size_t size;
	int rc = 0;

	decoder->counts.pages++;
	memcpy(decoder->page, page, format->page_size);
	size = committed(format, decoder->page);
	if (!size || kbuffer_load_subbuffer(decoder->kbuffer, decoder->page)) {
		decoder->counts.broken++;
		return 0;
	}
	end = decoder->page + 8 + format->commit_size + size;
	count_missed(decoder);
	while (!rc && (entry = kbuffer_read_event(decoder->kbuffer, &time))) {
		size = (size_t)(unsigned int)kbuffer_event_size(decoder->kbuffer);
		if (entry > end || size > (size_t)(end - entry)) {
			decoder->counts.broken++;
			return 0;
		}
		rc = take_entry(decoder, entry, size, time, take, arg);
		kbuffer_next_event(decoder->kbuffer, NULL);
	}
	return rc;
}
