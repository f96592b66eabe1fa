// SPDX-License-Identifier: GPL-3.0-or-later
/* The flat array is filled by the callbacks of yajl, which reads the text. */
#include "base/json_line.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/xalloc.h"

enum { MAX_DEPTH = 512, FEW_KEYS = 32 };

/* The arrays and objects that are open, by their index in items. */
struct builder {
	struct json_line *line;
	const char *key;
	char *strings; /* room for all that are left */
	size_t open[MAX_DEPTH], depth;
};

void json_line_release(struct json_line *line)
{
	free(line->items);
	free(line->strings);
	*line = (struct json_line)JSON_LINE_INIT;
}

/* ---- what yajl finds; 0 ends the parsing, 1 goes on ---- */

/* Holds until the next is added. */
static struct json_item *add_item(struct builder *b, enum json_kind kind)
{
	struct json_line *line = b->line;

	if (b->depth)
		line->items[b->open[b->depth - 1]].n++;
	GROW(line->items, line->n, line->cap);
	line->items[line->n] = (struct json_item){ .kind = kind, .key = b->key, .span = 1 };
	b->key = NULL;
	return &line->items[line->n++];
}

static int on_null(void *builder)
{
	add_item(builder, JSON_KIND_NULL);
	return 1;
}

static int on_boolean(void *builder, int value)
{
	add_item(builder, value ? JSON_KIND_TRUE : JSON_KIND_FALSE);
	return 1;
}

static int on_number(void *builder, const char *text, size_t len)
{
	bool real = memchr(text, '.', len) || memchr(text, 'e', len) || memchr(text, 'E', len);
	struct json_item *item = add_item(builder, real ? JSON_KIND_REAL : JSON_KIND_INTEGER);

	errno = 0;
	if (!real) {
		item->integer = strtoll(text, NULL, 10);
		return !errno;
	}
	item->real = strtod(text, NULL);
	return isfinite(item->real);
}

/* yajl looks at UTF-8 in passing only. */
static bool is_utf8(const unsigned char *text, size_t len)
{
	json_t *string;

	for (size_t i = 0; i < len; i++) {
		if (text[i] < 0x80)
			continue;
		string = json_stringn((const char *)text, len);
		json_decref(string);
		return string != NULL;
	}
	return true;
}

/* NULL where it is none that C can hold. */
static const char *take_string(struct builder *b, const unsigned char *text, size_t len)
{
	char *copy = b->strings;

	if (memchr(text, '\0', len) || !is_utf8(text, len))
		return NULL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	b->strings += len + 1;
	return copy;
}

static int on_string(void *builder, const unsigned char *text, size_t len)
{
	const char *copy = take_string(builder, text, len);

	if (copy)
		add_item(builder, JSON_KIND_STRING)->text = copy;
	return copy != NULL;
}

static int on_key(void *builder, const unsigned char *text, size_t len)
{
	struct builder *b = builder;

	b->key = take_string(b, text, len);
	return b->key != NULL;
}

static int open_item(struct builder *b, enum json_kind kind)
{
	if (b->depth == MAX_DEPTH)
		return 0;
	add_item(b, kind);
	b->open[b->depth++] = b->line->n - 1;
	return 1;
}

static int on_object(void *builder)
{
	return open_item(builder, JSON_KIND_OBJECT);
}

static int on_array(void *builder)
{
	return open_item(builder, JSON_KIND_ARRAY);
}

static struct json_item *close_item(struct builder *b)
{
	size_t index = b->open[--b->depth];
	struct json_item *item = &b->line->items[index];

	item->span = b->line->n - index;
	return item;
}

static int on_array_end(void *builder)
{
	close_item(builder);
	return 1;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool many_repeat(const struct json_item *object)
{
	const char **keys = xcalloc(object->n, sizeof(*keys));
	const struct json_item *member;
	bool repeat = false;
	size_t n = 0;

	for (member = json_item_first(object); member; member = json_item_next(object, member))
		keys[n++] = member->key;
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (size_t i = 1; i < n; i++)
		repeat |= !strcmp(keys[i - 1], keys[i]);
	free(keys);
	return repeat;
}

static bool keys_repeat(const struct json_item *object)
{
	const struct json_item *a, *b;

	if (object->n > FEW_KEYS)
		return many_repeat(object);
	for (a = json_item_first(object); a; a = json_item_next(object, a))
		for (b = json_item_first(object); b != a; b = json_item_next(object, b))
			if (*a->key == *b->key && !strcmp(a->key, b->key))
				return true;
	return false;
}

static int on_object_end(void *builder)
{
	return !keys_repeat(close_item(builder));
}

int json_line_parse(struct json_line *line, const char *text, size_t len)
{
	static const yajl_callbacks callbacks = {
		.yajl_null = on_null, .yajl_boolean = on_boolean, .yajl_number = on_number,
		.yajl_string = on_string, .yajl_map_key = on_key, .yajl_start_map = on_object,
		.yajl_end_map = on_object_end, .yajl_start_array = on_array,
		.yajl_end_array = on_array_end,
	};
	struct builder builder = { .line = line };
	yajl_status status;
	yajl_handle yajl;

	line->n = 0;
	/* A string takes no more than it does in the text, where it has two quotes. */
	if (len > line->strings_cap) {
		line->strings = xreallocarray(line->strings, len, 1);
		line->strings_cap = len;
	}
	builder.strings = line->strings;
	yajl = yajl_alloc(&callbacks, NULL, &builder);
	if (!yajl)
		abort();
	status = yajl_parse(yajl, (const unsigned char *)text, len);
	if (status == yajl_status_ok)
		status = yajl_complete_parse(yajl);
	yajl_free(yajl);
	return status == yajl_status_ok && line->n ? 0 : -EINVAL;
}

/* ---- reading ---- */

const struct json_item *json_item_first(const struct json_item *item)
{
	return item && item->n ? item + 1 : NULL;
}

const struct json_item *json_item_next(const struct json_item *item,
				       const struct json_item *member)
{
	const struct json_item *next = member + member->span;

	return next < item + item->span ? next : NULL;
}

const struct json_item *json_item_get(const struct json_item *object, const char *key)
{
	const struct json_item *member;

	if (!object || object->kind != JSON_KIND_OBJECT)
		return NULL;
	for (member = json_item_first(object); member; member = json_item_next(object, member))
		if (*member->key == *key && !strcmp(member->key, key))
			return member;
	return NULL;
}

const char *json_item_text(const struct json_item *object, const char *key, const char *otherwise)
{
	const struct json_item *item = json_item_get(object, key);

	return item && item->kind == JSON_KIND_STRING ? item->text : otherwise;
}

double json_item_number(const struct json_item *object, const char *key)
{
	const struct json_item *item = json_item_get(object, key);

	if (item && item->kind == JSON_KIND_REAL)
		return item->real;
	return item && item->kind == JSON_KIND_INTEGER ? (double)item->integer : NAN;
}

int64_t json_item_int(const struct json_item *object, const char *key, int64_t otherwise)
{
	const struct json_item *item = json_item_get(object, key);

	return item && item->kind == JSON_KIND_INTEGER ? item->integer : otherwise;
}

json_t *json_item_to_json(const struct json_item *item)
{
	const struct json_item *member;
	json_t *value;

	switch (item ? item->kind : JSON_KIND_NULL) {
	case JSON_KIND_FALSE:
		return json_false();
	case JSON_KIND_TRUE:
		return json_true();
	case JSON_KIND_INTEGER:
		return json_integer(item->integer);
	case JSON_KIND_REAL:
		return json_real(item->real);
	case JSON_KIND_STRING:
		return json_string(item->text);
	case JSON_KIND_ARRAY:
		value = json_array();
		for (member = json_item_first(item); member; member = json_item_next(item, member))
			json_array_append_new(value, json_item_to_json(member));
		return value;
	case JSON_KIND_OBJECT:
		value = json_object();
		for (member = json_item_first(item); member; member = json_item_next(item, member))
			json_object_set_new(value, member->key, json_item_to_json(member));
		return value;
	case JSON_KIND_NULL:
		break;
	}
	return json_null();
}
