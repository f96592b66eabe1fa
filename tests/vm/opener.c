// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * opener [--rude] [--hold MS]: opens a loop device each time that somebody who wrote to it has
 * closed it, as udev does after IN_CLOSE_WRITE to look for a file system. A guest has no udev, so
 * this is who stands in the way there. Like udev it leaves alone what somebody holds by
 * flock(LOCK_EX); --rude does not ask. --hold: how long each device stays open (5 ms).
 * Ends with SIGTERM, and prints how often it opened one, and how often it found one locked.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <unistd.h>

static volatile sig_atomic_t ended;
static unsigned long opened, locked;

static void on_signal(int number)
{
	(void)number;
	ended = 1;
}

/* A disk, "loop7": not loop-control. */
static bool is_disk(const char *name)
{
	return !strncmp(name, "loop", 4) && name[4] >= '0' && name[4] <= '9';
}

static void look_at(const char *name, bool rude, int hold_ms)
{
	static char bytes[65536];
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (!rude && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK) {
		locked++;
	} else {
		opened++;
		if (read(fd, bytes, sizeof(bytes)) >= 0)
			usleep((useconds_t)hold_ms * 1000);
	}
	close(fd);
}

static void read_events(int watch, bool rude, int hold_ms)
{
	char bytes[8192] __attribute__((aligned(8)));
	ssize_t got = read(watch, bytes, sizeof(bytes));
	const struct inotify_event *event;

	for (ssize_t at = 0; at < got; at += (ssize_t)(sizeof(*event) + event->len)) {
		event = (const void *)(bytes + at);
		if (event->len && is_disk(event->name))
			look_at(event->name, rude, hold_ms);
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	bool rude = false;
	int hold_ms = 5, watch;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--rude"))
			rude = true;
		else if (!strcmp(argv[i], "--hold") && i + 1 < argc)
			hold_ms = atoi(argv[++i]);
		else
			return 2;
	}
	sigaction(SIGTERM, &action, NULL);
	watch = inotify_init1(IN_CLOEXEC);
	/* one watch holds for all devices of the folder, those that come later too */
	if (watch < 0 || inotify_add_watch(watch, "/dev", IN_CLOSE_WRITE) < 0) {
		perror("opener: inotify of /dev");
		return 1;
	}
	while (!ended) {
		struct pollfd p = { .fd = watch, .events = POLLIN };

		if (poll(&p, 1, 1000) > 0)
			read_events(watch, rude, hold_ms);
	}
	printf("opened %lu locked %lu\n", opened, locked);
	return 0;
}
