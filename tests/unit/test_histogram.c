// SPDX-License-Identifier: GPL-3.0-or-later
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/histogram.h"
#include "base/xalloc.h"
#include "tests/unit/assert_double.h"

static void every_value_lies_in_its_bucket(void **state)
{
	(void)state;
	for (unsigned int i = 0; i + 1 < HISTOGRAM_BUCKETS; i++) {
		uint64_t start = histogram_bucket_start(i), end = histogram_bucket_start(i + 1);

		assert_true(end > start);
		assert_int_equal(histogram_bucket(start), i);
		assert_int_equal(histogram_bucket(end - 1), i);
	}
	assert_int_equal(histogram_bucket(1ULL << HISTOGRAM_MAX_BITS), HISTOGRAM_BUCKETS - 1);
	assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Against the sorted values, over eight powers of ten. */
static void a_percentile_is_off_by_one_percent_at_most(void **state)
{
	enum { COUNT = 50000 };
	static const double qs[] = { .5, .9, .95, .99, .999, .9999, 1 };
	struct histogram *histogram = xcalloc(1, sizeof(*histogram));
	uint64_t *values = xcalloc(COUNT, sizeof(*values));
	double sum = 0, squares = 0, mean;

	(void)state;
	srand48(1);
	for (size_t i = 0; i < COUNT; i++) {
		values[i] = (uint64_t)pow(10, 2 + 8 * drand48());
		histogram_add(histogram, values[i]);
		sum += (double)values[i];
	}
	mean = sum / COUNT;
	for (size_t i = 0; i < COUNT; i++)
		squares += ((double)values[i] - mean) * ((double)values[i] - mean);
	qsort(values, COUNT, sizeof(*values), by_size);
	for (size_t i = 0; i < ARRAY_SIZE(qs); i++) {
		double is = (double)values[(size_t)ceil(qs[i] * COUNT) - 1];

		assert_true(fabs(histogram_quantile(histogram, qs[i]) / is - 1) < .01);
	}
	assert_double(histogram_mean(histogram), mean, 1e-12);
	assert_double(histogram_sd(histogram), sqrt(squares / (COUNT - 1)), 1e-9);
	assert_double(histogram_min(histogram), (double)values[0], 0);
	assert_double(histogram_max(histogram), (double)values[COUNT - 1], 0);
	free(values);
	free(histogram);
}

static void equal_values_have_no_spread(void **state)
{
	struct histogram *histogram = xcalloc(1, sizeof(*histogram));

	(void)state;
	for (int i = 0; i < 1000; i++)
		histogram_add(histogram, 123456789012);
	assert_double(histogram_sd(histogram), 0, 0);
	assert_double(histogram_quantile(histogram, .5), 123456789012, 0);
	assert_double(histogram_quantile(histogram, .9999), 123456789012, 0);
	free(histogram);
}

static void nothing_is_unknown_and_one_value_has_no_sd(void **state)
{
	struct histogram *histogram = xcalloc(1, sizeof(*histogram));

	(void)state;
	assert_true(isnan(histogram_mean(histogram)));
	assert_true(isnan(histogram_min(histogram)));
	assert_true(isnan(histogram_max(histogram)));
	assert_true(isnan(histogram_quantile(histogram, .5)));
	histogram_add(histogram, 0);
	assert_true(isnan(histogram_sd(histogram)));
	assert_double(histogram_min(histogram), 0, 0);
	assert_double(histogram_quantile(histogram, .99), 0, 0);
	free(histogram);
}

static void parts_add_up_to_the_whole(void **state)
{
	struct histogram *whole = xcalloc(1, sizeof(*whole)), *a = xcalloc(1, sizeof(*a)),
			 *b = xcalloc(1, sizeof(*b));

	(void)state;
	for (uint64_t i = 1; i < 100000; i += 7) {
		histogram_add(whole, i * i);
		histogram_add(i % 2 ? a : b, i * i);
	}
	histogram_merge(a, b);
	assert_memory_equal(a, whole, sizeof(*a));
	memset(b, 0, sizeof(*b));
	histogram_merge(a, b);
	assert_memory_equal(a, whole, sizeof(*a));
	free(whole);
	free(a);
	free(b);
}

static void a_value_that_comes_often_is_added_at_once(void **state)
{
	struct histogram *one = xcalloc(1, sizeof(*one)), *many = xcalloc(1, sizeof(*many));

	(void)state;
	for (uint64_t value = 1; value < 1ULL << 50; value *= 3) {
		histogram_add_times(many, value, 1 + value % 16);
		for (uint64_t i = 0; i < 1 + value % 16; i++)
			histogram_add(one, value);
	}
	assert_memory_equal(one, many, sizeof(*one));
	free(one);
	free(many);
}

static void a_value_beyond_the_last_bucket_stays_the_maximum(void **state)
{
	struct histogram *histogram = xcalloc(1, sizeof(*histogram));

	(void)state;
	histogram_add(histogram, 1000);
	histogram_add(histogram, 1ULL << 50);
	assert_double(histogram_max(histogram), (double)(1ULL << 50), 0);
	assert_double(histogram_quantile(histogram, .99), (double)(1ULL << 50), 0);
	free(histogram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_lies_in_its_bucket),
		cmocka_unit_test(a_percentile_is_off_by_one_percent_at_most),
		cmocka_unit_test(equal_values_have_no_spread),
		cmocka_unit_test(nothing_is_unknown_and_one_value_has_no_sd),
		cmocka_unit_test(parts_add_up_to_the_whole),
		cmocka_unit_test(a_value_that_comes_often_is_added_at_once),
		cmocka_unit_test(a_value_beyond_the_last_bucket_stays_the_maximum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
