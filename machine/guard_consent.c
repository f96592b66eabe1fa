// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/guard_consent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/json.h"
#include "base/words.h"
#include "base/xalloc.h"
#include "machine/block_device.h"
#include "machine/disk_identity.h"
#include "machine/disk_names.h"
#include "machine/undo_folder.h"

#define SECTOR 512

static void add(struct guard_consent *consent, const struct guard_consented *consented)
{
	GROW(consent->v, consent->n, consent->cap);
	consent->v[consent->n++] = *consented;
}

static int add_device(struct guard_consent *consent, const char *word, struct err *err)
{
	auto_free char *path = block_device_path(word);
	auto_free char *name = NULL;
	struct guard_consented consented = { .id = NULL };
	int rc = block_device_number(path, &consented.number);

	if (rc == -ENOTBLK)
		return err_usage(err, "--destroy %s: it is no block device", word);
	if (rc)
		return err_usage(err, "--destroy %s: %s%s", word, strerror(-rc),
				 strpbrk(word, "+,") ? "; each has a --destroy of its own" : "");
	if (block_device_name(consented.number, &name) == 0) {
		consented.id = disk_identity(name);
		consented.diskseq = disk_identity_diskseq(name);
		consented.size = block_device_value(name, "size", 0) * SECTOR;
	}
	add(consent, &consented);
	return 0;
}

int guard_consent_add(struct guard_consent *consent, const char *word, struct err *err)
{
	auto_words struct words given = WORDS_INIT, names = WORDS_INIT;
	int rc;

	words_add(&given, word);
	rc = disk_names_expand(&given, false, &names, err);
	if (rc)
		return err_context(err, rc, "--destroy");
	for (size_t i = 0; !rc && i < names.n; i++)
		rc = add_device(consent, names.v[i], err);
	return rc;
}

void guard_consent_release(struct guard_consent *consent)
{
	for (size_t i = 0; i < consent->n; i++)
		free(consent->v[i].id);
	free(consent->v);
	*consent = (struct guard_consent)GUARD_CONSENT_INIT;
}

static bool same_id(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* A disk with a name for good may have come back under another number. */
static bool is_device(const struct guard_consented *consented, const struct target_device *device,
		      const char *id)
{
	if (!same_id(consented->id, id) || consented->size != device->size)
		return false;
	return (consented->id && consented->remembered) ||
	       (consented->number == device->number && consented->diskseq == device->diskseq);
}

bool guard_consent_covers(const struct guard_consent *consent, const struct target_device *device,
			  const char *id, bool explicitly)
{
	for (size_t i = 0; consent && i < consent->n; i++)
		if (!(explicitly && consent->v[i].remembered) &&
		    is_device(&consent->v[i], device, id))
			return true;
	return false;
}

json_t *guard_consent_to_json(const struct guard_consent *consent)
{
	const char *machine = disk_identity_machine();
	char boot_id[40], number[32];
	json_t *given, *object;

	if (!consent || !consent->n || !*machine || undo_boot_id(boot_id, NULL))
		return NULL;
	given = json_array();
	for (size_t i = 0; i < consent->n; i++) {
		const struct guard_consented *c = &consent->v[i];

		snprintf(number, sizeof(number), "%u:%u", major(c->number), minor(c->number));
		object = json_pack("{s:o, s:s, s:I, s:I}", "id", json_text(c->id), "number", number,
				   "diskseq", (json_int_t)c->diskseq, "size_bytes",
				   (json_int_t)c->size);
		json_array_append_new(given, object);
	}
	return json_pack("{s:s, s:s, s:o}", "machine", machine, "boot_id", boot_id, "given", given);
}

static bool read_one(const json_t *kept, bool same_boot, struct guard_consented *out)
{
	const char *id = json_get_text(kept, "id", NULL);
	unsigned int numbers[2];

	*out = (struct guard_consented){
		.diskseq = (uint64_t)json_get_int(kept, "diskseq", 0),
		.size = (uint64_t)json_get_int(kept, "size_bytes", 0),
		.remembered = true,
	};
	if (!out->size ||
	    sscanf(json_get_text(kept, "number", ""), "%u:%u", &numbers[0], &numbers[1]) != 2)
		return false;
	out->number = makedev(numbers[0], numbers[1]);
	/* Without diskseq the number may be another disk's by now, in the same boot even. */
	if (!id && (!same_boot || !out->diskseq))
		return false;
	out->id = id ? xstrdup(id) : NULL;
	return true;
}

void guard_consent_remember(struct guard_consent *consent, const json_t *kept)
{
	const char *machine = disk_identity_machine();
	struct guard_consented consented;
	const json_t *object;
	char boot_id[40];
	bool same_boot;
	size_t i;

	if (!*machine || strcmp(json_get_text(kept, "machine", ""), machine) != 0)
		return;
	same_boot = undo_boot_id(boot_id, NULL) == 0 &&
		    !strcmp(json_get_text(kept, "boot_id", ""), boot_id);
	json_array_foreach(json_object_get(kept, "given"), i, object)
		if (read_one(object, same_boot, &consented))
			add(consent, &consented);
}
