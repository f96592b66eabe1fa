// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_CONTENTS_H
#define BRUNT_PARSERS_CONTENTS_H

#include "parsers/lines.h"

/*
 * What stands anywhere in a line, from one look at its bytes: most lines of a large text can be
 * left alone by that. Words are found whatever their case, and inside of others.
 */
enum {
	HAS_DIGIT = 1,
	HAS_LETTER = 2, /* or a byte beyond ASCII */
	HAS_COLON = 4,	/* or '=' */
	HAS_STAR = 8,
	HAS_REAL = 16,
	HAS_USER = 32,
	HAS_SYS = 64,
	HAS_TIME = 128,
};

unsigned int contents_of(struct slice text);

#endif
