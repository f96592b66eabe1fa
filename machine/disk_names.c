// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/disk_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_identity.h"

#define LIST_LIMIT (1 << 20)

static int by_number(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

int disk_names_all(struct words *out, struct err *err)
{
	DIR *folder = opendir("/sys/class/block");
	const struct dirent *entry;

	if (!folder)
		return err_sys(err, errno, "/sys/class/block");
	while ((entry = readdir(folder)))
		if (*entry->d_name != '.' && !block_device_value(entry->d_name, "hidden", 0))
			words_add(out, entry->d_name);
	closedir(folder);
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_number);
	return 0;
}

static bool is_pattern(const char *word)
{
	return word[strcspn(word, "*?[")] != '\0';
}

static int add_pattern(const char *word, struct words *out, struct err *err)
{
	auto_free char *path = block_device_path(word);
	glob_t found;
	int rc = glob(path, 0, NULL, &found);

	if (rc == GLOB_NOMATCH) {
		words_add(out, word);
		return 0;
	}
	if (rc)
		return err_set(err, EIO, "%s: the folder cannot be read", word);
	if (found.gl_pathc)
		qsort(found.gl_pathv, found.gl_pathc, sizeof(*found.gl_pathv), by_number);
	for (size_t i = 0; i < found.gl_pathc; i++)
		words_add(out, found.gl_pathv[i]);
	globfree(&found);
	return 0;
}

/* Also as udev writes it: "wwn-0x5000c500..." for naa., "nvme-eui..." for NVMe. */
static bool is_wwid(const char *id, const char *word)
{
	if (!strcasecmp(id, word))
		return true;
	if (!strncasecmp(word, "wwn-0x", 6))
		return !strncasecmp(id, "naa.", 4) && !strcasecmp(id + 4, word + 6);
	return !strncasecmp(word, "nvme-", 5) && !strcasecmp(id, word + 5);
}

static bool exists(const char *path)
{
	dev_t number;

	return block_device_number(path, &number) == 0;
}

/* How many devices have this WWID. */
static size_t add_wwid(const char *word, struct words *out)
{
	auto_words struct words all = WORDS_INIT;
	size_t found = 0;

	if (disk_names_all(&all, NULL))
		return 0;
	for (size_t i = 0; i < all.n; i++) {
		auto_free char *id = disk_identity(all.v[i]);

		if (!id || !is_wwid(id, word))
			continue;
		words_add(out, all.v[i]);
		found++;
	}
	return found;
}

static int add_word(const char *word, bool patterns, struct words *out, struct err *err)
{
	auto_free char *path = block_device_path(word);
	auto_free char *by_id = xasprintf("/dev/disk/by-id/%s", word);

	if (exists(path)) {
		words_add(out, word);
		return 0;
	}
	if (is_pattern(word))
		return patterns ? add_pattern(word, out, err) :
				  err_usage(err, "%s: a pattern gives away what nobody has looked "
					    "at; name each device, or give @FILE", word);
	if (strchr(word, '/'))
		words_add(out, word);
	else if (exists(by_id))
		words_add(out, by_id);
	else if (!add_wwid(word, out))
		words_add(out, word);
	return 0;
}

static int add_file(const char *path, bool patterns, struct words *out, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	char *line, *save = NULL, *end;
	int rc = files_read_at(AT_FDCWD, path, LIST_LIMIT, &text);
	size_t before = out->n;

	if (rc)
		return err_usage(err, "@%s: %s", path, strerror(-rc));
	for (line = text.len ? strtok_r(text.s, "\n", &save) : NULL; line && !rc;
	     line = strtok_r(NULL, "\n", &save)) {
		line += strspn(line, " \t\r");
		end = line + strcspn(line, "#");
		while (end > line && strchr(" \t\r", end[-1]))
			end--;
		*end = '\0';
		if (*line == '@')
			rc = err_usage(err, "@%s: '%s': a list holds devices, no lists", path, line);
		else if (*line)
			rc = add_word(line, patterns, out, err);
	}
	if (!rc && out->n == before)
		rc = err_usage(err, "@%s names no device", path);
	return rc;
}

int disk_names_expand(const struct words *given, bool patterns, struct words *out,
		      struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < given->n; i++) {
		const char *word = given->v[i];

		rc = *word == '@' ? add_file(word + 1, patterns, out, err) :
				    add_word(word, patterns, out, err);
	}
	return rc;
}
