// SPDX-License-Identifier: GPL-3.0-or-later
/* What the outputs of fio have in common: what a job is called and what its figures mean. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "parsers/fio_reader.h"

struct parsed_record *fio_add_job(struct parsed *out, const struct fio_name *name)
{
	struct parsed_record *record = figure_record(out, (struct slice){ 0 }, "fio", name->line);
	int rc = 0;

	if (!record)
		return NULL;
	if (!name->job.len)
		rc = 0;
	else if (name->alone)
		rc = parsed_set_text(&record->config, name->job.s, name->job.len);
	else
		rc = parsed_add_point(record, "job", name->job.s, name->job.len);
	if (!rc && name->host.len)
		rc = parsed_set_text(&record->host, name->host.s, name->host.len);
	errno = ENOMEM;
	return rc ? NULL : record;
}

/*
 * fio divides by the runtime in whole milliseconds: that step counts where it is coarser than the
 * printed digits.
 */
static int add_one_rate(struct parsed_record *record, const struct fio_rate *rate,
			const struct figure *printed, const char *what, const char *unit)
{
	struct figure figure = *printed;
	double step = rate->runtime_ms > 0 ? figure.value / rate->runtime_ms / 2 : 0;
	char metric[64];

	if (isnan(figure.value))
		return 0;
	snprintf(metric, sizeof(metric), "%s.%s", rate->direction, what);
	figure.metric = metric;
	figure.unit = unit;
	figure.half_step = fmax(figure.half_step, step);
	figure.better = PARSED_HIGHER;
	figure.headline = true;
	return figure_add(record, &figure);
}

int fio_add_rate(struct parsed_record *record, const struct fio_rate *rate)
{
	int rc;

	if (rate->runtime_ms > FIO_MOST_MS)
		return record->failed ? 0
				      : figure_fail(record, "%s: a runtime of %.0f ms cannot be",
						    rate->direction, rate->runtime_ms);
	rc = add_one_rate(record, rate, &rate->iops, "iops", "1/s");
	return rc ? rc : add_one_rate(record, rate, &rate->bw, "bw", "B/s");
}

/* "p99", "p99.9": as few digits as tell it. */
static void name_percentile(char *out, size_t size, const char *direction, const char *kind,
			    double percentile)
{
	int n = snprintf(out, size, "%s.%s.p%.6f", direction, kind, percentile);

	while (n > 1 && n < (int)size && out[n - 1] == '0')
		out[--n] = '\0';
	if (n > 1 && n < (int)size && out[n - 1] == '.')
		out[--n] = '\0';
}

int fio_add_latency(struct parsed_record *record, const char *direction, const char *kind,
		    const double *percentile, const struct number *number, double scale,
		    struct slice text, size_t line, size_t column)
{
	char metric[80];
	struct figure figure = {
		.metric = metric,
		.unit = "s",
		.value = number_scale(number, scale),
		.half_step = number->half_step * scale,
		.better = PARSED_LOWER,
		.text = text,
		.line = line,
		.column = column,
	};

	if (!(number->value >= 0))
		return 0;
	if (!percentile) {
		snprintf(metric, sizeof(metric), "%s.%s.mean", direction, kind);
		return figure_add(record, &figure);
	}
	name_percentile(metric, sizeof(metric), direction, kind, *percentile);
	/* fio counts in bins, 64 to each power of two, and gives a bin's middle */
	figure.half_step = fmax(figure.half_step, figure.value / 128);
	figure.headline = strcmp(kind, "slat") && (*percentile == 50 || *percentile == 99);
	return figure_add(record, &figure);
}

int fio_add_percent(struct parsed_record *record, const char *metric, const struct number *number,
		    struct slice text, size_t line, size_t column)
{
	struct figure figure = { .metric = metric,
				 .unit = "%",
				 .value = number->value,
				 .half_step = number->half_step,
				 .text = text,
				 .line = line,
				 .column = column };

	return number->value >= 0 ? figure_add(record, &figure) : 0;
}
