// SPDX-License-Identifier: GPL-3.0-or-later
#include "traces/blktrace_count.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/xalloc.h"
#include "parsers/blk_record.h"

static void take(const struct blk_record *record, uint32_t device, struct blktrace_count *count)
{
	if (!blk_record_action_valid(record))
		count->broken++;
	else if (blk_record_is_notify(record))
		count->notify++;
	else if (record->device == device)
		count->events++;
	else
		count->foreign++;
}

/* The first bytes say what kind of file it is. */
static int check_magic(const unsigned char *bytes, size_t size, const char *name,
		       struct err *err)
{
	uint32_t magic;

	if (size < sizeof(magic))
		return 0;
	memcpy(&magic, bytes, sizeof(magic));
	if ((bswap_32(magic) & ~0xffu) == BLK_RECORD_MAGIC)
		return err_set(err, EBADMSG, "%s is in the other byte order", name);
	if ((magic & ~0xffu) == BLK_RECORD_MAGIC && !blk_record_header_size(magic & 0xff))
		return err_set(err, EBADMSG, "%s holds records of version %u, which is not known "
			       "(7 and 8 are)", name, magic & 0xff);
	return 0;
}

static void count_bytes(const unsigned char *bytes, size_t size, uint32_t device,
			struct blktrace_count *count)
{
	struct blk_record record;
	size_t at = 0, len;
	int rc;

	while (at < size) {
		rc = blk_record_decode(bytes + at, size - at, &record, &len);
		if (rc == -EAGAIN) {
			count->torn = true;
			return;
		}
		if (rc || record.swapped) {
			count->broken++;
			at = blk_record_find(bytes, size, at + 1);
			continue;
		}
		take(&record, device, count);
		at += len;
	}
}

int blktrace_count_file(int folder, const char *name, uint32_t device,
			struct blktrace_count *count, struct err *err)
{
	auto_close int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	size_t size;
	void *bytes;
	int rc;

	if (fd < 0)
		return err_sys(err, errno, "%s", name);
	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", name);
	size = (size_t)st.st_size;
	if (!size)
		return 0;
	bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return err_sys(err, errno, "reading %s", name);
	madvise(bytes, size, MADV_SEQUENTIAL);
	rc = check_magic(bytes, size, name, err);
	if (!rc) {
		count_bytes(bytes, size, device, count);
		count->bytes += size;
	}
	munmap(bytes, size);
	return rc;
}
