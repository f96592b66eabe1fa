// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The tables of versions 2 and 3, by the words above their columns. Those do not stand over the
 * figures, are wrapped by mail programs and have other columns in front where somebody edited
 * them; but their order is fixed.
 */
#include <string.h>

#include "parsers/lmbench.h"

#define LOWER "us", PARSED_LOWER

static const struct lmbench_table tables[] = {
	{ "Description Mhz tlb cache mem scal", "pages line par load bytes", "",
	  PARSED_NO_DIRECTION, false, true, "systems", { { 0 } } },
	{ "Description Mhz", "", "", PARSED_NO_DIRECTION, false, true, "systems", { { 0 } } },
	{ "null null open slct|selct sig sig fork exec sh",
	  "call I/O stat clos|close TCP inst hndl proc proc proc", LOWER, true, false, "processes",
	  { { "null_call", { 4 } }, { "null_io", { 4 } }, { "stat", { 4 } },
	    { "open_close", { 4 } }, { "select_tcp", { 4, 5 } }, { "sig_inst", { 4 } },
	    { "sig_hndl", { 4 } }, { "fork", { 4 } }, { "exec", { 4 } }, { "sh", { 4 } } } },
	{ "intgr intgr intgr intgr intgr", "bit add mul div mod", "ns", PARSED_LOWER, false, false,
	  "integer",
	  { { "int.bit", { 6 } }, { "int.add", { 6 } }, { "int.mul", { 6 } },
	    { "int.div", { 6 } }, { "int.mod", { 6 } } } },
	{ "int64 int64 int64 int64 int64", "bit add mul div mod", "ns", PARSED_LOWER, false, false,
	  "int64",
	  { { "int64.bit", { 6 } }, { "int64.add", { 6 } }, { "int64.mul", { 6 } },
	    { "int64.div", { 6 } }, { "int64.mod", { 6 } } } },
	{ "float float float float", "add mul div bogo", "ns", PARSED_LOWER, false, false, "float",
	  { { "float.add", { 6 } }, { "float.mul", { 6 } }, { "float.div", { 6 } },
	    { "float.bogo", { 6 } } } },
	{ "double double double double", "add mul div bogo", "ns", PARSED_LOWER, false, false,
	  "double",
	  { { "double.add", { 6 } }, { "double.mul", { 6 } }, { "double.div", { 6 } },
	    { "double.bogo", { 6 } } } },
	{ "2p/0K 2p/16K 2p/64K 8p/16K 8p/64K 16p/16K 16p/64K",
	  "ctxsw ctxsw ctxsw ctxsw ctxsw ctxsw ctxsw", LOWER, true, false, "contexts",
	  { { "ctx.2p.0k", { 6, 5 } }, { "ctx.2p.16k", { 6 } }, { "ctx.2p.64k", { 6 } },
	    { "ctx.8p.16k", { 6 } }, { "ctx.8p.64k", { 6 } }, { "ctx.16p.16k", { 7 } },
	    { "ctx.16p.64k", { 7 } } } },
	{ "2p/0K Pipe AF UDP RPC/ TCP RPC/ TCP", "ctxsw UNIX UDP TCP conn", LOWER, true, false,
	  "local",
	  { { "ctx.2p.0k", { 5 } }, { "pipe.lat", { 5 } }, { "unix.lat", { 4 } },
	    { "udp.lat", { 5 } }, { "rpc_udp.lat", { 5 } }, { "tcp.lat", { 5 } },
	    { "rpc_tcp.lat", { 5 } }, { "tcp_conn", { 4 } } } },
	{ "UDP RPC/ TCP RPC/ TCP", "UDP TCP conn", LOWER, true, false, "remote",
	  { { "remote.udp.lat", { 5 } }, { "remote.rpc_udp.lat", { 5 } },
	    { "remote.tcp.lat", { 5 } }, { "remote.rpc_tcp.lat", { 5 } },
	    { "remote.tcp_conn", { 4 } } } },
	{ "0K File 10K File Mmap Prot Page 100fd",
	  "Create Delete Create Delete Latency Fault Fault selct", LOWER, true, false, "files",
	  { { "create.0k", { 6 } }, { "delete.0k", { 6 } }, { "create.10k", { 6 } },
	    { "delete.10k", { 6 } }, { "mmap.lat", { 7 } }, { "prot_fault", { 5 } },
	    { "page_fault", { 7 } }, { "select", { 5 } } } },
	{ "0K File 10K File Mmap Prot Page", "Create Delete Create Delete Latency Fault Fault",
	  LOWER, true, false, "files",
	  { { "create.0k", { 6 } }, { "delete.0k", { 6 } }, { "create.10k", { 6 } },
	    { "delete.10k", { 6 } }, { "mmap.lat", { 7, 8 } }, { "prot_fault", { 5 } },
	    { "page_fault", { 7 } } } },
	{ "Pipe AF TCP File Mmap Bcopy Bcopy Mem Mem",
	  "UNIX reread reread (libc) (hand) read write", "MB/s", PARSED_HIGHER, true, false,
	  "bandwidths",
	  { { "pipe.bw", { 4 } }, { "unix.bw", { 4 } }, { "tcp.bw", { 4 } },
	    { "file_reread.bw", { 6 } }, { "mmap_reread.bw", { 6 } }, { "bcopy_libc.bw", { 6 } },
	    { "bcopy_hand.bw", { 6 } }, { "mem_read.bw", { 4 } }, { "mem_write.bw", { 5 } } } },
	{ "L1 $ L2 $ Main mem Rand mem", "", "ns", PARSED_LOWER, true, false, "memory",
	  { { "l1.lat", { 6 } }, { "l2.lat", { 6 } }, { "main.lat", { 6 } },
	    { "rand.lat", { 11 } } } },
	{ "L1 $ L2 $ Main mem", "", "ns", PARSED_LOWER, true, false, "memory",
	  { { "l1.lat", { 6, 5 } }, { "l2.lat", { 6 } }, { "main.lat", { 6 } } } },
};

enum { MOST_WORDS = 160 };

/* Of many words at least the last half. */
struct words {
	struct slice v[MOST_WORDS];
	size_t line[MOST_WORDS];
	size_t n;
};

static void add_words(struct words *words, struct slice text, size_t line)
{
	struct slice word;

	while ((word = slice_next_word(&text)).len) {
		if (words->n == MOST_WORDS) {
			words->n /= 2;
			memcpy(words->v, words->v + words->n, words->n * sizeof(words->v[0]));
			memcpy(words->line, words->line + words->n,
			       words->n * sizeof(words->line[0]));
		}
		words->v[words->n] = word;
		words->line[words->n++] = line;
	}
}

void lmbench_above_add(struct lmbench_above *above, struct slice text, size_t line)
{
	size_t at = above->n++ % LMBENCH_LINES;

	above->text[at] = text;
	above->line[at] = line;
}

static void words_above(const struct lmbench_above *above, struct words *out)
{
	size_t first = above->n < LMBENCH_LINES ? 0 : above->n - LMBENCH_LINES;

	out->n = 0;
	for (size_t i = first; i < above->n; i++)
		add_words(out, above->text[i % LMBENCH_LINES], above->line[i % LMBENCH_LINES]);
}

/* The name is "a" or "a|b". */
static bool is_name(struct slice word, struct slice name)
{
	const char *bar = slice_find(name, "|");
	struct slice first = bar ? slice_until(name, bar) : name;
	struct slice second = bar ? slice_from(name, bar + 1) : name;

	return (word.len == first.len && !memcmp(word.s, first.s, word.len)) ||
	       (word.len == second.len && !memcmp(word.s, second.s, word.len));
}

/* Takes names off the end of the words. False: they end in something else. */
static bool take_names(const struct words *words, size_t *end, const char *names)
{
	struct slice rest = { names, strlen(names) }, name;
	size_t at = *end;

	while ((name = slice_last_word(&rest)).len) {
		if (!at || !is_name(words->v[at - 1], name))
			return false;
		at--;
	}
	*end = at;
	return true;
}

static bool is_mhz(struct slice word)
{
	return slice_is_nocase(word, "MHz");
}

/* What stands before the columns of figures, if it can be the name of one. */
static bool add_front(struct lmbench_head *head, struct slice word)
{
	char first = word.len ? (char)(word.s[0] | 0x20) : ' ';

	if (slice_is_nocase(word, "Host"))
		head->host = true;
	else if (slice_is(word, "OS"))
		head->os = true;
	else if (is_mhz(word))
		head->mhz = true;
	else if (first < 'a' || first > 'z')
		return false; /* a line's number, a mark: then rows have them too */
	else
		head->others++;
	return true;
}

static bool match(const struct words *words, const struct lmbench_table *table,
		  struct lmbench_head *out)
{
	enum { MOST_BETWEEN = 3 };
	size_t end = words->n, between, first;

	*out = (struct lmbench_head){ .table = table };
	if (!*table->second && end && slice_is(words->v[end - 1], "Guesses"))
		end--;
	if (!take_names(words, &end, table->second))
		return false;
	for (between = 0; between <= MOST_BETWEEN && between <= end; between++) {
		first = end - between;
		if (take_names(words, &first, table->first))
			break;
	}
	if (between > MOST_BETWEEN || between > end || (between && !*table->second))
		return false;
	for (size_t i = 0; i < between; i++)
		if (!add_front(out, words->v[end - between + i]))
			return false;
	for (size_t i = first; i-- > 0 && words->line[i] == words->line[first];)
		if (!add_front(out, words->v[i]))
			return false;
	while (out->ncolumns < LMBENCH_COLUMNS && table->columns[out->ncolumns].metric)
		out->ncolumns++;
	return true;
}

/* What the names of columns end in: most lines of a text can be left alone. */
static bool ends_names(struct slice word)
{
	static const char *const last[] = { "bytes", "Mhz",	"MHz",	 "proc",  "mod",
					    "bogo",  "ctxsw",	"conn",	 "selct", "Fault",
					    "write", "mem",	"Guesses" };

	for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++)
		if (slice_is(word, last[i]))
			return true;
	return false;
}

bool lmbench_head_find(const struct lmbench_above *above, struct lmbench_head *out)
{
	struct slice last;
	struct words words;

	if (!above->n)
		return false;
	last = above->text[(above->n - 1) % LMBENCH_LINES];
	if (!ends_names(slice_last_word(&last)))
		return false;
	words_above(above, &words);
	if (words.n < 2)
		return false;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (match(&words, &tables[i], out))
			return true;
	return false;
}

void lmbench_head_ruler(struct lmbench_head *head, struct slice body)
{
	enum { MOST = LMBENCH_COLUMNS + 6 };
	size_t ends[MOST], widths[MOST], n = 0, front;

	for (size_t i = 0, start; i < body.len; i++) {
		if (body.s[i] != '-')
			continue;
		for (start = i; i < body.len && body.s[i] == '-'; i++)
			;
		if (n == MOST)
			return;
		ends[n] = i;
		widths[n++] = i - start;
	}
	front = head->host + head->os + head->mhz + head->others;
	/* one more: the column of guesses, which holds no figures */
	if (n != front + head->ncolumns && n != front + head->ncolumns + !*head->table->second)
		return;
	head->ruled = true;
	for (size_t i = 0; i < head->ncolumns; i++) {
		head->ruler.ends[i] = ends[front + i];
		head->ruler.widths[i] = widths[front + i];
	}
}
