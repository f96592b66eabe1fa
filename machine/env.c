// SPDX-License-Identifier: GPL-3.0-or-later
#include <ctype.h>
#include <string.h>

#include "machine/setting.h"

extern const struct setting setting_env;

static int env_check(const char *key, const char *value, struct err *err)
{
	(void)value; /* any text can stand in the environment */
	if (isdigit((unsigned char)*key) ||
	    key[strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")])
		return err_usage(err, "env.%s: '%s' is no name of an environment variable", key,
				 key);
	return 0;
}

const struct setting setting_env = {
	.name = "env",
	.summary = "a variable of the environment that the work runs in, as env.MAKEFLAGS=-j4",
	.check = env_check,
};
