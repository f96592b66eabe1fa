// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_SET_PARTS_H
#define BRUNT_RESULTS_SET_PARTS_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/json_line.h"
#include "results/set.h"

/* A set that is open; inside of results/set*.c. */
struct set {
	bool made_folder; /* there was none before */
	char *path;
	int lock_fd, runs_fd;
	off_t seen;	       /* how far runs.jsonl was looked through for numbers */
	unsigned int last_run; /* up to there */
};

int set_lock(struct set *set, struct err *err);
void set_unlock(struct set *set);

/* Opens a file of the set, made where it is missing. */
int set_open_file(const char *path, const char *name, int flags, int *out, struct err *err);

/* Brings last_run up to what other writers have appended. The lock is held. */
int set_see_appended(struct set *set, struct err *err);

bool set_ends_in_newline(int fd);

/* A set while it is read. */
struct set_reader {
	struct set_data *data;
	size_t runs_cap, metrics_cap, summaries_cap;
	struct set_run *starts; /* identity only */
	size_t nstarts, starts_cap;
	json_t *metric_index;	/* object: name, unit, better -> index into data->metrics */
	json_t *summary_index;	/* object: cell and metric that have a summary */
	struct buf key;		/* scratch */
	struct json_line line;	/* the one that is read */
	struct set_run last;	/* where the line before belongs */
};

/* Where the line belongs, without number and round; false: it has no configuration. */
bool set_reader_place(struct set_reader *reader, const struct json_item *line,
		      struct set_run *out);

/*
 * The metric of this name whose unit, better and headline the object says. hint: which one it
 * may well be; NULL.
 */
const struct set_metric *set_reader_metric(struct set_reader *reader, const char *name,
					   const struct json_item *object,
					   const struct set_metric *hint);

/* The string that all equal ones of the set share. */
const char *set_reader_share(struct set_reader *reader, const char *text);

/* The devices of a finished run. */
void set_reader_devices(struct set_reader *reader, const struct json_item *line,
			struct set_run *run);

/* A line of summaries.jsonl; false: not readable, or there is one for this already. */
bool set_reader_summary(struct set_reader *reader, const struct json_item *line);

/*
 * After the last line: drops runs that end twice, finds those that did not end, and puts the others
 * in order.
 */
void set_reader_order(struct set_reader *reader);

void set_run_release(struct set_run *run); /* what is inside */

/* "sha256:..." of what is on disk, see docs/format.md. */
int set_hash(const char *path, char out[SET_HASH_SIZE], struct err *err);

#endif
