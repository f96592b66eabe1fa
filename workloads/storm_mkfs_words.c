// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/storm_mkfs_words.h"

#include <stdbool.h>
#include <string.h>

#include "base/xalloc.h"

struct option {
	const char *name;  /* "-d", "--csum" */
	bool argument;
	const char *refused; /* why it cannot be given; NULL: it can */
};

/* What an argument must not begin with, at its start or behind a comma. */
static const char *const refused_parts[] = {
	"name=", "file", "logdev=", "rtdev=", "uuid=", "internal=0",
};

static const struct option xfs_options[] = {
	{ "-d", true, NULL }, { "-i", true, NULL }, { "-l", true, NULL }, { "-L", true, NULL },
	{ "-m", true, NULL }, { "-n", true, NULL }, { "-s", true, NULL },
	{ "-b", true, "say block_size=SIZE" },
	{ "-K", false, "say discard=no" },
	{ "-f", false, "brunt says it already" },
	{ "-q", false, "brunt says it already" },
	{ "-N", false, "nothing would be made" },
	{ NULL },
};

static const struct option btrfs_options[] = {
	{ "-d", true, NULL }, { "-m", true, NULL }, { "-n", true, NULL }, { "-O", true, NULL },
	{ "-R", true, NULL }, { "-L", true, NULL }, { "-M", false, NULL },
	{ "--data", true, NULL }, { "--metadata", true, NULL }, { "--mixed", false, NULL },
	{ "--nodesize", true, NULL }, { "--features", true, NULL }, { "--csum", true, NULL },
	{ "--checksum", true, NULL }, { "--runtime-features", true, NULL }, { "--label", true, NULL },
	{ "-s", true, "say block_size=SIZE" },
	{ "--sectorsize", true, "say block_size=SIZE" },
	{ "-U", true, "brunt gives each file system a UUID of its own" },
	{ "--uuid", true, "brunt gives each file system a UUID of its own" },
	{ "-K", false, "say discard=no" },
	{ "-f", false, "brunt says it already" },
	{ "-q", false, "brunt says it already" },
	{ NULL },
};

static int check_argument(const char *option, const char *argument, struct err *err)
{
	for (const char *part = argument; part; part = strchr(part, ',')) {
		part += *part == ',';
		for (size_t i = 0; i < ARRAY_SIZE(refused_parts); i++)
			if (!strncmp(part, refused_parts[i], strlen(refused_parts[i])))
				return err_usage(err, "mkfs_options: %s %s cannot be given: it names "
						 "a file, another device, or what brunt chooses",
						 option, argument);
	}
	return 0;
}

/* "-dagcount=2", "--csum=xxhash": what stands behind the name in the same word; NULL: nothing. */
static const char *joined_argument(const char *word, const char *name)
{
	const char *behind = word + strlen(name);

	if (!*behind)
		return NULL;
	return name[1] == '-' ? behind + (*behind == '=') : behind;
}

static const struct option *find_option(const struct option *options, const char *word)
{
	for (; options->name; options++) {
		size_t n = strlen(options->name);

		if (strncmp(word, options->name, n) != 0)
			continue;
		if (!word[n] || (options->argument && (options->name[1] != '-' || word[n] == '=')))
			return options;
	}
	return NULL;
}

static int judge(const char *program, const struct option *options, const char *text,
		 struct words *rest, char **extended, struct err *err)
{
	auto_words struct words words = WORDS_INIT, taken = WORDS_INIT;
	int rc = words_split_shell(text, &words, err);

	for (size_t i = 0; !rc && i < words.n; i++) {
		const struct option *option = find_option(options, words.v[i]);
		const char *argument;

		if (!option)
			return err_usage(err, "mkfs_options: '%s' is no option of %s that can be "
					 "given here", words.v[i], program);
		if (option->refused)
			return err_usage(err, "mkfs_options: %s cannot be given: %s", option->name,
					 option->refused);
		words_add(&taken, option->name);
		if (!option->argument)
			continue;
		argument = joined_argument(words.v[i], option->name);
		if (!argument && ++i == words.n)
			return err_usage(err, "mkfs_options: %s needs an argument", option->name);
		argument = argument ? argument : words.v[i];
		words_add(&taken, argument);
		rc = check_argument(option->name, argument, err);
	}
	if (rc)
		return rc;
	*rest = taken;
	taken = (struct words)WORDS_INIT;
	*extended = NULL;
	return 0;
}

int storm_mkfs_words_xfs(const char *text, struct words *rest, char **extended, struct err *err)
{
	return judge("mkfs.xfs", xfs_options, text, rest, extended, err);
}

int storm_mkfs_words_btrfs(const char *text, struct words *rest, char **extended, struct err *err)
{
	return judge("mkfs.btrfs", btrfs_options, text, rest, extended, err);
}
