// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/disk_content.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/sha256.h"
#include "base/xalloc.h"

#define MIB (1ULL << 20)
#define BLOCK 4096
#define MARK_SIZE 512
#define BTRFS_MIRROR (64 * MIB) /* its second superblock */
#define ZERO_PIECE (16 * MIB)	/* less than a second on the slowest disk */
#define DISCARD_PIECE (1024 * MIB)

uint64_t disk_token(const char *session)
{
	char hex[SHA256_HEX_SIZE];
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, strlen(session), (const uint8_t *)session);
	sha256_finish(&sha, hex);
	hex[12] = '\0';
	return strtoull(hex, NULL, 16);
}

/*
 * Where the mark stands: a block of its own inside the last edge, before the 2 MiB that
 * mkfs.btrfs zeroes as the first thing it does.
 */
static uint64_t mark_offset(uint64_t size)
{
	uint64_t offset = size > 2 * DISK_EDGE ? size - 3 * MIB : size / 8 * 7;

	return offset / BLOCK * BLOCK;
}

static void make_mark(char out[MARK_SIZE], const char *session)
{
	memset(out, 0, MARK_SIZE);
	snprintf(out, MARK_SIZE, "brunt: session %s may destroy all of this\n", session);
}

static int read_all(int fd, void *bytes, size_t n, uint64_t offset)
{
	ssize_t got;

	for (size_t at = 0; at < n; at += (size_t)got) {
		got = pread(fd, (char *)bytes + at, n - at, (off_t)(offset + at));
		if (got < 0 && errno == EINTR)
			got = 0;
		else if (got <= 0)
			return got < 0 ? -errno : -EIO;
	}
	return 0;
}

static int write_all(int fd, const void *bytes, size_t n, uint64_t offset)
{
	ssize_t put;

	for (size_t at = 0; at < n; at += (size_t)put) {
		put = pwrite(fd, (const char *)bytes + at, n - at, (off_t)(offset + at));
		if (put < 0 && errno == EINTR)
			put = 0;
		else if (put <= 0)
			return put < 0 ? -errno : -ENOSPC;
	}
	return 0;
}

/* What libblkid finds. */
struct signature {
	bool found;
	char uuid[40];
	char words[128];
};

static const char *value_of(blkid_probe probe, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(probe, name, &value, NULL) ? NULL : value;
}

static void describe(blkid_probe probe, struct signature *out)
{
	const char *type = value_of(probe, "TYPE"), *table = value_of(probe, "PTTYPE");
	const char *label = value_of(probe, "LABEL"), *uuid = value_of(probe, "UUID");

	out->found = true;
	if (type && table)
		snprintf(out->words, sizeof(out->words), "%s and a partition table (%s)", type,
			 table);
	else if (table)
		snprintf(out->words, sizeof(out->words), "a partition table (%s)", table);
	else
		snprintf(out->words, sizeof(out->words), "%s%s%s%s", type ? type : "a signature",
			 label ? " labelled '" : "", label ? label : "", label ? "'" : "");
	if (uuid && !table)
		snprintf(out->uuid, sizeof(out->uuid), "%s", uuid);
}

static int probe_signature(int fd, struct signature *out, struct err *err)
{
	blkid_probe probe = blkid_new_probe();
	int rc;

	*out = (struct signature){ .found = false };
	if (!probe)
		return err_sys(err, ENOMEM, "libblkid");
	if (blkid_probe_set_device(probe, fd, 0, 0)) {
		blkid_free_probe(probe);
		return err_sys(err, errno ? errno : EIO, "libblkid");
	}
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_UUID |
						 BLKID_SUBLKS_LABEL | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, 1);
	errno = 0;
	rc = blkid_do_safeprobe(probe);
	if (rc == 0) {
		describe(probe, out);
	} else if (rc == -2) {
		out->found = true;
		snprintf(out->words, sizeof(out->words), "signatures of more than one kind");
	}
	if (rc != 0 && rc != 1 && rc != -2)
		rc = err_sys(err, errno ? errno : EIO, "libblkid");
	else
		rc = 0;
	blkid_free_probe(probe);
	return rc;
}

/* The offset of the first byte that is not fill; size: there is none. */
static int find_other_byte(int fd, uint64_t from, uint64_t to, int *fill, uint64_t *offset)
{
	auto_free unsigned char *bytes = xmalloc(MIB);
	size_t n;
	int rc;

	for (uint64_t at = from; at < to; at += n) {
		n = to - at < MIB ? (size_t)(to - at) : MIB;
		rc = read_all(fd, bytes, n, at);
		if (rc)
			return rc;
		if (*fill < 0)
			*fill = bytes[0];
		/* all equal: the first is fill, and each is like its neighbour */
		if (bytes[0] == *fill && !memcmp(bytes, bytes + 1, n - 1))
			continue;
		for (size_t i = 0; i < n; i++) {
			if (bytes[i] != *fill) {
				*offset = at + i;
				return 1;
			}
		}
	}
	return 0;
}

/* What is looked at and zeroed: both edges, and blocks spread evenly over what is between. */
static uint64_t first_end(uint64_t size)
{
	return size < DISK_EDGE ? size : DISK_EDGE;
}

static uint64_t last_start(uint64_t size)
{
	return size < 2 * DISK_EDGE ? first_end(size) : size - DISK_EDGE;
}

/* Block i of them; 0: there is nothing between the edges. */
static uint64_t spread_block(uint64_t size, unsigned int i)
{
	uint64_t from = first_end(size), room = last_start(size) - from;

	if (room < BLOCK)
		return 0;
	return (from + room / (2 * DISK_SPREAD) * (2 * i + 1)) / BLOCK * BLOCK;
}

/* 1: there is one, at *offset. */
static int look_at_all(int fd, uint64_t size, uint64_t *offset)
{
	int fill = -1, rc;

	rc = find_other_byte(fd, 0, first_end(size), &fill, offset);
	if (!rc)
		rc = find_other_byte(fd, last_start(size), size, &fill, offset);
	for (unsigned int i = 0; !rc && i < DISK_SPREAD; i++) {
		uint64_t at = spread_block(size, i);

		if (at)
			rc = find_other_byte(fd, at, at + BLOCK, &fill, offset);
	}
	return rc;
}

static bool has_token(const char *uuid, const char *session)
{
	char begin[16];
	uint64_t token = disk_token(session);

	snprintf(begin, sizeof(begin), "%08x-%04x-", (unsigned int)(token >> 16),
		 (unsigned int)(token & 0xffff));
	return strncmp(uuid, begin, strlen(begin)) == 0;
}

static int has_mark(int fd, uint64_t size, const char *session)
{
	char is[MARK_SIZE], expected[MARK_SIZE];
	int rc = size < MARK_SIZE ? -ENOSPC : read_all(fd, is, sizeof(is), mark_offset(size));

	make_mark(expected, session);
	return rc ? rc : !memcmp(is, expected, sizeof(is));
}

int disk_content_probe(int fd, const char *session, struct disk_content *out, struct err *err)
{
	struct disk_content content = { .kind = DISK_BLANK };
	struct signature signature;
	int rc;

	/* What others wrote past the page cache. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	rc = probe_signature(fd, &signature, err);
	if (rc)
		return rc;
	if (signature.found) {
		content.kind = session && has_token(signature.uuid, session) ? DISK_OURS :
									       DISK_SIGNATURE;
		snprintf(content.words, sizeof(content.words), "%s", signature.words);
	}
	*out = content;
	return 0;
}

int disk_content_read(int fd, uint64_t size, const char *session, struct disk_content *out,
		      struct err *err)
{
	struct disk_content content;
	uint64_t offset = 0;
	int rc = disk_content_probe(fd, session, &content, err);

	if (rc)
		return rc;
	if (content.kind != DISK_BLANK) {
		*out = content;
		return 0;
	}
	rc = session ? has_mark(fd, size, session) : 0;
	if (rc == 1) {
		content.kind = DISK_OURS;
	} else if (!rc) {
		rc = look_at_all(fd, size, &offset);
		if (rc == 1)
			content.kind = DISK_DATA;
		snprintf(content.words, sizeof(content.words), "data at byte %" PRIu64, offset);
	}
	if (rc < 0)
		return err_sys(err, -rc, "reading");
	*out = content;
	return 0;
}

static int zero(int fd, uint64_t from, uint64_t to)
{
	auto_free char *zeroes = xcalloc(1, MIB);
	size_t n;
	int rc = 0;

	for (uint64_t at = from; !rc && at < to; at += n) {
		n = to - at < MIB ? (size_t)(to - at) : MIB;
		rc = write_all(fd, zeroes, n, at);
	}
	return rc;
}

static int zero_spread(int fd, uint64_t size)
{
	int rc = 0;

	for (unsigned int i = 0; !rc && i < DISK_SPREAD; i++) {
		uint64_t at = spread_block(size, i);

		rc = at ? zero(fd, at, at + BLOCK) : 0;
	}
	if (!rc && size >= BTRFS_MIRROR + BLOCK)
		rc = zero(fd, BTRFS_MIRROR, BTRFS_MIRROR + BLOCK);
	return rc;
}

int disk_content_wipe(int fd, uint64_t size, const char *session, struct err *err)
{
	char mark[BLOCK] = "";
	int rc;

	if (size < 4 * BLOCK)
		return err_set(err, EINVAL, "too small");
	if (session)
		make_mark(mark, session);
	/* What says that the disk is ours goes last: superblock and mark. */
	rc = zero(fd, BLOCK, first_end(size));
	if (!rc)
		rc = zero_spread(fd, size);
	if (!rc)
		rc = zero(fd, last_start(size), mark_offset(size));
	if (!rc)
		rc = zero(fd, mark_offset(size) + BLOCK, size);
	if (!rc && fsync(fd) < 0)
		rc = -errno;
	if (!rc)
		rc = write_all(fd, mark, sizeof(mark), mark_offset(size));
	if (!rc)
		rc = zero(fd, 0, BLOCK);
	if (!rc && fsync(fd) < 0)
		rc = -errno;
	if (rc)
		return err_sys(err, -rc, "zeroing");
	if (ioctl(fd, BLKFLSBUF, 0) < 0 && errno != ENOTTY)
		return err_sys(err, errno, "dropping the page cache");
	return 0;
}

/* In pieces: some kernels do not let a process die in the middle of one. */
int disk_content_clear(int fd, uint64_t size, enum disk_reset reset, struct err *err)
{
	const bool discards = reset == DISK_RESET_DISCARD;
	const uint64_t end = last_start(size), piece = discards ? DISCARD_PIECE : ZERO_PIECE;

	for (uint64_t at = first_end(size); reset != DISK_RESET_NONE && at < end; at += piece) {
		uint64_t range[2] = { at, end - at < piece ? end - at : piece };

		if (ioctl(fd, discards ? BLKDISCARD : BLKZEROOUT, range) < 0)
			return err_sys(err, errno, discards ? "discarding" : "zeroing");
	}
	return 0;
}
