// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_WORDS_H
#define BRUNT_BASE_WORDS_H

#include <stddef.h>

#include "base/err.h"

/* A list of strings of its own, always ended by NULL, so that v is an argv. */
struct words {
	char **v;
	size_t n, cap;
};

#define WORDS_INIT { NULL, 0, 0 }
#define auto_words __attribute__((cleanup(words_release)))

void words_release(struct words *words);
void words_add(struct words *words, const char *word); /* copies */
void words_add_taken(struct words *words, char *word); /* takes it over */

/*
 * Splits as sh does at blanks, with '...', "..." and backslashes; nothing is expanded.
 * -EINVAL where a quote stays open.
 */
int words_split_shell(const char *text, struct words *out, struct err *err);

/* The inverse: one string that words_split_shell() splits into the same words. */
char *words_quote_shell(const char *const *words, size_t n);

/*
 * The line for sh -c of a value: one word, as 'a && b' in quotes, is the line itself; all else
 * stands as it was given, also what is no words: its quotes are the shell's business. NULL where
 * nothing is in it. Belongs to the caller.
 */
char *words_shell_line(const char *text);

/* Splits at a separator; a backslash before it makes it a character like others. */
void words_split_at(const char *text, char separator, struct words *out);

/* Adds NAME=VALUE of an environment in place of what has the same name. */
void words_set_variable(struct words *words, const char *variable);

/* The candidate nearest to word, or NULL when none is near enough to be meant. */
const char *words_nearest(const char *word, const char *const *candidates, size_t n);

#endif
