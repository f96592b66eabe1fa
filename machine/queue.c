// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "machine/kernel_value.h"
#include "machine/setting.h"

extern const struct setting setting_queue;

/* The attribute on each device of the target. */
struct queue_values {
	struct kernel_value *v;
	size_t n;
};

/* Which attributes there are depends on the devices, which nobody has made yet. */
static int queue_check(const char *key, const char *value, struct err *err)
{
	if (key[strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		return err_usage(err, "queue.%s: '%s' is no name of a queue attribute", key, key);
	if (!*value || strchr(value, '\n'))
		return err_usage(err, "queue.%s: the value must be one line that is not empty",
				 key);
	if (geteuid() != 0)
		return err_missing(err, "queue.%s: root is needed to set it", key);
	return 0;
}

static int set_one(struct kernel_value *kernel_value, const char *device, const char *key,
		   const char *value, struct undo *undo, struct err *err)
{
	auto_free char *path = xasprintf("/sys/block/%s/queue/%s", device, key);
	struct kernel_value_spec spec = {
		.path = path,
		.choice = !strcmp(key, "scheduler"),
	};
	int rc;

	if (!files_exists(path))
		return err_missing(err, "queue.%s: %s has no such attribute", key, device);
	rc = kernel_value_set(kernel_value, &spec, value, undo, err);
	return rc ? err_context(err, rc, "queue.%s", key) : 0;
}

/* All are tried, last first; the first error is the one that is told. */
static int queue_restore(void *applied, struct undo *undo, struct err *err)
{
	struct queue_values *values = applied;
	int rc = 0, one;

	while (values->n) {
		one = kernel_value_restore(&values->v[--values->n], undo, rc ? NULL : err);
		if (one && !rc)
			rc = one;
	}
	free(values->v);
	free(values);
	return rc;
}

static int queue_apply(const char *key, const char *value, const struct target *target,
		       struct undo *undo, void **applied, struct err *err)
{
	struct queue_values *values;
	int rc = 0;

	if (!target->ndevices)
		return err_usage(err, "queue.%s: the workload has no block devices", key);
	values = xcalloc(1, sizeof(*values));
	values->v = xcalloc(target->ndevices, sizeof(values->v[0]));
	for (size_t i = 0; i < target->ndevices && !rc; i++) {
		rc = set_one(&values->v[i], target->devices[i].name, key, value, undo, err);
		values->n += !rc;
	}
	if (rc) {
		queue_restore(values, undo, NULL);
		return rc;
	}
	*applied = values;
	return 0;
}

const struct setting setting_queue = {
	.name = "queue",
	.summary = "an attribute of each block device's queue, as queue.scheduler=none",
	.needs_devices = true,
	.check = queue_check,
	.apply = queue_apply,
	.restore = queue_restore,
};
