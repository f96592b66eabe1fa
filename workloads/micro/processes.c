// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Processes, made by a small program (hello/hello.c), a server of it each metric: what fork and
 * exec cost depends on who calls them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "workloads/micro/bench.h"
#include "workloads/micro/hello.h"
#include "workloads/micro/partner.h"
#include "workloads/micro/site.h"

extern char **environ;

enum { ANSWERS = 3 };

struct process_state {
	pid_t server;
	int to, from;	      /* ours */
	int requests, answers; /* the server's; closed here once it runs */
	char *server_path, *hello_path;
	const char *way;
};

static void process_close(void *p)
{
	struct process_state *state = p;

	close_fd(&state->to);
	close_fd(&state->from);
	close_fd(&state->requests);
	close_fd(&state->answers);
	micro_partner_end(state->server);
	free(state->server_path);
	free(state->hello_path);
	free(state);
}

/* In the partner. The death signal outlives exec, as the program is not privileged. */
static void become_server(void *p)
{
	const struct process_state *state = p;
	char *argv[] = { state->server_path, (char *)"serve", (char *)state->way,
			 state->hello_path, NULL };
	int null = open("/dev/null", O_WRONLY), requests = fcntl(state->requests, F_DUPFD, 10),
	    answers = fcntl(state->answers, F_DUPFD, 10);

	dup2(requests, 0);
	dup2(null, 1);
	dup2(answers, ANSWERS);
	close_range(ANSWERS + 1, ~0U, 0);
	execve(state->server_path, argv, environ);
	_exit(127);
}

static int make_pipes(struct process_state *state, struct err *err)
{
	int requests[2], answers[2];

	if (pipe2(requests, O_CLOEXEC) < 0)
		return micro_no_descriptor(err, errno, "pipe");
	state->requests = requests[0];
	state->to = requests[1];
	if (pipe2(answers, O_CLOEXEC) < 0)
		return micro_no_descriptor(err, errno, "pipe");
	state->from = answers[0];
	state->answers = answers[1];
	return 0;
}

static int ask(struct process_state *state, uint64_t n, int64_t *ns)
{
	int rc = micro_write_all(state->to, &n, sizeof(n));

	if (!rc)
		rc = micro_read_all(state->from, ns, sizeof(*ns));
	if (!rc && *ns < 0)
		rc = (int)*ns;
	return rc;
}

/* The first one shows whether programs can be started from that folder. */
static int start_server(const struct micro_site *site, struct process_state *state,
			struct err *err)
{
	int keep[2], rc;
	int64_t ns;

	rc = make_pipes(state, err);
	if (rc)
		return rc;
	keep[0] = state->requests;
	keep[1] = state->answers;
	state->server = micro_partner_start(&(struct micro_partner){ become_server, state,
								     site->cpu, keep, 2 }, err);
	if (state->server < 0)
		return state->server;
	close_fd(&state->requests);
	close_fd(&state->answers);
	rc = ask(state, 1, &ns);
	return rc ? err_sys(err, -rc, "starting %s, as noexec would forbid", state->hello_path) :
		    0;
}

static int process_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	static const char *const ways[] = { "fork", "vfork", "spawn", "exec", "exec", "sh" };
	bool is_static = variant == PROCESS_EXEC_STATIC;
	struct process_state *state;
	int rc;

	if (!site->folder)
		return err_set(err, ENOENT, "%s", site->folder_reason);
	if (is_static && !hello_static().size)
		return err_set(err, ENOENT, "brunt was built where there is no static libc");
	state = xcalloc(1, sizeof(*state));
	state->to = state->from = state->requests = state->answers = -1;
	state->way = ways[variant];
	state->server_path = files_join(site->folder, MICRO_HELLO);
	state->hello_path = files_join(site->folder, is_static ? MICRO_HELLO_STATIC : MICRO_HELLO);
	rc = start_server(site, state, err);
	if (rc) {
		process_close(state);
		return rc;
	}
	*ret = state;
	return 0;
}

static int process_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	sample->n = n;
	return ask(state, n, &sample->ns);
}

const struct micro_ops micro_process = { process_open, process_batch, process_close };
