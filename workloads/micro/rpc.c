// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Sun RPCs over libtirpc. The server registers with no portmapper, and the client is told the
 * port, so neither asks anybody.
 */
#include <errno.h>
#include <netinet/in.h>
#include <rpc/rpc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "workloads/micro/bench.h"
#include "workloads/micro/partner.h"

/* Of the range that is for users' own programs; nobody registers it. */
#define RPC_PROGRAM 0x20627274U
#define RPC_VERSION 1U
#define RPC_ECHO 1U

struct rpc_state {
	int variant, listening;
	pid_t partner;
	CLIENT *client;
};

static void rpc_close(void *p)
{
	struct rpc_state *state = p;

	if (state->client) {
		auth_destroy(state->client->cl_auth);
		clnt_destroy(state->client);
	}
	close_fd(&state->listening);
	micro_partner_end(state->partner);
	free(state);
}

/* Answers with the byte that it got. */
static void dispatch(struct svc_req *request, SVCXPRT *transport)
{
	char byte = 0;

	if (request->rq_proc != RPC_ECHO)
		svcerr_noproc(transport);
	else if (!svc_getargs(transport, (xdrproc_t)xdr_char, (char *)&byte))
		svcerr_decode(transport);
	else
		svc_sendreply(transport, (xdrproc_t)xdr_char, &byte);
}

static void serve(void *p)
{
	const struct rpc_state *state = p;
	SVCXPRT *transport = state->variant == RPC_UDP ? svcudp_create(state->listening) :
							 svctcp_create(state->listening, 0, 0);

	if (transport && svc_register(transport, RPC_PROGRAM, RPC_VERSION, dispatch, 0))
		svc_run();
}

static CLIENT *make_client(int variant, struct sockaddr_in *name)
{
	struct timeval retry = { .tv_sec = 5 };
	int fd = RPC_ANYSOCK;

	if (variant == RPC_UDP)
		return clntudp_create(name, RPC_PROGRAM, RPC_VERSION, retry, &fd);
	return clnttcp_create(name, RPC_PROGRAM, RPC_VERSION, &fd, 0, 0);
}

static int call(const struct rpc_state *state)
{
	struct timeval most = { .tv_sec = 5 };
	char sent = 'x', answer = 0;
	enum clnt_stat status = clnt_call(state->client, RPC_ECHO, (xdrproc_t)xdr_char, &sent,
					  (xdrproc_t)xdr_char, &answer, most);

	return status == RPC_SUCCESS && answer == sent ? 0 : -EPROTO;
}

static int start(const struct micro_site *site, struct rpc_state *state, struct err *err)
{
	struct sockaddr_in name;

	state->listening = micro_local_socket(state->variant == RPC_UDP ? SOCK_DGRAM : SOCK_STREAM,
					      &name, err);
	if (state->listening < 0)
		return state->listening;
	state->partner = micro_partner_start(&(struct micro_partner){
		serve, state, site->partner_cpu, &state->listening, 1 }, err);
	if (state->partner < 0)
		return state->partner;
	close_fd(&state->listening);
	state->client = make_client(state->variant, &name);
	if (!state->client)
		return err_set(err, EPROTO, "no RPC client%s", clnt_spcreateerror(""));
	return call(state) ? err_set(err, EPROTO, "the RPC server does not answer%s",
				     clnt_sperror(state->client, "")) : 0;
}

static int rpc_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct rpc_state *state = xcalloc(1, sizeof(*state));
	int rc;

	state->variant = variant;
	state->listening = -1;
	rc = start(site, state, err);
	if (rc) {
		rpc_close(state);
		return rc;
	}
	*ret = state;
	return 0;
}

static int rpc_batch(void *state, uint64_t n, struct micro_sample *sample)
{
	sample->n = n;
	MICRO_REPEAT(sample->ns, n, if (call(state)) return -EPROTO);
	return 0;
}

const struct micro_ops micro_rpc = { rpc_open, rpc_batch, rpc_close };
