// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_ACCOUNTING_H
#define BRUNT_MACHINE_ACCOUNTING_H

#include <stdint.h>

#include "base/err.h"

/*
 * CPU time that no child of ours has: kernel threads (loop workers, writeback, jbd2) from the
 * sum of /proc/PID/schedstat over the children of kthreadd, and the whole machine from
 * /proc/stat. Threads come and go and are renamed: they are matched by pid and start time; of
 * one that ended in between, the time since the last look is lost (/proc/stat is the check).
 */
struct accounting; /* a look at all kernel threads and /proc/stat */

/* All in seconds; NAN where unknown. */
struct accounting_change {
	double kthread_s;  /* CPU of kernel threads, the idle rate times the span taken off, >= 0 */
	double busy_s;	   /* user + nice + system + irq + softirq of all CPUs (sampled by tick) */
	double irq_s, softirq_s, iowait_s, steal_s;
	double span_s;	   /* wall time between the looks */
};

/*
 * A look costs about 20 us a task, none of it in kernel threads. kthread_s is unknown where pid 2
 * is not kthreadd (in a pid namespace, with hidepid) or the kernel keeps no schedstat.
 */
int accounting_look(struct accounting **out, struct err *err);

/* The same in another folder than /proc, given by its descriptor. */
int accounting_look_at(int proc, struct accounting **out, struct err *err);
void accounting_free(struct accounting *look);

/*
 * From look a to look b. idle_rate is CPU seconds of kernel threads a second when idle;
 * NAN takes nothing off.
 */
void accounting_between(const struct accounting *a, const struct accounting *b, double idle_rate,
			struct accounting_change *change);

/*
 * What busy_s is made of, up to now, in nanoseconds: a short read of /proc/stat, for spans in which
 * nothing may be disturbed. Sampled by tick. -EINVAL where the kernel tells otherwise.
 */
int accounting_busy_ns(int64_t *out);

/* Watches an idle span for ns nanoseconds and gives the rate; NAN where unknown or interrupted. */
double accounting_idle_rate(int64_t ns);

/*
 * Waits until kernel threads are (nearly) quiet: two windows of 20 ms in which they took less
 * than 5 % of a CPU above idle_rate. -ETIMEDOUT after timeout_ns, -EINTR after an interrupt. Where
 * kernel threads cannot be seen there is nothing to wait for: 0 after one window.
 */
int accounting_settle(double idle_rate, int64_t timeout_ns);

#endif
