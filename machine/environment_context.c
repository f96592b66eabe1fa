// SPDX-License-Identifier: GPL-3.0-or-later
/* What the environment says of us ourselves: what the runs inherit from whoever starts brunt. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "machine/cgroup_limit.h"
#include "machine/environment_parts.h"

static void set(json_t *map, const char *key, json_t *value)
{
	json_object_set_new(map, key, value);
}

/* "0-1", as the kernel lists them. */
static json_t *allowed_cpus(void)
{
	static const char key[] = "\nCpus_allowed_list:";
	auto_buf struct buf text = BUF_INIT;
	char *p;

	if (files_read_at(AT_FDCWD, "/proc/self/status", 1 << 16, &text))
		return json_null();
	p = strstr(text.s, key);
	if (!p)
		return json_null();
	p += strlen(key);
	p += strspn(p, " \t");
	p[strcspn(p, "\n")] = '\0';
	return json_text(p);
}

static json_t *policy(void)
{
	static const char *const names[] = { "other", "fifo", "rr", "batch", NULL, "idle",
					     "deadline" };
	int number = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;

	return number >= 0 && (size_t)number < ARRAY_SIZE(names) ? json_text(names[number]) :
								   json_null();
}

static json_t *cpu_limit(void)
{
	double cpus = cgroup_limit_cpus();

	if (isnan(cpus))
		return json_null();
	return isinf(cpus) ? json_string("none") : json_number(cpus);
}

void environment_add_context(json_t *map)
{
	const char *preload = getenv("LD_PRELOAD");
	int nice;

	errno = 0;
	nice = getpriority(PRIO_PROCESS, 0);
	set(map, "process.cpus", allowed_cpus());
	set(map, "process.nice", errno ? json_null() : json_integer(nice));
	set(map, "process.policy", policy());
	set(map, "process.ld_preload", json_text(preload && *preload ? preload : "none"));
	set(map, "process.cgroup_cpus", cpu_limit());
}
