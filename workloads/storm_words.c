// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_words.h"

#include <stdbool.h>
#include <string.h>

#include "base/xalloc.h"

static bool starts(const char *line, size_t n, const char *with)
{
	return n >= strlen(with) && !memcmp(line, with, strlen(with));
}

/* Lines that stand before the reason, or are a consequence of it. */
static bool is_noise(const char *line, size_t n)
{
	static const char *const beginnings[] = {
		"mke2fs 1.", "Usage:", "Warning", "WARNING", "128-byte inodes", "Proceed anyway",
		"Using EXT2FS", "(In some cases", "btrfs-progs v", "See http", "NOTE:", "Phase ",
		"        - ", "Opening filesystem", "Checking filesystem", "UUID:", "[",
	};
	static const char contains[] = " file system";

	for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
		if (starts(line, n, beginnings[i]))
			return true;
	return n > strlen(contains) && memmem(line, n, " contains a", 11) &&
	       !memcmp(line + n - strlen(contains), contains, strlen(contains));
}

/* The first line that is not blank, and, if only_reason, no noise; NULL: none. */
static const char *find_line(const char *words, bool only_reason, size_t *len)
{
	size_t n;

	for (const char *p = words; *p; p += n + (p[n] != '\0')) {
		n = strcspn(p, "\n");
		*len = n;
		while (*len && strchr(" \t\r.", p[*len - 1]))
			--*len;
		if (*len && !(only_reason && is_noise(p, *len)))
			return p;
	}
	return NULL;
}

/* A line that begins with blanks goes on with the one before. */
static void add_continuation(const char *line, struct buf *out)
{
	size_t blanks, n;

	for (;;) {
		line += strcspn(line, "\n");
		line += *line == '\n';
		blanks = strspn(line, " \t");
		n = strcspn(line, "\n");
		if (!blanks || blanks == n || is_noise(line + blanks, n - blanks))
			return;
		buf_addc(out, ' ');
		buf_addn(out, line + blanks, n - blanks);
	}
}

void storm_words_add_reason(const char *words, struct buf *out)
{
	const char *line = NULL;
	size_t len, blanks;

	if (words)
		line = find_line(words, true, &len);
	if (words && !line)
		line = find_line(words, false, &len);
	if (!line)
		return;
	blanks = strspn(line, " \t");
	buf_add(out, ": ");
	buf_addn(out, line + blanks, len - blanks);
	add_continuation(line, out);
	while (strchr(" \t\r.", out->s[out->len - 1]))
		out->s[--out->len] = '\0';
}
