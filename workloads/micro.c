// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Micro latencies and bandwidths: the columns of lmbench's tables and some more, measured by the
 * benches of micro/ in a process of their own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/memory.h"
#include "machine/mountinfo.h"
#include "workloads/micro/measurer.h"
#include "workloads/micro/memory_latency.h"
#include "workloads/micro/report.h"
#include "workloads/micro/site.h"
#include "workloads/work_folder.h"
#include "workloads/workload.h"

#define MEMORY_LEAST ((int64_t)1 << 20)
#define MEMORY_MOST ((int64_t)1 << 40)
#define FOLDER_NAME "brunt-micro"
#define STUCK_NS (10 * NS_PER_S)

static const struct key_spec keys[] = {
	{ "only", KEY_LIST, .values = "NAME+...",
	  .summary = "these metrics or families of them; all without it" },
	{ "place", KEY_ENUM, "same-cpu", "same-cpu|other-cpu|free",
	  .summary = "where partners run: pinned to one CPU, to two, or left to the scheduler" },
	{ "dir", KEY_STRING, "/tmp", "DIR", .absolute = files_absolute,
	  .summary = "the file system of the file metrics" },
	{ "quick", KEY_BOOL, "no", .summary = "the same metrics with fewer batches" },
	{ "memory", KEY_SIZE, .values = "SIZE", .min = MEMORY_LEAST, .max = MEMORY_MOST,
	  .summary = "what no cache holds (4 times the largest cache, 64M to 256M)" },
	{ 0 },
};

static const struct micro_schedule full = { .batches = MICRO_BATCHES_MAX, .least = 30,
					    .batch_ns = 2 * NS_PER_MS,
					    .warmup_ns = 100 * NS_PER_MS,
					    .limit_ns = 45 * NS_PER_S,
					    .stop_ns = 240 * NS_PER_S,
					    .stuck_ns = STUCK_NS };
static const struct micro_schedule quick = { .batches = 30, .least = 30,
					     .batch_ns = NS_PER_MS,
					     .warmup_ns = 20 * NS_PER_MS,
					     .limit_ns = 12 * NS_PER_S,
					     .stop_ns = 120 * NS_PER_S,
					     .stuck_ns = STUCK_NS };

struct micro_state {
	struct micro_site site;
	struct work_folder folder;
	char *dir, *place, *file_system;
	void (*tell)(const char *text);
	const struct micro_bench **benches; /* the metrics, then the points of the curve */
	size_t nmetrics, nbenches;
	bool *told; /* a metric: the user knows why it has no value */
	struct micro_bench curve[MICRO_CURVE_MOST];
	uint64_t curve_bytes[MICRO_CURVE_MOST];
	struct micro_job job;
	struct micro_measurer *measurer; /* of the current run */
};

/* ---- keys ---- */

static enum micro_place read_place(const char *text)
{
	if (!strcmp(text, "same-cpu"))
		return MICRO_SAME_CPU;
	return strcmp(text, "other-cpu") != 0 ? MICRO_FREE : MICRO_OTHER_CPU;
}

static int find_file_system(const char *dir, char **out, struct err *err)
{
	auto_mountinfo struct mountinfo mounts = MOUNTINFO_INIT;
	auto_close int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct mount_entry *mount = NULL;

	if (fd < 0)
		return err_usage(err, "dir=%s: %s", dir, strerror(errno));
	if (!mountinfo_read(&mounts, NULL))
		mount = mountinfo_of_fd(&mounts, fd);
	*out = xstrdup(mount ? mount->fstype : "unknown");
	return 0;
}

static void add_curve(struct micro_state *state)
{
	bool wanted = false;

	for (size_t i = 0; i < state->nmetrics; i++)
		wanted |= !strcmp(state->benches[i]->family, "memory_latency");
	state->nbenches = state->nmetrics;
	if (!wanted)
		return;
	state->nbenches += micro_curve(&state->site, state->curve, state->curve_bytes);
	state->benches = xreallocarray(state->benches, state->nbenches, sizeof(*state->benches));
	for (size_t i = state->nmetrics; i < state->nbenches; i++)
		state->benches[i] = &state->curve[i - state->nmetrics];
}

static bool wants(const struct micro_state *state, const struct micro_ops *ops)
{
	for (size_t i = 0; i < state->nmetrics; i++)
		if (state->benches[i]->ops == ops)
			return true;
	return false;
}

static bool wants_large_file(const struct micro_state *state)
{
	return wants(state, &micro_file_reread) || wants(state, &micro_mmap_reread) ||
	       wants(state, &micro_mmap_file);
}

/* All of it is there at once. What the page cache can let go of does not count. */
static int check_memory(const struct micro_state *state, struct err *err)
{
	uint64_t available = memory_available(), parts = wants(state, &micro_chase), need;
	auto_buf struct buf size = BUF_INIT, all = BUF_INIT, there = BUF_INIT;

	for (size_t i = 0; i < state->nmetrics; i++)
		parts += state->benches[i]->ops == &micro_memory_rate ||
			 state->benches[i]->ops == &micro_chase_random;
	if (wants_large_file(state) && !strcmp(state->file_system, "tmpfs"))
		parts++;
	need = parts * state->site.memory;
	if (!available || need <= available / 4 * 3)
		return 0;
	units_add_size(&size, state->site.memory);
	units_add_size(&all, need);
	units_add_size(&there, available >> 20 << 20);
	return err_missing(err, "memory=%s: these metrics take %s at once, and %s are available; "
			   "give less, or only=", size.s, all.s, there.s);
}

static void release(struct micro_state *state)
{
	free(state->benches);
	free(state->told);
	free(state->dir);
	free(state->place);
	free(state->file_system);
	work_folder_release(&state->folder);
}

/* What plan and setup have in common: no side effects. */
static int judge(const struct keys *given, struct micro_state *state, struct err *err)
{
	int rc = micro_pick(keys_get(given, "only"), &state->benches, &state->nmetrics, err);

	if (rc)
		return rc;
	state->place = xstrdup(keys_text(given, keys, "place"));
	state->dir = realpath(keys_text(given, keys, "dir"), NULL);
	rc = state->dir ? find_file_system(state->dir, &state->file_system, err) :
			  err_usage(err, "dir=%s: %s", keys_text(given, keys, "dir"),
				    strerror(errno));
	if (rc)
		return rc;
	micro_site_place(&state->site, read_place(state->place));
	micro_site_memory(&state->site,
			  keys_get(given, "memory") ? keys_size(given, keys, "memory") : 0);
	rc = check_memory(state, err);
	if (rc)
		return rc;
	add_curve(state);
	state->job = (struct micro_job){ .site = &state->site,
					 .benches = state->benches,
					 .n = state->nbenches,
					 .schedule = keys_bool(given, keys, "quick") ? quick :
										       full };
	return 0;
}

/* "pinned to CPU 1", "pinned to CPUs 1 and 0", "on any CPU" */
static void add_placement(const struct micro_site *site, struct buf *out)
{
	if (site->cpu < 0)
		buf_add(out, "on any CPU");
	else if (site->partner_cpu < 0 || site->partner_cpu == site->cpu)
		buf_addf(out, "pinned to CPU %d", site->cpu);
	else
		buf_addf(out, "pinned to CPUs %d and %d", site->cpu, site->partner_cpu);
}

static void add_words(const struct micro_state *state, struct buf *out)
{
	buf_addf(out, "%zu micro benchmark%s, ", state->nmetrics, state->nmetrics == 1 ? "" : "s");
	add_placement(&state->site, out);
	buf_addf(out, ", up to %u batches of at least ", state->job.schedule.batches);
	units_add_duration(out, state->job.schedule.batch_ns);
	buf_addf(out, "; files in %s (%s); memory and the mmap of a file ", state->dir,
		 state->file_system);
	units_add_size(out, state->site.memory);
}

static int micro_check(const struct keys *given, const struct guard_consent *consent,
		       struct buf *plan_text, struct err *err)
{
	struct micro_state state = { .measurer = NULL };
	int rc = judge(given, &state, err);

	(void)consent;
	if (!rc)
		add_words(&state, plan_text);
	if (!rc && state.site.wants_two_cpus)
		buf_add(plan_text, "\nplace=other-cpu needs two CPUs, and there is one: metrics with "
				   "a partner will be missing");
	release(&state);
	return rc;
}

/* ---- a session ---- */

static void micro_teardown(void *p)
{
	release(p);
	free(p);
}

static int micro_setup(const struct keys *given, const struct workload_site *site, void **ret,
		       struct err *err)
{
	struct micro_state *state = xcalloc(1, sizeof(*state));
	int rc = judge(given, state, err);

	if (!rc) {
		state->told = xcalloc(state->nmetrics, sizeof(*state->told));
		state->tell = site->tell;
		work_folder_init(&state->folder, state->dir, FOLDER_NAME, site->undo);
		rc = work_folder_check(&state->folder, err);
	}
	if (rc) {
		micro_teardown(state);
		return rc;
	}
	*ret = state;
	return 0;
}

/* ---- a run ---- */

/* A folder that cannot be made or filled costs the metrics that need it, not the others. */
static int make_folder(struct micro_state *state, struct err *reason)
{
	int rc = work_folder_make(&state->folder, reason);

	if (rc)
		return rc;
	state->site.folder = state->folder.path;
	return micro_site_fill(&state->site,
			       wants(state, &micro_page_fault_file) ||
				       wants(state, &micro_page_touch),
			       wants_large_file(state), reason);
}

static int micro_prepare(void *p, struct run_context *context, struct target *target,
			 struct err *err)
{
	struct micro_state *state = p;
	struct err reason = { .text = "" };
	int rc;

	state->site.folder = NULL;
	if (make_folder(state, &reason))
		state->site.folder = NULL;
	state->site.folder_reason = reason.text;
	state->job.environment = context->environment;
	rc = micro_measurer_start(&state->job, &state->measurer, err);
	state->site.folder_reason = "there is no folder";
	if (!rc)
		target->pgid = micro_measurer_pid(state->measurer);
	return rc;
}

static int micro_execute(void *p, struct run_context *context, struct err *err)
{
	struct micro_state *state = p;

	(void)context;
	return micro_measurer_run(state->measurer, err);
}

/* Once a session and metric. */
static void tell_missing(struct micro_state *state, const struct micro_outcome *outcome)
{
	for (size_t i = 0; i < state->nmetrics; i++) {
		auto_free char *line = NULL;

		if (!*outcome->results[i].reason || state->told[i] || !state->tell)
			continue;
		state->told[i] = true;
		line = xasprintf("%s is not measured: %s", state->benches[i]->name,
				 outcome->results[i].reason);
		state->tell(line);
	}
}

static int micro_verify(void *p, struct run_context *context, struct err *err)
{
	struct micro_state *state = p;
	const struct micro_outcome *outcome = micro_measurer_outcome(state->measurer);

	tell_missing(state, outcome);
	micro_report_metrics(&state->job, state->nmetrics, outcome, context->run);
	micro_report_evidence(&state->job, outcome, context->run);
	return micro_report_curve(&state->job, state->nmetrics, state->curve_bytes, outcome,
				  context, err);
}

static void micro_cleanup(void *p, struct run_context *context)
{
	struct micro_state *state = p;
	struct err err = { .text = "" };

	micro_measurer_end(state->measurer);
	state->measurer = NULL;
	if (work_folder_remove(&state->folder, &err))
		run_fail(context->run, "%s", err.text);
}

/* ---- words ---- */

static json_t *micro_describe(const void *p)
{
	const struct micro_state *state = p;
	const struct micro_site *site = &state->site;
	json_t *facts = json_object(), *caches = json_array();

	json_object_set_new(facts, "place", json_text(state->place));
	json_object_set_new(facts, "cpu", site->cpu < 0 ? json_null() : json_integer(site->cpu));
	json_object_set_new(facts, "partner_cpu",
			    site->partner_cpu < 0 ? json_null() : json_integer(site->partner_cpu));
	json_object_set_new(facts, "dir", json_text(state->dir));
	json_object_set_new(facts, "file_system", json_text(state->file_system));
	json_object_set_new(facts, "memory_bytes", json_integer((json_int_t)site->memory));
	for (int level = 1; level <= 3; level++)
		json_array_append_new(caches,
				      site->cache[level] ?
					      json_integer((json_int_t)site->cache[level]) :
					      json_null());
	json_object_set_new(facts, "cache_bytes", caches);
	json_object_set_new(facts, "batches", json_integer(state->job.schedule.batches));
	return facts;
}

static void micro_places(const void *p, struct words *out)
{
	const struct micro_state *state = p;

	words_add(out, state->dir);
}

static void micro_tell(const void *p, const struct keys *given, struct buf *out)
{
	(void)given;
	add_words(p, out);
}

const struct workload workload_micro = {
	.name = "micro",
	.summary = "system calls, signals, faults, processes, IPC, memory: the columns of lmbench",
	.keys = keys,
	.metrics = micro_metrics,
	.check = micro_check,
	.setup = micro_setup,
	.teardown = micro_teardown,
	.prepare = micro_prepare,
	.execute = micro_execute,
	.verify = micro_verify,
	.cleanup = micro_cleanup,
	.describe = micro_describe,
	.places = micro_places,
	.tell = micro_tell,
};
