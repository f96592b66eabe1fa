// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_KBUILD_UNPACK_H
#define BRUNT_WORKLOADS_KBUILD_UNPACK_H

#include "base/err.h"
#include "workloads/workload.h"

/*
 * Unpacks a tarball into a new folder, which is there whole or not at all: tar writes beside it,
 * and it is renamed when all is on the disk. -EINTR after an interrupt. Progress goes to
 * site->tell.
 */
int kbuild_unpack(const char *tarball, const char *folder, const struct workload_site *site,
		  struct err *err);

#endif
