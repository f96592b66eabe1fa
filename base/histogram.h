// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_HISTOGRAM_H
#define BRUNT_BASE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/*
 * Log-linear histogram of whole numbers (nanoseconds), as HdrHistogram's: each power of two is cut
 * into 64 buckets of one width, so a bucket is at most 1/64 of its values wide and its middle off
 * by at most 1/128 (.8 %). Below 128 each number has a bucket of its own. Count, sum, sum of
 * squares, least and most are exact. All zero bytes are an empty one. It holds no pointers: it can
 * lie in shared memory, and histograms of parts add up to that of the whole.
 */
#define HISTOGRAM_SUB_BITS 6
#define HISTOGRAM_SUB (1U << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_MAX_BITS 42 /* 73 minutes; what is longer counts in the last bucket */
#define HISTOGRAM_BUCKETS ((HISTOGRAM_MAX_BITS - HISTOGRAM_SUB_BITS + 1) * HISTOGRAM_SUB)

struct histogram {
	uint64_t count, sum;
	unsigned __int128 squares; /* their sum */
	uint64_t least_complement; /* ~least, so that zero bytes are empty */
	uint64_t most;
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

static inline unsigned int histogram_bucket(uint64_t value)
{
	unsigned int shift;

	if (value < 2 * HISTOGRAM_SUB)
		return (unsigned int)value;
	if (value >> HISTOGRAM_MAX_BITS)
		return HISTOGRAM_BUCKETS - 1;
	shift = 63 - HISTOGRAM_SUB_BITS - (unsigned int)__builtin_clzll(value);
	return shift * HISTOGRAM_SUB + (unsigned int)(value >> shift);
}

/* The same value n times. For timed parts: no branch but the bucket's. */
static inline void histogram_add_times(struct histogram *histogram, uint64_t value, uint64_t n)
{
	histogram->count += n;
	histogram->sum += value * n;
	histogram->squares += (unsigned __int128)value * value * n;
	if (~value > histogram->least_complement)
		histogram->least_complement = ~value;
	if (value > histogram->most)
		histogram->most = value;
	histogram->buckets[histogram_bucket(value)] += n;
}

static inline void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram_add_times(histogram, value, 1);
}

/* The least value that falls into a bucket; that of bucket + 1 is the end of it. */
uint64_t histogram_bucket_start(unsigned int bucket);

void histogram_merge(struct histogram *to, const struct histogram *from);

/* All NAN where there are too few values. The sd is that of a sample (n - 1). */
double histogram_mean(const struct histogram *histogram);
double histogram_sd(const struct histogram *histogram);
double histogram_min(const struct histogram *histogram);
double histogram_max(const struct histogram *histogram);

/*
 * The value at the nearest rank: the least one that at least the share q (0 to 1) of the values
 * do not exceed; the middle of its bucket, within min and max.
 */
double histogram_quantile(const struct histogram *histogram, double q);

#endif
