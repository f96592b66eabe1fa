// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "machine/disk_identity.h"
#include "workloads/storm_fs.h"
#include "workloads/storm_uuid.h"

extern char **environ;

/* Where the UUID stands in the words. */
static char *find_uuid(const struct words *argv, const char *uuid)
{
	char *found = NULL;

	for (size_t i = 0; !found && i < argv->n; i++)
		found = strstr(argv->v[i], uuid);
	return found;
}

static void set_diskseq(struct storm_task *task, const struct target_device *device)
{
	auto_free char *whole = disk_identity_whole(device->name);

	if (!device->diskseq)
		return;
	task->diskseq = xasprintf("%llu", (unsigned long long)device->diskseq);
	task->diskseq_path = xasprintf("/sys/class/block/%s/diskseq", whole ? whole : device->name);
}

void storm_tasks_make(struct storm_tasks *tasks, const struct storm_options *options,
		      const struct target_device *devices, size_t count)
{
	const struct storm_fs *fs = storm_fs_find(options->fs);
	char uuid[STORM_UUID_SIZE];
	struct words *argv;

	*tasks = (struct storm_tasks){ .count = count };
	tasks->v = xcalloc(count, sizeof(*tasks->v));
	tasks->argvs = xcalloc(count, sizeof(*tasks->argvs));
	for (size_t i = 0; i < count; i++) {
		argv = &tasks->argvs[i];
		storm_uuid_make(uuid, 0, i);
		fs->argv(options, false, uuid, devices[i].path, argv);
		tasks->v[i].device = devices[i].path;
		tasks->v[i].number = devices[i].number;
		set_diskseq(&tasks->v[i], &devices[i]);
		tasks->v[i].mkfs_argv = argv->v;
		tasks->v[i].uuid = find_uuid(argv, uuid);
	}
}

void storm_tasks_release(struct storm_tasks *tasks)
{
	for (size_t i = 0; i < tasks->count; i++)
		words_release(&tasks->argvs[i]);
	for (size_t i = 0; i < tasks->count; i++) {
		free(tasks->v[i].diskseq);
		free(tasks->v[i].diskseq_path);
	}
	free(tasks->argvs);
	free(tasks->v);
	*tasks = (struct storm_tasks){ 0 };
}

void storm_tasks_renew(struct storm_tasks *tasks, uint64_t token, uint64_t random,
		       char *const *points, const struct storm_crew *crew)
{
	for (size_t i = 0; i < tasks->count; i++) {
		storm_uuid_make(tasks->v[i].uuid, token << 16 | (random & 0xffff), i);
		tasks->v[i].fill_seed = random ^ (uint64_t)i << 32;
		tasks->v[i].mount_point = points[i];
		tasks->v[i].record = &crew->records[i];
	}
}

void storm_environment(const struct words *added, struct words *out)
{
	static const char *const own[] = {
		"LC_ALL=C", "MKE2FS_SKIP_PROGRESS=1", "MKE2FS_SKIP_CHECK_MSG=1",
	};

	for (char **e = environ; *e; e++)
		if (strncmp(*e, "LC_", 3) != 0 && strncmp(*e, "LANG", 4) != 0)
			words_add(out, *e);
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		words_set_variable(out, own[i]);
	for (size_t i = 0; added && i < added->n; i++)
		words_set_variable(out, added->v[i]);
}
