// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracers/trace_session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct {
	unsigned int users;
	uint64_t kib;
	struct tracefs_value clock, size;
} session;

static int set_size(int tracefs, struct undo *undo, uint64_t kib, struct tracefs_value *size,
		    struct err *err)
{
	char now[32], reads[64];
	int rc = tracefs_read(tracefs, "buffer_size_kb", reads, sizeof(reads));

	if (!rc && !strcmp(reads, "X"))
		return err_set(err, EBUSY, "the trace buffers of the CPUs differ in size, so somebody "
			       "uses them (to clear: echo 1408 >buffer_size_kb in tracefs)");
	snprintf(now, sizeof(now), "%" PRIu64, kib);
	rc = tracefs_set(tracefs, undo, size, "buffer_size_kb", now, err);
	if (rc == -ENOMEM)
		return err_missing(err, "no memory for %" PRIu64 " KiB of trace buffer a CPU", kib);
	return rc;
}

static int set_both(int tracefs, struct undo *undo, uint64_t kib, struct err *err)
{
	int rc = tracefs_set(tracefs, undo, &session.clock, "trace_clock", "mono", err);

	if (rc)
		return rc;
	rc = set_size(tracefs, undo, kib, &session.size, err);
	if (rc)
		tracefs_restore(tracefs, undo, &session.clock, NULL);
	return rc;
}

/* By way of the old size, so that this is what the one entry of the journal goes back to. */
static int enlarge(int tracefs, struct undo *undo, uint64_t kib, struct err *err)
{
	int rc = tracefs_restore(tracefs, undo, &session.size, err);

	return rc ? rc : set_size(tracefs, undo, kib, &session.size, err);
}

int trace_session_use(int tracefs, struct undo *undo, uint64_t kib, struct err *err)
{
	int rc = 0;

	if (!session.users)
		rc = set_both(tracefs, undo, kib, err);
	else if (kib > session.kib)
		rc = enlarge(tracefs, undo, kib, err);
	if (rc)
		return rc;
	if (!session.users || kib > session.kib)
		session.kib = kib;
	session.users++;
	return 0;
}

int trace_session_leave(int tracefs, struct undo *undo, struct err *err)
{
	int rc, clock_rc;

	if (--session.users)
		return 0;
	session.kib = 0;
	rc = tracefs_restore(tracefs, undo, &session.size, err);
	clock_rc = tracefs_restore(tracefs, undo, &session.clock, rc ? NULL : err);
	return rc ? rc : clock_rc;
}

static int check_value(int tracefs, const struct tracefs_value *value, struct err *err)
{
	char reads[64];
	int rc = tracefs_read(tracefs, value->path, reads, sizeof(reads));

	if (rc)
		return err_sys(err, -rc, "tracefs: reading %s", value->path);
	if (strcmp(reads, value->now) != 0)
		return err_set(err, EBUSY, "somebody else is tracing: %s was changed from %s to %s",
			       value->path, value->now, reads);
	return 0;
}

int trace_session_check(int tracefs, struct err *err)
{
	int rc = check_value(tracefs, &session.clock, err);

	return rc ? rc : check_value(tracefs, &session.size, err);
}

int trace_session_resize(int tracefs, struct undo *undo, uint64_t kib, struct tracefs_value *size,
			 struct err *err)
{
	return kib == session.kib ? 0 : set_size(tracefs, undo, kib, size, err);
}
