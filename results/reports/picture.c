// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/reports/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "results/reports/html_escape.h"
#include "results/reports/layout.h"

enum { NAME_COLUMNS = 14, COLUMN_WIDTH = 7, LEFT_OF_PLANE = 52, RIGHT = 12, BOTTOM = 28, TOP = 8,
       STEPS = 4, SVG_LIMIT = 256 << 20 };

void pictures_release(struct pictures *pictures)
{
	for (size_t i = 0; i < pictures->n; i++) {
		struct picture *picture = &pictures->v[i];

		words_release(&picture->names);
		buf_release(&picture->caption);
		buf_release(&picture->text);
		free(picture->svg);
	}
	free(pictures->v);
	buf_release(&pictures->script);
}

struct picture *picture_add(struct pictures *pictures, size_t section, unsigned int height)
{
	GROW(pictures->v, pictures->n, pictures->cap);
	pictures->v[pictures->n] = (struct picture){ .section = section, .height = height };
	return &pictures->v[pictures->n++];
}

void picture_add_row(struct pictures *pictures, const char *name)
{
	struct picture *picture = &pictures->v[pictures->n - 1];
	auto_buf struct buf escaped = BUF_INIT;
	struct layout_names cut;
	const char *shown;

	layout_names_init(&cut, NAME_COLUMNS, layout_escape);
	shown = layout_name(&cut, name);
	if (layout_width(shown) > picture->columns)
		picture->columns = layout_width(shown);
	html_escape(&escaped, shown);
	words_add_taken(&picture->names, buf_steal(&escaped));
	layout_names_release(&cut);
}

size_t picture_step(size_t points)
{
	return points <= PICTURE_POINTS ? 1 : (points + PICTURE_POINTS - 1) / PICTURE_POINTS;
}

void picture_add_step(struct picture *picture, size_t step)
{
	if (step > 1)
		buf_addf(&picture->caption, " (1 of %zu runs drawn)", step);
}

/* ---- axes ---- */

/* 1, 2 or 5 times a power of ten: about a quarter of the range. */
static double tic_step(double low, double high)
{
	double rough = (high - low) / STEPS, power = pow(10, floor(log10(rough)));
	double digit = rough / power;

	return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

struct range {
	double low, high;
};

static struct range padded(double low, double high)
{
	double width = high - low;

	if (!(width > fabs(low) * 1e-9))
		width = low != 0 ? fabs(low) * .1 : 1;
	return (struct range){ low - width * .06, high + width * .06 };
}

static void add_axis(struct buf *script, char axis, struct range range)
{
	double step = tic_step(range.low, range.high);

	buf_addf(script, "set %crange [%.12g:%.12g]\nset %ctics %.12g,%.12g format '%%g'\n", axis,
		 range.low, range.high, axis, ceil(range.low / step) * step, step);
}

static void begin(struct pictures *pictures, int left)
{
	const struct picture *picture = &pictures->v[pictures->n - 1];
	double w = PICTURE_WIDTH, h = picture->height;
	struct buf *script = &pictures->script;

	buf_addf(script,
		 "reset\n"
		 "set terminal svg size %d,%u dynamic font 'sans-serif,12' noenhanced\n"
		 "set output '%zu.svg'\n"
		 "unset key\n"
		 "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
		 "set bmargin at screen %.6f\nset tmargin at screen %.6f\n"
		 "set border 1 lc rgb %d\n"
		 "set tics scale 0 nomirror textcolor rgb %d\n"
		 "set grid lc rgb %d lw 1 dt solid, lc rgb %d lw 1 dt solid\n",
		 PICTURE_WIDTH, picture->height, pictures->n, left / w, 1 - RIGHT / w, BOTTOM / h,
		 1 - TOP / h, PICTURE_INK, PICTURE_INK, PICTURE_GRID, PICTURE_GRID);
}

void picture_rows(struct pictures *pictures, double low, double high)
{
	const struct picture *picture = &pictures->v[pictures->n - 1];
	struct buf *script = &pictures->script;

	begin(pictures, RIGHT + COLUMN_WIDTH * (int)picture->columns);
	add_axis(script, 'x', padded(low, high));
	buf_addf(script, "set yrange [%zu.5:.5]\nset ytics (", picture->names.n);
	for (size_t i = 0; i < picture->names.n; i++)
		buf_addf(script, "%s'[[%zu]]' %zu", i ? "," : "", i + 1, i + 1);
	buf_add(script, ")\n");
}

void picture_plane(struct pictures *pictures, double left, double right, double low, double high)
{
	begin(pictures, LEFT_OF_PLANE);
	add_axis(&pictures->script, 'x', padded(left, right));
	add_axis(&pictures->script, 'y', padded(low, high));
}

/* ---- drawing ---- */

static int make_folder(char **folder, struct err *err)
{
	const char *temporary = getenv("TMPDIR");
	char *path = xasprintf("%s/brunt-pictures-XXXXXX",
			       temporary && *temporary == '/' ? temporary : "/tmp");
	int code;

	if (!mkdtemp(path)) {
		code = errno;
		err_sys(err, code, "%s", path);
		free(path);
		return -code;
	}
	*folder = path;
	return 0;
}

static void remove_folder(const struct pictures *pictures, const char *folder)
{
	auto_free char *script = files_join(folder, "script");

	for (size_t i = 0; i < pictures->n; i++) {
		auto_free char *file = xasprintf("%s/%zu.svg", folder, i + 1);

		unlink(file);
	}
	unlink(script);
	rmdir(folder);
}

static int run_gnuplot(const char *program, const struct pictures *pictures, const char *folder,
		       struct err *err)
{
	auto_free char *file = files_join(folder, "script");
	/* -d: no file of the user's is read first */
	const char *const argv[] = { program, "-d", file, NULL };
	auto_buf struct buf script = BUF_INIT, said = BUF_INIT, how = BUF_INIT;
	int status, rc;

	/* the folder is of our making: TMPDIR with a quote would end the string */
	if (strpbrk(folder, "'\\\n"))
		return err_usage(err, "TMPDIR has a name that gnuplot cannot take");
	buf_addf(&script, "cd '%s'\n%s", folder, pictures->script.s);
	rc = files_replace(file, script.s, script.len, err);
	if (!rc)
		rc = process_capture(argv, &said, &status, err);
	if (rc)
		return rc;
	if (said.len && said.s[said.len - 1] == '\n')
		said.s[said.len - 1] = '\0';
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		process_add_status(&how, status);
		return err_set(err, EIO, "gnuplot: %s: %s", how.s, said.len ? said.s : "no words");
	}
	if (said.len && *said.s)
		return err_set(err, EIO, "gnuplot says: %s", said.s);
	return 0;
}

static int take_picture(struct pictures *pictures, size_t i, const char *folder, struct err *err)
{
	auto_free char *file = xasprintf("%s/%zu.svg", folder, i + 1);
	auto_buf struct buf raw = BUF_INIT, clean = BUF_INIT;
	int rc = files_read_at(AT_FDCWD, file, SVG_LIMIT, &raw);

	if (rc)
		return err_sys(err, -rc, "%s", file);
	rc = picture_clean(raw.s, &pictures->v[i], i + 1, &clean, err);
	if (!rc)
		pictures->v[i].svg = buf_steal(&clean);
	return rc;
}

int pictures_draw(struct pictures *pictures, const char *program, struct err *err)
{
	auto_free char *path = NULL, *folder = NULL;
	int rc;

	if (!pictures->n)
		return 0;
	if (process_find(program, &path))
		return err_missing(err, "the pictures of html are drawn by gnuplot, which is not "
					"there (package gnuplot-nox)");
	rc = make_folder(&folder, err);
	if (rc)
		return rc;
	rc = run_gnuplot(path, pictures, folder, err);
	for (size_t i = 0; i < pictures->n && !rc; i++)
		rc = take_picture(pictures, i, folder, err);
	remove_folder(pictures, folder);
	return rc;
}
