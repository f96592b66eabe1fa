// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The hash of a set is that of the list which sha256sum prints for its files, so that anybody can
 * compute it without brunt.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "results/set_parts.h"

enum { PIECE = 1 << 16 };

static void add_text(struct sha256_ctx *list, const char *text)
{
	sha256_update(list, strlen(text), (const uint8_t *)text);
}

/* 0 without a file: nothing is added */
static int add_file(const char *folder, const char *name, struct sha256_ctx *list, struct err *err)
{
	auto_free char *path = files_join(folder, name);
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	auto_free char *piece = xmalloc(PIECE);
	char hex[SHA256_HEX_SIZE];
	struct sha256_ctx file;
	ssize_t n;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "%s", path);
	sha256_init(&file);
	while ((n = read(fd, piece, PIECE)) > 0)
		sha256_update(&file, (size_t)n, (const uint8_t *)piece);
	if (n < 0)
		return err_sys(err, errno, "%s", path);
	sha256_finish(&file, hex);
	add_text(list, hex);
	add_text(list, "  ");
	add_text(list, name);
	add_text(list, "\n");
	return 0;
}

static int is_session(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 5 && entry->d_name[0] != '.' && !strcmp(entry->d_name + len - 5, ".json");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int add_sessions(const char *path, struct sha256_ctx *list, struct err *err)
{
	auto_free char *folder = files_join(path, "sessions");
	struct dirent **names;
	int n = scandir(folder, &names, is_session, by_bytes), rc = 0;

	if (n < 0)
		return errno == ENOENT ? 0 : err_sys(err, errno, "%s", folder);
	for (int i = 0; i < n; i++) {
		auto_free char *name = files_join("sessions", names[i]->d_name);

		if (!rc)
			rc = add_file(path, name, list, err);
		free(names[i]);
	}
	free(names);
	return rc;
}

int set_hash(const char *path, char out[SET_HASH_SIZE], struct err *err)
{
	char hex[SHA256_HEX_SIZE];
	struct sha256_ctx list;
	int rc;

	sha256_init(&list);
	rc = add_file(path, "runs.jsonl", &list, err);
	if (!rc)
		rc = add_file(path, "summaries.jsonl", &list, err);
	if (!rc)
		rc = add_sessions(path, &list, err);
	if (rc)
		return rc;
	sha256_finish(&list, hex);
	snprintf(out, SET_HASH_SIZE, "sha256:%s", hex);
	return 0;
}
