// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/files.h"
#include "machine/block_device.h"

int io_cpus_parse(const char *list, cpu_set_t *out)
{
	cpu_set_t cpus;
	char *end;

	CPU_ZERO(&cpus);
	while (*list) {
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (end == list)
			return -EINVAL;
		if (*end == '-') {
			list = end + 1;
			last = strtoul(list, &end, 10);
			if (end == list)
				return -EINVAL;
		}
		if ((*end && *end != ',') || last < first || last >= CPU_SETSIZE)
			return -EINVAL;
		for (; first <= last; first++)
			CPU_SET(first, &cpus);
		list = *end ? end + 1 : end;
	}
	*out = cpus;
	return 0;
}

/* -1: none, or not the same for all. */
static int common_node(const struct target_device *devices, size_t count)
{
	int node = -1, other;
	char line[32];

	for (size_t i = 0; i < count; i++) {
		if (block_device_attribute(devices[i].name, "device/numa_node", line, sizeof(line)) ||
		    sscanf(line, "%d", &other) != 1)
			return -1;
		if (i && other != node)
			return -1;
		node = other;
	}
	return node;
}

static int read_node(int node, cpu_set_t *out)
{
	char path[64], line[4096];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
	if (files_read_line_at(AT_FDCWD, path, line, sizeof(line)))
		return -ENOENT;
	return io_cpus_parse(line, out);
}

unsigned int io_cpus_find(const struct target_device *devices, size_t count, cpu_set_t *out)
{
	int node = common_node(devices, count);
	cpu_set_t allowed, near;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0) {
		CPU_ZERO(&allowed);
		CPU_SET(0, &allowed);
	}
	*out = allowed;
	if (node >= 0 && !read_node(node, &near)) {
		CPU_AND(&near, &near, &allowed);
		if (CPU_COUNT(&near))
			*out = near;
	}
	return (unsigned int)CPU_COUNT(out);
}
