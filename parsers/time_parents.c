// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/time_reader.h"

int time_parents_add(struct time_parents *parents, struct slice parent)
{
	size_t more = parents->cap ? 2 * parents->cap : 8;
	struct slice *grown;

	if (parents->n == parents->cap) {
		grown = reallocarray(parents->v, more, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		parents->v = grown;
		parents->cap = more;
	}
	if (parents->n && parents->v[parents->n - 1].s != parent.s)
		parents->several = true;
	parents->v[parents->n++] = parent;
	return 0;
}

static int put_in_front(struct parsed_record *record, const char *part, size_t len)
{
	size_t old = strlen(record->label);
	char *label = malloc(len + 2 + old + 1);

	if (!label)
		return -ENOMEM;
	memcpy(label, part, len);
	memcpy(label + len, ": ", 2);
	memcpy(label + len + 2, record->label, old + 1);
	if (!old)
		label[len] = '\0';
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)label[i] < ' ')
			label[i] = ' ';
	free(record->label);
	record->label = label;
	return 0;
}

int time_parents_apply(const struct time_parents *parents, struct parsed *out)
{
	char part[TIME_LABEL_PART];
	size_t len;

	for (size_t i = 0; parents->several && i < parents->n; i++) {
		len = time_label_part(parents->v[i], part);
		if (len && put_in_front(&out->records[parents->first + i], part, len))
			return -ENOMEM;
	}
	return 0;
}

void time_parents_release(struct time_parents *parents)
{
	free(parents->v);
	memset(parents, 0, sizeof(*parents));
}
