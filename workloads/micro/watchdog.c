// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/micro/watchdog.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

#include "base/clock.h"

static volatile sig_atomic_t over;

static void on_alarm(int number)
{
	(void)number;
	over = 1;
}

/* Without SA_RESTART: calls are to return. A call that begins a moment later is met a second later. */
void micro_watchdog_set(int64_t ns)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval timer = {
		.it_interval.tv_sec = ns ? 1 : 0,
		.it_value = { .tv_sec = ns / NS_PER_S, .tv_usec = ns % NS_PER_S / 1000 },
	};
	static bool is_set_up;
	sigset_t set;

	if (!is_set_up) {
		sigemptyset(&set);
		sigaddset(&set, SIGALRM);
		sigaction(SIGALRM, &action, NULL);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		is_set_up = true;
	}
	setitimer(ITIMER_REAL, &timer, NULL);
	over = 0; /* behind it: an alarm of before may have come meanwhile */
}

bool micro_watchdog_is_over(void)
{
	return over;
}
