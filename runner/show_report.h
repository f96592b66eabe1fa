// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_SHOW_REPORT_H
#define BRUNT_RUNNER_SHOW_REPORT_H

#include "base/err.h"

/* The text report of one set on stdout, as run and resume end with. */
int show_report(const char *set_path, struct err *err);

/* Columns of the terminal that stdout is, 72 where it is none. */
unsigned int output_width(void);

#endif
