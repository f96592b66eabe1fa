// SPDX-License-Identifier: GPL-3.0-or-later
/* What the environment says of sysctls: those that can change how fast something runs. */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/json.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "machine/environment_parts.h"

/* By the head of their names below kernel/ and fs/; of vm/ all are. */
static const char *const kernel_names[] = {
	"sched_", "numa_", "perf_", "watchdog", "nmi_watchdog", "soft_watchdog",
	"randomize_va_space", "timer_migration", "task_delayacct", "split_lock_mitigate",
	"ftrace_enabled", "stack_tracer_enabled", "bpf_stats_enabled", "io_uring_disabled",
	"printk", "hung_task_timeout_secs", "pid_max", "core_pattern", NULL,
};
static const char *const fs_names[] = { "aio-max-nr", "nr_open", "pipe-max-size", NULL };
static const char *const vm_names[] = { "", NULL };

/* Reading some does something, others change by themselves. */
static bool is_passing(const char *name)
{
	static const char *const names[] = { "stat_refresh", "compact_memory", "drop_caches",
					     "numa_stat", "perf_event_max_sample_rate" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool is_wanted(const char *name, const char *const *heads)
{
	for (; *heads; heads++)
		if (!strncmp(name, *heads, strlen(*heads)))
			return !is_passing(name);
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_folder(json_t *map, const char *folder, const char *const *heads)
{
	auto_free char *base = xasprintf("/proc/sys/%s", folder);
	auto_words struct words names = WORDS_INIT;
	DIR *list = opendir(base);
	const struct dirent *entry;
	struct stat st;

	while (list && (entry = readdir(list)))
		if (entry->d_name[0] != '.' && is_wanted(entry->d_name, heads))
			words_add(&names, entry->d_name);
	if (list)
		closedir(list);
	if (names.n)
		qsort(names.v, names.n, sizeof(*names.v), by_name);
	for (size_t i = 0; i < names.n; i++) {
		auto_free char *path = files_join(base, names.v[i]);
		auto_free char *key = xasprintf("sysctl.%s.%s", folder, names.v[i]);

		if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0444))
			environment_set_line(map, key, path);
	}
}

void environment_add_sysctls(json_t *map)
{
	add_folder(map, "vm", vm_names);
	add_folder(map, "kernel", kernel_names);
	add_folder(map, "fs", fs_names);
}
