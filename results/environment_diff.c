// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/environment_diff.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "results/config_diff.h"
#include "results/work_diff.h"

/* What changes all the time and says nothing of the machine. */
static bool is_passing(const char *key)
{
	static const char *const passing[] = { "uptime_s", "load1", "cpu.mhz" };

	for (size_t i = 0; i < ARRAY_SIZE(passing); i++)
		if (!strcmp(key, passing[i]))
			return true;
	return false;
}

static bool same_value(json_t *a, json_t *b)
{
	return a && b && json_equal(a, b);
}

static bool same_member(const json_t *a, const json_t *b, const char *key)
{
	return same_value(json_object_get(a, key), json_object_get(b, key));
}

/* By what people call it; two builds may have one name. */
static bool same_name(const json_t *a, const json_t *b)
{
	return same_member(a, b, "kernel.release") && same_member(a, b, "kernel.version");
}

/* Comes with the kernel, whose release and version are told: they are other ones. */
static bool is_of_kernel(const char *key, bool on_both)
{
	if (!strcmp(key, "kernel.build_id"))
		return true;
	return !on_both && (!strncmp(key, "sysctl.", 7) || !strncmp(key, "mitigation.", 11));
}

/* Has the object a key of the same family, as "mount."? Else nobody looked for them. */
static bool has_family(const json_t *object, const char *key)
{
	size_t len = strcspn(key, ".") + 1;
	const char *other;
	json_t *value;

	json_object_foreach((json_t *)object, other, value)
		if (!strncmp(other, key, len))
			return true;
	return false;
}

static void add_change(struct environment_pair *pair, const char *key, const json_t *before,
		       const json_t *after)
{
	GROW(pair->changes, pair->n, pair->cap);
	pair->changes[pair->n++] = (struct environment_change){ key, before, after };
}

/* ---- the kernel's configuration ---- */

static bool read_config(const struct set_data *data, const json_t *session, struct buf *out)
{
	const char *hash = json_get_text(json_object_get(session, "environment"),
					 "kernel.config_sha256", NULL);
	bool good = hash && strlen(hash) == 64 && !hash[strspn(hash, "0123456789abcdef")];
	auto_free char *path = good ? set_config_path(data->path, hash) : NULL;

	return path && !files_read_at(AT_FDCWD, path, SET_CONFIG_MAX, out);
}

/* False where a set has not kept its text: then only the hash can be told. */
static bool read_options(struct environment_pair *pair, bool same_kernel)
{
	auto_buf struct buf before = BUF_INIT, after = BUF_INIT;
	auto_json json_t *found = NULL;
	const char *name;
	json_t *ends;
	size_t more;

	if (!read_config(pair->base_data, pair->base, &before) ||
	    !read_config(pair->fresh_data, pair->fresh, &after))
		return false;
	pair->options = json_object();
	found = config_diff(before.s, after.s, same_kernel, &more);
	json_object_foreach(found, name, ends) {
		auto_free char *key = xasprintf("kernel.config.%s", name);

		json_object_set(pair->options, key, ends);
	}
	if (more)
		json_object_set_new(pair->options, "kernel.config, more options",
				    json_pack("[n,I]", (json_int_t)more));
	return true;
}

static const json_t *known(const json_t *value)
{
	return json_is_null(value) ? NULL : value;
}

static void add_options(struct environment_pair *pair)
{
	const char *key;
	json_t *ends;

	json_object_foreach(pair->options, key, ends)
		add_change(pair, key, known(json_array_get(ends, 0)),
			   known(json_array_get(ends, 1)));
}

static void compare(struct environment_pair *pair)
{
	json_t *before = json_object_get(pair->base, "environment");
	json_t *after = json_object_get(pair->fresh, "environment");
	bool kernel = same_name(before, after);
	bool options = !same_member(before, after, "kernel.config_sha256") &&
		       read_options(pair, kernel);
	const char *key;
	json_t *value, *other;

	json_object_foreach(before, key, value) {
		other = json_object_get(after, key);
		if (is_passing(key) || same_value(value, other) ||
		    (options && !strcmp(key, "kernel.config_sha256")) ||
		    (!kernel && is_of_kernel(key, other != NULL)) ||
		    (!other && !has_family(after, key)))
			continue;
		add_change(pair, key, value, other);
	}
	json_object_foreach(after, key, value)
		if (!json_object_get(before, key) && !is_passing(key) &&
		    (kernel || !is_of_kernel(key, false)) && has_family(before, key))
			add_change(pair, key, NULL, value);
	add_options(pair);
}

static bool same_text(const json_t *a, const json_t *b, const char *key)
{
	return !strcmp(json_get_text(a, key, ""), json_get_text(b, key, ""));
}

static void add_pair(struct environment_pairs *pairs, const struct environment_pair *ends)
{
	struct environment_pair pair = *ends;

	if (json_object_size(json_object_get(pair.base, "environment")) &&
	    json_object_size(json_object_get(pair.fresh, "environment")))
		compare(&pair);
	pair.work = work_diff(pair.base, pair.fresh);
	if (!pair.n && !json_array_size(pair.work)) {
		json_decref(pair.work);
		json_decref(pair.options);
		return;
	}
	GROW(pairs->v, pairs->n, pairs->cap);
	pairs->v[pairs->n++] = pair;
}

static bool take_base(struct environment_pair *pair, const struct set_data *data,
		      const json_t *session)
{
	pair->base = session;
	pair->base_data = data;
	return true;
}

/* The session before this one that it is held against, of its own host. */
static void find_base(const struct set_data *sets, struct environment_pair *pair)
{
	const struct set_data *data = sets;
	const char *id;
	json_t *session;

	for (;; data++) {
		json_object_foreach(data->sessions, id, session) {
			if (session == pair->fresh)
				return;
			if (!same_text(session, pair->fresh, "host"))
				continue;
			if (data == pair->fresh_data && same_text(session, pair->fresh, "label") &&
			    take_base(pair, data, session))
				return;
			if (!pair->base)
				take_base(pair, data, session);
		}
	}
}

/* The first of its host: of the others the first with its label, or the first. */
static void find_other_host(const struct set_data *sets, struct environment_pair *pair)
{
	const struct set_data *data = sets;
	const char *id;
	json_t *session;

	for (;; data++) {
		json_object_foreach(data->sessions, id, session) {
			if (session == pair->fresh)
				return;
			if (same_text(session, pair->fresh, "label") &&
			    take_base(pair, data, session))
				return;
			if (!pair->base)
				take_base(pair, data, session);
		}
	}
}

void environment_pairs_find(const struct set_data *sets, size_t nsets,
			    struct environment_pairs *out)
{
	const char *id;
	json_t *session;

	*out = (struct environment_pairs){ NULL, 0, 0 };
	for (size_t i = 0; i < nsets; i++)
		json_object_foreach(sets[i].sessions, id, session) {
			struct environment_pair pair = { .fresh = session,
							 .fresh_data = &sets[i] };

			find_base(sets, &pair);
			if (!pair.base)
				find_other_host(sets, &pair);
			if (pair.base)
				add_pair(out, &pair);
		}
}

void environment_pairs_release(struct environment_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++) {
		free(pairs->v[i].changes);
		json_decref(pairs->v[i].work);
		json_decref(pairs->v[i].options);
	}
	free(pairs->v);
	*pairs = (struct environment_pairs){ NULL, 0, 0 };
}
