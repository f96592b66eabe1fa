// SPDX-License-Identifier: GPL-3.0-or-later
/* What the workload kbuild says of itself: for the set, and in words. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/xalloc.h"
#include "workloads/kbuild_compiler.h"
#include "workloads/kbuild_make.h"
#include "workloads/kbuild_parts.h"

void kbuild_add_targets(const struct kbuild *kbuild, struct buf *out)
{
	const struct words *targets = &kbuild->options.targets;

	for (size_t i = 0; i < targets->n; i++)
		buf_addf(out, "%s%s", i ? "+" : "", targets->v[i]);
	if (!targets->n)
		buf_add(out, "image");
}

char *kbuild_work(const struct kbuild *kbuild)
{
	auto_buf struct buf text = BUF_INIT;

	buf_addf(&text, "%s ", kbuild->source.path);
	if (kbuild->source.tarball)
		kbuild_source_version(kbuild->source.tree, &text);
	buf_addf(&text, "%s%s ", kbuild->source.tarball ? " " : "", kbuild->options.config);
	kbuild_add_targets(kbuild, &text);
	return buf_steal(&text);
}

/* In the environment of a build without variables of a configuration. */
static json_t *version_of(const struct words *env, const char *program)
{
	auto_free char *version = kbuild_version_of(env, program);

	return json_text(version);
}

json_t *kbuild_describe(const void *state)
{
	const struct kbuild *kbuild = state;
	auto_buf struct buf version = BUF_INIT, targets = BUF_INIT;
	auto_words struct words env = WORDS_INIT;
	auto_free char *compiler = NULL;
	json_t *facts = json_object();

	kbuild_environment(&(const struct words)WORDS_INIT, &env);
	compiler = kbuild_compiler_version(&env);
	kbuild_source_version(kbuild->source.tree, &version);
	kbuild_add_targets(kbuild, &targets);
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
	json_object_set_new(facts, "make", version_of(&env, "make"));
	json_object_set_new(facts, "compiler", json_text(compiler));
	json_object_set_new(facts, "linker", version_of(&env, "ld"));
	return facts;
}

static json_t *config_hash(const struct kbuild *kbuild)
{
	auto_buf struct buf text = BUF_INIT;
	char hex[SHA256_HEX_SIZE];
	struct sha256_ctx sha;

	if (!kbuild->options.config_file ||
	    files_read_at(AT_FDCWD, kbuild->options.config_file, KBUILD_CONFIG_MAX, &text))
		return json_null();
	sha256_init(&sha);
	sha256_update(&sha, text.len, (const uint8_t *)text.s);
	sha256_finish(&sha, hex);
	return json_text(hex);
}

json_t *kbuild_found(const void *state)
{
	const struct kbuild *kbuild = state;
	auto_buf struct buf version = BUF_INIT;
	json_t *found = json_object();

	kbuild_source_version(kbuild->source.tree, &version);
	json_object_set_new(found, "source", json_text(kbuild->source.path));
	json_object_set_new(found, "version", json_text(version.len ? version.s : NULL));
	json_object_set_new(found, "config_sha256", config_hash(kbuild));
	json_object_set_new(found, "jobs", kbuild->options.jobs ?
						   json_integer(kbuild->options.jobs) :
						   json_string("no limit"));
	return found;
}

void kbuild_places(const void *state, struct words *out)
{
	const struct kbuild *kbuild = state;

	words_add(out, kbuild->source.tree);
	words_add(out, kbuild->options.folder);
}

/* "Linux 6.1.170, tinyconfig, kernel/sched/, make -j2, warm, in /dev/shm" */
void kbuild_tell(const void *state, const struct keys *keys, struct buf *out)
{
	const struct kbuild *kbuild = state;
	auto_buf struct buf version = BUF_INIT;

	(void)keys;
	kbuild_source_version(kbuild->source.tree, &version);
	buf_addf(out, "Linux %s, %s, ", version.len ? version.s : kbuild->source.path,
		 kbuild->options.config);
	kbuild_add_targets(kbuild, out);
	if (kbuild->options.jobs)
		buf_addf(out, ", make -j%u", kbuild->options.jobs);
	else
		buf_add(out, ", make -j without a limit");
	buf_addf(out, ", %s, in %s", kbuild->options.cold ? "cold" : "warm",
		 kbuild->options.folder);
}
