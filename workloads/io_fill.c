// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_fill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fork_each.h"
#include "base/xalloc.h"
#include "workloads/io_pattern.h"

#define CHUNK (1U << 20)
#define FILL_NS (60 * NS_PER_S)
#define FILL_BYTES_PER_S (4ULL << 20) /* what is slower than that together has hung */

static int write_chunks(int fd, const struct io_fill *fill, unsigned char *chunk)
{
	const struct io_pattern_spec spec = { .bs_min = 512, .bs_max = 512, .size = 512 };
	uint64_t at = fill->offset, end = fill->offset + fill->size;
	struct io_pattern pattern;
	ssize_t n;

	io_pattern_init(&pattern, &spec, fill->seed, 0);
	while (at < end) {
		size_t len = end - at < CHUNK ? (size_t)(end - at) : CHUNK;

		io_pattern_fill(&pattern, chunk, len);
		n = pwrite(fd, chunk, len, (off_t)at);
		if (n < 0 && errno == EINVAL && fcntl(fd, F_GETFL) & O_DIRECT) {
			fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_DIRECT); /* its end is odd */
			continue;
		}
		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? (uint64_t)n : 0;
	}
	return fdatasync(fd) < 0 ? -errno : 0;
}

static const char *shown(const struct io_fill *fill)
{
	return fill->shown ? fill->shown : fill->path;
}

int io_fill_fd(int fd, const struct io_fill *fill, struct err *err)
{
	void *chunk;
	int rc;

	if (posix_memalign(&chunk, 4096, CHUNK))
		return err_sys(err, ENOMEM, "filling %s", shown(fill));
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_DIRECT);
	rc = write_chunks(fd, fill, chunk);
	free(chunk);
	return rc ? err_sys(err, -rc, "filling %s", shown(fill)) : 0;
}

static int fill_one(void *arg, size_t i, void *result, struct err *err)
{
	const struct io_fill *fill = &((const struct io_fill *)arg)[i];
	auto_close int fd = open(fill->path, O_WRONLY | O_CLOEXEC);

	(void)result;
	if (fd < 0)
		return err_sys(err, errno, "filling %s", shown(fill));
	return io_fill_fd(fd, fill, err);
}

int io_fill_all(const struct io_fill *fills, size_t n, struct err *err)
{
	struct fork_each each = {
		.count = n,
		.work = fill_one,
		.arg = (void *)fills,
		.timeout_ns = FILL_NS,
		.interruptible = true,
	};
	struct fork_results results;
	int rc;

	for (size_t i = 0; i < n; i++)
		each.timeout_ns += (int64_t)(fills[i].size / FILL_BYTES_PER_S) * NS_PER_S;
	rc = fork_each(&each, &results, err);
	for (size_t i = 0; !rc && i < n; i++) {
		rc = results.codes[i];
		if (!rc)
			continue;
		if (err)
			*err = results.errs[i];
		if (rc == -ETIMEDOUT || rc == -ECHILD)
			rc = err_context(err, rc, "filling %s", shown(&fills[i]));
	}
	fork_each_release(&results);
	return rc;
}
