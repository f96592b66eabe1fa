// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"

#define ECHO_NS (200 * NS_PER_MS)

static volatile sig_atomic_t first_signal, count;
static int64_t first_ns;
static int event_fd = -1;

/* timeout(1) sends its signal to its child and then to the group that it is in. */
static bool is_echo(int sig)
{
	return sig == first_signal && clock_mono_ns() - first_ns < ECHO_NS;
}

static void on_signal(int sig)
{
	static const char text[] = "\nbrunt: left at once; `brunt clean` undoes what is left\n";
	const uint64_t one = 1;
	int saved = errno;

	if (count && is_echo(sig))
		return;
	count = count + 1;
	if (count > 1) {
		if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
			_exit(128 + sig);
		_exit(128 + sig);
	}
	first_ns = clock_mono_ns();
	first_signal = sig;
	if (write(event_fd, &one, sizeof(one)) < 0)
		count = count + 0; /* cannot be: a fresh eventfd takes one */
	errno = saved;
}

int interrupt_init(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal }, old;

	event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event_fd < 0)
		return -errno;
	sigemptyset(&action.sa_mask);
	for (unsigned int i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* nohup(1) has SIGHUP ignored. SIGINT is so in the background: that may stop us. */
		if (sigaction(signals[i], NULL, &old) < 0)
			return -errno;
		if (signals[i] == SIGHUP && old.sa_handler == SIG_IGN)
			continue;
		if (sigaction(signals[i], &action, NULL) < 0)
			return -errno;
	}
	action.sa_handler = SIG_IGN; /* a closed stdout is an error of write(), not an end */
	return sigaction(SIGPIPE, &action, NULL) < 0 ? -errno : 0;
}

int interrupt_signal(void)
{
	return first_signal;
}

int interrupt_count(void)
{
	return count;
}

int interrupt_fd(void)
{
	return event_fd;
}

int interrupt_sleep_ns(long long ns)
{
	int64_t end = clock_mono_ns() + ns, left;
	struct pollfd fd = { .fd = event_fd, .events = POLLIN };
	struct timespec ts;

	while (!count) {
		left = end - clock_mono_ns();
		if (left <= 0)
			return 0;
		ts = (struct timespec){ .tv_sec = left / NS_PER_S, .tv_nsec = left % NS_PER_S };
		ppoll(&fd, 1, &ts, NULL);
	}
	return -EINTR;
}
