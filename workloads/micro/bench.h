// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_MICRO_BENCH_H
#define BRUNT_WORKLOADS_MICRO_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/words.h"
#include "results/metric.h"

/*
 * A micro benchmark: one operation of the system, repeated. A line of metrics.def a metric, a file
 * a family. All of them live in the process that measures (harness.h), which is not brunt's own.
 */

/* What all have in common. */
struct micro_site {
	const char *folder;   /* for files of ours; NULL: folder_reason says why there is none */
	const char *folder_reason;
	int cpu, partner_cpu; /* -1: left to the scheduler */
	bool wants_two_cpus;  /* place=other-cpu where there is only one: partners cannot run */
	uint64_t memory;      /* bytes that no cache holds */
	uint64_t cache[4];    /* data cache of level 1, 2, 3 in bytes; 0: unknown */
};

/* What a batch found. */
struct micro_sample {
	uint64_t n;	  /* operations */
	int64_t ns;	  /* what they took */
	int64_t minus_ns; /* of these what is not the operation's, measured in the same batch */
	uint64_t bytes;	  /* moved, where the metric is a rate; else 0 */
};

struct micro_ops {
	/*
	 * Makes what the batches need; variant tells metrics of one kind apart. *state may stay
	 * NULL. An error, whose text becomes the reason for the missing value, leaves nothing.
	 */
	int (*open)(const struct micro_site *site, int variant, void **state, struct err *err);
	/*
	 * n operations (or as many as fit it; sample->n says how many), timed without what they
	 * need before and after. sample is zeroed. A negative errno where one failed: there are no
	 * further batches then.
	 */
	int (*batch)(void *state, uint64_t n, struct micro_sample *sample);
	void (*close)(void *state); /* NULL: free() */
};

struct micro_bench {
	const char *name, *family, *unit;
	const struct micro_ops *ops;
	int variant;
	bool has_partner; /* works with another process, so place= matters */
	bool is_net;	  /* something is subtracted: there is NAME.raw, too */
	const char *raw_name;
	unsigned int most_batches; /* 0: as many as all others */
};

/* Ended by a NULL name; the metrics of the workload stand in the same order. */
extern const struct micro_bench micro_benches[];
extern const struct metric_spec micro_metrics[];

/*
 * The benches of only=: a name, what stands before a dot ("exec"), or a family ("signals"). NULL:
 * all. A usage error with a suggestion where a name is unknown. *out belongs to the caller.
 */
int micro_pick(const char *only, const struct micro_bench ***out, size_t *n, struct err *err);

const struct metric_spec *micro_metric(const char *name); /* NULL: none */

/* Repeats one operation n times; it must return from the batch where it fails. */
#define MICRO_REPEAT(elapsed_ns, n, operation)                                                     \
	do {                                                                                       \
		int64_t start_ns_ = clock_mono_ns();                                               \
		for (uint64_t i_ = 0; i_ < (n); i_++) {                                            \
			operation;                                                                 \
		}                                                                                  \
		(elapsed_ns) += clock_mono_ns() - start_ns_;                                       \
	} while (0)

/* The families. */
extern const struct micro_ops micro_syscall, micro_null_io, micro_stat, micro_open_close,
	micro_select;
extern const struct micro_ops micro_sig_install, micro_sig_handle;
extern const struct micro_ops micro_prot_fault, micro_page_fault_file, micro_page_touch,
	micro_page_fault_anon, micro_page_fault_huge;
extern const struct micro_ops micro_mmap_file;
extern const struct micro_ops micro_process;
extern const struct micro_ops micro_ring;
extern const struct micro_ops micro_stream, micro_udp, micro_tcp_connect, micro_futex_pingpong;
extern const struct micro_ops micro_rpc;
extern const struct micro_ops micro_file_create, micro_file_delete;
extern const struct micro_ops micro_stream_rate, micro_file_reread, micro_mmap_reread,
	micro_memory_rate;
extern const struct micro_ops micro_chase, micro_chase_random;
extern const struct micro_ops micro_futex_wake, micro_epoll_wait, micro_uring_nop, micro_clock,
	micro_mmap_munmap, micro_thread, micro_getrandom;

/* Which is meant, for the ops that several metrics share. */
enum { SYSCALL_NULL, SYSCALL_READ, SYSCALL_WRITE };
enum { STAT_PATH, STAT_DESCRIPTOR };
enum { SELECT_FILE_DUP, SELECT_TCP_DUP, SELECT_FILE, SELECT_TCP, SELECT_VARIANTS };
enum { PROCESS_FORK, PROCESS_VFORK, PROCESS_SPAWN, PROCESS_EXEC, PROCESS_EXEC_STATIC, PROCESS_SH };
enum { STREAM_PIPE, STREAM_UNIX, STREAM_TCP };
enum { RPC_UDP, RPC_TCP };
enum { RATE_BCOPY_LIBC, RATE_BCOPY_HAND, RATE_READ, RATE_WRITE };
enum { CHASE_L1, CHASE_L2, CHASE_L3, CHASE_MAIN, CHASE_CURVE };
enum { CLOCK_VDSO, CLOCK_SYSCALL };
#define RING(processes, kib) ((processes) << 8 | (kib))

#endif
