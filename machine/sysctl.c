// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "base/xalloc.h"
#include "machine/kernel_value.h"
#include "machine/setting.h"

#define SYSCTL_FOLDER "/proc/sys/"

extern const struct setting setting_sysctl;

/*
 * Both spellings of sysctl(8): whichever of '.' and '/' comes first separates, and then the
 * other one stands for it inside a name ("net.ipv4.conf.eth0/1.forwarding").
 */
static char *path_of(const char *key)
{
	char *path = xasprintf(SYSCTL_FOLDER "%s", key);
	char *name = path + strlen(SYSCTL_FOLDER);

	if (name[strcspn(name, "./")] == '.')
		for (char *p = name; *p; p++)
			*p = *p == '.' ? '/' : *p == '/' ? '.' : *p;
	return path;
}

/* No component that is empty or leads elsewhere. */
static bool components_plain(const char *path)
{
	auto_words struct words parts = WORDS_INIT;

	words_split_at(path + strlen(SYSCTL_FOLDER), '/', &parts);
	for (size_t i = 0; i < parts.n; i++)
		if (!*parts.v[i] || !strcmp(parts.v[i], ".") || !strcmp(parts.v[i], ".."))
			return false;
	return parts.n > 0;
}

static int check_one_line(const char *key, const char *value, struct err *err)
{
	if (!*value || strchr(value, '\n'))
		return err_usage(err, "sysctl.%s: the value must be one line that is not empty",
				 key);
	return 0;
}

static int sysctl_check(const char *key, const char *value, struct err *err)
{
	auto_free char *path = path_of(key);
	struct stat st;

	if (!components_plain(path))
		return err_usage(err, "sysctl.%s: '%s' is no name of a sysctl", key, key);
	if (stat(path, &st) < 0)
		return err_missing(err, "sysctl.%s: this kernel has no %s", key, path);
	if (!S_ISREG(st.st_mode))
		return err_usage(err, "sysctl.%s: %s is a folder", key, path);
	if (access(path, W_OK) < 0)
		return err_missing(err, "sysctl.%s: %s cannot be written%s", key, path,
				   geteuid() ? " (root is needed)" : "");
	if (access(path, R_OK) < 0)
		return err_usage(err, "sysctl.%s: %s cannot be read, so not be restored", key,
				 path);
	return check_one_line(key, value, err);
}

/* Each sets the other one to 0. */
static const char *const partners[][2] = {
	{ SYSCTL_FOLDER "vm/dirty_bytes", SYSCTL_FOLDER "vm/dirty_ratio" },
	{ SYSCTL_FOLDER "vm/dirty_background_bytes", SYSCTL_FOLDER "vm/dirty_background_ratio" },
	{ SYSCTL_FOLDER "vm/overcommit_kbytes", SYSCTL_FOLDER "vm/overcommit_ratio" },
};

static const char *partner_of(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(partners); i++)
		for (size_t j = 0; j < 2; j++)
			if (!strcmp(path, partners[i][j]))
				return partners[i][1 - j];
	return NULL;
}

static int sysctl_apply(const char *key, const char *value, const struct target *target,
			struct undo *undo, void **applied, struct err *err)
{
	auto_free char *path = path_of(key);
	struct kernel_value_spec spec = { .path = path, .partner = partner_of(path) };
	struct kernel_value *kernel_value = xcalloc(1, sizeof(*kernel_value));
	int rc;

	(void)target;
	rc = kernel_value_set(kernel_value, &spec, value, undo, err);
	if (rc) {
		free(kernel_value);
		return err_context(err, rc, "sysctl.%s", key);
	}
	*applied = kernel_value;
	return 0;
}

static int sysctl_restore(void *applied, struct undo *undo, struct err *err)
{
	int rc = kernel_value_restore(applied, undo, err);

	free(applied);
	return rc;
}

const struct setting setting_sysctl = {
	.name = "sysctl",
	.summary = "a value below /proc/sys, as sysctl.vm.dirty_ratio=5",
	.check = sysctl_check,
	.apply = sysctl_apply,
	.restore = sysctl_restore,
};
