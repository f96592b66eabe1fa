// SPDX-License-Identifier: GPL-3.0-or-later
/* Sets that tests make in a temporary folder, through the same calls as the runner. */
#ifndef BRUNT_TESTS_MADE_SET_H
#define BRUNT_TESTS_MADE_SET_H

#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/files.h"
#include "base/xalloc.h"
#include "results/analysis.h"
#include "results/run.h"
#include "results/set.h"

struct made_set {
	char *folder, *path;
	struct set *set;
	/* identity of the runs that are added next */
	const char *session, *host, *boot, *label, *workload, *point;
	unsigned int position;
};

static inline void made_set_init(struct made_set *made)
{
	struct err err = { 0 };

	*made = (struct made_set){ .session = "s1", .host = "host", .boot = "boot1",
				   .label = "6.1", .workload = "storm", .point = "{}" };
	made->folder = xstrdup("/tmp/brunt-test-XXXXXX");
	assert_non_null(mkdtemp(made->folder));
	made->path = files_join(made->folder, "set");
	assert_int_equal(set_open(made->path, true, &made->set, &err), 0);
}

static inline int made_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void made_set_release(struct made_set *made)
{
	set_close(made->set);
	nftw(made->folder, made_remove, 16, FTW_DEPTH | FTW_PHYS);
	free(made->path);
	free(made->folder);
}

/*
 * sessions/<session>.json with the identity in *made; configs is a JSON array as "[{...}]", more
 * is members behind them as ",\"rounds\":3".
 */
static inline void made_session(struct made_set *made, const char *started, const char *configs,
				const char *more)
{
	char *text = xasprintf("{\"schema\":\"1.0\",\"id\":\"%s\",\"host\":\"%s\",\"label\":\"%s\","
			       "\"boot_id\":\"%s\",\"started\":\"%s\",\"seed\":1,"
			       "\"experiment\":{\"workloads\":[{\"workload\":\"%s\"}],"
			       "\"configs\":%s}%s}",
			       made->session, made->host, made->label, made->boot, started,
			       made->workload, configs, more);
	json_t *session = json_loads(text, 0, NULL);
	struct err err = { 0 };

	assert_non_null(session);
	assert_int_equal(set_write_session(made->set, made->session, session, &err), 0);
	json_decref(session);
	free(text);
}

/* "ok", or "failed: why", "invalid: why"; metrics as JSON; returns the run's number */
static inline unsigned int made_run(struct made_set *made, const char *config, unsigned int round,
				    const char *role, const char *status, const char *metrics)
{
	size_t word = strcspn(status, ":");
	json_t *line = json_object(), *point = json_loads(made->point, 0, NULL);
	struct err err = { 0 };
	unsigned int number;

	json_object_set_new(line, "round", json_integer(round));
	json_object_set_new(line, "position", json_integer(made->position));
	json_object_set_new(line, "session", json_string(made->session));
	json_object_set_new(line, "host", json_string(made->host));
	json_object_set_new(line, "boot_id", json_string(made->boot));
	json_object_set_new(line, "label", json_string(made->label));
	json_object_set_new(line, "config", json_string(config));
	json_object_set_new(line, "workload", json_string(made->workload));
	json_object_set_new(line, "point", point);
	json_object_set_new(line, "role", json_string(role));
	assert_int_equal(set_begin_run(made->set, line, &number, &err), 0);
	json_object_set_new(line, "status", json_stringn(status, word));
	if (status[word])
		json_object_set_new(line, "reason", json_string(status + word + 2));
	json_object_set_new(line, "metrics", json_loads(metrics, 0, NULL));
	assert_non_null(json_object_get(line, "metrics"));
	assert_int_equal(set_end_run(made->set, line, &err), 0);
	json_decref(line);
	return number;
}

/* metrics with one in seconds, where less is better; name and value are string literals */
#define MADE_METRIC(name, value) \
	"{\"" name "\":{\"value\":" value ",\"unit\":\"s\",\"better\":\"lower\"}}"

/* The same with one metric, in seconds where less is better. */
static inline unsigned int made_value(struct made_set *made, const char *config,
				      unsigned int round, const char *metric, double value)
{
	char *metrics = xasprintf(MADE_METRIC("%s", "%.17g"), metric, value);
	unsigned int number = made_run(made, config, round, "measured", "ok", metrics);

	free(metrics);
	return number;
}

/* real, user, sys and cpu */
static inline unsigned int made_times(struct made_set *made, const char *config,
				      unsigned int round, double real, double user, double sys)
{
	char *metrics = xasprintf("{\"real\":{\"value\":%.17g,\"unit\":\"s\",\"better\":\"lower\"},"
				  "\"user\":{\"value\":%.17g,\"unit\":\"s\",\"better\":\"lower\"},"
				  "\"sys\":{\"value\":%.17g,\"unit\":\"s\",\"better\":\"lower\"},"
				  "\"cpu\":{\"value\":%.17g,\"unit\":\"s\",\"better\":\"lower\"}}",
				  real, user, sys, user + sys);
	unsigned int number = made_run(made, config, round, "measured", "ok", metrics);

	free(metrics);
	return number;
}

/* Adds bytes to runs.jsonl as they are. */
static inline void made_append(const struct made_set *made, const char *text)
{
	char *path = files_join(made->path, "runs.jsonl");
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(files_write_all(fd, text, strlen(text)), 0);
	close(fd);
	free(path);
}

/* A set that was read, and its analysis. */
struct made_analysis {
	struct set_data data;
	struct analysis analysis;
};

static inline void made_analyse(const struct made_set *made,
				const struct analysis_options *options, struct made_analysis *out)
{
	struct err err = { 0 };

	assert_int_equal(set_read(made->path, &out->data, &err), 0);
	assert_int_equal(analysis_make(&out->data, 1, options, &out->analysis, &err), 0);
}

static inline void made_analysis_release(struct made_analysis *made)
{
	analysis_release(&made->analysis);
	set_data_release(&made->data);
}

/* ---- a set as the state of a test ---- */

static inline int made_setup(void **state)
{
	struct made_set *made = xcalloc(1, sizeof(*made));

	made_set_init(made);
	*state = made;
	return 0;
}

static inline int made_teardown(void **state)
{
	made_set_release(*state);
	free(*state);
	return 0;
}

#define MADE_TEST(name) cmocka_unit_test_setup_teardown(name, made_setup, made_teardown)

#endif
