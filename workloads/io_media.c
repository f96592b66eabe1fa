// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/io_media.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/fork_each.h"
#include "base/json.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/disk_names.h"
#include "machine/guard_read.h"
#include "workloads/io_fill.h"
#include "workloads/media.h"

struct extent {
	uint64_t from, to; /* to 0: nothing */
};

struct io_media_own {
	struct io_media_own *next;
	char *text;
	bool read_only;
	unsigned int users;
	struct device_spec spec;
	struct media media;	 /* unless read_only and named */
	struct guarded *guarded; /* else */
	struct target_device *devices;
	size_t count;
	struct extent *filled; /* by device */
	bool marked;	       /* the user's disks bear the session's mark */
};

static struct io_media_own *held;

static bool is_read_only(const struct io_options *options)
{
	return options->devices.names.n && !io_options_destroy(options);
}

static struct io_media_own *find_held(const char *text, bool read_only)
{
	for (struct io_media_own *own = held; own; own = own->next)
		if (own->read_only == read_only && !strcmp(own->text, text))
			return own;
	return NULL;
}

const char *io_media_folder(const struct io_media *media)
{
	return media->own ? media->own->spec.folder : NULL;
}

bool io_media_is_held(const char *text, const struct io_options *options)
{
	return find_held(text, is_read_only(options));
}

static int take_for_reading(struct io_media_own *own, struct err *err)
{
	auto_words struct words names = WORDS_INIT;
	struct guarded *guarded;
	int rc = disk_names_expand(&own->spec.names, true, &names, err);

	if (rc)
		return rc;
	guarded = xcalloc(names.n, sizeof(*guarded));
	rc = guard_read_devices(&names, guarded, NULL, err);
	if (rc) {
		free(guarded);
		return rc;
	}
	own->guarded = guarded;
	own->count = names.n;
	own->devices = xcalloc(own->count, sizeof(*own->devices));
	for (size_t i = 0; i < own->count; i++)
		own->devices[i] = guarded[i].device;
	return 0;
}

static void drop(struct io_media_own *own)
{
	struct io_media_own **at = &held;

	if (own->guarded) {
		for (size_t i = 0; i < own->count; i++)
			guarded_release(&own->guarded[i]);
		free(own->guarded);
		free(own->devices);
	} else if (own->count) {
		media_release(&own->media);
	}
	while (*at && *at != own)
		at = &(*at)->next;
	if (*at)
		*at = own->next;
	device_spec_release(&own->spec);
	free(own->filled);
	free(own->text);
	free(own);
}

static int make(struct io_media_own *own, const struct io_options *options,
		const struct workload_site *site, struct err *err)
{
	int rc = device_spec_parse(own->text, &own->spec, err);

	if (rc)
		return rc;
	own->spec.shared_ok = options->devices.shared_ok;
	own->spec.leave = options->devices.leave;
	own->spec.reset = options->devices.reset;
	if (own->read_only)
		return take_for_reading(own, err);
	rc = media_make(&own->media, &own->spec, site, err);
	if (!rc)
		own->count = own->media.count;
	return rc;
}

int io_media_take(struct io_media *media, const char *text, const struct io_options *options,
		  const struct workload_site *site, struct err *err)
{
	struct io_media_own *own = find_held(text, is_read_only(options));
	int rc;

	if (!own) {
		own = xcalloc(1, sizeof(*own));
		own->text = xstrdup(text);
		own->read_only = is_read_only(options);
		rc = make(own, options, site, err);
		if (rc) {
			drop(own);
			return rc;
		}
		own->filled = xcalloc(own->count, sizeof(*own->filled));
		own->next = held;
		held = own;
	}
	own->users++;
	*media = (struct io_media){
		.devices = own->guarded ? own->devices : own->media.devices,
		.count = own->count,
		.named = own->guarded || own->media.named,
		.read_only = own->read_only,
		.own = own,
	};
	return 0;
}

void io_media_release(struct io_media *media)
{
	if (media->own && !--media->own->users)
		drop(media->own);
	*media = (struct io_media){ 0 };
}

static bool is_full(const struct io_media_own *own, size_t i, const struct io_pattern_spec *range)
{
	return own->filled[i].to && own->filled[i].from <= range->offset &&
	       own->filled[i].to >= range->offset + range->size;
}

/* How much more of the device holds something once the range is filled. */
static uint64_t missing(const struct io_media_own *own, size_t i,
			const struct io_pattern_spec *range)
{
	const struct extent *filled = &own->filled[i];
	uint64_t end = range->offset + range->size;
	uint64_t from = filled->from > range->offset ? filled->from : range->offset;
	uint64_t to = filled->to < end ? filled->to : end;

	return range->size - (to > from ? to - from : 0);
}

/* What touches is one extent from then on; of two apart the newer one is known. */
static void note_filled(struct extent *filled, const struct io_fill *fill)
{
	uint64_t from = fill->offset, to = fill->offset + fill->size;

	if (filled->to && from <= filled->to && to >= filled->from) {
		from = filled->from < from ? filled->from : from;
		to = filled->to > to ? filled->to : to;
	}
	*filled = (struct extent){ from, to };
}

/* Memory that other storms' devices hold is taken from them when it gets short. */
static int make_room(struct io_media_own *own, uint64_t need_each, struct err *err)
{
	struct err ignored;

	if (own->media.named || !device_spec_check_room(&own->spec, need_each, err))
		return 0;
	for (struct io_media_own *other = held; other; other = other->next) {
		if (other == own || other->guarded || other->media.named)
			continue;
		if (!media_reset(&other->media, &ignored))
			memset(other->filled, 0, other->count * sizeof(*other->filled));
	}
	return device_spec_check_room(&own->spec, need_each, err);
}

static int fill(struct io_media_own *own, const struct io_pattern_spec *ranges, uint64_t *filled,
		struct err *err)
{
	struct io_fill *fills = xcalloc(own->count, sizeof(*fills));
	uint64_t need = 0;
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < own->count; i++) {
		if (is_full(own, i, &ranges[i]))
			continue;
		fills[n++] = (struct io_fill){
			.path = own->media.devices[i].path,
			.offset = ranges[i].offset,
			.size = ranges[i].size,
			.seed = i,
		};
		need = missing(own, i, &ranges[i]) > need ? missing(own, i, &ranges[i]) : need;
		*filled += ranges[i].size;
	}
	if (n)
		rc = make_room(own, need, err);
	if (!rc && n)
		rc = io_fill_all(fills, n, err);
	for (size_t i = 0; !rc && i < n; i++)
		note_filled(&own->filled[fills[i].seed], &fills[i]);
	free(fills);
	return rc;
}

/* Only what the page cache holds for us to find: nothing is flushed, since it is not our disk. */
static void forget_pages(const struct io_media_own *own)
{
	for (size_t i = 0; i < own->count; i++)
		posix_fadvise(own->guarded[i].fd, 0, 0, POSIX_FADV_DONTNEED);
}

int io_media_ready(struct io_media *media, const struct io_options *options,
		   const struct io_pattern_spec *ranges, uint64_t *filled, struct err *err)
{
	struct io_media_own *own = media->own;
	int rc = 0;

	*filled = 0;
	if (options->engine->touches_nothing)
		return 0;
	if (own->guarded) {
		if (!options->direct)
			forget_pages(own);
		return 0;
	}
	if (own->media.named && (!own->marked || own->spec.reset != DISK_RESET_NONE)) {
		rc = media_reset(&own->media, err);
		own->marked = !rc;
		memset(own->filled, 0, own->count * sizeof(*own->filled));
	}
	if (!rc && (options->fill == IO_YES || (options->fill == IO_AUTO && !own->media.named)))
		rc = fill(own, ranges, filled, err);
	if (!rc && *filled)
		rc = media_sync(&own->media, err);
	return rc ? rc : media_flush_cache(&own->media, err);
}

int io_media_empty(struct io_media *media, struct err *err)
{
	struct io_media_own *own = media->own;

	if (own->read_only)
		return err_refused(err, "%s is only to be read", own->text);
	memset(own->filled, 0, own->count * sizeof(*own->filled));
	own->marked = own->media.named;
	return media_reset(&own->media, err);
}

int io_media_settle(struct io_media *media, const struct io_options *options, struct err *err)
{
	struct io_media_own *own = media->own;
	int rc = 0;

	if (own->guarded)
		return 0;
	if (options->writes && !options->direct && !options->fs)
		rc = media_flush_cache(&own->media, err);
	return rc ? rc : media_sync(&own->media, err);
}

json_t *io_media_describe(const struct io_media *media)
{
	struct media for_reading = { .named = true, .devices = media->devices,
				     .count = media->count };

	return media_describe(media->own->guarded ? &for_reading : &media->own->media);
}

void io_media_tell(const struct io_media *media, struct buf *out)
{
	struct media for_reading = { .named = true, .devices = media->devices,
				     .count = media->count };

	media_tell(media->own->guarded ? &for_reading : &media->own->media, out);
}
