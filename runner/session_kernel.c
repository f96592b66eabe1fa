// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/session_kernel.h"

#include <string.h>
#include <sys/utsname.h>

#include "base/json.h"
#include "machine/environment.h"
#include "machine/kernel_notes.h"

struct kernel {
	const char *release, *version, *build_id; /* NULL: unknown */
};

static struct kernel kernel_of(const json_t *session)
{
	const json_t *environment = json_object_get(session, "environment");

	return (struct kernel){ json_get_text(environment, "kernel.release", NULL),
				json_get_text(environment, "kernel.version", NULL),
				json_get_text(environment, "kernel.build_id", NULL) };
}

/* What is not known differs in nothing. */
static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

static bool same_kernel(const struct kernel *a, const struct kernel *b)
{
	if (a->build_id && b->build_id)
		return !strcmp(a->build_id, b->build_id);
	return !differ(a->release, b->release) && !differ(a->version, b->version);
}

static int refuse(const struct set_data *data, const char *label, const char *id,
		  const struct kernel *then, const struct kernel *now, struct err *err)
{
	bool same_name = !differ(then->release, now->release);

	return err_usage(err,
			 "%s holds label %s of another kernel (%s%s%s in session %s, %s%s%s now): "
			 "give another label (-l), or --force",
			 data->path, label, then->release ? then->release : "?",
			 same_name ? ", build " : "",
			 same_name ? (then->build_id ? then->build_id : then->version) : "", id,
			 now->release, same_name ? ", build " : "",
			 same_name ? (now->build_id ? now->build_id : now->version) : "");
}

int session_check_kernel(const struct set_data *data, const char *label, struct err *err)
{
	auto_buf struct buf build_id = BUF_INIT;
	struct utsname name;
	struct kernel now, then;
	const char *id;
	json_t *session;

	uname(&name);
	now = (struct kernel){ name.release, name.version,
			       kernel_build_id(&build_id) ? NULL : build_id.s };
	json_object_foreach(data->sessions, id, session) {
		if (set_imported(session) ||
		    strcmp(json_get_text(session, "label", ""), label) != 0 ||
		    strcmp(json_get_text(session, "host", ""), environment_host()) != 0)
			continue;
		then = kernel_of(session);
		if (!same_kernel(&then, &now))
			return refuse(data, label, id, &then, &now, err);
	}
	return 0;
}
