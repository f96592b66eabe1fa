// SPDX-License-Identifier: GPL-3.0-or-later
/* What comes before the timed make: a fresh folder, its configuration, make prepare. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "machine/accounting.h"
#include "workloads/kbuild_compiler.h"
#include "workloads/kbuild_make.h"
#include "workloads/kbuild_parts.h"

#define PREPARE_LOG "prepare.log"

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
	kbuild_add_log_tail(context, PREPARE_LOG, kbuild->source.tree, kbuild->folder.path,
			    &text);
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
	int rc = files_read_at(AT_FDCWD, kbuild->options.config_file, KBUILD_CONFIG_MAX,
			       &text);

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
	if (accounting_settle(context->idle_rate, KBUILD_SETTLE_NS) == -EINTR)
		return err_set(err, EINTR, "interrupted");
	return 0;
}

/* Once for each set of variables: programs that answer take their time. */
static void ask_compiler(struct kbuild *kbuild, const struct words *extra)
{
	free(kbuild->variables);
	kbuild->variables = kbuild_variables(extra);
	if (kbuild->compiler_of && !strcmp(kbuild->compiler_of, kbuild->variables))
		return;
	free(kbuild->compiler);
	free(kbuild->compiler_of);
	free(kbuild->wrapper);
	kbuild->wrapper = kbuild_compiler_wrapper(&kbuild->env);
	kbuild->compiler = kbuild_compiler_version(&kbuild->env);
	kbuild->compiler_of = xstrdup(kbuild->variables);
}

int kbuild_prepare(void *state, struct run_context *context, struct target *target,
		   struct err *err)
{
	struct kbuild *kbuild = state;
	int rc;

	kbuild_environment(context->environment, &kbuild->env);
	ask_compiler(kbuild, context->environment);
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
		rc = open_log(kbuild, context, KBUILD_LOG, err);
	if (!rc)
		rc = settle_down(kbuild, context, err);
	if (!rc)
		rc = kbuild_artefact_now(kbuild->folder.path, &kbuild->since, err);
	if (rc)
		return rc;
	set_words(kbuild, kbuild->options.jobs, &kbuild->options.targets);
	return program_prepare(kbuild->program, &kbuild->words, target, err);
}
