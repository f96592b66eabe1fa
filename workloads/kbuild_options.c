// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/kbuild_options.h"

#include <errno.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/files.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "workloads/kbuild_make.h"

enum { OPTIMAL_A_CPU = 4, JOBS_MAX = 100000 };
#define ROOM_IN_MEMORY (2ULL << 30) /* what a memory file system has to have to be chosen */

static int check_jobs(const char *value, struct err *err);

/* Without a slash it names targets of make. */
static char *absolute_config(const char *value)
{
	return strchr(value, '/') ? files_absolute(value) : xstrdup(value);
}

const struct key_spec kbuild_keys[] = {
	{ "source", KEY_STRING, .values = "TREE|TARBALL",
	  .absolute = files_absolute,
	  .summary = "kernel source; not written to (the newest linux-source package)" },
	{ "config", KEY_STRING, "tinyconfig", "TARGET|FILE",
	  .absolute = absolute_config,
	  .summary = "targets of make that configure, joined by +, or a file" },
	{ "target", KEY_LIST, .values = "TARGET+...",
	  .summary = "what is built and timed, as kernel/sched/+fs/ext4/ (the image)" },
	{ "jobs", KEY_STRING, "cpus", "N|half|cpus|optimal|max", .check = check_jobs,
	  .summary = "of make; optimal is 4 a CPU, max has no limit" },
	{ "dir", KEY_STRING, .values = "DIR", .absolute = files_absolute,
	  .summary = "where the build folder is made (memory where there is room, else /tmp)" },
	{ "cache", KEY_ENUM, "warm", "warm|cold-system",
	  .summary = "sources read first, or the whole page cache dropped before each run" },
	{ 0 },
};

static unsigned int count_cpus(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t mine;

	if (sched_getaffinity(0, sizeof(mine), &mine) == 0)
		cpus = CPU_COUNT(&mine);
	return cpus > 0 ? (unsigned int)cpus : 1;
}

static int read_jobs(const char *value, unsigned int *out, struct err *err)
{
	unsigned int cpus = count_cpus();
	uint64_t n;

	if (!strcmp(value, "half"))
		*out = cpus > 1 ? cpus / 2 : 1;
	else if (!strcmp(value, "cpus"))
		*out = cpus;
	else if (!strcmp(value, "optimal"))
		*out = OPTIMAL_A_CPU * cpus;
	else if (!strcmp(value, "max"))
		*out = 0;
	else if (strpbrk(value, ",+"))
		return err_usage(err, "jobs=%s: several values are points of a sweep: --sweep "
				      "jobs=half,max", value);
	else if (units_parse_u64(value, &n) || n < 1 || n > JOBS_MAX)
		return err_usage(err, "jobs=%s: give a number from 1 to %d, half, cpus, optimal "
				      "or max", value, JOBS_MAX);
	else
		*out = (unsigned int)n;
	return 0;
}

static int check_jobs(const char *value, struct err *err)
{
	unsigned int jobs;

	return read_jobs(value, &jobs, err);
}

/* What stands as a word of make's command line must not be an option or set a variable. */
static int check_target(const char *key, const char *target, struct err *err)
{
	if (!*target || *target == '-' || strpbrk(target, "= \t\n"))
		return err_usage(err, "%s: '%s' is no target of make", key, target);
	return 0;
}

static int read_config(const char *value, struct kbuild_options *options, struct err *err)
{
	int rc = 0;

	struct stat st;

	options->config = value;
	if (strchr(value, '/')) {
		options->config_file = realpath(value, NULL);
		if (!options->config_file)
			return err_usage(err, "config=%s: %s", value, strerror(errno));
		if (stat(options->config_file, &st) < 0 || !S_ISREG(st.st_mode) || !st.st_size)
			return err_usage(err, "config=%s is no file with a configuration in it",
					 value);
		if (access(options->config_file, R_OK) < 0)
			return err_usage(err, "config=%s: %s", value, strerror(errno));
		return 0;
	}
	words_split_at(value, '+', &options->configs);
	for (size_t i = 0; !rc && i < options->configs.n; i++)
		rc = check_target("config", options->configs.v[i], err);
	return rc;
}

static int read_targets(const char *value, struct kbuild_options *options, struct err *err)
{
	int rc = 0;

	if (!value)
		return 0;
	words_split_at(value, '+', &options->targets);
	for (size_t i = 0; !rc && i < options->targets.n; i++)
		rc = check_target("target", options->targets.v[i], err);
	return rc;
}

/* A memory file system with room, on which programs may be executed. */
static bool is_good_memory(const char *folder)
{
	struct statvfs vfs;
	struct statfs fs;

	return statfs(folder, &fs) == 0 && fs.f_type == TMPFS_MAGIC && statvfs(folder, &vfs) == 0 &&
	       !(vfs.f_flag & ST_NOEXEC) && access(folder, W_OK | X_OK) == 0 &&
	       (uint64_t)vfs.f_bavail * vfs.f_frsize >= ROOM_IN_MEMORY;
}

static int read_folder(const char *value, struct kbuild_options *options, struct err *err)
{
	const char *temporary = getenv("TMPDIR");
	struct statvfs vfs;
	struct stat st;

	if (!value)
		value = is_good_memory("/dev/shm") ? "/dev/shm" :
			temporary && *temporary	   ? temporary :
						     "/tmp";
	if (stat(value, &st) == 0 && !S_ISDIR(st.st_mode))
		return err_usage(err, "dir=%s is no folder", value);
	options->folder = realpath(value, NULL);
	if (!options->folder)
		return err_usage(err, "dir=%s: %s", value, strerror(errno));
	if (access(options->folder, W_OK | X_OK) < 0)
		return err_usage(err, "dir=%s: %s", value, strerror(errno));
	if (statvfs(options->folder, &vfs) == 0 && (vfs.f_flag & ST_NOEXEC))
		return err_usage(err, "dir=%s is mounted noexec, and a kernel build runs programs "
				      "that it made", value);
	return kbuild_path_check("dir", options->folder, err);
}

int kbuild_options_read(const struct keys *keys, struct kbuild_options *out, struct err *err)
{
	int rc;

	*out = (struct kbuild_options){ .source = keys_get(keys, "source") };
	out->cold = !strcmp(keys_text(keys, kbuild_keys, "cache"), "cold-system");
	rc = read_config(keys_text(keys, kbuild_keys, "config"), out, err);
	if (!rc)
		rc = read_targets(keys_get(keys, "target"), out, err);
	if (!rc)
		rc = read_jobs(keys_text(keys, kbuild_keys, "jobs"), &out->jobs, err);
	if (!rc)
		rc = read_folder(keys_get(keys, "dir"), out, err);
	if (!rc && out->cold && access("/proc/sys/vm/drop_caches", W_OK) < 0)
		rc = err_missing(err, "cache=cold-system: root is needed to drop the page cache");
	if (rc)
		kbuild_options_release(out);
	return rc;
}

void kbuild_options_release(struct kbuild_options *options)
{
	words_release(&options->configs);
	words_release(&options->targets);
	free(options->config_file);
	free(options->folder);
	*options = (struct kbuild_options){ 0 };
}
