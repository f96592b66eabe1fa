// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/fitness.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/json.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/evidence.h"
#include "machine/memory.h"
#include "machine/undo.h"

#define GIB (1ULL << 30)
#define LOAD_A_CPU 0.25
enum { FILES_LEAST = 4096 };

void fitness_release(struct fitness *fitness)
{
	for (size_t i = 0; i < fitness->n; i++) {
		free(fitness->v[i].text);
		free(fitness->v[i].advice);
	}
	free(fitness->v);
	*fitness = (struct fitness){ NULL, 0, 0 };
}

const char *fitness_state_name(enum fitness_state state)
{
	return state == FITNESS_OK ? "ok" : state == FITNESS_HINDERS ? "hinders" : "unknown";
}

static uint64_t read_number(const char *path)
{
	char line[64];
	uint64_t value;

	if (files_read_line_at(AT_FDCWD, path, line, sizeof(line)) ||
	    units_parse_u64(line, &value))
		return 0;
	return value;
}

void fitness_facts_read(struct fitness_facts *facts)
{
	struct evidence evidence;
	struct rlimit limit;
	char line[128];

	evidence_begin(&evidence);
	evidence_end(&evidence);
	*facts = (struct fitness_facts){
		.running = evidence.running,
		.load1 = NAN,
		.memory_available = memory_available(),
		.aio_used = read_number("/proc/sys/fs/aio-nr"),
		.aio_limit = read_number("/proc/sys/fs/aio-max-nr"),
		.dead_sessions = undo_count_dead(),
		.is_root = geteuid() == 0,
	};
	memory_field("SwapFree", &facts->swap_free);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		facts->files_limit = limit.rlim_max;
	if (files_read_line_at(AT_FDCWD, "/proc/loadavg", line, sizeof(line)) == 0) {
		line[strcspn(line, " ")] = '\0';
		if (units_parse_double(line, &facts->load1))
			facts->load1 = NAN;
	}
}

static void __attribute__((format(printf, 5, 6)))
find(struct fitness *out, const char *name, enum fitness_state state, const char *advice,
     const char *fmt, ...)
{
	struct fitness_finding finding = { .name = name, .state = state };
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&finding.text, fmt, args) < 0)
		finding.text = xstrdup(fmt);
	va_end(args);
	finding.advice = advice ? xstrdup(advice) : NULL;
	GROW(out->v, out->n, out->cap);
	out->v[out->n++] = finding;
}

/* ---- the processors ---- */

static void judge_governor(const json_t *environment, struct fitness *out)
{
	const char *governor = json_get_text(environment, "cpu.governor", NULL);

	if (!governor)
		find(out, "governor", FITNESS_UNKNOWN, NULL,
		     "the kernel does not drive the frequency here (a host or the firmware may)");
	else if (strcmp(governor, "performance") != 0)
		find(out, "governor", FITNESS_HINDERS,
		     "brunt run --tune, or cpupower frequency-set -g performance",
		     "%s: the frequency follows the load", governor);
	else
		find(out, "governor", FITNESS_OK, NULL, "%s", governor);
}

/* An object of the map that is true, false or not known. */
static void judge_switch(const json_t *environment, const char *key, const char *name,
			 const char *on, const char *advice, struct fitness *out)
{
	const json_t *value = json_object_get(environment, key);

	if (json_is_true(value))
		find(out, name, FITNESS_HINDERS, advice, "on: %s", on);
	else if (json_is_false(value))
		find(out, name, FITNESS_OK, NULL, "off");
	else
		find(out, name, FITNESS_UNKNOWN, NULL, "cannot be read here");
}

static void judge_sysctl(const json_t *environment, const char *key, const char *name,
			 const char *on, struct fitness *out)
{
	const char *value = json_get_text(environment, key, NULL);

	if (!value)
		find(out, name, FITNESS_UNKNOWN, NULL, "this kernel has none");
	else if (strcmp(value, "0") != 0)
		find(out, name, FITNESS_HINDERS, "brunt run --tune, or set the sysctl to 0",
		     "%s is %s: %s", key + strlen("sysctl."), value, on);
	else
		find(out, name, FITNESS_OK, NULL, "off");
}

static void judge_load(const json_t *environment, const struct fitness_facts *facts,
		       struct fitness *out)
{
	double cpus = json_get_number(environment, "cpu.count");
	double limit = LOAD_A_CPU * (isnan(cpus) ? 1 : cpus);
	bool busy = facts->load1 > limit || (double)facts->running > limit;

	if (isnan(facts->load1) && facts->running < 0)
		find(out, "load", FITNESS_UNKNOWN, NULL, "/proc/loadavg cannot be read");
	else
		find(out, "load", busy ? FITNESS_HINDERS : FITNESS_OK,
		     busy ? "end what else runs, or wait; the mark load_before tells which runs it "
			    "met" : NULL,
		     "%lld other tasks run now, %.2f over the last minute, on %.0f CPUs",
		     (long long)facts->running, facts->load1, cpus);
}

/* ---- memory ---- */

static char *size_text(uint64_t bytes)
{
	auto_buf struct buf text = BUF_INIT;

	units_add_size(&text, bytes >> 20 << 20);
	return buf_steal(&text);
}

static void judge_memory(const json_t *environment, const struct fitness_facts *facts,
			 struct fitness *out)
{
	double total = json_get_number(environment, "memory.total_bytes");
	double swap = json_get_number(environment, "memory.swap_bytes");
	auto_free char *available = size_text(facts->memory_available);
	auto_free char *used = NULL;
	bool little = facts->memory_available < GIB ||
		      (double)facts->memory_available < 0.1 * total;

	if (!facts->memory_available)
		find(out, "memory", FITNESS_UNKNOWN, NULL, "/proc/meminfo does not say");
	else
		find(out, "memory", little ? FITNESS_HINDERS : FITNESS_OK,
		     little ? "end what holds it, or give smaller and fewer devices" : NULL,
		     "%s available", available);
	if (!(swap > 0) || (double)facts->swap_free >= swap) {
		find(out, "swap", FITNESS_OK, NULL, swap > 0 ? "there, and not used" : "none");
		return;
	}
	used = size_text((uint64_t)swap - facts->swap_free);
	find(out, "swap", FITNESS_HINDERS, "swapoff -a where memory allows it, and on again after",
	     "%s are swapped out: they come back while something is measured", used);
}

/* ---- the kernel ---- */

static void judge_tracers(const json_t *environment, struct fitness *out)
{
	const char *tracer = json_get_text(environment, "trace.current_tracer", NULL);
	int64_t events = json_get_int(environment, "trace.events", 0);

	if (!tracer)
		find(out, "tracers", FITNESS_UNKNOWN, NULL, "tracefs cannot be read%s",
		     geteuid() ? " (root is needed)" : "");
	else if (strcmp(tracer, "nop") != 0 || events)
		find(out, "tracers", FITNESS_HINDERS,
		     "end the tracer that somebody has started; brunt clean for what a killed "
		     "brunt left",
		     "current_tracer is %s, %lld events are on: they slow all that is measured",
		     tracer, (long long)events);
	else
		find(out, "tracers", FITNESS_OK, NULL, "none is on in tracefs");
}

static void judge_lockdown(const json_t *environment, struct fitness *out)
{
	const char *lockdown = json_get_text(environment, "kernel.lockdown", NULL);

	if (!lockdown)
		find(out, "lockdown", FITNESS_UNKNOWN, NULL, "securityfs does not say");
	else if (strcmp(lockdown, "none") != 0)
		find(out, "lockdown", FITNESS_HINDERS,
		     "brunt's blktrace works; for others boot with lockdown=none, or without "
		     "secure boot",
		     "%s: debugfs, kprobes and some tracers are refused", lockdown);
	else
		find(out, "lockdown", FITNESS_OK, NULL, "none");
}

static void judge_accounting(const json_t *environment, struct fitness *out)
{
	const char *accounting = json_get_text(environment, "kernel.hz_tick_accounting", NULL);

	if (!accounting)
		find(out, "accounting", FITNESS_UNKNOWN, NULL,
		     "the kernel's configuration cannot be read");
	else if (!strcmp(accounting, "tick"))
		find(out, "accounting", FITNESS_HINDERS,
		     "judge by cpu (their sum, exact), or make runs long",
		     "the split of user and sys is sampled by the tick");
	else
		find(out, "accounting", FITNESS_OK, NULL, "%s: user and sys are exact", accounting);
}

static void judge_guest(const json_t *environment, struct fitness *out)
{
	const char *name = json_get_text(environment, "virtualisation", NULL);

	if (!name)
		find(out, "virtual machine", FITNESS_UNKNOWN, NULL, "cannot be told");
	else if (strcmp(name, "none") != 0)
		find(out, "virtual machine", FITNESS_HINDERS,
		     "more rounds (--until); runs that lost CPU to others have the mark steal",
		     "%s: other guests of the host take time and caches", name);
	else
		find(out, "virtual machine", FITNESS_OK, NULL, "no");
}

/* ---- what runs inherit from whoever starts brunt ---- */

static void judge_cpus(const json_t *environment, struct fitness *out)
{
	const char *mine = json_get_text(environment, "process.cpus", NULL);
	const char *online = json_get_text(environment, "cpu.online", NULL);
	double limit = json_get_number(environment, "process.cgroup_cpus");
	bool few = mine && online && strcmp(mine, online) != 0;

	if (!mine || !online)
		find(out, "cpus", FITNESS_UNKNOWN, NULL, "the kernel does not list them");
	else
		find(out, "cpus", few ? FITNESS_HINDERS : FITNESS_OK,
		     few ? "the same in all sessions that are compared, or start brunt without "
			   "taskset and cpusets" : NULL,
		     few ? "runs may use %s only, %s are online" : "runs may use all: %s", mine,
		     online);
	if (limit > 0)
		find(out, "cgroup", FITNESS_HINDERS,
		     "raise cpu.max of the cgroup, or start brunt outside of it",
		     "runs may use %.3g CPUs at a time, and are stopped when they have", limit);
	else if (json_is_string(json_object_get(environment, "process.cgroup_cpus")))
		find(out, "cgroup", FITNESS_OK, NULL, "no limit of CPU time");
	else
		find(out, "cgroup", FITNESS_UNKNOWN, NULL, "no cgroups can be seen");
}

static void judge_inherited(const json_t *environment, struct fitness *out)
{
	const char *preload = json_get_text(environment, "process.ld_preload", "none");
	const char *policy = json_get_text(environment, "process.policy", "other");
	int64_t nice = json_get_int(environment, "process.nice", 0);
	bool usual = !nice && !strcmp(policy, "other");

	find(out, "priority", usual ? FITNESS_OK : FITNESS_HINDERS,
	     usual ? NULL : "start brunt with nice 0 and the policy SCHED_OTHER",
	     "nice %lld, policy %s", (long long)nice, policy);
	if (strcmp(preload, "none") != 0)
		find(out, "preload", FITNESS_HINDERS, "unset LD_PRELOAD",
		     "LD_PRELOAD is %s: it runs in every program", preload);
}

/* ---- limits, and what others left ---- */

static void judge_limits(const struct fitness_facts *facts, struct fitness *out)
{
	bool few = facts->files_limit && facts->files_limit < FILES_LEAST;
	bool little = facts->aio_limit && facts->aio_used * 2 > facts->aio_limit;

	find(out, "open files", few ? FITNESS_HINDERS : FITNESS_OK,
	     few ? "ulimit -Hn 65536, as root or in limits.conf: tracers need several for each "
		   "CPU and device" : NULL,
	     "a process may have %llu", (unsigned long long)facts->files_limit);
	find(out, "aio", little ? FITNESS_HINDERS : FITNESS_OK,
	     little ? "sysctl fs.aio-max-nr=1048576" : NULL, "%llu of %llu requests are taken",
	     (unsigned long long)facts->aio_used, (unsigned long long)facts->aio_limit);
}

static void judge_rest(const struct fitness_facts *facts, struct fitness *out)
{
	find(out, "leftovers", facts->dead_sessions ? FITNESS_HINDERS : FITNESS_OK,
	     facts->dead_sessions ? "brunt clean" : NULL, "of %zu killed sessions of brunt",
	     facts->dead_sessions);
	find(out, "user", facts->is_root ? FITNESS_OK : FITNESS_HINDERS,
	     facts->is_root ? NULL : "run as root, or measure commands and builds only",
	     facts->is_root ? "root" : "not root: no storms, tracers and settings but env.");
}

void fitness_judge(const json_t *environment, const struct fitness_facts *facts,
		   struct fitness *out)
{
	*out = (struct fitness){ NULL, 0, 0 };
	judge_governor(environment, out);
	judge_switch(environment, "cpu.turbo", "turbo",
		     "the frequency depends on heat and on what other CPUs do", "brunt run --tune",
		     out);
	judge_switch(environment, "cpu.smt", "smt", "two CPUs share a core and slow each other",
		     "echo off >/sys/devices/system/cpu/smt/control, if all CPUs are not needed",
		     out);
	judge_load(environment, facts, out);
	judge_memory(environment, facts, out);
	judge_tracers(environment, out);
	judge_sysctl(environment, "sysctl.kernel.nmi_watchdog", "nmi watchdog",
		     "it takes a hardware counter and interrupts", out);
	judge_sysctl(environment, "sysctl.kernel.numa_balancing", "numa balancing",
		     "pages move while something is measured", out);
	judge_lockdown(environment, out);
	judge_accounting(environment, out);
	judge_guest(environment, out);
	judge_cpus(environment, out);
	judge_inherited(environment, out);
	judge_limits(facts, out);
	judge_rest(facts, out);
}
