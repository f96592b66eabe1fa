// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The clock is read twice a round: when the queued IO was handed over, and when completions were
 * taken. All completions of a round bear its time, and what they are followed by is queued at it.
 */
#include "workloads/io_job.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/xalloc.h"

#define CATCH_UP_NS (100 * NS_PER_MS) /* a rate: how much of a delay is made up for */

struct usage {
	int64_t user_ns, sys_ns, voluntary, involuntary;
};

void io_loop_init(struct io_loop *loop, unsigned char *arena, size_t stride)
{
	size_t units = (size_t)loop->count * loop->depth;
	struct io_unit *unit;
	struct io_job *job;

	loop->units = xcalloc(units, sizeof(*loop->units));
	loop->staged = xcalloc(units, sizeof(*loop->staged));
	loop->done = xcalloc(IO_REAP_MAX, sizeof(*loop->done));
	if (!loop->batch || loop->batch > units)
		loop->batch = (uint32_t)units;
	for (uint32_t j = 0; j < loop->count; j++) {
		job = &loop->jobs[j];
		job->parked = xcalloc(loop->depth, sizeof(*job->parked));
		for (uint32_t i = 0; i < loop->depth; i++) {
			unit = &loop->units[j * loop->depth + i];
			unit->index = j * loop->depth + i;
			unit->job = unit->file = j;
			unit->buffer = arena + unit->index * stride;
			job->parked[job->nparked++] = unit;
		}
	}
}

void io_loop_release(struct io_loop *loop)
{
	for (uint32_t j = 0; j < loop->count; j++)
		free(loop->jobs[j].parked);
	free(loop->units);
	free(loop->staged);
	free(loop->done);
}

static struct usage usage_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (struct usage){ rusage_user_ns(&usage), rusage_sys_ns(&usage), usage.ru_nvcsw,
			       usage.ru_nivcsw };
}

static void note_usage(struct io_worker_record *record, const struct usage *from)
{
	struct usage to = usage_now();

	record->user_ns = to.user_ns - from->user_ns;
	record->sys_ns = to.sys_ns - from->sys_ns;
	record->voluntary = to.voluntary - from->voluntary;
	record->involuntary = to.involuntary - from->involuntary;
}

/* Hands over what is queued. Returns the time after that, or a negative errno. */
static int64_t submit(struct io_loop *loop)
{
	int n = loop->engine->submit(loop->engine_state);
	int64_t now = clock_mono_ns();

	if (n < 0)
		return n;
	for (uint32_t i = 0; i < (uint32_t)n; i++)
		loop->staged[i]->submitted_ns = now;
	loop->nstaged -= (uint32_t)n;
	for (uint32_t i = 0; n && i < loop->nstaged; i++)
		loop->staged[i] = loop->staged[i + (uint32_t)n];
	loop->record->submits += n > 0 && now < loop->end_ns;
	return now;
}

/* The next IO of a job, by a unit that is counted as in flight. */
static int queue(struct io_loop *loop, struct io_job *job, struct io_unit *unit, int64_t now)
{
	int64_t rc = 0;

	io_pattern_next(&job->pattern, unit);
	unit->queued_ns = now;
	loop->engine->queue(loop->engine_state, unit);
	loop->staged[loop->nstaged++] = unit;
	if (loop->rate)
		job->next_ns += (int64_t)((double)unit->length * 1e9 / (double)loop->rate);
	if (loop->nstaged >= loop->batch)
		rc = submit(loop);
	return rc < 0 ? (int)rc : 0;
}

static void end_job(struct io_loop *loop, struct io_job *job)
{
	loop->alive -= !job->ended;
	job->ended = true;
}

static void count_error(struct io_loop *loop, struct io_job *job, const struct io_done *done)
{
	struct io_job_record *record = job->record;
	int error = done->result < 0 ? (int)-done->result : 0, i = 0;

	while (i < IO_ERROR_KINDS - 1 && record->errors[i].count && record->errors[i].error != error)
		i++;
	record->errors[i].error = error;
	record->errors[i].count++;
	if (!record->failure.failed)
		record->failure = (struct io_failure){
			.failed = true,
			.op = done->unit->op,
			.error = error,
			.offset = done->unit->offset,
			.length = done->unit->length,
			.result = done->result,
		};
	end_job(loop, job);
}

/* Completions of one round that are alike in all that is counted. */
struct alike {
	struct io_job *job;
	enum io_op op;
	int64_t queued_ns, submitted_ns;
	uint64_t n, bytes;
};

static void count(struct io_loop *loop, struct alike *alike, int64_t now)
{
	const uint64_t n = alike->n;
	struct io_job_record *record;

	if (!n)
		return;
	alike->n = 0;
	record = alike->job->record;
	if (now < loop->measure_ns) {
		record->ramp += n;
	} else if (now >= loop->end_ns) {
		record->drained += n;
	} else {
		histogram_add_times(&record->lat[alike->op], (uint64_t)(now - alike->queued_ns), n);
		record->bytes[alike->op] += alike->bytes;
		if (loop->engine->synchronous)
			return;
		histogram_add_times(&loop->record->submission[alike->op],
				    (uint64_t)(alike->submitted_ns - alike->queued_ns), n);
		histogram_add_times(&loop->record->completion[alike->op],
				    (uint64_t)(now - alike->submitted_ns), n);
	}
}

/* What was handed over by one call often comes back in one: then it is counted at once. */
static void note(struct io_loop *loop, struct alike *alike, struct io_job *job,
		 const struct io_unit *unit, int64_t now)
{
	if (!alike->n || alike->job != job || alike->op != unit->op ||
	    alike->queued_ns != unit->queued_ns || alike->submitted_ns != unit->submitted_ns) {
		count(loop, alike, now);
		*alike = (struct alike){
			.job = job,
			.op = unit->op,
			.queued_ns = unit->queued_ns,
			.submitted_ns = unit->submitted_ns,
		};
	}
	alike->n++;
	alike->bytes += unit->length;
}

static int complete(struct io_loop *loop, const struct io_done *done, struct alike *alike,
		    int64_t now)
{
	struct io_unit *unit = done->unit;
	struct io_job *job = &loop->jobs[unit->job];

	if (done->result == unit->length)
		note(loop, alike, job, unit, now);
	else
		count_error(loop, job, done);
	if (!job->ended && !loop->rate && now < loop->end_ns)
		return queue(loop, job, unit, now);
	loop->in_flight--;
	job->record->in_flight--;
	job->parked[job->nparked++] = unit;
	return 0;
}

static int complete_all(struct io_loop *loop, int n, int64_t now)
{
	struct alike alike = { .n = 0 };
	int rc = 0;

	for (int i = 0; i < n && !rc; i++)
		rc = complete(loop, &loop->done[i], &alike, now);
	count(loop, &alike, now);
	return rc;
}

/* Queues one that was parked. */
static int unpark(struct io_loop *loop, struct io_job *job, int64_t now)
{
	loop->in_flight++;
	job->record->in_flight++;
	return queue(loop, job, job->parked[--job->nparked], now);
}

/* Queues what is due; at the start and with a rate. Returns when the next one will be. */
static int queue_parked(struct io_loop *loop, int64_t now, int64_t *next_ns)
{
	struct io_job *job;
	int rc = 0;

	*next_ns = INT64_MAX;
	for (uint32_t j = 0; j < loop->count && !rc; j++) {
		job = &loop->jobs[j];
		if (job->ended)
			continue;
		if (job->next_ns < now - CATCH_UP_NS)
			job->next_ns = now - CATCH_UP_NS;
		while (!rc && job->nparked && (!loop->rate || job->next_ns <= now))
			rc = unpark(loop, job, now);
		if (job->nparked && job->next_ns < *next_ns)
			*next_ns = job->next_ns;
	}
	return rc;
}

static void wait_until(int64_t when_ns, int64_t now)
{
	if (when_ns > now)
		clock_sleep_ns(when_ns - now);
}

/* Takes completions, waiting for some where there is something to wait for. */
static int reap(struct io_loop *loop, int64_t now, int64_t next_ns)
{
	uint32_t on_its_way = loop->in_flight - loop->nstaged;
	uint32_t min = loop->batch_min < on_its_way ? loop->batch_min : on_its_way;
	int64_t timeout_ns = -1;

	if (now >= loop->end_ns)
		min = on_its_way > 0;
	else if (next_ns != INT64_MAX)
		timeout_ns = next_ns > now ? next_ns - now : 0;
	if (!on_its_way) {
		if (loop->nstaged)
			return -EAGAIN; /* nothing in flight whose end could make room */
		wait_until(next_ns < loop->end_ns ? next_ns : loop->end_ns, now);
		return 0;
	}
	return loop->engine->reap(loop->engine_state, min, timeout_ns, loop->done, IO_REAP_MAX);
}

static int run(struct io_loop *loop)
{
	struct usage from = usage_now();
	bool measuring = false, measured = false;
	int64_t now = clock_mono_ns(), next_ns;
	int n, rc;

	for (uint32_t j = 0; j < loop->count; j++)
		loop->jobs[j].next_ns = now;
	rc = queue_parked(loop, now, &next_ns);
	while (!rc && (loop->in_flight || (loop->alive && now < loop->end_ns))) {
		if (loop->nstaged) {
			now = submit(loop);
			if (now < 0)
				return (int)now;
		}
		n = reap(loop, now, next_ns);
		if (n < 0)
			return n;
		now = clock_mono_ns();
		loop->record->reaps += n > 0 && now < loop->end_ns;
		if (__atomic_load_n(loop->stop, __ATOMIC_RELAXED))
			loop->end_ns = now < loop->end_ns ? now : loop->end_ns;
		if (!measuring && now >= loop->measure_ns) {
			measuring = true;
			loop->record->submits = loop->record->reaps = 0;
			from = usage_now();
		}
		if (!measured && now >= loop->end_ns) {
			measured = true;
			note_usage(loop->record, &from);
		}
		rc = complete_all(loop, n, now);
		if (loop->rate && !rc && now < loop->end_ns)
			rc = queue_parked(loop, now, &next_ns);
	}
	if (!measured)
		note_usage(loop->record, &from);
	return rc;
}

int io_loop_run(struct io_loop *loop)
{
	int rc;

	loop->alive = loop->count;
	rc = run(loop);
	loop->record->end_ns = clock_mono_ns();
	return rc;
}
