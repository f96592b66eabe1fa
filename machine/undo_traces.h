// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_UNDO_TRACES_H
#define BRUNT_MACHINE_UNDO_TRACES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/err.h"

/* Kinds of undo.h that tracers make. */

/*
 * blk-trace {device, diskseq[, relay[, inode]]}: the trace of a device. relay: of blktrace(8),
 * and inode, a note, names it; without the note it is ours unless a living process reads it.
 */
int undo_blk_trace(const json_t *entry, bool dry, char **did, struct err *err);

/* trace-folder {path[, inode]}: a folder of files DEVICE.blktrace.CPU. */
int undo_trace_folder(const json_t *entry, bool dry, char **did, struct err *err);

/* trace-instance {name[, inode]}: a folder below instances of tracefs, named brunt-... */
int undo_trace_instance(const json_t *entry, bool dry, char **did, struct err *err);

#endif
