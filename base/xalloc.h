// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_XALLOC_H
#define BRUNT_BASE_XALLOC_H

#include <stddef.h>

/*
 * Allocation that cannot fail: out of memory ends the program with a message on stderr.
 * Parsers do not use these, since the size of their input is not ours to choose.
 * What is returned belongs to the caller, free() releases it.
 */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t n, size_t size) __attribute__((malloc, returns_nonnull));
void *xreallocarray(void *p, size_t n, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

/* Makes room for one more element in an array that grows by doubling. */
#define GROW(array, n, cap)                                                              \
	do {                                                                             \
		if ((n) >= (cap)) {                                                      \
			(cap) = (cap) ? 2 * (cap) : 8;                                   \
			(array) = xreallocarray((array), (cap), sizeof(*(array)));       \
		}                                                                        \
	} while (0)

/* For functions with several exits: __attribute__((cleanup)) on a local variable. */
void cleanup_free(void *pp);
void cleanup_close(const int *fd);
#define auto_free __attribute__((cleanup(cleanup_free)))
#define auto_close __attribute__((cleanup(cleanup_close)))

/* Closes *fd unless it is negative, and sets it to -1. errno is kept. */
void close_fd(int *fd);

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
