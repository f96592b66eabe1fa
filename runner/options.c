// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/xalloc.h"

enum { MAX_OPTIONS = 64, HELP_COLUMN = 30 };

static int unknown_option(const char *command, const struct option_spec *specs, const char *name,
			  struct err *err)
{
	const char *names[MAX_OPTIONS], *nearest;
	size_t n = 0;

	for (; specs->name && n < MAX_OPTIONS; specs++)
		names[n++] = specs->name;
	nearest = words_nearest(name, names, n);
	if (nearest)
		return err_usage(err, "%s has no option --%s; did you mean --%s?", command, name,
				 nearest);
	return err_usage(err, "%s has no option --%s; see brunt %s --help", command, name, command);
}

static const struct option_spec *find_long(const struct option_spec *specs, const char *name,
					   size_t len)
{
	for (; specs->name; specs++)
		if (strlen(specs->name) == len && !memcmp(specs->name, name, len))
			return specs;
	return NULL;
}

static const struct option_spec *find_letter(const struct option_spec *specs, char letter)
{
	for (; specs->name; specs++)
		if (specs->letter && specs->letter == letter)
			return specs;
	return NULL;
}

/* Two values contradict each other, and nobody knows which one was meant; flags only repeat. */
static int add_value(struct options *out, const struct option_spec *spec, const char *value,
		     struct err *err)
{
	if (spec->arg && !spec->repeatable && options_has(out, spec->name))
		return err_usage(err, "--%s is given twice: %s and %s", spec->name,
				 options_get(out, spec->name), value);
	GROW(out->v, out->n, out->cap);
	out->v[out->n++] = (struct option_value){ .spec = spec, .value = value };
	return 0;
}

/* --name, --name=value or --name value; *i moves on over a value that was taken. */
static int parse_long(const char *command, const struct option_spec *specs, int argc, char **argv,
		      int *i, struct options *out, struct err *err)
{
	const char *name = argv[*i] + 2;
	size_t len = strcspn(name, "=");
	const struct option_spec *spec = find_long(specs, name, len);
	const char *value = name[len] ? name + len + 1 : NULL;
	auto_free char *wrong = NULL;

	if (!spec) {
		wrong = xstrndup(name, len);
		return unknown_option(command, specs, wrong, err);
	}
	if (!spec->arg && value)
		return err_usage(err, "--%s takes no value", spec->name);
	if (spec->arg && !value) {
		if (*i + 1 >= argc)
			return err_usage(err, "--%s needs a value: %s", spec->name, spec->arg);
		value = argv[++*i];
	}
	return add_value(out, spec, value, err);
}

/* -x, -xVALUE, -x VALUE, and several letters without values in one word. */
static int parse_letters(const char *command, const struct option_spec *specs, int argc,
			 char **argv, int *i, struct options *out, struct err *err)
{
	const struct option_spec *spec;

	for (const char *p = argv[*i] + 1; *p; p++) {
		spec = find_letter(specs, *p);
		if (!spec)
			return err_usage(err, "%s has no option -%c; see brunt %s --help", command,
					 *p, command);
		if (!spec->arg) {
			add_value(out, spec, NULL, err);
			continue;
		}
		if (p[1])
			return add_value(out, spec, p + 1, err);
		if (*i + 1 >= argc)
			return err_usage(err, "-%c needs a value: %s", *p, spec->arg);
		return add_value(out, spec, argv[++*i], err);
	}
	return 0;
}

/* No option is a digit: "-5,1,3" is a value below 0. */
static bool is_number(const char *text)
{
	return strchr("0123456789.", text[1]) != NULL;
}

int options_parse(const char *command, const struct option_spec *specs, int argc, char **argv,
		  struct options *out, struct err *err)
{
	struct options options = { 0 };
	int rc = 0;

	for (int i = 0; i < argc && !rc; i++) {
		if (!strcmp(argv[i], "--")) {
			options.has_rest = true;
			while (++i < argc)
				words_add(&options.rest, argv[i]);
		} else if (!strncmp(argv[i], "--", 2)) {
			rc = parse_long(command, specs, argc, argv, &i, &options, err);
		} else if (argv[i][0] == '-' && argv[i][1] && !is_number(argv[i])) {
			rc = parse_letters(command, specs, argc, argv, &i, &options, err);
		} else {
			words_add(&options.arguments, argv[i]);
		}
	}
	if (rc) {
		options_release(&options);
		return rc;
	}
	*out = options;
	return 0;
}

void options_release(struct options *options)
{
	free(options->v);
	words_release(&options->arguments);
	words_release(&options->rest);
	*options = (struct options){ 0 };
}

const char *options_get(const struct options *options, const char *name)
{
	const char *value = NULL;

	for (size_t i = 0; i < options->n; i++)
		if (!strcmp(options->v[i].spec->name, name))
			value = options->v[i].value ? options->v[i].value : "";
	return value;
}

bool options_has(const struct options *options, const char *name)
{
	return options_get(options, name) != NULL;
}

int options_number(const struct options *options, const char *name, unsigned long min,
		   unsigned long max, unsigned int *out, struct err *err)
{
	const char *text = options_get(options, name);
	uint64_t value;

	if (!text)
		return 0;
	if (units_parse_u64(text, &value) || value < min || value > max)
		return err_usage(err, "--%s %s: give a whole number, %lu to %lu", name, text, min,
				 max);
	*out = (unsigned int)value;
	return 0;
}

int options_percent(const struct options *options, const char *name, double limit, double *out,
		    struct err *err)
{
	const char *text = options_get(options, name);
	double value;

	if (!text)
		return 0;
	if (units_parse_double(text, &value) || !(value >= 0 && value < limit))
		return err_usage(err, "--%s %s: give a percentage, 0 or more and below %.0f", name,
				 text, limit);
	*out = value;
	return 0;
}

void options_help(const struct option_spec *specs, struct buf *out)
{
	size_t start;

	for (; specs->name; specs++) {
		start = out->len;
		if (specs->letter)
			buf_addf(out, "  -%c, --%s", specs->letter, specs->name);
		else
			buf_addf(out, "      --%s", specs->name);
		if (specs->arg)
			buf_addf(out, " %s", specs->arg);
		if (out->len - start >= HELP_COLUMN) {
			buf_addc(out, '\n');
			start = out->len;
		}
		buf_pad_to(out, start, HELP_COLUMN);
		buf_addf(out, "%s\n", specs->summary);
	}
}
