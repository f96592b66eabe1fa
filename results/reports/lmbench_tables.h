// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORTS_LMBENCH_TABLES_H
#define BRUNT_RESULTS_REPORTS_LMBENCH_TABLES_H

#include <stddef.h>

/* The tables that lmbench 3 prints, and what else belongs to their subjects. */
enum { LMBENCH_COLUMNS_MAX = 12, LMBENCH_ALSO_MAX = 8 };

struct lmbench_column {
	const char *metric; /* as results of lmbench are imported */
	int width;
	const char *micro; /* as the workload micro measures it */
};

struct lmbench_table {
	const char *title, *heads; /* heads: lines, the last without its end */
	size_t underline;
	double seconds; /* what one second is in the table's unit; 0: bytes a second in MB/s */
	int mhz;	/* width of a column before the others; 0: none */
	const char *ruler; /* NULL: dashes below each cell */
	struct lmbench_column columns[LMBENCH_COLUMNS_MAX];
	const char *also[LMBENCH_ALSO_MAX]; /* metrics of micro that lmbench has no column for */
};

extern const struct lmbench_table lmbench_tables[]; /* ended by a NULL title */

/* NULL: the table has no such column. */
const struct lmbench_column *lmbench_column_of(const struct lmbench_table *table,
					       const char *metric);

/* The place of a metric in a table's subject: the columns first. */
enum { LMBENCH_NOWHERE = LMBENCH_COLUMNS_MAX + LMBENCH_ALSO_MAX };
size_t lmbench_place_of(const struct lmbench_table *table, const char *metric);

#endif
