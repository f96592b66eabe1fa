// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracers/comm_names.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/xalloc.h"

struct comm {
	uint32_t pid;
	const char *name; /* inside text */
};

struct comm_names {
	struct buf text;
	struct comm *v;
	size_t n, cap;
	char last[64]; /* a name from /proc */
};

static int compare(const void *a, const void *b)
{
	uint32_t x = ((const struct comm *)a)->pid, y = ((const struct comm *)b)->pid;

	return (x > y) - (x < y);
}

/* "1234 kworker/u4:1": a name may hold blanks. */
static void add_line(struct comm_names *names, char *line)
{
	char *name;
	unsigned long pid = strtoul(line, &name, 10);

	if (name == line || *name != ' ')
		return;
	GROW(names->v, names->n, names->cap);
	names->v[names->n++] = (struct comm){ .pid = (uint32_t)pid, .name = name + 1 };
}

struct comm_names *comm_names_read(int tracefs)
{
	struct comm_names *names = xcalloc(1, sizeof(*names));
	char *line, *rest;

	if (files_read_at(tracefs, "saved_cmdlines", 64 << 20, &names->text))
		buf_clear(&names->text);
	rest = names->text.s;
	while ((line = strsep(&rest, "\n")))
		add_line(names, line);
	if (names->n)
		qsort(names->v, names->n, sizeof(*names->v), compare);
	return names;
}

void comm_names_free(struct comm_names *names)
{
	if (!names)
		return;
	buf_release(&names->text);
	free(names->v);
	free(names);
}

const char *comm_names_get(struct comm_names *names, uint32_t pid)
{
	const struct comm key = { .pid = pid }, *found;
	char path[64];

	if (!pid)
		return "swapper";
	found = names->n ? bsearch(&key, names->v, names->n, sizeof(key), compare) : NULL;
	if (found)
		return found->name;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/comm", pid);
	if (files_read_line_at(AT_FDCWD, path, names->last, sizeof(names->last)))
		return NULL;
	return names->last;
}
