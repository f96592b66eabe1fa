// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_line.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { MAX_DEPTH = 2048 /* jansson's */, FEW_KEYS = 32 };

struct scanner {
	struct json_line *line;
	char *at;  /* text[len] is NUL, which no value goes beyond */
	char *end;
	unsigned int depth;
};

void json_line_release(struct json_line *line)
{
	free(line->items);
	*line = (struct json_line)JSON_LINE_INIT;
}

static void skip_blanks(struct scanner *s)
{
	while (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r')
		s->at++;
}

/* Holds until the next is added. */
static struct json_item *add_item(struct scanner *s, enum json_kind kind, const char *key)
{
	struct json_line *line = s->line;

	GROW(line->items, line->n, line->cap);
	line->items[line->n] = (struct json_item){ .kind = kind, .key = key, .span = 1 };
	return &line->items[line->n++];
}

/* ---- strings ---- */

/* The four digits at s; -1 where they are none. */
static long hex4(const char *s)
{
	long value = 0;

	for (int i = 0; i < 4; i++) {
		char c = s[i];

		if (c >= '0' && c <= '9')
			value = value << 4 | (c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = value << 4 | ((c | 0x20) - 'a' + 10);
		else
			return -1;
	}
	return value;
}

static char *put_utf8(char *to, unsigned long point)
{
	if (point < 0x80) {
		*to++ = (char)point;
		return to;
	}
	if (point < 0x800) {
		*to++ = (char)(0xc0 | point >> 6);
	} else {
		if (point < 0x10000) {
			*to++ = (char)(0xe0 | point >> 12);
		} else {
			*to++ = (char)(0xf0 | point >> 18);
			*to++ = (char)(0x80 | (point >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (point >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (point & 0x3f));
	return to;
}

/* What follows "\u", written to *to; false: no character, or NUL. */
static bool read_unicode(char **from, char **to)
{
	long point = hex4(*from), low;

	if (point <= 0 || (point >= 0xdc00 && point <= 0xdfff))
		return false;
	*from += 4;
	if (point >= 0xd800 && point <= 0xdbff) {
		low = (*from)[0] == '\\' && (*from)[1] == 'u' ? hex4(*from + 2) : -1;
		if (low < 0xdc00 || low > 0xdfff)
			return false;
		*from += 6;
		point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
	}
	*to = put_utf8(*to, (unsigned long)point);
	return true;
}

/* What follows a backslash. */
static bool read_escape(char **from, char **to)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *name;
	char c = *(*from)++;

	if (c == 'u')
		return read_unicode(from, to);
	name = c ? strchr(names, c) : NULL;
	if (!name)
		return false;
	*(*to)++ = values[name - names];
	return true;
}

/* The bytes of the character at s, which is above 0x7f; 0 where it is no UTF-8. */
static size_t utf8_bytes(const unsigned char *s)
{
	size_t n = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 :
		   (s[0] & 0xf0) == 0xe0	? 3 :
		   s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 :
						  0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* longer than need be, a surrogate, above the last character */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

/* Behind the opening quote; the string ends with NUL where it stands. NULL: it is none. */
static const char *read_string(struct scanner *s)
{
	char *start = s->at, *from = start, *to = start;
	size_t n;

	for (;;) {
		unsigned char c = (unsigned char)*from;

		if (c == '"')
			break;
		if (c < 0x20)
			return NULL;
		if (c == '\\') {
			from++;
			if (!read_escape(&from, &to))
				return NULL;
			continue;
		}
		n = c < 0x80 ? 1 : utf8_bytes((unsigned char *)from);
		if (!n)
			return NULL;
		if (from == to) {
			from += n;
			to += n;
			continue;
		}
		while (n--)
			*to++ = *from++;
	}
	*to = '\0';
	s->at = from + 1;
	return start;
}

/* ---- numbers ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits of a number as one whole number; more than fit make it inexact. */
struct digits {
	uint64_t value;
	int scale; /* value * 10^scale */
	bool exact;
};

static void take_digit(struct digits *d, char c, bool fraction)
{
	if (d->value > (UINT64_MAX - 9) / 10)
		d->exact = false;
	else
		d->value = 10 * d->value + (uint64_t)(c - '0');
	d->scale -= fraction;
}

/* A power of ten of either sign; false: no digits. */
static bool read_exponent(struct scanner *s, struct digits *d)
{
	bool negative;
	int value = 0;

	s->at++;
	negative = *s->at == '-';
	if (*s->at == '-' || *s->at == '+')
		s->at++;
	if (!is_digit(*s->at))
		return false;
	for (; is_digit(*s->at); s->at++)
		value = value < 10000 ? 10 * value + (*s->at - '0') : value;
	d->scale += negative ? -value : value;
	return true;
}

/*
 * Up to 2^53 and 10^22 are exact in a double, so that one multiplication or division of them is
 * rounded as strtod rounds (Clinger, 1990); the rest is left to strtod.
 */
static double real_of(const struct digits *d, bool negative, const char *text)
{
	static const double powers[] = { 1e0,  1e1,  1e2,  1e3,	 1e4,  1e5,  1e6,  1e7,
					 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	double value = (double)d->value;

	if (!d->exact || d->value > (uint64_t)1 << 53 || abs(d->scale) >= (int)ARRAY_SIZE(powers))
		return strtod(text, NULL);
	value = d->scale < 0 ? value / powers[-d->scale] : value * powers[d->scale];
	return negative ? -value : value;
}

static int read_number(struct scanner *s, const char *key)
{
	struct digits d = { .exact = true };
	const char *start = s->at;
	bool negative = *s->at == '-', real = false;
	struct json_item *item;

	s->at += negative;
	if (!is_digit(*s->at) || (*s->at == '0' && is_digit(s->at[1])))
		return -EINVAL;
	for (; is_digit(*s->at); s->at++)
		take_digit(&d, *s->at, false);
	if (*s->at == '.') {
		real = true;
		s->at++;
		if (!is_digit(*s->at))
			return -EINVAL;
		for (; is_digit(*s->at); s->at++)
			take_digit(&d, *s->at, true);
	}
	if (*s->at == 'e' || *s->at == 'E') {
		real = true;
		if (!read_exponent(s, &d))
			return -EINVAL;
	}
	item = add_item(s, real ? JSON_KIND_REAL : JSON_KIND_INTEGER, key);
	if (real) {
		item->real = real_of(&d, negative, start);
		return isfinite(item->real) ? 0 : -EINVAL;
	}
	if (!d.exact || d.value > (uint64_t)INT64_MAX + negative)
		return -EINVAL;
	item->integer = (int64_t)(negative ? -d.value : d.value);
	return 0;
}

/* ---- arrays and objects ---- */

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

static int read_value(struct scanner *s, const char *key);

/* Behind the comma or bracket that comes before it. */
static int read_member(struct scanner *s, bool object)
{
	const char *key = NULL;

	skip_blanks(s);
	if (object) {
		if (*s->at++ != '"')
			return -EINVAL;
		key = read_string(s);
		if (!key)
			return -EINVAL;
		skip_blanks(s);
		if (*s->at++ != ':')
			return -EINVAL;
		skip_blanks(s);
	}
	return read_value(s, key);
}

static int read_members(struct scanner *s, const char *key, bool object)
{
	size_t index = s->line->n, n = 0;
	char close = object ? '}' : ']';
	struct json_item *item;
	int rc;

	add_item(s, object ? JSON_KIND_OBJECT : JSON_KIND_ARRAY, key);
	s->at++;
	skip_blanks(s);
	if (*s->at != close) {
		for (;;) {
			rc = read_member(s, object);
			if (rc)
				return rc;
			n++;
			skip_blanks(s);
			if (*s->at != ',')
				break;
			s->at++;
		}
	}
	if (*s->at++ != close)
		return -EINVAL;
	item = &s->line->items[index];
	item->n = n;
	item->span = s->line->n - index;
	return object && keys_repeat(item) ? -EINVAL : 0;
}

static int read_word(struct scanner *s, const char *word, enum json_kind kind, const char *key)
{
	size_t n = strlen(word);

	if (strncmp(s->at, word, n) != 0)
		return -EINVAL;
	s->at += n;
	add_item(s, kind, key);
	return 0;
}

static int read_value(struct scanner *s, const char *key)
{
	const char *text;
	int rc;

	switch (*s->at) {
	case '{':
	case '[':
		if (++s->depth > MAX_DEPTH)
			return -EINVAL;
		rc = read_members(s, key, *s->at == '{');
		s->depth--;
		return rc;
	case '"':
		s->at++;
		text = read_string(s);
		if (!text)
			return -EINVAL;
		add_item(s, JSON_KIND_STRING, key)->text = text;
		return 0;
	case 't':
		return read_word(s, "true", JSON_KIND_TRUE, key);
	case 'f':
		return read_word(s, "false", JSON_KIND_FALSE, key);
	case 'n':
		return read_word(s, "null", JSON_KIND_NULL, key);
	default:
		return read_number(s, key);
	}
}

int json_line_parse(struct json_line *line, char *text, size_t len)
{
	struct scanner s = { .line = line, .at = text, .end = text + len };
	int rc;

	line->n = 0;
	text[len] = '\0';
	skip_blanks(&s);
	rc = read_value(&s, NULL);
	if (rc)
		return rc;
	skip_blanks(&s);
	return s.at == s.end ? 0 : -EINVAL;
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
