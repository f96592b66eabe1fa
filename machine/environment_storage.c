// SPDX-License-Identifier: GPL-3.0-or-later
/* What the environment says of file systems: how they are mounted, on what, with which queues. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "machine/environment_parts.h"

enum { MOUNTS_MAX = 64, DEVICES_MAX = 16 };

/* Those that hold files, on a device or in memory. */
static bool holds_files(const char *fstype, const char *source)
{
	static const char *const others[] = { "tmpfs", "nfs", "nfs4", "overlay", "zfs", "virtiofs",
					      "9p", "cifs" };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(fstype, others[i]))
			return true;
	return *source == '/';
}

static void add_queue(json_t *map, const char *disk)
{
	static const char *const names[] = { "scheduler", "nr_requests", "read_ahead_kb",
					     "rotational", "nomerges", "rq_affinity",
					     "write_cache", "wbt_lat_usec", "max_sectors_kb",
					     "io_poll" };
	char line[256];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		auto_free char *path = xasprintf("/sys/block/%s/queue/%s", disk, names[i]);
		auto_free char *key = xasprintf("queue.%s.%s", disk, names[i]);

		if (files_read_line_at(AT_FDCWD, path, line, sizeof(line)) || !*line)
			continue;
		json_object_set_new(map, key, strcmp(names[i], "scheduler") ? json_text(line) :
									      environment_chosen(line));
	}
}

/* The whole disk of a partition. */
static void add_queue_of(json_t *map, const char *device, struct words *seen)
{
	struct stat st;
	char link[64];
	auto_free char *real = NULL;
	const char *name;

	if (stat(device, &st) < 0 || !S_ISBLK(st.st_mode) || seen->n >= DEVICES_MAX)
		return;
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(st.st_rdev),
		 minor(st.st_rdev));
	real = realpath(link, NULL);
	if (!real)
		return;
	name = strrchr(real, '/') + 1;
	if (strncmp(name, "loop", 4) != 0) {
		auto_free char *partition = files_join(real, "partition");

		if (files_exists(partition)) {
			*strrchr(real, '/') = '\0';
			name = strrchr(real, '/') + 1;
		}
	}
	for (size_t i = 0; i < seen->n; i++)
		if (!strcmp(seen->v[i], name))
			return;
	words_add(seen, name);
	add_queue(map, name);
}

/* A mount that comes and goes with a session or a container has no place in a comparison. */
static bool is_passing_place(const char *target)
{
	static const char *const below[] = { "/run/", "/sys/", "/proc/", "/var/lib/docker/",
					     "/tmp/" };

	for (size_t i = 0; i < ARRAY_SIZE(below); i++)
		if (!strncmp(target, below[i], strlen(below[i])))
			return true;
	return false;
}

static void add_mount(json_t *map, const char *target, const char *fstype, const char *options)
{
	auto_free char *key = xasprintf("mount.%s", target);
	auto_free char *value = xasprintf("%s %s", fstype, options);

	json_object_set_new(map, key, json_text(value));
}

void environment_add_storage(json_t *map)
{
	auto_buf struct buf text = BUF_INIT;
	auto_words struct words seen = WORDS_INIT;
	char source[512], target[512], fstype[64], options[2048];
	size_t n = 0;
	int length;

	if (files_read_at(AT_FDCWD, "/proc/self/mounts", 4 << 20, &text))
		return;
	for (const char *line = text.s; *line && n < MOUNTS_MAX; line += length) {
		length = (int)strcspn(line, "\n");
		length += line[length] == '\n';
		if (sscanf(line, "%511s %511s %63s %2047s", source, target, fstype, options) != 4 ||
		    !holds_files(fstype, source) || is_passing_place(target))
			continue;
		n++;
		add_mount(map, target, fstype, options);
		add_queue_of(map, source, &seen);
	}
}
