// SPDX-License-Identifier: GPL-3.0-or-later
#include "parsers/contents.h"

#include <stdint.h>
#include <string.h>

/* Bytes that one of the words begins with. */
enum { BEGINS_WORD = 256 };

static const uint16_t kinds[256] = {
	['0' ... '9'] = HAS_DIGIT,
	['A' ... 'Q'] = HAS_LETTER,
	['R' ... 'U'] = HAS_LETTER | BEGINS_WORD,
	['V' ... 'Z'] = HAS_LETTER,
	['a' ... 'q'] = HAS_LETTER,
	['r' ... 'u'] = HAS_LETTER | BEGINS_WORD,
	['v' ... 'z'] = HAS_LETTER,
	[0x80 ... 0xff] = HAS_LETTER,
	[':'] = HAS_COLON,
	['='] = HAS_COLON,
	['*'] = HAS_STAR,
};

/* Four letters as they lie in memory; a letter differs from its capital by 0x20. */
static uint32_t letters(const char *s)
{
	uint32_t four;

	memcpy(&four, s, sizeof(four));
	return four | 0x20202020;
}

static unsigned int word_at(const char *s, const char *end)
{
	static const struct {
		char text[4];
		unsigned int flag;
	} words[] = { { "real", HAS_REAL }, { "user", HAS_USER }, { "time", HAS_TIME } };

	if (end - s >= 3 && (s[0] | 0x20) == 's' && (s[1] | 0x20) == 'y' && (s[2] | 0x20) == 's')
		return HAS_SYS;
	if (end - s < 4)
		return 0;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (letters(s) == letters(words[i].text))
			return words[i].flag;
	return 0;
}

unsigned int contents_of(struct slice text)
{
	const char *end = text.s + text.len;
	unsigned int has = 0;

	for (const char *s = text.s; s < end; s++) {
		unsigned int kind = kinds[(unsigned char)*s];

		has |= kind;
		if (kind & BEGINS_WORD)
			has |= word_at(s, end);
	}
	return has & ~(unsigned int)BEGINS_WORD;
}
