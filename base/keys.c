// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/keys.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/xalloc.h"

const struct key_spec *key_spec_find(const struct key_spec *specs, const char *name)
{
	for (; specs && specs->name; specs++)
		if (!strcmp(specs->name, name))
			return specs;
	return NULL;
}

void keys_release(struct keys *keys)
{
	for (size_t i = 0; i < keys->n; i++) {
		free(keys->v[i].name);
		free(keys->v[i].value);
	}
	free(keys->v);
	*keys = (struct keys)KEYS_INIT;
}

const char *keys_get(const struct keys *keys, const char *name)
{
	for (size_t i = 0; i < keys->n; i++)
		if (!strcmp(keys->v[i].name, name))
			return keys->v[i].value;
	return NULL;
}

void keys_set(struct keys *keys, const char *name, const char *value)
{
	char *copy = xstrdup(value);

	for (size_t i = 0; i < keys->n; i++) {
		if (!strcmp(keys->v[i].name, name)) {
			free(keys->v[i].value);
			keys->v[i].value = copy;
			return;
		}
	}
	GROW(keys->v, keys->n, keys->cap);
	keys->v[keys->n++] = (struct key){ .name = xstrdup(name), .value = copy };
}

void keys_copy(struct keys *to, const struct keys *from)
{
	for (size_t i = 0; i < from->n; i++)
		keys_set(to, from->v[i].name, from->v[i].value);
}

void keys_make_absolute(struct keys *keys, const struct key_spec *specs)
{
	const struct key_spec *spec;
	char *value;

	for (size_t i = 0; i < keys->n; i++) {
		spec = key_spec_find(specs, keys->v[i].name);
		if (!spec || !spec->absolute)
			continue;
		value = spec->absolute(keys->v[i].value);
		free(keys->v[i].value);
		keys->v[i].value = value;
	}
}

bool keys_equal(const struct keys *a, const struct keys *b)
{
	const char *other;

	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		other = keys_get(b, a->v[i].name);
		if (!other || strcmp(other, a->v[i].value) != 0)
			return false;
	}
	return true;
}

/* Is value one of "a|b|c"? */
static bool in_values(const char *values, const char *value)
{
	size_t len = strlen(value), n;

	for (const char *p = values; *p; p += n + (p[n] == '|')) {
		n = strcspn(p, "|");
		if (n == len && !memcmp(p, value, n))
			return true;
		if (!p[n])
			break;
	}
	return false;
}

static int check_range(const struct key_spec *spec, int64_t number, const char *value,
		       struct err *err)
{
	if (number < spec->min || (spec->max && number > spec->max)) {
		if (spec->max && spec->type == KEY_INT)
			return err_usage(err, "%s=%s: give %" PRId64 " to %" PRId64, spec->name,
					 value, spec->min, spec->max);
		return err_usage(err, "%s=%s is out of range", spec->name, value);
	}
	return 0;
}

static int check_type(const struct key_spec *spec, const char *value, struct err *err)
{
	uint64_t u;
	int64_t ns;
	bool b;

	switch (spec->type) {
	case KEY_BOOL:
		if (units_parse_bool(value, &b))
			return err_usage(err, "%s=%s: give yes or no", spec->name, value);
		return 0;
	case KEY_INT:
		if (units_parse_u64(value, &u) || u > INT64_MAX)
			return err_usage(err, "%s=%s is no whole number", spec->name, value);
		return check_range(spec, (int64_t)u, value, err);
	case KEY_SIZE:
		if (units_parse_size(value, &u))
			return err_usage(err, "%s=%s is no size (as 4096, 4k, 16M, 1G)",
					 spec->name, value);
		return check_range(spec, (int64_t)u, value, err);
	case KEY_TIME:
		if (units_parse_time(value, &ns))
			return err_usage(err, "%s=%s is no time (as 500ms, 10s, 2m)", spec->name,
					 value);
		return check_range(spec, ns, value, err);
	case KEY_ENUM:
		if (!in_values(spec->values, value))
			return err_usage(err, "%s=%s: give one of %s", spec->name, value,
					 spec->values);
		return 0;
	case KEY_ARGV:
		if (!value[strspn(value, " \t\n")])
			return err_usage(err, "%s= is empty", spec->name);
		return 0;
	case KEY_STRING:
	case KEY_LIST:
		return 0;
	}
	return 0;
}

int key_check(const struct key_spec *spec, const char *value, struct err *err)
{
	int rc = check_type(spec, value, err);

	if (!rc && spec->check)
		rc = spec->check(value, err);
	return rc;
}

int keys_unknown(const struct key_spec *specs, const char *owner, const char *name,
		 struct err *err)
{
	const char *names[64], *nearest;
	size_t n = 0;

	for (; specs && specs->name && n < ARRAY_SIZE(names); specs++)
		names[n++] = specs->name;
	nearest = words_nearest(name, names, n);
	if (nearest)
		return err_usage(err, "%s has no key '%s'; did you mean '%s'?", owner, name,
				 nearest);
	return err_usage(err, "%s has no key '%s'", owner, name);
}

int keys_check(const struct keys *keys, const struct key_spec *specs, const char *owner,
	       struct err *err)
{
	const struct key_spec *spec;
	int rc;

	for (size_t i = 0; i < keys->n; i++) {
		spec = key_spec_find(specs, keys->v[i].name);
		if (!spec)
			return keys_unknown(specs, owner, keys->v[i].name, err);
		rc = key_check(spec, keys->v[i].value, err);
		if (rc)
			return err_context(err, rc, "%s", owner);
	}
	return 0;
}

const char *keys_text(const struct keys *keys, const struct key_spec *specs, const char *name)
{
	const char *value = keys_get(keys, name);
	const struct key_spec *spec = key_spec_find(specs, name);

	if (!spec)
		abort(); /* a module reads a key that its own table does not have */
	return value ? value : spec->fallback;
}

bool keys_bool(const struct keys *keys, const struct key_spec *specs, const char *name)
{
	const char *text = keys_text(keys, specs, name);
	bool value = false;

	if (text)
		units_parse_bool(text, &value);
	return value;
}

int64_t keys_int(const struct keys *keys, const struct key_spec *specs, const char *name)
{
	const char *text = keys_text(keys, specs, name);
	uint64_t value = 0;

	if (text)
		units_parse_u64(text, &value);
	return (int64_t)value;
}

uint64_t keys_size(const struct keys *keys, const struct key_spec *specs, const char *name)
{
	const char *text = keys_text(keys, specs, name);
	uint64_t value = 0;

	if (text)
		units_parse_size(text, &value);
	return value;
}

int64_t keys_time_ns(const struct keys *keys, const struct key_spec *specs, const char *name)
{
	const char *text = keys_text(keys, specs, name);
	int64_t value = 0;

	if (text)
		units_parse_time(text, &value);
	return value;
}
