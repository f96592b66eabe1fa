// SPDX-License-Identifier: GPL-3.0-or-later
/* Round trips between two processes: pipes, sockets, futexes; and connections. */
#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "workloads/micro/bench.h"
#include "workloads/micro/partner.h"
#include "workloads/micro/stream.h"
#include "workloads/micro/watchdog.h"

/* ---- streams ---- */

static void echo_stream(void *p)
{
	const struct micro_stream *stream = p;
	char byte;

	while (read(stream->his_in, &byte, 1) == 1 && write(stream->his_out, &byte, 1) == 1)
		;
}

static int stream_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct micro_stream *stream;
	int rc = micro_stream_start(site, variant, echo_stream, &stream, err);

	if (!rc)
		*ret = stream;
	return rc;
}

static int stream_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	const struct micro_stream *stream = p;
	char byte = 1;
	ssize_t got;

	sample->n = n;
	MICRO_REPEAT(sample->ns, n, {
		if (write(stream->out, &byte, 1) < 0)
			return -errno;
		got = read(stream->in, &byte, 1);
		if (got != 1)
			return got < 0 ? -errno : -EPIPE;
	});
	return 0;
}

const struct micro_ops micro_stream = { stream_open, stream_batch, micro_stream_end };

/* ---- UDP ---- */

struct udp_state {
	int fd, peer;
	pid_t partner;
};

static void udp_close(void *p)
{
	struct udp_state *state = p;

	close_fd(&state->fd);
	close_fd(&state->peer);
	micro_partner_end(state->partner);
	free(state);
}

static void echo_udp(void *p)
{
	const struct udp_state *state = p;
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	char bytes[4];
	ssize_t got;

	while ((got = recvfrom(state->peer, bytes, sizeof(bytes), 0, (struct sockaddr *)&from,
			       &len)) > 0)
		sendto(state->peer, bytes, (size_t)got, 0, (struct sockaddr *)&from, len);
}

/* A datagram that is lost must not stop all others: a second, then it has failed. */
static int udp_connect(struct udp_state *state, struct err *err)
{
	struct timeval second = { .tv_sec = 1 };
	struct sockaddr_in name, own;

	state->peer = micro_local_socket(SOCK_DGRAM, &name, err);
	if (state->peer < 0)
		return state->peer;
	state->fd = micro_local_socket(SOCK_DGRAM, &own, err);
	if (state->fd < 0)
		return state->fd;
	if (connect(state->fd, (struct sockaddr *)&name, sizeof(name)) < 0 ||
	    setsockopt(state->fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second)) < 0)
		return err_sys(err, errno, "UDP on 127.0.0.1");
	return 0;
}

static int udp_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct udp_state *state = xcalloc(1, sizeof(*state));
	int rc;

	(void)variant;
	state->fd = state->peer = -1;
	rc = udp_connect(state, err);
	if (!rc) {
		state->partner = micro_partner_start(&(struct micro_partner){
			echo_udp, state, site->partner_cpu, &state->peer, 1 }, err);
		rc = state->partner < 0 ? state->partner : 0;
	}
	if (rc) {
		udp_close(state);
		return rc;
	}
	close_fd(&state->peer);
	*ret = state;
	return 0;
}

static int udp_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	const struct udp_state *state = p;
	char bytes[4] = { 1 };
	ssize_t got;

	sample->n = n;
	MICRO_REPEAT(sample->ns, n, {
		if (send(state->fd, bytes, sizeof(bytes), 0) < 0)
			return -errno;
		got = recv(state->fd, bytes, sizeof(bytes), 0);
		if (got != sizeof(bytes))
			return got >= 0 ? -EIO : errno == EAGAIN ? -ETIMEDOUT : -errno;
	});
	return 0;
}

const struct micro_ops micro_udp = { udp_open, udp_batch, udp_close };

/* ---- connections ---- */

struct connect_state {
	int listening;
	struct sockaddr_in name;
	pid_t partner;
};

static void connect_close(void *p)
{
	struct connect_state *state = p;

	close_fd(&state->listening);
	micro_partner_end(state->partner);
	free(state);
}

/* Closes when the other side has, so that it is there that the port waits. */
static void accept_all(void *p)
{
	const struct connect_state *state = p;
	char byte;
	int fd;

	while ((fd = accept(state->listening, NULL, NULL)) >= 0) {
		if (read(fd, &byte, 1) < 0)
			return;
		close(fd);
	}
}

static int connect_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct connect_state *state = xcalloc(1, sizeof(*state));
	int rc;

	(void)variant;
	state->listening = micro_local_socket(SOCK_STREAM, &state->name, err);
	rc = state->listening < 0 ? state->listening : 0;
	if (!rc) {
		state->partner = micro_partner_start(&(struct micro_partner){
			accept_all, state, site->partner_cpu, &state->listening, 1 }, err);
		rc = state->partner < 0 ? state->partner : 0;
	}
	if (rc) {
		connect_close(state);
		return rc;
	}
	close_fd(&state->listening);
	*ret = state;
	return 0;
}

static int connect_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	const struct connect_state *state = p;
	int fd;

	sample->n = n;
	MICRO_REPEAT(sample->ns, n, {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (fd < 0)
			return -errno;
		if (connect(fd, (const struct sockaddr *)&state->name, sizeof(state->name)) < 0) {
			int rc = -errno;

			close(fd);
			return rc;
		}
		close(fd);
	});
	return 0;
}

const struct micro_ops micro_tcp_connect = { connect_open, connect_batch, connect_close };

/* ---- futexes ---- */

/* Whose turn it is; on lines of their own. */
struct pingpong {
	uint32_t ping __attribute__((aligned(128)));
	uint32_t pong __attribute__((aligned(128)));
	pid_t partner __attribute__((aligned(128)));
};

/* Sleeps while it is 0, and sets it back. */
static int take(uint32_t *word)
{
	while (!__atomic_exchange_n(word, 0, __ATOMIC_ACQUIRE))
		if (syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0) < 0 &&
		    micro_watchdog_is_over())
			return -EINTR;
	return 0;
}

static void give(uint32_t *word)
{
	__atomic_store_n(word, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void answer_pings(void *p)
{
	struct pingpong *pingpong = p;

	while (!take(&pingpong->ping))
		give(&pingpong->pong);
}

static void pingpong_close(void *p)
{
	struct pingpong *pingpong = p;

	micro_partner_end(pingpong->partner);
	munmap(pingpong, sizeof(*pingpong));
}

static int pingpong_open(const struct micro_site *site, int variant, void **ret, struct err *err)
{
	struct pingpong *pingpong = mmap(NULL, sizeof(*pingpong), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	(void)variant;
	if (pingpong == MAP_FAILED)
		return err_sys(err, errno, "shared memory");
	pid = micro_partner_start(&(struct micro_partner){ answer_pings, pingpong,
							   site->partner_cpu, NULL, 0 }, err);
	pingpong->partner = pid;
	if (pid < 0) {
		pingpong_close(pingpong);
		return pid;
	}
	*ret = pingpong;
	return 0;
}

static int pingpong_batch(void *p, uint64_t n, struct micro_sample *sample)
{
	struct pingpong *pingpong = p;
	int rc;

	sample->n = n;
	MICRO_REPEAT(sample->ns, n, {
		give(&pingpong->ping);
		rc = take(&pingpong->pong);
		if (rc)
			return rc;
	});
	return 0;
}

const struct micro_ops micro_futex_pingpong = { pingpong_open, pingpong_batch, pingpong_close };
