// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/kbuild_compiler.h"

#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/xalloc.h"

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
