// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/run_arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "results/set.h"
#include "runner/cells.h"
#include "runner/message.h"
#include "runner/plan.h"
#include "runner/session_record.h"

enum { MAX_ROUNDS = 1000000, MAX_FILE = 1 << 20, MAX_LABEL = 128 };

static int read_file(struct experiment *experiment, const char *path, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	bool is_stdin = !strcmp(path, "-");
	int rc;

	rc = files_read_at(AT_FDCWD, is_stdin ? "/dev/stdin" : path, MAX_FILE, &text);
	if (rc)
		return err_sys(err, -rc, "%s", path);
	return experiment_from_text(experiment, text.s, text.len, is_stdin ? "stdin" : path, err);
}

/* The experiment of the set's first session. */
static int read_set(struct experiment *experiment, const char *path, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	struct set_data data;
	const json_t *session, *first = NULL;
	const char *id;
	int rc;

	rc = set_read(path, &data, err);
	if (rc)
		return rc;
	json_object_foreach(data.sessions, id, session)
		if (!first || strcmp(json_get_text(session, "started", ""),
				     json_get_text(first, "started", "")) < 0)
			first = session;
	if (!first || !json_object_get(first, "experiment")) {
		rc = err_usage(err, "%s holds no experiment; give a workload", path);
	} else {
		json_write(&text, json_object_get(first, "experiment"), 0);
		rc = experiment_from_text(experiment, text.s, text.len, path, err);
	}
	set_data_release(&data);
	return rc;
}

static int read_experiment(struct experiment *experiment, const struct options *options,
			   struct err *err)
{
	const char *file = options_get(options, "file"), *set = options_get(options, "output");
	bool has_words = options->arguments.n || options->has_rest ||
			 options_has(options, "tracer") || options_has(options, "config") ||
			 options_has(options, "sweep");

	if (file && has_words)
		return err_usage(err, "give the experiment by -f or in words, not both");
	if (file)
		return read_file(experiment, file, err);
	if (!has_words && set && set_is(set))
		return read_set(experiment, set, err);
	if (!has_words && set)
		return err_usage(err, "%s is no set of results; give a workload to start one", set);
	if (options_has(options, "add"))
		return err_usage(err, "--add is for an existing set: brunt run -o SET --add N");
	return experiment_from_options(experiment, options, err);
}

/* --until, --max, --aa, --primary: what experiment_complete_rounds() looks at. */
static int read_until(struct experiment *experiment, const struct options *options,
		      struct err *err)
{
	const char *primary = options_get(options, "primary");
	int rc = options_percent(options, "until", PERCENT_MAX, &experiment->until_pct, err);

	if (!rc && options_has(options, "until") && experiment->until_pct <= 0)
		rc = err_usage(err, "--until: give a percentage above 0");
	if (!rc)
		rc = options_number(options, "max", 1, MAX_ROUNDS, &experiment->until_max, err);
	experiment->aa |= options_has(options, "aa");
	if (!rc && primary) {
		words_release(&experiment->primary);
		words_split_at(primary, ',', &experiment->primary);
	}
	return rc;
}

static int read_numbers(struct run_arguments *arguments, const struct options *options,
			struct err *err)
{
	struct experiment *experiment = &arguments->experiment;
	unsigned int seed = experiment->seed;
	int rc;

	rc = options_number(options, "rounds", 1, MAX_ROUNDS, &experiment->rounds, err);
	if (!rc)
		rc = options_number(options, "warmup", 0, 1000, &experiment->warmup, err);
	if (!rc)
		rc = options_number(options, "max-retries", 0, MAX_ROUNDS,
				    &experiment->max_retries, err);
	if (!rc)
		rc = options_number(options, "seed", 0, UINT32_MAX, &seed, err);
	if (rc)
		return rc;
	experiment->max_retries_given |= options_has(options, "max-retries");
	if (options_has(options, "seed")) {
		experiment->seed = seed;
		experiment->seed_given = true;
	}
	return read_until(experiment, options, err);
}

/* How many rounds this session has: --add leaves the experiment, and so its --until, as it is. */
static int read_session_rounds(struct run_arguments *arguments, const struct options *options,
			       struct err *err)
{
	const struct experiment *experiment = &arguments->experiment;

	arguments->rounds = experiment->rounds;
	if (options_has(options, "add")) {
		if (options_has(options, "until"))
			return err_usage(err, "--add says how many rounds, --until when to stop; "
					      "give one of them");
		return options_number(options, "add", 1, MAX_ROUNDS, &arguments->rounds, err);
	}
	arguments->until_pct = experiment->until_pct;
	if (experiment->until_pct > 0)
		arguments->rounds = experiment->until_max;
	return 0;
}

static int read_label(struct run_arguments *arguments, const struct options *options,
		      struct err *err)
{
	const char *label = options_get(options, "label");
	struct utsname name;

	if (!label) {
		if (uname(&name) < 0)
			return err_sys(err, errno, "uname");
		label = name.release;
	}
	if (!*label || strlen(label) > MAX_LABEL)
		return err_usage(err, "a label has 1 to %d bytes", MAX_LABEL);
	if (experiment_check_utf8("a label", label, err))
		return -EINVAL;
	arguments->label = xstrdup(label);
	return 0;
}

void run_arguments_remember(struct run_arguments *arguments, const struct set_data *data)
{
	const json_t *session;
	const char *id;

	json_object_foreach(data->sessions, id, session)
		guard_consent_remember(&arguments->consent, json_object_get(session, "disks"));
}

int run_arguments_read_consent(const struct options *options, struct guard_consent *consent,
			       struct err *err)
{
	int rc = 0;

	consent->overwrite = options_has(options, "overwrite");

	for (size_t i = 0; !rc && i < options->n; i++)
		if (!strcmp(options->v[i].spec->name, "destroy"))
			rc = guard_consent_add(consent, options->v[i].value, err);
	return rc;
}

int run_arguments_read(struct run_arguments *arguments, const struct options *options,
		       struct err *err)
{
	const char *set = options_get(options, "output");
	int rc;

	if (set && !*set)
		return err_usage(err, "--output needs the name of a folder");
	*arguments = (struct run_arguments){ 0 };
	experiment_init(&arguments->experiment);
	rc = read_experiment(&arguments->experiment, options, err);
	if (!rc)
		rc = read_numbers(arguments, options, err);
	if (!rc)
		rc = experiment_complete(&arguments->experiment, err);
	if (!rc)
		rc = read_session_rounds(arguments, options, err);
	if (!rc)
		rc = read_label(arguments, options, err);
	if (!rc)
		rc = run_arguments_read_consent(options, &arguments->consent, err);
	if (rc) {
		run_arguments_release(arguments);
		return rc;
	}
	arguments->set_path = set ? xstrdup(set) :
				    set_default_path(arguments->experiment.workloads[0].name);
	return 0;
}

void run_arguments_release(struct run_arguments *arguments)
{
	experiment_release(&arguments->experiment);
	free(arguments->set_path);
	free(arguments->label);
	guard_consent_release(&arguments->consent);
	*arguments = (struct run_arguments){ 0 };
}

static int check_tracers(const struct experiment *experiment, struct buf *text, struct err *err)
{
	const struct tracer *tracer;
	const char *why;
	int rc;

	for (size_t i = 0; i < experiment->nconfigs; i++) {
		tracer = experiment->configs[i].tracer;
		why = tracer->unavailable ? tracer->unavailable() : NULL;
		if (why)
			return err_missing(err, "tracer %s cannot run here: %s", tracer->name, why);
		if (!tracer->check)
			continue;
		rc = tracer->check(&experiment->configs[i].tracer_keys, text, err);
		if (rc)
			return err_context(err, rc, "tracer %s", tracer->name);
		if (text->len && text->s[text->len - 1] != '\n')
			buf_addc(text, '\n');
	}
	return 0;
}

/* What the set holds has to go with this; the session looks again when it has the set's lock. */
static int check_set_content(struct run_arguments *arguments, const struct set_data *data,
			     struct err *err)
{
	const struct experiment *experiment = &arguments->experiment;
	struct session_request request = { .experiment = experiment, .label = arguments->label };
	int rc = session_check_set(data, &request, err);

	for (size_t i = 0; !rc && i < experiment->nconfigs; i++) {
		const struct config *config = &experiment->configs[i];
		const struct tracer *tracer = config->tracer;
		const char *backend = tracer->planned_backend ?
					      tracer->planned_backend(&config->tracer_keys) :
					      NULL;

		if (backend || !tracer->backend)
			rc = session_check_backend(data, config->name, backend, err);
	}
	arguments->order_seed = session_order_seed(experiment, data);
	return rc;
}

static int check_set(struct run_arguments *arguments, struct err *err)
{
	struct set_data data;
	int rc;

	arguments->order_seed = arguments->experiment.seed;
	if (!arguments->set_path)
		return 0;
	rc = set_check_place(arguments->set_path, err);
	if (rc || !set_is(arguments->set_path))
		return rc;
	rc = set_read(arguments->set_path, &data, err);
	if (rc)
		return rc;
	run_arguments_remember(arguments, &data);
	rc = check_set_content(arguments, &data, err);
	set_data_release(&data);
	return rc;
}

/* A line for each disk, where there are several: too many for one. */
static int tell_refusals(const char *lines, int rc, struct err *err)
{
	size_t n, count = 0;

	for (const char *p = lines; *p; p++)
		count += *p == '\n';
	if (count < 2)
		return rc;
	for (; *lines; lines += n + 1) {
		n = strcspn(lines, "\n");
		message("%.*s", (int)n, lines);
	}
	return err_refused(err, "%zu devices are refused: nothing was touched", count);
}

static int check_modules(const struct experiment *experiment, const struct guard_consent *consent,
			 struct buf *text, struct err *err)
{
	auto_buf struct buf own = BUF_INIT;
	struct cells cells;
	struct plan plan;
	int rc;

	plan_make(&plan, experiment, 0, 0, 0);
	cells_init(&cells, experiment, &plan);
	rc = cells_check(&cells, consent, &own, err);
	if (!rc)
		buf_add(text, own.len ? own.s : "");
	else if (err->status == EXIT_REFUSED)
		rc = tell_refusals(own.len ? own.s : "", rc, err);
	if (!rc)
		rc = check_tracers(experiment, text, err);
	cells_release(&cells);
	plan_release(&plan);
	return rc;
}

int run_arguments_check(struct run_arguments *arguments, struct buf *plan_text, struct err *err)
{
	auto_buf struct buf local = BUF_INIT;
	struct buf *text = plan_text ? plan_text : &local;
	const struct experiment *experiment = &arguments->experiment;
	int rc = plan_check_size(experiment, arguments->rounds, experiment->warmup, err);

	if (!rc)
		rc = check_set(arguments, err);
	return rc ? rc : check_modules(experiment, &arguments->consent, text, err);
}
