// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/units.h"
#include "base/xalloc.h"
#include "machine/loop_backing.h"
#include "machine/memory.h"
#include "workloads/io_fill.h"

/* One IO as the storm's, on a file of the folder. */
static int try_direct(const struct io_options *options, int fd, struct err *err)
{
	uint32_t bs = options->pattern.bs_min;
	void *block;
	int rc = 0;

	if (posix_memalign(&block, 4096, bs))
		return err_sys(err, ENOMEM, "a buffer of %u bytes", bs);
	memset(block, 0x80, bs);
	if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_DIRECT) < 0 ||
	    pwrite(fd, block, bs, bs) < 0)
		rc = errno;
	free(block);
	if (rc == EINVAL || rc == EOPNOTSUPP)
		return err_usage(err, "%s: its file system takes no direct IO of %u bytes: another "
				 "bs, or direct=no", options->directory, bs);
	return rc ? err_sys(err, rc, "%s: writing a file", options->directory) : 0;
}

static int check_room(const struct io_options *options, uint64_t need, int fd, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	struct statvfs fs;
	uint64_t available;

	if (statvfs(options->directory, &fs) < 0)
		return err_sys(err, errno, "%s", options->directory);
	available = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (loop_backing_in_memory(fd) && memory_available() < available)
		available = memory_available();
	if (need <= available)
		return 0;
	units_add_size(&text, need);
	buf_addf(&text, " of files in %s: ", options->directory);
	units_add_size(&text, available >> 20 << 20);
	return err_missing(err, "%s are available: less of size or numjobs", text.s);
}

int io_files_check(const struct io_options *options, size_t count, uint64_t size, struct err *err)
{
	auto_close int fd = -1;
	struct stat st;
	int rc;

	if (stat(options->directory, &st) < 0)
		return err_usage(err, "directory=%s: %s", options->directory, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_usage(err, "directory=%s is no folder", options->directory);
	fd = loop_backing_open(options->directory, 0, "brunt-io", err);
	if (fd < 0)
		return fd;
	rc = check_room(options, count * size, fd, err);
	return rc || !options->direct ? rc : try_direct(options, fd, err);
}

/* One after the other: pieces of several at once would lie mixed on a disk. */
static int fill(const struct io_files *files, size_t i, const char *folder, uint64_t size,
		struct err *err)
{
	auto_free char *path = io_files_path(files, i);
	const struct io_fill file = { .path = path, .shown = folder, .size = size, .seed = i };

	return io_fill_all(&file, 1, err);
}

int io_files_make(struct io_files *files, const struct io_options *options, size_t count,
		  uint64_t size, struct err *err)
{
	int rc = 0, fd;

	files->fds = xcalloc(count, sizeof(*files->fds));
	while (!rc && files->count < count) {
		fd = loop_backing_open(options->directory, size, "brunt-io", err);
		if (fd < 0)
			return fd;
		files->fds[files->count++] = fd;
		rc = fill(files, files->count - 1, options->directory, size, err);
	}
	if (!rc)
		files->fs = loop_backing_fs(files->fds[0]);
	return rc;
}

int io_files_flush(const struct io_files *files, struct err *err)
{
	for (size_t i = 0; i < files->count; i++) {
		if (fdatasync(files->fds[i]) < 0)
			return err_sys(err, errno, "syncing a file");
		posix_fadvise(files->fds[i], 0, 0, POSIX_FADV_DONTNEED);
	}
	return 0;
}

char *io_files_path(const struct io_files *files, size_t i)
{
	return xasprintf("/proc/self/fd/%d", files->fds[i]);
}

void io_files_release(struct io_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		close(files->fds[i]);
	free(files->fds);
	free(files->fs);
	*files = (struct io_files){ 0 };
}
