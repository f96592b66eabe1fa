// SPDX-License-Identifier: GPL-3.0-or-later
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "machine/environment.h"
#include "machine/fitness.h"
#include "results/reports/layout.h"
#include "runner/command.h"

enum { STATE_WIDTH = 9, TEXT_COLUMN = 26 };

static const char *const usage[] = {
	"brunt check [--json]",
	NULL,
};

static const struct option_spec options_table[] = {
	{ "json", 0, NULL, "for programs" },
	{ 0 },
};

static void add_text(const struct fitness *fitness, struct buf *out)
{
	size_t hinder = 0;

	for (size_t i = 0; i < fitness->n; i++) {
		const struct fitness_finding *finding = &fitness->v[i];
		size_t start = out->len;

		hinder += finding->state == FITNESS_HINDERS;
		buf_add(out, fitness_state_name(finding->state));
		buf_pad_to(out, start, STATE_WIDTH);
		buf_add(out, finding->name);
		buf_pad_to(out, start, TEXT_COLUMN);
		layout_escape(out, finding->text);
		buf_addc(out, '\n');
		if (!finding->advice)
			continue;
		start = out->len;
		buf_pad_to(out, start, TEXT_COLUMN);
		buf_addf(out, "-> %s\n", finding->advice);
	}
	buf_addf(out, "%zu of %zu stand in the way; nothing was changed\n", hinder, fitness->n);
}

static json_t *to_json(const struct fitness *fitness)
{
	json_t *array = json_array(), *object;

	for (size_t i = 0; i < fitness->n; i++) {
		const struct fitness_finding *finding = &fitness->v[i];

		object = json_pack("{s:s,s:s}", "name", finding->name, "state",
				   fitness_state_name(finding->state));
		json_object_set_new(object, "text", json_text(finding->text));
		json_object_set_new(object, "advice", json_text(finding->advice));
		json_array_append_new(array, object);
	}
	return array;
}

static void more_help(struct buf *out)
{
	buf_add(out, "\nexit status: 0 whatever is found, 1 failure, 2 usage\n");
}

static int run(const struct options *options, int *status, struct err *err)
{
	auto_json json_t *environment = NULL, *array = NULL;
	auto_buf struct buf out = BUF_INIT;
	struct fitness_facts facts;
	struct fitness fitness;

	if (options->arguments.n || options->has_rest)
		return err_usage(err, "check takes no arguments");
	fitness_facts_read(&facts); /* before we run programs ourselves */
	environment = environment_read();
	fitness_judge(environment, &facts, &fitness);
	if (options_has(options, "json")) {
		array = to_json(&fitness);
		json_write(&out, array, 2);
	} else {
		add_text(&fitness, &out);
	}
	fputs(out.s, stdout);
	fitness_release(&fitness);
	*status = EXIT_OK;
	return 0;
}

const struct command command_check = {
	.name = "check",
	.summary = "is this machine fit to measure, and what stands in the way",
	.usage = usage,
	.options = options_table,
	.more_help = more_help,
	.run = run,
};
