// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Experiments for tests, from the words of `brunt run` or from a file's text. Include after
 * cmocka.h.
 */
#ifndef BRUNT_TESTS_EXPERIMENT_LINE_H
#define BRUNT_TESTS_EXPERIMENT_LINE_H

#include "base/buf.h"
#include "base/json.h"
#include "runner/experiment.h"
#include "runner/run_arguments.h"

#define auto_experiment __attribute__((cleanup(experiment_release)))

/* line is split as sh does. The experiment is to be released on failure too. */
static inline int experiment_line(struct experiment *experiment, const char *line, struct err *err)
{
	static const struct option_spec specs[] = { RUN_EXPERIMENT_OPTIONS, { NULL } };
	auto_words struct words words = WORDS_INIT;
	struct options options = { 0 };
	int rc;

	experiment_init(experiment);
	*err = (struct err){ 0 };
	assert_int_equal(words_split_shell(line, &words, err), 0);
	rc = options_parse("run", specs, (int)words.n, words.v, &options, err);
	if (!rc)
		rc = experiment_from_options(experiment, &options, err);
	if (!rc)
		rc = experiment_complete(experiment, err);
	options_release(&options);
	return rc;
}

static inline void experiment_of(struct experiment *experiment, const char *line)
{
	struct err err;

	if (experiment_line(experiment, line, &err))
		fail_msg("%s: %s", line, err.text);
}

static inline int experiment_text(struct experiment *experiment, const char *text, struct err *err)
{
	int rc;

	experiment_init(experiment);
	*err = (struct err){ 0 };
	rc = experiment_from_text(experiment, text, strlen(text), "f", err);
	return rc ? rc : experiment_complete(experiment, err);
}

/* As one line of JSON, to be freed. */
static inline char *experiment_json(const struct experiment *experiment)
{
	auto_json json_t *value = experiment_to_json(experiment);
	struct buf text = BUF_INIT;

	json_write(&text, value, 0);
	return buf_steal(&text);
}

#endif
