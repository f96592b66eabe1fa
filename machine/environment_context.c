// SPDX-License-Identifier: GPL-3.0-or-later
/* What the environment says of us ourselves: what the runs inherit from whoever starts brunt. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/units.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "machine/environment_parts.h"

static void set(json_t *map, const char *key, json_t *value)
{
	json_object_set_new(map, key, value);
}

/* "0-1", as the kernel lists them. */
static json_t *allowed_cpus(void)
{
	static const char key[] = "\nCpus_allowed_list:";
	auto_buf struct buf text = BUF_INIT;
	char *p;

	if (files_read_at(AT_FDCWD, "/proc/self/status", 1 << 16, &text))
		return json_null();
	p = strstr(text.s, key);
	if (!p)
		return json_null();
	p += strlen(key);
	p += strspn(p, " \t");
	p[strcspn(p, "\n")] = '\0';
	return json_text(p);
}

static json_t *policy(void)
{
	static const char *const names[] = { "other", "fifo", "rr", "batch", NULL, "idle",
					     "deadline" };
	int number = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;

	return number >= 0 && (size_t)number < ARRAY_SIZE(names) ? json_text(names[number]) :
								   json_null();
}

/* ---- the CPU that cgroups leave us ---- */

/* Where a hierarchy is mounted: cgroup2, or that of cgroup v1's controller cpu. "": nowhere. */
static void find_mount(bool unified, char *out, size_t size)
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
		    strcmp(fstype, unified ? "cgroup2" : "cgroup") != 0)
			continue;
		words_split_at(options, ',', &controllers);
		for (size_t i = 0; !unified && i < controllers.n; i++)
			if (!strcmp(controllers.v[i], "cpu"))
				snprintf(out, size, "%s", target);
		if (unified)
			snprintf(out, size, "%s", target);
	}
}

/* Our group in a hierarchy, "/a/b": of "0::/a/b" or "4:cpu,cpuacct:/a/b". */
static bool own_group(bool unified, char *out, size_t size)
{
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
			if (!strcmp(controllers.v[k], unified ? "" : "cpu")) {
				snprintf(out, size, "%s", path + 1);
				return true;
			}
	}
	return false;
}

/* CPUs that a group may use: cpu.max "QUOTA PERIOD", or v1's two files; INFINITY: all. */
static double group_limit(const char *folder, bool unified)
{
	auto_free char *max = files_join(folder, unified ? "cpu.max" : "cpu.cfs_quota_us");
	auto_free char *rest = files_join(folder, "cpu.cfs_period_us");
	char quota[64], period[64], *space;
	double a, b;

	if (!environment_line(max, quota, sizeof(quota)))
		return INFINITY;
	space = strchr(quota, ' ');
	if (unified && !space)
		return INFINITY;
	if (unified) {
		*space = '\0';
		snprintf(period, sizeof(period), "%s", space + 1);
	} else {
		environment_line(rest, period, sizeof(period));
	}
	if (units_parse_double(quota, &a) || units_parse_double(period, &b) || a <= 0 || b <= 0)
		return INFINITY;
	return a / b;
}

/* The least of a group and those above it; NAN: nothing is known. */
static double hierarchy_limit(bool unified)
{
	char mount[512], group[512];
	double least = INFINITY, limit;
	char *end;

	find_mount(unified, mount, sizeof(mount));
	if (!*mount || !own_group(unified, group, sizeof(group)))
		return NAN;
	for (;;) {
		auto_free char *folder = xasprintf("%s%s", mount, group);

		limit = group_limit(folder, unified);
		if (limit < least)
			least = limit;
		end = strrchr(group, '/');
		if (!end)
			return least;
		*end = '\0';
	}
}

static json_t *cpu_limit(void)
{
	double one = hierarchy_limit(true), two = hierarchy_limit(false);
	double least = fmin(one, two); /* the one that is known */

	if (isnan(least))
		return json_null();
	return isinf(least) ? json_string("none") : json_number(least);
}

void environment_add_context(json_t *map)
{
	const char *preload = getenv("LD_PRELOAD");
	int nice;

	errno = 0;
	nice = getpriority(PRIO_PROCESS, 0);
	set(map, "process.cpus", allowed_cpus());
	set(map, "process.nice", errno ? json_null() : json_integer(nice));
	set(map, "process.policy", policy());
	set(map, "process.ld_preload", json_text(preload && *preload ? preload : "none"));
	set(map, "process.cgroup_cpus", cpu_limit());
}
