// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A kernel, or parts of one, built with make. The tree is not written to: each run configures and
 * prepares a fresh build folder (O=) of the same path, untimed, and times one call of make. The
 * object files of every run must be those of the first one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/accounting.h"
#include "machine/environment.h"
#include "workloads/kbuild_make.h"
#include "workloads/kbuild_parts.h"

static const struct metric_spec metrics[] = {
	PROGRAM_METRICS,
	{ 0 },
};

static int find_make(char **path, struct err *err)
{
	if (process_find("make", path))
		return err_missing(err, "make is missing (package make)");
	return 0;
}

static void release(struct kbuild *kbuild)
{
	kbuild_options_release(&kbuild->options);
	kbuild_source_release(&kbuild->source);
	work_folder_release(&kbuild->folder);
	program_free(kbuild->program);
	words_release(&kbuild->env);
	words_release(&kbuild->argv);
	json_decref(kbuild->references);
	free(kbuild->set_path);
	free(kbuild->variables);
	free(kbuild->wrapper);
	free(kbuild->compiler);
	free(kbuild->compiler_of);
	free(kbuild->make);
	free(kbuild->work);
}

/* What plan and setup have in common: no side effects. */
static int judge(const struct keys *keys, struct kbuild *kbuild, struct err *err)
{
	int rc = kbuild_options_read(keys, &kbuild->options, err);

	if (!rc)
		rc = find_make(&kbuild->make, err);
	if (!rc)
		rc = kbuild_source_find(kbuild->options.source, &kbuild->source, err);
	if (!rc && kbuild->source.tree)
		rc = kbuild_source_check(kbuild->source.tree, err);
	else if (!rc)
		rc = kbuild_path_check("the cache of source", kbuild->source.cache, err);
	return rc;
}

static int check(const struct keys *keys, const struct guard_consent *consent,
		 struct buf *plan_text, struct err *err)
{
	struct kbuild kbuild = { .log_fd = -1 };
	int rc = judge(keys, &kbuild, err);

	(void)consent;
	if (!rc) {
		buf_addf(plan_text, "%s", kbuild.source.path);
		if (!kbuild.source.tree)
			buf_addf(plan_text, " (to be unpacked into %s)", kbuild.source.cache);
		buf_addf(plan_text, ", %s, ", kbuild.options.config);
		kbuild_add_targets(&kbuild, plan_text);
		buf_add(plan_text, kbuild.options.jobs ? ", make -j" : ", make -j without a limit");
		if (kbuild.options.jobs)
			buf_addf(plan_text, "%u", kbuild.options.jobs);
		buf_addf(plan_text, ", in %s", kbuild.options.folder);
	}
	release(&kbuild);
	return rc;
}

/* ---- setup ---- */

/* A build folder in the tree would be a change of the tree. */
static int check_outside(const struct kbuild *kbuild, struct err *err)
{
	size_t len = strlen(kbuild->source.tree);

	if (strncmp(kbuild->options.folder, kbuild->source.tree, len) == 0 &&
	    (!kbuild->options.folder[len] || kbuild->options.folder[len] == '/'))
		return err_usage(err, "dir=%s lies in the source tree, which is not written to",
				 kbuild->options.folder);
	return 0;
}

/* Where the path is another one, other bytes would be built. */
static int check_same_folder(const struct kbuild *kbuild, struct err *err)
{
	auto_json json_t *build = kbuild_artefact_of_set(kbuild->set_path, environment_host(),
							 kbuild->work, NULL);
	const char *path = json_get_text(build, "folder", kbuild->folder.path);

	if (strcmp(path, kbuild->folder.path) != 0)
		return err_usage(err, "run %lld of %s was built in %s, now it would be %s: give "
				      "dir= as it was", (long long)json_get_int(build, "run", 0),
				 kbuild->set_path, path, kbuild->folder.path);
	return 0;
}

static int make_ready(const struct keys *keys, struct kbuild *kbuild,
		      const struct workload_site *site, struct err *err)
{
	int rc = judge(keys, kbuild, err);

	if (!rc)
		rc = kbuild_source_open(&kbuild->source, site, err);
	if (!rc)
		rc = kbuild_source_check(kbuild->source.tree, err);
	if (!rc)
		rc = check_outside(kbuild, err);
	if (rc)
		return rc;
	work_folder_init(&kbuild->folder, kbuild->options.folder, "brunt-kbuild", site->undo);
	rc = work_folder_check(&kbuild->folder, err);
	if (!rc && !kbuild->options.cold)
		rc = kbuild_source_warm(kbuild->source.tree, site, err);
	if (!rc)
		rc = program_new(site, &kbuild->program, err);
	if (rc)
		return rc;
	kbuild->set_path = xstrdup(site->set_path);
	kbuild->references = json_object();
	kbuild->work = kbuild_work(kbuild);
	return check_same_folder(kbuild, err);
}

static void teardown(void *state)
{
	struct kbuild *kbuild = state;

	release(kbuild);
	free(kbuild);
}

static int setup(const struct keys *keys, const struct workload_site *site, void **state,
		 struct err *err)
{
	struct kbuild *kbuild = xcalloc(1, sizeof(*kbuild));
	int rc;

	kbuild->log_fd = -1;
	rc = make_ready(keys, kbuild, site, err);
	if (rc) {
		teardown(kbuild);
		return rc;
	}
	*state = kbuild;
	return 0;
}

/* ---- the timed part and what follows ---- */

static int execute(void *state, struct run_context *context, struct err *err)
{
	struct kbuild *kbuild = state;

	(void)context;
	return program_execute(kbuild->program, err);
}

static int settle(void *state, struct run_context *context, struct err *err)
{
	int rc = accounting_settle(context->idle_rate, KBUILD_SETTLE_NS);

	(void)state;
	if (rc == -ETIMEDOUT) {
		run_mark(context->run, "unsettled", "kernel threads were still busy %d s after the "
			 "run", (int)(KBUILD_SETTLE_NS / NS_PER_S));
		return 0;
	}
	return rc ? err_sys(err, -rc, "waiting until the kernel has settled") : 0;
}

static bool judge_end(const struct kbuild *kbuild, struct run_context *context)
{
	auto_buf struct buf text = BUF_INIT;
	int status;

	if (!program_judge(kbuild->program, context->run, &status))
		return false;
	if (!status)
		return true;
	buf_add(&text, "make ended with ");
	process_add_status(&text, status);
	buf_addf(&text, "; %s/" KBUILD_LOG " ends with: ", context->folder);
	kbuild_add_log_tail(context, KBUILD_LOG, kbuild->source.tree, kbuild->folder.path, &text);
	run_fail(context->run, "%s", text.s);
	return false;
}

/* What the set's first good run under the same variables built; NULL: there is none. */
static const json_t *find_reference(struct kbuild *kbuild)
{
	json_t *build = json_object_get(kbuild->references, kbuild->variables);

	if (build)
		return build;
	build = kbuild_artefact_of_set(kbuild->set_path, environment_host(), kbuild->work,
				       kbuild->variables);
	if (build)
		json_object_set_new(kbuild->references, kbuild->variables, build);
	return build;
}

static json_t *build_to_json(const struct kbuild *kbuild, const struct kbuild_artefact *artefact)
{
	json_t *build = kbuild_artefact_to_json(artefact);

	json_object_set_new(build, "work", json_text(kbuild->work));
	json_object_set_new(build, "variables", json_text(kbuild->variables));
	json_object_set_new(build, "folder", json_text(kbuild->folder.path));
	json_object_set_new(build, "compiler", json_text(kbuild->compiler));
	if (kbuild->options.jobs)
		json_object_set_new(build, "jobs", json_integer(kbuild->options.jobs));
	return build;
}

/* The first good run of the set says what is built. */
static void judge_artefact(struct kbuild *kbuild, struct run_context *context,
			   const struct kbuild_artefact *artefact)
{
	const json_t *reference = find_reference(kbuild);
	auto_free char *difference = NULL;

	if (kbuild->wrapper)
		run_mark(context->run, "compiler_wrapper", "%s may take what it compiles from "
			 "elsewhere", kbuild->wrapper);
	run_detail(context->run, "build", build_to_json(kbuild, artefact));
	if (!artefact->objects) {
		run_invalid(context->run, "make built no object file");
		return;
	}
	if (!reference) /* this line, once it is written */
		return;
	difference = kbuild_artefact_difference(artefact, reference);
	if (difference)
		run_invalid(context->run, "built something else than run %lld: %s",
			    (long long)json_get_int(reference, "run", 0), difference);
}

static int verify(void *state, struct run_context *context, struct err *err)
{
	struct kbuild *kbuild = state;
	struct kbuild_artefact artefact;
	bool good = judge_end(kbuild, context);
	int rc;

	program_report(kbuild->program, metrics, context->run);
	if (!good)
		return 0;
	rc = kbuild_artefact_read(kbuild->folder.path, &kbuild->since, &artefact, err);
	if (!rc)
		judge_artefact(kbuild, context, &artefact);
	return rc;
}

static void cleanup(void *state, struct run_context *context)
{
	struct kbuild *kbuild = state;
	struct err err;

	program_end(kbuild->program);
	close_fd(&kbuild->log_fd);
	if (work_folder_remove(&kbuild->folder, &err))
		run_mark(context->run, "leftover_files", "%s", err.text);
}

const struct workload workload_kbuild = {
	.name = "kbuild",
	.summary = "a kernel, or parts of one, built with make in a fresh folder",
	.keys = kbuild_keys,
	.metrics = metrics,
	.check = check,
	.setup = setup,
	.teardown = teardown,
	.prepare = kbuild_prepare,
	.execute = execute,
	.settle = settle,
	.verify = verify,
	.cleanup = cleanup,
	.describe = kbuild_describe,
	.found = kbuild_found,
	.places = kbuild_places,
	.tell = kbuild_tell,
};
