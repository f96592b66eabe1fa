// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_TIME_DURATION_H
#define BRUNT_PARSERS_TIME_DURATION_H

#include <stdbool.h>
#include <stddef.h>

#include "parsers/lines.h"

/* A time as shells and time programs print it, with decimal point or comma. */
enum duration_form {
	DURATION_BARE,	  /* 1.23 */
	DURATION_SECONDS, /* 1.23s */
	DURATION_MINUTES, /* 0m1.234s, 0m 1.23s, 1h 2m 03s */
	DURATION_COLONS,  /* 1:02.33, 1:02:33 */
};

struct duration {
	double seconds;
	double half_step; /* half of the last printed digit's step, in seconds */
	enum duration_form form;
	unsigned int decimals;
	bool grouped;	   /* 1,234: may as well be one thousand and so many */
	size_t len;	   /* bytes it takes */
	const char *wrong; /* why it is no time (0m64.5s), else NULL */
};

/* The longest time at the head of text. False: there is none. */
bool duration_read(struct slice text, struct duration *out);

/* The whole word is a bare time and then suffix: "0.76s" with "s", "1:02.3elapsed". */
bool duration_with(struct slice word, const char *suffix, struct duration *out);

#endif
