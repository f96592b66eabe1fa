// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/memory.h"

#define SPARE 64 /* what is opened besides, now and then */

/* By this process: devices of another workload, files of a tracer. */
static uint64_t count_open(void)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;
	uint64_t n = 0;

	while (folder && (entry = readdir(folder)))
		n += *entry->d_name != '.';
	if (folder)
		closedir(folder);
	return n;
}

int limits_raise_files(uint64_t need, const char *what, struct err *err)
{
	struct rlimit limit;

	need += count_open() + SPARE;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return err_sys(err, errno, "RLIMIT_NOFILE");
	if (limit.rlim_cur >= need)
		return 0;
	if (limit.rlim_max < need)
		return err_missing(err, "%s need %" PRIu64 " open files, ulimit -Hn is %llu", what,
				   need, (unsigned long long)limit.rlim_max);
	limit.rlim_cur = need;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return err_sys(err, errno, "RLIMIT_NOFILE");
	return 0;
}

/* A number in a file; UINT64_MAX: unknown or none ("max"). */
static uint64_t read_number(const char *path)
{
	uint64_t value;
	char line[64];

	if (files_read_line_at(AT_FDCWD, path, line, sizeof(line)) || units_parse_u64(line, &value))
		return UINT64_MAX;
	return value;
}

/* Processes and threads that there are: "0.1 0.2 0.3 2/345 6789". */
static uint64_t count_tasks(void)
{
	unsigned long long tasks;
	char line[128];

	if (files_read_line_at(AT_FDCWD, "/proc/loadavg", line, sizeof(line)) ||
	    sscanf(line, "%*s %*s %*s %*u/%llu", &tasks) != 1)
		return 0;
	return tasks;
}

static int check(uint64_t used, uint64_t limit, uint64_t need, const char *path, const char *what,
		 struct err *err)
{
	if (limit == UINT64_MAX || used + need <= limit)
		return 0;
	return err_missing(err, "%s need %" PRIu64 " processes more than the %" PRIu64 " that run; "
			   "%s is %" PRIu64, what, need, used, path, limit);
}

/* One of our cgroups, and those above it. */
static int check_cgroup(const char *mount, char *path, uint64_t need, const char *what,
			struct err *err)
{
	int rc = 0;

	while (!rc && *path) {
		auto_free char *limit = xasprintf("%s%s/pids.max", mount, path);
		auto_free char *current = xasprintf("%s%s/pids.current", mount, path);
		uint64_t used = read_number(current);

		rc = check(used == UINT64_MAX ? 0 : used, read_number(limit), need, limit, what, err);
		*strrchr(path, '/') = '\0';
	}
	return rc;
}

static int check_cgroups(uint64_t need, const char *what, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	char *line, *save = NULL, *path;
	int rc = 0;

	if (files_read_at(AT_FDCWD, "/proc/self/cgroup", 1 << 16, &text) || !text.len)
		return 0;
	for (line = strtok_r(text.s, "\n", &save); line && !rc; line = strtok_r(NULL, "\n", &save)) {
		path = strchr(line, '/');
		if (!path)
			continue;
		if (!strncmp(line, "0::", 3))
			rc = check_cgroup("/sys/fs/cgroup", path, need, what, err);
		else if (strstr(line, ":pids:"))
			rc = check_cgroup("/sys/fs/cgroup/pids", path, need, what, err);
	}
	return rc;
}

int limits_check_processes(uint64_t need, const char *what, struct err *err)
{
	static const char *const files[] = {
		"/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max",
	};
	uint64_t used = count_tasks();
	int rc = 0;

	for (size_t i = 0; !rc && i < ARRAY_SIZE(files); i++)
		rc = check(used, read_number(files[i]), need, files[i], what, err);
	return rc ? rc : check_cgroups(need, what, err);
}

int limits_check_memory(uint64_t need, const char *what, struct err *err)
{
	uint64_t available = memory_available();
	auto_buf struct buf text = BUF_INIT;

	if (!available || need <= available - available / 10)
		return 0;
	buf_addf(&text, "%s need ", what);
	units_add_size(&text, need);
	buf_add(&text, " of memory for processes, ");
	units_add_size(&text, available >> 20 << 20);
	buf_add(&text, " are available; fewer devices");
	return err_missing(err, "%s", text.s);
}
