// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/environment.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "base/units.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "machine/kernel_config.h"
#include "machine/lockdown.h"
#include "machine/memory.h"
#include "machine/virtualisation.h"

#define CPU_FOLDER "/sys/devices/system/cpu"

static void set(json_t *map, const char *key, json_t *value)
{
	json_object_set_new(map, key, value);
}

/* The first line of a file; false, and "" in out, where there is none. */
static bool line_of(const char *path, char *out, size_t size)
{
	if (files_read_line_at(AT_FDCWD, path, out, size) == 0 && *out)
		return true;
	*out = '\0';
	return false;
}

static void set_line(json_t *map, const char *key, const char *path)
{
	char line[4096];

	set(map, key, line_of(path, line, sizeof(line)) ? json_text(line) : json_null());
}

/* The word in brackets of a choice as "none [integrity] confidentiality". */
static json_t *chosen_word(char *line)
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

	set(map, key, line_of(path, line, sizeof(line)) ? chosen_word(line) : json_null());
}

static json_t *whole_number(const char *text)
{
	uint64_t value;

	return units_parse_u64(text, &value) ? json_null() : json_integer((json_int_t)value);
}

static void set_whole_number(json_t *map, const char *key, const char *path)
{
	char line[64];

	line_of(path, line, sizeof(line));
	set(map, key, whole_number(line));
}

static json_t *lockdown(void)
{
	char level[LOCKDOWN_SIZE];

	return lockdown_read(level) ? json_null() : json_text(level);
}

/* "#1 SMP PREEMPT_DYNAMIC Debian 6.1.1": the word that begins with PREEMPT. */
static json_t *preempt_word(const char *version)
{
	auto_words struct words words = WORDS_INIT;

	words_split_at(version, ' ', &words);
	for (size_t i = 0; i < words.n; i++)
		if (!strncmp(words.v[i], "PREEMPT", 7))
			return json_text(words.v[i]);
	return json_null();
}

static void add_kernel_config(json_t *map)
{
	const char *cmdline = json_get_text(map, "kernel.cmdline", "");
	auto_buf struct buf config = BUF_INIT;
	json_t *accounting = NULL, *hz = NULL;
	char text[32];

	if (kernel_config_read(&config) == 0) {
		accounting = json_text(kernel_config_accounting(config.s, cmdline));
		if (kernel_config_get(config.s, "CONFIG_HZ", text, sizeof(text)) == 0)
			hz = whole_number(text);
	}
	set(map, "kernel.hz_tick_accounting", accounting ? accounting : json_null());
	set(map, "kernel.hz", hz ? hz : json_null());
}

static void add_kernel(json_t *map)
{
	struct utsname name;

	uname(&name);
	set(map, "kernel.release", json_text(name.release));
	set(map, "kernel.version", json_text(name.version));
	set(map, "kernel.arch", json_text(name.machine));
	set_line(map, "kernel.cmdline", "/proc/cmdline");
	set(map, "kernel.lockdown", lockdown());
	set(map, "kernel.preempt", preempt_word(name.version));
	add_kernel_config(map);
}

/*
 * The value of the first line "KEY : VALUE" of /proc/cpuinfo. The text holds the first CPUs
 * only: the whole file is long and slow on large machines.
 */
static const char *cpuinfo_value(char *text, const char *key, char *out, size_t size)
{
	size_t len = strlen(key), n;
	char *p = text;

	while (*p) {
		if (!strncmp(p, key, len) && strspn(p + len, " \t") &&
		    p[len + strspn(p + len, " \t")] == ':') {
			p += len + strspn(p + len, " \t:");
			n = strcspn(p, "\n");
			snprintf(out, size, "%.*s", (int)n, p);
			return out;
		}
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	return NULL;
}

static void add_cpuinfo(json_t *map)
{
	auto_close int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	char text[8192] = "", value[256];
	double mhz = NAN;
	ssize_t n;

	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	set(map, "cpu.model", json_text(cpuinfo_value(text, "model name", value, sizeof(value))));
	set(map, "cpu.vendor", json_text(cpuinfo_value(text, "vendor_id", value, sizeof(value))));
	set(map, "cpu.microcode",
	    json_text(cpuinfo_value(text, "microcode", value, sizeof(value))));
	if (cpuinfo_value(text, "cpu MHz", value, sizeof(value)) && units_parse_double(value, &mhz))
		mhz = NAN;
	set(map, "cpu.mhz", json_number(mhz));
}

/* Does the list of CPUs that share something with this one ("0,32" or "0-1") begin with it? */
static bool first_of_siblings(const char *cpu, const char *list)
{
	char path[96], line[1024];

	snprintf(path, sizeof(path), CPU_FOLDER "/%.16s/topology/%s", cpu, list);
	if (!line_of(path, line, sizeof(line)))
		return false;
	line[strcspn(line, ",-")] = '\0';
	return !strcmp(line, cpu + strlen("cpu"));
}

static json_t *known_count(int64_t n)
{
	return n > 0 ? json_integer(n) : json_null();
}

/* Entries of a folder named PREFIX and a number; each of them is handed to fn, if there is one. */
static int64_t count_entries(const char *folder, const char *prefix,
			     void (*fn)(const char *name, void *arg), void *arg)
{
	size_t len = strlen(prefix);
	struct dirent *entry;
	DIR *dir = opendir(folder);
	uint64_t number;
	int64_t n = 0;

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, prefix, len) != 0 ||
		    units_parse_u64(entry->d_name + len, &number))
			continue;
		n++;
		if (fn)
			fn(entry->d_name, arg);
	}
	if (dir)
		closedir(dir);
	return n;
}

struct topology {
	int64_t sockets, cores;
};

static void add_cpu_to_topology(const char *cpu, void *arg)
{
	struct topology *topology = arg;

	topology->cores += first_of_siblings(cpu, "thread_siblings_list");
	topology->sockets += first_of_siblings(cpu, "core_siblings_list");
}

static void add_cpu(json_t *map)
{
	struct topology topology = { 0, 0 };
	char line[16];

	add_cpuinfo(map);
	set(map, "cpu.count", known_count(sysconf(_SC_NPROCESSORS_ONLN)));
	count_entries(CPU_FOLDER, "cpu", add_cpu_to_topology, &topology);
	set(map, "cpu.sockets", known_count(topology.sockets));
	set(map, "cpu.cores", known_count(topology.cores));
	set(map, "cpu.smt",
	    line_of(CPU_FOLDER "/smt/active", line, sizeof(line)) ? json_boolean(*line == '1')
								  : json_null());
	set_line(map, "cpu.governor", CPU_FOLDER "/cpu0/cpufreq/scaling_governor");
	set_line(map, "cpu.driver", CPU_FOLDER "/cpu0/cpufreq/scaling_driver");
	set(map, "numa.nodes",
	    known_count(count_entries("/sys/devices/system/node", "node", NULL, NULL)));
	set_line(map, "clocksource",
		 "/sys/devices/system/clocksource/clocksource0/current_clocksource");
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
	set_whole_number(map, "vm.dirty_ratio", "/proc/sys/vm/dirty_ratio");
	set_whole_number(map, "vm.dirty_bytes", "/proc/sys/vm/dirty_bytes");
	set_whole_number(map, "vm.dirty_background_ratio", "/proc/sys/vm/dirty_background_ratio");
	set_whole_number(map, "vm.dirty_background_bytes", "/proc/sys/vm/dirty_background_bytes");
	set_whole_number(map, "vm.swappiness", "/proc/sys/vm/swappiness");
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
	line_of("/proc/loadavg", line, sizeof(line));
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
}

json_t *environment_read(void)
{
	json_t *map = json_object();

	add_kernel(map);
	add_cpu(map);
	add_memory(map);
	add_system(map);
	add_tools(map);
	return map;
}

const char *environment_boot_id(void)
{
	static char id[64];

	if (!*id)
		line_of("/proc/sys/kernel/random/boot_id", id, sizeof(id));
	return id;
}

const char *environment_host(void)
{
	static struct utsname name;

	uname(&name);
	return name.nodename;
}
