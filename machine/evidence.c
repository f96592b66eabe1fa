// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/units.h"
#include "base/xalloc.h"

#define CPU_FOLDER "/sys/devices/system/cpu"

enum { RECORD_MAX = 8192, RECORDS_MAX = 10000, WARNING_LEVEL = 4 };

/* ---- per CPU ---- */

static bool read_count(int cpu, const char *file, uint64_t *value)
{
	char path[128], line[32];

	snprintf(path, sizeof(path), CPU_FOLDER "/cpu%d/%s", cpu, file);
	return files_read_line_at(AT_FDCWD, path, line, sizeof(line)) == 0 &&
	       units_parse_u64(line, value) == 0;
}

static int64_t sum_of_cpus(const char *file)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int64_t sum = -1;
	uint64_t value;

	for (int cpu = 0; cpu < cpus; cpu++)
		if (read_count(cpu, file, &value))
			sum = (sum < 0 ? 0 : sum) + (int64_t)value;
	return sum;
}

static int64_t most_of_cpus(const char *file)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int64_t most = -1;
	uint64_t value;

	for (int cpu = 0; cpu < cpus; cpu++)
		if (read_count(cpu, file, &value) && (int64_t)value > most)
			most = (int64_t)value;
	return most;
}

static int64_t count_throttled(void)
{
	int64_t cores = sum_of_cpus("thermal_throttle/core_throttle_count");
	int64_t packages = sum_of_cpus("thermal_throttle/package_throttle_count");

	return cores < 0 ? packages : packages < 0 ? cores : cores + packages;
}

/* The fourth field of /proc/loadavg: "2/345", ourselves among the two. */
static int64_t count_running(void)
{
	long long running;
	char line[128];

	if (files_read_line_at(AT_FDCWD, "/proc/loadavg", line, sizeof(line)) ||
	    sscanf(line, "%*s %*s %*s %lld/", &running) != 1)
		return -1;
	return running > 0 ? running - 1 : 0;
}

/* ---- the kernel's log ---- */

const char *evidence_kernel_warning(const char *record, size_t *len)
{
	char *end;
	unsigned long priority = strtoul(record, &end, 10);
	const char *message = strchr(record, ';');

	/* facility 0 is the kernel itself */
	if (end == record || *end != ',' || !message || priority > WARNING_LEVEL)
		return NULL;
	*len = strcspn(message + 1, "\n");
	return message + 1;
}

static void read_log(struct evidence *evidence)
{
	char record[RECORD_MAX + 1];
	const char *message;
	size_t len;
	ssize_t n;

	for (int i = 0; i < RECORDS_MAX; i++) {
		n = read(evidence->kmsg, record, RECORD_MAX);
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue; /* some were overwritten */
		if (n <= 0)
			return;
		record[n] = '\0';
		message = evidence_kernel_warning(record, &len);
		if (message && !evidence->warnings++)
			snprintf(evidence->first_warning, sizeof(evidence->first_warning), "%.*s",
				 (int)len, message);
	}
}

void evidence_begin(struct evidence *evidence)
{
	*evidence = (struct evidence){ .max_khz = -1, .throttled = -1 };
	evidence->kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (evidence->kmsg >= 0 && lseek(evidence->kmsg, 0, SEEK_END) < 0)
		close_fd(&evidence->kmsg);
	evidence->throttled_before = count_throttled();
	evidence->running = count_running();
}

void evidence_worked(struct evidence *evidence)
{
	evidence->max_khz = most_of_cpus("cpufreq/scaling_cur_freq");
}

void evidence_end(struct evidence *evidence)
{
	int64_t throttled = count_throttled();

	if (throttled >= 0 && evidence->throttled_before >= 0)
		evidence->throttled = throttled - evidence->throttled_before;
	if (evidence->kmsg >= 0)
		read_log(evidence);
	close_fd(&evidence->kmsg);
}
