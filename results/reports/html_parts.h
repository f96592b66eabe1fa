// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORTS_HTML_PARTS_H
#define BRUNT_RESULTS_REPORTS_HTML_PARTS_H

#include "results/reports/picture.h"
#include "results/reports/text_parts.h"

/* The parts of the page. */
struct html {
	struct text text; /* names as HTML, paragraphs as elements */
	struct buf *out;
	struct pictures pictures; /* of all sections, in order */
};

/* Pictures of a section are added before they are all drawn. */
void html_pictures_of_runs(struct html *html, size_t section);
void html_pictures_of_changes(struct html *html, size_t section);
void html_pictures_of_devices(struct html *html, size_t section);
void html_pictures_of_curves(struct html *html, size_t section);

/* The finished pictures of a section with their captions. */
void html_write_pictures(struct html *html, size_t section);

void html_write_comparisons(struct html *html, const struct analysis_section *section);
void html_write_singles(struct html *html, const struct analysis_section *section);
void html_write_each_run(struct html *html, const struct analysis_section *section);
void html_write_environment(struct html *html);

extern const char html_style[];

#endif
