// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RESULTS_REPORTS_PICTURE_H
#define BRUNT_RESULTS_REPORTS_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/words.h"

/*
 * Pictures that gnuplot draws as SVG. It gets numbers and nothing else: a name in its script could
 * be a command (text in backquotes is run by a shell) or markup. Names are put in afterwards, in
 * place of marks, and colours as variables of CSS, so that a page can be dark.
 */
enum {
	PICTURE_WIDTH = 360,
	PICTURE_POINTS = 5000, /* that can still be told apart, and that a page can hold */
	PICTURE_SERIES = 8, /* colours --c1 to --c8 */
	PICTURE_BAND = 200, /* --c200: the margin */
	PICTURE_GRID,
	PICTURE_INK,
	PICTURE_WORSE,
	PICTURE_BETTER,
	PICTURE_OPEN, /* neither shown */
};

struct picture {
	struct words names; /* of the rows, as HTML */
	size_t columns;	    /* of the longest */
	struct buf caption; /* HTML */
	struct buf text;    /* what it shows, in words, as HTML */
	unsigned int height;
	size_t section; /* index in the analysis */
	bool series;	/* colours are those of the section's cells */
	char *svg;	/* after pictures_draw() */
};

struct pictures {
	struct picture *v;
	size_t n, cap;
	struct buf script;
};

void pictures_release(struct pictures *pictures);

/* A new one, which is drawn with what is added to the script until the next; valid until then. */
struct picture *picture_add(struct pictures *pictures, size_t section, unsigned int height);

/* Of so many points each how-manieth is drawn; said in the caption where it is not each. */
size_t picture_step(size_t points);
void picture_add_step(struct picture *picture, size_t step);

/* A row of the picture that was added last: its name, cut to what has room, becomes HTML. */
void picture_add_row(struct pictures *pictures, const char *name);

/*
 * Its axes. With rows names stand on the left, from the top, at 1 to names.n; else y has numbers
 * from low to high. x and y are padded; where both ends are equal they are moved apart.
 */
void picture_rows(struct pictures *pictures, double low, double high);
void picture_plane(struct pictures *pictures, double left, double right, double low, double high);

/*
 * Draws all with one run of the program, which is gnuplot. It is missing: exit status 77. What it
 * says, and a picture without marks, is an error.
 */
int pictures_draw(struct pictures *pictures, const char *program, struct err *err);

/*
 * The inner part of what gnuplot wrote: number makes its ids unique in the page. -EINVAL where it
 * is no picture of gnuplot or has no marks.
 */
int picture_clean(const char *svg, const struct picture *picture, size_t number, struct buf *out,
		  struct err *err);

#endif
