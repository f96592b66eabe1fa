// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/relay.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/blktrace_api.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/kernel_fs.h"

#define PATH_BYTES 128

struct relay_file {
	uint64_t inode;
	bool found;
};

int relay_debugfs_open(struct err *err)
{
	int fd = kernel_fs_open(&kernel_fs_debugfs);

	if (fd >= 0)
		return fd;
	if (fd == -ENODEV)
		return err_missing(err, "this kernel has no debugfs (CONFIG_DEBUG_FS)");
	return err_missing(err, "debugfs cannot be mounted: %s%s", strerror(-fd),
			   geteuid() ? "; it needs root" : "");
}

/* The kernel writes '_' for the '!' that sysfs has in names as cciss!c0d0. */
static void path_of(char out[PATH_BYTES], const char *device, const char *file)
{
	snprintf(out, PATH_BYTES, "block/%s%s%s", device, *file ? "/" : "", file);
	for (char *p = out; *p; p++)
		if (*p == '!')
			*p = '_';
}

int relay_inode(int debugfs, const char *device, uint64_t *inode)
{
	char path[PATH_BYTES];
	struct stat st;

	path_of(path, device, "dropped");
	if (fstatat(debugfs, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	*inode = st.st_ino;
	return 0;
}

int relay_dropped(int debugfs, const char *device, uint64_t *records)
{
	char path[PATH_BYTES], text[64];
	int rc;

	path_of(path, device, "dropped");
	rc = files_read_line_at(debugfs, path, text, sizeof(text));
	return rc ? rc : units_parse_u64(text, records);
}

int relay_start(int device_fd)
{
	return ioctl(device_fd, BLKTRACESTART) < 0 ? -errno : 0;
}

int relay_stop(int device_fd)
{
	return ioctl(device_fd, BLKTRACESTOP) < 0 ? -errno : 0;
}

int relay_teardown(const char *device)
{
	char path[PATH_BYTES];

	/* By its name in sysfs, so that a device whose node is gone or renamed is no problem. */
	snprintf(path, sizeof(path), "/sys/class/block/%s/trace/enable", device);
	return files_write_value_at(AT_FDCWD, path, "0");
}

static int compare_inodes(const void *a, const void *b)
{
	uint64_t x = ((const struct relay_file *)a)->inode;
	uint64_t y = ((const struct relay_file *)b)->inode;

	return (x > y) - (x < y);
}

static bool is_trace(const char *name)
{
	size_t len = strlen("trace");

	return !strncmp(name, "trace", len) && isdigit((unsigned char)name[len]);
}

static int add_files(int debugfs, const char *device, struct relay_files *files, size_t *cap)
{
	char path[PATH_BYTES];
	size_t before = files->n;
	struct dirent *entry;
	struct stat st;
	DIR *folder;
	int fd;

	path_of(path, device, "");
	fd = openat(debugfs, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	folder = fd < 0 ? NULL : fdopendir(fd);
	if (!folder) {
		close_fd(&fd);
		return -ENOENT;
	}
	while ((entry = readdir(folder))) {
		if (!is_trace(entry->d_name) || fstatat(fd, entry->d_name, &st, 0) < 0)
			continue;
		GROW(files->v, files->n, *cap);
		files->v[files->n++] = (struct relay_file){ .inode = st.st_ino };
	}
	closedir(folder);
	return files->n > before ? 0 : -ENOENT;
}

int relay_files_list(int debugfs, const char *const *devices, size_t n, struct relay_files *out)
{
	struct relay_files files = { 0 };
	size_t cap = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = add_files(debugfs, devices[i], &files, &cap);
	if (rc) {
		relay_files_release(&files);
		return rc;
	}
	if (files.n)
		qsort(files.v, files.n, sizeof(*files.v), compare_inodes);
	*out = files;
	return 0;
}

void relay_files_release(struct relay_files *files)
{
	free(files->v);
	*files = (struct relay_files){ 0 };
}

/* Inode numbers are of one file system, so the link must also show a name as theirs. */
static bool reads_as_trace(int folder, const char *name)
{
	char target[256];
	const char *slash;
	ssize_t n = readlinkat(folder, name, target, sizeof(target) - 1);

	if (n <= 0)
		return false;
	target[n] = '\0';
	slash = strrchr(target, '/');
	return slash && is_trace(slash + 1);
}

size_t relay_files_open_in(struct relay_files *files, pid_t pid)
{
	struct relay_file key, *file;
	char path[64];
	size_t found = 0;
	struct dirent *entry;
	struct stat st;
	DIR *folder;

	for (size_t i = 0; i < files->n; i++)
		files->v[i].found = false;
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	folder = opendir(path);
	if (!folder)
		return 0;
	while ((entry = readdir(folder))) {
		if (!reads_as_trace(dirfd(folder), entry->d_name) ||
		    fstatat(dirfd(folder), entry->d_name, &st, 0) < 0)
			continue;
		key.inode = st.st_ino;
		file = files->n ? bsearch(&key, files->v, files->n, sizeof(key), compare_inodes) :
				  NULL;
		if (file && !file->found) {
			file->found = true;
			found++;
		}
	}
	closedir(folder);
	return found;
}

bool relay_files_in_use(struct relay_files *files)
{
	DIR *list = opendir("/proc");
	const struct dirent *entry;
	bool used = false;

	if (!list)
		return true; /* nobody knows */
	while (!used && (entry = readdir(list)))
		used = isdigit((unsigned char)entry->d_name[0]) &&
		       relay_files_open_in(files, (pid_t)strtol(entry->d_name, NULL, 10)) > 0;
	closedir(list);
	return used;
}
