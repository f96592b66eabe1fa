// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/parsed_figures.h"

/* ---- JSON ---- */

static void a_job_alone_is_a_configuration(void **state)
{
	struct parsed parsed = parsed_file("fio", "fio/one-job.json");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_int_equal(parsed.nnotes, 0);
	assert_string_equal(parsed.records[0].config, "randrw");
	assert_string_equal(parsed.records[0].workload, "fio");
	assert_int_equal(parsed.records[0].npoint, 0);
	assert_false(parsed.records[0].failed);
	assert_run(&parsed, 0, "read.iops", "1/s", 8000);
	assert_run(&parsed, 0, "read.bw", "B/s", 32768000);
	assert_run(&parsed, 0, "write.iops", "1/s", 2666.666667);
	assert_run(&parsed, 0, "user_percent", "%", 2.25);
	assert_run(&parsed, 0, "sys_percent", "%", 7.5);
	assert_int_equal(parsed_need(&parsed, 0, "read.iops")->better, PARSED_HIGHER);
	assert_true(parsed_need(&parsed, 0, "read.iops")->headline);
	assert_null(parsed_metric(&parsed, 0, "trim.iops"));
	parsed_release(&parsed);
}

static void latencies_are_seconds_and_keep_what_they_are_of(void **state)
{
	struct parsed parsed = parsed_file("fio", "fio/one-job.json");

	(void)state;
	assert_run(&parsed, 0, "read.clat.mean", "s", 90000.125e-9);
	assert_run(&parsed, 0, "read.lat.mean", "s", 91800.125e-9);
	assert_run(&parsed, 0, "read.clat.p99", "s", 544500e-9);
	assert_run(&parsed, 0, "write.clat.p50", "s", 148000e-9);
	assert_non_null(parsed_metric(&parsed, 0, "read.clat.p99.95"));
	assert_null(parsed_metric(&parsed, 0, "read.lat.p99"));
	assert_int_equal(parsed_need(&parsed, 0, "read.clat.p99")->better, PARSED_LOWER);
	assert_true(parsed_need(&parsed, 0, "read.clat.p99")->headline);
	assert_false(parsed_need(&parsed, 0, "read.clat.p95")->headline);
	/* a bin of fio's is as wide as a 64th of its value at most */
	assert_double(parsed_need(&parsed, 0, "read.clat.p99")->half_step, 544500e-9 / 128, 1e-12);
	parsed_release(&parsed);
}

static void a_rate_is_as_exact_as_the_millisecond_clock(void **state)
{
	struct parsed parsed = parsed_file("fio", "fio/two-clones.json");

	(void)state;
	assert_double(parsed_need(&parsed, 0, "read.iops")->half_step, 500. / 10000 / 2, 1.01);
	assert_run(&parsed, 2, "write.iops", "1/s", 300000);
	assert_double(parsed_need(&parsed, 2, "write.iops")->half_step, 50000, 1e-12);
	assert_note(&parsed, 333, "ran for 3 ms only");
	parsed_release(&parsed);
}

static void jobs_of_one_name_are_no_repetitions(void **state)
{
	struct parsed parsed = parsed_file("fio", "fio/two-clones.json");

	(void)state;
	assert_int_equal(parsed.n, 3);
	for (size_t i = 0; i < parsed.n; i++) {
		assert_null(parsed.records[i].config);
		assert_point(&parsed, i, "job", i < 2 ? "seqread" : "log");
	}
	assert_point(&parsed, 0, "clone", "1");
	assert_point(&parsed, 1, "clone", "2");
	assert_point(&parsed, 2, "clone", NULL);
	assert_run(&parsed, 0, "read.iops", "1/s", 500);
	assert_run(&parsed, 1, "read.iops", "1/s", 400);
	assert_note(&parsed, parsed.records[0].line, "called alike");
	parsed_release(&parsed);
}

static void clients_are_hosts_and_their_sum_is_none(void **state)
{
	struct parsed parsed = parsed_file("fio", "fio/clients.json");

	(void)state;
	assert_int_equal(parsed.n, 3);
	assert_string_equal(parsed.records[0].host, "alpha");
	assert_string_equal(parsed.records[1].host, "beta");
	assert_null(parsed.records[2].host);
	assert_point(&parsed, 2, "job", "All clients");
	assert_run(&parsed, 1, "read.iops", "1/s", 400);
	assert_run(&parsed, 2, "read.iops", "1/s", 1000);
	parsed_release(&parsed);
}

static void version_2_has_microseconds_and_kibibytes(void **state)
{
	struct parsed parsed = parsed_file("fio", "fio/version-2.json");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_run(&parsed, 0, "read.bw", "B/s", 32000. * 1024);
	assert_double(parsed_need(&parsed, 0, "read.bw")->half_step, 1638.4, 1e-12);
	assert_run(&parsed, 0, "read.clat.mean", "s", 250.000125e-6);
	assert_run(&parsed, 0, "read.clat.p99", "s", 1512e-6);
	assert_note(&parsed, 52, "was there already");
	parsed_release(&parsed);
}

static void of_several_documents_the_last_counts(void **state)
{
	struct parsed parsed = parsed_file("fio", "fio/status-interval.json");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_run(&parsed, 0, "read.iops", "1/s", 1050);
	assert_note(&parsed, 103, "2 documents");
	parsed_release(&parsed);
}

static void a_document_that_breaks_off_is_said(void **state)
{
	struct parsed parsed = parsed_file("fio", "fio/broken.json");

	(void)state;
	assert_int_equal(parsed.n, 0);
	assert_note(&parsed, 10, "breaks off");
	parsed_release(&parsed);
}

static void json_inside_a_quotation_is_said(void **state)
{
	struct parsed parsed = parsed_text("fio", "He wrote:\n> {\n>  \"jobs\" : [ {\n"
						  ">  \"jobname\" : \"a\",\n");

	(void)state;
	assert_int_equal(parsed.n, 0);
	assert_note(&parsed, 4, "no whole document");
	parsed_release(&parsed);
}

#define JOB(more) "{\"jobs\":[{\"jobname\":\"j\",\"groupid\":0," more "}]}\n"
#define READ(ms) "\"read\":{\"iops\":50.5,\"bw_bytes\":2048,\"bw\":2,\"runtime\":" ms "}"

static void work_that_failed_is_no_result(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ JOB("\"error\":5," READ("1000")), "error 5" },
		{ JOB("\"error\":0,\"total_err\":3," READ("1000")), "3 of its IOs failed" },
		{ JOB("\"error\":0,\"read\":{\"iops\":0,\"total_ios\":0}"), "no figures" },
		{ "fio: terminating on signal 2\n" JOB("\"error\":0," READ("1000")),
		  "interrupted" },
		{ JOB("\"error\":0,\"job options\":{\"time_based\":\"\",\"runtime\":\"1m\"}," READ(
			  "31000")),
		  "ran for 31 s of the 60 s" },
		{ JOB("\"error\":0," READ("18446744071562070")), "cannot be" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsed parsed = parsed_text("fio", cases[i].text);

		assert_int_equal(parsed.n, 1);
		assert_failed(&parsed, 0, cases[i].says);
		parsed_release(&parsed);
	}
}

static void work_that_was_done_in_less_than_the_limit_is_a_result(void **state)
{
	static const char *const cases[] = {
		JOB("\"error\":0,\"job options\":{\"runtime\":\"60\"}," READ("31000")),
		JOB("\"error\":0,\"job options\":{\"time_based\":\"1\",\"runtime\":\"60\"}," READ(
			"59999")),
		JOB("\"error\":0,\"job options\":{\"time_based\":\"1\",\"runtime\":\"60\","
		    "\"number_ios\":\"9\"}," READ("31000")),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct parsed parsed = parsed_text("fio", cases[i]);

		assert_int_equal(parsed.n, 1);
		assert_false(parsed.records[0].failed);
		parsed_release(&parsed);
	}
}

static void what_can_be_read_in_two_ways_is_left_out(void **state)
{
	struct parsed parsed = parsed_text(
		"fio", JOB("\"error\":0,\"read\":{\"iops\":50.5,\"bw_bytes\":2048,\"bw\":77,"
			   "\"runtime\":1000,\"lat_us\":{\"mean\":12}},"
			   "\"write\":{\"iops\":1.5,\"iops\":2.5,\"runtime\":1000}"));

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_run(&parsed, 0, "read.iops", "1/s", 50.5);
	assert_int_equal(parsed.records[0].n, 1);
	assert_note(&parsed, 1, "say different things");
	assert_note(&parsed, 1, "'lat_us' is no name that fio writes");
	assert_note(&parsed, 1, "stand here twice");
	parsed_release(&parsed);
}

/* ---- terse ---- */

static void terse_counts_once_beside_the_output_for_people(void **state)
{
	struct parsed parsed = parsed_file("fio", "fio/terse-3.txt");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_string_equal(parsed.records[0].config, "mix");
	assert_run(&parsed, 0, "read.iops", "1/s", 4000);
	assert_run(&parsed, 0, "read.bw", "B/s", 16000. * 1024);
	assert_run(&parsed, 0, "write.iops", "1/s", 1000);
	assert_run(&parsed, 0, "read.clat.mean", "s", 120.125e-6);
	assert_run(&parsed, 0, "write.clat.p99", "s", 894e-6);
	assert_null(parsed_metric(&parsed, 0, "read.clat.p0"));
	assert_run(&parsed, 0, "user_percent", "%", 3.125);
	assert_run(&parsed, 0, "sys_percent", "%", 9.75);
	assert_note(&parsed, 3, "only the terse lines count");
	parsed_release(&parsed);
}

static void terse_versions_have_their_own_places(void **state)
{
	struct parsed parsed = parsed_file("fio", "fio/terse-5.txt");

	(void)state;
	assert_int_equal(parsed.n, 5);
	assert_run(&parsed, 0, "read.iops", "1/s", 4000);
	assert_run(&parsed, 1, "write.iops", "1/s", 800);
	assert_run(&parsed, 1, "write.clat.p50", "s", 180e-6);
	assert_run(&parsed, 2, "trim.iops", "1/s", 700);
	assert_failed(&parsed, 3, "error 28");
	assert_run(&parsed, 4, "mixed.iops", "1/s", 500);
	assert_point(&parsed, 1, "job", "second");
	assert_run(&parsed, 1, "sys_percent", "%", 9.75);
	assert_note(&parsed, 6, "without all of its fields");
	parsed_release(&parsed);
}

/* ---- normal ---- */

static void units_of_the_output_for_people(void **state)
{
	struct parsed parsed = parsed_file("fio", "fio/normal-3.txt");

	(void)state;
	assert_int_equal(parsed.n, 2);
	assert_point(&parsed, 0, "job", "reader");
	assert_run(&parsed, 0, "read.iops", "1/s", 36500);
	assert_double(parsed_need(&parsed, 0, "read.iops")->half_step, 100, 1e-12);
	assert_run(&parsed, 0, "read.bw", "B/s", 143. * 1048576);
	assert_run(&parsed, 0, "read.slat.mean", "s", 1825.5e-9);
	assert_run(&parsed, 0, "read.clat.mean", "s", 216.75e-6);
	assert_run(&parsed, 0, "read.lat.mean", "s", 218.6e-6);
	assert_run(&parsed, 0, "read.clat.p99", "s", 482e-6);
	assert_run(&parsed, 0, "read.clat.p99.9", "s", 1020e-6);
	assert_run(&parsed, 0, "sys_percent", "%", 21.5);
	assert_failed(&parsed, 1, "error 5");
	assert_run(&parsed, 1, "write.clat.mean", "s", 1.94e-3);
	parsed_release(&parsed);
}

static void kb_of_version_2_are_1024_bytes(void **state)
{
	struct parsed parsed = parsed_file("fio", "fio/normal-2.txt");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_string_equal(parsed.records[0].config, "oldjob");
	assert_run(&parsed, 0, "read.iops", "1/s", 5120);
	assert_run(&parsed, 0, "read.bw", "B/s", 20480. * 1024);
	assert_run(&parsed, 0, "read.clat.p50", "s", 181e-6);
	parsed_release(&parsed);
}

static void a_wrapped_clock_is_no_zero_iops(void **state)
{
	struct parsed parsed = parsed_file("fio", "fio/wrapped-clock.txt");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_failed(&parsed, 0, "cannot be");
	assert_int_equal(parsed.records[0].n, 0);
	parsed_release(&parsed);
}

static void a_job_that_could_not_begin_is_no_zero_iops(void **state)
{
	struct parsed parsed = parsed_file("fio", "fio/no-aio.txt");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_failed(&parsed, 0, "Resource temporarily unavailable");
	assert_string_equal(parsed.records[0].config, "randjob");
	assert_note(&parsed, 5, "the first of 2 lines");
	parsed_release(&parsed);
}

static void data_that_came_back_wrong_failed(void **state)
{
	struct parsed parsed = parsed_text("fio", "md5: verify failed at file /dev/x offset 4096, "
						  "length 4096 (requested block: ...)\n");

	(void)state;
	assert_int_equal(parsed.n, 1);
	assert_failed(&parsed, 0, "verify failed");
	parsed_release(&parsed);
}

#define INTERRUPTED "fio: terminating on signal 2\n"                               \
		    "w: (groupid=0, jobs=1): err= 0: pid=7: Mon Nov 30 12:00:00 2026\n"  \
		    "  read: IOPS=500, BW=2000KiB/s (2048kB/s)(2000KiB/1000msec)\n"

static void an_interrupted_job_in_a_quotation_is_no_result(void **state)
{
	static const char *const texts[] = { INTERRUPTED,
					     "> fio: terminating on signal 2\n"
					     "> w: (groupid=0, jobs=1): err= 0: pid=7: Mon\n"
					     ">   read: IOPS=500, BW=2000KiB/s (2048kB/s)(2000KiB/"
					     "1000msec)\n" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct parsed parsed = parsed_text("fio", texts[i]);

		assert_int_equal(parsed.n, 1);
		assert_failed(&parsed, 0, "interrupted");
		parsed_release(&parsed);
	}
}

static void terse_lines_in_a_quotation_are_read(void **state)
{
	const char *tests = getenv("BRUNT_TESTS");
	auto_free char *path = xasprintf("%s/fixtures/fio/terse-5.txt", tests ? tests : "tests");
	auto_buf struct buf text = BUF_INIT, quoted = BUF_INIT;
	struct parsed plain, parsed;

	(void)state;
	assert_int_equal(files_read_at(AT_FDCWD, path, 1 << 20, &text), 0);
	for (char *line = strtok(text.s, "\n"); line; line = strtok(NULL, "\n"))
		buf_addf(&quoted, "> %s\n", line);
	parsed = parsed_text("fio", quoted.s);
	plain = parsed_file("fio", "fio/terse-5.txt");
	assert_true(plain.n > 0);
	assert_int_equal(parsed.n, plain.n);
	assert_int_equal(parsed.records[0].n, plain.records[0].n);
	parsed_release(&plain);
	parsed_release(&parsed);
}

static void percentiles_of_a_line_that_was_cut_are_not_taken_for_others(void **state)
{
	struct parsed parsed = parsed_text(
		"fio", "a: (groupid=0, jobs=1): err= 0: pid=1: Thu Jul 12 19:10:54 2018\n"
		       "  read: IOPS=500, BW=2000KiB/s (2048kB/s)(2000KiB/1000msec)\n"
		       "    clat percentiles (usec):\n"
		       "     | 99.00th=[  355], 99.50th=[  367], 9\n9.90th=[  502]\n"
		       "     | 99.99th=[  700]\n");

	(void)state;
	assert_null(parsed_metric(&parsed, 0, "read.clat.p9.9"));
	assert_run(&parsed, 0, "read.clat.p99.5", "s", 367e-6);
	assert_run(&parsed, 0, "read.clat.p99.99", "s", 700e-6);
	assert_note(&parsed, 5, "percentiles");
	parsed_release(&parsed);
}

static void thousands_of_iops_had_a_capital_k_before_3(void **state)
{
	struct parsed parsed = parsed_text(
		"fio", "a: (groupid=0, jobs=1): err= 0: pid=1: Thu Jul 12 19:10:54 2018\n"
		       "  read : io=803081MB, bw=6692.3MB/s, iops=1713.3K, runt=120001msec\n");

	(void)state;
	assert_run(&parsed, 0, "read.iops", "1/s", 1713300);
	parsed_release(&parsed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_alone_is_a_configuration),
		cmocka_unit_test(latencies_are_seconds_and_keep_what_they_are_of),
		cmocka_unit_test(a_rate_is_as_exact_as_the_millisecond_clock),
		cmocka_unit_test(jobs_of_one_name_are_no_repetitions),
		cmocka_unit_test(clients_are_hosts_and_their_sum_is_none),
		cmocka_unit_test(version_2_has_microseconds_and_kibibytes),
		cmocka_unit_test(of_several_documents_the_last_counts),
		cmocka_unit_test(a_document_that_breaks_off_is_said),
		cmocka_unit_test(json_inside_a_quotation_is_said),
		cmocka_unit_test(work_that_failed_is_no_result),
		cmocka_unit_test(work_that_was_done_in_less_than_the_limit_is_a_result),
		cmocka_unit_test(what_can_be_read_in_two_ways_is_left_out),
		cmocka_unit_test(terse_counts_once_beside_the_output_for_people),
		cmocka_unit_test(terse_versions_have_their_own_places),
		cmocka_unit_test(units_of_the_output_for_people),
		cmocka_unit_test(kb_of_version_2_are_1024_bytes),
		cmocka_unit_test(a_wrapped_clock_is_no_zero_iops),
		cmocka_unit_test(an_interrupted_job_in_a_quotation_is_no_result),
		cmocka_unit_test(terse_lines_in_a_quotation_are_read),
		cmocka_unit_test(thousands_of_iops_had_a_capital_k_before_3),
		cmocka_unit_test(percentiles_of_a_line_that_was_cut_are_not_taken_for_others),
		cmocka_unit_test(a_job_that_could_not_begin_is_no_zero_iops),
		cmocka_unit_test(data_that_came_back_wrong_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
