// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/command_metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/units.h"
#include "base/xalloc.h"

#define OUTPUT_MAX (64 << 20)

void command_metrics_release(struct command_metrics *metrics)
{
	for (size_t i = 0; i < metrics->n; i++) {
		free(metrics->v[i].name);
		free(metrics->v[i].unit);
		regfree(&metrics->v[i].regex);
	}
	free(metrics->v);
	*metrics = (struct command_metrics){ 0 };
}

/* ---- the keys ---- */

static const char form[] = "NAME:REGEX:UNIT:lower or NAME:REGEX:UNIT:higher";

/* Where one ends: behind the first ":lower" or ":higher" that is followed by '+' or nothing. */
static size_t spec_length(const char *text)
{
	static const char *const tails[] = { ":lower", ":higher" };

	for (const char *p = text; *p; p++)
		for (size_t i = 0; i < ARRAY_SIZE(tails); i++) {
			size_t len = strlen(tails[i]);

			if (!strncmp(p, tails[i], len) && (!p[len] || p[len] == '+'))
				return (size_t)(p - text) + len;
		}
	return 0;
}

static int check_name(const struct command_metrics *metrics, const char *name,
		      const struct metric_spec *own, struct err *err)
{
	if (!*name || name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789_.-/%")])
		return err_usage(err, "metric: '%s' is no name of a metric (letters, digits, "
				      "_ . - / %%)", name);
	for (; own->name; own++)
		if (!strcmp(own->name, name))
			return err_usage(err, "metric: %s is measured anyway; give another name",
					 name);
	for (size_t i = 0; i < metrics->n; i++)
		if (!strcmp(metrics->v[i].name, name))
			return err_usage(err, "metric: %s stands there twice", name);
	return 0;
}

static int compile(struct command_metric *metric, const char *pattern, struct err *err)
{
	char words[128];
	int rc = regcomp(&metric->regex, pattern, REG_EXTENDED | REG_NEWLINE);

	if (!rc)
		return 0;
	regerror(rc, &metric->regex, words, sizeof(words));
	return err_usage(err, "metric %s: '%s': %s", metric->name, pattern, words);
}

/* spec is "NAME:REGEX:UNIT:lower"; only the expression may hold colons. */
static int add_spec(struct command_metrics *metrics, char *spec, const struct metric_spec *own,
		    struct err *err)
{
	char *pattern = strchr(spec, ':'), *better = strrchr(spec, ':'), *unit;
	struct command_metric metric;
	int rc;

	*better = '\0';
	unit = strrchr(spec, ':');
	if (!unit || unit == pattern)
		return err_usage(err, "metric: '%s:%s': give %s", spec, better + 1, form);
	*unit = *pattern = '\0';
	if (!pattern[1])
		return err_usage(err, "metric: '%s' has an empty expression; give %s", spec, form);
	rc = check_name(metrics, spec, own, err);
	if (rc)
		return rc;
	metric = (struct command_metric){ .name = xstrdup(spec), .unit = xstrdup(unit + 1),
					  .better = better[1] == 'l' ? BETTER_LOWER :
								       BETTER_HIGHER };
	rc = compile(&metric, pattern + 1, err);
	if (rc) {
		free(metric.name);
		free(metric.unit);
		return rc;
	}
	GROW(metrics->v, metrics->n, metrics->cap);
	metrics->v[metrics->n++] = metric;
	return 0;
}

static int read_specs(struct command_metrics *metrics, const char *text,
		      const struct metric_spec *own, struct err *err)
{
	size_t len;
	int rc = 0;

	while (text && !rc) {
		auto_free char *spec = NULL;

		len = spec_length(text);
		if (!len)
			return err_usage(err, "metric: '%s': give %s, several joined by +", text,
					 form);
		spec = xstrndup(text, len);
		rc = add_spec(metrics, spec, own, err);
		text = text[len] ? text + len + 1 : NULL;
	}
	return rc;
}

static int find_parser(const char *name, const struct parser **out, struct err *err)
{
	auto_buf struct buf names = BUF_INIT;

	*out = parser_find(name);
	if (*out)
		return 0;
	for (const struct parser *const *p = parsers; *p; p++)
		buf_addf(&names, "%s%s", names.len ? ", " : "", (*p)->name);
	return err_usage(err, "parse=%s: there is no such format; there is: %s", name, names.s);
}

int command_metrics_read(const char *metric, const char *parse, const struct metric_spec *own,
			 struct command_metrics *out, struct err *err)
{
	int rc;

	*out = (struct command_metrics){ 0 };
	rc = read_specs(out, metric, own, err);
	if (!rc && parse)
		rc = find_parser(parse, &out->parser, err);
	if (rc)
		command_metrics_release(out);
	return rc;
}

/* ---- the output ---- */

/*
 * The last match in one line, or its first group; false: none. [from, to) are places in text, to
 * which *found refers. Ends early after an interrupt.
 */
static bool last_in_line(const regex_t *regex, const char *text, size_t from, size_t to,
			 regmatch_t *found)
{
	regmatch_t groups[2];
	bool any = false;

	/* REG_STARTEND: regexec() looks for no end of the text, which would take it all each time */
	while (from <= to && !interrupt_count()) {
		groups[0] = (regmatch_t){ (regoff_t)from, (regoff_t)to };
		if (regexec(regex, text, 2, groups, REG_STARTEND))
			break;
		*found = groups[1].rm_so >= 0 ? groups[1] : groups[0];
		any = true;
		from = (size_t)groups[0].rm_eo + (groups[0].rm_eo == groups[0].rm_so);
	}
	return any;
}

/* From the end, line by line: what is not the last is not looked at. */
static bool last_match(const regex_t *regex, const struct buf *text, regmatch_t *found)
{
	size_t end = text->len, start;
	const char *newline;

	if (end && text->s[end - 1] == '\n')
		end--;
	for (;;) {
		newline = end ? memrchr(text->s, '\n', end) : NULL;
		start = newline ? (size_t)(newline - text->s) + 1 : 0;
		if (last_in_line(regex, text->s, start, end, found))
			return true;
		if (!start || interrupt_count())
			return false;
		end = start - 1;
	}
}

/* "1.5" of " 1.5\r", as programs print columns and ends of lines. */
static char *number_in(const char *text, size_t len)
{
	static const char blanks[] = " \t\r";

	while (len && strchr(blanks, *text)) {
		text++;
		len--;
	}
	while (len && strchr(blanks, text[len - 1]))
		len--;
	return xstrndup(text, len);
}

static void collect_one(const struct command_metric *metric, const struct buf *text,
			struct run *run)
{
	const struct metric_spec spec = { metric->name, metric->unit, metric->better, true, NULL };
	auto_free char *number = NULL;
	regmatch_t found;
	double value;

	if (!last_match(&metric->regex, text, &found)) {
		run_metric_missing(run, &spec, "not in the output");
		if (!interrupt_count())
			run_fail(run, "metric %s: nothing in the output matches", metric->name);
		return;
	}
	number = number_in(text->s + found.rm_so, (size_t)(found.rm_eo - found.rm_so));
	if (units_parse_double(number, &value)) {
		run_metric_missing(run, &spec, "no number");
		run_fail(run, "metric %s: '%.60s' is no number", metric->name, number);
		return;
	}
	run_metric(run, &spec, value);
}

/*
 * "time.real". Where there are several, with the label between that tells them apart: bytes of the
 * program, made UTF-8. A label alone may be anything that was printed before, other words each time.
 */
static char *parsed_name(const struct parser *parser, const struct parsed_record *record,
			 const struct parsed_value *value, bool several)
{
	const char *label = several ? record->label : "";
	auto_free char *name = xasprintf("%s.%s%s%s", parser->name, label, *label ? "." : "",
					 value->metric);
	auto_json json_t *text = json_text(name);

	return xstrdup(json_string_value(text));
}

/*
 * What time prints stands among the words of the program, whose exit status decides: "make: ***" in
 * them is evidence and no more. Other formats tell of their own runs.
 */
static void collect_failure(const struct parser *parser, const struct parsed_record *record,
			    struct run *run)
{
	const char *reason = record->reason ? record->reason : "the program failed";

	if (!strcmp(parser->name, "time"))
		run_mark(run, "printed_failure", "%s", reason);
	else
		run_fail(run, "%s output: %s", parser->name, reason);
}

static void collect_record(const struct parser *parser, const struct parsed_record *record,
			   bool several, struct run *run)
{
	if (record->failed)
		collect_failure(parser, record, run);
	for (size_t i = 0; i < record->n; i++) {
		const struct parsed_value *value = &record->values[i];
		auto_free char *name = parsed_name(parser, record, value, several);
		struct metric_spec spec = { name, value->unit,
					    strcmp(value->unit, "s") ? BETTER_NONE : BETTER_LOWER,
					    false, NULL };

		if (!isnan(run_value(run, name)))
			run_mark(run, "repeated_metric", "%s is printed again in line %zu: the "
				 "first counts", name, value->line);
		else
			run_metric(run, &spec, value->value);
	}
}

static void collect_parsed(const struct parser *parser, const struct buf *text, struct run *run)
{
	struct parsed parsed = { 0 };
	struct err err = { 0 };

	if (parser->parse(text->s, text->len, &parsed, &err))
		run_fail(run, "%s output: %s", parser->name, err.text);
	else if (!parsed.n)
		run_fail(run, "there is no %s output", parser->name);
	for (size_t i = 0; i < parsed.n; i++)
		collect_record(parser, &parsed.records[i], parsed.n > 1, run);
	parsed_release(&parsed);
}

int command_metrics_collect(const struct command_metrics *metrics,
			    const struct run_context *context)
{
	static const char *const names[] = { "stdout", "stderr" };
	auto_buf struct buf text = BUF_INIT;

	if (!metrics->n && !metrics->parser)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (files_read_at(context->folder_fd, names[i], OUTPUT_MAX, &text)) {
			run_fail(context->run, "%s/%s cannot be read, or has more than %d MiB",
				 context->folder, names[i], OUTPUT_MAX >> 20);
			return 0;
		}
		if (text.len && text.s[text.len - 1] != '\n')
			buf_addc(&text, '\n');
	}
	/* NUL would end what regular expressions see. */
	for (size_t i = 0; metrics->n && i < text.len; i++)
		if (!text.s[i])
			text.s[i] = ' ';
	for (size_t i = 0; i < metrics->n; i++)
		collect_one(&metrics->v[i], &text, context->run);
	if (metrics->parser)
		collect_parsed(metrics->parser, &text, context->run);
	return interrupt_count() ? -EINTR : 0;
}
