// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Writing a set. A run is two lines that are only ever appended, so a kill costs at most the
 * line that was being written; the next writer ends it with a newline and readers skip it.
 * Numbers come from the file and not from memory: another writer may have added lines since.
 */
#include "results/set_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/json.h"
#include "base/xalloc.h"

#define DEFAULT_FOLDER "brunt-results"

/* ---- where sets are ---- */

bool set_is(const char *path)
{
	auto_free char *sessions = files_join(path, "sessions");
	auto_free char *runs = files_join(path, "runs.jsonl");

	return files_exists(sessions) || files_exists(runs);
}

static bool folder_is_empty(const char *path)
{
	DIR *dir = opendir(path);
	size_t entries = 0;

	if (!dir)
		return true;
	while (readdir(dir))
		entries++;
	closedir(dir);
	return entries <= 2;
}

/* A run that was refused at its start leaves a set without a session: nothing to report. */
static bool holds_results(const char *path)
{
	auto_free char *sessions = files_join(path, "sessions");
	auto_free char *runs = files_join(path, "runs.jsonl");
	struct stat st;

	return !folder_is_empty(sessions) || (stat(runs, &st) == 0 && st.st_size > 0);
}

/* When it was written to last. */
static struct timespec set_time(const char *path)
{
	auto_free char *runs = files_join(path, "runs.jsonl");
	struct stat st;

	if (stat(runs, &st) < 0 && stat(path, &st) < 0)
		return (struct timespec){ 0, 0 };
	return st.st_mtim;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

int set_newest(char **path, struct err *err)
{
	struct timespec newest_time = { 0, 0 };
	struct dirent **names;
	char *newest = NULL;
	int n = scandir(DEFAULT_FOLDER, &names, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		char *candidate = files_join(DEFAULT_FOLDER, names[i]->d_name);
		struct timespec when = set_time(candidate);

		if (names[i]->d_name[0] != '.' && set_is(candidate) &&
		    holds_results(candidate) && (!newest || !is_later(&newest_time, &when))) {
			free(newest);
			newest = candidate;
			newest_time = when;
		} else {
			free(candidate);
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	if (!newest)
		return err_set(err, ENOENT, "no set below %s/ here: name one", DEFAULT_FOLDER);
	*path = newest;
	return 0;
}

char *set_default_path(const char *workload)
{
	time_t now = time(NULL);
	struct tm tm;
	char when[32], *path;

	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
	path = xasprintf("%s/%s-%s", DEFAULT_FOLDER, workload, when);
	for (int i = 2; files_exists(path); i++) {
		free(path);
		path = xasprintf("%s/%s-%s-%d", DEFAULT_FOLDER, workload, when, i);
	}
	return path;
}

/* ---- opening ---- */

static int make_folder(const char *path, const char *name, struct err *err)
{
	auto_free char *folder = files_join(path, name);

	return files_make_dirs(folder, err);
}

int set_open_file(const char *path, const char *name, int flags, int *out, struct err *err)
{
	auto_free char *file = files_join(path, name);
	bool fresh = !files_exists(file);
	int fd = open(file, flags | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0)
		return err_sys(err, errno, "%s", file);
	if (fresh)
		files_give_to_sudo_user(file);
	*out = fd;
	return 0;
}

int set_check_place(const char *path, struct err *err)
{
	/* in this order: another writer may be making it right now, sessions/ first */
	bool empty = folder_is_empty(path);
	struct stat st;

	if (set_is(path) || stat(path, &st) < 0)
		return 0;
	if (!S_ISDIR(st.st_mode))
		return err_set(err, ENOTDIR, "%s is no folder", path);
	if (!empty)
		return err_set(err, ENOTEMPTY, "%s: a folder that is no set and not empty", path);
	return 0;
}

int set_open(const char *path, bool create, struct set **out, struct err *err)
{
	struct set *set;
	int rc;

	if (!create && !set_is(path))
		return err_set(err, ENOENT, "%s: there is no set", path);
	rc = set_check_place(path, err);
	if (rc)
		return rc;
	set = xcalloc(1, sizeof(*set));
	set->path = xstrdup(path);
	set->made_folder = !files_exists(path);
	set->lock_fd = set->runs_fd = -1;
	rc = make_folder(path, "sessions", err);
	if (!rc)
		rc = make_folder(path, "runs", err);
	if (!rc)
		rc = set_open_file(path, "lock", O_RDWR, &set->lock_fd, err);
	if (!rc)
		rc = set_open_file(path, "runs.jsonl", O_RDWR | O_APPEND, &set->runs_fd, err);
	if (rc)
		set_close(set);
	else
		*out = set;
	return rc;
}

void set_close(struct set *set)
{
	if (!set)
		return;
	close_fd(&set->lock_fd);
	close_fd(&set->runs_fd);
	free(set->path);
	free(set);
}

static void remove_empty(const char *path, const char *name, int flags)
{
	auto_free char *file = files_join(path, name);

	unlinkat(AT_FDCWD, file, flags);
}

void set_discard_unused(struct set *set)
{
	if (!set || holds_results(set->path) || flock(set->lock_fd, LOCK_EX | LOCK_NB) < 0)
		return;
	if (!holds_results(set->path)) {
		remove_empty(set->path, "sessions", AT_REMOVEDIR);
		remove_empty(set->path, "runs", AT_REMOVEDIR);
		remove_empty(set->path, "runs.jsonl", 0);
		remove_empty(set->path, "lock", 0);
	}
	set_unlock(set);
	if (set->made_folder)
		rmdir(set->path);
	if (!strncmp(set->path, DEFAULT_FOLDER "/", strlen(DEFAULT_FOLDER) + 1))
		rmdir(DEFAULT_FOLDER);
}

const char *set_path(const struct set *set)
{
	return set->path;
}

char *set_run_folder(const struct set *set, unsigned int number)
{
	return xasprintf("%s/runs/%u", set->path, number);
}

/* ---- the lock ---- */

int set_lock(struct set *set, struct err *err)
{
	while (flock(set->lock_fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return err_sys(err, errno, "%s/lock", set->path);
	return 0;
}

void set_unlock(struct set *set)
{
	flock(set->lock_fd, LOCK_UN);
}

/* ---- numbers ---- */

static void see_line(struct set *set, const char *line, size_t len)
{
	auto_json json_t *value = NULL;
	int64_t number;

	if (json_parse(line, len, "", &value, NULL))
		return;
	number = json_get_int(value, "run", 0);
	if (number > set->last_run && number <= UINT32_MAX)
		set->last_run = (unsigned int)number;
}

/* Looks through what was appended since the last time. The lock is held. */
int set_see_appended(struct set *set, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	char chunk[65536];
	ssize_t n;

	for (;;) {
		char *start, *end;
		size_t rest;

		n = pread(set->runs_fd, chunk, sizeof(chunk), set->seen);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "%s/runs.jsonl", set->path);
		if (n == 0)
			return 0;
		set->seen += n;
		buf_addn(&text, chunk, (size_t)n);
		start = text.s;
		while ((end = memchr(start, '\n', text.len - (size_t)(start - text.s)))) {
			see_line(set, start, (size_t)(end - start));
			start = end + 1;
		}
		rest = text.len - (size_t)(start - text.s);
		memmove(text.s, start, rest);
		text.len = rest;
	}
}

/*
 * A number is free when no line has it and its folder is not there: a start line may have been
 * torn after its folder was made.
 */
static int take_number(struct set *set, unsigned int *number, struct err *err)
{
	int rc = set_see_appended(set, err);

	while (!rc) {
		auto_free char *folder = NULL;

		if (set->last_run == UINT32_MAX)
			return err_set(err, EOVERFLOW, "%s: no run number is left", set->path);
		folder = set_run_folder(set, ++set->last_run);
		if (mkdir(folder, 0755) == 0) {
			files_give_to_sudo_user(folder);
			*number = set->last_run;
			return 0;
		}
		if (errno != EEXIST)
			rc = err_sys(err, errno, "%s", folder);
	}
	return rc;
}

/* ---- lines ---- */

bool set_ends_in_newline(int fd)
{
	struct stat st;
	char last;

	if (fstat(fd, &st) < 0 || st.st_size == 0)
		return true;
	return pread(fd, &last, 1, st.st_size - 1) != 1 || last == '\n';
}

/* The lock is held. */
static int append(struct set *set, const char *event, json_t *line, struct err *err)
{
	auto_json json_t *ordered = json_object();
	auto_buf struct buf text = BUF_INIT;
	int rc;

	json_object_set_new(line, "schema", json_string(SET_SCHEMA));
	json_object_set_new(line, "event", json_string(event));
	json_object_set(ordered, "schema", json_object_get(line, "schema"));
	json_object_set(ordered, "event", json_object_get(line, "event"));
	json_object_set(ordered, "run", json_object_get(line, "run"));
	json_object_update_missing(ordered, line);
	if (!set_ends_in_newline(set->runs_fd))
		buf_addc(&text, '\n');
	json_write(&text, ordered, 0);
	buf_addc(&text, '\n');
	rc = files_write_all(set->runs_fd, text.s, text.len);
	if (!rc && fdatasync(set->runs_fd) < 0)
		rc = -errno;
	return rc ? err_sys(err, -rc, "%s/runs.jsonl", set->path) : 0;
}

int set_begin_run(struct set *set, json_t *line, unsigned int *number, struct err *err)
{
	unsigned int taken = 0;
	int rc = set_lock(set, err);

	if (rc)
		return rc;
	rc = take_number(set, &taken, err);
	if (!rc) {
		json_object_set_new(line, "run", json_integer(taken));
		rc = append(set, "start", line, err);
	}
	set_unlock(set);
	if (!rc)
		*number = taken;
	return rc;
}

int set_end_run(struct set *set, json_t *line, struct err *err)
{
	const json_t *number = json_object_get(line, "run");
	auto_free char *folder = NULL;
	int rc;

	if (!json_is_integer(number))
		return err_set(err, EINVAL, "a run ends that has no number");
	folder = set_run_folder(set, (unsigned int)json_integer_value(number));
	rc = files_sync_tree(folder, err);
	if (!rc)
		rc = set_lock(set, err);
	if (rc)
		return rc;
	rc = append(set, "end", line, err);
	set_unlock(set);
	return rc;
}

char *set_config_path(const char *set_path, const char *sha256)
{
	return xasprintf("%s/sessions/kernel-%.64s.config", set_path, sha256);
}

int set_write_config(struct set *set, const char *sha256, const char *text, size_t len,
		     struct err *err)
{
	auto_free char *path = set_config_path(set->path, sha256);
	int rc = files_exists(path) ? 0 : files_replace(path, text, len, err);

	if (!rc)
		files_give_to_sudo_user(path);
	return rc;
}

int set_write_session(struct set *set, const char *id, const json_t *session, struct err *err)
{
	auto_free char *path = xasprintf("%s/sessions/%s.json", set->path, id);
	auto_buf struct buf text = BUF_INIT;

	json_write(&text, session, 2);
	return files_replace(path, text.s, text.len, err);
}
