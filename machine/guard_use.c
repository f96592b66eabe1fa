// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Numbers are compared, not names: a device has many. A partition counts for its disk.
 */
#include "machine/guard_use.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_identity.h"
#include "machine/disk_names.h"

static int read_swaps(struct words *out, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	char *line, *save = NULL;
	int rc = files_read_at(AT_FDCWD, "/proc/swaps", 1 << 20, &text);

	if (rc == -ENOENT)
		return 0; /* a kernel without swap */
	if (rc)
		return err_sys(err, -rc, "/proc/swaps");
	for (line = strtok_r(text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (*line == '/')
			words_add_taken(out, xstrndup(line, strcspn(line, " \t")));
	return 0;
}

static int read_disks(struct guard_users *users, struct err *err)
{
	auto_words struct words all = WORDS_INIT;
	char line[32];
	int rc = disk_names_all(&all, err);

	if (rc)
		return rc;
	guard_loops_read(&users->loops, &all);
	for (size_t i = 0; i < all.n; i++) {
		char *id = block_device_attribute(all.v[i], "partition", line, sizeof(line)) ?
				   disk_identity(all.v[i]) :
				   NULL;

		if (!id)
			continue;
		words_add(&users->disks, all.v[i]);
		words_add_taken(&users->ids, id);
	}
	return 0;
}

const char *guard_users_twin(const struct guard_users *users, const char *whole)
{
	size_t is = 0;

	while (is < users->disks.n && strcmp(users->disks.v[is], whole) != 0)
		is++;
	for (size_t i = 0; is < users->disks.n && i < users->disks.n; i++)
		if (i != is && !strcmp(users->ids.v[i], users->ids.v[is]))
			return users->disks.v[i];
	return NULL;
}

int guard_users_read(struct guard_users *users, struct err *err)
{
	int rc;

	*users = (struct guard_users){ .mounts = MOUNTINFO_INIT };
	rc = mountinfo_read(&users->mounts, err);
	if (!rc)
		rc = read_swaps(&users->swaps, err);
	if (!rc)
		rc = read_disks(users, err);
	if (rc)
		guard_users_release(users);
	return rc;
}

void guard_users_release(struct guard_users *users)
{
	mountinfo_release(&users->mounts);
	words_release(&users->swaps);
	words_release(&users->disks);
	words_release(&users->ids);
	guard_loops_release(&users->loops);
}

static void __attribute__((format(printf, 3, 4)))
find(struct guard_finding *out, enum guard_reason reason, const char *fmt, ...)
{
	va_list args;

	out->reason = reason;
	va_start(args, fmt);
	vsnprintf(out->detail, sizeof(out->detail), fmt, args);
	va_end(args);
}

/* Where it is mounted; btrfs has a number of its own, so the source is looked at, too. */
static const char *mounted_at(const struct guard_users *users, dev_t number)
{
	const struct mount_entry *mount;
	dev_t source;

	for (size_t i = 0; i < users->mounts.n; i++) {
		mount = &users->mounts.v[i];
		if (makedev(mount->major, mount->minor) == number)
			return mount->target;
		if (*mount->source == '/' && block_device_number(mount->source, &source) == 0 &&
		    source == number)
			return mount->target;
	}
	return NULL;
}

static bool is_swap(const struct guard_users *users, dev_t number)
{
	dev_t is;

	for (size_t i = 0; i < users->swaps.n; i++)
		if (block_device_number(users->swaps.v[i], &is) == 0 && is == number)
			return true;
	return false;
}

/* Calls each(arg, NAME) for what a folder of sysfs lists, until it returns false. */
static void each_entry(const char *name, const char *folder,
		       bool (*each)(void *arg, const char *entry), void *arg)
{
	auto_free char *path = xasprintf("/sys/class/block/%s/%s", name, folder);
	const struct dirent *entry;
	DIR *list = opendir(path);

	if (!list)
		return;
	while ((entry = readdir(list)))
		if (*entry->d_name != '.' && !each(arg, entry->d_name))
			break;
	closedir(list);
}

static bool add_holder(void *arg, const char *entry)
{
	struct buf *out = arg;

	buf_addf(out, "%s%s", out->len ? ", " : "", entry);
	return out->len < 100;
}

/* its: "its partition sda1 " of a disk that was asked about; "" where this is the one. */
static void find_user(const struct guard_users *users, dev_t number, const char *name,
		      const char *its, struct guard_finding *out)
{
	const char *at = mounted_at(users, number);
	const char *above = guard_loops_on(&users->loops, number);
	const char *beside = guard_loops_beside(&users->loops, name);
	auto_buf struct buf holders = BUF_INIT;

	each_entry(name, "holders", add_holder, &holders);
	if (at)
		find(out, GUARD_MOUNTED, "%sis mounted at %s", its, at);
	else if (is_swap(users, number))
		find(out, GUARD_SWAP, "%sis swap", its);
	else if (holders.len)
		find(out, GUARD_HELD, "%sis part of %s", its, holders.s);
	else if (above)
		find(out, GUARD_HELD, "%sis what %s lies on", its, above);
	else if (beside)
		find(out, GUARD_HELD, "%slies on the same bytes as %s", its, beside);
}

struct partitions {
	const struct guard_users *users;
	const char *disk;
	struct guard_finding *out;
	char first[256]; /* a partition; "": there is none */
};

static bool read_number(const char *name, dev_t *out)
{
	unsigned int numbers[2];
	char line[32];

	if (block_device_attribute(name, "dev", line, sizeof(line)) ||
	    sscanf(line, "%u:%u", &numbers[0], &numbers[1]) != 2)
		return false;
	*out = makedev(numbers[0], numbers[1]);
	return true;
}

static bool look_at_partition(void *arg, const char *entry)
{
	struct partitions *partitions = arg;
	auto_free char *its = xasprintf("its partition %s ", entry);
	char line[32];
	dev_t number;

	/* Folders that are no partitions have no such file. */
	if (strncmp(entry, partitions->disk, strlen(partitions->disk)) != 0 ||
	    block_device_attribute(entry, "partition", line, sizeof(line)) ||
	    !read_number(entry, &number))
		return true;
	if (!*partitions->first)
		snprintf(partitions->first, sizeof(partitions->first), "%s", entry);
	find_user(partitions->users, number, entry, its, partitions->out);
	return partitions->out->reason == GUARD_FIT;
}

/* What has a whole disk has its partitions, whether it heeds them or not. */
static void look_at_whole(const struct guard_users *users, const char *disk,
			  struct guard_finding *out)
{
	auto_free char *its = xasprintf("its disk %s ", disk);
	dev_t number;

	if (read_number(disk, &number))
		find_user(users, number, disk, its, out);
}

void guard_users_find(const struct guard_users *users, dev_t number, const char *name,
		      struct guard_finding *out)
{
	struct partitions partitions = { .users = users, .disk = name, .out = out };
	auto_free char *whole = disk_identity_whole(name);

	*out = (struct guard_finding){ .reason = GUARD_FIT };
	find_user(users, number, name, "", out);
	if (out->reason != GUARD_FIT)
		return;
	if (whole) {
		look_at_whole(users, whole, out);
		return;
	}
	each_entry(name, ".", look_at_partition, &partitions);
	if (out->reason == GUARD_FIT && *partitions.first)
		find(out, GUARD_PARTITIONED, "has partitions (%.100s)", partitions.first);
}
