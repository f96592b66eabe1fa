// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_RUN_ARGUMENTS_H
#define BRUNT_RUNNER_RUN_ARGUMENTS_H

#include "base/buf.h"
#include "base/err.h"
#include "machine/guard.h"
#include "results/set.h"
#include "runner/experiment.h"
#include "runner/options.h"

/* What run and plan have in common: an experiment, a set and a label from the command line. */
#define RUN_DESTROY_OPTION                                                                       \
	{ "destroy", 0, "DEV|@FILE", "a disk of devices= that may be used; repeatable", true },  \
	{ "overwrite", 0, NULL, "what is on those disks may be lost" }

#define RUN_EXPERIMENT_OPTIONS                                                                   \
	{ "tracer", 't', "TRACER[,KEY=VALUE]...", "a configuration with this tracer", true },    \
	{ "config", 'c', "NAME[,KEY=VALUE]...", "a configuration with these keys", true },       \
	{ "sweep", 0, "KEY=V,V", "each value is a point of its own; repeatable", true },         \
	{ "file", 'f', "FILE", "the experiment as YAML; '-' reads stdin" },                      \
	{ "rounds", 'n', "N", "runs of each configuration at each point (10)" },                 \
	{ "warmup", 0, "N", "rounds that are kept but not counted, a session (1)" },             \
	{ "add", 0, "N", "N more rounds for the set given by -o" },                              \
	{ "until", 0, "PCT", "add rounds until the 95 % half width of each change is below PCT" }, \
	{ "max", 0, "N", "with --until: so many rounds at most" },                               \
	{ "aa", 0, NULL, "the baseline twice in each round: the noise floor" },                  \
	{ "primary", 0, "METRIC,...", "the metrics to judge by (the workload's headlines)" },    \
	{ "seed", 0, "N", "of the order of runs (drawn and recorded)" },                         \
	{ "max-retries", 0, "N", "broken rounds that are repeated (half the rounds)" },          \
	{ "label", 'l', "LABEL", "what differs between sessions (the kernel's release)" },       \
	{ "output", 'o', "SET", "the folder of results (brunt-results/...)" },                   \
	RUN_DESTROY_OPTION

struct run_arguments {
	struct experiment experiment; /* complete */
	char *set_path, *label;
	unsigned int rounds; /* of this session; with until_pct: at most */
	double until_pct;    /* of this session; 0: all rounds */
	uint32_t order_seed; /* of this session's order: another one each time in a set */
	struct guard_consent consent; /* what this start said, and the set remembers */
};

/* Releases nothing on failure but what it made: then there is nothing to release. */
int run_arguments_read(struct run_arguments *arguments, const struct options *options,
		       struct err *err);

/* What sessions of the set remember of it and still holds here. */
void run_arguments_remember(struct run_arguments *arguments, const struct set_data *data);

/* Every --destroy, and --overwrite. */
int run_arguments_read_consent(const struct options *options, struct guard_consent *consent,
			       struct err *err);

/*
 * All that can be known before anything is touched, for plan and run alike: is there room for the
 * plan, does the set hold anything that this does not go with, can workloads and tracers run here
 * (their check hooks)? What will be made and needed goes to plan_text where it is not NULL.
 * Without a set_path the set is left out. Sets order_seed.
 * Where several disks are refused, each is named in a message.
 */
int run_arguments_check(struct run_arguments *arguments, struct buf *plan_text, struct err *err);
void run_arguments_release(struct run_arguments *arguments);

/* Workloads, tracers and the keys of each, for --help. */
void run_more_help(struct buf *out);

#endif
