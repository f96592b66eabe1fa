// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracers/command_environment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"

#define TAIL_BYTES 4096
#define LINE_BYTES 300

extern char **environ;

static void set(struct words *out, const char *name, const char *value)
{
	auto_free char *variable = xasprintf("%s=%s", name, value);

	words_set_variable(out, variable);
}

static void set_number(struct words *out, const char *name, long number)
{
	auto_free char *text = xasprintf("%ld", number);

	set(out, name, text);
}

void command_environment(const char *session, const struct target *target,
			 const struct run_context *context, struct words *out)
{
	auto_free char *folder = realpath(context->folder, NULL);
	auto_buf struct buf devices = BUF_INIT;

	words_release(out);
	for (char **e = environ; *e; e++)
		words_add(out, *e);
	buf_clear(&devices);
	for (size_t i = 0; i < target->ndevices; i++)
		buf_addf(&devices, "%s%s", i ? " " : "", target->devices[i].path);
	set(out, "LC_ALL", "C");
	set(out, "BRUNT_RUN_DIR", folder ? folder : context->folder);
	set_number(out, "BRUNT_RUN", (long)context->number);
	set(out, "BRUNT_SESSION", session);
	set(out, "BRUNT_DEVICES", devices.s);
	if (target->pgid)
		set_number(out, "BRUNT_PGID", (long)target->pgid);
	else
		set(out, "BRUNT_PGID", "");
	set(out, "BRUNT_TRACER_PID", "");
}

void command_log_add_last_line(int fd, struct buf *out)
{
	char text[TAIL_BYTES + 1], *line;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return;
	n = pread(fd, text, TAIL_BYTES, st.st_size > TAIL_BYTES ? st.st_size - TAIL_BYTES : 0);
	while (n > 0 && strchr(" \t\r\n", text[n - 1]))
		n--;
	if (n <= 0)
		return;
	text[n] = '\0';
	line = strrchr(text, '\n');
	buf_addf(out, ": %.*s", LINE_BYTES, line ? line + 1 : text);
}
