// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_MICRO_PARTNER_H
#define BRUNT_WORKLOADS_MICRO_PARTNER_H

#include <netinet/in.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "workloads/micro/bench.h"

/*
 * Another process that a bench works with. It dies with the one that measures, runs on cpu (-1:
 * anywhere), and has no descriptor open but those of keep, so that either side sees the end of a
 * pipe when the other one has gone.
 */
struct micro_partner {
	void (*work)(void *arg); /* in the partner; it ends with its return */
	void *arg;
	int cpu;
	const int *keep;
	size_t nkeep;
};

/* The partner's pid, or a negative errno with text. */
pid_t micro_partner_start(const struct micro_partner *partner, struct err *err);
void micro_partner_end(pid_t pid); /* kills it; 0 and less are fine */

/* Pins the calling process; -1: nothing. A negative errno. */
int micro_pin(int cpu);

/* A listening or bound socket of 127.0.0.1 with a port that the kernel chose; type as socket(2). */
int micro_local_socket(int type, struct sockaddr_in *address, struct err *err);

/* A connection to oneself over TCP; both ends are set, or none. */
int micro_connect_pair(int *fd, int *peer, struct err *err);

/* All bytes, or -EPIPE at the end, or a negative errno; -EINTR once the watchdog's time is over. */
int micro_read_all(int fd, void *bytes, size_t n);
int micro_write_all(int fd, const void *bytes, size_t n);

/* err_sys() that names the limit where descriptors have run out. */
int micro_no_descriptor(struct err *err, int code, const char *what);

#endif
