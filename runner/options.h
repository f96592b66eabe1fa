// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_OPTIONS_H
#define BRUNT_RUNNER_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/words.h"

/*
 * Options of a command, from one table that parser, help and completion share. Long names match
 * exactly; "--name VALUE", "--name=VALUE", "-x VALUE" and "-xVALUE" are the same.
 */
struct option_spec {
	const char *name;    /* without the dashes */
	char letter;	     /* 0: none */
	const char *arg;     /* NULL: takes no value; else its name in help, as "N" */
	const char *summary;
	bool repeatable;     /* takes one value each time; all others may stand once */
};

struct option_value {
	const struct option_spec *spec;
	const char *value; /* points into argv; NULL where the option takes none */
};

struct options {
	struct option_value *v;
	size_t n, cap;
	struct words arguments; /* what is no option, before "--" */
	struct words rest;	/* what stands behind "--" */
	bool has_rest;
};

/* Reads argv[0..argc). specs ends with a NULL name. Usage errors name the command. */
int options_parse(const char *command, const struct option_spec *specs, int argc, char **argv,
		  struct options *out, struct err *err);
void options_release(struct options *options);

/* The last value given for name; NULL where it was not given (or takes none: then ""). */
const char *options_get(const struct options *options, const char *name);
bool options_has(const struct options *options, const char *name);

/* A whole number in min..max; otherwise is left in *out where the option was not given. */
int options_number(const struct options *options, const char *name, unsigned long min,
		   unsigned long max, unsigned int *out, struct err *err);
#define PERCENT_MAX 1000000
/* 0 <= percentage < limit. A change has no end at 100 %: PERCENT_MAX is for those. */
int options_percent(const struct options *options, const char *name, double limit, double *out,
		    struct err *err);

/* The option lines of a help text. */
void options_help(const struct option_spec *specs, struct buf *out);

#endif
