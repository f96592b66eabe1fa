// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/kbuild_artefact.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/words.h"
#include "base/xalloc.h"

int kbuild_artefact_now(const char *folder, struct kbuild_since *now, struct err *err)
{
	auto_free char *path = files_join(folder, ".brunt-now");
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", path);
	unlink(path);
	*now = (struct kbuild_since){ st.st_mtim.tv_sec, st.st_mtim.tv_nsec };
	return 0;
}

/* ---- the objects ---- */

/* nftw() has no argument of its own for it. */
static struct {
	const struct kbuild_since *since;
	struct words *paths;
} walk;

static bool is_new(const struct stat *st)
{
	return st->st_mtim.tv_sec > walk.since->s ||
	       (st->st_mtim.tv_sec == walk.since->s && st->st_mtim.tv_nsec >= walk.since->ns);
}

static int take_file(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	size_t len = strlen(path);

	(void)place;
	if (kind == FTW_F && S_ISREG(st->st_mode) && len > 2 && !strcmp(path + len - 2, ".o") &&
	    is_new(st))
		words_add(walk.paths, path);
	return 0;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* ---- ELF, of this machine's byte order; anything else has no text that is counted ---- */

struct text {
	struct sha256_ctx sha;
	uint64_t bytes;
};

static void add_section(struct text *text, const unsigned char *file, uint64_t size,
			uint64_t type, uint64_t flags, uint64_t offset, uint64_t length)
{
	if (type != SHT_PROGBITS || !(flags & SHF_EXECINSTR) || offset > size ||
	    length > size - offset)
		return;
	text->bytes += length;
	sha256_update(&text->sha, length, file + offset);
}

/* Headers need not be aligned in a file that somebody wrote badly: each is copied. */
#define ADD_SECTIONS(bits)                                                                       \
	static void add_sections_##bits(struct text *text, const unsigned char *file,            \
					uint64_t size)                                           \
	{                                                                                        \
		Elf##bits##_Ehdr head;                                                           \
		Elf##bits##_Shdr section;                                                        \
                                                                                                 \
		if (size < sizeof(head))                                                         \
			return;                                                                  \
		memcpy(&head, file, sizeof(head));                                               \
		for (uint64_t i = 0; i < head.e_shnum; i++) {                                    \
			uint64_t at = head.e_shoff + i * sizeof(section);                        \
                                                                                                 \
			if (head.e_shoff > size || at > size - sizeof(section))                  \
				return;                                                          \
			memcpy(&section, file + at, sizeof(section));                            \
			add_section(text, file, size, section.sh_type, section.sh_flags,         \
				    section.sh_offset, section.sh_size);                         \
		}                                                                                \
	}
ADD_SECTIONS(32)
ADD_SECTIONS(64)

static void add_object(struct text *text, const unsigned char *file, uint64_t size)
{
	const unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB :
										ELFDATA2MSB;

	if (size < EI_NIDENT || memcmp(file, ELFMAG, SELFMAG) != 0 || file[EI_DATA] != order)
		return;
	if (file[EI_CLASS] == ELFCLASS64)
		add_sections_64(text, file, size);
	else if (file[EI_CLASS] == ELFCLASS32)
		add_sections_32(text, file, size);
}

static int read_object(struct text *text, const char *path, struct err *err)
{
	auto_close int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	void *file;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (!st.st_size)
		return 0;
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		return err_sys(err, errno, "%s", path);
	add_object(text, file, (uint64_t)st.st_size);
	munmap(file, (size_t)st.st_size);
	return 0;
}

int kbuild_artefact_read(const char *folder, const struct kbuild_since *since,
			 struct kbuild_artefact *out, struct err *err)
{
	auto_words struct words paths = WORDS_INIT;
	struct text text = { .bytes = 0 };
	int rc = 0;

	walk.since = since;
	walk.paths = &paths;
	if (nftw(folder, take_file, 16, FTW_PHYS) < 0)
		return err_sys(err, errno, "%s", folder);
	qsort(paths.v, paths.n, sizeof(*paths.v), by_path);
	sha256_init(&text.sha);
	for (size_t i = 0; i < paths.n && !rc; i++)
		rc = read_object(&text, paths.v[i], err);
	if (rc)
		return rc;
	*out = (struct kbuild_artefact){ .objects = paths.n, .text_bytes = text.bytes };
	sha256_finish(&text.sha, out->text_sha256);
	return 0;
}

/* ---- comparing ---- */

json_t *kbuild_artefact_to_json(const struct kbuild_artefact *artefact)
{
	return json_pack("{s:I,s:I,s:s}", "objects", (json_int_t)artefact->objects, "text_bytes",
			 (json_int_t)artefact->text_bytes, "text_sha256", artefact->text_sha256);
}

char *kbuild_artefact_difference(const struct kbuild_artefact *artefact, const json_t *reference)
{
	int64_t objects = json_get_int(reference, "objects", -1);
	int64_t bytes = json_get_int(reference, "text_bytes", -1);

	if (objects != (int64_t)artefact->objects)
		return xasprintf("%llu objects, not %lld", (unsigned long long)artefact->objects,
				 (long long)objects);
	if (bytes != (int64_t)artefact->text_bytes)
		return xasprintf("%llu bytes of .text, not %lld",
				 (unsigned long long)artefact->text_bytes, (long long)bytes);
	if (strcmp(json_get_text(reference, "text_sha256", ""), artefact->text_sha256) != 0)
		return xasprintf("%llu bytes of .text as it should be, but other ones",
				 (unsigned long long)artefact->text_bytes);
	return NULL;
}

static json_t *build_of_line(const char *line, size_t len, const char *host, const char *work,
			     const char *variables)
{
	auto_json json_t *value = NULL;
	json_t *build;

	if (json_parse(line, len, "runs.jsonl", &value, NULL))
		return NULL;
	build = json_object_get(value, "build");
	if (strcmp(json_get_text(value, "status", ""), "ok") != 0 ||
	    strcmp(json_get_text(value, "host", ""), host) != 0 ||
	    strcmp(json_get_text(build, "work", ""), work) != 0 ||
	    (variables && strcmp(json_get_text(build, "variables", ""), variables) != 0))
		return NULL;
	json_object_set_new(build, "run", json_integer(json_get_int(value, "run", 0)));
	return json_incref(build);
}

json_t *kbuild_artefact_of_set(const char *set_path, const char *host, const char *work,
			       const char *variables)
{
	auto_free char *path = files_join(set_path, "runs.jsonl");
	auto_buf struct buf text = BUF_INIT;
	json_t *build = NULL;
	size_t len;

	if (files_read_at(AT_FDCWD, path, 1 << 30, &text))
		return NULL;
	for (const char *line = text.s; *line && !build; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (memmem(line, len, "\"build\"", 7))
			build = build_of_line(line, len, host, work, variables);
	}
	return build;
}
