// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { ROOM = 64 }; /* in which most of what is formatted fits at the first try */

static void reserve(struct buf *buf, size_t more)
{
	size_t need = buf->len + more + 1;

	if (need <= buf->cap)
		return;
	buf->cap = need > 2 * buf->cap ? need : 2 * buf->cap;
	buf->s = xreallocarray(buf->s, buf->cap, 1);
}

void buf_release(struct buf *buf)
{
	free(buf->s);
	*buf = (struct buf)BUF_INIT;
}

void buf_clear(struct buf *buf)
{
	buf->len = 0;
	reserve(buf, 0);
	buf->s[0] = '\0';
}

void buf_addn(struct buf *buf, const void *bytes, size_t n)
{
	reserve(buf, n);
	if (n)
		memcpy(buf->s + buf->len, bytes, n);
	buf->len += n;
	buf->s[buf->len] = '\0';
}

void buf_add(struct buf *buf, const char *s)
{
	buf_addn(buf, s, strlen(s));
}

void buf_addc(struct buf *buf, char c)
{
	buf_addn(buf, &c, 1);
}

void buf_addf(struct buf *buf, const char *fmt, ...)
{
	va_list args;
	int n;

	reserve(buf, ROOM);
	va_start(args, fmt);
	n = vsnprintf(buf->s + buf->len, buf->cap - buf->len, fmt, args);
	va_end(args);
	if (n < 0) {
		buf->s[buf->len] = '\0';
		return;
	}
	if ((size_t)n >= buf->cap - buf->len) {
		reserve(buf, (size_t)n);
		va_start(args, fmt);
		vsnprintf(buf->s + buf->len, (size_t)n + 1, fmt, args);
		va_end(args);
	}
	buf->len += (size_t)n;
}

void buf_pad_to(struct buf *buf, size_t start, size_t width)
{
	while (buf->len < start + width)
		buf_addc(buf, ' ');
}

char *buf_steal(struct buf *buf)
{
	char *s = buf->s ? buf->s : xstrdup("");

	*buf = (struct buf)BUF_INIT;
	return s;
}
