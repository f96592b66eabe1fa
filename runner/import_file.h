// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_IMPORT_FILE_H
#define BRUNT_RUNNER_IMPORT_FILE_H

#include "base/err.h"
#include "results/import.h"

/*
 * Reads a file of results ("-": standard input) with the parsers that recognise it, or with that
 * of a name, and adds what it holds. Says on stderr what was read, what was left out and why.
 * -ENODATA: there is nothing in it.
 */
int import_file(const char *path, const struct parser *as, const struct import_names *names,
		struct import *import, struct err *err);

#endif
