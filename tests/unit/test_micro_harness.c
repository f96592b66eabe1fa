// SPDX-License-Identifier: GPL-3.0-or-later
/* The harness with benches whose operations take a time that they say, so that no clock matters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "tests/unit/assert_double.h"
#include "workloads/micro/harness.h"
#include "workloads/micro/partner.h"

enum { CALLS_MOST = 4096, FAIL_NEVER = -1 };

/* Calls of batch() in order: which bench, how many operations. */
static struct {
	int variant;
	uint64_t n;
} calls[CALLS_MOST];
static size_t ncalls;
static int fails_at[8], closed[8];
static int failure = -EIO;

static const struct micro_site nowhere = { .cpu = -1, .partner_cpu = -1 };
static const struct micro_schedule short_one = { .batches = 6, .least = 3, .batch_ns = 1000000 };

static int fake_open(const struct micro_site *site, int variant, void **state, struct err *err)
{
	int *own;

	(void)site;
	if (variant == 7)
		return err_set(err, EPERM, "not allowed here");
	own = xmalloc(sizeof(*own));
	*own = variant;
	*state = own;
	return 0;
}

/* Operations of bench v take 100 * (v + 1) ns, of which a tenth is not theirs. */
static int fake_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	int variant = *(int *)state;

	assert_true(ncalls < CALLS_MOST);
	if (fails_at[variant] != FAIL_NEVER && fails_at[variant]-- == 0)
		return failure;
	calls[ncalls].variant = variant;
	calls[ncalls++].n = n;
	sample->n = n;
	sample->ns = (int64_t)n * 100 * (variant + 1);
	sample->minus_ns = sample->ns / 10;
	return 0;
}

static int rate_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	int rc = fake_batch(state, n, sample);

	sample->bytes = n * 50;
	return rc;
}

static void fake_close(void *state)
{
	closed[*(int *)state]++;
	free(state);
}

/* As where a partner does not answer; it reads from a pipe that nobody writes to. */
static int silent_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	int ends[2], rc;
	char byte;

	(void)state;
	(void)n;
	(void)sample;
	assert_int_equal(pipe(ends), 0);
	rc = micro_read_all(ends[0], &byte, 1);
	close(ends[0]);
	close(ends[1]);
	return rc;
}

static int silent_open(const struct micro_site *site, int variant, void **state, struct err *err)
{
	(void)site;
	(void)variant;
	return err_sys(err, -silent_batch(*state, 0, NULL), "opening");
}

static const struct micro_ops silent = { fake_open, silent_batch, fake_close };
static const struct micro_ops never_open = { silent_open, fake_batch, fake_close };
static const struct micro_ops fake = { fake_open, fake_batch, fake_close };
static const struct micro_ops rate = { fake_open, rate_batch, fake_close };

static const struct micro_bench made[] = {
	{ .name = "one", .unit = "ns", .ops = &fake, .variant = 0 },
	{ .name = "two", .unit = "us", .ops = &fake, .variant = 1, .has_partner = true },
	{ .name = "few", .unit = "ns", .ops = &fake, .variant = 2, .most_batches = 2 },
	{ .name = "rate", .unit = "MB/s", .ops = &rate, .variant = 3 },
	{ .name = "refused", .unit = "ns", .ops = &fake, .variant = 7 },
	{ .name = "silent", .unit = "ns", .ops = &silent, .variant = 4, .has_partner = true },
	{ .name = "never open", .unit = "ns", .ops = &never_open, .variant = 5 },
};

static int reset(void **state)
{
	(void)state;
	ncalls = 0;
	failure = -EIO;
	for (size_t i = 0; i < ARRAY_SIZE(fails_at); i++) {
		fails_at[i] = FAIL_NEVER;
		closed[i] = 0;
	}
	return 0;
}

static struct micro_evidence evidence;

static void measure(const struct micro_schedule *schedule, const struct micro_site *site,
		    const struct micro_bench *const *benches, size_t n,
		    struct micro_result *results)
{
	void *states[8] = { NULL };

	micro_open(schedule, site, benches, n, results, states, &evidence);
	micro_measure(schedule, benches, n, results, states, &evidence);
	micro_close(benches, n, states);
}

static void the_value_is_a_batch_by_its_operations(void **state)
{
	const struct micro_bench *benches[] = { &made[0], &made[1], &made[3] };
	struct micro_result results[3] = { 0 };

	(void)state;
	measure(&short_one, &nowhere, benches, 3, results);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(results[i].batches, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_double(results[0].values[i], 90, 1e-9);
		assert_double(results[0].raw[i], 100, 1e-9);
		assert_double(results[1].values[i], .18, 1e-9);
		assert_double(results[1].raw[i], .2, 1e-9);
		assert_double(results[2].values[i], 125, 1e-9); /* 50 bytes in 400 ns */
	}
}

static void batches_are_as_long_as_asked(void **state)
{
	const struct micro_bench *benches[] = { &made[0], &made[1] };
	struct micro_result results[2] = { 0 };

	(void)state;
	measure(&short_one, &nowhere, benches, 2, results);
	for (size_t i = 0; i < 2; i++) {
		uint64_t ns = results[i].operations * 100 * (i + 1);

		assert_true(ns >= 1000000 && ns < 1500000);
	}
}

/* Behind the calibration: a lead-in and a batch of each bench, again and again. */
static void batches_are_interleaved_and_led_in(void **state)
{
	const struct micro_bench *benches[] = { &made[0], &made[1] };
	struct micro_result results[2] = { 0 };
	size_t first;

	(void)state;
	measure(&short_one, &nowhere, benches, 2, results);
	assert_true(ncalls > 24);
	first = ncalls - 24;
	for (size_t i = 0; i < 24; i++) {
		size_t bench = i / 2 % 2;
		uint64_t n = results[bench].operations;

		assert_int_equal(calls[first + i].variant, bench);
		assert_int_equal(calls[first + i].n, i % 2 ? n : n / 8);
	}
}

static void a_bench_can_have_fewer_batches(void **state)
{
	const struct micro_bench *benches[] = { &made[0], &made[2] };
	struct micro_result results[2] = { 0 };

	(void)state;
	measure(&short_one, &nowhere, benches, 2, results);
	assert_int_equal(results[0].batches, 6);
	assert_int_equal(results[1].batches, 2);
}

static void after_the_limit_there_are_only_as_many_as_least(void **state)
{
	const struct micro_schedule late = { .batches = 6, .least = 3, .batch_ns = 1000000,
					     .limit_ns = 1 };
	const struct micro_bench *benches[] = { &made[0] };
	struct micro_result results[1] = { 0 };

	(void)state;
	measure(&late, &nowhere, benches, 1, results);
	assert_int_equal(results[0].batches, 3);
}

static void one_that_cannot_be_opened_has_its_reason_and_the_rest_goes_on(void **state)
{
	const struct micro_bench *benches[] = { &made[4], &made[0] };
	struct micro_result results[2] = { 0 };

	(void)state;
	measure(&short_one, &nowhere, benches, 2, results);
	assert_string_equal(results[0].reason, "not allowed here");
	assert_int_equal(results[0].batches, 0);
	assert_int_equal(results[1].batches, 6);
}

static void one_that_fails_on_the_way_is_left_alone(void **state)
{
	const struct micro_bench *benches[] = { &made[0], &made[1] };
	struct micro_result results[2] = { 0 };
	size_t after = 0;

	(void)state;
	fails_at[0] = 9;
	measure(&short_one, &nowhere, benches, 2, results);
	assert_string_equal(results[0].reason, strerror(EIO));
	assert_true(results[0].batches < 6);
	assert_int_equal(results[1].batches, 6);
	for (size_t i = 0; i < ncalls; i++)
		after += calls[i].variant == 0;
	assert_int_equal(after, 9);
	assert_int_equal(closed[0], 1);
	assert_int_equal(closed[1], 1);
}

static void one_whose_partner_is_silent_is_left_and_the_rest_goes_on(void **state)
{
	const struct micro_schedule watched = { .batches = 6, .least = 3, .batch_ns = 1000000,
						.stuck_ns = 20000000 };
	const struct micro_bench *benches[] = { &made[6], &made[5], &made[0] };
	struct micro_result results[3] = { 0 };

	(void)state;
	measure(&watched, &nowhere, benches, 3, results);
	assert_string_equal(results[0].reason, "it hangs: not done within 0.02 s");
	assert_string_equal(results[1].reason, "it hangs: not done within 0.02 s");
	assert_int_equal(results[2].batches, 6);
	assert_string_equal(results[2].reason, "");
}

static void one_whose_partner_has_ended_says_so(void **state)
{
	const struct micro_bench *benches[] = { &made[1] };
	struct micro_result results[1] = { 0 };

	(void)state;
	failure = -EPIPE;
	fails_at[1] = 0;
	measure(&short_one, &nowhere, benches, 1, results);
	assert_string_equal(results[0].reason, "its partner has ended");
}

static void behind_the_stop_there_are_no_batches_at_all(void **state)
{
	const struct micro_schedule over = { .batches = 6, .least = 3, .batch_ns = 1000000,
					     .stop_ns = 1 };
	const struct micro_bench *benches[] = { &made[0] };
	struct micro_result results[1] = { 0 };

	(void)state;
	measure(&over, &nowhere, benches, 1, results);
	assert_int_equal(results[0].batches, 0);
	assert_string_equal(results[0].reason, "");
	assert_true(evidence.stopped);
	measure(&short_one, &nowhere, benches, 1, results);
	assert_int_equal(results[0].batches, 6);
	assert_false(evidence.stopped);
}

static void each_open_and_batch_is_a_step(void **state)
{
	const struct micro_bench *benches[] = { &made[0], &made[1] };
	struct micro_result results[2] = { 0 };

	(void)state;
	evidence = (struct micro_evidence){ 0 };
	measure(&short_one, &nowhere, benches, 2, results);
	assert_int_equal(evidence.steps, ncalls + 2);
}

static void ports_that_run_out_are_named(void **state)
{
	const struct micro_bench *benches[] = { &made[0] };
	struct micro_result results[1] = { 0 };

	(void)state;
	failure = -EADDRNOTAVAIL;
	fails_at[0] = 0;
	measure(&short_one, &nowhere, benches, 1, results);
	assert_non_null(strstr(results[0].reason, "ip_local_port_range"));
}

static void partners_need_a_second_cpu_where_one_is_wanted(void **state)
{
	const struct micro_site one_cpu = { .wants_two_cpus = true };
	const struct micro_bench *benches[] = { &made[0], &made[1] };
	struct micro_result results[2] = { 0 };

	(void)state;
	measure(&short_one, &one_cpu, benches, 2, results);
	assert_int_equal(results[0].batches, 6);
	assert_non_null(strstr(results[1].reason, "two CPUs"));
}

static void preempted_batches_are_counted_of_those_without_a_partner(void **state)
{
	const struct micro_bench *benches[] = { &made[0], &made[1] };
	struct micro_result results[2] = { 0 };

	(void)state;
	evidence = (struct micro_evidence){ 0 };
	measure(&short_one, &nowhere, benches, 2, results);
	assert_int_equal(evidence.batches, 6);
	assert_true(evidence.preempted <= 6);
	assert_int_equal(evidence.now, -1);
}

#define TEST(name) cmocka_unit_test_setup(name, reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_value_is_a_batch_by_its_operations),
		TEST(batches_are_as_long_as_asked),
		TEST(batches_are_interleaved_and_led_in),
		TEST(a_bench_can_have_fewer_batches),
		TEST(after_the_limit_there_are_only_as_many_as_least),
		TEST(one_that_cannot_be_opened_has_its_reason_and_the_rest_goes_on),
		TEST(one_that_fails_on_the_way_is_left_alone),
		TEST(one_whose_partner_is_silent_is_left_and_the_rest_goes_on),
		TEST(one_whose_partner_has_ended_says_so),
		TEST(behind_the_stop_there_are_no_batches_at_all),
		TEST(each_open_and_batch_is_a_step),
		TEST(ports_that_run_out_are_named),
		TEST(partners_need_a_second_cpu_where_one_is_wanted),
		TEST(preempted_batches_are_counted_of_those_without_a_partner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
