// SPDX-License-Identifier: GPL-3.0-or-later
#include "parsers/json_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void jp_place_init(struct jp_place *place, const char *text, size_t len)
{
	*place = (struct jp_place){ text, text + len, text, 1 };
}

static void new_line(struct jp_place *place)
{
	place->line_start = place->at;
	place->line++;
}

void jp_place_skip_line(struct jp_place *place)
{
	const char *eol = memchr(place->at, '\n', (size_t)(place->end - place->at));

	place->at = eol ? eol + 1 : place->end;
	if (eol)
		new_line(place);
}

bool jp_place_find(struct jp_place *place)
{
	while (place->at < place->end) {
		const char *eol = memchr(place->at, '\n', (size_t)(place->end - place->at));
		const char *end = eol ? eol : place->end;
		struct slice text =
			slice_trim((struct slice){ place->at, (size_t)(end - place->at) });

		if (text.len && text.s[0] == '{') {
			place->at = text.s;
			return true;
		}
		jp_place_skip_line(place);
	}
	return false;
}

size_t jp_line_of(const char *text, size_t len, const char *word)
{
	const char *at = slice_find((struct slice){ text, len }, word);
	size_t line = 1;

	if (!at)
		return 0;
	for (const char *s = text; (s = memchr(s, '\n', (size_t)(at - s))); s++)
		line++;
	return line;
}

bool jp_place_blanks(struct jp_place *place)
{
	for (; place->at < place->end; place->at++) {
		switch (*place->at) {
		case '\n':
			place->at++;
			new_line(place);
			place->at--;
			break;
		case ' ':
		case '\t':
		case '\r':
			break;
		default:
			return true;
		}
	}
	return false;
}

static int add_node(struct jp_doc *doc, enum jp_kind kind, const struct jp_place *place,
		    uint32_t *index)
{
	size_t column = (size_t)(place->at - place->line_start) + 1;

	if (doc->n == doc->cap) {
		size_t cap = doc->cap ? 2 * doc->cap : 64;
		struct jp_node *grown;

		if (doc->n >= JP_MAX_NODES)
			return -E2BIG;
		grown = reallocarray(doc->v, cap, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		doc->v = grown;
		doc->cap = cap;
	}
	*index = (uint32_t)doc->n;
	doc->v[doc->n++] = (struct jp_node){
		.kind = kind,
		.line = place->line,
		.column = column < UINT32_MAX ? (uint32_t)column : UINT32_MAX,
	};
	return 0;
}

/* The string at place, without its quotes. 1: it does not end on its line. */
static int read_string(struct jp_place *place, struct slice *out)
{
	const char *start = ++place->at;

	for (; place->at < place->end; place->at++) {
		if (*place->at == '"') {
			*out = (struct slice){ start, (size_t)(place->at - start) };
			place->at++;
			return 0;
		}
		if ((unsigned char)*place->at < ' ')
			return 1;
		if (*place->at == '\\' && ++place->at == place->end)
			return 1;
	}
	return 1;
}

static size_t digits(const struct jp_place *place, size_t at)
{
	size_t n = 0;

	while (place->at + at + n < place->end && place->at[at + n] >= '0' &&
	       place->at[at + n] <= '9')
		n++;
	return n;
}

static bool has(const struct jp_place *place, size_t at, const char *one_of)
{
	return place->at + at < place->end && place->at[at] && strchr(one_of, place->at[at]);
}

static int read_number(struct jp_place *place, struct slice *out)
{
	size_t n = has(place, 0, "-"), more = digits(place, n);

	if (!more)
		return 1;
	n += more;
	if (has(place, n, ".")) {
		more = digits(place, n + 1);
		if (!more)
			return 1;
		n += 1 + more;
	}
	if (has(place, n, "eE")) {
		n += 1 + has(place, n + 1, "+-");
		more = digits(place, n);
		if (!more)
			return 1;
		n += more;
	}
	*out = (struct slice){ place->at, n };
	place->at += n;
	return 0;
}

/* What some programs print for a number that is none. */
static const char *const no_numbers[] = { "null", "nan", "-nan", "NaN", "inf", "-inf" };

static bool at_word(const struct jp_place *place, const char *word)
{
	struct slice rest = { place->at, (size_t)(place->end - place->at) };

	return slice_starts(rest, word);
}

static int read_word(struct jp_place *place, const char *word)
{
	if (!at_word(place, word))
		return 1;
	place->at += strlen(word);
	return 0;
}

static int read_null(struct jp_place *place)
{
	for (size_t i = 0; i < sizeof(no_numbers) / sizeof(no_numbers[0]); i++)
		if (!read_word(place, no_numbers[i]))
			return 0;
	return 1;
}

static int read_value(struct jp_place *place, struct jp_doc *doc, uint32_t *index,
		      unsigned int depth);

/* One member or element, and what separates it from the next. *more: another one follows. */
static int read_element(struct jp_place *place, struct jp_doc *doc, bool member, uint32_t *index,
			unsigned int depth, bool *more)
{
	struct slice key = { 0 };
	int rc;

	if (member) {
		if (!has(place, 0, "\"") || read_string(place, &key))
			return 1;
		if (!jp_place_blanks(place) || *place->at != ':')
			return 1;
		place->at++;
		if (!jp_place_blanks(place))
			return 1;
	}
	rc = read_value(place, doc, index, depth);
	if (rc)
		return rc;
	doc->v[*index].key = key;
	if (!jp_place_blanks(place))
		return 1;
	*more = *place->at == ',';
	if (!*more)
		return 0;
	place->at++;
	return jp_place_blanks(place) ? 0 : 1;
}

static int read_container(struct jp_place *place, struct jp_doc *doc, uint32_t parent,
			  unsigned int depth)
{
	bool member = *place->at == '{', more = true;
	char closing = member ? '}' : ']';
	uint32_t index = 0, last = 0;
	int rc;

	place->at++;
	if (depth >= JP_MAX_DEPTH || !jp_place_blanks(place))
		return 1;
	more = *place->at != closing;
	while (more) {
		rc = read_element(place, doc, member, &index, depth + 1, &more);
		if (rc)
			return rc;
		if (last)
			doc->v[last].next = index;
		else
			doc->v[parent].child = index;
		last = index;
	}
	if (*place->at != closing)
		return 1;
	place->at++;
	return 0;
}

static enum jp_kind kind_at(const struct jp_place *place)
{
	for (size_t i = 0; i < sizeof(no_numbers) / sizeof(no_numbers[0]); i++)
		if (at_word(place, no_numbers[i]))
			return JP_NULL;
	switch (*place->at) {
	case '{':
		return JP_OBJECT;
	case '[':
		return JP_ARRAY;
	case '"':
		return JP_STRING;
	case 't':
		return JP_TRUE;
	case 'f':
		return JP_FALSE;
	default:
		return JP_NUMBER;
	}
}

static int read_value(struct jp_place *place, struct jp_doc *doc, uint32_t *index,
		      unsigned int depth)
{
	enum jp_kind kind = kind_at(place);
	struct slice text = { 0 };
	int rc = add_node(doc, kind, place, index);

	if (rc)
		return rc;
	switch (kind) {
	case JP_OBJECT:
	case JP_ARRAY:
		return read_container(place, doc, *index, depth);
	case JP_STRING:
		rc = read_string(place, &text);
		break;
	case JP_NUMBER:
		rc = read_number(place, &text);
		break;
	case JP_TRUE:
		rc = read_word(place, "true");
		break;
	case JP_FALSE:
		rc = read_word(place, "false");
		break;
	case JP_NULL:
		rc = read_null(place);
		break;
	}
	doc->v[*index].text = text;
	return rc;
}

int jp_read(struct jp_place *place, struct jp_doc *out)
{
	struct jp_doc doc = { 0 };
	uint32_t index;
	int rc = 1;

	if (place->at < place->end)
		rc = read_value(place, &doc, &index, 0);
	if (rc) {
		jp_release(&doc);
		return rc;
	}
	*out = doc;
	return 0;
}

void jp_release(struct jp_doc *doc)
{
	free(doc->v);
	*doc = (struct jp_doc){ 0 };
}

const struct jp_node *jp_first(const struct jp_doc *doc, const struct jp_node *node)
{
	return node && node->child ? &doc->v[node->child] : NULL;
}

const struct jp_node *jp_next(const struct jp_doc *doc, const struct jp_node *node)
{
	return node->next ? &doc->v[node->next] : NULL;
}

static const struct jp_node *look_up(const struct jp_doc *doc, const struct jp_node *object,
				     const char *key, size_t *n)
{
	const struct jp_node *found = NULL;

	*n = 0;
	if (!object || object->kind != JP_OBJECT)
		return NULL;
	for (const struct jp_node *m = jp_first(doc, object); m; m = jp_next(doc, m))
		if (slice_is(m->key, key)) {
			found = m;
			++*n;
		}
	return found;
}

const struct jp_node *jp_get(const struct jp_doc *doc, const struct jp_node *object,
			     const char *key)
{
	size_t n;
	const struct jp_node *found = look_up(doc, object, key, &n);

	return n == 1 ? found : NULL;
}

size_t jp_count(const struct jp_doc *doc, const struct jp_node *object, const char *key)
{
	size_t n;

	look_up(doc, object, key, &n);
	return n;
}

const struct jp_node *jp_get_kind(const struct jp_doc *doc, const struct jp_node *object,
				  const char *key, enum jp_kind kind)
{
	const struct jp_node *found = jp_get(doc, object, key);

	return found && found->kind == kind ? found : NULL;
}

bool jp_number(const struct jp_node *node, struct number *out)
{
	return node && (node->kind == JP_NUMBER || node->kind == JP_STRING) &&
	       number_word(node->text, out);
}

/* ---- strings ---- */

/* The four hex digits of an escape, -1: there are none. */
static long hex4(struct slice text, size_t at)
{
	long value = 0;

	for (size_t i = at; i < at + 4; i++) {
		char c = i < text.len ? text.s[i] : 'x';

		if (c >= '0' && c <= '9')
			value = 16 * value + (c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = 16 * value + ((c | 0x20) - 'a' + 10);
		else
			return -1;
	}
	return value;
}

static size_t put_utf8(char *out, long code)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xe0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3f));
		out[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3f));
	out[2] = (char)(0x80 | (code >> 6 & 0x3f));
	out[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* \uXXXX, perhaps a pair of them, at the 'u'. Gives the bytes that were read. */
static size_t unescape_u(struct slice text, size_t at, char *out, size_t *n)
{
	long code = hex4(text, at + 1), low = -1;
	size_t len = 5;

	if (code >= 0xd800 && code < 0xdc00 && at + 6 < text.len && text.s[at + 5] == '\\' &&
	    text.s[at + 6] == 'u')
		low = hex4(text, at + 7);
	if (low >= 0xdc00 && low < 0xe000) {
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		len = 11;
	}
	if (code < 0)
		return 1;
	if (!code || (code >= 0xd800 && code < 0xe000))
		code = '?';
	*n += put_utf8(out + *n, code);
	return len;
}

char *jp_unescape(struct slice text, size_t *len)
{
	static const char names[] = "bfnrt", bytes[] = "\b\f\n\r\t";
	char *out = malloc(text.len + 1);
	size_t n = 0, at = 0;

	if (!out)
		return NULL;
	while (at < text.len) {
		const char *name;

		if (text.s[at] != '\\' || at + 1 == text.len) {
			out[n++] = text.s[at++];
			continue;
		}
		at++;
		if (text.s[at] == 'u') {
			at += unescape_u(text, at, out, &n);
			continue;
		}
		name = text.s[at] ? strchr(names, text.s[at]) : NULL;
		out[n++] = name ? bytes[name - names] : text.s[at];
		at++;
	}
	out[n] = '\0';
	*len = n;
	return out;
}
