// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdio.h>

#include "machine/undo.h"
#include "runner/command.h"
#include "runner/message.h"

static const char *const usage[] = {
	"brunt clean [--dry-run]",
	NULL,
};

static const struct option_spec options_table[] = {
	{ "dry-run", 0, NULL, "say what would be undone, and undo nothing" },
	{ 0 },
};

static void print_line(void *arg, const char *text)
{
	(void)arg;
	printf("%s\n", text);
}

static void more_help(struct buf *out)
{
	buf_add(out, "\nexit status: 0 nothing is left, 1 something is, or failure, 2 usage,\n"
		     "5 refused: the journals belong to somebody else\n");
}

static int run(const struct options *options, int *status, struct err *err)
{
	bool dry = options_has(options, "dry-run");
	size_t left = 0;
	int rc;

	if (options->arguments.n)
		return err_usage(err, "clean takes no arguments");
	rc = undo_clean(dry, print_line, NULL, &left, err);
	if (rc)
		return rc;
	if (left && !dry)
		message("%zu things could not be undone; brunt clean again tries once more", left);
	*status = left && !dry ? EXIT_FAILED : EXIT_OK;
	return 0;
}

const struct command command_clean = {
	.name = "clean",
	.summary = "undo what a killed run left; nothing of others is touched",
	.usage = usage,
	.options = options_table,
	.more_help = more_help,
	.run = run,
};
