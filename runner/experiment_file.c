// SPDX-License-Identifier: GPL-3.0-or-later
/* The experiment as a YAML file, and as the JSON of a session, which is YAML too. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "base/yaml.h"
#include "machine/setting.h"
#include "runner/experiment.h"
#include "runner/options.h"

struct reading {
	struct experiment *experiment;
	const char *name; /* the file's */
	struct err *err;
};

static int bad(const struct reading *r, const struct yaml_node *node, const char *text)
{
	return yaml_tree_error(node, r->name, r->err, "%s", text);
}

/* Moves the error that a check of the experiment gave to where the key stands. */
static int at_node(const struct reading *r, const struct yaml_node *node, int rc)
{
	return rc ? err_context(r->err, rc, "%s:%zu:%zu", r->name, node->line, node->column) : 0;
}

/* A list that is one value: words of argv are quoted, members of other lists joined by '+'. */
static char *join_list(const struct yaml_node *list, const struct key_spec *spec)
{
	auto_words struct words words = WORDS_INIT;
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < list->n; i++)
		words_add(&words, list->children[i].text);
	if (spec->type == KEY_ARGV)
		return words_quote_shell((const char *const *)words.v, words.n);
	for (size_t i = 0; i < words.n; i++)
		buf_addf(&out, "%s%s", i ? "+" : "", words.v[i]);
	return buf_steal(&out);
}

static int check_scalars(const struct reading *r, const struct yaml_node *list)
{
	if (!list->n)
		return bad(r, list, "an empty list");
	for (size_t i = 0; i < list->n; i++)
		if (list->children[i].kind != YAML_SCALAR)
			return bad(r, &list->children[i], "a plain value is expected here");
	return 0;
}

static int read_list_key(const struct reading *r, const struct yaml_node *node,
			 struct experiment_workload *workload)
{
	const struct key_spec *spec = key_spec_find(workload->type->keys, node->key);
	auto_free char *joined = NULL;
	struct sweep *sweep;
	int rc;

	if (!spec)
		return at_node(r, node, keys_unknown(workload->type->keys, workload->name,
						     node->key, r->err));
	rc = check_scalars(r, node);
	if (rc)
		return rc;
	if (spec->type == KEY_ARGV || spec->type == KEY_LIST) {
		joined = join_list(node, spec);
		keys_set(&workload->keys, node->key, joined);
		return 0;
	}
	sweep = experiment_add_sweep(workload, node->key);
	for (size_t i = 0; i < node->n && !rc; i++) {
		words_add(&sweep->values, node->children[i].text);
		rc = at_node(r, &node->children[i],
			     key_check(spec, node->children[i].text, r->err));
	}
	return rc;
}

static int read_workload(const struct reading *r, const struct yaml_node *map)
{
	const struct yaml_node *type_node = yaml_tree_child(map, "workload"), *node;
	const struct yaml_node *name = yaml_tree_child(map, "name");
	struct experiment_workload *workload;
	const struct workload *type;
	int rc = 0;

	if (map->kind != YAML_MAP || !type_node || type_node->kind != YAML_SCALAR)
		return bad(r, map, "a workload is a map with 'workload: NAME'");
	if (name && name->kind != YAML_SCALAR)
		return bad(r, name, "a name is expected here");
	type = workload_find(type_node->text);
	if (!type)
		return at_node(r, type_node, experiment_unknown_workload(type_node->text, r->err));
	workload = experiment_add_workload(r->experiment, type, name ? name->text : type->name);
	for (size_t i = 0; !rc && i < map->n; i++) {
		node = &map->children[i];
		if (node == type_node || node == name)
			continue;
		if (node->kind == YAML_LIST) {
			rc = read_list_key(r, node, workload);
		} else if (node->kind == YAML_MAP) {
			rc = bad(r, node, "a value or a list is expected here");
		} else {
			const struct key_spec *spec = key_spec_find(type->keys, node->key);

			rc = at_node(r, node,
				     spec ? key_check(spec, node->text, r->err) :
					    keys_unknown(type->keys, workload->name, node->key,
							 r->err));
			keys_set(&workload->keys, node->key, node->text);
		}
	}
	return rc;
}

/* The table that a configuration's key belongs to; NULL for settings and unknown ones. */
static const struct key_spec *config_key_spec(const struct reading *r,
					      const struct config *config, const char *key)
{
	const struct key_spec *spec = NULL;

	if (!strncmp(key, "tracer.", 7))
		return key_spec_find(config->tracer->keys, key + 7);
	for (size_t i = 0; !spec && i < r->experiment->nworkloads; i++)
		spec = key_spec_find(r->experiment->workloads[i].type->keys, key);
	return spec;
}

/* Is this right for a key of the tracer or of a workload? Settings are checked later. */
static int check_config_key(const struct reading *r, const struct config *config,
			    const struct key_spec *spec, const struct yaml_node *node)
{
	auto_free char *owner = xasprintf("tracer %s", config->tracer->name);
	const struct experiment_workload *workload = r->experiment->workloads;
	const char *rest;

	if (!strcmp(node->key, "tracer") || setting_find(node->key, &rest))
		return 0;
	if (spec)
		return key_check(spec, node->text, r->err);
	if (!strncmp(node->key, "tracer.", 7))
		return keys_unknown(config->tracer->keys, owner, node->key + 7, r->err);
	return workload ? keys_unknown(workload->type->keys, workload->name, node->key, r->err) : 0;
}

static int read_config_key(const struct reading *r, const struct yaml_node *node,
			   struct config *config)
{
	const struct key_spec *spec = config_key_spec(r, config, node->key);
	auto_free char *joined = NULL;
	int rc;

	if (!strcmp(node->key, "aa_of") && node->kind == YAML_SCALAR) {
		config->aa_of = xstrdup(node->text);
		return 0;
	}
	if (node->kind == YAML_SCALAR) {
		rc = check_config_key(r, config, spec, node);
		if (!rc)
			rc = config_set(config, node->key, node->text, r->err);
		return at_node(r, node, rc);
	}
	if (node->kind != YAML_LIST || !spec ||
	    (spec->type != KEY_ARGV && spec->type != KEY_LIST))
		return bad(r, node, "one value is expected here (only workloads sweep)");
	rc = check_scalars(r, node);
	if (rc)
		return rc;
	joined = join_list(node, spec);
	return at_node(r, node, config_set(config, node->key, joined, r->err));
}

static int read_config(const struct reading *r, const struct yaml_node *map)
{
	const struct yaml_node *name = yaml_tree_child(map, "name");
	const struct yaml_node *tracer = yaml_tree_child(map, "tracer");
	struct config *config;
	int rc = 0;

	if (!name && tracer && tracer->kind == YAML_SCALAR)
		name = tracer;
	if (map->kind != YAML_MAP || !name || name->kind != YAML_SCALAR)
		return bad(r, map, "a configuration is a map with 'name: NAME'");
	config = experiment_add_config(r->experiment, name->text);
	if (tracer)
		rc = read_config_key(r, tracer, config);
	for (size_t i = 0; !rc && i < map->n; i++)
		if (&map->children[i] != tracer && strcmp(map->children[i].key, "name") != 0)
			rc = read_config_key(r, &map->children[i], config);
	return rc;
}

static int read_number(const struct reading *r, const struct yaml_node *node, uint64_t min,
		       uint64_t max, uint64_t *out)
{
	if (node->kind != YAML_SCALAR || units_parse_u64(node->text, out) || *out < min ||
	    *out > max)
		return yaml_tree_error(node, r->name, r->err,
				       "%s: give a whole number, %llu to %llu", node->key,
				       (unsigned long long)min, (unsigned long long)max);
	return 0;
}

static int read_bool(const struct reading *r, const struct yaml_node *node, bool *out)
{
	if (node->kind != YAML_SCALAR ||
	    (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0))
		return yaml_tree_error(node, r->name, r->err, "%s: give true or false", node->key);
	*out = !strcmp(node->text, "true");
	return 0;
}

static int read_percent(const struct reading *r, const struct yaml_node *node, double *out)
{
	if (node->kind != YAML_SCALAR || units_parse_double(node->text, out) || !(*out > 0) ||
	    *out >= PERCENT_MAX)
		return yaml_tree_error(node, r->name, r->err,
				       "%s: give a percentage above 0 and below %d", node->key,
				       PERCENT_MAX);
	return 0;
}

static int read_names(const struct reading *r, const struct yaml_node *node, struct words *out)
{
	int rc = 0;

	if (node->kind == YAML_SCALAR) {
		words_split_at(node->text, ',', out);
		return 0;
	}
	if (node->kind != YAML_LIST)
		return bad(r, node, "a list is expected here");
	rc = check_scalars(r, node);
	for (size_t i = 0; i < node->n && !rc; i++)
		words_add(out, node->children[i].text);
	return rc;
}

/* A whole number of `experiment:`; false: no such key. */
static bool read_count(const struct reading *r, const struct yaml_node *node, int *rc)
{
	struct experiment *experiment = r->experiment;
	const struct {
		const char *key;
		uint64_t min, max;
		unsigned int *out;
		bool *given;
	} counts[] = {
		{ "rounds", 1, 1000000, &experiment->rounds, NULL },
		{ "warmup", 0, 1000, &experiment->warmup, NULL },
		{ "max_retries", 0, 1000000, &experiment->max_retries,
		  &experiment->max_retries_given },
		{ "seed", 0, UINT32_MAX, &experiment->seed, &experiment->seed_given },
		{ "max", 1, 1000000, &experiment->until_max, NULL },
	};
	uint64_t value = 0;

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		if (strcmp(counts[i].key, node->key) != 0)
			continue;
		*rc = read_number(r, node, counts[i].min, counts[i].max, &value);
		*counts[i].out = (unsigned int)value;
		if (counts[i].given)
			*counts[i].given = true;
		return true;
	}
	return false;
}

static int unknown_parameter(const struct reading *r, const struct yaml_node *node)
{
	static const char *const known[] = { "rounds", "warmup", "max_retries", "seed",
					     "aa", "primary", "until", "max" };
	const char *nearest = words_nearest(node->key, known, ARRAY_SIZE(known));

	return yaml_tree_error(node, r->name, r->err, "no key '%s' here%s%s%s", node->key,
			       nearest ? "; did you mean '" : "", nearest ? nearest : "",
			       nearest ? "'?" : "");
}

static int read_parameters(const struct reading *r, const struct yaml_node *map)
{
	struct experiment *experiment = r->experiment;
	const struct yaml_node *node;
	int rc = 0;

	if (map->kind != YAML_MAP)
		return bad(r, map, "a map is expected here");
	for (size_t i = 0; !rc && i < map->n; i++) {
		node = &map->children[i];
		if (read_count(r, node, &rc))
			continue;
		if (!strcmp(node->key, "aa"))
			rc = read_bool(r, node, &experiment->aa);
		else if (!strcmp(node->key, "primary"))
			rc = read_names(r, node, &experiment->primary);
		else if (!strcmp(node->key, "until"))
			rc = read_percent(r, node, &experiment->until_pct);
		else
			rc = unknown_parameter(r, node);
	}
	return rc;
}

static int read_each(const struct reading *r, const struct yaml_node *list,
		     int (*read_one)(const struct reading *, const struct yaml_node *))
{
	int rc = 0;

	if (list->kind != YAML_LIST)
		return bad(r, list, "a list is expected here");
	for (size_t i = 0; !rc && i < list->n; i++)
		rc = read_one(r, &list->children[i]);
	return rc;
}

static int read_root(const struct reading *r, const struct yaml_node *root)
{
	const struct yaml_node *parameters = yaml_tree_child(root, "experiment");
	const struct yaml_node *list = yaml_tree_child(root, "workloads");
	const struct yaml_node *configs = yaml_tree_child(root, "configs");
	int rc = 0;

	if (root->kind != YAML_MAP || !list)
		return bad(r, root, "an experiment is a map with 'workloads:'");
	for (size_t i = 0; i < root->n; i++)
		if (&root->children[i] != parameters && &root->children[i] != list &&
		    &root->children[i] != configs)
			return yaml_tree_error(&root->children[i], r->name, r->err,
					  "no key '%s' here (experiment, workloads, configs)",
					  root->children[i].key);
	if (parameters)
		rc = read_parameters(r, parameters);
	if (!rc)
		rc = read_each(r, list, read_workload);
	if (!rc && configs)
		rc = read_each(r, configs, read_config);
	return rc;
}

int experiment_from_text(struct experiment *experiment, const char *text, size_t len,
			 const char *name, struct err *err)
{
	struct reading r = { .experiment = experiment, .name = name, .err = err };
	struct yaml_node *root;
	int rc;

	rc = yaml_tree_parse(text, len, name, &root, err);
	if (rc)
		return rc;
	rc = read_root(&r, root);
	yaml_tree_free(root);
	return rc;
}

static void put_keys(json_t *object, const char *prefix, const struct keys *keys)
{
	for (size_t i = 0; i < keys->n; i++) {
		auto_free char *name = xasprintf("%s%s", prefix, keys->v[i].name);

		json_object_set_new(object, name, json_text(keys->v[i].value));
	}
}

static json_t *workload_to_json(const struct experiment_workload *workload)
{
	json_t *object = json_pack("{s:s}", "workload", workload->type->name);

	if (strcmp(workload->name, workload->type->name) != 0)
		json_object_set_new(object, "name", json_text(workload->name));
	put_keys(object, "", &workload->keys);
	for (size_t i = 0; i < workload->nsweeps; i++) {
		json_t *values = json_array();

		for (size_t j = 0; j < workload->sweeps[i].values.n; j++)
			json_array_append_new(values, json_text(workload->sweeps[i].values.v[j]));
		json_object_set_new(object, workload->sweeps[i].key, values);
	}
	return object;
}

static json_t *config_to_json(const struct config *config)
{
	json_t *object = json_object();

	json_object_set_new(object, "name", json_text(config->name));
	json_object_set_new(object, "tracer", json_text(config->tracer->name));
	if (config->aa_of)
		json_object_set_new(object, "aa_of", json_text(config->aa_of));
	put_keys(object, "tracer.", &config->tracer_keys);
	put_keys(object, "", &config->settings);
	put_keys(object, "", &config->workload_keys);
	return object;
}

static json_t *parameters_to_json(const struct experiment *experiment)
{
	json_t *object = json_pack("{s:I,s:I,s:I,s:I}", "rounds", (json_int_t)experiment->rounds,
				   "warmup", (json_int_t)experiment->warmup, "max_retries",
				   (json_int_t)experiment->max_retries, "seed",
				   (json_int_t)experiment->seed);
	json_t *primary;

	if (experiment->aa)
		json_object_set_new(object, "aa", json_true());
	if (experiment->primary.n) {
		primary = json_array();
		for (size_t i = 0; i < experiment->primary.n; i++)
			json_array_append_new(primary, json_text(experiment->primary.v[i]));
		json_object_set_new(object, "primary", primary);
	}
	if (experiment->until_pct > 0) {
		json_object_set_new(object, "until", json_number(experiment->until_pct));
		json_object_set_new(object, "max", json_integer(experiment->until_max));
	}
	return object;
}

json_t *experiment_to_json(const struct experiment *experiment)
{
	json_t *list = json_array(), *configs = json_array();

	for (size_t i = 0; i < experiment->nworkloads; i++)
		json_array_append_new(list, workload_to_json(&experiment->workloads[i]));
	for (size_t i = 0; i < experiment->nconfigs; i++)
		json_array_append_new(configs, config_to_json(&experiment->configs[i]));
	return json_pack("{s:o,s:o,s:o}", "experiment", parameters_to_json(experiment),
			 "workloads", list, "configs", configs);
}
