// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"

void words_release(struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->v[i]);
	free(words->v);
	*words = (struct words)WORDS_INIT;
}

void words_add_taken(struct words *words, char *word)
{
	GROW(words->v, words->n + 1, words->cap);
	words->v[words->n++] = word;
	words->v[words->n] = NULL;
}

void words_add(struct words *words, const char *word)
{
	words_add_taken(words, xstrdup(word));
}

/* Reads one word at *text, which is no blank; moves *text behind it. False: an open quote. */
static bool read_shell_word(const char **text, struct buf *word)
{
	const char *p = *text;
	char quote = '\0';

	buf_clear(word);
	for (; *p; p++) {
		if (quote == '\'' && *p != '\'') {
			buf_addc(word, *p);
		} else if (quote && *p == quote) {
			quote = '\0';
		} else if (!quote && (*p == '\'' || *p == '"')) {
			quote = *p;
		} else if (*p == '\\' && p[1] && (!quote || strchr("\"\\$`", p[1]))) {
			buf_addc(word, *++p);
		} else if (!quote && strchr(" \t\n", *p)) {
			break;
		} else {
			buf_addc(word, *p);
		}
	}
	*text = p;
	return !quote;
}

int words_split_shell(const char *text, struct words *out, struct err *err)
{
	struct words list = WORDS_INIT;
	auto_buf struct buf word = BUF_INIT;
	const char *p = text;

	for (;;) {
		p += strspn(p, " \t\n");
		if (!*p)
			break;
		if (!read_shell_word(&p, &word)) {
			words_release(&list);
			return err_usage(err, "a quote is not closed in: %s", text);
		}
		words_add(&list, word.s);
	}
	words_release(out);
	*out = list;
	return 0;
}

static bool is_plain(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./=:,+@%";

	return *word && word[strspn(word, plain)] == '\0';
}

char *words_quote_shell(const char *const *words, size_t n)
{
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_addc(&out, ' ');
		if (is_plain(words[i])) {
			buf_add(&out, words[i]);
			continue;
		}
		buf_addc(&out, '\'');
		for (const char *p = words[i]; *p; p++) {
			if (*p == '\'')
				buf_add(&out, "'\\''");
			else
				buf_addc(&out, *p);
		}
		buf_addc(&out, '\'');
	}
	return buf_steal(&out);
}

char *words_shell_line(const char *text)
{
	auto_words struct words words = WORDS_INIT;
	const char *line = text;

	if (!words_split_shell(text, &words, NULL) && words.n == 1)
		line = words.v[0];
	return line[strspn(line, " \t\n")] ? xstrdup(line) : NULL;
}

void words_split_at(const char *text, char separator, struct words *out)
{
	struct buf word = BUF_INIT;

	buf_clear(&word);
	for (const char *p = text;; p++) {
		if (*p == '\\' && p[1] == separator) {
			buf_addc(&word, *++p);
		} else if (*p == separator || !*p) {
			words_add_taken(out, buf_steal(&word));
			if (!*p)
				break;
			buf_clear(&word);
		} else {
			buf_addc(&word, *p);
		}
	}
	buf_release(&word);
}

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Edit distance with one row of memory; SIZE_MAX where a word is longer than names are. */
static size_t distance(const char *a, const char *b)
{
	size_t row[65], la = strlen(a), lb = strlen(b), diagonal, above;

	if (la > 64 || lb > 64)
		return SIZE_MAX;
	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			above = row[j];
			row[j] = min3(above + 1, row[j - 1] + 1,
				      diagonal + (a[i - 1] != b[j - 1]));
			diagonal = above;
		}
	}
	return row[lb];
}

const char *words_nearest(const char *word, const char *const *candidates, size_t n)
{
	size_t best = 1 + strlen(word) / 3, d;
	const char *nearest = NULL;

	for (size_t i = 0; i < n; i++) {
		d = distance(word, candidates[i]);
		if (d <= best && (!nearest || d < best)) {
			best = d;
			nearest = candidates[i];
		}
	}
	return nearest;
}

void words_set_variable(struct words *out, const char *variable)
{
	size_t n = strcspn(variable, "=");

	for (size_t i = 0; i < out->n; i++) {
		if (strncmp(out->v[i], variable, n) == 0 && out->v[i][n] == '=') {
			free(out->v[i]);
			out->v[i] = xstrdup(variable);
			return;
		}
	}
	words_add(out, variable);
}
