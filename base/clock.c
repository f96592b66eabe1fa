// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/clock.h"

#include <time.h>

static int64_t read_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t clock_mono_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

int64_t clock_boot_ns(void)
{
	return read_ns(CLOCK_BOOTTIME);
}

void clock_wall_text(char out[32])
{
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void clock_sleep_ns(int64_t ns)
{
	struct timespec ts = { .tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S };

	if (ns > 0)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}
