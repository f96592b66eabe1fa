// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/xalloc.h"
#include "machine/mountinfo.h"

#define KILL_TIMEOUT_NS (10 * NS_PER_S)

struct cgroup {
	char *path;
	int dir, procs;
	struct undo *undo;
	unsigned int entry;
};

/* Our own group's path inside the hierarchy, "/" or "/user.slice/..."; NULL: none. */
static char *own_path(void)
{
	auto_buf struct buf text = BUF_INIT;
	const char *line;

	if (files_read_at(AT_FDCWD, "/proc/self/cgroup", 65536, &text))
		return NULL;
	if (strncmp(text.s, "0::", 3) == 0)
		line = text.s + 3;
	else if ((line = strstr(text.s, "\n0::")))
		line += 4;
	else
		return NULL;
	return xstrndup(line, strcspn(line, "\n"));
}

/* The folder of our own group; NULL where there is no cgroup2 that shows it. */
static char *own_folder(void)
{
	auto_mountinfo struct mountinfo mounts = MOUNTINFO_INIT;
	auto_free char *own = own_path();
	const char *below;
	size_t len;

	if (!own || mountinfo_read(&mounts, NULL))
		return NULL;
	for (size_t i = mounts.n; i-- > 0;) {
		const struct mount_entry *mount = &mounts.v[i];

		if (strcmp(mount->fstype, "cgroup2") != 0)
			continue;
		/* The mount may show a part of the hierarchy only: its root is cut off. */
		len = strcmp(mount->root, "/") == 0 ? 0 : strlen(mount->root);
		if (strncmp(own, mount->root, len) != 0 || (own[len] && own[len] != '/'))
			continue;
		below = own + len;
		return xasprintf("%s%s", mount->target, strcmp(below, "/") == 0 ? "" : below);
	}
	return NULL;
}

static void free_cgroup(struct cgroup *cgroup)
{
	close_fd(&cgroup->procs);
	close_fd(&cgroup->dir);
	free(cgroup->path);
	free(cgroup);
}

static int note_inode(struct cgroup *cgroup, struct err *err)
{
	struct stat st;

	if (fstat(cgroup->dir, &st) < 0)
		return err_sys(err, errno, "%s", cgroup->path);
	return undo_note(cgroup->undo, cgroup->entry,
			 json_pack("{s:I}", "inode", (json_int_t)st.st_ino), err);
}

/* After mkdir: descriptors, so that a child needs one write(2) to move in. */
static int open_files(struct cgroup *cgroup, struct err *err)
{
	char type[32];

	cgroup->dir = open(cgroup->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cgroup->dir < 0)
		return err_sys(err, errno, "%s", cgroup->path);
	cgroup->procs = openat(cgroup->dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (cgroup->procs < 0)
		return err_set(err, ENOTSUP, "%s/cgroup.procs: %s", cgroup->path, strerror(errno));
	/* Below a threaded group: no process can be moved there. */
	if (!files_read_line_at(cgroup->dir, "cgroup.type", type, sizeof(type)) &&
	    !strcmp(type, "domain invalid"))
		return err_set(err, ENOTSUP, "%s is below a threaded cgroup", cgroup->path);
	return note_inode(cgroup, err);
}

int cgroup_make(const char *name, struct undo *undo, struct cgroup **out, struct err *err)
{
	auto_free char *folder = own_folder();
	struct cgroup *cgroup;
	int rc;

	if (!folder)
		return err_set(err, ENOTSUP, "no cgroup2 is mounted that holds this process");
	cgroup = xcalloc(1, sizeof(*cgroup));
	*cgroup = (struct cgroup){ .dir = -1, .procs = -1, .undo = undo };
	cgroup->path = files_join(folder, name);
	rc = undo_intend(undo, "cgroup", json_pack("{s:s}", "path", cgroup->path), &cgroup->entry,
			 err);
	if (rc) {
		free_cgroup(cgroup);
		return rc;
	}
	if (mkdir(cgroup->path, 0755) < 0) {
		rc = err_set(err, errno == EEXIST ? EEXIST : ENOTSUP, "%s: %s", cgroup->path,
			     strerror(errno));
		undo_undone(undo, cgroup->entry);
		free_cgroup(cgroup);
		return rc;
	}
	rc = open_files(cgroup, err);
	if (rc) {
		cgroup_remove(cgroup);
		return rc;
	}
	*out = cgroup;
	return 0;
}

const char *cgroup_path(const struct cgroup *cgroup)
{
	return cgroup->path;
}

int cgroup_procs_fd(const struct cgroup *cgroup)
{
	return cgroup->procs;
}

/* The number behind "key " at the start of a line, -1: not there. */
static int64_t read_number(int dir, const char *file, const char *key)
{
	auto_buf struct buf text = BUF_INIT;
	size_t len = strlen(key);

	if (files_read_at(dir, file, 65536, &text))
		return -1;
	for (const char *line = text.s; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ' ')
			return strtoll(line + len, NULL, 10);
	}
	return -1;
}

bool cgroup_populated(const struct cgroup *cgroup)
{
	return read_number(cgroup->dir, "cgroup.events", "populated") == 1;
}

int cgroup_cpu_ns(const struct cgroup *cgroup, int64_t *user_ns, int64_t *sys_ns)
{
	int64_t user = read_number(cgroup->dir, "cpu.stat", "user_usec");
	int64_t sys = read_number(cgroup->dir, "cpu.stat", "system_usec");

	if (user < 0 || sys < 0)
		return -ENODATA;
	*user_ns = user * 1000;
	*sys_ns = sys * 1000;
	return 0;
}

static void each_child(int dir, void (*visit)(int parent, const char *name))
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!list) {
		close_fd(&fd);
		return;
	}
	while ((entry = readdir(list)))
		if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			visit(dir, entry->d_name);
	closedir(list);
}

static void remove_child(int parent, const char *name)
{
	auto_close int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir >= 0)
		each_child(dir, remove_child);
	unlinkat(parent, name, AT_REMOVEDIR);
}

/* For kernels before 5.14, which have no cgroup.kill. */
static void kill_listed(int parent, const char *name)
{
	auto_close int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_buf struct buf pids = BUF_INIT;
	char *end;
	long pid;

	if (dir < 0)
		return;
	if (files_read_at(dir, "cgroup.procs", 64 << 20, &pids) == 0)
		for (char *p = pids.s; (pid = strtol(p, &end, 10)) > 0; p = end)
			kill((pid_t)pid, SIGKILL);
	each_child(dir, kill_listed);
}

static int kill_all(int dir)
{
	int64_t end = clock_mono_ns() + KILL_TIMEOUT_NS;

	while (read_number(dir, "cgroup.events", "populated") == 1) {
		if (files_write_value_at(dir, "cgroup.kill", "1") == -ENOENT)
			kill_listed(dir, ".");
		if (clock_mono_ns() > end)
			return -EBUSY;
		clock_sleep_ns(2 * NS_PER_MS);
	}
	return 0;
}

void cgroup_kill(struct cgroup *cgroup)
{
	kill_all(cgroup->dir);
}

int cgroup_destroy(const char *path, struct err *err)
{
	auto_close int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (dir < 0 && errno == ENOENT)
		return 0;
	if (dir < 0)
		return err_sys(err, errno, "%s", path);
	if (kill_all(dir))
		return err_set(err, EBUSY, "%s: a process in it does not die", path);
	each_child(dir, remove_child);
	if (rmdir(path) < 0 && errno != ENOENT)
		return err_sys(err, errno, "%s", path);
	return 0;
}

void cgroup_remove(struct cgroup *cgroup)
{
	if (!cgroup)
		return;
	if (cgroup_destroy(cgroup->path, NULL) == 0)
		undo_undone(cgroup->undo, cgroup->entry);
	free_cgroup(cgroup);
}
