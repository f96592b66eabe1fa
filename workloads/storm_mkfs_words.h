// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_MKFS_WORDS_H
#define BRUNT_WORKLOADS_STORM_MKFS_WORDS_H

#include "base/err.h"
#include "base/words.h"

/*
 * mkfs_options of xfs and btrfs, split and judged: only options that are known to be harmless pass,
 * none that names a file or another device, and none that brunt says itself. *extended is set to
 * NULL, which is mke2fs's.
 */
int storm_mkfs_words_xfs(const char *text, struct words *rest, char **extended, struct err *err);
int storm_mkfs_words_btrfs(const char *text, struct words *rest, char **extended,
			   struct err *err);

#endif
