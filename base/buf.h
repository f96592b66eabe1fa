// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_BUF_H
#define BRUNT_BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

/* A string that grows. s is always terminated once something was added; NULL before. */
struct buf {
	char *s;
	size_t len, cap;
};

#define BUF_INIT { NULL, 0, 0 }
#define auto_buf __attribute__((cleanup(buf_release)))

void buf_release(struct buf *buf);
void buf_clear(struct buf *buf); /* empty again, the memory kept; s is "" */
void buf_add(struct buf *buf, const char *s);
void buf_addn(struct buf *buf, const void *bytes, size_t n);
void buf_addc(struct buf *buf, char c);
void buf_addf(struct buf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Pads with blanks until len is at least width counted from byte start of the buffer. */
void buf_pad_to(struct buf *buf, size_t start, size_t width);

/* The string, which now belongs to the caller; the buffer is empty afterwards. */
char *buf_steal(struct buf *buf);

#endif
