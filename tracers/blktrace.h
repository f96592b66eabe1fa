// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_TRACERS_BLKTRACE_H
#define BRUNT_TRACERS_BLKTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "machine/undo.h"
#include "results/run.h"
#include "tracers/traced_devices.h"

/* The keys of the tracer, read. */
struct blktrace_options {
	bool keep;	 /* the trace files stay, in runs/<n>/trace/ */
	uint64_t buffer; /* bytes a CPU, and a device where the backend says so */
	char *act_mask;	 /* "issue,complete"; NULL: everything */
	char *output;	 /* the folder that the capture is written to; NULL: the run's */
	char *session;
};

/* What a capture has to tell about a run. */
struct blktrace_ledger {
	double cpu_s;	     /* of the readers */
	uint64_t events;     /* IO events of our devices, without notify records */
	uint64_t bytes;	     /* raw bytes read */
	uint64_t lost;	     /* events */
	bool lost_unknown;   /* some more, of which nobody knows the number */
	bool uncounted;	     /* the records cannot be counted: events and bytes are not known */
	double drain_s;
};

/*
 * A way to get at the records. The tracer calls these as the session calls it (tracer.h); devices
 * are those of the run, valid from attach to detach. collect() fills devices->v[].events and the
 * ledger, and says with run_invalid() what makes the trace worthless, but losses, which the
 * tracer says itself.
 */
struct blktrace_backend {
	const char *name;
	uint64_t default_buffer;
	bool per_device; /* buffers are those of each CPU and device, not of each CPU */
	const char *(*unavailable)(void);

	/* What a run takes of memory (bytes) and of open files; files may be NULL. */
	uint64_t (*memory)(uint64_t buffer, uint64_t cpus, uint64_t devices);
	uint64_t (*files)(uint64_t cpus, uint64_t devices);

	/* Before any run: may these devices be traced? May be NULL. */
	int (*admit)(struct traced_devices *devices, struct err *err);

	int (*open)(const struct blktrace_options *options, struct undo *undo, void **capture,
		    struct err *err);
	void (*close)(void *capture);
	int (*attach)(void *capture, struct traced_devices *devices, struct run_context *context,
		      struct err *err);
	int (*start)(void *capture, struct err *err);
	int (*stop)(void *capture, struct err *err);
	int (*collect)(void *capture, struct run_context *context, struct blktrace_ledger *ledger,
		       struct err *err);
	void (*detach)(void *capture, struct run_context *context);
};

#endif
