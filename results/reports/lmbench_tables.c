// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/reports/lmbench_tables.h"

#include <string.h>

#define MICRO 1e6
#define NANO 1e9

const struct lmbench_table lmbench_tables[] = {
	{
		"Processor, Processes - times in microseconds - smaller is better",
		"Host                 OS  Mhz null null      open slct sig  sig  fork exec sh\n"
		"                             call  I/O stat clos TCP  inst hndl proc proc proc",
		78, MICRO, 4, NULL,
		{ { "null_call", 4, "null_call" }, { "null_io", 4, "null_io" },
		  { "stat", 4, "stat" }, { "open_close", 4, "open_close" },
		  { "select_tcp", 4, "select_100_tcp" }, { "sig_inst", 4, "sig_install" },
		  { "sig_hndl", 4, "sig_handle" }, { "fork", 4, "fork" },
		  { "exec", 4, "exec.dynamic" }, { "sh", 4, "sh" } },
		{ "read", "write", "fstat", "select_100_tcp.dup", "vfork", "spawn", "exec.static" },
	},
	{
		"Context switching - times in microseconds - smaller is better",
		"Host                 OS  2p/0K 2p/16K 2p/64K 8p/16K 8p/64K 16p/16K 16p/64K\n"
		"                         ctxsw  ctxsw  ctxsw ctxsw  ctxsw   ctxsw   ctxsw",
		73, MICRO, 0, NULL,
		{ { "ctx.2p.0k", 6, "ctx_2p_0k" }, { "ctx.2p.16k", 6, "ctx_2p_16k" },
		  { "ctx.2p.64k", 6, "ctx_2p_64k" }, { "ctx.8p.16k", 6, "ctx_8p_16k" },
		  { "ctx.8p.64k", 6, "ctx_8p_64k" }, { "ctx.16p.16k", 7, "ctx_16p_16k" },
		  { "ctx.16p.64k", 7, "ctx_16p_64k" } },
		{ "ctx_8p_0k", "ctx_16p_0k" },
	},
	{
		"*Local* Communication latencies in microseconds - smaller is better",
		"Host                 OS 2p/0K  Pipe AF     UDP  RPC/   TCP  RPC/ TCP\n"
		"                        ctxsw       UNIX         UDP         TCP conn",
		69, MICRO, 0, NULL,
		{ { "ctx.2p.0k", 5, "ctx_2p_0k" }, { "pipe.lat", 5, "pipe" },
		  { "unix.lat", 4, "af_unix" }, { "udp.lat", 5, "udp" },
		  { "rpc_udp.lat", 5, "rpc_udp" }, { "tcp.lat", 5, "tcp" },
		  { "rpc_tcp.lat", 5, "rpc_tcp" }, { "tcp_conn", 4, "tcp_connect" } },
		{ "futex_pingpong" },
	},
	{
		"File & VM system latencies in microseconds - smaller is better",
		"Host                 OS   0K File      10K File     Mmap    Prot   Page   100fd\n"
		"                        Create Delete Create Delete Latency Fault  Fault  selct",
		79, MICRO, 0, NULL,
		{ { "create.0k", 6, "file_create.0k" }, { "delete.0k", 6, "file_delete.0k" },
		  { "create.10k", 6, "file_create.10k" }, { "delete.10k", 6, "file_delete.10k" },
		  { "mmap.lat", 7, "mmap" }, { "prot_fault", 5, "prot_fault" },
		  { "page_fault", 7, "page_fault.touch" }, { "select", 5, "select_100_file" } },
		{ "page_fault.file", "page_fault.anon", "page_fault.thp", "select_100_file.dup" },
	},
	{
		"*Local* Communication bandwidths in MB/s - bigger is better",
		"Host                OS  Pipe AF    TCP  File   Mmap  Bcopy  Bcopy  Mem   Mem\n"
		"                             UNIX      reread reread (libc) (hand) read write",
		77, 0, 0, NULL,
		{ { "pipe.bw", 4, "pipe.bw" }, { "unix.bw", 4, "af_unix.bw" },
		  { "tcp.bw", 4, "tcp.bw" }, { "file_reread.bw", 6, "file_reread.bw" },
		  { "mmap_reread.bw", 6, "mmap_reread.bw" },
		  { "bcopy_libc.bw", 6, "bcopy_libc.bw" },
		  { "bcopy_hand.bw", 6, "bcopy_hand.bw" }, { "mem_read.bw", 4, "mem_read.bw" },
		  { "mem_write.bw", 5, "mem_write.bw" } },
	},
	{
		"Memory latencies in nanoseconds - smaller is better",
		"Host                 OS   Mhz   L1 $   L2 $    Main mem    Rand mem    Guesses",
		78, NANO, 5,
		"--------- -------------   ---   ----   ----    --------    --------    -------",
		{ { "l1.lat", 6, "mem_lat.l1" }, { "l2.lat", 6, "mem_lat.l2" },
		  { "main.lat", 6, "mem_lat.main" }, { "rand.lat", 11, "mem_lat.random" } },
		{ "mem_lat.l3" },
	},
	{ .title = NULL },
};

const struct lmbench_column *lmbench_column_of(const struct lmbench_table *table,
					       const char *metric)
{
	for (const struct lmbench_column *c = table->columns; c->metric; c++)
		if (!strcmp(c->metric, metric) || !strcmp(c->micro, metric))
			return c;
	return NULL;
}

size_t lmbench_place_of(const struct lmbench_table *table, const char *metric)
{
	const struct lmbench_column *column = lmbench_column_of(table, metric);
	size_t i;

	if (column)
		return (size_t)(column - table->columns);
	for (i = 0; i < LMBENCH_ALSO_MAX && table->also[i]; i++)
		if (!strcmp(table->also[i], metric))
			return LMBENCH_COLUMNS_MAX + i;
	return LMBENCH_NOWHERE;
}
