// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/mountinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/xalloc.h"

/* "\040" and the like, three octal digits, in place. */
static char *unescape(char *s)
{
	char *to = s;

	for (char *from = s; *from; to++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
		    from[2] <= '7' && from[3] >= '0' && from[3] <= '7') {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
	return s;
}

/* "36 35 98:0 /root /target options [optional fields] - fstype source options" */
static int parse_line(char *line, struct mount_entry *entry)
{
	char *rest = strstr(line, " - "), *save = NULL, *root, *target, *fstype, *source;
	int id, parent, at = 0;

	if (!rest)
		return -EINVAL;
	*rest = '\0';
	if (sscanf(line, "%d %d %u:%u %n", &id, &parent, &entry->major, &entry->minor, &at) < 4)
		return -EINVAL;
	root = strtok_r(line + at, " ", &save);
	target = strtok_r(NULL, " ", &save);
	fstype = strtok_r(rest + 3, " ", &save);
	source = strtok_r(NULL, " ", &save);
	if (!root || !target || !fstype)
		return -EINVAL;
	entry->id = id;
	entry->root = unescape(root);
	entry->target = unescape(target);
	entry->fstype = unescape(fstype);
	entry->source = source ? unescape(source) : "";
	return 0;
}

int mountinfo_read(struct mountinfo *out, struct err *err)
{
	struct mountinfo info = MOUNTINFO_INIT;
	struct buf text = BUF_INIT;
	char *save = NULL;
	int rc;

	rc = files_read_at(AT_FDCWD, "/proc/self/mountinfo", 64 << 20, &text);
	if (rc) {
		buf_release(&text);
		return err_sys(err, -rc, "/proc/self/mountinfo");
	}
	info.text = buf_steal(&text);
	for (char *line = strtok_r(info.text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		GROW(info.v, info.n, info.cap);
		if (parse_line(line, &info.v[info.n]) == 0)
			info.n++;
	}
	*out = info;
	return 0;
}

void mountinfo_release(struct mountinfo *info)
{
	free(info->v);
	free(info->text);
	*info = (struct mountinfo)MOUNTINFO_INIT;
}

const struct mount_entry *mountinfo_at(const struct mountinfo *info, const char *target)
{
	for (size_t i = info->n; i-- > 0;)
		if (strcmp(info->v[i].target, target) == 0)
			return &info->v[i];
	return NULL;
}

const struct mount_entry *mountinfo_of_fd(const struct mountinfo *info, int fd)
{
	auto_buf struct buf text = BUF_INIT;
	const char *line;
	char path[64];
	int id;

	/* st_dev will not do: btrfs gives each subvolume a number that no mount has. */
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	if (files_read_at(AT_FDCWD, path, 65536, &text))
		return NULL;
	line = strstr(text.s, "mnt_id:");
	if (!line || sscanf(line, "mnt_id: %d", &id) != 1)
		return NULL;
	for (size_t i = 0; i < info->n; i++)
		if (info->v[i].id == id)
			return &info->v[i];
	return NULL;
}
