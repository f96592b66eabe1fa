// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "base/units.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "machine/environment_parts.h"
#include "machine/memory.h"
#include "machine/virtualisation.h"

static void set(json_t *map, const char *key, json_t *value)
{
	json_object_set_new(map, key, value);
}

bool environment_line(const char *path, char *out, size_t size)
{
	if (files_read_line_at(AT_FDCWD, path, out, size) == 0 && *out)
		return true;
	*out = '\0';
	return false;
}

void environment_set_line(json_t *map, const char *key, const char *path)
{
	char line[4096];

	set(map, key, environment_line(path, line, sizeof(line)) ? json_text(line) : json_null());
}

json_t *environment_chosen(char *line)
{
	char *open = strchr(line, '['), *close = open ? strchr(open, ']') : NULL;

	if (!close)
		return json_null();
	*close = '\0';
	return json_text(open + 1);
}

static void set_chosen(json_t *map, const char *key, const char *path)
{
	char line[256];

	set(map, key, environment_line(path, line, sizeof(line)) ? environment_chosen(line) : json_null());
}

static json_t *whole_number(const char *text)
{
	uint64_t value;

	return units_parse_u64(text, &value) ? json_null() : json_integer((json_int_t)value);
}

void environment_set_number(json_t *map, const char *key, const char *path)
{
	char line[64];

	environment_line(path, line, sizeof(line));
	set(map, key, whole_number(line));
}

static json_t *meminfo(const char *field)
{
	uint64_t bytes;

	return memory_field(field, &bytes) ? json_null() : json_integer((json_int_t)bytes);
}

static void add_memory(json_t *map)
{
	set(map, "memory.total_bytes", meminfo("MemTotal"));
	set(map, "memory.swap_bytes", meminfo("SwapTotal"));
	set_chosen(map, "memory.thp", "/sys/kernel/mm/transparent_hugepage/enabled");
	set_chosen(map, "memory.thp_defrag", "/sys/kernel/mm/transparent_hugepage/defrag");
	environment_set_number(map, "memory.ksm", "/sys/kernel/mm/ksm/run");
	environment_set_line(map, "memory.zswap", "/sys/module/zswap/parameters/enabled");
}

/* The value of PRETTY_NAME="...", quoted as sh does. */
static json_t *pretty_name(void)
{
	static const char key[] = "PRETTY_NAME=";
	auto_words struct words words = WORDS_INIT;
	auto_buf struct buf text = BUF_INIT;
	char *p;

	if (files_read_at(AT_FDCWD, "/etc/os-release", 1 << 16, &text))
		return json_null();
	p = text.s;
	while (p && strncmp(p, key, strlen(key)) != 0) {
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	if (!p)
		return json_null();
	p += strlen(key);
	p[strcspn(p, "\n")] = '\0';
	if (words_split_shell(p, &words, NULL) || words.n != 1)
		return json_null();
	return json_text(words.v[0]);
}

static void add_system(json_t *map)
{
	double load = NAN;
	char line[128];

	set(map, "virtualisation", json_text(virtualisation_name()));
	set(map, "container", json_boolean(virtualisation_container()));
	set(map, "os.pretty_name", pretty_name());
	set(map, "uptime_s", json_number((double)clock_boot_ns() / NS_PER_S));
	environment_line("/proc/loadavg", line, sizeof(line));
	line[strcspn(line, " ")] = '\0';
	if (units_parse_double(line, &load))
		load = NAN;
	set(map, "load1", json_number(load));
}

/* The first line that a program prints of its version; null where it is missing. */
static json_t *version_line(const char *program, const char *option)
{
	const char *const argv[] = { program, option, NULL };
	auto_buf struct buf text = BUF_INIT;
	int status;

	if (process_capture(argv, &text, &status, NULL) || status)
		return json_null();
	text.s[strcspn(text.s, "\n")] = '\0';
	return *text.s ? json_text(text.s) : json_null();
}

static void add_tools(json_t *map)
{
	set(map, "tool.mke2fs", version_line("mke2fs", "-V"));
	set(map, "tool.blktrace", version_line("blktrace", "-V"));
	set(map, "tool.make", version_line("make", "--version"));
	set(map, "tool.gcc", version_line("gcc", "--version"));
	set(map, "tool.ld", version_line("ld", "--version"));
	set(map, "tool.libc", json_text(gnu_get_libc_version()));
}

json_t *environment_read(void)
{
	json_t *map = json_object();

	environment_add_kernel(map);
	environment_add_cpu(map);
	add_memory(map);
	environment_add_sysctls(map);
	environment_add_storage(map);
	environment_add_context(map);
	add_system(map);
	add_tools(map);
	return map;
}

const char *environment_boot_id(void)
{
	static char id[64];

	if (!*id)
		environment_line("/proc/sys/kernel/random/boot_id", id, sizeof(id));
	return id;
}

const char *environment_host(void)
{
	static struct utsname name;

	uname(&name);
	return name.nodename;
}
