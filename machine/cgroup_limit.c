// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/cgroup_limit.h"

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/units.h"
#include "base/words.h"
#include "base/xalloc.h"

/* A hierarchy: cgroup2, or that of a controller of cgroup v1. */
struct hierarchy {
	const char *controller;
	bool unified;
	/* What the group in this folder leaves; INFINITY: it has no limit. */
	double (*limit)(const char *folder, bool unified);
};

/* Where it is mounted; "": nowhere. */
static void find_mount(const struct hierarchy *hierarchy, char *out, size_t size)
{
	auto_buf struct buf text = BUF_INIT;
	char target[512], fstype[64], options[1024];

	*out = '\0';
	if (files_read_at(AT_FDCWD, "/proc/self/mounts", 4 << 20, &text))
		return;
	for (const char *line = text.s; *line;
	     line += strcspn(line, "\n"), line += *line == '\n') {
		auto_words struct words controllers = WORDS_INIT;

		if (sscanf(line, "%*s %511s %63s %1023s", target, fstype, options) != 3 ||
		    strcmp(fstype, hierarchy->unified ? "cgroup2" : "cgroup") != 0)
			continue;
		words_split_at(options, ',', &controllers);
		for (size_t i = 0; !hierarchy->unified && i < controllers.n; i++)
			if (!strcmp(controllers.v[i], hierarchy->controller))
				snprintf(out, size, "%s", target);
		if (hierarchy->unified)
			snprintf(out, size, "%s", target);
	}
}

/* Our group, "/a/b": of "0::/a/b" or "4:cpu,cpuacct:/a/b". */
static bool find_group(const struct hierarchy *hierarchy, char *out, size_t size)
{
	const char *wanted = hierarchy->unified ? "" : hierarchy->controller;
	auto_words struct words lines = WORDS_INIT;
	auto_buf struct buf text = BUF_INIT;

	if (files_read_at(AT_FDCWD, "/proc/self/cgroup", 1 << 16, &text))
		return false;
	words_split_at(text.s, '\n', &lines);
	for (size_t i = 0; i < lines.n; i++) {
		auto_words struct words controllers = WORDS_INIT;
		char *names = strchr(lines.v[i], ':');
		char *path = names ? strchr(names + 1, ':') : NULL;

		if (!path)
			continue;
		*path = '\0';
		words_split_at(names + 1, ',', &controllers);
		for (size_t k = 0; k < controllers.n; k++)
			if (!strcmp(controllers.v[k], wanted)) {
				snprintf(out, size, "%s", path + 1);
				return true;
			}
	}
	return false;
}

/* The least of a group and those above it; NAN: nothing is known. */
static double least_limit(const struct hierarchy *hierarchy)
{
	char mount[512], group[512];
	double least = INFINITY;
	char *end;

	find_mount(hierarchy, mount, sizeof(mount));
	if (!*mount || !find_group(hierarchy, group, sizeof(group)))
		return NAN;
	for (;;) {
		auto_free char *folder = xasprintf("%s%s", mount, group);

		least = fmin(least, hierarchy->limit(folder, hierarchy->unified));
		end = strrchr(group, '/');
		if (!end)
			return least;
		*end = '\0';
	}
}

/* fmin() takes the one that is known. */
static double limit_of_both(const char *controller, double (*limit)(const char *, bool))
{
	const struct hierarchy two = { controller, true, limit }, one = { controller, false, limit };

	return fmin(least_limit(&two), least_limit(&one));
}

/* The n-th word of a file's first line as a number; NAN where it is none, as "max". */
static double read_number(const char *folder, const char *name, size_t n)
{
	auto_free char *path = files_join(folder, name);
	auto_words struct words parts = WORDS_INIT;
	char line[128];
	double value;

	if (files_read_line_at(AT_FDCWD, path, line, sizeof(line)))
		return NAN;
	words_split_at(line, ' ', &parts);
	return n < parts.n && !units_parse_double(parts.v[n], &value) ? value : NAN;
}

/* cpu.max "QUOTA PERIOD", or v1's two files. */
static double cpu_limit(const char *folder, bool unified)
{
	double quota = read_number(folder, unified ? "cpu.max" : "cpu.cfs_quota_us", 0);
	double period = unified ? read_number(folder, "cpu.max", 1) :
				  read_number(folder, "cpu.cfs_period_us", 0);

	return quota > 0 && period > 0 ? quota / period : INFINITY;
}

/* A line "NAME BYTES" of memory.stat; 0: there is none. */
static double read_stat(const char *folder, const char *name)
{
	auto_free char *path = files_join(folder, "memory.stat");
	auto_words struct words lines = WORDS_INIT;
	auto_buf struct buf text = BUF_INIT;
	size_t len = strlen(name);
	double value;

	if (files_read_at(AT_FDCWD, path, 1 << 16, &text))
		return 0;
	words_split_at(text.s, '\n', &lines);
	for (size_t i = 0; i < lines.n; i++)
		if (!strncmp(lines.v[i], name, len) && lines.v[i][len] == ' ' &&
		    !units_parse_double(lines.v[i] + len + 1, &value))
			return value;
	return 0;
}

static double memory_left(const char *folder, bool unified)
{
	double most = read_number(folder, unified ? "memory.max" : "memory.limit_in_bytes", 0);
	double used = read_number(folder, unified ? "memory.current" : "memory.usage_in_bytes", 0);

	if (isnan(most) || isnan(used))
		return INFINITY;
	used -= read_stat(folder, unified ? "inactive_file" : "total_inactive_file") +
		read_stat(folder, unified ? "active_file" : "total_active_file");
	return fmax(most - fmax(used, 0), 1);
}

double cgroup_limit_cpus(void)
{
	return limit_of_both("cpu", cpu_limit);
}

uint64_t cgroup_limit_memory(void)
{
	double left = limit_of_both("memory", memory_left);

	return left < 0x1p63 ? (uint64_t)left : UINT64_MAX;
}
