// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_CAPTURE_PLACE_H
#define BRUNT_TRACERS_CAPTURE_PLACE_H

#include "base/err.h"
#include "machine/target.h"

/*
 * Where a capture is written while the work goes on: the run's folder in the set, or the folder
 * that the user names.
 *
 * It must not be written to what is traced, nor to the disk that holds the files behind traced
 * loop devices: the capture would be part of what is measured. Status 5 and 2, with the disk and
 * a way out. Memory (tmpfs) is no disk: files there are fine with every capture, and a capture
 * there is fine with all devices.
 */
int capture_place_check(const char *folder, const struct target *target, struct err *err);

/* Is the folder of output= one that can be written to? Status 2; NULL is fine. */
int capture_place_check_output(const char *output, struct err *err);

/*
 * Makes the folder `trace` in the run's folder, for what is kept of a trace; one that exists is
 * fine. Its path belongs to the caller.
 */
int capture_place_make_folder(const char *run_folder, int run_folder_fd, char **path,
			      struct err *err);

#endif
