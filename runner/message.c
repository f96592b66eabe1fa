// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/message.h"

#include <stdarg.h>
#include <stdio.h>

#include "runner/progress.h"

void message(const char *fmt, ...)
{
	char text[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	progress_clear_line();
	fputs("brunt: ", stderr);
	for (const char *p = text; *p; p++) {
		if ((unsigned char)*p < 0x20 && *p != '\n' && *p != '\t')
			fprintf(stderr, "\\x%02x", (unsigned char)*p);
		else
			fputc(*p, stderr);
	}
	fputc('\n', stderr);
}

int message_error(const struct err *err)
{
	message("%s", err->text);
	return err->status ? (int)err->status : EXIT_FAILED;
}
