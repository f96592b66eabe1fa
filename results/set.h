// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_SET_H
#define BRUNT_RESULTS_SET_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sha256.h"
#include "results/run.h"

/*
 * A set on disk (docs/format.md): sessions/<id>.json, runs.jsonl, runs/<n>/, lock.
 * Lines are appended and synced, never rewritten; a torn line is skipped and counted. Several
 * writers may use one set at a time: run numbers are given under the lock.
 */
#define SET_SCHEMA "1.0"

struct set;

/*
 * Opens a set that exists (-ENOENT), or with create makes what is missing of it. A folder that
 * holds other things and no set is refused (-ENOTEMPTY).
 */
int set_open(const char *path, bool create, struct set **out, struct err *err);
void set_close(struct set *set); /* NULL is fine */

/*
 * Removes a set that nobody has written a session or run to, as a start that was refused leaves it;
 * a folder that was there before stays. NULL is fine.
 */
void set_discard_unused(struct set *set);
const char *set_path(const struct set *set);

/* Is there a set at path (a folder with sessions/ or runs.jsonl)? */
bool set_is(const char *path);

/*
 * The newest set below brunt-results/ of the current folder: the one that was written to last.
 * -ENOENT; belongs to the caller.
 */
int set_newest(char **path, struct err *err);

/*
 * "brunt-results/<workload>-<YYYYmmdd-HHMMSS>": the default for a new one, with "-2" and so on
 * behind it where that is taken; belongs to the caller.
 */
char *set_default_path(const char *workload);

/* Is path a set, or a folder that set_open() may make one of? Looks only. -ENOTEMPTY, -ENOTDIR. */
int set_check_place(const char *path, struct err *err);

/* Writes sessions/<id>.json anew (replaced in one step). session is not taken over. */
int set_write_session(struct set *set, const char *id, const json_t *session, struct err *err);

/*
 * Keeps the configuration of a kernel, once a set: sessions/kernel-<sha256>.config, the hash being
 * that of the text and "kernel.config_sha256" of the sessions' environment.
 */
#define SET_CONFIG_MAX (16 << 20)
int set_write_config(struct set *set, const char *sha256, const char *text, size_t len,
		     struct err *err);

/* Its file, whether it is there or not; belongs to the caller. */
char *set_config_path(const char *set_path, const char *sha256);

/*
 * Gives the next run number, makes runs/<n>/ and appends the line that says the run starts:
 * line gets "schema", "run" and "event":"start".
 */
int set_begin_run(struct set *set, json_t *line, unsigned int *number, struct err *err);

/*
 * Appends the line of a finished run: it gets "schema" and "event":"end". What the run left in
 * runs/<n>/ is on the disk before, so that no line speaks of files that a power loss has emptied.
 */
int set_end_run(struct set *set, json_t *line, struct err *err);

/*
 * Adds what others measured, all of it under one lock: sessions (array; each gets "schema" and
 * "id", which begins with its number in the set), lines of finished runs and of summaries
 * (arrays). Their member "session" is an index into sessions and becomes the id; runs get their
 * numbers. All or nothing: what was written before an error is taken back. -EEXIST: the set has a
 * session of a source with the same "imported"."sha256".
 */
int set_import(struct set *set, json_t *sessions, json_t *runs, json_t *summaries,
	       struct err *err);

/* "SET/runs/<n>"; belongs to the caller. */
char *set_run_folder(const struct set *set, unsigned int number);

/* ---- reading ---- */

/* What a figure is; one object for all runs of the set that have it. */
struct set_metric {
	const char *name, *unit, *better; /* better: "lower", "higher", "none" */
	bool headline;
	size_t order; /* of first appearance in the set */
};

struct set_value {
	const struct set_metric *metric;
	double value;	  /* NAN where it is null */
	double half_step; /* of a value that was printed by others; 0 elsewhere */
};

struct set_mark {
	const char *name, *text;
};

/* The members of "tracer" and "system"; NAN and NULL where unknown or not there. */
struct set_ledger {
	const char *backend;
	double cpu_s, events, bytes, lost, attach_s, drain_s;
	double busy_s, kthread_s, irq_s, softirq_s, iowait_s, steal_s;
};

/* One of "devices" with the wall time that the run took on it. */
struct set_device {
	const char *name;
	double real_s; /* NAN where unknown */
	double work_s; /* without what it waited for other devices; real_s where unknown */
};

/*
 * A line of runs.jsonl without what no report needs. A hundred thousand json_t lines would take
 * a gigabyte, so names are pointers that equal runs share: inside one set two names are equal
 * when their pointers are.
 */
struct set_run {
	unsigned int number, round, position;
	bool measured; /* not a warm-up */
	enum run_status status;
	const char *reason; /* NULL when ok */
	const char *session, *host, *boot_id, *label, *config, *workload;
	const char *point; /* "jobs=4 fs=ext3", "" without a sweep; the keys: set_data.points */
	int64_t start_boottime_ns; /* -1: unknown */
	struct set_value *values;
	size_t nvalues;
	struct set_mark *marks;
	size_t nmarks;
	struct set_device *devices; /* NULL: none were told apart */
	size_t ndevices;
	struct set_ledger ledger;
};

/* What others published of a configuration without single values. */
struct set_summary {
	struct set_run place; /* host, label, configuration, workload, point, session only */
	const struct set_metric *metric;
	size_t n;
	double mean, sd;  /* sd: NAN where the source gave no spread that says it */
	double half_step; /* of the mean as it was printed; 0: not known */
};

enum { SET_HASH_SIZE = SHA256_HEX_SIZE + sizeof("sha256:") - 1 };

/* All that was read of a set. */
struct set_data {
	char *path;
	json_t *sessions; /* object: id -> session, in the order in which they started */
	struct set_run *runs; /* finished ones, by session as these started, and number */
	size_t nruns;
	struct set_run *unended; /* start lines without an end: identity only */
	size_t nunended;
	struct set_metric **metrics;
	size_t nmetrics;
	struct set_summary *summaries;
	size_t nsummaries;
	json_t *points; /* object: point as text -> its keys as an object */
	size_t skipped; /* lines and session files that could not be read (torn) */
	size_t unread_sessions;	  /* of skipped */
	size_t missing_sessions;  /* that runs or summaries name and no file is of */
	unsigned int last_run;
	json_t *names;	/* the shared strings are its keys */
	char hash[SET_HASH_SIZE]; /* "sha256:..." of the files; "" where there are none */
};

/*
 * Reads it. -ENOENT where there is none; -EINVAL for a schema of a newer major. Keys that are
 * not known are ignored. set_data_release() frees what is inside.
 */
int set_read(const char *path, struct set_data *data, struct err *err);
void set_data_release(struct set_data *data);

/*
 * A set that is nowhere on disk: one side a summary, by label of one configuration, judged as
 * published. path stands where a set's path would.
 */
struct set_side {
	const char *label;
	double mean, sd, step; /* step: what the mean is rounded to; 0: not known */
	size_t n;
};
void set_of_summaries(const char *path, const struct set_side *sides, size_t n,
		      struct set_data *data);

/* The session of a run; NULL where its file is missing. */
const json_t *set_data_session(const struct set_data *data, const char *id);

/*
 * What a session says of a source that brunt did not measure itself ("imported": {title, author,
 * date, source, order}); NULL: it is our own.
 */
const json_t *set_imported(const json_t *session);
bool set_order_is_known(const json_t *session); /* of the runs: always of our own */

#endif
