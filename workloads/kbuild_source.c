// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/kbuild_source.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/sha256.h"
#include "base/xalloc.h"
#include "workloads/kbuild_make.h"
#include "workloads/kbuild_unpack.h"

#define PACKAGES "/usr/src/linux-source-*.tar.*"

/* ---- finding ---- */

static char *newest_package(void)
{
	char *newest = NULL;
	glob_t found;

	if (glob(PACKAGES, 0, NULL, &found))
		return NULL;
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (!newest || strverscmp(found.gl_pathv[i], newest) > 0)
			newest = found.gl_pathv[i];
	newest = xstrdup(newest);
	globfree(&found);
	return newest;
}

/* NULL: nowhere; a folder that everybody writes to is no place for what is built and run. */
static char *cache_root(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		return files_join(cache, "brunt");
	if (geteuid() == 0)
		return xstrdup("/var/cache/brunt");
	return home && *home == '/' ? files_join(home, ".cache/brunt") : NULL;
}

/* Below root. Another tarball of the same name has another size or time. */
static char *cache_of(const char *root, const char *path, const struct stat *st)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	auto_free char *identity = xasprintf("%s %lld %lld.%09ld", path, (long long)st->st_size,
					     (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
	auto_free char *plain = xstrdup(name);
	char hex[SHA256_HEX_SIZE];
	struct sha256_ctx sha;

	for (char *p = plain; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._+-", *p))
			*p = '_'; /* "linux-6.1 (1).tar.xz": see kbuild_path_check() */
	sha256_init(&sha);
	sha256_update(&sha, strlen(identity), (const uint8_t *)identity);
	sha256_finish(&sha, hex);
	return xasprintf("%s/%s-%.12s", root, plain, hex);
}

static bool has_makefile(const char *folder)
{
	auto_free char *path = files_join(folder, "Makefile");

	return files_exists(path);
}

/* What was unpacked is a tree, or a folder with the tree in it. NULL: neither. */
static char *tree_in(const char *folder)
{
	DIR *list = has_makefile(folder) ? NULL : opendir(folder);
	const struct dirent *entry;
	char *tree = NULL, *path;

	if (has_makefile(folder))
		return xstrdup(folder);
	while (list && !tree && (entry = readdir(list))) {
		if (*entry->d_name == '.')
			continue;
		path = files_join(folder, entry->d_name);
		if (has_makefile(path))
			tree = path;
		else
			free(path);
	}
	if (list)
		closedir(list);
	return tree;
}

int kbuild_source_find(const char *given, struct kbuild_source *out, struct err *err)
{
	auto_free char *found = given ? xstrdup(given) : newest_package();
	auto_free char *path = found ? realpath(found, NULL) : NULL;
	auto_free char *root = cache_root();
	struct stat st;

	if (!found)
		return err_missing(err, "no kernel source: there is no %s (package linux-source: "
					"apt-get install linux-source); or give source=TREE or "
					"source=TARBALL", PACKAGES);
	if (!path || stat(path, &st) < 0)
		return err_usage(err, "source=%s: %s", found, strerror(errno));
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return err_usage(err, "source=%s is neither a folder nor a tarball", found);
	if (!S_ISDIR(st.st_mode) && !root)
		return err_usage(err, "source=%s has to be unpacked, and there is no place for it: "
				      "HOME and XDG_CACHE_HOME are not set", found);
	*out = (struct kbuild_source){ .path = xstrdup(path), .tarball = !S_ISDIR(st.st_mode) };
	if (out->tarball) {
		out->cache = cache_of(root, path, &st);
		out->tree = tree_in(out->cache);
	} else {
		out->tree = xstrdup(path);
	}
	return 0;
}

void kbuild_source_release(struct kbuild_source *source)
{
	free(source->path);
	free(source->cache);
	free(source->tree);
	*source = (struct kbuild_source){ 0 };
}

/* ---- unpacking ---- */

int kbuild_source_open(struct kbuild_source *source, const struct workload_site *site,
		       struct err *err)
{
	int rc;

	if (!source->tree && files_exists(source->cache))
		return err_usage(err, "%s is what source=%s was unpacked to, and holds no Makefile "
				      "any more: remove it", source->cache, source->path);
	if (!source->tree) {
		rc = kbuild_unpack(source->path, source->cache, site, err);
		if (rc)
			return rc;
		source->tree = tree_in(source->cache);
	}
	if (!source->tree)
		return err_usage(err, "source=%s holds no kernel source: there is no Makefile",
				 source->path);
	return 0;
}

/* ---- a tree ---- */

static bool tree_has(const char *tree, const char *name)
{
	auto_free char *path = files_join(tree, name);

	return files_exists(path);
}

static int check_clean(const char *tree, struct err *err)
{
	auto_free char *pattern = xasprintf("%s/arch/*/include/generated", tree);
	const char *what = NULL;
	glob_t found;

	if (tree_has(tree, ".config"))
		what = ".config";
	else if (tree_has(tree, "include/config"))
		what = "include/config";
	if (!what && glob(pattern, GLOB_ONLYDIR, NULL, &found) == 0) {
		what = "arch/*/include/generated";
		globfree(&found);
	}
	if (what)
		return err_usage(err, "%s was built in (%s is there), and then cannot be built from "
				      "elsewhere: run make mrproper in it, or give a clean tree",
				 tree, what);
	return 0;
}

/* What its own Makefiles call, by what is in the tree. */
static int check_programs(const char *tree, struct err *err)
{
	static const struct {
		const char *program, *package, *wanted_by;
	} needs[] = {
		{ "make", "make", "Makefile" },
		{ "gcc", "gcc", "scripts/cc-version.sh" },
		{ "flex", "flex", "scripts/kconfig/lexer.l" },
		{ "bison", "bison", "scripts/kconfig/parser.y" },
		{ "bc", "bc", "kernel/time/timeconst.bc" },
	};
	char *path;

	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		if (!tree_has(tree, needs[i].wanted_by))
			continue;
		if (process_find(needs[i].program, &path))
			return err_missing(err, "%s is missing (package %s): %s needs it",
					   needs[i].program, needs[i].package, tree);
		free(path);
	}
	return 0;
}

int kbuild_source_check(const char *tree, struct err *err)
{
	int rc;

	if (!has_makefile(tree))
		return err_usage(err, "source=%s is no kernel source: there is no Makefile", tree);
	rc = kbuild_path_check("source", tree, err);
	if (!rc)
		rc = check_clean(tree, err);
	return rc ? rc : check_programs(tree, err);
}

static int warm_one(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	static char bytes[1 << 16];
	auto_close int fd = -1;

	if (interrupt_count())
		return FTW_STOP;
	if (kind == FTW_D && (!strcmp(path + place->base, ".git") ||
			      !strcmp(path + place->base, "brunt-results")))
		return FTW_SKIP_SUBTREE;
	if (kind != FTW_F || !S_ISREG(st->st_mode))
		return FTW_CONTINUE;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	while (fd >= 0 && read(fd, bytes, sizeof(bytes)) > 0)
		;
	return FTW_CONTINUE;
}

int kbuild_source_warm(const char *tree, const struct workload_site *site, struct err *err)
{
	static char *done; /* "SESSION TREE" of the last one: cells of one session follow each other */
	auto_free char *now = xasprintf("%s %s", site->session, tree);
	auto_free char *words = xasprintf("reading %s once, so that it is in the page cache", tree);

	if (done && !strcmp(done, now))
		return 0;
	if (site->tell)
		site->tell(words);
	if (nftw(tree, warm_one, 16, FTW_PHYS | FTW_ACTIONRETVAL) < 0)
		return err_sys(err, errno, "reading %s", tree);
	if (interrupt_count())
		return err_set(err, EINTR, "interrupted");
	free(done);
	done = xstrdup(now);
	return 0;
}

void kbuild_source_version(const char *tree, struct buf *out)
{
	static const char *const names[] = { "VERSION", "PATCHLEVEL", "SUBLEVEL", "EXTRAVERSION" };
	auto_free char *path = files_join(tree, "Makefile");
	auto_buf struct buf text = BUF_INIT;
	size_t len;

	if (files_read_at(AT_FDCWD, path, 1 << 20, &text))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		auto_free char *key = xasprintf("\n%s =", names[i]);
		const char *at = strstr(text.s, key);

		if (!at)
			return;
		at += strlen(key);
		at += strspn(at, " ");
		len = strcspn(at, "\n");
		if (len)
			buf_addf(out, "%s%.*s", i && i < 3 ? "." : "", (int)len, at);
	}
}
