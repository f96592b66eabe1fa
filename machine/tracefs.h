// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_TRACEFS_H
#define BRUNT_MACHINE_TRACEFS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "machine/undo.h"

/*
 * tracefs through a descriptor: the mounted one, or a mount of our own that has no place in the
 * tree (fsmount) and goes with the descriptor.
 */
int tracefs_open(struct err *err); /* a folder descriptor; -ENOENT with status 77 */

/*
 * Can we use it? Opens it and reads the first line of a file in it. A descriptor, or a negative
 * errno with the reason: no root, no tracefs, a lockdown, or else missing: what the kernel lacks.
 */
int tracefs_probe(const char *path, const char *missing, char *out, size_t size, struct err *err);

/*
 * A value as it is written: the word in brackets where a file lists its choices ("[local] global
 * mono"), N of "7 (expanded: N)", else the first line. Returns 0 or a negative errno.
 */
int tracefs_read(int tracefs, const char *path, char *out, size_t size);

/*
 * Sets a value after writing its old one to the journal (kind "tracefs": path inside tracefs,
 * old, new, and a note "reads" where the file then reads as something else than new), and takes
 * it back later.
 * old is what the file read before, in the form that is written to restore it; now is what it
 * read afterwards, since the kernel may round (buffer_size_kb 1408 becomes 1410).
 */
struct tracefs_value {
	char path[96];
	char old[64], now[64];
	unsigned int entry;
	bool set;
};

/* A value that reads as wanted already is left alone, and so is then not restored. */
int tracefs_set(int tracefs, struct undo *undo, struct tracefs_value *value, const char *path,
		const char *now, struct err *err);

/*
 * Nothing where it is not set. A value that somebody else changed meanwhile is theirs now: it
 * stays, the journal's entry is closed, and -EBUSY says so.
 */
int tracefs_restore(int tracefs, struct undo *undo, struct tracefs_value *value, struct err *err);

#endif
