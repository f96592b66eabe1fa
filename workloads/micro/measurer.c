// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/micro/measurer.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/gate.h"
#include "workloads/micro/partner.h"

/* STUCK_S: without an open or a batch coming to its end; longer than any of them may block. */
enum { READY_TIMEOUT_S = 180, STUCK_S = 40, LOOK_MS = 5000 };

struct micro_measurer {
	const struct micro_job *job;
	struct gate *gate;
	struct micro_outcome *outcome;
	size_t outcome_size;
	pid_t pid; /* 0: none, or reaped */
	pid_t group;
	int pidfd;
};

static void set_up_process(const struct micro_job *job)
{
	static const int handled[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = SIG_DFL };
	struct rlimit descriptors;

	setsid();
	for (size_t i = 0; i < ARRAY_SIZE(handled); i++)
		sigaction(handled[i], &action, NULL);
	action.sa_handler = SIG_IGN; /* a partner that has died is an error of a write */
	sigaction(SIGPIPE, &action, NULL);
	if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
		descriptors.rlim_cur = descriptors.rlim_max;
		setrlimit(RLIMIT_NOFILE, &descriptors);
	}
	putenv((char *)"LC_ALL=C");
	for (size_t i = 0; job->environment && i < job->environment->n; i++)
		putenv(job->environment->v[i]);
	micro_pin(job->site->cpu);
}

static void run_measurer(struct micro_measurer *measurer, pid_t parent)
{
	const struct micro_job *job = measurer->job;
	struct micro_outcome *outcome = measurer->outcome;
	void **states = xcalloc(job->n, sizeof(*states));

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	prctl(PR_SET_NAME, "brunt-micro");
	set_up_process(job);
	micro_open(&job->schedule, job->site, job->benches, job->n, outcome->results, states,
		   &outcome->evidence);
	if (gate_wait(measurer->gate))
		_exit(126);
	outcome->start_ns = clock_mono_ns();
	micro_measure(&job->schedule, job->benches, job->n, outcome->results, states,
		      &outcome->evidence);
	outcome->end_ns = clock_mono_ns();
	micro_close(job->benches, job->n, states);
	free(states);
	_exit(0);
}

static int set_up_memory(struct micro_measurer *measurer, size_t n, struct err *err)
{
	void *memory;

	measurer->outcome_size = sizeof(*measurer->outcome) +
				 n * sizeof(measurer->outcome->results[0]);
	measurer->gate = gate_new();
	memory = mmap(NULL, measurer->outcome_size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	measurer->outcome = memory == MAP_FAILED ? NULL : memory;
	if (!measurer->gate || !measurer->outcome)
		return err_sys(err, ENOMEM, "shared memory");
	measurer->outcome->evidence.now = -1;
	return 0;
}

/* "; it was at NAME" where it was at one. */
static int add_bench(const struct micro_measurer *measurer, int rc, struct err *err)
{
	int32_t now = measurer->outcome->evidence.now;

	if (now < 0 || (size_t)now >= measurer->job->n)
		return rc;
	return err_context(err, rc, "%s", measurer->job->benches[now]->name);
}

static int fork_measurer(struct micro_measurer *measurer, struct err *err)
{
	pid_t self = getpid();

	measurer->pid = fork();
	if (measurer->pid == 0)
		run_measurer(measurer, self);
	if (measurer->pid < 0) {
		measurer->pid = 0;
		return err_sys(err, errno, "fork");
	}
	measurer->group = measurer->pid;
	measurer->pidfd = (int)syscall(SYS_pidfd_open, measurer->pid, 0);
	return measurer->pidfd < 0 ? err_sys(err, errno, "pidfd_open") : 0;
}

int micro_measurer_start(const struct micro_job *job, struct micro_measurer **out,
			 struct err *err)
{
	struct micro_measurer *measurer = xcalloc(1, sizeof(*measurer));
	int rc;

	measurer->job = job;
	measurer->pidfd = -1;
	rc = set_up_memory(measurer, job->n, err);
	if (!rc)
		rc = fork_measurer(measurer, err);
	if (!rc) {
		rc = gate_wait_ready(measurer->gate, 1, P_PID, (id_t)measurer->pid,
				     READY_TIMEOUT_S * NS_PER_S);
		if (rc)
			rc = add_bench(measurer,
				       err_sys(err, -rc, "the measuring process did not get ready"),
				       err);
	}
	if (rc) {
		micro_measurer_end(measurer);
		return rc;
	}
	*out = measurer;
	return 0;
}

pid_t micro_measurer_pid(const struct micro_measurer *measurer)
{
	return measurer->pid;
}

static int reap(struct micro_measurer *measurer, struct err *err)
{
	auto_buf struct buf how = BUF_INIT;
	int status = 0;

	process_wait(measurer->pid, &status, NULL);
	measurer->pid = 0;
	if (measurer->outcome->end_ns)
		return 0;
	process_add_status(&how, status);
	return add_bench(measurer, err_set(err, ECHILD, "the measuring process ended: %s", how.s),
			 err);
}

/* It cannot even be interrupted, as where a disk does not answer: what was measured is kept. */
static int give_up(struct micro_measurer *measurer, struct err *err)
{
	struct micro_outcome *outcome = measurer->outcome;
	int32_t now = outcome->evidence.now;

	kill(-measurer->group, SIGKILL);
	if (now < 0 || (size_t)now >= measurer->job->n)
		return err_set(err, ETIMEDOUT, "the measuring process hangs");
	snprintf(outcome->results[now].reason, MICRO_REASON_MAX,
		 "it hangs: not done within %d s, and does not let itself be interrupted", STUCK_S);
	outcome->evidence.stopped = true;
	outcome->end_ns = clock_mono_ns();
	return 0;
}

int micro_measurer_run(struct micro_measurer *measurer, struct err *err)
{
	const struct micro_evidence *evidence = &measurer->outcome->evidence;
	struct pollfd fds[2] = { { .fd = measurer->pidfd, .events = POLLIN },
				 { .fd = interrupt_fd(), .events = POLLIN } };
	int64_t step_ns = gate_open(measurer->gate);
	uint32_t steps = evidence->steps;

	while (!(fds[0].revents & POLLIN) && !interrupt_count()) {
		if (evidence->steps != steps) {
			steps = evidence->steps;
			step_ns = clock_mono_ns();
		} else if (clock_mono_ns() - step_ns > STUCK_S * NS_PER_S) {
			return give_up(measurer, err);
		}
		poll(fds, 2, LOOK_MS);
	}
	if (!(fds[0].revents & POLLIN))
		return err_set(err, EINTR, "interrupted");
	return reap(measurer, err);
}

const struct micro_outcome *micro_measurer_outcome(const struct micro_measurer *measurer)
{
	return measurer->outcome;
}

void micro_measurer_end(struct micro_measurer *measurer)
{
	if (!measurer)
		return;
	if (measurer->group)
		kill(-measurer->group, SIGKILL);
	if (measurer->pid) {
		kill(measurer->pid, SIGKILL);
		process_wait(measurer->pid, NULL, NULL);
	}
	close_fd(&measurer->pidfd);
	gate_free(measurer->gate);
	if (measurer->outcome)
		munmap(measurer->outcome, measurer->outcome_size);
	free(measurer);
}
