// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_MICRO_STREAM_H
#define BRUNT_WORKLOADS_MICRO_STREAM_H

#include <sys/types.h>

#include "workloads/micro/bench.h"

/* A partner at the other end of pipes, of a socketpair or of a TCP connection. */
struct micro_stream {
	int in, out;	      /* ours; may be the same */
	int his_in, his_out;  /* the partner's; -1 here once it runs */
	pid_t partner;
};

/* variant is one of STREAM_*; work gets the stream. */
int micro_stream_start(const struct micro_site *site, int variant, void (*work)(void *stream),
		       struct micro_stream **out, struct err *err);
void micro_stream_end(void *stream);

#endif
