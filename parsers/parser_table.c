// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/parser.h"

#define PARSER(name) extern const struct parser parser_##name;
#include "parsers/parsers.def"
#undef PARSER

const struct parser *const parsers[] = {
#define PARSER(name) &parser_##name,
#include "parsers/parsers.def"
#undef PARSER
	NULL,
};

const struct parser *parser_find(const char *name)
{
	for (const struct parser *const *p = parsers; *p; p++)
		if (!strcmp((*p)->name, name))
			return *p;
	return NULL;
}

static void release_value(struct parsed_value *value)
{
	free(value->metric);
	free(value->unit);
	free(value->text);
	free(value->note);
	free(value->spread_text);
}

void parsed_record_release(struct parsed_record *record)
{
	for (size_t i = 0; i < record->n; i++)
		release_value(&record->values[i]);
	for (size_t i = 0; i < record->npoint; i++) {
		free(record->point[i].key);
		free(record->point[i].value);
	}
	free(record->values);
	free(record->point);
	free(record->label);
	free(record->config);
	free(record->workload);
	free(record->host);
	free(record->reason);
	free(record->session);
	free(record->boot_id);
	free(record->aa_of);
}

void parsed_release(struct parsed *parsed)
{
	for (size_t i = 0; i < parsed->n; i++)
		parsed_record_release(&parsed->records[i]);
	for (size_t i = 0; i < parsed->nnotes; i++)
		free(parsed->notes[i].text);
	free(parsed->records);
	free(parsed->notes);
	*parsed = (struct parsed){ 0 };
}

/* Room for one more element of an array that grows by doubling; -ENOMEM. */
static int make_room(void **array, size_t n, size_t *cap, size_t first, size_t size)
{
	size_t more = *cap ? 2 * *cap : first;
	void *grown;

	if (n < *cap)
		return 0;
	grown = reallocarray(*array, more, size);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*cap = more;
	return 0;
}

/* Bytes of a text that is not ours: those below a blank would end or bend a line of output. */
static char *copy_text(const char *s, size_t len)
{
	char *copy = malloc(len + 1);

	if (!copy)
		return NULL;
	for (size_t i = 0; i < len; i++)
		copy[i] = (unsigned char)s[i] < ' ' || s[i] == 0x7f ? ' ' : s[i];
	copy[len] = '\0';
	return copy;
}

struct parsed_record *parsed_add_record(struct parsed *out, const char *label, size_t len)
{
	void *array = out->records;
	struct parsed_record record = { 0 };

	errno = out->n >= PARSED_MAX_RECORDS ? E2BIG : ENOMEM;
	if (errno == E2BIG || make_room(&array, out->n, &out->cap, 8, sizeof(record)))
		return NULL;
	out->records = array;
	record.label = copy_text(label, len);
	if (!record.label) {
		errno = ENOMEM;
		return NULL;
	}
	out->records[out->n] = record;
	return &out->records[out->n++];
}

int parsed_add_value(struct parsed_record *record, const char *metric, const char *unit,
		     double value, double half_step, const char *text, size_t len, size_t line,
		     size_t column)
{
	struct parsed_value added = {
		.metric = strdup(metric),
		.unit = strdup(unit),
		.value = value,
		.half_step = half_step,
		.text = copy_text(text, len),
		.line = line,
		.column = column,
		.spread = NAN,
	};
	void *array = record->values;

	if (record->n >= PARSED_MAX_VALUES) {
		release_value(&added);
		return -E2BIG;
	}
	if (!added.metric || !added.unit || !added.text ||
	    make_room(&array, record->n, &record->cap, 4, sizeof(added))) {
		release_value(&added);
		return -ENOMEM;
	}
	record->values = array;
	record->values[record->n++] = added;
	if (!record->line)
		record->line = line;
	return 0;
}

struct parsed_value *parsed_last_value(struct parsed_record *record)
{
	return &record->values[record->n - 1];
}

int parsed_set_text(char **member, const char *s, size_t len)
{
	char *copy = copy_text(s, len);

	if (!copy)
		return -ENOMEM;
	free(*member);
	*member = copy;
	return 0;
}

int parsed_set_summary(struct parsed_record *record, size_t n, enum parsed_spread kind,
		       double spread, double spread_half_step, const char *text, size_t len)
{
	struct parsed_value *value = parsed_last_value(record);

	value->summary = true;
	value->n = n;
	value->spread_kind = kind;
	value->spread = spread;
	value->spread_half_step = spread_half_step;
	return text ? parsed_set_text(&value->spread_text, text, len) : 0;
}

int parsed_fail(struct parsed_record *record, const char *reason, size_t len)
{
	record->failed = true;
	return parsed_set_text(&record->reason, reason, len);
}

int parsed_add_point(struct parsed_record *record, const char *key, const char *value, size_t len)
{
	struct parsed_key added = { strdup(key), copy_text(value, len) };
	void *array = record->point;

	if (!added.key || !added.value ||
	    make_room(&array, record->npoint, &record->point_cap, 2, sizeof(added))) {
		free(added.key);
		free(added.value);
		return -ENOMEM;
	}
	record->point = array;
	record->point[record->npoint++] = added;
	return 0;
}

int parsed_add_note(struct parsed *out, size_t line, size_t column, const char *fmt, ...)
{
	struct parsed_note note = { .line = line, .column = column };
	void *array = out->notes;
	va_list args;
	int n;

	if (out->nnotes >= PARSED_MAX_NOTES)
		return -E2BIG;
	if (make_room(&array, out->nnotes, &out->notes_cap, 8, sizeof(note)))
		return -ENOMEM;
	out->notes = array;
	va_start(args, fmt);
	n = vasprintf(&note.text, fmt, args);
	va_end(args);
	if (n < 0)
		return -ENOMEM;
	out->notes[out->nnotes++] = note;
	return 0;
}

int parsed_error(struct err *err, int error, size_t line)
{
	if (error < 0)
		error = -error;
	if (error != E2BIG)
		return err_set(err, ENOMEM, "out of memory while the text was read");
	if (!line)
		return err_set(err, E2BIG, "more in one text than %d results, %d figures of one "
					   "or %d notes", PARSED_MAX_RECORDS, PARSED_MAX_VALUES,
			       PARSED_MAX_NOTES);
	return err_set(err, E2BIG, "line %zu: more in one text than %d results, %d figures of one "
				   "or %d notes", line, PARSED_MAX_RECORDS, PARSED_MAX_VALUES,
		       PARSED_MAX_NOTES);
}
