// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "base/xalloc.h"

int files_read_at(int dirfd, const char *path, size_t limit, struct buf *out)
{
	auto_close int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	size_t before = out->len;
	char chunk[16384];
	ssize_t n;
	int rc = 0;

	if (fd < 0)
		return -errno;
	for (;;) {
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			rc = -errno;
			break;
		}
		if (n == 0)
			break;
		if ((size_t)n > limit - (out->len - before)) {
			rc = -EFBIG;
			break;
		}
		buf_addn(out, chunk, (size_t)n);
	}
	if (!out->s)
		buf_clear(out);
	if (rc) {
		out->len = before;
		out->s[before] = '\0';
	}
	return rc;
}

int files_read_line_at(int dirfd, const char *path, char *out, size_t size)
{
	auto_close int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, out, size - 1);
	if (n < 0)
		return -errno;
	out[n] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return 0;
}

int files_write_value_at(int dirfd, const char *path, const char *value)
{
	auto_close int fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(value);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, value, len);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

int files_write_all(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;
	ssize_t done;

	while (n) {
		done = write(fd, p, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

/* Stops at the first failure, whose errno is what nftw() returns then. */
static int sync_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	auto_close int fd = -1;

	(void)place;
	if (kind != FTW_DP && (kind != FTW_F || !S_ISREG(st->st_mode)))
		return 0;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == EACCES ? 0 : errno;
	if (fsync(fd) < 0 && errno != EINVAL && errno != EROFS)
		return errno;
	return 0;
}

int files_sync_tree(const char *path, struct err *err)
{
	int rc = nftw(path, sync_one, 16, FTW_PHYS | FTW_DEPTH);

	if (rc < 0 && errno != ENOENT)
		rc = errno;
	return rc > 0 ? err_sys(err, rc, "%s: writing it to the disk", path) : 0;
}

/* To what is no regular file (a device, a FIFO) bytes are written; it is not replaced. */
static int write_through(const char *path, const void *bytes, size_t n, struct err *err)
{
	auto_close int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	int rc = fd < 0 ? -errno : files_write_all(fd, bytes, n);

	return rc ? err_sys(err, -rc, "%s", path) : 0;
}

/* A file beside path, under a name that nobody can have put there before. */
static int open_beside(const char *path, const struct stat *old, char **fresh)
{
	char *name = xasprintf("%s.XXXXXX", path);
	mode_t mask = umask(0);
	int fd = mkostemp(name, O_CLOEXEC);

	umask(mask);
	if (fd < 0) {
		free(name);
		return -errno;
	}
	if (fchmod(fd, old ? old->st_mode & 07777 : 0644 & ~mask) < 0) {
		unlink(name);
		close(fd);
		free(name);
		return -errno;
	}
	*fresh = name;
	return fd;
}

int files_replace(const char *path, const void *bytes, size_t n, struct err *err)
{
	auto_free char *real = realpath(path, NULL), *fresh = NULL;
	const char *target = real ? real : path;
	struct stat st;
	bool exists = stat(target, &st) == 0;
	auto_close int fd = -1;
	int rc;

	if (exists && !S_ISREG(st.st_mode))
		return write_through(target, bytes, n, err);
	fd = open_beside(target, exists ? &st : NULL, &fresh);
	if (fd < 0)
		return err_sys(err, -fd, "%s", path);
	rc = files_write_all(fd, bytes, n);
	if (!rc && fsync(fd) < 0)
		rc = -errno;
	if (!rc) {
		files_give_to_sudo_user(fresh);
		if (rename(fresh, target) < 0)
			rc = -errno;
	}
	if (rc) {
		unlink(fresh);
		return err_sys(err, -rc, "%s", path);
	}
	return 0;
}

int files_make_dirs(const char *path, struct err *err)
{
	auto_free char *copy = xstrdup(path);
	struct stat st;
	char *slash = copy;

	if (!*path)
		return err_sys(err, ENOENT, "a folder without a name");
	do {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		if (*copy && mkdir(copy, 0755) == 0)
			files_give_to_sudo_user(copy);
		else if (*copy && errno != EEXIST)
			return err_sys(err, errno, "%s", copy);
		if (slash)
			*slash = '/';
	} while (slash);
	if (stat(path, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (!S_ISDIR(st.st_mode))
		return err_sys(err, ENOTDIR, "%s", path);
	return 0;
}

void files_give_to_sudo_user(const char *path)
{
	const char *uid = getenv("SUDO_UID"), *gid = getenv("SUDO_GID");
	uint64_t u, g;

	if (geteuid() != 0 || !uid || !gid)
		return;
	if (units_parse_u64(uid, &u) || units_parse_u64(gid, &g))
		return;
	if (lchown(path, (uid_t)u, (gid_t)g) < 0)
		return; /* a comfort only: root can still read and remove it */
}

char *files_join(const char *folder, const char *name)
{
	return xasprintf("%s/%s", folder, name);
}

char *files_absolute(const char *path)
{
	auto_free char *here = NULL;

	if (*path == '/' || !*path)
		return xstrdup(path);
	here = getcwd(NULL, 0);
	while (!strncmp(path, "./", 2))
		path += 2 + strspn(path + 2, "/");
	if (!here)
		return xstrdup(path);
	return *path && strcmp(path, ".") != 0 ? files_join(here, path) : xstrdup(here);
}

bool files_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif

int files_open_memory(const char *name)
{
	/* Without the flag newer kernels warn in the log; older ones (before 6.3) refuse it. */
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, MFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
