// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_PARSERS_FIO_READER_H
#define BRUNT_PARSERS_FIO_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "parsers/figure.h"
#include "parsers/json_places.h"
#include "parsers/lines.h"
#include "parsers/parser.h"

/*
 * The parts of the parser "fio". All functions return 0 or a negative errno as parsed_add_note()
 * does. A job is a record: where a text has several, its name is a point, since they are parts of
 * one workload; a job alone has its name as configuration.
 */

/* A runtime beyond ten years is a wrapped counter. */
#define FIO_MOST_MS (10 * 365.25 * 24 * 3600 * 1e3)

struct fio_name {
	struct slice job, host; /* host: of clients, else empty */
	bool alone;
	size_t line;
};

/* What one direction of a job did, as far as it was printed; NAN where it was not. */
struct fio_rate {
	const char *direction; /* "read" */
	double runtime_ms;
	struct figure iops, bw; /* value NAN: not printed */
};

/* NULL with errno, as parsed_add_record(). */
struct parsed_record *fio_add_job(struct parsed *out, const struct fio_name *name);

/* Adds rates, or makes the record failed where the runtime cannot be. */
int fio_add_rate(struct parsed_record *record, const struct fio_rate *rate);

/*
 * read.clat.mean or, with percentile set, read.clat.p99.9. number is what was printed, scale what
 * one of it is in seconds.
 */
int fio_add_latency(struct parsed_record *record, const char *direction, const char *kind,
		    const double *percentile, const struct number *number, double scale,
		    struct slice text, size_t line, size_t column);

/* user_percent and sys_percent: CPU time of the job in per cent of its runtime. */
int fio_add_percent(struct parsed_record *record, const char *metric, const struct number *number,
		    struct slice text, size_t line, size_t column);

/* The output as JSON. False: it is not fio's. */
bool fio_json_is_fio(const struct jp_doc *doc);
int fio_json_read(struct parsed *out, const struct jp_doc *doc, bool interrupted);

/* A line of the terse output, versions 3 to 5. n: how many such lines the text has. */
bool fio_terse_is_line(struct slice text);
int fio_terse_read(struct parsed *out, const struct line *line, bool alone, bool interrupted);

/* The output for people, line by line. */
struct fio_normal {
	struct parsed *out;
	bool alone, in_job, interrupted;
	size_t record;	       /* index of the job's */
	const char *direction; /* NULL: none yet */
	const char *kind;      /* of the percentiles that are being read; NULL: none are */
	double scale;	       /* of these, in seconds */
	bool wrong;	       /* this direction's runtime cannot be: no figures of it */
};

bool fio_normal_is_job(struct slice text);
int fio_normal_line(struct fio_normal *normal, const struct line *line);
int fio_normal_end(struct fio_normal *normal);

#endif
