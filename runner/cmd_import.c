// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/set.h"
#include "runner/command.h"
#include "runner/import_file.h"
#include "runner/message.h"

static const char *const usage[] = {
	"brunt import FILE... [--as FORMAT] [-l LABEL] [-c CONFIG] [-o SET]      - is stdin",
	NULL,
};

static const struct option_spec options_table[] = {
	{ "as", 0, "FORMAT", "what the files hold, where that is not found out by itself" },
	{ "label", 'l', "LABEL", "what the results are of, as a rule the kernel" },
	{ "config", 'c', "CONFIG", "the configuration that they are of" },
	{ "output", 'o', "SET", "the set to add to (brunt-results/import-<time>)" },
	{ 0 },
};

static void more_help(struct buf *out)
{
	buf_add(out, "\nFormats, asked in this order:\n");
	for (size_t i = 0; parsers[i]; i++)
		buf_addf(out, "  %-10s %s\n", parsers[i]->name, parsers[i]->summary);
	buf_add(out,
		"\nMails and pages of their archives are read as they are. Figures that can be\n"
		"read in two ways are left out; what was read and what was not is said on stderr.\n"
		"Without -l results have the labels of the text, or the name of the file.\n"
		"\nexit status: 0 ok, 1 nothing recognised or another failure, 2 usage\n");
}

static int read_format(const struct options *options, const struct parser **as, struct err *err)
{
	const char *name = options_get(options, "as"), *names[64], *nearest;
	size_t n = 0;

	*as = NULL;
	if (!name)
		return 0;
	*as = parser_find(name);
	if (*as)
		return 0;
	while (n < ARRAY_SIZE(names) && parsers[n]) {
		names[n] = parsers[n]->name;
		n++;
	}
	nearest = words_nearest(name, names, n);
	if (nearest)
		return err_usage(err, "there is no format '%s'; did you mean '%s'?", name, nearest);
	return err_usage(err, "there is no format '%s'; see brunt list parsers", name);
}

static int write_set(const struct options *options, struct import *import, struct err *err)
{
	const char *given = options_get(options, "output");
	auto_free char *path = given ? xstrdup(given) : set_default_path("import");
	struct set *set;
	int rc;

	rc = set_open(path, true, &set, err);
	if (rc)
		return rc;
	rc = set_import(set, import->sessions, import->runs, import->summaries, err);
	if (rc)
		set_discard_unused(set);
	else
		message("the results are in %s", path);
	set_close(set);
	return rc;
}

static int check_names(const struct import_names *names, struct err *err)
{
	if (names->label && !*names->label)
		return err_usage(err, "--label is empty");
	if (names->config && !*names->config)
		return err_usage(err, "--config is empty");
	return 0;
}

/* ---- signals ---- */

enum { SIGNALS = 3 };
static const int signals[SIGNALS] = { SIGINT, SIGTERM, SIGHUP };

/* Until something is written there is nothing to end in order: a signal may just end us. */
static void let_signals_end(struct sigaction *kept)
{
	struct sigaction plain = { .sa_handler = SIG_DFL };

	for (size_t i = 0; i < SIGNALS; i++)
		if (!sigaction(signals[i], NULL, &kept[i]) && kept[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &plain, NULL);
}

static void take_signals_back(const struct sigaction *kept)
{
	for (size_t i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &kept[i], NULL);
}

/* ---- the command ---- */

static int run(const struct options *options, int *status, struct err *err)
{
	struct sigaction kept[SIGNALS] = { 0 };
	struct import_names names = { options_get(options, "label"),
				      options_get(options, "config") };
	const struct parser *as;
	struct import import;
	int rc;

	(void)status;
	if (!options->arguments.n || options->has_rest)
		return err_usage(err, "import takes files; see brunt import --help");
	rc = check_names(&names, err);
	if (!rc)
		rc = read_format(options, &as, err);
	if (rc)
		return rc;
	import_init(&import);
	let_signals_end(kept);
	/* all of them or none: half an import is a comparison of something else */
	for (size_t i = 0; !rc && i < options->arguments.n; i++)
		rc = import_file(options->arguments.v[i], as, &names, &import, err);
	take_signals_back(kept);
	if (!rc)
		rc = write_set(options, &import, err);
	import_release(&import);
	return rc;
}

const struct command command_import = {
	.name = "import",
	.summary = "results of other tools, from their output, mails and logs, as a set",
	.usage = usage,
	.options = options_table,
	.more_help = more_help,
	.run = run,
};
