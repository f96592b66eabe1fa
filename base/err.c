// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void set_text(struct err *err, enum exit_status status, const char *fmt, va_list args)
{
	if (!err)
		return;
	err->status = status;
	vsnprintf(err->text, sizeof(err->text), fmt, args);
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_text(err, EXIT_FAILED, fmt, args);
	va_end(args);
	return -code;
}

int err_sys(struct err *err, int code, const char *fmt, ...)
{
	va_list args;
	size_t len;

	va_start(args, fmt);
	set_text(err, EXIT_FAILED, fmt, args);
	va_end(args);
	if (err) {
		len = strlen(err->text);
		snprintf(err->text + len, sizeof(err->text) - len, ": %s", strerror(code));
	}
	return -code;
}

int err_usage(struct err *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_text(err, EXIT_USAGE, fmt, args);
	va_end(args);
	return -EINVAL;
}

int err_missing(struct err *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_text(err, EXIT_MISSING, fmt, args);
	va_end(args);
	return -ENOENT;
}

int err_refused(struct err *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_text(err, EXIT_REFUSED, fmt, args);
	va_end(args);
	return -EPERM;
}

int err_context(struct err *err, int code, const char *fmt, ...)
{
	char old[sizeof(err->text)];
	va_list args;
	size_t len;

	if (!err)
		return code;
	memcpy(old, err->text, sizeof(old));
	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
	len = strlen(err->text);
	snprintf(err->text + len, sizeof(err->text) - len, ": %s", old);
	return code;
}
