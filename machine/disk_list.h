// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_DISK_LIST_H
#define BRUNT_MACHINE_DISK_LIST_H

#include <jansson.h>

#include "base/err.h"

/*
 * The block devices that there are, partitions too, or those that a word names, as
 * disk_names_expand() takes it (a usage error where it names none), and what the guard thinks of
 * each: an array of {name, path, links [], wwid, serial, model, transport, shared, numa_node,
 * size_bytes, scheduler, partition_of, fit, why}; unknown is null. fit: nothing but --destroy is
 * missing. Of all, those that are not set up (unbound loop devices) are left out. Reads from the
 * devices, in children with a deadline; writes nothing. *out belongs to the caller.
 */
int disk_list(const char *word, json_t **out, struct err *err);

#endif
