// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/json.h"
#include "tests/unit/assert_double.h"
#include "tests/unit/made_set.h"

static void read_back(const struct made_set *made, struct set_data *data)
{
	struct err err = { 0 };

	assert_int_equal(set_read(made->path, data, &err), 0);
}

static char *runs_text(const struct made_set *made)
{
	struct buf text = BUF_INIT;
	char *path = files_join(made->path, "runs.jsonl");

	assert_int_equal(files_read_at(AT_FDCWD, path, 1 << 24, &text), 0);
	free(path);
	return buf_steal(&text);
}

static void a_new_set_has_its_layout(void **state)
{
	struct made_set *made = *state;
	static const char *const names[] = { "sessions", "runs", "runs.jsonl", "lock" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = files_join(made->path, names[i]);

		assert_true(files_exists(path));
		free(path);
	}
	assert_true(set_is(made->path));
	assert_false(set_is(made->folder));
	assert_string_equal(set_path(made->set), made->path);
}

static void a_run_is_two_lines(void **state)
{
	struct made_set *made = *state;
	unsigned int number = made_value(made, "none", 1, "real", 1.25);
	char *text, *end, *folder = set_run_folder(made->set, number);
	struct set_data data;
	struct stat st;

	assert_int_equal(number, 1);
	assert_int_equal(stat(folder, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	text = runs_text(made);
	assert_ptr_equal(strstr(text, "{\"schema\":\"1.0\",\"event\":\"start\",\"run\":1,"), text);
	end = strchr(text, '\n') + 1;
	assert_ptr_equal(strstr(end, "{\"schema\":\"1.0\",\"event\":\"end\",\"run\":1,"), end);
	assert_string_equal(strchr(end, '\n'), "\n");
	read_back(made, &data);
	assert_int_equal(data.nruns, 1);
	assert_int_equal(data.nunended, 0);
	assert_int_equal(data.skipped, 0);
	assert_int_equal(data.last_run, 1);
	assert_int_equal(data.runs[0].status, RUN_OK);
	assert_true(data.runs[0].measured);
	assert_int_equal(data.runs[0].nvalues, 1);
	assert_string_equal(data.runs[0].values[0].metric->name, "real");
	assert_true(data.runs[0].values[0].metric->headline);
	assert_double(data.runs[0].values[0].value, 1.25, 0);
	set_data_release(&data);
	free(text);
	free(folder);
}

static void numbers_go_on_after_reopening(void **state)
{
	struct made_set *made = *state;
	struct err err = { 0 };

	made_value(made, "none", 1, "real", 1);
	made_value(made, "none", 2, "real", 1);
	set_close(made->set);
	assert_int_equal(set_open(made->path, false, &made->set, &err), 0);
	assert_int_equal(made_value(made, "none", 3, "real", 1), 3);
}

static void write_many(const char *path, unsigned int n)
{
	struct set *set;
	struct err err = { 0 };
	unsigned int number;

	if (set_open(path, true, &set, &err))
		_exit(2);
	for (unsigned int i = 0; i < n; i++) {
		json_t *line = json_pack("{s:s,s:s,s:i,s:s}", "config", "none", "session", "s",
					 "writer", (int)getpid(), "role", "measured");

		if (set_begin_run(set, line, &number, &err))
			_exit(3);
		json_object_set_new(line, "status", json_string("ok"));
		if (set_end_run(set, line, &err))
			_exit(4);
		json_decref(line);
	}
	set_close(set);
	_exit(0);
}

static void two_writers_never_get_one_number_twice(void **state)
{
	enum { RUNS = 200 };
	struct made_set *made = *state;
	struct set_data data;
	pid_t children[2];
	bool *seen = xcalloc(2 * RUNS + 1, sizeof(*seen));
	int status;

	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (!children[i])
			write_many(made->path, RUNS);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	read_back(made, &data);
	assert_int_equal(data.nruns, 2 * RUNS);
	assert_int_equal(data.skipped, 0);
	assert_int_equal(data.nunended, 0);
	for (size_t i = 0; i < data.nruns; i++) {
		assert_in_range(data.runs[i].number, 1, 2 * RUNS);
		assert_false(seen[data.runs[i].number]);
		seen[data.runs[i].number] = true;
	}
	set_data_release(&data);
	free(seen);
}

static void a_torn_line_is_ended_skipped_and_counted(void **state)
{
	struct made_set *made = *state;
	struct set_data data;
	char *text;

	made_value(made, "none", 1, "real", 1);
	made_append(made, "{\"schema\":\"1.0\",\"event\":\"sta");
	made_value(made, "none", 2, "real", 2);
	made_append(made, "{\"schema\":\"1.0\",\"event\":\"end\",\"run\":");
	read_back(made, &data);
	assert_int_equal(data.nruns, 2);
	assert_int_equal(data.skipped, 2);
	assert_double(data.runs[1].values[0].value, 2, 0);
	set_data_release(&data);
	text = runs_text(made);
	assert_non_null(strstr(text, "\"sta\n{\"schema\""));
	free(text);
}

static void lines_that_are_no_runs_are_counted_too(void **state)
{
	struct made_set *made = *state;
	struct set_data data;

	made_append(made, "[1,2]\n\n\"text\"\n{\"event\":\"end\",\"run\":1}\n"
			  "{\"event\":\"end\",\"run\":-3,\"config\":\"a\",\"status\":\"ok\"}\n"
			  "{\"event\":\"end\",\"run\":1,\"run\":2,\"config\":\"a\","
			  "\"status\":\"ok\"}\n"
			  "{\"event\":\"note\",\"text\":\"of a later minor version\"}\n");
	read_back(made, &data);
	assert_int_equal(data.nruns, 0);
	assert_int_equal(data.skipped, 5);
	set_data_release(&data);
}

static void a_number_is_not_given_again_after_a_torn_start(void **state)
{
	struct made_set *made = *state;
	char *folder = set_run_folder(made->set, 1);

	/* killed between the folder and the line */
	assert_int_equal(mkdir(folder, 0755), 0);
	assert_int_equal(made_value(made, "none", 1, "real", 1), 2);
	free(folder);
}

static void a_start_without_an_end_is_found(void **state)
{
	struct made_set *made = *state;
	json_t *line = json_pack("{s:s,s:s,s:i}", "config", "none", "session", "s1", "round", 4);
	struct err err = { 0 };
	struct set_data data;
	unsigned int number;

	made_value(made, "none", 1, "real", 1);
	assert_int_equal(set_begin_run(made->set, line, &number, &err), 0);
	made_value(made, "none", 2, "real", 1);
	read_back(made, &data);
	assert_int_equal(data.nruns, 2);
	assert_int_equal(data.nunended, 1);
	assert_int_equal(data.unended[0].number, number);
	assert_int_equal(data.unended[0].round, 4);
	assert_string_equal(data.unended[0].config, "none");
	set_data_release(&data);
	json_decref(line);
}

static void a_run_that_ends_twice_counts_once(void **state)
{
	struct made_set *made = *state;
	struct set_data data;
	char *text;

	made_value(made, "none", 1, "real", 1);
	made_value(made, "none", 2, "real", 2);
	text = runs_text(made);
	made_append(made, text);
	read_back(made, &data);
	assert_int_equal(data.nruns, 2);
	assert_int_equal(data.skipped, 2);
	assert_double(data.runs[1].values[0].value, 2, 0);
	set_data_release(&data);
	free(text);
}

static void an_end_without_a_number_is_refused(void **state)
{
	struct made_set *made = *state;
	json_t *line = json_object();
	struct err err = { 0 };

	assert_int_equal(set_end_run(made->set, line, &err), -EINVAL);
	json_decref(line);
}

static void a_newer_schema_is_refused(void **state)
{
	struct made_set *made = *state;
	struct set_data data;
	struct err err = { 0 };

	made_value(made, "none", 1, "real", 1);
	made_append(made, "{\"schema\":\"1.9\",\"event\":\"end\",\"run\":2,\"config\":\"a\","
			  "\"status\":\"ok\",\"new\":{\"key\":1}}\n");
	read_back(made, &data);
	assert_int_equal(data.nruns, 2);
	set_data_release(&data);
	made_append(made, "{\"schema\":\"2.0\",\"event\":\"end\",\"run\":3}\n");
	assert_int_equal(set_read(made->path, &data, &err), -EINVAL);
	assert_non_null(strstr(err.text, "schema 2.0 is newer than this brunt"));
}

static void a_newer_session_is_refused(void **state)
{
	struct made_set *made = *state;
	json_t *session = json_pack("{s:s,s:s}", "schema", "2.1", "id", "x");
	struct set_data data;
	struct err err = { 0 };

	assert_int_equal(set_write_session(made->set, "x", session, &err), 0);
	assert_int_equal(set_read(made->path, &data, &err), -EINVAL);
	assert_non_null(strstr(err.text, "schema 2.1 is newer"));
	json_decref(session);
}

static void sessions_come_in_the_order_of_their_start(void **state)
{
	struct made_set *made = *state;
	struct set_data data;
	const char *id;
	json_t *session;
	char *torn = files_join(made->path, "sessions/torn.json");
	struct err err = { 0 };
	size_t i = 0;

	made->session = "a";
	made_session(made, "2026-11-30T12:00:02Z", "[]", "");
	made->session = "b";
	made_session(made, "2026-11-30T12:00:01Z", "[]", "");
	made->session = "a"; /* written anew as it ends */
	made_session(made, "2026-11-30T12:00:02Z", "[]", ",\"status\":\"complete\"");
	assert_int_equal(files_replace(torn, "{\"id\":", 6, &err), 0);
	read_back(made, &data);
	assert_int_equal(json_object_size(data.sessions), 2);
	json_object_foreach(data.sessions, id, session)
		assert_string_equal(id, i++ ? "a" : "b");
	assert_string_equal(json_get_text(set_data_session(&data, "a"), "status", ""), "complete");
	assert_null(set_data_session(&data, "c"));
	assert_int_equal(data.skipped, 1);
	set_data_release(&data);
	free(torn);
}

static void a_line_is_read_with_all_that_reports_need(void **state)
{
	struct made_set *made = *state;
	const struct set_run *run, *other;
	struct set_data data;

	made_append(made,
		    "{\"schema\":\"1.0\",\"event\":\"end\",\"run\":5,\"round\":3,\"position\":2,"
		    "\"session\":\"s\",\"host\":\"h\",\"boot_id\":\"b\",\"label\":\"l\","
		    "\"config\":\"c\",\"workload\":\"w\",\"point\":{\"jobs\":4,\"fs\":\"ext3\"},"
		    "\"role\":\"warmup\",\"start_boottime_ns\":77,\"status\":\"invalid\","
		    "\"reason\":\"lost\","
		    "\"marks\":[{\"name\":\"steal\",\"text\":\"much\"},\"old\"],"
		    "\"metrics\":{\"lat\":{\"value\":null,\"unit\":\"us\",\"better\":\"none\"},"
		    "\"x\":{\"value\":2,\"unit\":\"1/s\",\"better\":\"higher\",\"headline\":true,"
		    "\"half_step\":0.5}},\"tracer\":{\"backend\":\"tracefs\",\"events\":9,"
		    "\"lost\":0},\"system\":{\"kthread_s\":0.25}}\n"
		    "{\"event\":\"end\",\"run\":6,\"config\":\"c\",\"status\":\"aborted\"}\n");
	read_back(made, &data);
	assert_int_equal(data.nruns, 2);
	run = &data.runs[0];
	other = &data.runs[1];
	assert_int_equal(run->number, 5);
	assert_int_equal(run->round, 3);
	assert_int_equal(run->position, 2);
	assert_false(run->measured);
	assert_int_equal(run->status, RUN_INVALID);
	assert_string_equal(run->reason, "lost");
	assert_string_equal(run->point, "jobs=4 fs=ext3");
	assert_int_equal(json_get_int(json_object_get(data.points, run->point), "jobs", 0), 4);
	assert_true(run->start_boottime_ns == 77);
	assert_int_equal(run->nmarks, 2);
	assert_string_equal(run->marks[0].text, "much");
	assert_string_equal(run->marks[1].name, "old");
	assert_nan(run->values[0].value);
	assert_false(run->values[0].metric->headline);
	assert_string_equal(run->values[1].metric->better, "higher");
	assert_true(run->values[1].metric->headline);
	assert_double(run->values[1].half_step, .5, 0);
	assert_string_equal(run->ledger.backend, "tracefs");
	assert_double(run->ledger.events, 9, 0);
	assert_nan(run->ledger.bytes);
	assert_double(run->ledger.kthread_s, .25, 0);
	/* what is not known is not ok */
	assert_int_equal(other->status, RUN_INVALID);
	assert_string_equal(other->reason, "no reason was recorded");
	assert_string_equal(other->point, "");
	assert_ptr_equal(other->config, run->config);
	set_data_release(&data);
}

static void what_is_no_set_is_not_opened(void **state)
{
	struct made_set *made = *state;
	char *path = files_join(made->folder, "no");
	struct set_data data;
	struct set *set;
	struct err err = { 0 };

	assert_int_equal(set_open(path, false, &set, &err), -ENOENT);
	assert_int_equal(set_read(path, &data, &err), -ENOENT);
	assert_false(files_exists(path));
	/* the folder that holds our set holds other things than a set */
	assert_int_equal(set_open(made->folder, true, &set, &err), -ENOTEMPTY);
	free(path);
}

static void an_empty_folder_becomes_a_set(void **state)
{
	struct made_set *made = *state;
	char *path = files_join(made->folder, "empty");
	struct set_data data;
	struct set *set;
	struct err err = { 0 };

	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(set_open(path, true, &set, &err), 0);
	set_close(set);
	assert_int_equal(set_read(path, &data, &err), 0);
	assert_int_equal(data.nruns, 0);
	assert_int_equal(data.last_run, 0);
	set_data_release(&data);
	free(path);
}

static void a_default_path_is_new(void **state)
{
	struct made_set *made = *state;
	auto_free char *cwd = getcwd(NULL, 0);
	auto_free char *first = NULL, *second = NULL;
	struct err err = { 0 };

	assert_int_equal(chdir(made->folder), 0);
	/* the clock may step to the next second between the two calls */
	for (int i = 0; i < 5; i++) {
		free(first);
		free(second);
		first = set_default_path("storm");
		assert_int_equal(strncmp(first, "brunt-results/storm-", 20), 0);
		assert_int_equal(strlen(first), strlen("brunt-results/storm-20261130-120751"));
		assert_int_equal(files_make_dirs(first, &err), 0);
		second = set_default_path("storm");
		assert_string_not_equal(first, second);
		if (!strncmp(first, second, strlen(first)))
			break;
	}
	assert_int_equal(strncmp(second, first, strlen(first)), 0);
	assert_string_equal(second + strlen(first), "-2");
	assert_int_equal(chdir(cwd), 0);
}

static void touch_at(const char *path, time_t when)
{
	const struct timespec times[2] = { { when, 0 }, { when, 0 } };

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_newest_set_is_the_one_written_last(void **state)
{
	struct made_set *made = *state;
	auto_free char *cwd = getcwd(NULL, 0);
	auto_free char *newest = NULL;
	auto_json json_t *session = json_object();
	struct set *a, *b, *refused;
	struct err err = { 0 };

	assert_int_equal(chdir(made->folder), 0);
	assert_int_equal(set_newest(&newest, &err), -ENOENT);
	assert_int_equal(set_open("brunt-results/a", true, &a, &err), 0);
	assert_int_equal(set_open("brunt-results/b", true, &b, &err), 0);
	assert_int_equal(set_open("brunt-results/refused", true, &refused, &err), 0);
	assert_int_equal(set_write_session(a, "s", session, &err), 0);
	assert_int_equal(set_write_session(b, "s", session, &err), 0);
	assert_int_equal(files_make_dirs("brunt-results/z-no-set", &err), 0);
	touch_at("brunt-results/refused/runs.jsonl", 3000);
	touch_at("brunt-results/a/runs.jsonl", 2000);
	touch_at("brunt-results/b/runs.jsonl", 1000);
	assert_int_equal(set_newest(&newest, &err), 0);
	assert_string_equal(newest, "brunt-results/a");
	set_close(a);
	set_close(b);
	set_close(refused);
	assert_int_equal(chdir(cwd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(a_new_set_has_its_layout),
		MADE_TEST(a_run_is_two_lines),
		MADE_TEST(numbers_go_on_after_reopening),
		MADE_TEST(two_writers_never_get_one_number_twice),
		MADE_TEST(a_torn_line_is_ended_skipped_and_counted),
		MADE_TEST(lines_that_are_no_runs_are_counted_too),
		MADE_TEST(a_number_is_not_given_again_after_a_torn_start),
		MADE_TEST(a_start_without_an_end_is_found),
		MADE_TEST(a_run_that_ends_twice_counts_once),
		MADE_TEST(an_end_without_a_number_is_refused),
		MADE_TEST(a_newer_schema_is_refused),
		MADE_TEST(a_newer_session_is_refused),
		MADE_TEST(sessions_come_in_the_order_of_their_start),
		MADE_TEST(a_line_is_read_with_all_that_reports_need),
		MADE_TEST(what_is_no_set_is_not_opened),
		MADE_TEST(an_empty_folder_becomes_a_set),
		MADE_TEST(a_default_path_is_new),
		MADE_TEST(the_newest_set_is_the_one_written_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
