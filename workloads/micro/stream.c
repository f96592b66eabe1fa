// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/micro/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "workloads/micro/partner.h"

static void close_his(struct micro_stream *stream)
{
	if (stream->his_out == stream->his_in)
		stream->his_out = -1;
	close_fd(&stream->his_in);
	close_fd(&stream->his_out);
}

void micro_stream_end(void *p)
{
	struct micro_stream *stream = p;

	close_his(stream);
	if (stream->out == stream->in)
		stream->out = -1;
	close_fd(&stream->in);
	close_fd(&stream->out);
	micro_partner_end(stream->partner);
	free(stream);
}

static int make_pipes(struct micro_stream *stream, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return micro_no_descriptor(err, errno, "pipe");
	stream->his_in = ends[0];
	stream->out = ends[1];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return micro_no_descriptor(err, errno, "pipe");
	stream->in = ends[0];
	stream->his_out = ends[1];
	return 0;
}

static void set_ends(struct micro_stream *stream, int ours, int his)
{
	stream->in = stream->out = ours;
	stream->his_in = stream->his_out = his;
}

static int make_ends(struct micro_stream *stream, int variant, struct err *err)
{
	int ends[2], rc, on = 1;

	if (variant == STREAM_PIPE)
		return make_pipes(stream, err);
	if (variant == STREAM_UNIX) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
			return micro_no_descriptor(err, errno, "socketpair");
		set_ends(stream, ends[0], ends[1]);
		return 0;
	}
	rc = micro_connect_pair(&ends[0], &ends[1], err);
	if (rc)
		return rc;
	setsockopt(ends[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(ends[1], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	set_ends(stream, ends[0], ends[1]);
	return 0;
}

int micro_stream_start(const struct micro_site *site, int variant, void (*work)(void *stream),
		       struct micro_stream **out, struct err *err)
{
	struct micro_stream *stream = xcalloc(1, sizeof(*stream));
	int keep[2], rc;

	stream->in = stream->out = stream->his_in = stream->his_out = -1;
	rc = make_ends(stream, variant, err);
	if (!rc) {
		keep[0] = stream->his_in;
		keep[1] = stream->his_out;
		stream->partner = micro_partner_start(&(struct micro_partner){
			work, stream, site->partner_cpu, keep, 2 }, err);
		rc = stream->partner < 0 ? stream->partner : 0;
	}
	if (rc) {
		micro_stream_end(stream);
		return rc;
	}
	close_his(stream);
	*out = stream;
	return 0;
}
