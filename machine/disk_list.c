// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/disk_list.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_identity.h"
#include "machine/disk_transport.h"
#include "machine/disk_names.h"
#include "machine/guard.h"

#define SECTOR 512

/* Names that udev gives, and where each leads. */
struct links {
	struct link {
		char *path;
		dev_t number;
	} *v;
	size_t n, cap;
};

static void read_folder(struct links *links, const char *folder)
{
	DIR *list = opendir(folder);
	const struct dirent *entry;
	dev_t number;

	if (!list)
		return;
	while ((entry = readdir(list))) {
		char *path = xasprintf("%s/%s", folder, entry->d_name);

		if (*entry->d_name == '.' || block_device_number(path, &number)) {
			free(path);
			continue;
		}
		GROW(links->v, links->n, links->cap);
		links->v[links->n++] = (struct link){ .path = path, .number = number };
	}
	closedir(list);
}

static void read_links(struct links *links)
{
	static const char *const folders[] = {
		"/dev/disk/by-id", "/dev/disk/by-path", "/dev/mapper",
	};

	*links = (struct links){ NULL, 0, 0 };
	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		read_folder(links, folders[i]);
}

static void release_links(struct links *links)
{
	for (size_t i = 0; i < links->n; i++)
		free(links->v[i].path);
	free(links->v);
}

static json_t *links_of(const struct links *links, const char *path)
{
	json_t *array = json_array();
	dev_t number;

	if (block_device_number(path, &number))
		return array;
	for (size_t i = 0; i < links->n; i++)
		if (links->v[i].number == number)
			json_array_append_new(array, json_text(links->v[i].path));
	return array;
}

/* An attribute of the disk itself; null where there is none. */
static json_t *attribute(const char *disk, const char *path)
{
	char line[256];

	if (block_device_attribute(disk, path, line, sizeof(line)))
		return json_null();
	for (size_t n = strlen(line); n && line[n - 1] == ' '; n--)
		line[n - 1] = '\0';
	return json_text(line);
}

static json_t *scheduler(const char *disk)
{
	auto_free char *name = block_device_scheduler(disk);

	return json_text(name);
}

static json_t *describe(const char *name, const struct links *links,
			const struct guard_finding *finding)
{
	auto_free char *path = block_device_path(name);
	auto_free char *whole = disk_identity_whole(name);
	auto_free char *id = disk_identity(name);
	auto_free char *serial = disk_identity_serial(name);
	auto_free char *why = guard_line(path, finding);
	const char *disk = whole ? whole : name, *transport = disk_transport(name);
	json_t *object = json_object();
	int node = disk_identity_node(name);

	json_object_set_new(object, "name", json_text(name));
	json_object_set_new(object, "path", json_text(path));
	json_object_set_new(object, "links", links_of(links, path));
	json_object_set_new(object, "wwid", json_text(id));
	json_object_set_new(object, "serial", json_text(serial));
	json_object_set_new(object, "model", attribute(disk, "device/model"));
	json_object_set_new(object, "transport", json_text(transport));
	json_object_set_new(object, "shared", json_boolean(disk_transport_shared(name)));
	json_object_set_new(object, "numa_node", node < 0 ? json_null() : json_integer(node));
	json_object_set_new(object, "size_bytes",
			    json_integer((json_int_t)block_device_value(name, "size", 0) * SECTOR));
	json_object_set_new(object, "scheduler", scheduler(disk));
	json_object_set_new(object, "partition_of", json_text(whole));
	json_object_set_new(object, "fit", json_boolean(finding->reason == GUARD_FIT));
	json_object_set_new(object, "why",
			    json_text(finding->reason == GUARD_FIT ? NULL : why));
	return object;
}

static bool is_set_up(const char *name)
{
	char line[8];

	return block_device_value(name, "size", 0) ||
	       block_device_attribute(name, "device/uevent", line, sizeof(line)) == 0;
}

static int no_such_device(const char *word, struct err *err)
{
	const char *name = strrchr(word, '/') ? strrchr(word, '/') + 1 : word, *nearest;
	auto_words struct words all = WORDS_INIT;

	if (disk_names_all(&all, NULL))
		return err_usage(err, "there is no '%s'", word);
	nearest = words_nearest(name, (const char *const *)all.v, all.n);
	return nearest ? err_usage(err, "there is no '%s'; did you mean '%s'?", word, nearest) :
			 err_usage(err, "there is no '%s'", word);
}

/* The kernel's names of what a word leads to. */
static int find_named(const char *word, struct words *names, struct err *err)
{
	auto_words struct words given = WORDS_INIT, expanded = WORDS_INIT;
	int rc;

	words_add(&given, word);
	rc = disk_names_expand(&given, true, &expanded, err);
	for (size_t i = 0; !rc && i < expanded.n; i++) {
		auto_free char *path = block_device_path(expanded.v[i]);
		dev_t number;
		char *name;

		if (block_device_number(path, &number) || block_device_name(number, &name))
			return no_such_device(word, err);
		words_add_taken(names, name);
	}
	return rc;
}

static int find_all(struct words *names, struct err *err)
{
	auto_words struct words all = WORDS_INIT;
	int rc = disk_names_all(&all, err);

	for (size_t i = 0; !rc && i < all.n; i++)
		if (is_set_up(all.v[i]))
			words_add(names, all.v[i]);
	return rc;
}

int disk_list(const char *word, json_t **out, struct err *err)
{
	auto_words struct words names = WORDS_INIT;
	auto_free struct guard_finding *findings = NULL;
	struct links links;
	int rc = word ? find_named(word, &names, err) : find_all(&names, err);

	if (rc)
		return rc;
	findings = xcalloc(names.n, sizeof(*findings));
	rc = guard_survey(&names, findings, err);
	if (rc)
		return rc;
	read_links(&links);
	*out = json_array();
	for (size_t i = 0; i < names.n; i++)
		json_array_append_new(*out, describe(names.v[i], &links, &findings[i]));
	release_links(&links);
	return 0;
}
