// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_OPTIONS_H
#define BRUNT_WORKLOADS_STORM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/keys.h"
#include "base/words.h"
#include "workloads/device_spec.h"

#define STORM_MAX_REPEAT 1000000

/* The keys of a storm, and what they mean once read. */
extern const struct key_spec storm_keys[];

enum storm_cache {
	STORM_CACHE_COLD,	 /* the devices' page cache is dropped */
	STORM_CACHE_WARM,	 /* one cycle went before */
	STORM_CACHE_COLD_SYSTEM, /* the whole machine's page cache is dropped */
};

/* mount_options as mount(2) takes them. */
struct storm_mount {
	unsigned long flags; /* MS_NOATIME ... */
	char *data;	     /* what the file system itself reads; NULL: nothing */
	char *text;	     /* all of them for mount(8); NULL: none */
};

struct storm_options {
	char *fs; /* of storm_fs.h */
	struct device_spec devices;
	unsigned int block_size; /* bytes, of the file system */
	bool lazy, discard;
	struct words mkfs;	 /* mkfs_options without -E */
	char *extended;		 /* what stood behind -E; NULL: nothing */
	struct storm_mount mount;
	uint64_t fill;		 /* bytes; 0: no file is written */
	uint32_t repeat;	 /* cycles a device and run */
	int64_t min_run_ns;	 /* 0: not given */
	int64_t deadline_ns;	 /* of a run; 0: not given */
	bool mount_program;	 /* mount(8) and umount(8) */
	bool host_ns;
	bool lockstep;		 /* all devices go through a phase before the next begins */
	uint32_t parallel;	 /* devices at work at a time; 0: all */
	char *trace;		 /* as workloads/traced.h has it */
	char *cpus;		 /* "all", "local" (to each device), or a list */
	enum storm_cache cache;
};

/* Reads keys that keys_check() found right. The caller releases *out. */
int storm_options_read(const struct keys *keys, struct storm_options *out, struct err *err);
void storm_options_release(struct storm_options *options);

/*
 * mkfs_options of mke2fs, split and judged: nothing in it may name a device or take back what brunt
 * says itself. What stands behind -E is taken out into *extended, because mke2fs heeds only the
 * last -E of a line.
 */
int storm_mkfs_options(const char *text, struct words *rest, char **extended, struct err *err);

/* mount_options ("noatime,data=journal"; '+' separates as well). */
int storm_mount_options(const char *text, struct storm_mount *out, struct err *err);
void storm_mount_release(struct storm_mount *mount);

#endif
