// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Half and more of what a storm costs is spent by threads of the kernel and stands in nobody's
 * rusage. schedstat counts it in nanoseconds, where /proc/stat only samples at the tick, so the
 * threads are the figure and /proc/stat is the check.
 */
#include "machine/accounting.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/xalloc.h"

#define KTHREADD_PID 2
#define PF_KTHREAD 0x00200000UL /* in the flags of /proc/PID/stat, the same since 2.6.27 */
#define QUIET_WINDOW_NS (20 * NS_PER_MS)
#define QUIET_CPU 0.05

struct thread {
	int pid;
	uint64_t start; /* clock ticks after boot */
	uint64_t cpu_ns;
};

/* The first line of /proc/stat, in clock ticks. */
struct cpu_ticks {
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal;
};

struct accounting {
	int64_t when_ns;
	struct thread *threads; /* by pid */
	size_t n, cap;
	bool threads_known, ticks_known;
	struct cpu_ticks ticks;
};

static ssize_t read_small(int dir, const char *path, char *out, size_t size)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, out, size - 1);
	if (n < 0)
		n = -errno;
	else
		out[n] = '\0';
	close(fd);
	return n;
}

/* What /proc/PID/stat says of a task. */
struct task {
	int ppid;
	unsigned long flags;
	uint64_t start;
};

static int read_task(int proc, const char *pid, struct task *task)
{
	char path[32], text[1024], *p;
	ssize_t n;

	snprintf(path, sizeof(path), "%.16s/stat", pid);
	n = read_small(proc, path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	p = strrchr(text, ')'); /* the name before it may hold anything */
	if (!p)
		return -EINVAL;
	if (sscanf(p + 1,
		   " %*c %d %*d %*d %*d %*d %lu %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d"
		   " %" SCNu64,
		   &task->ppid, &task->flags, &task->start) != 3)
		return -EINVAL;
	return 0;
}

static int read_cpu_ns(int proc, const char *pid, uint64_t *ns)
{
	char path[32], text[128];
	ssize_t n;

	snprintf(path, sizeof(path), "%.16s/schedstat", pid);
	n = read_small(proc, path, text, sizeof(text));
	if (n < 0)
		return (int)n;
	return sscanf(text, "%" SCNu64, ns) == 1 ? 0 : -EINVAL;
}

/* Inside a pid namespace pid 2 is somebody else, and the kernel's threads are not to be seen. */
static bool kthreadd_seen(int proc)
{
	struct task task;

	return read_task(proc, "2", &task) == 0 && (task.flags & PF_KTHREAD);
}

/* A task that ends under our eyes is left out: it counts as gone. */
static void look_at_task(struct accounting *look, int proc, const char *name)
{
	struct thread thread = { .pid = atoi(name) };
	struct task task;

	if (read_task(proc, name, &task))
		return;
	if (task.ppid != KTHREADD_PID && thread.pid != KTHREADD_PID)
		return;
	if (read_cpu_ns(proc, name, &thread.cpu_ns))
		return;
	thread.start = task.start;
	GROW(look->threads, look->n, look->cap);
	look->threads[look->n++] = thread;
}

static int by_pid(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static int look_at_threads(struct accounting *look, int proc)
{
	uint64_t sum = 0;
	struct dirent *entry;
	DIR *dir;
	int fd;

	if (!kthreadd_seen(proc))
		return 0;
	fd = openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		return -error;
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			look_at_task(look, proc, entry->d_name);
	closedir(dir);
	if (look->n)
		qsort(look->threads, look->n, sizeof(look->threads[0]), by_pid);
	for (size_t i = 0; i < look->n; i++)
		sum += look->threads[i].cpu_ns;
	/* Without CONFIG_SCHED_INFO the file is missing, or all of it reads 0. */
	look->threads_known = sum > 0;
	return 0;
}

static int look_at_stat(struct accounting *look, int proc, const char *path)
{
	struct cpu_ticks *t = &look->ticks;
	char text[256];
	ssize_t n = read_small(proc, path, text, sizeof(text));

	if (n < 0)
		return (int)n;
	look->ticks_known = sscanf(text,
				   "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
				   " %" SCNu64 " %" SCNu64 " %" SCNu64,
				   &t->user, &t->nice, &t->system, &t->idle, &t->iowait, &t->irq,
				   &t->softirq, &t->steal) == 8;
	return 0;
}

int accounting_look_at(int proc, struct accounting **out, struct err *err)
{
	struct accounting *look = xcalloc(1, sizeof(*look));
	int rc;

	look->when_ns = clock_mono_ns();
	rc = look_at_stat(look, proc, "stat");
	if (rc)
		err_sys(err, -rc, "/proc/stat");
	if (!rc) {
		rc = look_at_threads(look, proc);
		if (rc)
			err_sys(err, -rc, "/proc");
	}
	if (rc) {
		accounting_free(look);
		return rc;
	}
	*out = look;
	return 0;
}

int accounting_look(struct accounting **out, struct err *err)
{
	auto_close int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (proc < 0)
		return err_sys(err, errno, "/proc");
	return accounting_look_at(proc, out, err);
}

void accounting_free(struct accounting *look)
{
	if (!look)
		return;
	free(look->threads);
	free(look);
}

/* What the threads of b used since a; one that a does not know is new and counts from 0. */
static uint64_t threads_between(const struct accounting *a, const struct accounting *b)
{
	uint64_t sum = 0, before;
	size_t i = 0;

	for (size_t j = 0; j < b->n; j++) {
		const struct thread *now = &b->threads[j];

		while (i < a->n && a->threads[i].pid < now->pid)
			i++;
		before = 0;
		if (i < a->n && a->threads[i].pid == now->pid && a->threads[i].start == now->start)
			before = a->threads[i].cpu_ns;
		if (now->cpu_ns > before)
			sum += now->cpu_ns - before;
	}
	return sum;
}

/* The kernel lets some of these run backwards a little (iowait, and all when a CPU goes off). */
static double ticks_s(uint64_t from, uint64_t to)
{
	return to > from ? (double)(to - from) / (double)sysconf(_SC_CLK_TCK) : 0;
}

static uint64_t busy(const struct cpu_ticks *t)
{
	return t->user + t->nice + t->system + t->irq + t->softirq;
}

int accounting_busy_ns(int64_t *out)
{
	struct accounting look = { 0 };
	int rc = look_at_stat(&look, AT_FDCWD, "/proc/stat");

	if (rc || !look.ticks_known)
		return rc ? rc : -EINVAL;
	*out = (int64_t)(ticks_s(0, busy(&look.ticks)) * NS_PER_S);
	return 0;
}

void accounting_between(const struct accounting *a, const struct accounting *b, double idle_rate,
			struct accounting_change *change)
{
	const struct cpu_ticks *from = &a->ticks, *to = &b->ticks;
	struct accounting_change c = { NAN, NAN, NAN, NAN, NAN, NAN, NAN };

	c.span_s = (double)(b->when_ns - a->when_ns) / NS_PER_S;
	if (a->threads_known && b->threads_known) {
		c.kthread_s = (double)threads_between(a, b) / NS_PER_S;
		if (!isnan(idle_rate))
			c.kthread_s = fmax(0, c.kthread_s - idle_rate * c.span_s);
	}
	if (a->ticks_known && b->ticks_known) {
		c.busy_s = ticks_s(busy(from), busy(to));
		c.irq_s = ticks_s(from->irq, to->irq);
		c.softirq_s = ticks_s(from->softirq, to->softirq);
		c.iowait_s = ticks_s(from->iowait, to->iowait);
		c.steal_s = ticks_s(from->steal, to->steal);
	}
	*change = c;
}

/* Looks, sleeps, looks: 0 or a negative errno of the sleep or of a look. */
static int watch(int64_t ns, double idle_rate, struct accounting_change *change)
{
	struct accounting *a = NULL, *b = NULL;
	int rc;

	rc = accounting_look(&a, NULL);
	if (!rc)
		rc = interrupt_sleep_ns(ns);
	if (!rc)
		rc = accounting_look(&b, NULL);
	if (!rc)
		accounting_between(a, b, idle_rate, change);
	accounting_free(a);
	accounting_free(b);
	return rc;
}

double accounting_idle_rate(int64_t ns)
{
	struct accounting_change change;

	if (watch(ns, 0, &change) || change.span_s <= 0)
		return NAN;
	return change.kthread_s / change.span_s;
}

int accounting_settle(double idle_rate, int64_t timeout_ns)
{
	int64_t end = clock_mono_ns() + timeout_ns;
	struct accounting_change change;
	int quiet = 0, rc;

	while (quiet < 2) {
		if (clock_mono_ns() >= end)
			return -ETIMEDOUT;
		rc = watch(QUIET_WINDOW_NS, idle_rate, &change);
		if (rc)
			return rc;
		if (isnan(change.kthread_s))
			return 0;
		quiet = change.kthread_s < QUIET_CPU * change.span_s ? quiet + 1 : 0;
	}
	return 0;
}
