// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/histogram.h"

#include <math.h>

uint64_t histogram_bucket_start(unsigned int bucket)
{
	unsigned int shift;

	if (bucket < 2 * HISTOGRAM_SUB)
		return bucket;
	shift = bucket / HISTOGRAM_SUB - 1;
	return (uint64_t)(bucket % HISTOGRAM_SUB + HISTOGRAM_SUB) << shift;
}

void histogram_merge(struct histogram *to, const struct histogram *from)
{
	to->count += from->count;
	to->sum += from->sum;
	to->squares += from->squares;
	if (from->least_complement > to->least_complement)
		to->least_complement = from->least_complement;
	if (from->most > to->most)
		to->most = from->most;
	for (unsigned int i = 0; from->count && i < HISTOGRAM_BUCKETS; i++)
		to->buckets[i] += from->buckets[i];
}

double histogram_mean(const struct histogram *histogram)
{
	return histogram->count ? (double)histogram->sum / (double)histogram->count : NAN;
}

/*
 * n * squares - sum^2 in whole numbers, where it fits: the difference of two large floats would
 * be mostly rounding.
 */
double histogram_sd(const struct histogram *histogram)
{
	const unsigned __int128 n = histogram->count, sum = histogram->sum;
	unsigned __int128 left, right;
	double difference, mean;

	if (histogram->count < 2)
		return NAN;
	if (!__builtin_mul_overflow(n, histogram->squares, &left) &&
	    !__builtin_mul_overflow(sum, sum, &right)) {
		difference = (double)(left - right) / (double)n;
	} else {
		mean = (double)sum / (double)n;
		difference = fmax((double)histogram->squares - (double)n * mean * mean, 0);
	}
	return sqrt(difference / ((double)n - 1));
}

double histogram_min(const struct histogram *histogram)
{
	return histogram->count ? (double)~histogram->least_complement : NAN;
}

double histogram_max(const struct histogram *histogram)
{
	return histogram->count ? (double)histogram->most : NAN;
}

static double bucket_middle(unsigned int bucket)
{
	double start = (double)histogram_bucket_start(bucket);

	if (bucket < 2 * HISTOGRAM_SUB)
		return start;
	return (start + (double)histogram_bucket_start(bucket + 1) - 1) / 2;
}

double histogram_quantile(const struct histogram *histogram, double q)
{
	double rank = ceil(q * (double)histogram->count), middle;
	uint64_t seen = 0;

	if (!histogram->count)
		return NAN;
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += histogram->buckets[i];
		if (!seen || (double)seen < rank)
			continue;
		/* what is longer than the last bucket tells lies there too */
		middle = i == HISTOGRAM_BUCKETS - 1 ? (double)histogram->most : bucket_middle(i);
		return fmin(fmax(middle, histogram_min(histogram)), histogram_max(histogram));
	}
	return histogram_max(histogram);
}
