// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracers/capture_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "machine/disks.h"

static int refuse(const char *folder, const struct target_device *device, dev_t disk,
		  struct err *err)
{
	char name[64];

	disks_name(disk, name);
	if (!strncmp(device->name, "loop", 4))
		return err_usage(err, "the capture in %s and the file behind %s are on the same disk "
				 "(%s), so that the trace would measure itself: give output=DIR on "
				 "another disk or in memory (output=/dev/shm), or devices in memory",
				 folder, device->name, name);
	return err_refused(err, "the capture in %s would be written to %s, which holds %s that is "
			   "traced: give output=DIR on another disk or in memory (output=/dev/shm)",
			   folder, name, device->name);
}

int capture_place_check(const char *folder, const struct target *target, struct err *err)
{
	auto_close int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_disks struct disks capture = DISKS_INIT;

	if (fd < 0)
		return err_sys(err, errno, "%s", folder);
	disks_add_file(&capture, fd);
	for (size_t i = 0; i < target->ndevices; i++) {
		auto_disks struct disks traced = DISKS_INIT;
		dev_t disk;

		disks_add_device(&traced, target->devices[i].number);
		disk = disks_common(&capture, &traced);
		if (disk)
			return refuse(folder, &target->devices[i], disk, err);
	}
	return 0;
}

int capture_place_check_output(const char *output, struct err *err)
{
	struct stat st;

	if (!output)
		return 0;
	if (stat(output, &st) < 0)
		return err_usage(err, "output=%s: %s", output, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return err_usage(err, "output=%s is no folder", output);
	if (access(output, W_OK | X_OK) < 0)
		return err_sys(err, errno, "output=%s: writing there", output);
	return 0;
}

int capture_place_make_folder(const char *run_folder, int run_folder_fd, char **out,
			      struct err *err)
{
	char *path = files_join(run_folder, "trace");
	int rc;

	if (mkdirat(run_folder_fd, "trace", 0755) < 0 && errno != EEXIST) {
		rc = err_sys(err, errno, "%s", path);
		free(path);
		return rc;
	}
	files_give_to_sudo_user(path);
	*out = path;
	return 0;
}
