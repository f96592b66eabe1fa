// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/kernel_config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/files.h"
#include "base/process.h"
#include "base/xalloc.h"

static int read_from_proc(struct buf *text)
{
	const char *const argv[] = { "gzip", "-dc", "/proc/config.gz", NULL };
	int status, rc;

	if (!files_exists("/proc/config.gz"))
		return -ENOENT;
	rc = process_capture(argv, text, &status, NULL);
	if (rc || status)
		return -ENOENT;
	return 0;
}

int kernel_config_read(struct buf *text)
{
	auto_free char *path = NULL;
	struct utsname name;

	if (read_from_proc(text) == 0)
		return 0;
	buf_clear(text);
	uname(&name);
	path = xasprintf("/boot/config-%s", name.release);
	return files_read_at(AT_FDCWD, path, 4 << 20, text) ? -ENOENT : 0;
}

int kernel_config_get(const char *text, const char *name, char *value, size_t size)
{
	size_t len = strlen(name), n;

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, name, len) != 0 || line[len] != '=')
			continue;
		line += len + 1;
		n = strcspn(line, "\n");
		if (n >= size)
			return -ERANGE;
		memcpy(value, line, n);
		value[n] = '\0';
		return 0;
	}
	return -ENOENT;
}

bool kernel_config_is(const char *text, const char *name, const char *value)
{
	char is[64];

	return kernel_config_get(text, name, is, sizeof(is)) == 0 && !strcmp(is, value);
}

const char *kernel_config_accounting(const char *text, const char *cmdline)
{
	if (kernel_config_is(text, "CONFIG_TICK_CPU_ACCOUNTING", "y"))
		return "tick";
	if (kernel_config_is(text, "CONFIG_VIRT_CPU_ACCOUNTING_NATIVE", "y"))
		return "virt-native";
	if (!kernel_config_is(text, "CONFIG_VIRT_CPU_ACCOUNTING_GEN", "y"))
		return NULL;
	if (kernel_config_is(text, "CONFIG_CONTEXT_TRACKING_USER_FORCE", "y") ||
	    kernel_config_is(text, "CONFIG_CONTEXT_TRACKING_FORCE", "y") ||
	    strstr(cmdline, "nohz_full="))
		return "virt-gen";
	return "tick";
}

/* The model that a word is, which ends at a blank or not at all. */
static const char *preempt_model(const char *word)
{
	static const char *const models[] = { "none", "voluntary", "full", "lazy" };

	for (size_t i = 0; i < ARRAY_SIZE(models); i++) {
		size_t len = strlen(models[i]);

		if (!strncmp(word, models[i], len) && (!word[len] || word[len] == ' '))
			return models[i];
	}
	return NULL;
}

const char *kernel_config_preempt(const char *text, const char *version, const char *cmdline)
{
	static const struct {
		const char *option, *model;
	} built[] = {
		{ "CONFIG_PREEMPT_RT", "rt" },	 { "CONFIG_PREEMPT_NONE", "none" },
		{ "CONFIG_PREEMPT_VOLUNTARY", "voluntary" },
		{ "CONFIG_PREEMPT_LAZY", "lazy" }, { "CONFIG_PREEMPT", "full" },
	};
	const char *chosen = strstr(cmdline, "preempt=");
	bool can_choose = strstr(version, "PREEMPT_DYNAMIC") ||
			  kernel_config_is(text, "CONFIG_PREEMPT_DYNAMIC", "y");

	if (strstr(version, "PREEMPT_RT"))
		return "rt";
	if (can_choose && chosen && (chosen == cmdline || chosen[-1] == ' ') &&
	    preempt_model(chosen + strlen("preempt=")))
		return preempt_model(chosen + strlen("preempt="));
	for (size_t i = 0; i < ARRAY_SIZE(built); i++)
		if (kernel_config_is(text, built[i].option, "y"))
			return built[i].model;
	if (can_choose)
		return NULL;
	if (strstr(version, "PREEMPT_LAZY"))
		return "lazy";
	return strstr(version, "PREEMPT") ? "full" : NULL;
}
