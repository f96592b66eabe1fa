// SPDX-License-Identifier: GPL-3.0-or-later
#include "parsers/blk_record.h"

#include <byteswap.h>
#include <errno.h>
#include <string.h>

#include "base/xalloc.h"

/* Where the fields that moved between the versions stand. */
struct layout {
	unsigned int version;
	size_t size, action, pid, device, cpu, error, pdu_len;
};

static const struct layout layouts[] = {
	{ 7, 48, .action = 28, .pid = 32, .device = 36, .cpu = 40, .error = 44, .pdu_len = 46 },
	{ 8, 64, .action = 32, .pid = 28, .device = 40, .cpu = 44, .error = 48, .pdu_len = 50 },
};

static const struct layout *layout_of(unsigned int version)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].version == version)
			return &layouts[i];
	return NULL;
}

size_t blk_record_header_size(unsigned int version)
{
	const struct layout *layout = layout_of(version);

	return layout ? layout->size : 0;
}

static uint16_t get16(const unsigned char *p, bool swapped)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? bswap_16(v) : v;
}

static uint32_t get32(const unsigned char *p, bool swapped)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? bswap_32(v) : v;
}

static uint64_t get64(const unsigned char *p, bool swapped)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swapped ? bswap_64(v) : v;
}

static int decode(const unsigned char *p, size_t len, const struct layout *layout, bool swapped,
		  struct blk_record *record, size_t *size)
{
	struct blk_record r = { .version = layout->version, .swapped = swapped };

	if (len < layout->size)
		return -EAGAIN;
	r.pdu_len = get16(p + layout->pdu_len, swapped);
	if (len - layout->size < r.pdu_len)
		return -EAGAIN;
	r.sequence = get32(p + 4, swapped);
	r.time = get64(p + 8, swapped);
	r.sector = get64(p + 16, swapped);
	r.bytes = get32(p + 24, swapped);
	r.action = layout->version == 7 ? get32(p + layout->action, swapped) :
					  get64(p + layout->action, swapped);
	r.pid = get32(p + layout->pid, swapped);
	r.device = get32(p + layout->device, swapped);
	r.cpu = get32(p + layout->cpu, swapped);
	r.error = get16(p + layout->error, swapped);
	r.pdu = p + layout->size;
	*record = r;
	*size = layout->size + r.pdu_len;
	return 0;
}

/* The layout that a magic names, NULL where it is none. */
static const struct layout *layout_at(const unsigned char *p, bool *swapped)
{
	uint32_t magic = get32(p, false);

	*swapped = (magic & ~0xffu) != BLK_RECORD_MAGIC;
	if (*swapped)
		magic = bswap_32(magic);
	return (magic & ~0xffu) == BLK_RECORD_MAGIC ? layout_of(magic & 0xff) : NULL;
}

int blk_record_decode(const void *bytes, size_t len, struct blk_record *record, size_t *size)
{
	const struct layout *layout;
	bool swapped;

	if (len < sizeof(uint32_t))
		return -EAGAIN;
	layout = layout_at(bytes, &swapped);
	return layout ? decode(bytes, len, layout, swapped, record, size) : -EBADMSG;
}

int blk_record_decode_bare(const void *bytes, size_t len, unsigned int version,
			   struct blk_record *record, size_t *size)
{
	const struct layout *layout = layout_of(version);

	return layout ? decode(bytes, len, layout, false, record, size) : -EBADMSG;
}

size_t blk_record_find(const void *bytes, size_t len, size_t from)
{
	const unsigned char *p = bytes;
	bool swapped;

	for (size_t at = from; at < len && len - at >= sizeof(uint32_t); at++)
		if (layout_at(p + at, &swapped))
			return at;
	return len;
}

size_t blk_record_encode(const struct blk_record *record, unsigned int version,
			 unsigned char out[BLK_RECORD_HEADER_MAX])
{
	const struct layout *layout = layout_of(version);
	uint32_t magic = BLK_RECORD_MAGIC | version, action = (uint32_t)record->action;

	if (!layout)
		return 0;
	memset(out, 0, layout->size);
	memcpy(out, &magic, sizeof(magic));
	memcpy(out + 4, &record->sequence, sizeof(record->sequence));
	memcpy(out + 8, &record->time, sizeof(record->time));
	memcpy(out + 16, &record->sector, sizeof(record->sector));
	memcpy(out + 24, &record->bytes, sizeof(record->bytes));
	if (version == 7)
		memcpy(out + layout->action, &action, sizeof(action));
	else
		memcpy(out + layout->action, &record->action, sizeof(record->action));
	memcpy(out + layout->pid, &record->pid, sizeof(record->pid));
	memcpy(out + layout->device, &record->device, sizeof(record->device));
	memcpy(out + layout->cpu, &record->cpu, sizeof(record->cpu));
	memcpy(out + layout->error, &record->error, sizeof(record->error));
	memcpy(out + layout->pdu_len, &record->pdu_len, sizeof(record->pdu_len));
	return layout->size;
}

unsigned int blk_record_code(const struct blk_record *record)
{
	return record->action & 0xff;
}

static uint64_t categories(const struct blk_record *record)
{
	return record->action >> BLK_CATEGORY_SHIFT;
}

bool blk_record_is_notify(const struct blk_record *record)
{
	return categories(record) & BLK_CATEGORY_NOTIFY;
}

bool blk_record_action_valid(const struct blk_record *record)
{
	unsigned int code = blk_record_code(record), above = record->action & 0xffff & ~0xffu;

	if ((above & ~BLK_ACTION_CGROUP) || !categories(record))
		return false;
	if (record->version == 7 && record->action >> 32)
		return false;
	if (record->version == 8 && record->action >> 40)
		return false;
	return blk_record_action_name(record) != NULL &&
	       (record->version == 8 || blk_record_is_notify(record) ||
		code <= BLK_ACTION_DRIVER_DATA);
}

const char *blk_record_action_name(const struct blk_record *record)
{
	static const char *const names[] = {
		[BLK_ACTION_QUEUE] = "Q",
		[BLK_ACTION_BACK_MERGE] = "M",
		[BLK_ACTION_FRONT_MERGE] = "F",
		[BLK_ACTION_GET_REQUEST] = "G",
		[BLK_ACTION_SLEEP_REQUEST] = "S",
		[BLK_ACTION_REQUEUE] = "R",
		[BLK_ACTION_ISSUE] = "D",
		[BLK_ACTION_COMPLETE] = "C",
		[BLK_ACTION_PLUG] = "P",
		[BLK_ACTION_UNPLUG] = "U",
		[BLK_ACTION_UNPLUG_TIMER] = "UT",
		[BLK_ACTION_INSERT] = "I",
		[BLK_ACTION_SPLIT] = "X",
		[BLK_ACTION_BOUNCE] = "B",
		[BLK_ACTION_REMAP] = "A",
		[BLK_ACTION_ABORT] = "abort",
		[BLK_ACTION_DRIVER_DATA] = "driver data",
		[BLK_ACTION_ZONE_PLUG] = "ZP",
		[BLK_ACTION_ZONE_UNPLUG] = "ZU",
	};
	static const char *const notify_names[] = {
		[BLK_NOTIFY_PROCESS] = "process",
		[BLK_NOTIFY_TIMESTAMP] = "timestamp",
		[BLK_NOTIFY_MESSAGE] = "message",
	};
	unsigned int code = blk_record_code(record);

	if (blk_record_is_notify(record))
		return code < ARRAY_SIZE(notify_names) ? notify_names[code] : NULL;
	return code < ARRAY_SIZE(names) ? names[code] : NULL;
}

unsigned int blk_category_bit(const char *name, size_t len)
{
	static const char *const names[] = {
		"read", "write", "flush", "sync", "queue", "requeue", "issue", "complete",
		"fs", "pc", "notify", "ahead", "meta", "discard", "drv_data", "fua",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == len && !strncmp(names[i], name, len))
			return 1u << i;
	return 0;
}
