// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_LIST_DEVICES_H
#define BRUNT_RUNNER_LIST_DEVICES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"

/* The devices of machine/disk_list.h as a table, with why one is not fit on a line of its own. */
void list_devices_add(const json_t *devices, bool details, struct buf *out);

#endif
