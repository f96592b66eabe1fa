// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORTS_HTML_ESCAPE_H
#define BRUNT_RESULTS_REPORTS_HTML_ESCAPE_H

#include "base/buf.h"

/* Appends text from users or machines as text of HTML, also inside of quoted attributes. */
void html_escape(struct buf *out, const char *text);

/* Appends words whose names were escaped already: blanks that do not break become such of HTML. */
void html_add_words(struct buf *out, const char *words);

#endif
