// SPDX-License-Identifier: GPL-3.0-or-later
/* The loop of a worker, on engines that do no IO. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/xalloc.h"
#include "workloads/io_job.h"

enum { JOBS = 3, DEPTH = 4, BS = 512 };

/* ---- an engine that takes one unit a call, and fails what the test says ---- */

static struct {
	struct io_unit *queued[64], *done[64];
	unsigned int nqueued, ndone, taken, most;
	uint32_t failing_job;
	unsigned int good; /* IOs of that job before it fails */
	int64_t result;
	bool takes_nothing;
	unsigned int stop_after; /* IOs: then the stop word is set; 0: never */
} fake;

static uint32_t stop;

static int fake_open(const struct io_engine_setup *setup, void **state, struct err *err)
{
	(void)setup;
	(void)err;
	*state = NULL;
	return 0;
}

static void fake_close(void *state)
{
	(void)state;
}

static void fake_queue(void *state, struct io_unit *unit)
{
	(void)state;
	fake.queued[fake.nqueued++] = unit;
}

static int fake_submit(void *state)
{
	(void)state;
	if (!fake.nqueued || fake.takes_nothing)
		return 0;
	fake.done[fake.ndone++] = fake.queued[0];
	memmove(fake.queued, fake.queued + 1, --fake.nqueued * sizeof(fake.queued[0]));
	fake.most = fake.ndone + fake.nqueued > fake.most ? fake.ndone + fake.nqueued : fake.most;
	if (++fake.taken == fake.stop_after)
		stop = 1;
	return 1;
}

static int fake_reap(void *state, unsigned int min, int64_t timeout_ns, struct io_done *done,
		     unsigned int max)
{
	unsigned int n = fake.ndone < max ? fake.ndone : max;

	(void)state;
	(void)timeout_ns;
	assert_true(n >= min);
	for (unsigned int i = 0; i < n; i++) {
		done[i] = (struct io_done){ fake.done[i], fake.done[i]->length };
		assert_true(fake.done[i]->submitted_ns >= fake.done[i]->queued_ns);
		if (fake.done[i]->job == fake.failing_job && !fake.good--) {
			fake.good = 0;
			done[i].result = fake.result;
		}
	}
	fake.ndone = 0;
	return (int)n;
}

static const struct io_engine engine_fake = {
	.name = "fake",
	.open = fake_open,
	.close = fake_close,
	.queue = fake_queue,
	.submit = fake_submit,
	.reap = fake_reap,
};

/* ---- a loop with jobs ---- */

static struct rig {
	struct io_loop loop;
	struct io_job jobs[JOBS];
	struct io_job_record *records;
	struct io_worker_record *record;
	unsigned char arena[JOBS * DEPTH * BS];
} rig;

static int make_rig(void **state)
{
	const struct io_pattern_spec spec = { .random = true, .read_pct = 50, .bs_min = BS,
					      .bs_max = BS, .offset = 0, .size = 1 << 20 };

	(void)state;
	memset(&rig, 0, sizeof(rig));
	memset(&fake, 0, sizeof(fake));
	fake.failing_job = JOBS;
	stop = 0;
	rig.records = xcalloc(JOBS, sizeof(*rig.records));
	rig.record = aligned_alloc(128, sizeof(*rig.record));
	memset(rig.record, 0, sizeof(*rig.record));
	for (uint32_t i = 0; i < JOBS; i++) {
		io_pattern_init(&rig.jobs[i].pattern, &spec, 1, i);
		rig.jobs[i].record = &rig.records[i];
	}
	rig.loop = (struct io_loop){
		.engine = &engine_fake,
		.jobs = rig.jobs,
		.count = JOBS,
		.depth = DEPTH,
		.batch_min = 1,
		.stop = &stop,
		.record = rig.record,
	};
	return 0;
}

static int drop_rig(void **state)
{
	(void)state;
	io_loop_release(&rig.loop);
	free(rig.records);
	free(rig.record);
	return 0;
}

static int run_for(int64_t ramp_ns, int64_t runtime_ns)
{
	struct err err;

	io_loop_init(&rig.loop, rig.arena, BS);
	assert_int_equal(rig.loop.engine->open(&(struct io_engine_setup){ .depth = JOBS * DEPTH },
					       &rig.loop.engine_state, &err), 0);
	rig.loop.measure_ns = clock_mono_ns() + ramp_ns;
	rig.loop.end_ns = rig.loop.measure_ns + runtime_ns;
	return io_loop_run(&rig.loop);
}

static uint64_t measured(uint32_t job)
{
	return rig.records[job].lat[IO_READ].count + rig.records[job].lat[IO_WRITE].count;
}

static void each_io_is_measured_or_drained(void **state)
{
	uint64_t ios = 0, drained = 0;

	(void)state;
	fake.stop_after = 1000;
	assert_int_equal(run_for(0, 600 * NS_PER_S), 0);
	for (uint32_t i = 0; i < JOBS; i++) {
		assert_int_equal(rig.records[i].ramp, 0);
		assert_int_equal(rig.records[i].in_flight, 0);
		assert_int_equal(rig.records[i].bytes[IO_READ] + rig.records[i].bytes[IO_WRITE],
				 measured(i) * BS);
		drained += rig.records[i].drained;
		ios += measured(i);
	}
	/* those that were in flight when the word came, all of them */
	assert_int_equal(drained, JOBS * DEPTH);
	assert_int_equal(ios + drained, fake.taken);
	for (int i = 0; i < 2; i++) {
		const struct histogram *half = i ? rig.record->completion : rig.record->submission;

		assert_int_equal(half[IO_READ].count + half[IO_WRITE].count, ios);
	}
}

static void io_of_the_ramp_is_in_no_figure(void **state)
{
	uint64_t ramp = 0;

	(void)state;
	fake.stop_after = 1000;
	assert_int_equal(run_for(300 * NS_PER_S, 300 * NS_PER_S), 0);
	for (uint32_t i = 0; i < JOBS; i++) {
		assert_int_equal(measured(i), 0);
		assert_int_equal(rig.records[i].bytes[IO_READ] + rig.records[i].bytes[IO_WRITE], 0);
		ramp += rig.records[i].ramp;
	}
	assert_int_equal(ramp, fake.taken);
}

static void a_kernel_that_takes_one_at_a_time_gets_all(void **state)
{
	(void)state;
	fake.stop_after = 1000;
	assert_int_equal(run_for(0, 600 * NS_PER_S), 0);
	assert_int_equal(fake.most, JOBS * DEPTH);
	for (uint32_t i = 0; i < JOBS; i++)
		assert_in_range(measured(i), 300, 350);
}

static void an_error_ends_its_job_and_no_other(void **state)
{
	const struct io_failure *failure = &rig.records[1].failure;

	(void)state;
	fake.failing_job = 1;
	fake.good = 10;
	fake.result = -EIO;
	fake.stop_after = 1000;
	assert_int_equal(run_for(0, 600 * NS_PER_S), 0);
	assert_true(failure->failed);
	assert_int_equal(failure->error, EIO);
	assert_int_equal(failure->length, BS);
	assert_int_equal(measured(1), 10);
	assert_int_equal(rig.records[1].errors[0].error, EIO);
	assert_in_range(rig.records[1].errors[0].count, 1, DEPTH);
	assert_false(rig.records[0].failure.failed);
	assert_true(measured(0) > 400 && measured(2) > 400);
}

static void fewer_bytes_than_asked_for_are_an_error(void **state)
{
	(void)state;
	fake.failing_job = 0;
	fake.result = BS / 2;
	assert_int_equal(run_for(0, NS_PER_MS), 0);
	assert_true(rig.records[0].failure.failed);
	assert_int_equal(rig.records[0].failure.error, 0);
	assert_int_equal(rig.records[0].failure.result, BS / 2);
	assert_int_equal(measured(0), 0);
}

static void a_kernel_that_takes_nothing_ends_it(void **state)
{
	(void)state;
	fake.takes_nothing = true;
	assert_int_equal(run_for(0, NS_PER_S), -EAGAIN);
}

static void the_stop_word_ends_it_early(void **state)
{
	int64_t start = clock_mono_ns();

	(void)state;
	stop = 1;
	assert_int_equal(run_for(0, 600 * NS_PER_S), 0);
	assert_true(clock_mono_ns() - start < 60 * NS_PER_S);
	for (uint32_t i = 0; i < JOBS; i++)
		assert_int_equal(rig.records[i].in_flight, 0);
}

/* 20 IOs a job and ms; one is due at once. */
static void a_rate_limits_each_job(void **state)
{
	uint64_t ios;

	(void)state;
	rig.loop.rate = 20000 * BS;
	assert_int_equal(run_for(0, 20 * NS_PER_MS), 0);
	for (uint32_t i = 0; i < JOBS; i++) {
		ios = measured(i) + rig.records[i].drained;
		assert_in_range(ios, 1, 20 * 20 + 1);
	}
}

static void batches_are_no_larger_than_asked_for(void **state)
{
	(void)state;
	rig.loop.engine = &io_engine_null;
	rig.loop.batch = 2;
	assert_int_equal(run_for(0, 2 * NS_PER_MS), 0);
	/* each hand-over brought two at most */
	assert_true(2 * rig.record->submits + JOBS * DEPTH >= measured(0) + measured(1) + measured(2));
	rig.loop.engine->close(rig.loop.engine_state);
}

/* What comes back together is counted together, but not under one name. */
static void reads_writes_and_jobs_of_one_batch_are_told_apart(void **state)
{
	uint64_t counted[IO_OPS] = { 0 };

	(void)state;
	rig.loop.engine = &io_engine_null;
	assert_int_equal(run_for(0, 5 * NS_PER_MS), 0);
	for (uint32_t i = 0; i < JOBS; i++) {
		for (int op = 0; op < IO_SYNC; op++) {
			assert_true(rig.records[i].lat[op].count > 0);
			assert_int_equal(rig.records[i].bytes[op],
					 rig.records[i].lat[op].count * BS);
			counted[op] += rig.records[i].lat[op].count;
		}
		/* the jobs take turns, at the same depth */
		assert_true(measured(i) <= measured(0) + DEPTH && measured(0) <= measured(i) + DEPTH);
	}
	for (int op = 0; op < IO_SYNC; op++) {
		assert_int_equal(rig.record->submission[op].count, counted[op]);
		assert_int_equal(rig.record->completion[op].count, counted[op]);
	}
	rig.loop.engine->close(rig.loop.engine_state);
}

#define rigged(test) cmocka_unit_test_setup_teardown(test, make_rig, drop_rig)

int main(void)
{
	const struct CMUnitTest tests[] = {
		rigged(each_io_is_measured_or_drained),
		rigged(io_of_the_ramp_is_in_no_figure),
		rigged(a_kernel_that_takes_one_at_a_time_gets_all),
		rigged(an_error_ends_its_job_and_no_other),
		rigged(fewer_bytes_than_asked_for_are_an_error),
		rigged(a_kernel_that_takes_nothing_ends_it),
		rigged(the_stop_word_ends_it_early),
		rigged(a_rate_limits_each_job),
		rigged(batches_are_no_larger_than_asked_for),
		rigged(reads_writes_and_jobs_of_one_batch_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
