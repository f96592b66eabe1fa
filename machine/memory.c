// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/units.h"
#include "machine/cgroup_limit.h"

/* The number behind "FIELD:" at the start of a line: "SwapTotal:        0 kB". */
static int find_field(char *text, const char *field, uint64_t *kib)
{
	size_t len = strlen(field);

	for (char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, field, len) != 0 || line[len] != ':')
			continue;
		line += len + 1;
		line += strspn(line, " \t");
		line[strcspn(line, " \n")] = '\0';
		return units_parse_u64(line, kib);
	}
	return -ENOENT;
}

int memory_field(const char *field, uint64_t *bytes)
{
	auto_buf struct buf text = BUF_INIT;
	uint64_t kib;
	int rc;

	rc = files_read_at(AT_FDCWD, "/proc/meminfo", 1 << 16, &text);
	if (!rc)
		rc = find_field(text.s, field, &kib);
	if (rc)
		return rc;
	*bytes = kib * 1024;
	return 0;
}

uint64_t memory_available(void)
{
	uint64_t bytes, limit = cgroup_limit_memory();

	if (memory_field("MemAvailable", &bytes))
		return 0;
	return bytes < limit ? bytes : limit;
}
