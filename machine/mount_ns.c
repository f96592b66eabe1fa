// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The namespace is made by a short-lived child, so that ours stays as it is. Two things need
 * care in a chroot, where / is not a mount point. MS_SLAVE on / fails there, and the mount that
 * holds / is not even listed in mountinfo, so that marking those listed would leave that one
 * shared and our mounts would reach the host: the child goes to the namespace's true root by
 * setns() to its own namespace, marks everything, and comes back. And entering the namespace
 * later leaves the chroot, so the root folder is kept as a descriptor and gone back to.
 */
#include "machine/mount_ns.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "base/xalloc.h"
#include "machine/undo.h"

#define PLACES "/mnt", "/media", "/srv", "/opt"

static const char no_place[] = "a folder to mount over (/mnt, /media, /srv or /opt)";
static int root_fd = -1;

/* What the child tells the parent. */
struct answer {
	int failed;    /* errno */
	char step[64]; /* what failed */
	char folder[64];
};

static int return_to_root(int fd)
{
	if (fchdir(fd) < 0 || chroot(".") < 0 || chdir("/") < 0)
		return -errno;
	return 0;
}

static int make_slave(void)
{
	auto_close int root = -1;
	auto_close int own = -1;

	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0)
		return 0;
	if (errno != EINVAL)
		return -errno;
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	own = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (root < 0 || own < 0 || setns(own, CLONE_NEWNS) < 0)
		return -errno;
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return -errno;
	return return_to_root(root);
}

static bool is_folder(const char *path, bool only_empty)
{
	const struct dirent *entry;
	struct stat st;
	bool empty = true;
	DIR *dir;

	if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return false;
	if (!only_empty)
		return true;
	dir = opendir(path);
	if (!dir)
		return false;
	while (empty && (entry = readdir(dir)))
		empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	closedir(dir);
	return empty;
}

/*
 * An empty folder is better: hiding another one may hide what somebody needs. Where there is none
 * of them, the folder of our own journals does, which workers do not look into; it is there as
 * long as a session is.
 */
static const char *choose_folder(const char *own)
{
	static const char *const candidates[] = { PLACES };

	for (int only_empty = 1; only_empty >= 0; only_empty--)
		for (size_t i = 0; i < ARRAY_SIZE(candidates); i++)
			if (is_folder(candidates[i], only_empty))
				return candidates[i];
	return is_folder(own, false) ? own : NULL;
}

static void fail(struct answer *answer, int code, const char *step)
{
	answer->failed = code;
	snprintf(answer->step, sizeof(answer->step), "%s", step);
}

static void build(struct answer *answer, const char *own)
{
	const char *folder;
	int rc;

	if (unshare(CLONE_NEWNS) < 0) {
		fail(answer, errno, "unshare");
		return;
	}
	rc = make_slave();
	if (rc) {
		fail(answer, -rc, "making the mounts slaves");
		return;
	}
	folder = choose_folder(own);
	if (!folder) {
		fail(answer, ENOENT, no_place);
		return;
	}
	if (mount("brunt", folder, "tmpfs", MS_NOSUID | MS_NODEV,
		  "size=1M,nr_inodes=8192,mode=0755") < 0) {
		fail(answer, errno, "mounting a tmpfs");
		return;
	}
	snprintf(answer->folder, sizeof(answer->folder), "%s", folder);
}

/* Builds the namespace, answers, and lives until the parent closes its end. */
static void __attribute__((noreturn)) be_child(int fd)
{
	struct answer answer = { .failed = 0 };
	auto_free char *own = undo_folder();
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	build(&answer, own);
	if (write(fd, &answer, sizeof(answer)) == (ssize_t)sizeof(answer))
		while (read(fd, &byte, 1) < 0 && errno == EINTR)
			;
	_exit(0);
}

/* While the child lives: its namespace, and its root folder as it is in there. */
static int take_over(pid_t pid, struct err *err)
{
	char path[64];
	int fd, root;

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, errno, "%s", path);
	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0) {
		root = err_sys(err, errno, "%s", path);
		close(fd);
		return root;
	}
	close_fd(&root_fd);
	root_fd = root;
	return fd;
}

static int read_answer(int fd, pid_t pid, char folder[64], struct err *err)
{
	struct answer answer;
	ssize_t n;

	do
		n = read(fd, &answer, sizeof(answer));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(answer))
		return err_set(err, EIO, "the process that makes the mount namespace died");
	if (answer.failed)
		return err_missing(err, "no mount namespace of our own: %s: %s", answer.step,
				   strerror(answer.failed));
	n = take_over(pid, err);
	if (n >= 0)
		memcpy(folder, answer.folder, sizeof(answer.folder));
	return (int)n;
}

int mount_ns_new(char folder[64], struct err *err)
{
	int pair[2], rc;
	pid_t pid;

	/* seqpacket: the answer arrives whole, and the end of either side is seen by the other */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(err, errno, "socketpair");
	pid = fork();
	if (pid == 0) {
		close(pair[0]);
		be_child(pair[1]);
	}
	close(pair[1]);
	if (pid < 0)
		rc = err_sys(err, errno, "fork");
	else
		rc = read_answer(pair[0], pid, folder, err);
	close(pair[0]);
	if (pid > 0)
		process_wait(pid, NULL, NULL);
	return rc;
}

int mount_ns_enter(int fd)
{
	if (setns(fd, CLONE_NEWNS) < 0)
		return -errno;
	return return_to_root(root_fd);
}
