// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_engine.h"

#include <string.h>

#include "base/xalloc.h"

const char *io_op_name(enum io_op op)
{
	static const char *const names[] = { "read", "write", "sync" };

	return names[op];
}

const struct io_engine *io_engine_find(const char *name)
{
	static const struct io_engine *const engines[] = {
		&io_engine_uring, &io_engine_aio, &io_engine_psync, &io_engine_nop,
		&io_engine_null,
	};

	for (size_t i = 0; i < ARRAY_SIZE(engines); i++)
		if (!strcmp(engines[i]->name, name))
			return engines[i];
	return NULL;
}
