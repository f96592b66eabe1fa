// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/xalloc.h"

void json_cleanup(json_t **value)
{
	json_decref(*value);
}

int json_parse(const char *text, size_t len, const char *name, json_t **out, struct err *err)
{
	json_error_t error;
	json_t *value = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);

	if (!value)
		return err_set(err, EINVAL, "%s: line %d, column %d: %s", name, error.line,
			       error.column, error.text);
	*out = value;
	return 0;
}

/*
 * Times are whole nanoseconds: of such a number, with at most 15 digits, what %.15g prints and
 * reads back equal is known without either. false: it is none.
 */
static bool write_billionths(struct buf *out, double value)
{
	double size = fabs(value), scaled = nearbyint(size * 1e9);
	uint64_t whole, part;
	char text[40];
	size_t n;

	if (!(size >= 1e-4 && scaled < 1e15) || scaled / 1e9 != size)
		return false;
	whole = (uint64_t)scaled / 1000000000;
	part = (uint64_t)scaled % 1000000000;
	n = sizeof(text);
	for (int i = 0; i < 9; i++, part /= 10)
		text[--n] = (char)('0' + part % 10);
	text[--n] = '.';
	do
		text[--n] = (char)('0' + whole % 10);
	while (whole /= 10);
	if (value < 0)
		text[--n] = '-';
	buf_addn(out, text + n, sizeof(text) - n);
	while (out->s[out->len - 1] == '0' && out->s[out->len - 2] != '.')
		out->s[--out->len] = '\0';
	return true;
}

static void write_number(struct buf *out, double value)
{
	char text[40];
	double back;

	if (!isfinite(value)) {
		buf_add(out, "null");
		return;
	}
	if (write_billionths(out, value))
		return;
	snprintf(text, sizeof(text), "%.15g", value);
	if (units_parse_double(text, &back) || back != value)
		snprintf(text, sizeof(text), "%.17g", value);
	buf_add(out, text);
	if (!strpbrk(text, ".e"))
		buf_add(out, ".0");
}

static void new_line(struct buf *out, int indent, int depth)
{
	if (!indent)
		return;
	buf_addc(out, '\n');
	for (int i = 0; i < indent * depth; i++)
		buf_addc(out, ' ');
}

/*
 * The length of the character at s when JSON may hold it as it is, but libyaml, which reads our
 * JSON as YAML, refuses it or takes it for the end of a line. Else 0.
 */
static size_t yaml_special(const unsigned char *s, unsigned int *code)
{
	if (s[0] == 0x7f) {
		*code = s[0];
		return 1;
	}
	if (s[0] == 0xc2 && s[1] < 0xa0) {
		*code = s[1];
		return 2;
	}
	if ((s[0] & 0xf0) != 0xe0)
		return 0;
	*code = (s[0] & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
	return *code == 0x2028 || *code == 0x2029 || *code == 0xfeff || *code >= 0xfffe ? 3 : 0;
}

static void write_scalar(struct buf *out, const json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY);
	unsigned int code;
	size_t n;

	for (const char *p = text ? text : "null"; *p; p += n ? n : 1) {
		n = yaml_special((const unsigned char *)p, &code);
		if (n)
			buf_addf(out, "\\u%04x", code);
		else
			buf_addc(out, *p);
	}
	free(text);
}

static void write_value(struct buf *out, const json_t *value, int indent, int depth)
{
	const char *key, *separator = "";
	const json_t *item;
	size_t i;
	void *iter;

	switch (json_typeof(value)) {
	case JSON_OBJECT:
		buf_addc(out, '{');
		for (iter = json_object_iter((json_t *)value); iter;
		     iter = json_object_iter_next((json_t *)value, iter)) {
			json_t *name;

			key = json_object_iter_key(iter);
			buf_add(out, separator);
			new_line(out, indent, depth + 1);
			name = json_string(key);
			write_scalar(out, name);
			json_decref(name);
			buf_add(out, indent ? ": " : ":");
			write_value(out, json_object_iter_value(iter), indent, depth + 1);
			separator = ",";
		}
		if (*separator)
			new_line(out, indent, depth);
		buf_addc(out, '}');
		break;
	case JSON_ARRAY:
		buf_addc(out, '[');
		json_array_foreach(value, i, item) {
			buf_add(out, separator);
			new_line(out, indent, depth + 1);
			write_value(out, item, indent, depth + 1);
			separator = ",";
		}
		if (*separator)
			new_line(out, indent, depth);
		buf_addc(out, ']');
		break;
	case JSON_REAL:
		write_number(out, json_real_value(value));
		break;
	default:
		write_scalar(out, value);
	}
}

void json_write(struct buf *out, const json_t *value, int indent)
{
	write_value(out, value, indent, 0);
	if (indent)
		buf_addc(out, '\n');
}

json_t *json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* Bytes of the character at s, which is not empty; 0 where there is no whole one. */
static size_t utf8_length(const char *s)
{
	size_t max = strnlen(s, 4);
	json_t *character;

	for (size_t n = 1; n <= max; n++) {
		character = json_stringn(s, n);
		json_decref(character);
		if (character)
			return n;
	}
	return 0;
}

json_t *json_text(const char *s)
{
	auto_free char *copy = NULL;
	json_t *text;
	size_t n;

	if (!s)
		return json_null();
	text = json_string(s);
	if (text)
		return text;
	copy = xstrdup(s);
	for (char *p = copy; *p; p += n ? n : 1) {
		n = utf8_length(p);
		if (!n)
			*p = '?';
	}
	return json_string(copy);
}

const char *json_get_text(const json_t *object, const char *key, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : otherwise;
}

double json_get_number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

int64_t json_get_int(const json_t *object, const char *key, int64_t otherwise)
{
	const json_t *value = json_object_get(object, key);

	return json_is_integer(value) ? json_integer_value(value) : otherwise;
}
