// SPDX-License-Identifier: GPL-3.0-or-later
#include "parsers/time_items.h"

#include <string.h>

/* Marks that a page or a sentence puts around a word. */
static bool is_wrapping(char c)
{
	return c && strchr("`*([,;", c);
}

static bool ends_word(struct slice rest)
{
	return !rest.len || slice_blank(rest) || (rest.s[0] && strchr("|`*,;)]", rest.s[0]));
}

/* Bytes of a metric's word at the head, with the ':' or '=' behind it; 0: there is none. */
static size_t read_word(struct slice rest, enum time_metric *metric)
{
	static const struct {
		const char *word;
		enum time_metric metric;
	} words[] = {
		{ "real", TIME_REAL },
		{ "user", TIME_USER },
		{ "system", TIME_SYS },
		{ "sys", TIME_SYS },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i].word);
		struct slice head = { rest.s, n }, after;

		if (rest.len < n || !slice_is_nocase(head, words[i].word))
			continue;
		after = slice_from(rest, rest.s + n);
		*metric = words[i].metric;
		if (after.len && (after.s[0] == ':' || after.s[0] == '='))
			return n + 1;
		if (ends_word(after))
			return n;
	}
	return 0;
}

static size_t read_time(struct slice rest, struct duration *duration)
{
	if (!duration_read(rest, duration))
		return 0;
	return ends_word(slice_from(rest, rest.s + duration->len)) ? duration->len : 0;
}

static bool says_spread(struct slice word)
{
	return slice_starts(word, "+-") || slice_starts(word, "+/-") ||
	       slice_starts(word, "\xc2\xb1") || slice_starts(word, "(+-") ||
	       slice_starts(word, "(\xc2\xb1");
}

static void add(struct time_items *items, struct time_item item)
{
	struct time_item *last = items->n ? &items->v[items->n - 1] : NULL;

	if (item.kind == ITEM_OTHER && last && last->kind == ITEM_OTHER)
		return;
	if (items->n == TIME_ITEMS) {
		items->too_many = true;
		return;
	}
	item.cell = items->cells - 1;
	items->v[items->n++] = item;
	items->words += item.kind == ITEM_WORD;
	items->times += item.kind == ITEM_TIME;
}

static size_t read_other(struct slice rest)
{
	size_t n = 0;

	while (n < rest.len && rest.s[n] != '|' && !slice_blank(slice_from(rest, rest.s + n)))
		n++;
	return n;
}

/* Adds the item at the head of rest, which is neither blank nor wrapping, and gives its length. */
static size_t read_item(struct time_items *items, struct slice rest, bool at_edge)
{
	struct time_item item = { .at = rest.s };
	size_t n;

	if (rest.s[0] == '|') {
		if (at_edge)
			return 1;
		items->bars = true;
		item.kind = ITEM_BAR;
		add(items, item);
		items->cells++;
		return 1;
	}
	n = read_word(rest, &item.metric);
	if (n) {
		item.kind = ITEM_WORD;
	} else {
		n = read_time(rest, &item.duration);
		item.kind = n ? ITEM_TIME : ITEM_OTHER;
	}
	if (!n) {
		n = read_other(rest);
		items->spread |= says_spread((struct slice){ rest.s, n });
	}
	add(items, item);
	return n;
}

void time_items_read(struct slice body, struct time_items *items)
{
	struct slice rest = slice_trim(body);
	const char *start = rest.s;

	items->n = items->words = items->times = 0;
	items->cells = 1;
	items->bars = items->spread = items->too_many = false;
	while (rest.len) {
		size_t n = slice_blank(rest);

		if (!n && is_wrapping(rest.s[0]))
			n = 1;
		if (!n)
			n = read_item(items, rest, rest.s == start || rest.len == 1);
		rest = slice_from(rest, rest.s + n);
	}
}
