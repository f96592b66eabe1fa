// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The raw files of lmbench: a line a figure, blocks of size and value, errors of the programs
 * between them. Of a block the row counts that lmbench's own summary takes: the last one, or that
 * of a size. What the summary computes from two figures or from a rate is computed here, too, and
 * says so, so that a raw file and its summary have the same metrics.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "parsers/lmbench.h"

/* ---- figures in a line ---- */

struct figure {
	const char *head, *tail, *metric;
	bool headline;
};

static const struct figure figures[] = {
	{ "Simple syscall: ", " microseconds", "null_call", true },
	{ "Null syscall: ", " microseconds", "null_call", true },
	{ "Simple read: ", " microseconds", "read", false },
	{ "Simple write: ", " microseconds", "write", false },
	{ "Simple stat: ", " microseconds", "stat", true },
	{ "Simple fstat: ", " microseconds", "fstat", false },
	{ "Simple open/close: ", " microseconds", "open_close", true },
	{ "Select on 100 fd's: ", " microseconds", "select", true },
	{ "Select on 100 tcp fd's: ", " microseconds", "select_tcp", true },
	{ "Signal handler installation: ", " microseconds", "sig_inst", true },
	{ "Signal handler overhead: ", " microseconds", "sig_hndl", true },
	{ "Protection fault: ", " microseconds", "prot_fault", true },
	{ "Pipe latency: ", " microseconds", "pipe.lat", true },
	{ "AF_UNIX sock stream latency: ", " microseconds", "unix.lat", true },
	{ "Process fork+exit: ", " microseconds", "fork", true },
	{ "Process fork+execve: ", " microseconds", "exec", true },
	{ "Process fork+/bin/sh -c: ", " microseconds", "sh", true },
	{ "integer bit: ", " nanoseconds", "int.bit", false },
	{ "integer add: ", " nanoseconds", "int.add", false },
	{ "integer mul: ", " nanoseconds", "int.mul", false },
	{ "integer div: ", " nanoseconds", "int.div", false },
	{ "integer mod: ", " nanoseconds", "int.mod", false },
	{ "int64 bit: ", " nanoseconds", "int64.bit", false },
	{ "int64 add: ", " nanoseconds", "int64.add", false },
	{ "uint64 add: ", " nanoseconds", "int64.add", false },
	{ "int64 mul: ", " nanoseconds", "int64.mul", false },
	{ "int64 div: ", " nanoseconds", "int64.div", false },
	{ "int64 mod: ", " nanoseconds", "int64.mod", false },
	{ "float add: ", " nanoseconds", "float.add", false },
	{ "float mul: ", " nanoseconds", "float.mul", false },
	{ "float div: ", " nanoseconds", "float.div", false },
	{ "float bogomflops: ", " nanoseconds", "float.bogo", false },
	{ "double add: ", " nanoseconds", "double.add", false },
	{ "double mul: ", " nanoseconds", "double.mul", false },
	{ "double div: ", " nanoseconds", "double.div", false },
	{ "double bogomflops: ", " nanoseconds", "double.bogo", false },
	{ "UDP latency using ", " microseconds", "udp.lat", true },
	{ "TCP latency using ", " microseconds", "tcp.lat", true },
	{ "RPC/udp latency using ", " microseconds", "rpc_udp.lat", true },
	{ "RPC/tcp latency using ", " microseconds", "rpc_tcp.lat", true },
	{ "TCP/IP connection cost to ", " microseconds", "tcp_conn", true },
	{ "Pagefaults on ", " microseconds", "page_fault", true },
	{ "AF_UNIX sock stream bandwidth: ", " MB/sec", "unix.bw", true },
	{ "Pipe bandwidth: ", " MB/sec", "pipe.bw", true },
};

static const char *unit_of(const char *tail)
{
	if (!strcmp(tail, " microseconds"))
		return "us";
	return strcmp(tail, " nanoseconds") != 0 ? "MB/s" : "ns";
}

static bool has_metric(const struct parsed_record *record, const char *metric)
{
	for (size_t i = 0; i < record->n; i++)
		if (!strcmp(record->values[i].metric, metric))
			return true;
	return false;
}

static struct parsed_record *record_of(struct lmbench_raw *raw, size_t line)
{
	struct slice label = raw->release;
	struct parsed_record *record;

	if (raw->active)
		return &raw->out->records[raw->out->n - 1];
	record = parsed_add_record(raw->out, label.s ? label.s : "", label.len);
	if (!record) {
		parsed_error(raw->err, errno, line);
		return NULL;
	}
	raw->active = true;
	record->line = line;
	if (raw->host.len && parsed_set_text(&record->host, raw->host.s, raw->host.len)) {
		parsed_error(raw->err, ENOMEM, line);
		return NULL;
	}
	return record;
}

struct found {
	const char *metric, *unit, *note;
	bool headline;
	double value, half_step;
	struct slice text;
	size_t line, column;
};

static int add(struct lmbench_raw *raw, const struct found *found)
{
	struct parsed_record *record = record_of(raw, found->line);
	struct parsed_value *value;
	int rc = 0;

	if (!record)
		return errno == E2BIG ? -E2BIG : -ENOMEM;
	if (has_metric(record, found->metric))
		rc = parsed_add_note(raw->out, found->line, found->column,
				     "%s once more: the first one counts", found->metric);
	else
		rc = parsed_add_value(record, found->metric, found->unit, found->value,
				      found->half_step, found->text.s, found->text.len,
				      found->line, found->column);
	if (rc)
		return parsed_error(raw->err, rc, found->line);
	value = parsed_last_value(record);
	if (strcmp(value->metric, found->metric) != 0)
		return 0;
	value->headline = found->headline;
	value->better = strcmp(found->unit, "MB/s") != 0 ? PARSED_LOWER : PARSED_HIGHER;
	if (found->note && parsed_set_text(&value->note, found->note, strlen(found->note)))
		return parsed_error(raw->err, ENOMEM, found->line);
	return 0;
}

static int take_figure(struct lmbench_raw *raw, const struct figure *figure,
		       const struct line *line, struct slice text)
{
	struct slice rest = text, word;
	struct lmbench_number number;
	int rc;

	rest.len -= strlen(figure->tail);
	word = slice_last_word(&rest);
	if (!lmbench_number_read(word, &number)) {
		rc = parsed_add_note(raw->out, line->number, line_column(line, word.s),
				     "'%.*s' is no number: left out",
				     word.len < 40 ? (int)word.len : 40, word.s);
		return rc ? parsed_error(raw->err, rc, line->number) : 1;
	}
	if (!strcmp(figure->metric, "read")) {
		raw->read = number.value;
		raw->read_half = number.half_step;
	} else if (!strcmp(figure->metric, "write")) {
		raw->write = number.value;
		raw->write_half = number.half_step;
	}
	rc = add(raw, &(struct found){ figure->metric, unit_of(figure->tail), NULL,
				       figure->headline, number.value, number.half_step, word,
				       line->number, line_column(line, word.s) });
	if (!rc && raw->read > 0 && raw->write > 0) {
		rc = add(raw, &(struct found){ "null_io", "us",
					       "the mean of read and write, as in lmbench's table",
					       true, (raw->read + raw->write) / 2,
					       (raw->read_half + raw->write_half) / 2,
					       (struct slice){ word.s, 0 }, line->number,
					       line_column(line, word.s) });
		raw->read = raw->write = 0;
	}
	return rc ? rc : 1;
}

static int read_figure(struct lmbench_raw *raw, const struct line *line, struct slice text)
{
	if (!slice_ends(text, "seconds") && !slice_ends(text, "MB/sec"))
		return 0;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		if (slice_starts(text, figures[i].head) && slice_ends(text, figures[i].tail) &&
		    text.len > strlen(figures[i].head) + strlen(figures[i].tail)) {
			raw->taken++;
			return take_figure(raw, &figures[i], line, text);
		}
	return 0;
}

/* ---- blocks ---- */

enum block_kind { LAST_ROW, CONTEXT, FILES, LATENCY, RANDOM, OF_NO_USE };

#define SOCKETS "Socket bandwidth using "

static const struct block {
	const char *title, *metric, *unit;
	enum block_kind kind;
} blocks[] = {
	{ "mappings", "mmap.lat", "us", LAST_ROW },
	{ SOCKETS, "tcp.bw", "MB/s", LAST_ROW },
	{ "read bandwidth", "file_reread.bw", "MB/s", LAST_ROW },
	{ "Mmap read bandwidth", "mmap_reread.bw", "MB/s", LAST_ROW },
	{ "Mmap read open2close bandwidth", "mmap_open2close.bw", "MB/s", LAST_ROW },
	{ "libc bcopy unaligned", "bcopy_libc.bw", "MB/s", LAST_ROW },
	{ "unrolled bcopy unaligned", "bcopy_hand.bw", "MB/s", LAST_ROW },
	{ "Memory read bandwidth", "mem_read.bw", "MB/s", LAST_ROW },
	{ "Memory write bandwidth", "mem_write.bw", "MB/s", LAST_ROW },
	{ "size=", NULL, "us", CONTEXT },
	{ "File system latency", NULL, "us", FILES },
	{ "Memory load latency", NULL, "ns", LATENCY },
	{ "Random load latency", NULL, "ns", RANDOM },
	{ "read open2close bandwidth", NULL, NULL, OF_NO_USE },
	{ "libc bcopy aligned", NULL, NULL, OF_NO_USE },
	{ "Memory bzero bandwidth", NULL, NULL, OF_NO_USE },
	{ "unrolled partial bcopy unaligned", NULL, NULL, OF_NO_USE },
	{ "Memory partial ", NULL, NULL, OF_NO_USE },
	{ "Memory load parallelism", NULL, NULL, OF_NO_USE },
};

static bool is_headline(const char *metric)
{
	return strcmp(metric, "mmap_open2close.bw") != 0;
}

static int add_row_value(struct lmbench_raw *raw, const char *metric, const char *unit,
			 struct slice word, size_t line, size_t column)
{
	struct lmbench_number number;

	if (!lmbench_number_read(word, &number))
		return 0;
	return add(raw, &(struct found){ metric, unit, NULL, is_headline(metric), number.value,
					 number.half_step, word, line, column });
}

static int note_last(struct lmbench_raw *raw, const char *text)
{
	int rc = parsed_add_note(raw->out, raw->last_line, raw->last_column, "%s", text);

	return rc ? parsed_error(raw->err, rc, raw->last_line) : 0;
}

static bool counts_last(const struct lmbench_raw *raw)
{
	if (raw->block < 0)
		return false;
	switch (blocks[raw->block].kind) {
	case LAST_ROW:
	case RANDOM:
		return true;
	case LATENCY:
		return raw->best;
	case CONTEXT:
	case FILES:
	case OF_NO_USE:
		break;
	}
	return false;
}

/* Behind the row there is no more of the text, or a line that may be half of the next row. */
static bool ends_text(const struct lmbench_raw *raw)
{
	if (!raw->text_end || raw->last_line == raw->text_end)
		return raw->text_end > 0;
	return raw->torn && raw->torn_line == raw->last_line + 1 &&
	       raw->torn_line == raw->text_end;
}

/* Rows of which only the last one counts. */
static int end_block(struct lmbench_raw *raw)
{
	const struct block *block = raw->block < 0 ? NULL : &blocks[raw->block];
	int rc = 0;

	/* the transfer that counts is of 10 MB: before it the program died */
	if (block && raw->last.len && !strcmp(block->title, SOCKETS) && raw->last_size < 1) {
		rc = note_last(raw, "the bandwidth of small transfers only: left out");
		raw->last.len = 0;
	} else if (raw->last.len && counts_last(raw) && ends_text(raw)) {
		rc = note_last(raw, "the text ends with this row, so the one that counts may be "
				    "missing: left out (an empty line behind it says that it is "
				    "the last)");
		raw->last.len = 0;
	}
	if (block && raw->last.len && block->kind == LAST_ROW)
		rc = add_row_value(raw, block->metric, block->unit, raw->last, raw->last_line,
				   raw->last_column);
	if (block && raw->last.len && block->kind == LATENCY && raw->best)
		rc = add_row_value(raw, "main.lat", block->unit, raw->last, raw->last_line,
				   raw->last_column);
	if (block && raw->last.len && block->kind == RANDOM)
		rc = add_row_value(raw, "rand.lat", block->unit, raw->last, raw->last_line,
				   raw->last_column);
	raw->last.len = 0;
	return rc;
}

/* "16k ovr=1.90": the size that the contexts sum up. */
static int begin_contexts(struct lmbench_raw *raw, struct slice text)
{
	struct slice word = slice_next_word(&text);
	double size;

	raw->stride = SIZE_MAX;
	if (word.len > 5 && slice_ends(word, "k") &&
	    slice_count((struct slice){ word.s + 5, word.len - 6 }, &size))
		raw->stride = (size_t)size;
	return 1;
}

static int begin_block(struct lmbench_raw *raw, struct slice text)
{
	bool quoted = text.len && text.s[0] == '"';
	int rc;

	if (quoted)
		text = slice_from(text, text.s + 1);
	if (text.len && text.s[text.len - 1] == '"')
		text.len--;
	if (slice_starts(text, "stride=") && raw->block >= 0 &&
	    (blocks[raw->block].kind == LATENCY || blocks[raw->block].kind == RANDOM)) {
		rc = end_block(raw);
		raw->best = slice_is(text, "stride=128");
		return rc ? rc : 1;
	}
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		bool open;

		if (!text.len || text.s[0] != blocks[i].title[0])
			continue;
		open = blocks[i].kind == CONTEXT || slice_ends((struct slice){
			blocks[i].title, strlen(blocks[i].title) }, " ");
		if (!(open ? slice_starts(text, blocks[i].title) :
			     slice_is(text, blocks[i].title)) ||
		    (blocks[i].kind == CONTEXT && !quoted))
			continue;
		rc = end_block(raw);
		raw->block = (int)i;
		raw->best = raw->torn = false;
		raw->taken++;
		if (blocks[i].kind == CONTEXT)
			begin_contexts(raw, text);
		return rc ? rc : 1;
	}
	return 0;
}

static int take_context(struct lmbench_raw *raw, struct slice count, struct slice word,
			const struct line *line)
{
	static const struct {
		const char *processes;
		size_t size;
		const char *metric;
	} cells[] = {
		{ "2", 0, "ctx.2p.0k" },   { "2", 16, "ctx.2p.16k" },
		{ "2", 64, "ctx.2p.64k" }, { "8", 16, "ctx.8p.16k" },
		{ "8", 64, "ctx.8p.64k" }, { "16", 16, "ctx.16p.16k" },
		{ "16", 64, "ctx.16p.64k" },
	};

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		if (slice_is(count, cells[i].processes) && raw->stride == cells[i].size)
			return add_row_value(raw, cells[i].metric, "us", word, line->number,
					     line_column(line, word.s));
	return 0;
}

/* Files a second, as the time that one takes. */
static int add_rate(struct lmbench_raw *raw, const char *metric, struct slice word,
		    const struct line *line)
{
	struct lmbench_number rate;
	double half;

	if (!lmbench_number_read(word, &rate) || !(rate.value > 0))
		return 0;
	half = 1e6 * rate.half_step / rate.value / rate.value;
	return add(raw, &(struct found){ metric, "us",
					 "one second divided by files a second, as in lmbench's "
					 "table", true, 1e6 / rate.value, half,
					 (struct slice){ word.s, 0 }, line->number,
					 line_column(line, word.s) });
}

static int take_files(struct lmbench_raw *raw, struct slice size, struct slice rest,
		      const struct line *line)
{
	bool empty = slice_is(size, "0k");
	struct slice create, unlink;
	int rc;

	if (!empty && !slice_is(size, "10k"))
		return 0;
	slice_next_word(&rest); /* how many files */
	create = slice_next_word(&rest);
	unlink = slice_next_word(&rest);
	rc = add_rate(raw, empty ? "create.0k" : "create.10k", create, line);
	return rc ? rc : add_rate(raw, empty ? "delete.0k" : "delete.10k", unlink, line);
}

static int take_latency(struct lmbench_raw *raw, struct slice size, struct slice word,
			const struct line *line)
{
	struct lmbench_number number;
	const char *metric = NULL;

	if (!raw->best || !lmbench_number_read(size, &number))
		return 0;
	if (slice_is(size, "0.00098"))
		metric = "l1.lat";
	else if (fabs(number.value - .125) < 1e-6)
		metric = "l2.lat";
	if (!metric)
		return 0;
	return add_row_value(raw, metric, "ns", word, line->number, line_column(line, word.s));
}

/* Is it still the same block behind a line of something else? Its last row is not known then. */
static int refuse_torn(struct lmbench_raw *raw, const struct line *line, struct slice row)
{
	int rc = parsed_add_note(raw->out, line->number, line_column(line, row.s),
				 "a row behind something else than rows: of which block? Left out%s",
				 counts_last(raw) ? ", as the last row before it is" : "");

	raw->last.len = 0;
	raw->block = -1;
	return rc ? parsed_error(raw->err, rc, line->number) : 1;
}

static int read_block_row(struct lmbench_raw *raw, const struct line *line, struct slice text)
{
	struct slice rest = text, size, after, word;
	struct lmbench_number number;
	enum block_kind kind;
	int rc = 0;

	if (raw->block < 0)
		return 0;
	size = slice_next_word(&rest);
	after = rest;
	word = slice_next_word(&after);
	kind = blocks[raw->block].kind;
	if (kind != FILES && (!lmbench_number_read(word, &number) ||
			      !lmbench_number_read(size, &number)))
		return 0;
	if (kind == FILES && (!slice_ends(size, "k") || !word.len))
		return 0;
	if (raw->torn)
		return refuse_torn(raw, line, size);
	if (kind == CONTEXT)
		rc = take_context(raw, size, word, line);
	else if (kind == FILES)
		rc = take_files(raw, size, rest, line);
	else if (kind == LATENCY)
		rc = take_latency(raw, size, word, line);
	raw->last = word;
	raw->last_size = kind == FILES ? 0 : number.value;
	raw->last_line = line->number;
	raw->last_column = line_column(line, word.s);
	return rc ? rc : 1;
}

/* ---- bw_mem by itself ---- */

/* "./bw_mem -P 1 268435456 rd", as scripts echo what they start. */
static bool is_bw_mem(struct slice text, struct slice *size, struct slice *operation)
{
	static const char *const operations[] = { "rd", "wr", "rdwr", "cp", "fwr", "frd", "fcp",
						  "bzero", "bcopy" };
	struct slice rest = text, word;
	bool program = false;

	if (!text.len || !strchr("drpoy", text.s[text.len - 1]) || !slice_find(text, "bw_mem"))
		return false; /* the last letters of the operations */
	*operation = slice_last_word(&rest);
	*size = slice_last_word(&rest);
	while ((word = slice_next_word(&rest)).len)
		program |= slice_is(word, "bw_mem") || slice_ends(word, "/bw_mem");
	for (size_t i = 0; program && i < sizeof(operations) / sizeof(operations[0]); i++)
		if (slice_is(*operation, operations[i]))
			return size->len && size->s[0] >= '0' && size->s[0] <= '9';
	return false;
}

/* The line below it: megabytes, and megabytes a second. */
static int take_bw_mem(struct lmbench_raw *raw, const struct line *line, struct slice text)
{
	struct slice megabytes = slice_next_word(&text), word = slice_next_word(&text);
	struct lmbench_number number;
	struct parsed_record *record;
	char metric[16];
	int rc;

	if (!lmbench_number_read(megabytes, &number) || !lmbench_number_read(word, &number) ||
	    text.len)
		return 0;
	snprintf(metric, sizeof(metric), "bw_mem.%.*s", (int)raw->operation.len,
		 raw->operation.s);
	raw->active = false; /* each size is a point of its own */
	rc = add(raw, &(struct found){ metric, "MB/s", NULL, true, number.value,
				       number.half_step, word, line->number,
				       line_column(line, word.s) });
	if (rc)
		return rc;
	raw->active = false;
	record = &raw->out->records[raw->out->n - 1];
	if (parsed_add_point(record, "size", raw->size.s, raw->size.len))
		return parsed_error(raw->err, ENOMEM, line->number);
	return 1;
}

static int read_bw_mem(struct lmbench_raw *raw, const struct line *line, struct slice text)
{
	int rc = 0;

	if (raw->operation.len && raw->operation_line + 1 == line->number)
		rc = take_bw_mem(raw, line, text);
	raw->operation.len = 0;
	if (!rc && is_bw_mem(text, &raw->size, &raw->operation))
		raw->operation_line = line->number;
	else
		raw->operation.len = 0;
	return rc;
}

/* ---- a file ---- */

/* "[lmbench3.0 results for Linux host 6.1 ...]" begins a run; "[HOSTNAME: x]" says more of it. */
static int read_bracket(struct lmbench_raw *raw, struct slice text)
{
	struct slice rest;
	int rc;

	if (text.len < 3 || text.s[0] != '[' || text.s[text.len - 1] != ']')
		return 0;
	rest = (struct slice){ text.s + 1, text.len - 2 };
	if (slice_starts(rest, "lmbench") && slice_find(rest, " results for ")) {
		rc = lmbench_raw_end(raw);
		raw->headed = true;
		raw->taken++;
		raw->host = raw->release = (struct slice){ 0 };
		rest = slice_from(rest, slice_find(rest, " results for ") + 13);
		slice_next_word(&rest);
		raw->host = slice_next_word(&rest);
		raw->release = slice_next_word(&rest);
		return rc ? rc : 1;
	}
	return raw->headed ? 1 : 0;
}

static void note_torn(struct lmbench_raw *raw, const struct line *line, bool torn)
{
	if (torn && !raw->torn)
		raw->torn_line = line->number;
	raw->torn |= torn;
}

int lmbench_raw_line(struct lmbench_raw *raw, const struct line *line, struct slice body)
{
	struct slice text = slice_trim(body);
	int rc = read_bracket(raw, text);

	if (!rc)
		rc = read_bw_mem(raw, line, text);
	if (!rc)
		rc = read_figure(raw, line, text);
	if (!rc) {
		rc = begin_block(raw, text);
		if (!rc)
			rc = read_block_row(raw, line, text);
		note_torn(raw, line, !rc);
	} else {
		note_torn(raw, line, true);
	}
	return rc;
}

int lmbench_raw_end(struct lmbench_raw *raw)
{
	int rc = end_block(raw);

	raw->active = raw->headed = false;
	raw->block = -1;
	raw->read = raw->write = 0;
	return rc;
}
