// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * What terminals and word processors put between the characters: colours and other escapes of
 * terminals, the mark of UTF-8, blanks that do not break. Lines stay lines.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/plain_parts.h"

#define MARK "\xef\xbb\xbf"

enum { ESCAPE = 0x1b, BELL = 0x07 };

/* Bytes of the escape at the head; *moves: it leaves a place, so that what follows is apart. */
static size_t escape_length(struct slice rest, bool *moves)
{
	size_t n = 2;

	*moves = false;
	if (rest.len < 2)
		return rest.len;
	if (rest.s[1] == '[') { /* ESC [ 1 ; 31 m */
		while (n < rest.len && rest.s[n] >= 0x20 && rest.s[n] < 0x40)
			n++;
		if (n == rest.len || rest.s[n] == '\n')
			return n;
		*moves = rest.s[n] != 'm' && rest.s[n] != 'K';
		return n + 1;
	}
	if (rest.s[1] == ']') { /* ESC ] title BEL */
		while (n < rest.len && rest.s[n] != BELL && rest.s[n] != '\n' &&
		       rest.s[n] != ESCAPE)
			n++;
		return n < rest.len && rest.s[n] == BELL ? n + 1 : n;
	}
	if (rest.s[1] == '(' && rest.len > 2 && rest.s[2] != '\n') /* ESC ( B */
		return 3;
	return rest.s[1] == '\n' ? 1 : 2;
}

static bool has_hard_blank(struct slice text)
{
	const char *at;

	while (text.len && (at = memchr(text.s, 0xc2, text.len))) {
		text = slice_from(text, at);
		if (slice_blank(text))
			return true;
		text = slice_from(text, at + 1);
	}
	return false;
}

static bool is_clean(struct slice text)
{
	return !slice_starts(text, MARK) && !slice_has(text, ESCAPE) && !has_hard_blank(text);
}

/* to has room for all of text and may be where it stands. */
static size_t clean(struct slice text, char *to)
{
	size_t n = 0, at = slice_starts(text, MARK) ? strlen(MARK) : 0;
	bool moves;

	while (at < text.len) {
		struct slice rest = slice_from(text, text.s + at);

		if (rest.s[0] == ESCAPE) {
			at += escape_length(rest, &moves);
			if (moves)
				to[n++] = ' ';
		} else if (rest.s[0] == '\xc2' && slice_blank(rest)) {
			to[n++] = ' ';
			at += 2;
		} else {
			to[n++] = text.s[at++];
		}
	}
	return n;
}

static bool has_open_line(struct slice text)
{
	return text.len && text.s[text.len - 1] != '\n';
}

int plain_clean(struct plain *plain)
{
	struct slice text = { plain->text, plain->len };
	bool open = has_open_line(text);

	if (is_clean(text))
		return 0;
	if (!plain->own) {
		plain->own = malloc(plain->len);
		if (!plain->own)
			return -ENOMEM;
	}
	plain->len = clean(text, plain->own);
	plain->text = plain->own;
	/* a last line that was nothing but escapes is none */
	if (plain->nlines && open && !has_open_line((struct slice){ plain->text, plain->len }))
		plain->nlines--;
	return 0;
}
