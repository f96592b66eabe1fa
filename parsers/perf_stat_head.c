// SPDX-License-Identifier: GPL-3.0-or-later
/* What perf stat measured, how often, and that it failed. */
#include <errno.h>
#include <string.h>

#include "parsers/perf_stat_reader.h"

/* A count at the head of text. */
static bool read_count(struct slice text, size_t *out)
{
	struct slice digits = text;
	double count;

	for (digits.len = 0;
	     digits.len < text.len && text.s[digits.len] >= '0' && text.s[digits.len] <= '9';)
		digits.len++;
	if (!slice_count(digits, &count) || count < 1 || count > 1e9)
		return false;
	*out = (size_t)count;
	return true;
}

/* Its ':' stands behind the command. */
static bool has_end(struct slice text)
{
	const char *quote = text.len ? memrchr(text.s, '\'', text.len) : NULL;

	return slice_has(quote ? slice_from(text, quote) : text, ':');
}

/* "Performance counter stats for 'make -j32' (3 runs):" */
static int read_stats_for(struct perf_reader *reader, struct slice text)
{
	static const char head[] = "Performance counter stats for ";
	const char *at = slice_find(text, head), *open;
	struct slice what, number;
	int rc;

	if (!at)
		return 0;
	rc = perf_end_record(reader);
	what = slice_trim(slice_from(text, at + strlen(head)));
	reader->n = 0;
	reader->repeated = !has_end(what); /* cut off: there may have been "(3 runs)" */
	if (slice_ends(what, ":"))
		what.len--;
	open = slice_ends(what, " runs)") ? memrchr(what.s, '(', what.len) : NULL;
	if (open) {
		number = slice_from(what, open + 1);
		reader->repeated = read_count(number, &reader->n);
		what = slice_trim(slice_until(what, open));
	}
	if (what.len > 1 && what.s[0] == '\'' && what.s[what.len - 1] == '\'')
		what = (struct slice){ what.s + 1, what.len - 2 };
	reader->command = what;
	reader->in_block = true;
	return rc ? rc : 1;
}

/* The number of "-r 5", "-r5", "--repeat 5", "--repeat=5", "-nr 5"; 0: it is no such option. */
static size_t repeats_of(struct slice word, struct slice rest)
{
	static const char *const heads[] = { "--repeat=", "--repeat", "-r" };
	size_t n;

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		if (!slice_starts(word, heads[i]))
			continue;
		word = slice_from(word, word.s + strlen(heads[i]));
		if (!word.len)
			word = slice_next_word(&rest);
		return read_count(word, &n) ? n : 0;
	}
	return 0;
}

/* Is this what stands before a command, and not the beginning of a sentence? */
static bool is_prompt(struct slice text)
{
	struct slice word;

	while ((word = slice_last_word(&text)).len)
		if (!strchr("#$%>/", word.s[word.len - 1]) && !memchr(word.s, '=', word.len) &&
		    !slice_is(word, "sudo") && !slice_is(word, "nice"))
			return false;
	return true;
}

/* "# perf stat -r 10 --null -- umount /mnt", as people show what they did. */
static int read_command(struct perf_reader *reader, struct slice text)
{
	const char *at = slice_find(text, "perf stat "), *dashes;
	struct slice rest, word;
	size_t n = 0;
	int rc;

	if (!at || !is_prompt(slice_until(text, at)))
		return 0;
	rc = perf_end_record(reader);
	rest = slice_from(text, at + strlen("perf stat "));
	dashes = slice_find(rest, " -- ");
	reader->command = (struct slice){ 0 };
	if (dashes) {
		reader->command = slice_trim(slice_from(rest, dashes + 4));
		rest = slice_until(rest, dashes);
	}
	while (!n && (word = slice_next_word(&rest)).len)
		n = repeats_of(word, rest);
	reader->n = n;
	reader->repeated = n > 0;
	reader->in_command = !dashes;
	return rc ? rc : 1;
}

/* "-- make" on the line below, where a terminal or a mail has wrapped it. */
static bool ends_command(struct perf_reader *reader, struct slice text)
{
	if (!reader->in_command || !slice_starts(text, "-- "))
		return false;
	reader->command = slice_trim(slice_from(text, text.s + 3));
	return true;
}

/* What the shell, or perf in its place, says of a command that a signal ended. */
static bool says_failed(struct slice text)
{
	static const char *const ends[] = { ": Killed",	    ": Interrupt",
					    ": Terminated", ": Aborted",
					    ": Bus error",  ": Segmentation fault",
					    ": Hangup",	    ": Floating point exception" };

	if (slice_starts(text, "Workload failed: ") || slice_starts(text, "failed to read counter"))
		return true;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (slice_ends(text, ends[i]))
			return true;
	return false;
}

int perf_head_line(struct perf_reader *reader, struct slice body)
{
	struct slice text = slice_trim(body);
	bool wrapped = ends_command(reader, text);
	int rc;

	reader->in_command = false;
	if (wrapped)
		return 1;
	rc = read_stats_for(reader, text);
	if (!rc)
		rc = read_command(reader, text);
	if (!rc && slice_starts(text, "# started on ")) {
		rc = perf_end_record(reader);
		return rc ? rc : 1;
	}
	if (!rc && says_failed(text)) {
		rc = perf_end_record(reader);
		reader->failure = text;
		reader->failure.len = text.len < 200 ? text.len : 200;
		return rc ? rc : 1;
	}
	return rc;
}
