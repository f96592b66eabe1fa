// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/cpu_list.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"

#define WORD_BITS (8 * sizeof(unsigned long))

static int parse_number(const char **p, unsigned long *out)
{
	char *end;

	if (**p < '0' || **p > '9')
		return -EINVAL;
	errno = 0;
	*out = strtoul(*p, &end, 10);
	*p = end;
	return errno || *out >= CPU_LIST_MAX ? -ERANGE : 0;
}

int cpu_list_parse(const char *text, struct cpu_list *out)
{
	struct cpu_list list = { { 0 } };
	unsigned long from, to;
	const char *p = text;
	int rc;

	for (;;) {
		rc = parse_number(&p, &from);
		to = from;
		if (!rc && *p == '-') {
			p++;
			rc = parse_number(&p, &to);
		}
		if (rc)
			return rc;
		if (to < from || (*p && *p != ',' && *p != '+'))
			return -EINVAL;
		for (unsigned long cpu = from; cpu <= to; cpu++)
			list.bits[cpu / WORD_BITS] |= 1UL << cpu % WORD_BITS;
		if (!*p++)
			break;
	}
	*out = list;
	return 0;
}

int cpu_list_of_node(int node, struct cpu_list *out)
{
	char path[80], line[4096];
	int rc;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
	rc = files_read_line_at(AT_FDCWD, path, line, sizeof(line));
	return rc ? rc : cpu_list_parse(line, out);
}

int cpu_list_allowed(struct cpu_list *out)
{
	struct cpu_list list = { { 0 } };

	if (sched_getaffinity(0, sizeof(list.bits), (cpu_set_t *)(void *)list.bits) < 0)
		return -errno;
	*out = list;
	return 0;
}

bool cpu_list_keep(struct cpu_list *list, const struct cpu_list *other)
{
	unsigned long any = 0;

	for (size_t i = 0; i < sizeof(list->bits) / sizeof(*list->bits); i++)
		any |= list->bits[i] &= other->bits[i];
	return any != 0;
}

int cpu_list_apply(const struct cpu_list *list)
{
	if (sched_setaffinity(0, sizeof(list->bits), (const cpu_set_t *)(const void *)list->bits) < 0)
		return -errno;
	return 0;
}
