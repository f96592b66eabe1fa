// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/pool.h"

#include <pthread.h>
#include <signal.h>

#include "base/xalloc.h"

struct pool {
	void (*job)(void *arg, size_t i);
	void *arg;
	size_t n, next;
};

static void *pool_thread(void *arg)
{
	struct pool *pool = arg;
	size_t i;

	while ((i = __atomic_fetch_add(&pool->next, 1, __ATOMIC_RELAXED)) < pool->n)
		pool->job(pool->arg, i);
	return NULL;
}

/* Fewer threads than wanted, or none, only make it slower. */
void pool_run(void (*job)(void *arg, size_t i), void *arg, size_t n)
{
	struct pool pool = { .job = job, .arg = arg, .n = n };
	pthread_t threads[POOL_THREADS - 1];
	size_t started = 0;
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	while (started < ARRAY_SIZE(threads) && started + 1 < n &&
	       pthread_create(&threads[started], NULL, pool_thread, &pool) == 0)
		started++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pool_thread(&pool);
	while (started)
		pthread_join(threads[--started], NULL);
}
