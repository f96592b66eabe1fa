// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A program that meets EBUSY because somebody (udev, as a rule) looks at the device just then is
 * tried again for a bounded time. The tries are counted and stay inside the reported times: what
 * they cost cannot be told from what the phase would have cost otherwise.
 */
#include "workloads/storm_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/process.h"
#include "machine/mount_ns.h"
#include "workloads/storm_fill.h"
#include "workloads/storm_uuid.h"

#define RETRY_PAUSE_NS (10 * NS_PER_MS)
#define RETRY_MOST 100

/* All that the timed part needs, made before the gate. */
struct worker {
	const struct storm_job *job;
	const struct storm_task *task;
	struct storm_record *record;
	int diskseq; /* the file in sysfs; -1: there is none */
	int log; /* memfd that takes the programs' words */
	off_t log_start; /* where those of the current one begin */
	char fill_path[256];
	char *mount_argv[8], *umount_argv[4];
};

const char *storm_phase_name(enum storm_phase phase)
{
	static const char *const names[] = { "mkfs", "mount", "fill", "umount" };

	return names[phase];
}

static int64_t thread_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static int fail(struct worker *worker, enum storm_phase phase, int error, int wait_status)
{
	struct storm_failure *failure = &worker->record->failure;

	failure->phase = phase;
	failure->error = error;
	failure->wait_status = wait_status;
	failure->failed = true;
	return -1;
}

static void read_words(struct worker *worker)
{
	ssize_t n = pread(worker->log, worker->record->words, sizeof(worker->record->words) - 1,
			  worker->log_start);

	worker->record->words[n > 0 ? n : 0] = '\0';
}

/* Did the program fail because the device was busy? */
static bool words_say_busy(const struct worker *worker)
{
	return strstr(worker->record->words, "in use") || strstr(worker->record->words, "busy") ||
	       strstr(worker->record->words, "is mounted");
}

/* Runs a program once: 0, -EBUSY to try again, or -1 with the failure said. */
static int run_once(struct worker *worker, enum storm_phase phase, const char *path,
		    char *const *argv)
{
	struct rusage usage;
	int status, rc;
	pid_t pid;

	worker->log_start = lseek(worker->log, 0, SEEK_CUR);
	pid = process_spawn(path, argv, worker->job->envp, worker->log, worker->log);
	if (pid < 0)
		return fail(worker, phase, -pid, 0);
	worker->record->child = pid;
	rc = process_wait(pid, &status, &usage);
	worker->record->child = 0;
	if (rc)
		return fail(worker, phase, -rc, 0);
	worker->record->times[phase].cpu_ns += rusage_user_ns(&usage) + rusage_sys_ns(&usage);
	if (status == 0)
		return 0;
	read_words(worker);
	if (WIFEXITED(status) && words_say_busy(worker))
		return -EBUSY;
	return fail(worker, phase, 0, status);
}

static bool may_retry(struct worker *worker, int tries, int64_t started_ns)
{
	if (tries >= RETRY_MOST)
		return false;
	clock_sleep_ns(RETRY_PAUSE_NS);
	worker->record->retries++;
	worker->record->retry_ns += clock_mono_ns() - started_ns;
	return true;
}

static int run_program(struct worker *worker, enum storm_phase phase, const char *path,
		       char *const *argv)
{
	int64_t started_ns;
	int rc;

	for (int tries = 0;; tries++) {
		started_ns = clock_mono_ns();
		rc = run_once(worker, phase, path, argv);
		if (rc != -EBUSY)
			return rc;
		if (!may_retry(worker, tries, started_ns))
			return fail(worker, phase, EBUSY, 0);
		worker->record->words[0] = '\0';
	}
}

/* A name may be another disk's by now, in the middle of a run even. */
static bool is_same_disk(const struct worker *worker)
{
	const struct storm_task *task = worker->task;
	char text[32];
	struct stat st;
	ssize_t n;

	if (!task->number)
		return true;
	if (stat(task->device, &st) < 0 || !S_ISBLK(st.st_mode) || st.st_rdev != task->number)
		return false;
	if (worker->diskseq < 0)
		return true;
	n = pread(worker->diskseq, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return !strcmp(text, task->diskseq);
}

static int do_mkfs(struct worker *worker)
{
	if (!is_same_disk(worker))
		return fail(worker, STORM_MKFS, ESTALE, 0);
	return run_program(worker, STORM_MKFS, worker->job->mkfs_path, worker->task->mkfs_argv);
}

static int call_mount(const struct worker *worker)
{
	const struct storm_job *job = worker->job;

	return mount(worker->task->device, worker->task->mount_point, job->fs, job->mount_flags,
		     job->mount_data);
}

static int call_umount(const struct worker *worker)
{
	return umount2(worker->task->mount_point, UMOUNT_NOFOLLOW);
}

static int call_repeatedly(struct worker *worker, enum storm_phase phase,
			   int (*call)(const struct worker *))
{
	int64_t started_ns;

	for (int tries = 0;; tries++) {
		started_ns = clock_mono_ns();
		if (call(worker) == 0)
			return 0;
		if (errno != EBUSY)
			return fail(worker, phase, errno, 0);
		if (!may_retry(worker, tries, started_ns))
			return fail(worker, phase, EBUSY, 0);
	}
}

static int do_mount(struct worker *worker)
{
	if (worker->job->mount_path)
		return run_program(worker, STORM_MOUNT, worker->job->mount_path,
				   worker->mount_argv);
	return call_repeatedly(worker, STORM_MOUNT, call_mount);
}

static int do_umount(struct worker *worker)
{
	if (worker->job->umount_path)
		return run_program(worker, STORM_UMOUNT, worker->job->umount_path,
				   worker->umount_argv);
	return call_repeatedly(worker, STORM_UMOUNT, call_umount);
}

static int do_fill(struct worker *worker)
{
	const struct storm_job *job = worker->job;
	int fd, rc;

	if (!job->fill)
		return 0;
	fd = open(worker->fill_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(worker, STORM_FILL, errno, 0);
	rc = storm_fill_write(fd, job->pattern, worker->task->fill_seed + worker->record->cycles,
			      job->fill);
	if (close(fd) < 0 && !rc)
		rc = -errno;
	return rc ? fail(worker, STORM_FILL, -rc, 0) : 0;
}

/* In lockstep all begin a phase together, and take turns inside it. */
static void begin_phase(const struct worker *worker)
{
	if (!worker->job->lockstep)
		return;
	barrier_wait(worker->job->barrier);
	barrier_take_turn(worker->job->barrier);
}

static void end_phase(const struct worker *worker)
{
	if (worker->job->lockstep)
		barrier_end_turn(worker->job->barrier);
}

static int timed(struct worker *worker, enum storm_phase phase, int (*work)(struct worker *))
{
	struct storm_phase_times *times = &worker->record->times[phase];
	int64_t cpu_ns, start_ns, end_ns;
	int rc;

	worker->record->phase = phase;
	begin_phase(worker);
	cpu_ns = thread_cpu_ns();
	start_ns = clock_mono_ns();
	rc = work(worker);
	end_ns = clock_mono_ns();
	end_phase(worker);
	if (!times->first_start_ns)
		times->first_start_ns = start_ns;
	times->last_end_ns = end_ns;
	times->sum_ns += end_ns - start_ns;
	times->cpu_ns += thread_cpu_ns() - cpu_ns;
	return rc;
}

static int do_cycle(struct worker *worker)
{
	storm_uuid_set_cycle(worker->task->uuid, worker->record->cycles);
	if (timed(worker, STORM_MKFS, do_mkfs) || timed(worker, STORM_MOUNT, do_mount))
		return -1;
	if (timed(worker, STORM_FILL, do_fill)) {
		/* The phase that failed is said already; the device must not stay mounted. */
		umount2(worker->task->mount_point, UMOUNT_NOFOLLOW);
		return -1;
	}
	if (timed(worker, STORM_UMOUNT, do_umount))
		return -1;
	worker->record->cycles++;
	return 0;
}

static void make_argvs(struct worker *worker)
{
	const struct storm_job *job = worker->job;
	char **p = worker->mount_argv;

	*p++ = (char *)"mount";
	*p++ = (char *)"-t";
	*p++ = (char *)job->fs;
	if (job->mount_text) {
		*p++ = (char *)"-o";
		*p++ = (char *)job->mount_text;
	}
	*p++ = (char *)worker->task->device;
	*p = (char *)worker->task->mount_point;
	worker->umount_argv[0] = (char *)"umount";
	worker->umount_argv[1] = (char *)worker->task->mount_point;
}

/* Everything that the timed part would otherwise do for the first time. */
static int get_ready(struct worker *worker)
{
	const struct storm_task *task = worker->task;
	struct rusage usage;
	int rc;

	if (worker->job->mount_ns >= 0) {
		rc = mount_ns_enter(worker->job->mount_ns);
		if (rc)
			return fail(worker, STORM_MOUNT, -rc, 0);
	}
	if (mkdir(task->mount_point, 0700) < 0 && errno != EEXIST)
		return fail(worker, STORM_MOUNT, errno, 0);
	rc = task->cpus ? cpu_list_apply(task->cpus) : 0;
	if (rc)
		return fail(worker, STORM_MKFS, -rc, 0);
	worker->diskseq = task->diskseq ? open(task->diskseq_path, O_RDONLY | O_CLOEXEC) : -1;
	if (task->diskseq && worker->diskseq < 0)
		return fail(worker, STORM_MKFS, errno, 0);
	worker->log = files_open_memory("brunt-words");
	if (worker->log < 0)
		return fail(worker, STORM_MKFS, -worker->log, 0);
	make_argvs(worker);
	snprintf(worker->fill_path, sizeof(worker->fill_path), "%s/" STORM_FILL_NAME,
		 task->mount_point);
	if (worker->job->fill)
		*(volatile unsigned char *)worker->job->pattern = 0; /* a page of its own */
	storm_uuid_set_cycle(task->uuid, 0);
	getrusage(RUSAGE_SELF, &usage);
	worker->record->ready_user_ns = rusage_user_ns(&usage);
	worker->record->ready_sys_ns = rusage_sys_ns(&usage);
	return 0;
}

/* All cycles; one device's turn, where not phases take turns. */
static int do_cycles(struct worker *worker)
{
	const struct storm_job *job = worker->job;
	int rc = 0;

	if (!job->lockstep)
		barrier_take_turn(job->barrier);
	while (!rc && worker->record->cycles < job->repeat)
		rc = do_cycle(worker);
	if (!job->lockstep)
		barrier_end_turn(job->barrier);
	return rc;
}

int storm_worker_run(const struct storm_job *job, const struct storm_task *task)
{
	struct worker worker = { .job = job, .task = task, .record = task->record };
	int failed = get_ready(&worker);

	/* One that cannot work comes to the gate as well, so that nobody waits for it in vain. */
	worker.record->failure.preparing = failed != 0;
	if (gate_wait(job->gate))
		return 1;
	if (!failed) {
		worker.record->wake_ns = clock_mono_ns();
		getcpu(&worker.record->cpu, &worker.record->node);
		failed = do_cycles(&worker);
	}
	/* Also at the end: those of other devices may need more tries. */
	barrier_resign(job->barrier);
	return failed ? 1 : 0;
}
