// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "workloads/io_result_parts.h"

/* [[first value of the bucket in ns, count], ...] of those that hold something. */
static json_t *histogram_object(const struct histogram *histogram)
{
	json_t *object = json_object(), *buckets = json_array();

	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (histogram->buckets[i])
			json_array_append_new(buckets,
					      json_pack("[I, I]",
							(json_int_t)histogram_bucket_start(i),
							(json_int_t)histogram->buckets[i]));
	json_object_set_new(object, "unit", json_string("ns"));
	json_object_set_new(object, "sub_bits", json_integer(HISTOGRAM_SUB_BITS));
	json_object_set_new(object, "count", json_integer((json_int_t)histogram->count));
	json_object_set_new(object, "min", json_number(histogram_min(histogram)));
	json_object_set_new(object, "max", json_number(histogram_max(histogram)));
	json_object_set_new(object, "mean", json_number(histogram_mean(histogram)));
	json_object_set_new(object, "sd", json_number(histogram_sd(histogram)));
	json_object_set_new(object, "buckets", buckets);
	return object;
}

static void add(json_t *histograms, enum io_op op, const char *what,
		const struct histogram *histogram)
{
	char name[32];

	if (!histogram->count)
		return;
	snprintf(name, sizeof(name), "%s.%s", io_op_name(op), what);
	json_object_set_new(histograms, name, histogram_object(histogram));
}

void io_result_series(const struct io_sum *sum, const struct run_context *context)
{
	auto_json json_t *series = json_object();
	json_t *histograms = json_object();
	auto_buf struct buf text = BUF_INIT;
	auto_close int fd = -1;

	json_object_set_new(series, "histograms", histograms);
	for (enum io_op op = 0; op < IO_OPS; op++) {
		add(histograms, op, "lat", &sum->lat[op]);
		add(histograms, op, "slat", &sum->submission[op]);
		add(histograms, op, "clat", &sum->completion[op]);
	}
	if (context->folder_fd < 0)
		return;
	json_write(&text, series, 0);
	buf_addc(&text, '\n');
	fd = openat(context->folder_fd, "series.json", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		    0644);
	if (fd < 0 || files_write_all(fd, text.s, text.len))
		run_mark(context->run, "series", "series.json was not written");
}
