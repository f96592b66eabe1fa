// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/kbuild_compiler.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/process.h"
#include "base/xalloc.h"

enum { SCRIPT_MAX = 64 << 10 };

static const char *value_of(const struct words *env, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < env->n; i++)
		if (!strncmp(env->v[i], name, len) && env->v[i][len] == '=')
			return env->v[i] + len + 1;
	return "";
}

char *kbuild_version_of(const struct words *env, const char *program)
{
	auto_free char *path = xasprintf("PATH=%s", value_of(env, "PATH"));
	const char *const argv[] = { "env", path, program, "--version", NULL };
	auto_buf struct buf text = BUF_INIT;
	int status;

	if (process_capture(argv, &text, &status, NULL) || status || !text.len)
		return NULL;
	text.s[strcspn(text.s, "\n")] = '\0';
	return xstrdup(text.s);
}

/* LLVM=1, LLVM=/folder/ or LLVM=-15, see Documentation/kbuild/llvm.rst of Linux. */
static char *compiler_name(const struct words *env)
{
	const char *cc = value_of(env, "CC"), *llvm = value_of(env, "LLVM");
	size_t len = strlen(llvm);

	if (*cc)
		return xstrndup(cc, strcspn(cc, " "));
	if (len && llvm[len - 1] == '/')
		return xasprintf("%sclang", llvm);
	if (*llvm == '-')
		return xasprintf("clang%s", llvm);
	return len ? xstrdup("clang") : xasprintf("%sgcc", value_of(env, "CROSS_COMPILE"));
}

char *kbuild_compiler_version(const struct words *env)
{
	auto_free char *name = compiler_name(env);

	return kbuild_version_of(env, name);
}

static char *find_in_path(const struct words *env, const char *name)
{
	auto_words struct words folders = WORDS_INIT;

	if (strchr(name, '/'))
		return xstrdup(name);
	words_split_at(value_of(env, "PATH"), ':', &folders);
	for (size_t i = 0; i < folders.n; i++) {
		char *path = files_join(folders.v[i], name);

		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

static bool names_a_wrapper(const char *text)
{
	static const char *const wrappers[] = { "ccache", "distcc", "icecc", "sccache" };

	for (size_t i = 0; i < ARRAY_SIZE(wrappers); i++)
		if (strstr(text, wrappers[i]))
			return true;
	return false;
}

char *kbuild_compiler_wrapper(const struct words *env)
{
	auto_free char *name = compiler_name(env), *path = find_in_path(env, name);
	auto_free char *real = path ? realpath(path, NULL) : NULL;
	auto_buf struct buf text = BUF_INIT;
	bool found;

	if (!real)
		return NULL;
	found = names_a_wrapper(strrchr(real, '/'));
	/* a compiler itself is larger than any script */
	if (!found && !files_read_at(AT_FDCWD, real, SCRIPT_MAX, &text))
		found = text.len > 2 && !strncmp(text.s, "#!", 2) && names_a_wrapper(text.s);
	return found ? xstrdup(path) : NULL;
}
