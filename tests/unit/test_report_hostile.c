// SPDX-License-Identifier: GPL-3.0-or-later
/* Names that are commands, markup, formulas or escapes to somebody: harmless in every format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "base/process.h"
#include "tests/unit/report_tests.h"

enum { ROUNDS = 4, LABELS = 2 };

/* As the bytes of a UTF-8 string; the last is so long that no column has room for it. */
static const char *const names[] = {
	"<script>alert(1)</script><img src=x onerror=alert(2)>",
	"\"'><svg onload=alert(3)></style></title></textarea>-->",
	"`touch pwned`$(touch pwned);touch pwned",
	"=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1,2)", " =1+1", "\xef\xbc\x9d" "1+1",
	"a|b`c``d\\|e\\", "[link](javascript:alert(4)) ![x](http://host/x.png) *_~#@someone",
	"www.host.example http://host.example/?a=1&b=2 a@host.example",
	"\x1b]0;title\x07\x1b[2J\x1b[31m", "\xc2\x9b" "31m\xc2\x85", "line\nbreak\r\tand tab",
	"\xe2\x80\xae" "right\xe2\x81\xa6to left", "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
	"Z\xcc\xb7\xcc\xa8\xcc\x9b" "algo", "", " blanks ", "%s%n%100000d",
	"[[1]] rgb(0,0,1) {/Symbol a}",
	"&lt;&#60;&amp;", "\xf0\x9f\x92\xa9\xe6\xbc\xa2\xe5\xad\x97", "a,\"b\";c",
};

static json_t *text(const char *s)
{
	json_t *value = json_string(s);

	assert_non_null(value);
	return value;
}

static json_t *metric(double value, const char *unit)
{
	return json_pack("{s:f,s:s,s:s,s:b}", "value", value, "unit", unit, "better", "lower",
			 "headline", 1);
}

static void write_session(struct made_set *made, const char *id, const char *label)
{
	json_t *session = json_pack("{s:s,s:s,s:s,s:i}", "id", id, "started", id, "boot_id", id,
				    "rounds", ROUNDS);
	json_t *configs = json_array(), *environment = json_object();
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		json_array_append_new(configs,
				      json_pack("{s:s,s:s,s:s}", "name", names[i], names[i],
						names[i], "tracer", "none"));
		json_object_set_new(environment, names[i], text(i % 2 ? names[i] : label));
	}
	json_object_set_new(environment, "kernel.release", text(names[0]));
	json_object_set_new(environment, "cpu.model", text(names[1]));
	json_object_set_new(session, "host", text(names[0]));
	json_object_set_new(session, "label", text(label));
	json_object_set_new(session, "environment", environment);
	json_object_set_new(session, "experiment",
			    json_pack("{s:[{s:s,s:s}],s:o}", "workloads", "workload", names[0],
				      names[1], names[2], "configs", configs));
	assert_int_equal(set_write_session(made->set, id, session, &err), 0);
	json_decref(session);
}

static void add_run(struct made_set *made, const char *session, const char *label, size_t config,
		    unsigned int round)
{
	json_t *line = json_pack("{s:i,s:i,s:s,s:s,s:s,s:s}", "round", (int)round, "position",
				 (int)config + 1, "session", session, "boot_id", session, "role",
				 "measured", "status", "ok");
	json_t *metrics = json_object(), *devices = json_array();
	double real = 1 + .1 * (double)config + .01 * round;
	struct err err = { 0 };
	unsigned int number;

	json_object_set_new(line, "host", text(names[0]));
	json_object_set_new(line, "label", text(label));
	json_object_set_new(line, "config", text(names[config]));
	json_object_set_new(line, "workload", text(names[0]));
	json_object_set_new(line, "point", json_pack("{s:s}", names[1], names[config % 2]));
	if (round == 2 && config == 1) {
		json_object_set_new(line, "status", text("failed"));
		json_object_set_new(line, "reason", text(names[12]));
	}
	json_object_set_new(metrics, "real", metric(real, "s"));
	json_object_set_new(metrics, "null_call", metric(real, names[3]));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (*names[i])
			json_object_set_new(metrics, names[i], metric(real + (double)i, names[i]));
		json_array_append_new(devices, json_pack("{s:s,s:f}", "name", names[i], "real_s",
							 real));
	}
	json_object_set_new(line, "metrics", metrics);
	json_object_set_new(line, "devices", devices);
	json_object_set_new(line, "marks", json_pack("[{s:s,s:s}]", "name", names[config], "text",
						     names[config]));
	json_object_set_new(line, "tracer", json_pack("{s:s,s:i}", "backend", names[config],
						      "events", 5));
	assert_int_equal(set_begin_run(made->set, line, &number, &err), 0);
	assert_int_equal(set_end_run(made->set, line, &err), 0);
	json_decref(line);
}

static int setup(void **state)
{
	struct made_set *made;

	made_setup(state);
	made = *state;
	for (size_t l = 0; l < LABELS; l++) {
		const char *label = names[l ? 2 : 10], *session = l ? "s2" : "s1";

		write_session(made, session, label);
		for (unsigned int round = 1; round <= ROUNDS; round++)
			for (size_t c = 0; c < ARRAY_SIZE(names); c++)
				add_run(made, session, label, c, round);
	}
	return 0;
}

/* Nothing that moves a cursor, hides, or turns the direction; long names are cut or wrapped. */
static void assert_plain(const char *report)
{
	static const char *const harmful[] = { "\xe2\x80\xae", "\xe2\x81\xa6", "\xc2\x9b",
					       "\xc2\x85",     "\xd7\xa9",     "\xcc\xb7" };

	for (const char *s = report; *s; s++)
		if (*s != '\n' && ((unsigned char)*s < 0x20 || *s == 0x7f))
			fail_msg("byte %02x before %.60s", *s, s + 1);
	for (size_t i = 0; i < ARRAY_SIZE(harmful); i++)
		assert_null(strstr(report, harmful[i]));
}

static size_t count(const char *line, char c)
{
	size_t n = 0;

	for (; *line && *line != '\n'; line++)
		n += *line == c;
	return n;
}

/* Every value of an attribute is in quotes; what is in them is text, but for addresses. */
static void drop_values(char *element)
{
	char *to = element, quote = 0;

	for (const char *s = element; *s; s++) {
		if (!quote && (*s == '"' || *s == '\''))
			quote = *s;
		else if (quote && *s == quote)
			quote = 0;
		else if (!quote)
			*to++ = *s;
	}
	*to = '\0';
	assert_int_equal(quote, 0);
}

/* Elements are ours: lower-case names, no scripts, nothing that is fetched or run. */
static void check_element(const char *element, size_t n)
{
	static const char *const refused[] = {
		" src", " on", " action", " xmlns", "<script", "<img",
		"<link", "<iframe", "<object", "<base", "<form",
	};
	auto_free char *copy = xstrndup(element, n);

	assert_true((copy[1] >= 'a' && copy[1] <= 'z') || copy[1] == '/' ||
		    !strncmp(copy, "<!DOCTYPE html", 14));
	assert_null(strchr(copy + 1, '<'));
	for (const char *s = copy; (s = strstr(s, "href=")); s++)
		assert_true(!strncmp(s, "href='#p", 8));
	drop_values(copy);
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (strstr(copy, refused[i]))
			fail_msg("%s> is in the page", copy);
}

static void check_html(const char *report)
{
	const char *style = strstr(report, "<style>"), *end = strstr(report, "</style>");

	assert_true(style && end);
	assert_null(strstr(end + 1, "</style>"));
	for (const char *s = report; (s = strchr(s, '<')); s++)
		check_element(s, strcspn(s, ">"));
	assert_non_null(strstr(report, "&lt;script&gt;alert(1)&lt;/script&gt;"));
	assert_null(strstr(report, "]]</text>")); /* marks without their name */
}

/* Fields of each record, and none that a spreadsheet takes for a formula. */
static void check_csv(const char *report)
{
	size_t fields = 0, first = 0;
	bool quoted = false, start = true;

	for (const char *s = report; *s; s++) {
		const char *cell = *s == '"' ? s + 1 : s;

		if (start && !quoted) {
			const char *first_sign = cell + strspn(cell, " ");
			bool number = strspn(cell, "-0123456789.e+") == strcspn(cell, ",\n");

			if (*first_sign && strchr("=+-@", *first_sign) && !number)
				fail_msg("a cell begins with %.20s", cell);
			start = false;
		}
		if (*s == '"')
			quoted = !quoted;
		if (quoted || (*s != ',' && *s != '\n'))
			continue;
		fields++;
		start = true;
		if (*s == '\n') {
			first = first ? first : fields;
			assert_int_equal(fields, first);
			fields = 0;
		}
	}
	assert_false(quoted);
	assert_non_null(strstr(report, "'=cmd|"));
}

/* No name adds a cell to a table, ends a code span or becomes an element. */
static void check_markdown(const char *report)
{
	size_t pipes = 0;

	for (const char *line = report; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (*line == '|') {
			pipes = pipes ? pipes : count(line, '|');
			if (count(line, '|') != pipes)
				fail_msg("other cells: %.*s", (int)strcspn(line, "\n"), line);
		} else {
			pipes = 0;
		}
		assert_int_equal(count(line, '`') % 2, 0);
	}
	/* elements are ours, or stand in a code span, where they are text */
	for (const char *s = report; (s = strchr(s, '<')); s++) {
		const char *begin = s;
		size_t ticks = 0;

		while (begin > report && begin[-1] != '\n')
			ticks += *--begin == '`';
		assert_true(ticks % 2 == 1 || !strncmp(s, "<code>", 6) ||
			    !strncmp(s, "</code>", 7) || !strncmp(s, "<.0001", 6));
	}
}

static void check_json(const char *report)
{
	json_t *value = json_loads(report, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(value);
	json_decref(value);
}

static void check_ascii(const char *report)
{
	for (const char *s = report; *s; s++)
		assert_true((unsigned char)*s < 0x80);
}

static void check_mail(const char *report)
{
	check_ascii(report);
	assert_fits(report, 72);
}

static void check_text(const char *report)
{
	assert_fits(report, 100);
}

static const struct {
	const char *format;
	void (*check)(const char *report);
} checks[] = {
	{ "text", check_text }, { "mail", check_mail }, { "markdown", check_markdown },
	{ "html", check_html }, { "csv", check_csv },	{ "json", check_json },
	{ "lmbench", check_ascii },
};

static void names_are_harmless_in_every_format(void **state)
{
	static const struct report_options options = { .width = 100, .runs = true,
						       .version = "0.0" };
	struct made_set *made = *state;
	auto_free char *gnuplot = NULL, *back = getcwd(NULL, 0);
	struct made_analysis m;
	struct err err = { 0 };

	made_analyse(made, &defaults, &m);
	assert_int_equal(chdir(made->folder), 0);
	for (size_t i = 0; reports[i]; i++) {
		auto_buf struct buf out = BUF_INIT;
		size_t c = 0;

		while (c < ARRAY_SIZE(checks) && strcmp(checks[c].format, reports[i]->name) != 0)
			c++;
		if (c == ARRAY_SIZE(checks))
			fail_msg("the format %s is not looked at", reports[i]->name);
		if (!strcmp(reports[i]->name, "html") && process_find("gnuplot", &gnuplot)) {
			print_message("html is left out: there is no gnuplot\n");
			continue;
		}
		if (reports[i]->write(&m.analysis, &options, &out, &err))
			fail_msg("%s", err.text);
		if (strcmp(reports[i]->name, "json") != 0)
			assert_plain(out.s);
		checks[c].check(out.s);
	}
	made_analysis_release(&m);
	assert_int_not_equal(access("pwned", F_OK), 0);
	assert_int_equal(chdir(back), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_are_harmless_in_every_format, setup,
						made_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
