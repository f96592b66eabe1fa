// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/show_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runner/version.h"

enum { DEFAULT_WIDTH = 72, MIN_WIDTH = 60, MAX_WIDTH = 120 };

unsigned int output_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 ||
	    size.ws_col < MIN_WIDTH)
		return DEFAULT_WIDTH;
	return size.ws_col > MAX_WIDTH ? MAX_WIDTH : size.ws_col;
}

int show_report(const char *set_path, struct err *err)
{
	struct analysis_options analysis_options = ANALYSIS_OPTIONS_INIT;
	struct report_options options = { .width = output_width(), .version = BRUNT_VERSION };
	auto_buf struct buf out = BUF_INIT;
	struct analysis analysis;
	struct set_data data;
	int rc;

	rc = set_read(set_path, &data, err);
	if (rc)
		return rc;
	rc = analysis_make(&data, 1, &analysis_options, &analysis, err);
	if (!rc) {
		rc = report_find("text")->write(&analysis, &options, &out, err);
		if (!rc)
			fputs(out.s, stdout);
		analysis_release(&analysis);
	}
	set_data_release(&data);
	return rc;
}
