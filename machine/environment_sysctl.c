// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What the environment says of sysctls: all numbers below vm, kernel, fs, net.core and net.ipv4,
 * and words of a few others. A number may be a list of them ("4096 131072 6291456").
 */
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

/* Not numbers, but they can change how fast something runs. */
static const char *const words_wanted[] = { "kernel.core_pattern", "net.core.default_qdisc",
					    "net.ipv4.tcp_congestion_control", NULL };

/*
 * Reading some does something; others count, change by themselves, or come to another value at each
 * boot since they are made of the memory that was free.
 */
static const char *const passing[] = {
	"vm.stat_refresh", "vm.compact_memory", "vm.drop_caches", "vm.numa_stat",
	"kernel.perf_event_max_sample_rate", "kernel.perf_cpu_time_max_percent_used",
	"kernel.ns_last_pid", "kernel.random", "kernel.pty.nr", "kernel.threads-max",
	"kernel.hung_task_detect_count", "kernel.max_lock_depth_seen", "kernel.tainted",
	"kernel.cad_pid", "fs.aio-nr", "fs.dentry-state", "fs.dentry-negative", "fs.file-nr",
	"fs.file-max", "fs.inode-nr", "fs.inode-state", "fs.quota", "fs.binfmt_misc", "fs.nfs",
	"fs.epoll.max_user_watches", "fs.inotify.max_user_watches", "net.ipv4.tcp_mem",
	"net.ipv4.udp_mem", "net.ipv4.conf", "net.ipv4.neigh", "net.ipv4.route", NULL,
};

static bool is_among(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

static bool is_number(const char *line)
{
	return *line && line[strspn(line, "0123456789-+. \t")] == '\0' &&
	       strpbrk(line, "0123456789");
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_names(const char *folder, struct words *names)
{
	DIR *list = opendir(folder);
	const struct dirent *entry;

	while (list && (entry = readdir(list)))
		if (entry->d_name[0] != '.')
			words_add(names, entry->d_name);
	if (list)
		closedir(list);
	if (names->n)
		qsort(names->v, names->n, sizeof(*names->v), by_name);
}

static void add_file(json_t *map, const char *path, const char *name)
{
	auto_free char *key = xasprintf("sysctl.%s", name);
	char line[4096];

	environment_line(path, line, sizeof(line));
	if (is_number(line) || (*line && is_among(name, words_wanted)))
		json_object_set_new(map, key, json_text(line));
}

/* name is the folder's as sysctl(8) has it: "net.core". */
static void add_folder(json_t *map, const char *folder, const char *name)
{
	auto_words struct words names = WORDS_INIT;
	struct stat st;

	list_names(folder, &names);
	for (size_t i = 0; i < names.n; i++) {
		auto_free char *path = files_join(folder, names.v[i]);
		auto_free char *own = xasprintf("%s.%s", name, names.v[i]);

		if (is_among(own, passing) || lstat(path, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode))
			add_folder(map, path, own);
		else if (S_ISREG(st.st_mode) && (st.st_mode & 0444))
			add_file(map, path, own);
	}
}

void environment_add_sysctls(json_t *map)
{
	add_folder(map, "/proc/sys/vm", "vm");
	add_folder(map, "/proc/sys/kernel", "kernel");
	add_folder(map, "/proc/sys/fs", "fs");
	add_folder(map, "/proc/sys/net/core", "net.core");
	add_folder(map, "/proc/sys/net/ipv4", "net.ipv4");
}
