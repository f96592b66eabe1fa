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
#include "machine/environment.h"
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

/* A line of /proc/self/mounts. */
struct mounted {
	char source[512], target[512], fstype[64], options[2048];
};

/* The line behind *p, which moves on; false: there is no other. What is no mount is left out. */
static bool next_mount(const char **p, struct mounted *out)
{
	while (**p) {
		const char *line = *p;

		*p += strcspn(line, "\n");
		*p += **p == '\n';
		if (sscanf(line, "%511s %511s %63s %2047s", out->source, out->target, out->fstype,
			   out->options) == 4)
			return true;
	}
	return false;
}

static void add_mounted(json_t *map, const struct mounted *mounted, struct words *seen)
{
	add_mount(map, mounted->target, mounted->fstype, mounted->options);
	add_queue_of(map, mounted->source, seen);
}

void environment_add_storage(json_t *map)
{
	auto_buf struct buf text = BUF_INIT;
	auto_words struct words seen = WORDS_INIT;
	struct mounted mounted;
	const char *p;
	size_t n = 0;

	if (files_read_at(AT_FDCWD, "/proc/self/mounts", 4 << 20, &text))
		return;
	p = text.s;
	while (n < MOUNTS_MAX && next_mount(&p, &mounted)) {
		if (!holds_files(mounted.fstype, mounted.source) ||
		    is_passing_place(mounted.target))
			continue;
		n++;
		add_mounted(map, &mounted, &seen);
	}
}

/* ---- the file systems of the work ---- */

/* "/my\040disk" as it is called. */
static void decode(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		if (*p == '\\' && strspn(p + 1, "01234567") >= 3) {
			*to++ = (char)((p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0'));
			p += 3;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
}

static bool lies_below(const char *path, const char *target)
{
	size_t len = strlen(target);

	return !strcmp(target, "/") ||
	       (!strncmp(path, target, len) && (!path[len] || path[len] == '/'));
}

/* The deepest target that the path lies below; of two on one target the later one is on top. */
static bool find_mount_of(const char *mounts, const char *path, struct mounted *out)
{
	struct mounted mounted;
	size_t longest = 0;
	bool found = false;

	while (next_mount(&mounts, &mounted)) {
		char target[sizeof(mounted.target)];

		memcpy(target, mounted.target, sizeof(target));
		decode(target);
		if (!lies_below(path, target) || strlen(target) < longest)
			continue;
		longest = strlen(target);
		*out = mounted;
		found = true;
	}
	return found;
}

void environment_add_places(json_t *map, const struct words *folders)
{
	auto_buf struct buf text = BUF_INIT;
	auto_words struct words seen = WORDS_INIT;
	struct mounted mounted;

	if (files_read_at(AT_FDCWD, "/proc/self/mounts", 4 << 20, &text))
		return;
	for (size_t i = 0; i < folders->n; i++) {
		auto_free char *path = realpath(folders->v[i], NULL);

		if (path && find_mount_of(text.s, path, &mounted))
			add_mounted(map, &mounted, &seen);
	}
}
