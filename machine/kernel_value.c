// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/kernel_value.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/xalloc.h"

bool kernel_value_is(const char *reads, const char *value)
{
	const char *open = strchr(reads, '['), *blanks = " \t\n";
	size_t a, b;

	if (open && strchr(open, ']') && !strchr(value, '[')) {
		a = strcspn(open + 1, "]");
		return strlen(value) == a && strncmp(open + 1, value, a) == 0;
	}
	for (;;) {
		reads += strspn(reads, blanks);
		value += strspn(value, blanks);
		a = strcspn(reads, blanks);
		b = strcspn(value, blanks);
		if (a != b || strncmp(reads, value, a) != 0)
			return false;
		if (!a)
			return true;
		reads += a;
		value += b;
	}
}

static char *chosen_word(const char *text)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	return close ? xstrndup(open + 1, (size_t)(close - open - 1)) : xstrdup(text);
}

/* The value as it would be written. Several lines cannot be written back as one value. */
static int read_value(const char *path, bool choice, char **out, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	int rc = files_read_at(AT_FDCWD, path, 1 << 16, &text);

	if (rc)
		return err_sys(err, -rc, "reading %s", path);
	while (text.len && text.s[text.len - 1] == '\n')
		text.s[--text.len] = '\0';
	if (strchr(text.s, '\n'))
		return err_set(err, EINVAL, "%s holds several lines, so it cannot be restored",
			       path);
	*out = choice ? chosen_word(text.s) : xstrdup(text.s);
	return 0;
}

/* With the end of line that `echo` writes: an empty value is written too. */
static int write_value(const char *path, const char *text, struct err *err)
{
	auto_free char *line = xasprintf("%s\n", text);
	int rc = files_write_value_at(AT_FDCWD, path, line);

	return rc ? err_sys(err, -rc, "writing '%s' to %s", text, path) : 0;
}

/* The partner's value belongs into the place of an old 0, unless both read 0. */
static void remember_partner(struct kernel_value *value, const struct kernel_value_spec *spec)
{
	char *text;

	if (!spec->partner || strcmp(value->old, "0") != 0 ||
	    read_value(spec->partner, spec->choice, &text, NULL))
		return;
	if (!strcmp(text, "0")) {
		free(text);
		return;
	}
	free(value->path);
	free(value->old);
	value->path = xstrdup(spec->partner);
	value->old = text;
}

static void release(struct kernel_value *value)
{
	free(value->path);
	free(value->old);
	free(value->now);
	*value = (struct kernel_value){ 0 };
}

static int intend(struct kernel_value *value, const struct kernel_value_spec *spec, const char *now,
		  struct undo *undo, struct err *err)
{
	const char *will_read = strcmp(value->path, spec->path) == 0 ? now : "0";
	json_t *details = json_pack("{s:s, s:s, s:s}", "path", value->path, "old", value->old,
				    "new", will_read);

	if (!details)
		return err_set(err, EILSEQ, "%s: '%s' or '%s' is not UTF-8", spec->path, value->old,
			       now);
	value->now = xstrdup(will_read);
	return undo_intend(undo, "value", details, &value->entry, err);
}

static int write_and_check(const struct kernel_value_spec *spec, const char *now, struct err *err)
{
	auto_free char *reads = NULL;
	int rc;

	rc = write_value(spec->path, now, err);
	if (!rc)
		rc = read_value(spec->path, spec->choice, &reads, err);
	if (!rc && !kernel_value_is(reads, now))
		rc = err_set(err, EINVAL, "%s reads '%s' after '%s' was written", spec->path, reads,
			     now);
	return rc;
}

int kernel_value_set(struct kernel_value *value, const struct kernel_value_spec *spec,
		     const char *now, struct undo *undo, struct err *err)
{
	struct kernel_value fresh = { .choice = spec->choice };
	struct err restoring;
	int rc;

	rc = read_value(spec->path, spec->choice, &fresh.old, err);
	if (rc)
		return rc;
	if (kernel_value_is(fresh.old, now)) {
		release(&fresh);
		*value = fresh;
		return 0;
	}
	fresh.path = xstrdup(spec->path);
	remember_partner(&fresh, spec);
	rc = intend(&fresh, spec, now, undo, err);
	if (rc) {
		release(&fresh);
		return rc;
	}
	rc = write_and_check(spec, now, err);
	if (!rc) {
		*value = fresh;
		return 0;
	}
	free(fresh.now); /* it reads otherwise, by our doing */
	fresh.now = NULL;
	if (kernel_value_restore(&fresh, undo, &restoring))
		err_context(err, rc, "%s", restoring.text);
	return rc;
}

static int check_ours(const struct kernel_value *value, struct err *err)
{
	auto_free char *reads = NULL;
	int rc;

	if (!value->now)
		return 0;
	rc = read_value(value->path, value->choice, &reads, err);
	if (rc || kernel_value_is(reads, value->now) || kernel_value_is(reads, value->old))
		return rc;
	return err_set(err, EUSERS, "%s reads '%s', which somebody else wrote: left", value->path,
		       reads);
}

/* 0 where the value reads as before, whatever it took. */
static int put_back(const struct kernel_value *value, struct err *err)
{
	auto_free char *before = NULL, *reads = NULL;
	int rc;

	if (access(value->path, F_OK) < 0 && errno == ENOENT)
		return 0;
	/* What refused the new value may refuse the old one as well. */
	if (!read_value(value->path, value->choice, &before, NULL) &&
	    kernel_value_is(before, value->old))
		return 0;
	rc = check_ours(value, err);
	if (!rc)
		rc = write_value(value->path, value->old, err);
	if (!rc)
		rc = read_value(value->path, value->choice, &reads, err);
	if (!rc && !kernel_value_is(reads, value->old))
		rc = err_set(err, EIO, "%s reads '%s' after '%s' was written to restore it",
			     value->path, reads, value->old);
	return rc;
}

int kernel_value_restore(struct kernel_value *value, struct undo *undo, struct err *err)
{
	int rc;

	if (!value->path)
		return 0;
	rc = put_back(value, err);
	if (!rc || rc == -EUSERS)
		undo_undone(undo, value->entry);
	release(value);
	return rc;
}
