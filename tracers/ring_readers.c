// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Processes rather than threads: wait4() then tells what reading cost, and nothing of it stands in
 * the accounts of the process that starts the work. Reading page by page is the cheapest way
 * (.11 us an event where reading the text pipe takes 1.35), and taking pages whole with splice()
 * is no cheaper. A child only makes system calls on memory that is there already.
 */
#include "tracers/ring_readers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/xalloc.h"

#define BUFFER_BYTES (256u * 1024)
#define POLL_NS (20 * NS_PER_MS)
#define DRAIN_TRIES 50 /* reads of 0 in a row that are believed to be the end */

#define START_TIMEOUT_NS (30 * NS_PER_S)

enum failure { FAILURE_NONE, FAILURE_OPEN, FAILURE_READ, FAILURE_SPOOL };

struct reader_result {
	uint64_t bytes;
	int failure, error;
};

/* In memory that the readers share with us. */
struct ring_readers_shared {
	_Atomic uint32_t ready; /* futex: how many have opened their pipe, or failed to */
	_Atomic uint32_t drain; /* futex: 1 once nothing is recorded any more */
	size_t size;
	struct reader_result results[];
};

/* What a reader works with. */
struct reading {
	int raw_fd, spool_fd;
	unsigned char *buffer;
	size_t page_size, capacity, fill;
	struct ring_readers_shared *shared;
	struct reader_result *result;
};

/* What a reader collects pages in before it writes them. */
struct memory {
	void *start;
	size_t size;
};

/* Until the word changes, or for ns (less than a second). */
static void futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t ns)
{
	const struct timespec time = { .tv_nsec = ns };

	syscall(SYS_futex, word, FUTEX_WAIT, value, &time, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static int fail(struct reading *reading, enum failure failure, int error)
{
	reading->result->failure = failure;
	reading->result->error = error;
	return -1;
}

static int spool(struct reading *reading)
{
	size_t done = 0;
	ssize_t n;

	while (done < reading->fill) {
		n = write(reading->spool_fd, reading->buffer + done, reading->fill - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(reading, FAILURE_SPOOL, errno);
		done += (size_t)n;
	}
	reading->fill = 0;
	return 0;
}

/* Takes pages until none is there: 0 for EAGAIN (empty), 1 for a read of 0, -1 for a failure. */
static int take_pages(struct reading *reading)
{
	ssize_t n;

	for (;;) {
		n = read(reading->raw_fd, reading->buffer + reading->fill, reading->page_size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : fail(reading, FAILURE_READ, errno);
		if (n == 0)
			return 1;
		if ((size_t)n != reading->page_size)
			return fail(reading, FAILURE_READ, EMSGSIZE);
		reading->result->bytes += (uint64_t)n;
		reading->fill += (size_t)n;
		if (reading->fill == reading->capacity && spool(reading))
			return -1;
	}
}

static int read_until_drained(struct reading *reading)
{
	int rc, zeroes = 0;
	bool last;

	for (;;) {
		/* Looked at before: what was recorded until then is met by this pass. */
		last = atomic_load(&reading->shared->drain);
		rc = take_pages(reading);
		if (rc < 0)
			return rc;
		if (!last) {
			futex_wait(&reading->shared->drain, 0, POLL_NS);
			continue;
		}
		if (rc == 0 || ++zeroes >= DRAIN_TRIES)
			return spool(reading);
		clock_sleep_ns(NS_PER_MS);
	}
}

/* The journal, devices and sockets of the parent are none of a reader's business. */
static void close_others(int a, int b)
{
	unsigned int low = (unsigned int)(a < b ? a : b), high = (unsigned int)(a < b ? b : a);

	if (low > 3)
		close_range(3, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
}

static void become_reader(pid_t parent, unsigned int cpu)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	unsigned long mask[128] = { 0 };
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	prctl(PR_SET_NAME, "brunt-reader");
	setpgid(0, 0);
	for (int sig = 1; sig < 32; sig++)
		sigaction(sig, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (size <= sizeof(mask)) {
		CPU_SET_S(cpu, size, (cpu_set_t *)mask);
		sched_setaffinity(0, size, (cpu_set_t *)mask); /* fails for one that is offline */
	}
}

/*
 * The pipe is opened here and not by the parent: any close() of a copy of the descriptor tells
 * the kernel to let waiting readers go, and reading an empty buffer then gives 0 for EAGAIN.
 */
static int open_pipe(struct reading *reading, int tracefs, unsigned int cpu)
{
	char path[64];

	snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	reading->raw_fd = openat(tracefs, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (reading->raw_fd < 0)
		fail(reading, FAILURE_OPEN, errno);
	atomic_fetch_add(&reading->shared->ready, 1);
	futex_wake(&reading->shared->ready);
	return reading->raw_fd < 0 ? -1 : 0;
}

static pid_t start_reader(struct ring_readers *readers, size_t i, int tracefs, size_t page_size,
			  struct memory *memory)
{
	struct reading reading = {
		.spool_fd = readers->v[i].spool_fd,
		.buffer = memory->start,
		.page_size = page_size,
		.capacity = memory->size / page_size * page_size,
		.shared = readers->shared,
		.result = &readers->shared->results[i],
	};
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	become_reader(parent, readers->v[i].cpu);
	close_others(tracefs, reading.spool_fd);
	_exit(open_pipe(&reading, tracefs, readers->v[i].cpu) || read_until_drained(&reading));
}

/* A spool a CPU stays open: as many as the hard limit lets us have. */
static void raise_file_limit(size_t wanted)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int make_spool(int folder_fd)
{
	static const char name[] = ".spool";
	int fd = openat(folder_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	/* overlayfs of old kernels, NFS and others have no nameless files. */
	fd = openat(folder_fd, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		unlinkat(folder_fd, name, 0);
	return fd;
}

static int start_one(struct ring_readers *readers, size_t i, int tracefs, int folder_fd,
		     size_t page_size, struct memory *memory, struct err *err)
{
	struct ring_reader *reader = &readers->v[i];

	reader->spool_fd = make_spool(folder_fd);
	if (reader->spool_fd < 0)
		return err_sys(err, errno, "spool file of the trace in the run's folder");
	readers->pids[i] = start_reader(readers, i, tracefs, page_size, memory);
	if (readers->pids[i] < 0)
		return err_sys(err, errno, "starting the trace reader of CPU %u", reader->cpu);
	return 0;
}

static int wait_until_ready(struct ring_readers *readers, struct err *err)
{
	int64_t end = clock_mono_ns() + START_TIMEOUT_NS;
	const struct reader_result *result;
	uint32_t ready;

	while ((ready = atomic_load(&readers->shared->ready)) < readers->n) {
		if (clock_mono_ns() > end)
			return err_set(err, ETIMEDOUT, "the trace readers do not start");
		futex_wait(&readers->shared->ready, ready, 100 * NS_PER_MS);
	}
	for (size_t i = 0; i < readers->n; i++) {
		result = &readers->shared->results[i];
		if (result->failure == FAILURE_OPEN)
			return err_sys(err, result->error, "tracefs: trace_pipe_raw of CPU %u",
				       readers->v[i].cpu);
	}
	return 0;
}

static struct ring_readers_shared *new_shared(size_t n)
{
	size_t size = sizeof(struct ring_readers_shared) + n * sizeof(struct reader_result);
	struct ring_readers_shared *shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
						  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return NULL;
	shared->size = size;
	return shared;
}

static struct ring_readers *new_readers(const unsigned int *cpus, size_t n)
{
	struct ring_readers *readers = xcalloc(1, sizeof(*readers));

	readers->v = xcalloc(n, sizeof(*readers->v));
	readers->pids = xcalloc(n, sizeof(*readers->pids));
	readers->n = n;
	for (size_t i = 0; i < n; i++) {
		readers->v[i] = (struct ring_reader){ .cpu = cpus[i], .spool_fd = -1 };
		readers->pids[i] = -1;
	}
	return readers;
}

int ring_readers_start(struct ring_readers **out, int tracefs, int folder_fd,
		       const unsigned int *cpus, size_t n, size_t page_size, struct err *err)
{
	/* Each child gets its own copy of these pages when it writes to them. */
	struct memory memory = { .size = page_size > BUFFER_BYTES ? page_size : BUFFER_BYTES };
	struct ring_readers *readers = new_readers(cpus, n);
	int rc = 0;

	raise_file_limit(n + 256);
	memory.start = mmap(NULL, memory.size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	readers->shared = new_shared(n);
	if (memory.start == MAP_FAILED || !readers->shared)
		rc = err_sys(err, ENOMEM, "memory of the trace readers");
	for (size_t i = 0; !rc && i < n; i++)
		rc = start_one(readers, i, tracefs, folder_fd, page_size, &memory, err);
	if (!rc)
		rc = wait_until_ready(readers, err);
	if (memory.start != MAP_FAILED)
		munmap(memory.start, memory.size);
	if (rc) {
		ring_readers_free(readers);
		return rc;
	}
	*out = readers;
	return 0;
}

static int reader_error(const struct ring_readers *readers, size_t i, int status, struct err *err)
{
	const struct reader_result *result = &readers->shared->results[i];
	unsigned int cpu = readers->v[i].cpu;

	if (result->failure == FAILURE_SPOOL)
		return err_sys(err, result->error, "writing the spool of the trace of CPU %u", cpu);
	if (result->failure == FAILURE_READ)
		return err_sys(err, result->error, "reading the trace of CPU %u", cpu);
	if (WIFSIGNALED(status))
		return err_set(err, EINTR, "the trace reader of CPU %u was ended by signal %d", cpu,
			       WTERMSIG(status));
	if (status)
		return err_set(err, EIO, "the trace reader of CPU %u failed", cpu);
	return 0;
}

int ring_readers_finish(struct ring_readers *readers, struct err *err)
{
	struct rusage usage;
	int status, rc = 0, one;

	atomic_store(&readers->shared->drain, 1);
	futex_wake(&readers->shared->drain);
	for (size_t i = 0; i < readers->n; i++) {
		if (readers->pids[i] <= 0)
			continue;
		one = process_wait(readers->pids[i], &status, &usage);
		readers->pids[i] = -1;
		if (!one) {
			readers->cpu_s += (double)(rusage_user_ns(&usage) +
						   rusage_sys_ns(&usage)) / NS_PER_S;
			one = reader_error(readers, i, status, rc ? NULL : err);
		} else if (!rc) {
			err_sys(err, -one, "waiting for the trace reader of CPU %u",
				readers->v[i].cpu);
		}
		rc = rc ? rc : one;
		readers->v[i].bytes = readers->shared->results[i].bytes;
	}
	return rc;
}

void ring_readers_free(struct ring_readers *readers)
{
	if (!readers)
		return;
	for (size_t i = 0; i < readers->n; i++) {
		if (readers->pids[i] > 0) {
			kill(readers->pids[i], SIGKILL);
			process_wait(readers->pids[i], NULL, NULL);
		}
		close_fd(&readers->v[i].spool_fd);
	}
	if (readers->shared)
		munmap(readers->shared, readers->shared->size);
	free(readers->pids);
	free(readers->v);
	free(readers);
}
