// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracers/trace_events.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/xalloc.h"

#define LIST_LIMIT (8u << 20)

int trace_events_check(const char *value, struct err *err)
{
	auto_words struct words words = WORDS_INIT;

	words_split_at(value, '+', &words);
	if (!words.n)
		return err_usage(err, "events= is empty");
	for (size_t i = 0; i < words.n; i++) {
		const char *colon = strchr(words.v[i], ':');

		if (!*words.v[i] || strpbrk(words.v[i], " \t\n/") ||
		    (colon && (colon == words.v[i] || !colon[1] || strchr(colon + 1, ':'))))
			return err_usage(err, "events=%s: '%s' is no SYSTEM, SYSTEM:EVENT or EVENT",
					 value, words.v[i]);
	}
	return 0;
}

static bool matches(const char *pattern, const char *name)
{
	const char *event = strchr(name, ':') + 1;
	auto_free char *system = xstrndup(name, (size_t)(event - 1 - name));

	if (!strcmp(pattern, "all"))
		return true;
	if (strchr(pattern, ':'))
		return fnmatch(pattern, name, 0) == 0;
	return fnmatch(pattern, system, 0) == 0 || fnmatch(pattern, event, 0) == 0;
}

static int read_available(int tracefs, struct words *all, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	int rc = files_read_at(tracefs, "available_events", LIST_LIMIT, &text);
	char *rest, *line;

	if (rc)
		return err_sys(err, -rc, "tracefs: available_events");
	rest = text.s;
	while (rest && (line = strsep(&rest, "\n")))
		if (strchr(line, ':'))
			words_add(all, line);
	if (!all->n)
		return err_missing(err, "this kernel has no trace events (CONFIG_EVENT_TRACING)");
	return 0;
}

/* Of a word that matches nothing: the nearest system, event or both. */
static int no_match(const char *word, const struct words *all, struct err *err)
{
	auto_words struct words names = WORDS_INIT;
	const char *near;

	for (size_t i = 0; i < all->n; i++) {
		const char *colon = strchr(all->v[i], ':');

		words_add(&names, all->v[i]);
		if (strchr(word, ':'))
			continue;
		words_add(&names, colon + 1);
		words_add_taken(&names, xstrndup(all->v[i], (size_t)(colon - all->v[i])));
	}
	near = words_nearest(word, (const char *const *)names.v, names.n);
	return err_usage(err, "events=: this kernel has no event '%s'%s%s%s", word,
			 near ? "; did you mean '" : " (available_events in tracefs lists them)",
			 near ? near : "", near ? "'?" : "");
}

static bool same_system(const char *a, const char *b)
{
	size_t n = strcspn(a, ":");

	return n == strcspn(b, ":") && !strncmp(a, b, n);
}

/* Events of this system that do not stand with the others. */
static bool comes_again(const struct words *all, size_t first, size_t last)
{
	for (size_t i = 0; i < all->n; i++)
		if ((i < first || i >= last) && same_system(all->v[first], all->v[i]))
			return true;
	return false;
}

/* The kernel looks through all of its events for each name that is written: 700 take .1 s. */
static void make_requests(const struct words *all, const bool *taken, struct words *requests)
{
	size_t first, last, count;

	words_release(requests);
	for (first = 0; first < all->n; first = last) {
		for (last = first, count = 0; last < all->n; last++) {
			if (!same_system(all->v[first], all->v[last]))
				break;
			count += taken[last];
		}
		if (count == last - first && count > 1 && !comes_again(all, first, last)) {
			words_add_taken(requests, xasprintf("%.*s:*",
							    (int)strcspn(all->v[first], ":"),
							    all->v[first]));
			continue;
		}
		for (size_t i = first; i < last; i++)
			if (taken[i])
				words_add(requests, all->v[i]);
	}
}

int trace_events_find(int tracefs, const char *value, struct words *names,
		      struct words *requests, struct err *err)
{
	auto_words struct words words = WORDS_INIT, all = WORDS_INIT;
	auto_free bool *taken = NULL;
	int rc = read_available(tracefs, &all, err);

	if (rc)
		return rc;
	words_split_at(value, '+', &words);
	taken = xcalloc(all.n, sizeof(*taken));
	for (size_t w = 0; w < words.n; w++) {
		bool met = false;

		for (size_t i = 0; i < all.n; i++) {
			if (!matches(words.v[w], all.v[i]))
				continue;
			met = taken[i] = true;
		}
		if (!met)
			return no_match(words.v[w], &all, err);
	}
	words_release(names);
	for (size_t i = 0; i < all.n; i++)
		if (taken[i])
			words_add(names, all.v[i]);
	if (requests)
		make_requests(&all, taken, requests);
	return 0;
}

/* The kernel takes one name a write; O_TRUNC would switch off those before it. */
int trace_events_enable(int tracefs, const struct words *requests, struct err *err)
{
	auto_close int fd = openat(tracefs, "set_event", O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd < 0)
		return err_sys(err, errno, "tracefs: set_event");
	for (size_t i = 0; i < requests->n; i++) {
		auto_free char *line = xasprintf("%s\n", requests->v[i]);

		if (write(fd, line, strlen(line)) < 0)
			return err_sys(err, errno, "switching the event %s on", requests->v[i]);
	}
	return 0;
}

int trace_events_disable(int tracefs)
{
	int fd = openat(tracefs, "set_event", O_WRONLY | O_TRUNC | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

int trace_events_count_enabled(int tracefs, size_t *n, struct err *err)
{
	auto_buf struct buf text = BUF_INIT;
	int rc = files_read_at(tracefs, "set_event", LIST_LIMIT, &text);
	size_t count = 0;

	if (rc)
		return err_sys(err, -rc, "tracefs: set_event");
	for (const char *p = text.len ? text.s : ""; *p; p += strcspn(p, "\n"), p += *p == '\n')
		count += *p != '\n';
	*n = count;
	return 0;
}
