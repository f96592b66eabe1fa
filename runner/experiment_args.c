// SPDX-License-Identifier: GPL-3.0-or-later
/* The experiment as the command line gives it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "runner/experiment.h"

/* Splits KEY=VALUE; *key is to be freed, *value points into text. */
static int split_pair(const char *text, char **key, const char **value, struct err *err)
{
	const char *equals = strchr(text, '=');

	if (!equals || equals == text)
		return err_usage(err, "'%s' is no KEY=VALUE", text);
	*key = xstrndup(text, (size_t)(equals - text));
	*value = equals + 1;
	return 0;
}

/* The same for keys that may stand there once. */
static int split_new_pair(const char *text, struct keys *seen, char **key, const char **value,
			  struct err *err)
{
	int rc = split_pair(text, key, value, err);

	if (!rc && keys_get(seen, *key))
		return err_usage(err, "%s is given twice", *key);
	if (!rc)
		keys_set(seen, *key, "");
	return rc;
}

/* -c NAME,KEY=VALUE,... */
static int add_config(struct experiment *experiment, const char *text, struct err *err)
{
	auto_words struct words parts = WORDS_INIT;
	auto_keys struct keys seen = KEYS_INIT;
	struct config *config;
	const char *value;
	int rc = 0;

	words_split_at(text, ',', &parts);
	if (strchr(parts.v[0], '='))
		return err_usage(err, "-c %s: give the configuration's name first, as -c NAME,%s",
				 text, parts.v[0]);
	config = experiment_add_config(experiment, parts.v[0]);
	for (size_t i = 1; i < parts.n && !rc; i++) {
		auto_free char *key = NULL;

		rc = split_new_pair(parts.v[i], &seen, &key, &value, err);
		if (!rc)
			rc = config_set(config, key, value, err);
		if (rc)
			rc = err_context(err, rc, "-c %s", text);
	}
	return rc;
}

/* -t TRACER,KEY=VALUE,...: short for -c TRACER,tracer=TRACER,tracer.KEY=VALUE */
static int add_tracer(struct experiment *experiment, const char *text, struct err *err)
{
	auto_words struct words parts = WORDS_INIT;
	auto_keys struct keys seen = KEYS_INIT;
	struct config *config;
	const char *value;
	int rc;

	words_split_at(text, ',', &parts);
	config = experiment_add_config(experiment, parts.v[0]);
	rc = config_set(config, "tracer", parts.v[0], err);
	for (size_t i = 1; i < parts.n && !rc; i++) {
		auto_free char *key = NULL;

		rc = split_new_pair(parts.v[i], &seen, &key, &value, err);
		if (!rc && !strcmp(key, "name")) {
			free(config->name);
			config->name = xstrdup(value);
		} else if (!rc) {
			keys_set(&config->tracer_keys, key, value);
		}
	}
	return rc ? err_context(err, rc, "-t %s", text) : 0;
}

/* --sweep KEY=V,V */
static int add_sweep(struct experiment_workload *workload, const char *text, struct err *err)
{
	auto_free char *key = NULL;
	struct sweep *sweep;
	const char *value;
	int rc;

	rc = split_pair(text, &key, &value, err);
	if (rc)
		return err_context(err, rc, "--sweep");
	sweep = experiment_add_sweep(workload, key);
	words_split_at(value, ',', &sweep->values);
	return 0;
}

static int set_argv(struct experiment_workload *workload, const struct options *options,
		    struct err *err)
{
	auto_free char *argv = NULL;

	if (!key_spec_find(workload->type->keys, "argv"))
		return err_usage(err, "%s takes no program behind --", workload->name);
	if (!options->rest.n)
		return err_usage(err, "no program stands behind --");
	if (keys_get(&workload->keys, "argv"))
		return err_usage(err, "argv= and a program behind -- are given; give one of them");
	argv = words_quote_shell((const char *const *)options->rest.v, options->rest.n);
	keys_set(&workload->keys, "argv", argv);
	return 0;
}

static int add_pairs(struct experiment_workload *workload, const struct options *options,
		     struct err *err)
{
	const char *value;
	int rc;

	for (size_t i = 1; i < options->arguments.n; i++) {
		auto_free char *key = NULL;

		rc = split_pair(options->arguments.v[i], &key, &value, err);
		if (rc && key_spec_find(workload->type->keys, "argv"))
			return err_usage(err, "'%s' is no KEY=VALUE; a program stands behind --",
					 options->arguments.v[i]);
		if (rc)
			return rc;
		if (keys_get(&workload->keys, key))
			return err_usage(err, "%s is given twice; several values: --sweep %s=V,V",
					 key, key);
		keys_set(&workload->keys, key, value);
	}
	return 0;
}

int experiment_from_options(struct experiment *experiment, const struct options *options,
			    struct err *err)
{
	struct experiment_workload *workload;
	const struct workload *type;
	const char *name;
	int rc;

	if (!options->arguments.n)
		return err_usage(err, "which workload? See brunt list workloads");
	name = options->arguments.v[0];
	type = workload_find(name);
	if (!type)
		return experiment_unknown_workload(name, err);
	workload = experiment_add_workload(experiment, type, name);
	rc = add_pairs(workload, options, err);
	if (!rc && options->has_rest)
		rc = set_argv(workload, options, err);
	for (size_t i = 0; !rc && i < options->n; i++) {
		name = options->v[i].spec->name;
		if (!strcmp(name, "tracer"))
			rc = add_tracer(experiment, options->v[i].value, err);
		else if (!strcmp(name, "config"))
			rc = add_config(experiment, options->v[i].value, err);
		else if (!strcmp(name, "sweep"))
			rc = add_sweep(workload, options->v[i].value, err);
	}
	return rc;
}
