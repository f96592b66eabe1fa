// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/exclusive.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/xalloc.h"

static const char name[] = "brunt-measurement";

static socklen_t make_address(struct sockaddr_un *address)
{
	/* A leading NUL makes the name abstract; the trailing one is no part of it. */
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(address->sun_path + 1, name, sizeof(name) - 1);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof(name));
}

/* The process that listens there, as the kernel noted it at listen(2); 0: unknown. */
static pid_t find_owner(const struct sockaddr_un *address, socklen_t len)
{
	auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred cred = { .pid = 0 };
	socklen_t size = sizeof(cred);

	if (fd < 0 || connect(fd, (const struct sockaddr *)address, len) < 0)
		return 0;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &size) < 0)
		return 0;
	return cred.pid;
}

int exclusive_take(pid_t *owner)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), rc = 0;
	struct sockaddr_un address;
	socklen_t len = make_address(&address);

	if (fd < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&address, len) < 0 || listen(fd, SOMAXCONN) < 0)
		rc = -errno;
	if (!rc)
		return fd;
	close_fd(&fd);
	if (rc == -EADDRINUSE)
		*owner = find_owner(&address, len);
	return rc;
}
