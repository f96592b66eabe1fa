// SPDX-License-Identifier: GPL-3.0-or-later
/* What the environment says of the processors and how they are driven. */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/units.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "machine/environment_parts.h"

#define CPU_FOLDER "/sys/devices/system/cpu"

static void set(json_t *map, const char *key, json_t *value)
{
	json_object_set_new(map, key, value);
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
	if (!environment_line(path, line, sizeof(line)))
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

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_word(const char *word, struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		if (!strcmp(words->v[i], word))
			return;
	words_add(words, word);
}

/* What the CPUs have in a file of theirs: one word, or several joined by '+'. */
static const char *per_cpu_file;

static void add_per_cpu(const char *cpu, void *arg)
{
	char path[128], line[128];

	snprintf(path, sizeof(path), CPU_FOLDER "/%.16s/%s", cpu, per_cpu_file);
	if (environment_line(path, line, sizeof(line)))
		add_word(line, arg);
}

static void set_per_cpu(json_t *map, const char *key, const char *file)
{
	auto_words struct words words = WORDS_INIT;
	auto_buf struct buf text = BUF_INIT;

	per_cpu_file = file;
	count_entries(CPU_FOLDER, "cpu", add_per_cpu, &words);
	if (words.n)
		qsort(words.v, words.n, sizeof(*words.v), by_name);
	for (size_t i = 0; i < words.n; i++)
		buf_addf(&text, "%s%s", i ? "+" : "", words.v[i]);
	set(map, key, json_text(text.len ? text.s : NULL));
}

/* Two drivers, two ways to say it, one of them the wrong way round. */
static json_t *turbo(void)
{
	char line[16];

	if (environment_line(CPU_FOLDER "/intel_pstate/no_turbo", line, sizeof(line)))
		return json_boolean(*line == '0');
	if (environment_line(CPU_FOLDER "/cpufreq/boost", line, sizeof(line)))
		return json_boolean(*line == '1');
	return json_null();
}

/* "POLL C1 C6(off)" of the first CPU. */
static json_t *idle_states(void)
{
	auto_buf struct buf text = BUF_INIT;
	char path[128], name[64], off[8];

	for (int i = 0; i < 32; i++) {
		snprintf(path, sizeof(path), CPU_FOLDER "/cpu0/cpuidle/state%d/name", i);
		if (!environment_line(path, name, sizeof(name)))
			break;
		snprintf(path, sizeof(path), CPU_FOLDER "/cpu0/cpuidle/state%d/disable", i);
		environment_line(path, off, sizeof(off));
		buf_addf(&text, "%s%s%s", i ? " " : "", name, *off == '1' ? "(off)" : "");
	}
	return json_text(text.len ? text.s : NULL);
}

/* The list is an empty line where there is no such CPU. */
static json_t *isolated(void)
{
	char line[4096];

	if (files_read_line_at(AT_FDCWD, CPU_FOLDER "/isolated", line, sizeof(line)))
		return json_null();
	return json_text(*line ? line : "none");
}

void environment_add_cpu(json_t *map)
{
	struct topology topology = { 0, 0 };
	char line[16];

	add_cpuinfo(map);
	set(map, "cpu.count", known_count(sysconf(_SC_NPROCESSORS_ONLN)));
	count_entries(CPU_FOLDER, "cpu", add_cpu_to_topology, &topology);
	set(map, "cpu.sockets", known_count(topology.sockets));
	set(map, "cpu.cores", known_count(topology.cores));
	set(map, "cpu.smt",
	    environment_line(CPU_FOLDER "/smt/active", line, sizeof(line)) ? json_boolean(*line == '1')
								  : json_null());
	set_per_cpu(map, "cpu.governor", "cpufreq/scaling_governor");
	set_per_cpu(map, "cpu.driver", "cpufreq/scaling_driver");
	set_per_cpu(map, "cpu.min_khz", "cpufreq/scaling_min_freq");
	set_per_cpu(map, "cpu.max_khz", "cpufreq/scaling_max_freq");
	set_per_cpu(map, "cpu.energy_preference", "cpufreq/energy_performance_preference");
	set(map, "cpu.turbo", turbo());
	set(map, "cpu.idle_states", idle_states());
	environment_set_line(map, "cpu.idle_driver", CPU_FOLDER "/cpuidle/current_driver");
	environment_set_line(map, "cpu.idle_governor", CPU_FOLDER "/cpuidle/current_governor");
	environment_set_line(map, "cpu.online", CPU_FOLDER "/online");
	set(map, "cpu.isolated", isolated());
	set(map, "numa.nodes",
	    known_count(count_entries("/sys/devices/system/node", "node", NULL, NULL)));
	environment_set_line(map, "clocksource",
		 "/sys/devices/system/clocksource/clocksource0/current_clocksource");
}

