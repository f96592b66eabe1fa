// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_UNDO_H
#define BRUNT_MACHINE_UNDO_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * The journal of what the kernel does not undo by itself when we are killed. A session has one
 * file, /run/brunt/SESSION.journal (for users other than root $XDG_RUNTIME_DIR/brunt or
 * /tmp/brunt-UID), and where it changes what a reboot leaves as it is, a second one in
 * /var/lib/brunt, synced line by line. Each has an flock that the living owner holds. A line says
 * what is about to be changed, before it is; another one what became of it. Whoever finds the file
 * unlocked knows that its owner is dead and undoes what is open in it, last first. Forked children
 * hold the lock, too: nothing is undone beside one that is still dying.
 *
 * Lines are JSON: {"owner":PID,"start_ticks":...}, then
 * {"id":1,"kind":"tracefs","boot_id":...,"path":...,"old":...,"new":...}, {"note":1,"inode":...} and
 * {"undone":1}. Each write is one write(2). That in /run is synced to
 * nothing: /run is memory, and what it describes does not outlive the kernel either.
 */
struct undo;

/* Makes the journal; session is its name. The undo belongs to the caller: undo_close(). */
int undo_open(const char *session, struct undo **out, struct err *err);

/* The folder of journals of this user; belongs to the caller. */
char *undo_folder(void);

/*
 * Says that a change of this kind is about to be made. details becomes part of the line and is
 * taken over (also on failure). *id names the entry. NULL, which json_pack() returns for text
 * that is no UTF-8, is -EILSEQ: what the journal cannot say must not be changed.
 */
int undo_intend(struct undo *undo, const char *kind, json_t *details, unsigned int *id,
		struct err *err);

/* Adds what became known only afterwards (a number, an inode) to entry id; takes details over. */
int undo_note(struct undo *undo, unsigned int id, json_t *details, struct err *err);

/* The change of entry id was taken back (or never made). */
void undo_undone(struct undo *undo, unsigned int id);

/* How many changes are not taken back yet. */
size_t undo_count_open(const struct undo *undo);

/*
 * Closes; removes the file when no entry is open, and the folder when it is empty then. What is
 * still open is left to undo_clean(). NULL is fine.
 */
void undo_close(struct undo *undo);

/* A kind of change and how it is taken back; the table stands in undo_kinds.c. */
struct undo_kind {
	const char *name;
	/*
	 * Takes the change back if it is still ours: identity is checked first, a value is
	 * restored only if it still is what we set. 0 also where nothing is left to do.
	 * *did gets text for the user where something was done ("loop9 removed"), to be freed.
	 * dry: say what would be done and do nothing.
	 */
	int (*undo)(const json_t *entry, bool dry, char **did, struct err *err);
	bool any_order; /* neighbours of the kind may be undone at once, by several threads */
	bool outlives_boot; /* a file: still there after a reboot, which undoes all the others */
	bool on_disk;	    /* its journal must outlive the boot, too */
};
extern const struct undo_kind undo_kinds[]; /* ended by a NULL name */

/*
 * Undoes what dead sessions left. Journals of living ones are not touched. *left counts what
 * could not be undone; report is told why, and that stays in the journal for the next try.
 */
int undo_clean(bool dry, void (*report)(void *arg, const char *text), void *arg, size_t *left,
	       struct err *err);

/* Dead sessions' journals on this machine: what `run` warns of. */
size_t undo_count_dead(void);

#endif
