// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/kbuild_unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/units.h"
#include "base/xalloc.h"

extern char **environ;

#define RECORD 10240ULL /* bytes that tar counts as one */
#define CHECKPOINT "25000"

/* What tar says, line by line: how far it is, or what went wrong, of which the first counts. */
struct listener {
	const char *name;
	const struct workload_site *site;
	char line[512];
	size_t len;
	char complaint[512];
};

static void take_line(struct listener *listener)
{
	auto_buf struct buf text = BUF_INIT;
	const char *number = strrchr(listener->line, ' ');
	uint64_t records;

	listener->line[listener->len] = '\0';
	listener->len = 0;
	if (number && !units_parse_u64(number + 1, &records)) {
		buf_addf(&text, "unpacking %s: ", listener->name);
		units_add_size(&text, records * RECORD >> 20 << 20);
		if (listener->site->tell)
			listener->site->tell(text.s);
	} else if (!*listener->complaint) {
		snprintf(listener->complaint, sizeof(listener->complaint), "%s", listener->line);
	}
}

static void take_bytes(struct listener *listener, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == '\n')
			take_line(listener);
		else if (listener->len < sizeof(listener->line) - 1)
			listener->line[listener->len++] = bytes[i];
	}
}

/* Until tar closes its end; false after an interrupt. */
static bool listen_to(int fd, struct listener *listener)
{
	struct pollfd fds[2] = { { .fd = fd, .events = POLLIN },
				 { .fd = interrupt_fd(), .events = POLLIN } };
	char bytes[4096];
	ssize_t n = 1;

	while (n > 0) {
		if (interrupt_count())
			return false;
		poll(fds, 2, -1);
		if (!fds[0].revents)
			continue;
		n = read(fd, bytes, sizeof(bytes));
		if (n > 0)
			take_bytes(listener, bytes, (size_t)n);
	}
	return true;
}

static int run_tar(const char *tarball, const char *folder, const struct workload_site *site,
		   struct err *err)
{
	const char *argv[] = { "tar",		   "--checkpoint=" CHECKPOINT,
			       "--checkpoint-action=echo=%u", "--no-same-owner",
			       "-C",		   folder,
			       "-xf",		   tarball,
			       NULL };
	struct listener listener = { .name = strrchr(tarball, '/') + 1, .site = site };
	auto_words struct words env = WORDS_INIT;
	auto_buf struct buf status_text = BUF_INIT;
	auto_free char *tar = NULL;
	int pipes[2], status, rc;
	bool heard;
	pid_t pid;

	if (process_find("tar", &tar))
		return err_missing(err, "tar is missing (package tar)");
	for (char **e = environ; *e; e++)
		if (strncmp(*e, "LC_", 3) != 0 && strncmp(*e, "LANG", 4) != 0 &&
		    strncmp(*e, "TAR_OPTIONS=", 12) != 0)
			words_add(&env, *e);
	words_add(&env, "LC_ALL=C");
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return err_sys(err, errno, "pipe");
	pid = process_spawn(tar, (char *const *)argv, env.v, pipes[1], pipes[1]);
	close(pipes[1]);
	heard = pid > 0 && listen_to(pipes[0], &listener);
	close(pipes[0]);
	if (pid < 0)
		return err_sys(err, -pid, "%s", tar);
	if (!heard)
		kill(pid, SIGKILL);
	rc = process_wait(pid, &status, NULL);
	if (!heard)
		return err_set(err, EINTR, "interrupted");
	if (rc)
		return err_sys(err, -rc, "waiting for tar");
	if (!status)
		return 0;
	process_add_status(&status_text, status);
	return err_set(err, EIO, "unpacking %s failed: %s", tarball,
		       *listener.complaint ? listener.complaint : status_text.s);
}

static int sync_folder(const char *folder)
{
	auto_close int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || syncfs(fd) < 0 ? -errno : 0;
}

static int fill(const char *tarball, const char *beside, const char *folder, unsigned int entry,
		const struct workload_site *site, struct err *err)
{
	struct stat st;
	int rc;

	if (mkdir(beside, 0755) < 0 || lstat(beside, &st) < 0)
		return err_sys(err, errno, "%s", beside);
	rc = undo_note(site->undo, entry, json_pack("{s:I,s:I}", "inode", (json_int_t)st.st_ino,
						    "device", (json_int_t)st.st_dev), err);
	if (!rc)
		rc = run_tar(tarball, beside, site, err);
	if (rc)
		return rc;
	rc = sync_folder(beside);
	if (rc)
		return err_sys(err, -rc, "%s", beside);
	/* Somebody else's may be there by now: the same. */
	if (rename(beside, folder) < 0 && !files_exists(folder))
		return err_sys(err, errno, "%s", folder);
	return 0;
}

int kbuild_unpack(const char *tarball, const char *folder, const struct workload_site *site,
		  struct err *err)
{
	auto_free char *root = xstrndup(folder, (size_t)(strrchr(folder, '/') - folder));
	auto_free char *beside = xasprintf("%s/.brunt-%s", root, site->session);
	auto_free char *words = xasprintf("unpacking %s into %s, once", tarball, folder);
	unsigned int entry;
	struct err ignored;
	int rc;

	rc = files_make_dirs(root, err);
	if (!rc)
		rc = undo_intend(site->undo, "tree", json_pack("{s:s}", "path", beside), &entry,
				 err);
	if (rc)
		return rc;
	if (site->tell)
		site->tell(words);
	rc = fill(tarball, beside, folder, entry, site, err);
	if (rc == -EINTR && site->tell)
		site->tell("interrupted: what was unpacked is removed");
	if (!files_remove_tree(beside, &ignored))
		undo_undone(site->undo, entry);
	return rc;
}
