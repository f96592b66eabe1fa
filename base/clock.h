// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_CLOCK_H
#define BRUNT_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC: the only clock that durations are made of. */
int64_t clock_mono_ns(void);

/* Nanoseconds of CLOCK_BOOTTIME: counts suspend too, orders the runs of one boot. */
int64_t clock_boot_ns(void);

/* The wall clock as "2026-11-30T12:07:51Z", a label only; out has room for 32 bytes. */
void clock_wall_text(char out[32]);

/* Sleeps for ns nanoseconds, or less where a signal comes. */
void clock_sleep_ns(int64_t ns);

#define NS_PER_S 1000000000LL
#define NS_PER_MS 1000000LL

#endif
