// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/experiment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "machine/setting.h"

enum { DEFAULT_ROUNDS = 10, DEFAULT_WARMUP = 1, MAX_NAME = 64 };

void experiment_init(struct experiment *experiment)
{
	*experiment = (struct experiment){ .rounds = DEFAULT_ROUNDS, .warmup = DEFAULT_WARMUP };
}

static void workload_release(struct experiment_workload *workload)
{
	for (size_t i = 0; i < workload->nsweeps; i++) {
		free(workload->sweeps[i].key);
		words_release(&workload->sweeps[i].values);
	}
	free(workload->sweeps);
	free(workload->name);
	keys_release(&workload->keys);
}

static void config_release(struct config *config)
{
	free(config->name);
	free(config->aa_of);
	keys_release(&config->tracer_keys);
	keys_release(&config->settings);
	keys_release(&config->workload_keys);
}

void experiment_release(struct experiment *experiment)
{
	for (size_t i = 0; i < experiment->nworkloads; i++)
		workload_release(&experiment->workloads[i]);
	for (size_t i = 0; i < experiment->nconfigs; i++)
		config_release(&experiment->configs[i]);
	free(experiment->workloads);
	free(experiment->configs);
	words_release(&experiment->primary);
	experiment_init(experiment);
}

struct experiment_workload *experiment_add_workload(struct experiment *experiment,
						    const struct workload *type, const char *name)
{
	struct experiment_workload *workload;

	GROW(experiment->workloads, experiment->nworkloads, experiment->workloads_cap);
	workload = &experiment->workloads[experiment->nworkloads++];
	*workload = (struct experiment_workload){ .type = type, .name = xstrdup(name) };
	return workload;
}

struct config *experiment_add_config(struct experiment *experiment, const char *name)
{
	struct config *config;

	GROW(experiment->configs, experiment->nconfigs, experiment->configs_cap);
	config = &experiment->configs[experiment->nconfigs++];
	*config = (struct config){ .name = xstrdup(name), .tracer = tracer_find("none") };
	return config;
}

struct sweep *experiment_add_sweep(struct experiment_workload *workload, const char *key)
{
	struct sweep *sweep;

	GROW(workload->sweeps, workload->nsweeps, workload->sweeps_cap);
	sweep = &workload->sweeps[workload->nsweeps++];
	*sweep = (struct sweep){ .key = xstrdup(key) };
	return sweep;
}

int experiment_unknown_workload(const char *name, struct err *err)
{
	const char *names[64], *nearest;
	size_t n = 0;

	while (n < ARRAY_SIZE(names) && workloads[n]) {
		names[n] = workloads[n]->name;
		n++;
	}
	nearest = words_nearest(name, names, n);
	if (nearest)
		return err_usage(err, "there is no workload '%s'; did you mean '%s'?", name,
				 nearest);
	return err_usage(err, "there is no workload '%s'; see brunt list workloads", name);
}

static int unknown_tracer(const char *name, struct err *err)
{
	const char *names[64], *nearest;
	size_t n = 0;

	while (n < ARRAY_SIZE(names) && tracers[n]) {
		names[n] = tracers[n]->name;
		n++;
	}
	nearest = words_nearest(name, names, n);
	if (nearest)
		return err_usage(err, "there is no tracer '%s'; did you mean '%s'?", name, nearest);
	return err_usage(err, "there is no tracer '%s'; see brunt list tracers", name);
}

int config_set(struct config *config, const char *key, const char *value, struct err *err)
{
	const char *rest;

	if (!strcmp(key, "tracer")) {
		config->tracer = tracer_find(value);
		return config->tracer ? 0 : unknown_tracer(value, err);
	}
	if (!strncmp(key, "tracer.", 7))
		keys_set(&config->tracer_keys, key + 7, value);
	else if (setting_find(key, &rest))
		keys_set(&config->settings, key, value);
	else
		keys_set(&config->workload_keys, key, value);
	return 0;
}

void experiment_cell_keys(const struct experiment *experiment, size_t workload,
			  const struct keys *point, size_t config, struct keys *out)
{
	keys_copy(out, &experiment->workloads[workload].keys);
	keys_copy(out, point);
	keys_copy(out, &experiment->configs[config].workload_keys);
}

/* A set is JSON: what is no UTF-8 would come back as something else. */
int experiment_check_utf8(const char *name, const char *value, struct err *err)
{
	json_t *text = json_string(value);

	json_decref(text);
	return text ? 0 : err_usage(err, "%s: its value is no UTF-8", name);
}

static int check_keys_utf8(const struct keys *keys, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < keys->n && !rc; i++)
		rc = experiment_check_utf8(keys->v[i].name, keys->v[i].value, err);
	return rc;
}

static int check_sweeps(const struct experiment_workload *workload, struct err *err)
{
	const struct key_spec *spec;
	const struct sweep *sweep;
	int rc;

	for (size_t i = 0; i < workload->nsweeps; i++) {
		sweep = &workload->sweeps[i];
		spec = key_spec_find(workload->type->keys, sweep->key);
		if (!spec)
			return keys_unknown(workload->type->keys, workload->name, sweep->key, err);
		if (spec->type == KEY_ARGV || spec->type == KEY_LIST)
			return err_usage(
				err,
				"%s cannot be swept, because a list of it is one value; make "
				"a configuration of each (-c NAME,%s=VALUE)",
				sweep->key, sweep->key);
		if (keys_get(&workload->keys, sweep->key))
			return err_usage(err, "%s is given as a key and swept; give one of them",
					 sweep->key);
		for (size_t j = 0; j < i; j++)
			if (!strcmp(workload->sweeps[j].key, sweep->key))
				return err_usage(err, "%s is swept twice", sweep->key);
		for (size_t j = 0; j < sweep->values.n; j++) {
			rc = key_check(spec, sweep->values.v[j], err);
			if (!rc)
				rc = experiment_check_utf8(sweep->key, sweep->values.v[j], err);
			if (rc)
				return err_context(err, rc, "--sweep");
			for (size_t k = 0; k < j; k++)
				if (!strcmp(sweep->values.v[j], sweep->values.v[k]))
					return err_usage(err, "--sweep %s: %s stands there twice",
							 sweep->key, sweep->values.v[j]);
		}
	}
	return 0;
}

/* A setting of block devices makes sense only where every workload has some. */
static int check_setting_place(const struct experiment *experiment, const struct setting *setting,
			       const char *name, struct err *err)
{
	for (size_t i = 0; setting->needs_devices && i < experiment->nworkloads; i++)
		if (!experiment->workloads[i].type->has_devices)
			return err_usage(err, "%s is set on block devices, and %s has none", name,
					 experiment->workloads[i].name);
	return 0;
}

static int check_settings(const struct experiment *experiment, const struct config *config,
			  struct err *err)
{
	const struct setting *setting;
	const char *key;
	int rc;

	for (size_t i = 0; i < config->settings.n; i++) {
		setting = setting_find(config->settings.v[i].name, &key);
		rc = setting->check(key, config->settings.v[i].value, err);
		if (!rc)
			rc = check_setting_place(experiment, setting, config->settings.v[i].name,
						 err);
		if (rc)
			return err_context(err, rc, "configuration %s", config->name);
	}
	return 0;
}

static int check_config(const struct experiment *experiment, const struct config *config,
			struct err *err)
{
	auto_free char *owner = xasprintf("tracer %s", config->tracer->name);
	auto_free char *where = NULL;
	const struct experiment_workload *workload;
	int rc;

	if (!config->aa_of && (!*config->name || strlen(config->name) > MAX_NAME))
		return err_usage(err, "a configuration's name has 1 to %d bytes", MAX_NAME);
	rc = experiment_check_utf8("a configuration's name", config->name, err);
	if (!rc)
		rc = keys_check(&config->tracer_keys, config->tracer->keys, owner, err);
	if (!rc)
		rc = check_keys_utf8(&config->tracer_keys, err);
	if (!rc)
		rc = check_keys_utf8(&config->settings, err);
	if (!rc)
		rc = check_keys_utf8(&config->workload_keys, err);
	for (size_t i = 0; !rc && i < experiment->nworkloads; i++) {
		workload = &experiment->workloads[i];
		free(where);
		where = xasprintf("configuration %s: %s", config->name, workload->name);
		rc = keys_check(&config->workload_keys, workload->type->keys, where, err);
		if (!rc && config->tracer->needs_devices && !workload->type->has_devices)
			rc = err_usage(err, "%s traces block devices, and %s has none",
				       config->tracer->name, workload->name);
		for (size_t j = 0; !rc && j < workload->nsweeps; j++)
			if (keys_get(&config->workload_keys, workload->sweeps[j].key))
				rc = err_usage(err, "%s is swept and set by configuration %s",
					       workload->sweeps[j].key, config->name);
	}
	return rc ? rc : check_settings(experiment, config, err);
}

static int check_names(const struct experiment *experiment, struct err *err)
{
	for (size_t i = 0; i < experiment->nconfigs; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(experiment->configs[i].name, experiment->configs[j].name))
				return err_usage(err,
						 "two configurations are called '%s'; name=OTHER "
						 "behind -t, or another NAME behind -c, tells them "
						 "apart",
						 experiment->configs[i].name);
	for (size_t i = 0; i < experiment->nworkloads; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(experiment->workloads[i].name, experiment->workloads[j].name))
				return err_usage(err,
						 "two workloads are called '%s'; give one a name",
						 experiment->workloads[i].name);
	return 0;
}

/* A set is gone on with from any folder. */
static void make_absolute(struct experiment *experiment)
{
	for (size_t i = 0; i < experiment->nworkloads; i++) {
		struct experiment_workload *workload = &experiment->workloads[i];

		keys_make_absolute(&workload->keys, workload->type->keys);
		for (size_t j = 0; j < experiment->nconfigs; j++)
			keys_make_absolute(&experiment->configs[j].workload_keys,
					   workload->type->keys);
		for (size_t j = 0; j < workload->nsweeps; j++) {
			struct sweep *sweep = &workload->sweeps[j];
			const struct key_spec *spec =
				key_spec_find(workload->type->keys, sweep->key);

			for (size_t k = 0; spec && spec->absolute && k < sweep->values.n; k++) {
				char *value = spec->absolute(sweep->values.v[k]);

				free(sweep->values.v[k]);
				sweep->values.v[k] = value;
			}
		}
	}
	for (size_t j = 0; j < experiment->nconfigs; j++)
		keys_make_absolute(&experiment->configs[j].tracer_keys,
				   experiment->configs[j].tracer->keys);
}

int experiment_complete(struct experiment *experiment, struct err *err)
{
	struct experiment_workload *workload;
	int rc;

	if (!experiment->nworkloads)
		return err_usage(err, "which workload? See brunt list workloads");
	if (!experiment->nconfigs)
		experiment_add_config(experiment, "none");
	if (!experiment->seed_given) {
		if (getrandom(&experiment->seed, sizeof(experiment->seed), 0) < 0)
			return err_sys(err, errno, "getrandom");
		experiment->seed &= 0x7fffffff;
		experiment->seed_given = true;
	}
	if (!experiment->max_retries_given)
		experiment->max_retries = experiment->rounds / 2;
	experiment->max_retries_given = true;
	for (size_t i = 0; i < experiment->nworkloads; i++) {
		workload = &experiment->workloads[i];
		rc = keys_check(&workload->keys, workload->type->keys, workload->name, err);
		if (!rc)
			rc = experiment_check_utf8("a workload's name", workload->name, err);
		if (!rc && (!*workload->name || strlen(workload->name) > MAX_NAME ||
			    strchr(workload->name, '/')))
			rc = err_usage(err, "a workload's name has 1 to %d bytes and no '/'",
				       MAX_NAME);
		if (!rc)
			rc = check_keys_utf8(&workload->keys, err);
		if (!rc)
			rc = check_sweeps(workload, err);
		if (rc)
			return rc;
	}
	rc = experiment_complete_rounds(experiment, err);
	if (!rc)
		rc = check_names(experiment, err);
	for (size_t i = 0; !rc && i < experiment->nconfigs; i++)
		rc = check_config(experiment, &experiment->configs[i], err);
	if (!rc)
		make_absolute(experiment);
	return rc;
}

static const struct config *find_config(const struct experiment *experiment, const char *name)
{
	for (size_t i = 0; i < experiment->nconfigs; i++)
		if (!strcmp(experiment->configs[i].name, name))
			return &experiment->configs[i];
	return NULL;
}

bool experiment_has_config(const struct experiment *experiment, const char *name)
{
	return find_config(experiment, name) != NULL;
}

/* Text for the first key in which two maps differ, NULL when they are equal. */
static char *keys_difference(const struct keys *a, const struct keys *b)
{
	const char *value;

	for (size_t i = 0; i < a->n; i++) {
		value = keys_get(b, a->v[i].name);
		if (!value || strcmp(value, a->v[i].value) != 0)
			return xasprintf("%s=%s there, %s here", a->v[i].name, a->v[i].value,
					 value ? value : "not given");
	}
	for (size_t i = 0; i < b->n; i++)
		if (!keys_get(a, b->v[i].name))
			return xasprintf("%s not given there, %s here", b->v[i].name,
					 b->v[i].value);
	return NULL;
}

bool experiment_same_config(const struct experiment *a, const struct experiment *b,
			    const char *name, char **difference)
{
	const struct config *ca = find_config(a, name), *cb = find_config(b, name);
	char *text = NULL;

	if (!ca || !cb)
		return true;
	if (ca->tracer != cb->tracer)
		text = xasprintf("tracer=%s there, %s here", ca->tracer->name, cb->tracer->name);
	if (!text)
		text = keys_difference(&ca->tracer_keys, &cb->tracer_keys);
	if (!text)
		text = keys_difference(&ca->settings, &cb->settings);
	if (!text)
		text = keys_difference(&ca->workload_keys, &cb->workload_keys);
	for (size_t i = 0; !text && i < a->nworkloads; i++)
		for (size_t j = 0; !text && j < b->nworkloads; j++)
			if (!strcmp(a->workloads[i].name, b->workloads[j].name))
				text = keys_difference(&a->workloads[i].keys,
						       &b->workloads[j].keys);
	*difference = text;
	return !text;
}
