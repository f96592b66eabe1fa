// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Reading and undoing the journals of dead sessions. What is undone is noted in the journal at
 * once, so that a cleaner that is killed, or fails in the middle, leaves it to the next one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/json.h"
#include "base/pool.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "machine/undo.h"
#include "machine/undo_folder.h"

#define JOURNAL_LIMIT (64 << 20)

struct cleaning {
	bool dry;
	void (*report)(void *arg, const char *text);
	void *arg;
	char boot_id[40];
	size_t left;
};

/* One dead journal; changes are the lines with an id, notes merged in, NULL once undone. */
struct journal {
	const char *name;
	int fd;
	json_t **changes;
	size_t n, cap;
	bool torn_end;
};

static void __attribute__((format(printf, 2, 3)))
say(const struct cleaning *cleaning, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) >= 0) {
		cleaning->report(cleaning->arg, text);
		free(text);
	}
	va_end(args);
}

static json_t **find_change(struct journal *journal, int64_t id)
{
	for (size_t i = 0; i < journal->n; i++)
		if (journal->changes[i] && json_get_int(journal->changes[i], "id", -1) == id)
			return &journal->changes[i];
	return NULL;
}

static void forget_change(json_t **change)
{
	json_decref(*change);
	*change = NULL;
}

static int take_line(struct journal *journal, const char *line, size_t len)
{
	json_t *value, **change;
	int64_t id;

	if (json_parse(line, len, journal->name, &value, NULL))
		return -EINVAL;
	if ((id = json_get_int(value, "undone", 0)) > 0) {
		change = find_change(journal, id);
		if (change)
			forget_change(change);
	} else if ((id = json_get_int(value, "note", 0)) > 0) {
		change = find_change(journal, id);
		if (change)
			json_object_update(*change, value);
	} else if (json_get_int(value, "id", 0) > 0) {
		GROW(journal->changes, journal->n, journal->cap);
		journal->changes[journal->n++] = json_incref(value);
	}
	json_decref(value);
	return 0;
}

/*
 * A line that cannot be read was torn when its writer died; what it was to announce was not done
 * yet, or undone already.
 */
static void take_lines(struct journal *journal, const struct buf *text,
		       const struct cleaning *cleaning)
{
	const char *line = text->s, *end = text->s + text->len, *stop;

	for (size_t number = 1; line < end; number++, line = stop + 1) {
		stop = memchr(line, '\n', (size_t)(end - line));
		if (!stop)
			stop = end;
		if (stop > line && take_line(journal, line, (size_t)(stop - line)))
			say(cleaning, "%s: line %zu is torn: skipped", journal->name, number);
	}
	journal->torn_end = text->len > 0 && end[-1] != '\n';
}

static const struct undo_kind *find_kind(const char *name)
{
	for (const struct undo_kind *kind = undo_kinds; kind->name; kind++)
		if (strcmp(kind->name, name) == 0)
			return kind;
	return NULL;
}

/* One change on its way to be undone; by a thread of its own, maybe. */
struct undoing {
	const json_t *change;
	const struct cleaning *cleaning;
	char *did; /* for the user */
	struct err err;
	int rc;
};

static void undo_change(void *arg, size_t i)
{
	struct undoing *undoing = &((struct undoing *)arg)[i];
	const json_t *change = undoing->change;
	const char *name = json_get_text(change, "kind", "");
	const struct undo_kind *kind = find_kind(name);

	if (!kind)
		undoing->rc = err_set(&undoing->err, EINVAL, "a change of unknown kind '%s'", name);
	else if (kind->outlives_boot ||
		 !strcmp(json_get_text(change, "boot_id", ""), undoing->cleaning->boot_id))
		undoing->rc = kind->undo(change, undoing->cleaning->dry, &undoing->did,
					 &undoing->err);
}

static void note_undone(struct journal *journal, const json_t *change)
{
	auto_buf struct buf line = BUF_INIT;

	buf_addf(&line, "%s{\"undone\":%lld}\n", journal->torn_end ? "\n" : "",
		 (long long)json_get_int(change, "id", 0));
	if (files_write_all(journal->fd, line.s, line.len) == 0)
		journal->torn_end = false;
}

static void end_undoing(struct journal *journal, json_t **change, struct undoing *undoing,
			struct cleaning *cleaning)
{
	if (undoing->did)
		cleaning->report(cleaning->arg, undoing->did);
	free(undoing->did);
	if (undoing->rc) {
		cleaning->left++;
		say(cleaning, "not undone: %s", undoing->err.text);
		return;
	}
	if (!cleaning->dry)
		note_undone(journal, *change);
	forget_change(change);
}

/* Changes [first, last), which may be undone at once; told last first. */
static void undo_batch(struct journal *journal, size_t first, size_t last,
		       struct cleaning *cleaning)
{
	auto_free struct undoing *undoings = xcalloc(last - first, sizeof(*undoings));
	size_t n = 0;

	for (size_t i = last; i-- > first;)
		if (journal->changes[i])
			undoings[n++] = (struct undoing){ .change = journal->changes[i],
							  .cleaning = cleaning };
	pool_run(undo_change, undoings, n);
	n = 0;
	for (size_t i = last; i-- > first;)
		if (journal->changes[i])
			end_undoing(journal, &journal->changes[i], &undoings[n++], cleaning);
}

static bool any_order(const json_t *change)
{
	const struct undo_kind *kind = find_kind(json_get_text(change, "kind", ""));

	return kind && kind->any_order;
}

/* Last first; neighbours of a kind that waits in the kernel for each are undone side by side. */
static void undo_changes(struct journal *journal, struct cleaning *cleaning)
{
	size_t first, last;

	for (last = journal->n; last; last = first) {
		const json_t *change = journal->changes[last - 1];

		first = last - 1;
		while (any_order(change) && first && any_order(journal->changes[first - 1]) &&
		       !strcmp(json_get_text(journal->changes[first - 1], "kind", ""),
			       json_get_text(change, "kind", "")))
			first--;
		undo_batch(journal, first, last, cleaning);
	}
}

static bool all_undone(const struct journal *journal)
{
	for (size_t i = 0; i < journal->n; i++)
		if (journal->changes[i])
			return false;
	return true;
}

static void clean_journal(int folder, const char *name, struct cleaning *cleaning)
{
	auto_close int fd = undo_folder_take_dead(folder, name);
	struct journal journal = { .name = name, .fd = fd };
	auto_buf struct buf text = BUF_INIT;
	int rc;

	if (fd == -EBUSY || fd == -ENOENT)
		return;
	if (fd == -ETIMEDOUT) {
		cleaning->left++;
		say(cleaning, "not undone: children of the killed session %s do not die", name);
		return;
	}
	rc = fd < 0 ? fd : files_read_at(folder, name, JOURNAL_LIMIT, &text);
	if (rc) {
		cleaning->left++;
		say(cleaning, "not undone: undo journal %s: %s", name, strerror(-rc));
		return;
	}
	take_lines(&journal, &text, cleaning);
	undo_changes(&journal, cleaning);
	if (!cleaning->dry && all_undone(&journal))
		unlinkat(folder, name, 0);
	for (size_t i = 0; i < journal.n; i++)
		json_decref(journal.changes[i]);
	free(journal.changes);
}

static int clean_place(enum undo_place place, struct cleaning *cleaning, struct err *err)
{
	auto_close int folder = undo_folder_open(place, false, err);
	auto_words struct words names = WORDS_INIT;
	int rc;

	if (folder < 0)
		return folder == -ENOENT ? 0 : folder;
	rc = undo_folder_list(folder, &names);
	if (rc)
		return err_sys(err, -rc, "the folder of undo journals");
	for (size_t i = 0; i < names.n; i++)
		clean_journal(folder, names.v[i], cleaning);
	if (!cleaning->dry)
		undo_folder_remove(place);
	return 0;
}

int undo_clean(bool dry, void (*report)(void *arg, const char *text), void *arg, size_t *left,
	       struct err *err)
{
	struct cleaning cleaning = { .dry = dry, .report = report, .arg = arg };
	int rc = undo_boot_id(cleaning.boot_id, err);

	/* What is mounted and who still lives is in the journals of this boot. */
	for (enum undo_place place = 0; !rc && place < UNDO_PLACES; place++)
		rc = clean_place(place, &cleaning, err);
	if (!rc)
		*left = cleaning.left;
	return rc;
}

static bool is_dead(int folder, const char *name)
{
	int fd = undo_folder_take(folder, name);
	bool dead = fd >= 0 || (fd == -EBUSY && !undo_folder_owner_lives(folder, name));

	close_fd(&fd);
	return dead;
}

static bool has_word(const struct words *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++)
		if (!strcmp(words->v[i], word))
			return true;
	return false;
}

size_t undo_count_dead(void)
{
	auto_words struct words dead = WORDS_INIT; /* a session may have two journals */

	for (enum undo_place place = 0; place < UNDO_PLACES; place++) {
		auto_close int folder = undo_folder_open(place, false, NULL);
		auto_words struct words names = WORDS_INIT;

		if (folder < 0 || undo_folder_list(folder, &names))
			continue;
		for (size_t i = 0; i < names.n; i++)
			if (!has_word(&dead, names.v[i]) && is_dead(folder, names.v[i]))
				words_add(&dead, names.v[i]);
	}
	return dead.n;
}
