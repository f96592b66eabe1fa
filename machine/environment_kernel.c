// SPDX-License-Identifier: GPL-3.0-or-later
/* What the environment says of the kernel: which one, how it was built, what it does besides. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "machine/environment_parts.h"
#include "machine/kernel_config.h"
#include "machine/kernel_fs.h"
#include "machine/kernel_notes.h"
#include "machine/lockdown.h"
#include "machine/tracefs.h"

#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities"

static void set(json_t *map, const char *key, json_t *value)
{
	json_object_set_new(map, key, value);
}

static void add_security(json_t *map)
{
	auto_close int fs = kernel_fs_open(&kernel_fs_securityfs);
	char level[LOCKDOWN_SIZE], line[1024];

	set(map, "kernel.lockdown", lockdown_read(level) ? json_null() : json_text(level));
	set(map, "kernel.lsm",
	    fs >= 0 && files_read_line_at(fs, "lsm", line, sizeof(line)) == 0 && *line ?
		    json_text(line) : json_null());
}

/* "none voluntary (full) lazy" of a kernel that can change it: the word in parentheses. */
static json_t *preempt_chosen(void)
{
	auto_close int fs = kernel_fs_open(&kernel_fs_debugfs);
	char line[128], *open, *close;

	if (fs < 0 || files_read_line_at(fs, "sched/preempt", line, sizeof(line)))
		return NULL;
	open = strchr(line, '(');
	close = open ? strchr(open, ')') : NULL;
	if (!close)
		return NULL;
	*close = '\0';
	return json_text(open + 1);
}

static void add_kernel_config(json_t *map)
{
	const char *cmdline = json_get_text(map, "kernel.cmdline", "");
	auto_buf struct buf config = BUF_INIT;
	json_t *accounting = NULL, *hz = NULL, *hash = NULL, *preempt = preempt_chosen();
	char text[32], hex[SHA256_HEX_SIZE];
	struct sha256_ctx sha;

	if (kernel_config_read(&config) == 0) {
		accounting = json_text(kernel_config_accounting(config.s, cmdline));
		if (kernel_config_get(config.s, "CONFIG_HZ", text, sizeof(text)) == 0)
			hz = json_integer(strtoll(text, NULL, 10));
		sha256_init(&sha);
		sha256_update(&sha, config.len, (const uint8_t *)config.s);
		sha256_finish(&sha, hex);
		hash = json_text(hex);
	}
	if (!preempt)
		preempt = json_text(kernel_config_preempt(config.s ? config.s : "",
							  json_get_text(map, "kernel.version", ""),
							  cmdline));
	set(map, "kernel.preempt", preempt);
	set(map, "kernel.config_sha256", hash ? hash : json_null());
	set(map, "kernel.hz_tick_accounting", accounting ? accounting : json_null());
	set(map, "kernel.hz", hz ? hz : json_null());
}

/* One key each: how the kernel deals with it. */
static void add_mitigations(json_t *map)
{
	DIR *list = opendir(VULNERABILITIES);
	const struct dirent *entry;

	while (list && (entry = readdir(list))) {
		auto_free char *path = files_join(VULNERABILITIES, entry->d_name);
		auto_free char *key = xasprintf("mitigation.%s", entry->d_name);

		if (*entry->d_name != '.')
			environment_set_line(map, key, path);
	}
	if (list)
		closedir(list);
}

/* Somebody's tracing slows everything that is measured. */
static void add_tracing(json_t *map)
{
	auto_close int tracefs = tracefs_open(NULL);
	auto_buf struct buf events = BUF_INIT;
	char line[256];
	json_int_t n = 0;

	set(map, "trace.current_tracer",
	    tracefs >= 0 && !tracefs_read(tracefs, "current_tracer", line, sizeof(line)) ?
		    json_text(line) : json_null());
	if (tracefs >= 0 && !files_read_at(tracefs, "set_event", 1 << 20, &events)) {
		for (const char *p = events.s; *p; p++)
			n += *p == '\n';
		set(map, "trace.events", json_integer(n));
	} else {
		set(map, "trace.events", json_null());
	}
}

static void add_build(json_t *map)
{
	auto_buf struct buf id = BUF_INIT;

	set(map, "kernel.build_id", json_text(kernel_build_id(&id) ? NULL : id.s));
}

void environment_add_kernel(json_t *map)
{
	struct utsname name;

	uname(&name);
	set(map, "kernel.release", json_text(name.release));
	set(map, "kernel.version", json_text(name.version));
	set(map, "kernel.arch", json_text(name.machine));
	environment_set_line(map, "kernel.cmdline", "/proc/cmdline");
	add_build(map);
	add_security(map);
	environment_set_number(map, "kernel.tainted", "/proc/sys/kernel/tainted");
	add_kernel_config(map);
	add_mitigations(map);
	add_tracing(map);
}

