// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/kbuild_make.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/xalloc.h"

extern char **environ;

enum { TAIL_LINES = 5, LINE_SHOWN = 120 };

/* ---- the environment ---- */

static const char *const fixed[] = {
	"KBUILD_BUILD_TIMESTAMP=2000-01-01 00:00:00 UTC",
	"KBUILD_BUILD_USER=brunt",
	"KBUILD_BUILD_HOST=brunt",
	"KBUILD_BUILD_VERSION=1",
	"CCACHE_DISABLE=1",
	"LC_ALL=C",
};

/* Those of make, of its implicit rules, of kbuild, and of wrappers of compilers. */
static bool changes_the_build(const char *variable)
{
	static const char *const heads[] = { "MAKE", "KBUILD", "KCONFIG", "CCACHE_", "DISTCC",
					     "ICECC", "SCCACHE", "LLVM", "INSTALL_", "LC_" };
	static const char *const names[] = {
		"MFLAGS", "GNUMAKEFLAGS", "KCFLAGS", "KCPPFLAGS", "KAFLAGS", "KRUSTFLAGS", "ARCH",
		"SUBARCH", "SRCARCH", "CROSS_COMPILE", "CC", "CPP", "CXX", "LD", "AS", "AR", "NM",
		"OBJCOPY", "OBJDUMP", "READELF", "STRIP", "HOSTCC", "HOSTCXX", "HOSTCFLAGS",
		"HOSTLDFLAGS", "CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "CFLAGS_KERNEL",
		"LOCALVERSION", "O", "V", "W", "C", "M", "MO", "SOURCE_DATE_EPOCH", "LANG",
		"CDPATH", "GREP_OPTIONS", "PATH",
	};
	size_t len = strcspn(variable, "=");

	for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
		if (!strncmp(variable, heads[i], strlen(heads[i])))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == len && !strncmp(variable, names[i], len))
			return true;
	return false;
}

/* Is the compiler of this folder a wrapper that fetches results from elsewhere? */
static bool is_wrapper(const char *folder)
{
	static const char *const compilers[] = { "gcc", "cc", "clang" };
	static const char *const wrappers[] = { "ccache", "distcc", "icecc", "sccache" };

	for (size_t i = 0; i < ARRAY_SIZE(compilers); i++) {
		auto_free char *path = files_join(folder, compilers[i]);
		auto_free char *real = realpath(path, NULL);
		const char *name = real ? strrchr(real, '/') : NULL;

		for (size_t k = 0; name && k < ARRAY_SIZE(wrappers); k++)
			if (strstr(name, wrappers[k]))
				return true;
	}
	return false;
}

/* A folder that also has make is no folder of wrappers alone, and stays. */
static char *plain_path(void)
{
	const char *given = getenv("PATH");
	auto_words struct words folders = WORDS_INIT;
	auto_buf struct buf path = BUF_INIT;

	words_split_at(given ? given : "/usr/local/bin:/usr/bin:/bin", ':', &folders);
	buf_add(&path, "PATH=");
	for (size_t i = 0; i < folders.n; i++) {
		auto_free char *make = files_join(folders.v[i], "make");

		if (*folders.v[i] != '/' || (is_wrapper(folders.v[i]) && !files_exists(make)))
			continue;
		buf_addf(&path, "%s%s", path.s[path.len - 1] == '=' ? "" : ":", folders.v[i]);
	}
	return buf_steal(&path);
}

static bool is_given(const struct words *extra, const char *variable)
{
	size_t name = strcspn(variable, "=") + 1;

	for (size_t i = 0; i < extra->n; i++)
		if (!strncmp(variable, extra->v[i], name))
			return true;
	return false;
}

static void add(const struct words *extra, const char *variable, struct words *out)
{
	if (!is_given(extra, variable))
		words_add(out, variable);
}

void kbuild_environment(const struct words *extra, struct words *out)
{
	auto_free char *path = plain_path();

	words_release(out);
	for (char **e = environ; *e; e++)
		if (!changes_the_build(*e))
			add(extra, *e, out);
	add(extra, path, out);
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		add(extra, fixed[i], out);
	for (size_t i = 0; i < extra->n; i++)
		words_add(out, extra->v[i]);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *kbuild_variables(const struct words *extra)
{
	auto_words struct words found = WORDS_INIT;
	auto_buf struct buf text = BUF_INIT;

	for (size_t i = 0; i < extra->n; i++)
		if (changes_the_build(extra->v[i]))
			words_add(&found, extra->v[i]);
	if (found.n)
		qsort(found.v, found.n, sizeof(*found.v), by_text);
	for (size_t i = 0; i < found.n; i++)
		buf_addf(&text, "%s%s", i ? " " : "", found.v[i]);
	return xstrdup(text.len ? text.s : "");
}

/* ---- make and its log ---- */

int kbuild_path_check(const char *key, const char *path, struct err *err)
{
	for (const char *p = path; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f || strchr("\"#$%&'()*:;<>?[\\]`{|}", *p))
			return err_usage(err, "%s=%s: the Makefiles of kernels cannot work with "
					      "'%c' in a path", key, path, *p);
	return 0;
}

void kbuild_make_words(const char *make, const char *tree, const char *folder, unsigned int jobs,
		       struct words *out)
{
	words_release(out);
	words_add(out, make);
	words_add(out, "--no-print-directory");
	words_add(out, "-C");
	words_add(out, tree);
	words_add_taken(out, xasprintf("O=%s", folder));
	words_add_taken(out, jobs ? xasprintf("-j%u", jobs) : xstrdup("-j"));
}

static bool tells_an_error(const char *line)
{
	static const char *const signs[] = { "error:", "Error:", "No space left", "not found",
					     "undefined reference", "*** " };

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (strstr(line, signs[i]))
			return true;
	return false;
}

/* Takes "PATH/" out of the text wherever it stands. */
static void leave_out(char *text, const char *path)
{
	size_t len = strlen(path);

	while ((text = strstr(text, path))) {
		if (text[len] == '/')
			memmove(text, text + len + 1, strlen(text + len + 1) + 1);
		else
			text += len;
	}
}

/* With many jobs the first error is far above the end. */
void kbuild_add_log_tail(const struct run_context *context, const char *name, const char *tree,
			 const char *folder, struct buf *out)
{
	auto_words struct words lines = WORDS_INIT;
	auto_buf struct buf text = BUF_INIT;
	size_t first, error = 0;

	if (files_read_at(context->folder_fd, name, 256 << 20, &text) || !text.len)
		return;
	while (text.len && text.s[text.len - 1] == '\n')
		text.s[--text.len] = '\0';
	words_split_at(text.s, '\n', &lines);
	for (size_t i = 0; i < lines.n; i++) {
		leave_out(lines.v[i], folder);
		leave_out(lines.v[i], tree);
	}
	first = lines.n > TAIL_LINES ? lines.n - TAIL_LINES : 0;
	while (error < lines.n && !tells_an_error(lines.v[error]))
		error++;
	if (error < first)
		buf_addf(out, "%.*s / ... / ", LINE_SHOWN, lines.v[error]);
	for (size_t i = first; i < lines.n; i++)
		if (*lines.v[i])
			buf_addf(out, "%s%.*s", i > first ? " / " : "", LINE_SHOWN, lines.v[i]);
}
