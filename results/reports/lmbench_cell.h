// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORTS_LMBENCH_CELL_H
#define BRUNT_RESULTS_REPORTS_LMBENCH_CELL_H

#include <stddef.h>

enum { LMBENCH_CELL_MAX = 32 };

/*
 * A number as lmbench's summary prints it, right-justified in width columns (2 to 15): below .001
 * with an exponent; below 10 with width - 2 decimals; below 10,000 with one decimal, cut to the
 * width, so that 199.04 in four columns is "199."; above in thousands with a K, above those that
 * fit in millions with an M. Blanks where the value is not known. Two faults of lmbench are not
 * repeated: 9999.96 is not 1000, and thousands that do not fit are not cut to a tenth.
 */
void lmbench_cell(char out[LMBENCH_CELL_MAX], double value, int width);

#endif
