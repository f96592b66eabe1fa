// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_KERNEL_VALUE_H
#define BRUNT_MACHINE_KERNEL_VALUE_H

#include <stdbool.h>

#include "base/err.h"
#include "machine/undo.h"

/*
 * A value of procfs or sysfs that is set for a while. Before it is written, what will restore it
 * goes to the journal as kind "value" {path, old, new}.
 */
struct kernel_value_spec {
	const char *path;

	/*
	 * The other way to say the same, as dirty_bytes is to dirty_ratio, else NULL. Writing one
	 * makes the other read 0, and a 0 that is written back does not bring the other one back:
	 * where path reads 0, it is the partner's value that is kept and restored.
	 */
	const char *partner;

	bool choice; /* reads "none [mq-deadline]": the value is the word in brackets */
};

struct kernel_value {
	char *path, *old; /* what will be written to restore it; NULL: nothing was changed */
	char *now;	  /* how path reads as long as nobody else writes it */
	bool choice;
	unsigned int entry;
};

/*
 * Sets it and reads it back, blanks folded; where it does not read as asked it is restored and
 * the error says how it reads. Nothing is written where it reads so already. value is only set
 * on success, and then belongs to kernel_value_restore().
 */
int kernel_value_set(struct kernel_value *value, const struct kernel_value_spec *spec,
		     const char *now, struct undo *undo, struct err *err);

/*
 * Writes the old value, checks that it reads so and releases value, also on failure; the journal
 * keeps the entry open then. A file that is gone with its device needs no restoring. -EUSERS:
 * somebody else has changed it meanwhile, and theirs is left.
 */
int kernel_value_restore(struct kernel_value *value, struct undo *undo, struct err *err);

/*
 * Does a file of the kernel that reads so hold this value? Blanks do not count; of
 * "none [mq-deadline]" the word in brackets does.
 */
bool kernel_value_is(const char *reads, const char *value);

#endif
