// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_GUARD_CONSENT_H
#define BRUNT_MACHINE_GUARD_CONSENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "machine/target.h"

/*
 * What the user said with --destroy: devices as they were then, each by what names it for good
 * (machine/disk_identity.h), or, where nothing does, by number and diskseq, which hold for one
 * boot. A session keeps that, so that the next one of the same set on the same machine need not
 * ask again. With --overwrite what is on the devices may be lost as well; that is never kept.
 */
struct guard_consent {
	struct guard_consented {
		char *id;	   /* NULL: none */
		dev_t number;
		uint64_t diskseq;  /* 0: the kernel has none */
		uint64_t size;	   /* bytes */
		bool remembered;   /* from a session before: good for no --overwrite */
	} *v;
	size_t n, cap;
	bool overwrite;
};

#define GUARD_CONSENT_INIT { NULL, 0, 0, false }

/* As disk_names_expand() takes it, no patterns. A usage error where that is no block device. */
int guard_consent_add(struct guard_consent *consent, const char *word, struct err *err);
void guard_consent_release(struct guard_consent *consent);

/* May this device go? explicitly: the user said so at this start. id may be NULL. */
bool guard_consent_covers(const struct guard_consent *consent, const struct target_device *device,
			  const char *id, bool explicitly);

/*
 * {"machine", "boot_id", "given": [{"id", "number", "diskseq", "size_bytes"}]} for a session's
 * file, NULL where nothing was given away or this machine has no id of its own.
 */
json_t *guard_consent_to_json(const struct guard_consent *consent);

/*
 * Adds what a session kept that still holds: on this machine, and for what nothing names for good
 * in this boot only. Anything else is left out without a word: then the guard asks again.
 */
void guard_consent_remember(struct guard_consent *consent, const json_t *kept);

#endif
