// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/config_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"

static const char unset[] = " is not set";

/* Slices of the text. */
struct option {
	const char *name, *value;
	size_t name_len, value_len;
};

struct options {
	struct option *v;
	size_t n, cap;
};

/* "CONFIG_HZ=250" or "# CONFIG_HZ is not set". */
static bool read_line(const char *line, size_t len, struct option *out)
{
	const char *name = line, *equals;

	if (len > 2 && !strncmp(line, "# ", 2))
		name += 2;
	if (strncmp(name, "CONFIG_", 7) != 0)
		return false;
	if (name != line) {
		if (len < 2 + sizeof(unset) ||
		    strncmp(line + len - strlen(unset), unset, strlen(unset)) != 0)
			return false;
		*out = (struct option){ name, "n", len - 2 - strlen(unset), 1 };
		return true;
	}
	equals = memchr(line, '=', len);
	if (!equals)
		return false;
	*out = (struct option){ name, equals + 1, (size_t)(equals - name),
				len - (size_t)(equals + 1 - line) };
	return true;
}

static int compare_names(const struct option *a, const struct option *b)
{
	size_t least = a->name_len < b->name_len ? a->name_len : b->name_len;
	int order = memcmp(a->name, b->name, least);

	if (order)
		return order;
	return (a->name_len > b->name_len) - (a->name_len < b->name_len);
}

static int by_name(const void *a, const void *b)
{
	return compare_names(a, b);
}

static void read_options(const char *text, struct options *out)
{
	struct option option;
	size_t len;

	*out = (struct options){ NULL, 0, 0 };
	for (const char *line = text; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (!read_line(line, len, &option))
			continue;
		GROW(out->v, out->n, out->cap);
		out->v[out->n++] = option;
	}
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_name);
}

static json_t *value_of(const struct option *option)
{
	auto_free char *text = option ? xstrndup(option->value, option->value_len) : NULL;

	return json_text(text);
}

static void add(json_t *found, const struct option *base, const struct option *fresh, size_t *more)
{
	const struct option *any = base ? base : fresh; /* one of them is there */
	/* cppcheck-suppress nullPointer */
	auto_free char *name = xstrndup(any->name, any->name_len);

	if (json_object_size(found) >= CONFIG_DIFF_MAX) {
		++*more;
		return;
	}
	json_object_set_new(found, name,
			    json_pack("[o,o]", value_of(base), value_of(fresh)));
}

static bool same_value(const struct option *a, const struct option *b)
{
	return a->value_len == b->value_len && !memcmp(a->value, b->value, a->value_len);
}

json_t *config_diff(const char *base, const char *fresh, bool unknown_too, size_t *more)
{
	json_t *found = json_object();
	struct options a, b;
	size_t i = 0, k = 0;
	int order;

	*more = 0;
	read_options(base, &a);
	read_options(fresh, &b);
	while (i < a.n || k < b.n) {
		order = i == a.n ? 1 : k == b.n ? -1 : compare_names(&a.v[i], &b.v[k]);
		if (order && unknown_too)
			add(found, order < 0 ? &a.v[i] : NULL, order < 0 ? NULL : &b.v[k], more);
		else if (!order && !same_value(&a.v[i], &b.v[k]))
			add(found, &a.v[i], &b.v[k], more);
		i += order <= 0;
		k += order >= 0;
	}
	free(a.v);
	free(b.v);
	return found;
}
