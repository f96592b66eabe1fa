// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * mkfs_options and mount_options, judged before they reach a program or the kernel.
 *
 * mke2fs takes the first word that is no option for the device, so a stray word in mkfs_options
 * would make a file system on whatever it names. Therefore the words are read as mke2fs's
 * getopt reads them, and only options that are known to be harmless pass.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "workloads/storm_options.h"

static const char takes_argument[] = "CEGIJLMNOTdegimor";
static const char takes_none[] = "Dcjv";

static int refuse_option(char option, struct err *err)
{
	static const struct {
		char option;
		const char *why;
	} known[] = {
		{ 'b', "say block_size=SIZE" },
		{ 't', "say fs=NAME" },
		{ 'U', "brunt gives each file system a UUID of its own" },
		{ 'F', "brunt says it already" },
		{ 'q', "brunt says it already" },
		{ 'n', "nothing would be made" },
		{ 'S', "only superblocks would be written" },
		{ 'V', "nothing would be made" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].option == option)
			return err_usage(err, "mkfs_options: -%c cannot be given: %s", option,
					 known[i].why);
	return err_usage(err, "mkfs_options: -%c is no option of mke2fs that can be given here",
			 option);
}

static int take_argument(char option, const char *argument, struct words *rest,
			 struct buf *extended, struct err *err)
{
	if (option == 'J' && strstr(argument, "device="))
		return err_usage(err, "mkfs_options: -J device= would write to another device");
	if (option == 'E') {
		buf_addf(extended, "%s%s", extended->len ? "," : "", argument);
		return 0;
	}
	words_add_taken(rest, xasprintf("-%c", option));
	words_add(rest, argument);
	return 0;
}

/* One word of options ("-jO"); *next is the word behind it, set to NULL when it was taken. */
static int take_word(const char *word, const char **next, struct words *rest,
		     struct buf *extended, struct err *err)
{
	const char *argument;

	for (const char *p = word + 1; *p; p++) {
		if (strchr(takes_none, *p)) {
			words_add_taken(rest, xasprintf("-%c", *p));
			continue;
		}
		if (!strchr(takes_argument, *p))
			return refuse_option(*p, err);
		argument = p[1] ? p + 1 : *next;
		if (!argument)
			return err_usage(err, "mkfs_options: -%c needs an argument", *p);
		if (!p[1])
			*next = NULL;
		return take_argument(*p, argument, rest, extended, err);
	}
	return 0;
}

int storm_mkfs_options(const char *text, struct words *rest, char **extended, struct err *err)
{
	auto_words struct words words = WORDS_INIT, taken = WORDS_INIT;
	auto_buf struct buf behind_e = BUF_INIT;
	const char *next;
	int rc = words_split_shell(text, &words, err);

	for (size_t i = 0; !rc && i < words.n; i++) {
		if (words.v[i][0] != '-' || !words.v[i][1] || words.v[i][1] == '-')
			return err_usage(err, "mkfs_options: '%s' is no option of mke2fs",
					 words.v[i]);
		next = i + 1 < words.n ? words.v[i + 1] : NULL;
		rc = take_word(words.v[i], &next, &taken, &behind_e, err);
		if (i + 1 < words.n && !next)
			i++;
	}
	if (rc)
		return rc;
	*rest = taken;
	taken = (struct words)WORDS_INIT;
	*extended = behind_e.len ? buf_steal(&behind_e) : NULL;
	return 0;
}

static const struct mount_word {
	const char *name;
	unsigned long set, clear;
} mount_words[] = {
	{ "defaults", 0, 0 },
	{ "rw", 0, 0 },
	{ "noatime", MS_NOATIME, MS_RELATIME | MS_STRICTATIME },
	{ "atime", 0, MS_NOATIME },
	{ "nodiratime", MS_NODIRATIME, 0 },
	{ "diratime", 0, MS_NODIRATIME },
	{ "relatime", MS_RELATIME, MS_NOATIME | MS_STRICTATIME },
	{ "strictatime", MS_STRICTATIME, MS_NOATIME | MS_RELATIME },
	{ "lazytime", MS_LAZYTIME, 0 },
	{ "nolazytime", 0, MS_LAZYTIME },
	{ "nosuid", MS_NOSUID, 0 },
	{ "suid", 0, MS_NOSUID },
	{ "nodev", MS_NODEV, 0 },
	{ "dev", 0, MS_NODEV },
	{ "noexec", MS_NOEXEC, 0 },
	{ "exec", 0, MS_NOEXEC },
	{ "sync", MS_SYNCHRONOUS, 0 },
	{ "async", 0, MS_SYNCHRONOUS },
	{ "dirsync", MS_DIRSYNC, 0 },
	{ "silent", MS_SILENT, 0 },
	{ "loud", 0, MS_SILENT },
};

/* What would make something else of the mount than a fresh one for writing, of the device alone. */
static const char *const refused_words[] = {
	"ro", "remount", "bind", "rbind", "move", "loop", "offset", "sizelimit",
};
static const char *const other_devices[] = {
	"device", "logdev", "rtdev", "journal_dev", "journal_path",
};

static bool is_one_of(const char *const *names, size_t count, const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < count; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], word, len))
			return true;
	return false;
}

static int check_refused(const char *word, struct err *err)
{
	if (is_one_of(refused_words, ARRAY_SIZE(refused_words), word))
		return err_usage(err, "mount_options: '%s' cannot be given: each mount is a new one "
				 "for writing", word);
	if (is_one_of(other_devices, ARRAY_SIZE(other_devices), word))
		return err_usage(err, "mount_options: '%s' cannot be given: it names another device",
				 word);
	return 0;
}

static void add_mount_word(const char *word, unsigned long *flags, struct buf *data)
{
	for (size_t i = 0; i < ARRAY_SIZE(mount_words); i++) {
		if (!strcmp(mount_words[i].name, word)) {
			*flags = (*flags & ~mount_words[i].clear) | mount_words[i].set;
			return;
		}
	}
	buf_addf(data, "%s%s", data->len ? "," : "", word);
}

int storm_mount_options(const char *text, struct storm_mount *out, struct err *err)
{
	auto_words struct words words = WORDS_INIT;
	auto_buf struct buf data = BUF_INIT, all = BUF_INIT;
	auto_free char *commas = xstrdup(text);
	unsigned long flags = 0;
	int rc;

	for (char *p = commas; *p; p++)
		if (*p == '+')
			*p = ',';
	words_split_at(commas, ',', &words);
	for (size_t i = 0; i < words.n; i++) {
		if (!*words.v[i])
			continue;
		rc = check_refused(words.v[i], err);
		if (rc)
			return rc;
		add_mount_word(words.v[i], &flags, &data);
		buf_addf(&all, "%s%s", all.len ? "," : "", words.v[i]);
	}
	out->flags = flags;
	out->data = data.len ? buf_steal(&data) : NULL;
	out->text = all.len ? buf_steal(&all) : NULL;
	return 0;
}

void storm_mount_release(struct storm_mount *mount)
{
	free(mount->data);
	free(mount->text);
	*mount = (struct storm_mount){ 0 };
}
