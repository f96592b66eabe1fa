// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/import_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/xalloc.h"
#include "parsers/parse_all.h"
#include "parsers/plain.h"
#include "runner/message.h"

/* Notes of a file that are shown, and bytes that are read where a file cannot be mapped. */
enum { NOTES_SHOWN = 40, STREAM_LIMIT = 256 << 20 };

/* Bytes of a file, mapped where that is possible: large ones then take no memory. */
struct bytes {
	const char *s;
	size_t len;
	void *map;
	struct buf buf;
};

static int map_file(const char *path, int fd, struct bytes *out, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "%s", path);
	if (S_ISDIR(st.st_mode))
		return err_set(err, EISDIR, "%s is a folder: give files, or for a set of "
					   "brunt's own use brunt report", path);
	if (!S_ISREG(st.st_mode) || !st.st_size)
		return -EAGAIN;
	out->len = (size_t)st.st_size;
	out->map = mmap(NULL, out->len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (out->map == MAP_FAILED) {
		out->map = NULL;
		return -EAGAIN;
	}
	out->s = out->map;
	return 0;
}

static int read_stream(const char *path, int fd, struct bytes *out, struct err *err)
{
	char piece[65536];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece)))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, errno, "%s", path);
		if (out->buf.len + (size_t)n > STREAM_LIMIT)
			return err_set(err, EFBIG, "%s: more than %d MiB from a pipe; give a file",
				       path, STREAM_LIMIT >> 20);
		buf_addn(&out->buf, piece, (size_t)n);
	}
	out->s = out->buf.s ? out->buf.s : "";
	out->len = out->buf.len;
	return 0;
}

static int bytes_read(const char *path, struct bytes *out, struct err *err)
{
	bool standard = !strcmp(path, "-");
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), rc;

	*out = (struct bytes){ .buf = BUF_INIT };
	if (fd < 0)
		return err_sys(err, errno, "%s", path);
	rc = map_file(path, fd, out, err);
	if (rc == -EAGAIN)
		rc = read_stream(path, fd, out, err);
	if (!standard)
		close(fd);
	return rc;
}

static void bytes_release(struct bytes *bytes)
{
	if (bytes->map)
		munmap(bytes->map, bytes->len);
	buf_release(&bytes->buf);
}

/* ---- what is told ---- */

static void tell_nothing(const struct parser *as, struct buf *out)
{
	buf_add(out, "; looked for: ");
	for (size_t i = 0; parsers[i]; i++)
		if (!as || as == parsers[i])
			buf_addf(out, "%s%s", i && !as ? ", " : "", parsers[i]->name);
}

static void tell_notes(const char *path, const struct plain *plain, const struct parsed *parsed)
{
	size_t shown = parsed->nnotes < NOTES_SHOWN ? parsed->nnotes : NOTES_SHOWN;

	for (size_t i = 0; i < shown; i++) {
		const struct parsed_note *note = &parsed->notes[i];
		size_t line = plain_line(plain, note->line);

		if (note->column)
			message("%s:%zu:%zu: %s", path, line, note->column, note->text);
		else
			message("%s:%zu: %s", path, line, note->text);
	}
	if (parsed->nnotes > shown)
		message("%s: and %zu more like these", path, parsed->nnotes - shown);
}

static void tell_values(const char *path, const struct plain *plain, const struct parsed *parsed)
{
	size_t shown = 0;

	for (size_t i = 0; i < parsed->n; i++)
		for (size_t k = 0; k < parsed->records[i].n && shown < NOTES_SHOWN; k++) {
			const struct parsed_value *value = &parsed->records[i].values[k];

			if (!value->note)
				continue;
			message("%s:%zu: %s: %s", path, plain_line(plain, value->line),
				value->metric, value->note);
			shown++;
		}
}

struct tally {
	size_t runs, failed, means;
	size_t of_unknown; /* means without the number of their runs */
};

/* "'before', 'ext3'": what tells the record's group from others. */
static char *group_of(const struct parsed_record *record)
{
	auto_buf struct buf name = BUF_INIT;

	buf_addf(&name, "'%s'", record->label);
	if (record->config)
		buf_addf(&name, ", '%s'", record->config);
	for (size_t i = 0; i < record->npoint; i++)
		buf_addf(&name, ", %s=%s", record->point[i].key, record->point[i].value);
	return buf_steal(&name);
}

static void add_to_tally(struct tally *tally, const struct parsed_record *record)
{
	bool run = record->failed;
	size_t means = 0;

	for (size_t i = 0; i < record->n; i++) {
		run |= !record->values[i].summary;
		means += record->values[i].summary;
		tally->of_unknown += record->values[i].summary && !record->values[i].n;
	}
	tally->runs += run;
	tally->failed += record->failed;
	tally->means += means;
}

static void tell_tally(const char *path, const char *parser, const char *group,
		       const struct tally *tally)
{
	auto_buf struct buf text = BUF_INIT;

	if (tally->runs)
		buf_addf(&text, "%zu run%s", tally->runs, tally->runs > 1 ? "s" : "");
	if (tally->failed)
		buf_addf(&text, ", %zu of them failed", tally->failed);
	if (tally->means)
		buf_addf(&text, "%s%zu mean%s", text.len ? ", " : "", tally->means,
			 tally->means > 1 ? "s" : "");
	if (tally->of_unknown == tally->means && tally->means)
		buf_add(&text, ", of how many runs is not known: no interval and no verdict");
	else if (tally->of_unknown)
		buf_addf(&text, ", of how many runs is not known of %zu: no interval and no verdict",
			 tally->of_unknown);
	message("%s: %s: %s: %s", path, parser, group, text.s);
}

static void tell_groups(const char *path, const struct parse_part *part)
{
	const struct parsed *parsed = &part->parsed;
	struct tally *tallies = xcalloc(parsed->n + 1, sizeof(*tallies));
	json_t *groups = json_object(), *index;
	const char *name;
	size_t shown = 0;

	for (size_t i = 0; i < parsed->n; i++) {
		auto_free char *group = group_of(&parsed->records[i]);
		auto_json json_t *key = json_text(group);

		if (!json_object_get(groups, json_string_value(key)))
			json_object_set_new(groups, json_string_value(key),
					    json_integer((json_int_t)json_object_size(groups)));
		add_to_tally(&tallies[json_integer_value(
				     json_object_get(groups, json_string_value(key)))],
			     &parsed->records[i]);
	}
	json_object_foreach(groups, name, index) {
		if (shown++ < NOTES_SHOWN)
			tell_tally(path, part->parser->name, name,
				   &tallies[json_integer_value(index)]);
	}
	if (shown > NOTES_SHOWN)
		message("%s: %s: and %zu groups more", path, part->parser->name,
			shown - NOTES_SHOWN);
	json_decref(groups);
	free(tallies);
}

static void tell_remarks(const char *path, const struct words *remarks)
{
	for (size_t i = 0; i < remarks->n; i++)
		message("%s: %s", path, remarks->v[i]);
}

/* ---- a file ---- */

/* Lines are those of the file, also where another text was read. */
static void map_lines(const struct plain *plain, struct parsed *parsed)
{
	for (size_t i = 0; i < parsed->n; i++) {
		struct parsed_record *record = &parsed->records[i];

		record->line = plain_line(plain, record->line);
		for (size_t k = 0; k < record->n; k++)
			record->values[k].line = plain_line(plain, record->values[k].line);
	}
}

static void add_part(struct import *import, const struct import_source *source,
		     const struct plain *plain, struct parse_part *part,
		     const struct import_names *names)
{
	auto_words struct words remarks = WORDS_INIT;

	tell_groups(source->path, part);
	tell_values(source->path, plain, &part->parsed);
	map_lines(plain, &part->parsed);
	import_add(import, source, part->parser->name, &part->parsed, names, &remarks);
	tell_remarks(source->path, &remarks);
}

static int add_parts(struct import *import, const struct import_source *source,
		     const struct plain *plain, struct parse_parts *parts,
		     const struct parser *as, const struct import_names *names, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	bool any = false;

	for (size_t i = 0; i < parts->n; i++) {
		any |= parts->v[i].parsed.n > 0;
		tell_notes(source->path, plain, &parts->v[i].parsed);
		if (parts->v[i].parsed.n)
			add_part(import, source, plain, &parts->v[i], names);
	}
	if (any)
		return 0;
	tell_nothing(as, &text);
	return err_set(err, ENODATA, "%s: nothing was recognised%s", source->path, text.s);
}

static void sum_up(const struct bytes *bytes, char out[SHA256_HEX_SIZE])
{
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, bytes->len, (const uint8_t *)bytes->s);
	sha256_finish(&sha, out);
}

/* What ends in mid-line was cut off, or its last line has no newline: nobody can tell. */
static void leave_out_cut_line(const char *path, struct plain *plain)
{
	size_t cut = plain_cut_off(plain->text, plain->len), line = 1;

	if (!cut)
		return;
	plain->len -= cut;
	for (size_t i = 0; i < plain->len; i++)
		line += plain->text[i] == '\n';
	message("%s:%zu: the text ends within this line, which may be cut off: left out (a newline "
		"behind it says that it is whole)", path, plain_line(plain, line));
}

static int read_bytes(const char *path, const struct bytes *bytes, const struct parser *as,
		      const struct import_names *names, struct import *import, struct err *err)
{
	struct import_source source = { .path = path };
	struct parse_parts parts = { .n = 0 };
	struct plain plain;
	int rc = plain_read(bytes->s, bytes->len, &plain);

	if (rc)
		return err_sys(err, -rc, "%s", path);
	sum_up(bytes, source.sha256);
	leave_out_cut_line(path, &plain);
	source.title = plain.title;
	source.author = plain.author;
	source.date = plain.date;
	rc = parse_all(plain.text, plain.len, as, &parts, err);
	if (!rc)
		rc = add_parts(import, &source, &plain, &parts, as, names, err);
	else
		err_context(err, -rc, "%s", path);
	parse_parts_release(&parts);
	plain_release(&plain);
	return rc;
}

int import_file(const char *path, const struct parser *as, const struct import_names *names,
		struct import *import, struct err *err)
{
	struct bytes bytes;
	int rc = bytes_read(path, &bytes, err);

	if (!rc)
		rc = read_bytes(path, &bytes, as, names, import, err);
	bytes_release(&bytes);
	return rc;
}
