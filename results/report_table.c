// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

#include "results/report.h"

#define REPORT(name) extern const struct report report_##name;
#include "results/reports.def"
#undef REPORT

const struct report *const reports[] = {
#define REPORT(name) &report_##name,
#include "results/reports.def"
#undef REPORT
	NULL,
};

const struct report *report_find(const char *name)
{
	for (const struct report *const *report = reports; *report; report++)
		if (!strcmp((*report)->name, name))
			return *report;
	return NULL;
}
