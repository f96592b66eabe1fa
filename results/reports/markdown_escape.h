// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORTS_MARKDOWN_ESCAPE_H
#define BRUNT_RESULTS_REPORTS_MARKDOWN_ESCAPE_H

#include "base/buf.h"

/* Appends text from users or machines as code, which cannot end the cell or line it stands in. */
void markdown_escape(struct buf *out, const char *text);

/* The same for words of ours that can hold such text: as they are where nothing in them counts. */
void markdown_prose(struct buf *out, const char *text);

#endif
