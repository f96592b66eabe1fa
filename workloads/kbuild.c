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
#include "workloads/kbuild_artefact.h"
#include "workloads/kbuild_make.h"
#include "workloads/kbuild_options.h"
#include "workloads/kbuild_source.h"
#include "workloads/program.h"
#include "workloads/work_folder.h"
#include "workloads/workload.h"

#define SETTLE_NS (10 * NS_PER_S)
#define LOG "build.log"
#define PREPARE_LOG "prepare.log"

static const struct metric_spec metrics[] = {
	PROGRAM_METRICS,
	{ 0 },
};

struct kbuild {
	struct kbuild_options options;
	struct kbuild_source source;
	struct work_folder folder;
	struct program *program;
	char *make;
	char *work; /* what is built of what, in words that are the same in every session */
	json_t *reference; /* "build" of the first good run of the set; NULL: none yet */
	unsigned int reference_run;

	/* of the current run */
	struct words env, argv;
	struct program_words words;
	struct kbuild_since since;
	int log_fd;
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
	json_decref(kbuild->reference);
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

static void add_targets(const struct kbuild *kbuild, struct buf *out)
{
	const struct words *targets = &kbuild->options.targets;

	for (size_t i = 0; i < targets->n; i++)
		buf_addf(out, "%s%s", i ? "+" : "", targets->v[i]);
	if (!targets->n)
		buf_add(out, "image");
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
		add_targets(&kbuild, plan_text);
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

static char *describe_work(const struct kbuild *kbuild)
{
	const char *cache = kbuild->source.cache ? strrchr(kbuild->source.cache, '/') + 1 : NULL;
	auto_buf struct buf text = BUF_INIT;

	buf_addf(&text, "%s %s ", cache ? cache : kbuild->source.path, kbuild->options.config);
	add_targets(kbuild, &text);
	return buf_steal(&text);
}

/* Where the path is another one, other bytes would be built. */
static int take_reference(struct kbuild *kbuild, const char *set_path, struct err *err)
{
	const char *path;

	kbuild->reference = kbuild_artefact_of_set(set_path, environment_host(), kbuild->work,
						   &kbuild->reference_run);
	path = json_get_text(kbuild->reference, "folder", kbuild->folder.path);
	if (strcmp(path, kbuild->folder.path) != 0)
		return err_usage(err, "run %u of %s was built in %s, now it would be %s: give dir= "
				      "as it was", kbuild->reference_run, set_path, path,
				 kbuild->folder.path);
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
		rc = kbuild_source_warm(kbuild->source.tree, err);
	if (!rc)
		rc = program_new(site, &kbuild->program, err);
	if (rc)
		return rc;
	kbuild->work = describe_work(kbuild);
	return take_reference(kbuild, site->set_path, err);
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

/* ---- before the timed part ---- */

static int open_log(struct kbuild *kbuild, const struct run_context *context, const char *name,
		    struct err *err)
{
	close_fd(&kbuild->log_fd);
	kbuild->log_fd = openat(context->folder_fd, name,
				O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (kbuild->log_fd < 0)
		return err_sys(err, errno, "%s/%s", context->folder, name);
	return 0;
}

static void set_words(struct kbuild *kbuild, unsigned int jobs, const struct words *targets)
{
	kbuild_make_words(kbuild->make, kbuild->source.tree, kbuild->folder.path, jobs,
			  &kbuild->argv);
	for (size_t i = 0; i < targets->n; i++)
		words_add(&kbuild->argv, targets->v[i]);
	kbuild->words = (struct program_words){ .path = kbuild->make, .argv = kbuild->argv.v,
						.envp = kbuild->env.v, .out_fd = kbuild->log_fd,
						.err_fd = kbuild->log_fd };
}

/* make that is not timed. */
static int make_once(struct kbuild *kbuild, const struct run_context *context,
		     const struct words *targets, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	int status, rc;

	set_words(kbuild, (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), targets);
	rc = program_once(kbuild->program, &kbuild->words, &status, err);
	if (rc || !status)
		return rc;
	buf_addf(&text, "make %s: ", targets->v[0]);
	process_add_status(&text, status);
	buf_addf(&text, ", %s/" PREPARE_LOG ": ", context->folder);
	kbuild_add_log_tail(context, PREPARE_LOG, &text);
	return err_set(err, EIO, "%s", text.s);
}

static int make_target(struct kbuild *kbuild, const struct run_context *context,
		       const char *target, struct err *err)
{
	auto_words struct words targets = WORDS_INIT;

	words_add(&targets, target);
	return make_once(kbuild, context, &targets, err);
}

static int copy_config(const struct kbuild *kbuild, struct err *err)
{
	auto_free char *to = files_join(kbuild->folder.path, ".config");
	auto_buf struct buf text = BUF_INIT;
	int rc = files_read_at(AT_FDCWD, kbuild->options.config_file, 64 << 20, &text);

	if (rc)
		return err_sys(err, -rc, "config=%s", kbuild->options.config);
	return files_replace(to, text.s, text.len, err);
}

static int configure(struct kbuild *kbuild, const struct run_context *context, struct err *err)
{
	int rc;

	if (!kbuild->options.config_file)
		return make_once(kbuild, context, &kbuild->options.configs, err);
	rc = copy_config(kbuild, err);
	return rc ? rc : make_target(kbuild, context, "olddefconfig", err);
}

/* The last word that make prints for image_name is a path, as arch/x86/boot/bzImage. */
static char *read_image_name(const struct run_context *context)
{
	auto_buf struct buf text = BUF_INIT;
	char *name;

	if (files_read_at(context->folder_fd, "image", 4096, &text))
		return xstrdup("vmlinux");
	while (text.len && strchr(" \n", text.s[text.len - 1]))
		text.s[--text.len] = '\0';
	name = text.s + text.len;
	while (name > text.s && !strchr("/ \n", name[-1]))
		name--;
	return xstrdup(*name ? name : "vmlinux");
}

/* What the architecture calls its image; vmlinux where it does not say. */
static int find_image(struct kbuild *kbuild, const struct run_context *context, struct err *err)
{
	auto_words struct words ask = WORDS_INIT;
	int status = -1, rc;
	int out = openat(context->folder_fd, "image", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			 0600);

	words_add(&ask, "-s");
	words_add(&ask, "--no-print-directory");
	words_add(&ask, "image_name");
	set_words(kbuild, 1, &ask);
	kbuild->words.out_fd = out;
	kbuild->words.err_fd = -1;
	rc = program_once(kbuild->program, &kbuild->words, &status, err);
	if (!rc)
		words_add_taken(&kbuild->options.targets,
				status ? xstrdup("vmlinux") : read_image_name(context));
	close_fd(&out);
	unlinkat(context->folder_fd, "image", 0);
	return rc;
}

/* What was written until now is on the disk, and nothing of it goes on in the timed part. */
static int settle_down(const struct kbuild *kbuild, const struct run_context *context,
		       struct err *err)
{
	auto_close int fd = open(kbuild->folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0 || syncfs(fd) < 0)
		return err_sys(err, errno, "%s", kbuild->folder.path);
	if (kbuild->options.cold) {
		sync();
		rc = files_write_value_at(AT_FDCWD, "/proc/sys/vm/drop_caches", "3");
	}
	if (rc)
		return err_sys(err, -rc, "/proc/sys/vm/drop_caches");
	if (accounting_settle(context->idle_rate, SETTLE_NS) == -EINTR)
		return err_set(err, EINTR, "interrupted");
	return 0;
}

static int prepare(void *state, struct run_context *context, struct target *target,
		   struct err *err)
{
	struct kbuild *kbuild = state;
	int rc;

	kbuild_environment(context->environment, &kbuild->env);
	rc = work_folder_make(&kbuild->folder, err);
	if (!rc)
		rc = open_log(kbuild, context, PREPARE_LOG, err);
	if (!rc)
		rc = configure(kbuild, context, err);
	if (!rc)
		rc = make_target(kbuild, context, "prepare", err);
	if (!rc && !kbuild->options.targets.n)
		rc = find_image(kbuild, context, err);
	if (!rc)
		rc = open_log(kbuild, context, LOG, err);
	if (!rc)
		rc = settle_down(kbuild, context, err);
	if (!rc)
		rc = kbuild_artefact_now(kbuild->folder.path, &kbuild->since, err);
	if (rc)
		return rc;
	set_words(kbuild, kbuild->options.jobs, &kbuild->options.targets);
	return program_prepare(kbuild->program, &kbuild->words, target, err);
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
	int rc = accounting_settle(context->idle_rate, SETTLE_NS);

	(void)state;
	if (rc == -ETIMEDOUT) {
		run_mark(context->run, "unsettled", "kernel threads were still busy %d s after the "
			 "run", (int)(SETTLE_NS / NS_PER_S));
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
	buf_addf(&text, "; %s/" LOG " ends with: ", context->folder);
	kbuild_add_log_tail(context, LOG, &text);
	run_fail(context->run, "%s", text.s);
	return false;
}

/* The first good run of the set says what is built. */
static void judge_artefact(struct kbuild *kbuild, struct run_context *context,
			   const struct kbuild_artefact *artefact)
{
	json_t *build = kbuild_artefact_to_json(artefact);
	auto_free char *difference = NULL;

	json_object_set_new(build, "work", json_text(kbuild->work));
	json_object_set_new(build, "folder", json_text(kbuild->folder.path));
	if (kbuild->options.jobs)
		json_object_set_new(build, "jobs", json_integer(kbuild->options.jobs));
	run_detail(context->run, "build", build);
	if (!artefact->objects) {
		run_invalid(context->run, "make built no object file");
		return;
	}
	if (!kbuild->reference) {
		kbuild->reference = json_incref(build);
		kbuild->reference_run = context->number;
		return;
	}
	difference = kbuild_artefact_difference(artefact, kbuild->reference);
	if (difference)
		run_invalid(context->run, "built something else than run %u: %s",
			    kbuild->reference_run, difference);
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

/* The first line that a program prints of its version; null where it is missing. */
static json_t *version_of(const char *program)
{
	const char *const argv[] = { program, "--version", NULL };
	auto_buf struct buf text = BUF_INIT;
	int status;

	if (process_capture(argv, &text, &status, NULL) || status)
		return json_null();
	text.s[strcspn(text.s, "\n")] = '\0';
	return json_text(text.s);
}

static json_t *describe(const void *state)
{
	const struct kbuild *kbuild = state;
	auto_buf struct buf version = BUF_INIT, targets = BUF_INIT;
	json_t *facts = json_object();

	kbuild_source_version(kbuild->source.tree, &version);
	add_targets(kbuild, &targets);
	json_object_set_new(facts, "source", json_text(kbuild->source.path));
	json_object_set_new(facts, "tree", json_text(kbuild->source.tree));
	json_object_set_new(facts, "version", json_text(version.len ? version.s : NULL));
	json_object_set_new(facts, "config", json_text(kbuild->options.config));
	json_object_set_new(facts, "target", json_text(targets.s));
	json_object_set_new(facts, "jobs", kbuild->options.jobs ?
						   json_integer(kbuild->options.jobs) :
						   json_null());
	json_object_set_new(facts, "folder", json_text(kbuild->folder.path));
	json_object_set_new(facts, "cgroup", json_boolean(program_has_cgroup(kbuild->program)));
	json_object_set_new(facts, "make", version_of("make"));
	json_object_set_new(facts, "compiler", version_of("gcc"));
	json_object_set_new(facts, "linker", version_of("ld"));
	return facts;
}

/* "Linux 6.1.170, tinyconfig, kernel/sched/, make -j2, warm, in /dev/shm" */
static void tell(const void *state, const struct keys *keys, struct buf *out)
{
	const struct kbuild *kbuild = state;
	auto_buf struct buf version = BUF_INIT;

	(void)keys;
	kbuild_source_version(kbuild->source.tree, &version);
	buf_addf(out, "Linux %s, %s, ", version.len ? version.s : kbuild->source.path,
		 kbuild->options.config);
	add_targets(kbuild, out);
	if (kbuild->options.jobs)
		buf_addf(out, ", make -j%u", kbuild->options.jobs);
	else
		buf_add(out, ", make -j without a limit");
	buf_addf(out, ", %s, in %s", kbuild->options.cold ? "cold" : "warm",
		 kbuild->options.folder);
}

const struct workload workload_kbuild = {
	.name = "kbuild",
	.summary = "a kernel, or parts of one, built with make in a fresh folder",
	.keys = kbuild_keys,
	.metrics = metrics,
	.check = check,
	.setup = setup,
	.teardown = teardown,
	.prepare = prepare,
	.execute = execute,
	.settle = settle,
	.verify = verify,
	.cleanup = cleanup,
	.describe = describe,
	.tell = tell,
};
