// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/xalloc.h"
#include "machine/disk_content.h"
#include "workloads/io_cpus.h"
#include "workloads/io_limits.h"
#include "workloads/io_options.h"
#include "workloads/io_result.h"

/* Reads "a=b c=d"; the error's text or NULL. */
static const char *read_text(const char *text, struct io_options *out)
{
	static struct err err;
	auto_words struct words words = WORDS_INIT;
	auto_keys struct keys keys = KEYS_INIT;
	int rc;

	words_split_at(text, ' ', &words);
	for (size_t i = 0; i < words.n; i++) {
		char *value = strchr(words.v[i], '=');

		*value = '\0';
		keys_set(&keys, words.v[i], value + 1);
	}
	memset(&err, 0, sizeof(err));
	rc = keys_check(&keys, io_keys, "io", &err);
	if (!rc)
		rc = io_options_read(&keys, out, &err);
	if (rc)
		assert_int_equal(err.status, EXIT_USAGE);
	return rc ? err.text : NULL;
}

static void assert_refused(const char *text, const char *words)
{
	struct io_options options = { 0 };
	const char *why = read_text(text, &options);

	if (!why || !strstr(why, words))
		fail_msg("%s: %s, not: %s", text, why ? why : "taken", words);
}

static struct io_options taken(const char *text)
{
	struct io_options options = { 0 };
	const char *why = read_text(text, &options);

	if (why)
		fail_msg("%s: %s", text, why);
	return options;
}

static void fallbacks_are_as_documented(void **state)
{
	struct io_options options = taken("devices=loop:2:1M");

	(void)state;
	assert_true(options.reads && !options.writes && options.pattern.random && options.direct);
	assert_int_equal(options.iodepth, 1);
	assert_int_equal(options.numjobs, 1);
	assert_int_equal(options.pattern.bs_min, 4096);
	assert_int_equal(options.runtime_ns, 10000000000);
	assert_ptr_equal(options.engine, &io_engine_uring);
	assert_false(io_options_destroy(&options));
	io_options_release(&options);
}

static void names_have_a_second_form(void **state)
{
	struct io_options options = taken("depth=32 time=2s");

	(void)state;
	assert_int_equal(options.iodepth, 32);
	assert_int_equal(options.runtime_ns, 2000000000);
	io_options_release(&options);
	assert_refused("depth=32 iodepth=32", "the same key");
	assert_refused("time=2s runtime=2s", "the same key");
}

static void operations_of_rw(void **state)
{
	static const struct {
		const char *rw;
		bool random, reads, writes;
	} tries[] = {
		{ "read", false, true, false },	    { "write", false, false, true },
		{ "randread", true, true, false },  { "randwrite", true, false, true },
		{ "rw", false, true, true },	    { "readwrite", false, true, true },
		{ "randrw", true, true, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		auto_free char *text = xasprintf("rw=%s", tries[i].rw);
		struct io_options options = taken(text);

		assert_int_equal(options.pattern.random, tries[i].random);
		assert_int_equal(options.reads, tries[i].reads);
		assert_int_equal(options.writes, tries[i].writes);
		assert_int_equal(io_options_destroy(&options), tries[i].writes);
		io_options_release(&options);
	}
}

static void block_sizes(void **state)
{
	uint32_t least, most;

	(void)state;
	assert_int_equal(io_options_bs("4k", &least, &most, NULL), 0);
	assert_true(least == 4096 && most == 4096);
	assert_int_equal(io_options_bs("4k-64k", &least, &most, NULL), 0);
	assert_true(least == 4096 && most == 65536);
	assert_refused("bs=4k-6k", "multiple of the lesser");
	assert_refused("bs=64k-4k", "lesser one first");
	assert_refused("bs=100", "512 to 32M");
	assert_refused("bs=1000", "multiple of 512");
	assert_refused("bs=4k-", "no size and no range");
	assert_refused("bs=four", "no size and no range");
	assert_refused("bs=64M", "512 to 32M");
}

static void what_does_not_go_together(void **state)
{
	(void)state;
	assert_refused("engine=psync depth=2", "one IO in flight a job");
	assert_refused("engine=psync workers=2", "a process a job");
	assert_refused("engine=libaio hipri=yes", "hipri needs engine=io_uring");
	assert_refused("engine=psync sqthread_poll=yes", "sqthread_poll needs engine=io_uring");
	assert_refused("hipri=yes direct=no", "hipri needs direct=yes");
	assert_refused("engine=libaio fixedbufs=yes", "are io_uring's");
	assert_refused("fsync=4", "has no writes");
	assert_refused("depth=4 iodepth_batch_complete_min=5", "iodepth is only 4");
	assert_refused("rate=100", "less than one IO a second");
	assert_refused("directory=/tmp devices=sda", "excludes devices");
	assert_refused("directory=/tmp fs=ext4", "excludes devices");
	assert_refused("fs=ext4 fill=no", "always written");
}

static const char *range(const char *text, uint64_t size, uint32_t block,
			 struct io_pattern_spec *out)
{
	static struct err err;
	struct io_options options = taken(text);
	int rc = io_options_range(&options, "loop3", size, block, out, &err);

	io_options_release(&options);
	return rc ? err.text : NULL;
}

static void a_range_that_does_not_fit_is_named(void **state)
{
	struct io_pattern_spec out;

	(void)state;
	assert_null(range("bs=4k", 10 * 4096 + 512, 512, &out));
	assert_int_equal(out.size, 10 * 4096);
	assert_null(range("bs=4k offset=8k size=16k", 1 << 20, 512, &out));
	assert_int_equal(out.offset, 8192);
	assert_int_equal(out.size, 16384);
	assert_non_null(strstr(range("bs=512", 1 << 20, 4096, &out),
			       "loop3 takes direct IO in multiples of 4096"));
	assert_null(range("bs=512 direct=no", 1 << 20, 4096, &out));
	assert_non_null(strstr(range("bs=4k offset=100", 1 << 20, 512, &out), "offset=100"));
	assert_non_null(strstr(range("bs=4k size=5000", 1 << 20, 512, &out), "size=5000"));
	assert_non_null(strstr(range("bs=4k size=2M", 1 << 20, 512, &out), "loop3 is too small"));
	assert_non_null(strstr(range("bs=4k offset=1M", 1 << 20, 512, &out), "loop3 is too small"));
	assert_non_null(strstr(range("bs=2M", 1 << 20, 512, &out), "loop3 is too small"));
	/* no wrap of the sum */
	assert_non_null(strstr(range("bs=4k offset=8191P size=8191P", 1 << 20, 512, &out), "small"));
}

static bool destroys(const char *text)
{
	struct io_options options = taken(text);
	bool destroy = io_options_destroy(&options);

	io_options_release(&options);
	return destroy;
}

static void what_is_lost_needs_consent(void **state)
{
	(void)state;
	assert_true(destroys("devices=sda rw=randwrite"));
	assert_true(destroys("devices=sda rw=randread fill=yes"));
	assert_true(destroys("devices=sda rw=randread fs=ext4"));
	/* mkfs is run for these, too */
	assert_true(destroys("devices=sda rw=randread fs=ext4 engine=null"));
	assert_true(destroys("devices=sda rw=randwrite fs=ext4 engine=nop"));
	assert_false(destroys("devices=sda rw=randread"));
	assert_false(destroys("devices=sda rw=rw rwmixread=100"));
	assert_false(destroys("devices=sda rw=randwrite engine=null"));
	assert_false(destroys("directory=/tmp rw=randwrite"));
}

/* Its mark has a place inside the last 4 MiB. */
static void a_disk_that_is_written_keeps_brunts_mark(void **state)
{
	struct io_pattern_spec out;

	(void)state;
	assert_null(range("devices=sda rw=randwrite", 64 << 20, 512, &out));
	assert_int_equal(out.size, (64 << 20) - DISK_EDGE);
	assert_null(range("devices=sda rw=randread", 64 << 20, 512, &out));
	assert_int_equal(out.size, 64 << 20);
	assert_null(range("devices=loop:1:64M rw=randwrite", 64 << 20, 512, &out));
	assert_int_equal(out.size, 64 << 20);
	assert_non_null(strstr(range("devices=sda rw=write size=62M", 64 << 20, 512, &out), "mark"));
}

static void limits_are_computed_and_named(void **state)
{
	struct io_options options = taken("devices=loop:1000:1M depth=16");
	struct err err = { .text = "" };

	(void)state;
	assert_int_equal(io_limits_workers(&options, 1000, 2), 2);
	assert_int_equal(io_limits_workers(&options, 1, 2), 1);
	options.workers = 5;
	assert_int_equal(io_limits_workers(&options, 1000, 2), 5);
	options.engine = &io_engine_psync;
	assert_int_equal(io_limits_workers(&options, 1000, 2), 1000);
	options.engine = &io_engine_uring;
	options.iodepth = 100;
	assert_int_equal(io_limits_check(&options, 1000, 2, &err), -EINVAL);
	assert_non_null(strstr(err.text, "workers=4"));
	options.engine = &io_engine_aio;
	options.iodepth = 32768;
	assert_int_equal(io_limits_check(&options, 4096, 4096, &err), -ENOENT);
	assert_int_equal(err.status, EXIT_MISSING);
	assert_non_null(strstr(err.text, "fs.aio-max-nr"));
	io_options_release(&options);
}

static void metrics_follow_from_the_keys(void **state)
{
	struct io_options options = taken("rw=randread");

	(void)state;
	assert_true(io_result_has(&options, "read.iops"));
	assert_true(io_result_has(&options, "read.lat.p99.9"));
	assert_true(io_result_has(&options, "read.slat.mean"));
	assert_true(io_result_has(&options, "cpu_per_io"));
	assert_false(io_result_has(&options, "write.iops"));
	assert_false(io_result_has(&options, "sync.iops"));
	assert_false(io_result_has(&options, "read.lat.p42"));
	io_options_release(&options);
	options = taken("rw=write fsync=1 engine=psync");
	assert_false(io_result_has(&options, "read.iops"));
	assert_true(io_result_has(&options, "write.lat.p99"));
	assert_false(io_result_has(&options, "write.slat.mean"));
	assert_true(io_result_has(&options, "sync.lat.p99"));
	assert_false(io_result_has(&options, "sync.bw"));
	io_options_release(&options);
}

static void there_is_a_cpu_for_workers(void **state)
{
	struct cpu_list cpus;

	(void)state;
	assert_in_range(io_cpus_find(NULL, 0, &cpus), 1, sysconf(_SC_NPROCESSORS_ONLN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fallbacks_are_as_documented),
		cmocka_unit_test(names_have_a_second_form),
		cmocka_unit_test(operations_of_rw),
		cmocka_unit_test(block_sizes),
		cmocka_unit_test(what_does_not_go_together),
		cmocka_unit_test(a_range_that_does_not_fit_is_named),
		cmocka_unit_test(what_is_lost_needs_consent),
		cmocka_unit_test(a_disk_that_is_written_keeps_brunts_mark),
		cmocka_unit_test(limits_are_computed_and_named),
		cmocka_unit_test(metrics_follow_from_the_keys),
		cmocka_unit_test(there_is_a_cpu_for_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
