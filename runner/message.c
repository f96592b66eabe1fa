// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "results/reports/layout.h"
#include "runner/progress.h"

void message(const char *fmt, ...)
{
	auto_buf struct buf out = BUF_INIT;
	char text[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		layout_escape(&out, line);
		buf_addc(&out, '\n');
	}
	progress_clear_line();
	fflush(stdout); /* both may go to one file */
	fprintf(stderr, "brunt: %s", out.s);
}

int message_error(const struct err *err)
{
	message("%s", err->text);
	return err->status ? (int)err->status : EXIT_FAILED;
}
