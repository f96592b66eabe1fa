// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/stat.h>

#include "base/process.h"
#include "results/reports/picture.h"
#include "tests/unit/report_tests.h"

static const struct report_options plain = { .width = 72, .version = "0.0" };

static void skip_without_gnuplot(void)
{
	auto_free char *path = NULL;

	if (!process_find("gnuplot", &path))
		return;
	print_message("there is no gnuplot\n");
	skip();
}

static void made_storm(struct made_set *made)
{
	made->label = "6.18.44";
	made_session(made, "2026-01-01T00:00:01Z", STORM_CONFIGS, storm_session);
	storm_rounds(made, 1, 0);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* No id stands twice, and what is referred to is there. */
static void assert_ids(const char *page)
{
	auto_words struct words ids = WORDS_INIT;

	for (const char *s = page; (s = strstr(s, " id=")); s++)
		words_add_taken(&ids, xstrndup(s + 5, strcspn(s + 5, "'\"")));
	for (size_t i = 0; i < ids.n; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(ids.v[i], ids.v[k]);
	for (const char *s = page; (s = strstr(s, "href='#")); s++) {
		auto_free char *target = xstrndup(s + 7, strcspn(s + 7, "'"));
		size_t i = 0;

		while (i < ids.n && strcmp(ids.v[i], target) != 0)
			i++;
		assert_true(i < ids.n);
	}
}

static void a_storm_is_a_page(void **state)
{
	static const char *const order[] = {
		"<!DOCTYPE html>", "none \xe2\x86\x92 blktrace costs sys +12.2&nbsp;%",
		"<h2>storm</h2>", "<td class=\"word worse\">worse</td>", "<figure>",
		"blktrace/tracefs: 119279 events", "<h2>Environment</h2>", "AMD EPYC",
		"brunt 0.0, set sha256:", "</html>",
	};
	const char *s;
	char *page, *again;

	skip_without_gnuplot();
	made_storm(*state);
	page = report_in(*state, "html", &plain);
	s = page;
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		s = strstr(s, order[i]);
		if (!s)
			fail_msg("%s does not stand where it should", order[i]);
	}
	/* the change, and real, user, sys and cpu by configuration and in order */
	assert_int_equal(count(page, "<figure>"), 9);
	assert_int_equal(count(page, "role=\"img\""), 9);
	assert_int_equal(count(page, "<desc "), 9);
	assert_int_equal(count(page, "http"), 1); /* http-equiv */
	assert_non_null(strstr(page, "sys: +12.2%, 95&nbsp;% interval +10.5 to +13.9, worse"));
	assert_ids(page);
	again = report_in(*state, "html", &plain);
	assert_string_equal(page, again);
	free(again);
	free(page);
}

static void devices_are_strips(void **state)
{
	struct made_set *made = *state;
	char *page;

	skip_without_gnuplot();
	made_session(made, "2026-01-01T00:00:01Z", STORM_CONFIGS, ",\"rounds\":3");
	for (unsigned int i = 0; i < 3; i++) {
		add_line(made, 2 * i + 1, i + 1, "none", 1, "measured", 5 + i, 4, 3,
			 ",\"status\":\"ok\",\"devices\":[{\"name\":\"loop0\",\"real_s\":5},"
			 "{\"name\":\"slow<\",\"real_s\":6},{\"name\":\"loop9\"}]");
		add_line(made, 2 * i + 2, i + 1, "blktrace", 2, "measured", 6 + i, 4, 3,
			 ",\"status\":\"ok\",\"devices\":[{\"name\":\"loop0\",\"real_s\":7},"
			 "{\"name\":\"slow<\",\"real_s\":8}]");
	}
	page = report_in(made, "html", &plain);
	assert_non_null(strstr(page, "<figcaption>devices, s: every run"));
	assert_non_null(strstr(page, "every run on each device: loop0, slow&lt;.</desc>"));
	assert_non_null(strstr(page, "<text>slow&lt;</text>"));
	free(page);
}

static void sets_without_much_are_pages_too(void **state)
{
	struct made_set *made = *state;
	char *page;

	skip_without_gnuplot();
	page = report_in(made, "html", &plain);
	assert_non_null(strstr(page, "No finished runs"));
	free(page);
	/* one run; values that are all equal; a value that no axis can show */
	made_value(made, "none", 1, "real", 5);
	page = report_in(made, "html", &plain);
	assert_non_null(strstr(page, "<figure>"));
	free(page);
	made->point = "{\"n\":1}";
	for (unsigned int i = 0; i < 4; i++) {
		made_value(made, "none", i + 1, "real", 0);
		made_value(made, "b", i + 1, "real", 0);
	}
	made->point = "{\"n\":2}";
	for (unsigned int i = 0; i < 4; i++)
		made_value(made, "none", i + 1, "real", i ? 1e-300 : 1e300);
	free(report_in(made, "html", &plain));
}

static void two_labels_have_four_series(void **state)
{
	char *page;

	skip_without_gnuplot();
	two_labels(*state);
	page = report_in(*state, "html", &plain);
	assert_non_null(strstr(page, "4: 2.6.23-rc6 + 2.6.23-rc6-mm1 + markers, blktrace</li>"));
	assert_non_null(strstr(page, "<text>4 blktrace</text>"));
	assert_non_null(strstr(page, "kernel.release (differs)"));
	assert_ids(page);
	free(page);
}

/* ---- gnuplots that are not as they should be ---- */

/* The report with a gnuplot that is this script. */
static void assert_refused(const struct made_set *made, const char *script, const char *words)
{
	auto_free char *program = files_join(made->folder, "gnuplot");
	auto_free char *path = xstrdup(getenv("PATH"));
	auto_free char *with = xasprintf("%s:/bin:/usr/bin", made->folder);
	struct buf out = BUF_INIT;
	struct made_analysis m;
	struct err err = { 0 };

	made_analyse(made, &defaults, &m);
	assert_int_equal(files_replace(program, script, strlen(script), &err), 0);
	assert_int_equal(chmod(program, 0755), 0);
	setenv("PATH", with, 1);
	assert_true(report_find("html")->write(&m.analysis, &plain, &out, &err) < 0);
	setenv("PATH", path, 1);
	assert_int_equal(err.status, EXIT_FAILED);
	if (!strstr(err.text, words))
		fail_msg("%s", err.text);
	buf_release(&out);
	made_analysis_release(&m);
}

static void a_gnuplot_that_is_missing_is_named(void **state)
{
	struct pictures pictures = { 0 };
	struct err err = { 0 };

	(void)state;
	picture_add(&pictures, 0, 100);
	assert_true(pictures_draw(&pictures, "gnuplot-that-is-not-there", &err) < 0);
	assert_int_equal(err.status, EXIT_MISSING);
	assert_non_null(strstr(err.text, "gnuplot-nox"));
	pictures_release(&pictures);
}

static void words_of_gnuplot_are_an_error(void **state)
{
	made_storm(*state);
	assert_refused(*state, "#!/bin/sh\necho 'x range is invalid' >&2\n", "x range is invalid");
	assert_refused(*state, "#!/bin/sh\nexit 3\n", "exit status 3");
}

static void an_empty_picture_is_an_error(void **state)
{
	made_storm(*state);
	assert_refused(*state, "#!/bin/sh\n: >\"${2%/*}/1.svg\"\n", "drew nothing in picture 1");
	assert_refused(*state, "#!/bin/sh\n", "1.svg");
}

static void pictures_are_made_part_of_the_page(void **state)
{
	static const char svg[] =
		"<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\">\n"
		"<g id=\"gnuplot_canvas\">\n<filter id='x'>white</filter>"
		"<g fill=\"none\" color=\"black\">\n</g>\n"
		"\t<g id=\"gnuplot_plot_1\" ><title>$d using 1:2</title>\n"
		"<g fill=\"none\" color=\"black\" stroke=\"black\">"
		"<text>[[1]]</text><text>[[2]]</text><text>[[3]]</text>"
		"<path stroke='rgb(  0,   0, 203)' fill = 'rgb(1,0,0)'/>"
		"<use xlink:href='#gpPt6' color='rgb(  0,   0,   1)'/></g></g>\n</g>\n</svg>\n";
	struct picture picture = { .height = 9 };
	auto_buf struct buf out = BUF_INIT;
	struct err err = { 0 };

	(void)state;
	words_add(&picture.names, "a &lt; b");
	words_add(&picture.names, "[[1]]");
	assert_int_equal(picture_clean(svg, &picture, 7, &out, &err), 0);
	assert_string_equal(out.s,
			    "<g id=\"p7-gnuplot_canvas\">\n<g id=\"p7-gnuplot_plot_1\" >\n"
			    "<g fill=\"none\" stroke=\"currentColor\">"
			    "<text>a &lt; b</text><text>[[1]]</text><text>[[3]]</text>"
			    "<path stroke='var(--c203)' fill = 'rgb(1,0,0)'/>"
			    "<use href='#p7-gpPt6' color='var(--c1)'/></g></g>\n</g>\n");
	words_release(&picture.names);
	assert_true(picture_clean("", &picture, 1, &out, &err) < 0);
	assert_true(picture_clean("<g id=\"gnuplot_canvas\">"
				  "<g id=\"gnuplot_plot_1\"></g></g></svg>",
				  &picture, 1, &out, &err) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(a_storm_is_a_page),
		MADE_TEST(devices_are_strips),
		MADE_TEST(sets_without_much_are_pages_too),
		MADE_TEST(two_labels_have_four_series),
		cmocka_unit_test(a_gnuplot_that_is_missing_is_named),
		MADE_TEST(words_of_gnuplot_are_an_error),
		MADE_TEST(an_empty_picture_is_an_error),
		cmocka_unit_test(pictures_are_made_part_of_the_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
