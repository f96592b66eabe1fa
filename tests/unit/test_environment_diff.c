// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "results/environment_diff.h"

/* Sets of sessions in which only what is compared matters. */
static void add_session(struct set_data *data, const char *id, const char *label,
			const char *environment)
{
	auto_free char *text = xasprintf("{\"id\":\"%s\",\"host\":\"h\",\"label\":\"%s\","
					 "\"environment\":{%s}}", id, label, environment);
	json_t *session;

	assert_int_equal(json_parse(text, strlen(text), id, &session, NULL), 0);
	if (!data->sessions)
		data->sessions = json_object();
	json_object_set_new(data->sessions, id, session);
}

/* "1->2 key; 1->3 other": sessions and keys of all pairs. */
static void assert_pairs(const struct set_data *sets, size_t nsets, const char *expected)
{
	struct environment_pairs pairs;
	auto_buf struct buf text = BUF_INIT;

	buf_clear(&text);
	environment_pairs_find(sets, nsets, &pairs);
	for (size_t i = 0; i < pairs.n; i++) {
		buf_addf(&text, "%s%s->%s", i ? "; " : "", json_get_text(pairs.v[i].base, "id", ""),
			 json_get_text(pairs.v[i].fresh, "id", ""));
		for (size_t k = 0; k < pairs.v[i].n; k++)
			buf_addf(&text, " %s", pairs.v[i].changes[k].key);
	}
	environment_pairs_release(&pairs);
	assert_string_equal(text.s, expected);
}

static const char same[] = "\"kernel.release\":\"6.1\",\"kernel.version\":\"#1\","
			   "\"kernel.build_id\":\"ab\",\"uptime_s\":1,\"load1\":3,"
			   "\"cpu.governor\":\"powersave\",\"mount./\":\"ext4 rw\","
			   "\"sysctl.vm.swappiness\":\"60\"";

static void one_changed_value_is_named_alone(void **state)
{
	struct set_data data = { .path = (char *)"set" };

	(void)state;
	add_session(&data, "1", "a", same);
	add_session(&data, "2", "b", "\"kernel.release\":\"6.1\",\"kernel.version\":\"#1\","
				     "\"kernel.build_id\":\"ab\",\"uptime_s\":90,\"load1\":0,"
				     "\"cpu.governor\":\"performance\",\"mount./\":\"ext4 rw\","
				     "\"sysctl.vm.swappiness\":\"60\"");
	assert_pairs(&data, 1, "1->2 cpu.governor");
	json_decref(data.sessions);
}

static void mounts_that_came_and_went_are_named(void **state)
{
	struct set_data data = { .path = (char *)"set" };

	(void)state;
	add_session(&data, "1", "a", "\"mount./\":\"ext4 rw\",\"mount./old\":\"xfs rw\"");
	add_session(&data, "2", "a", "\"mount./\":\"ext4 rw\",\"mount./new\":\"xfs rw\"");
	assert_pairs(&data, 1, "1->2 mount./old mount./new");
	json_decref(data.sessions);
}

static void what_an_older_version_did_not_look_at_is_no_difference(void **state)
{
	struct set_data data = { .path = (char *)"set" };

	(void)state;
	add_session(&data, "1", "a", "\"cpu.governor\":\"x\"");
	add_session(&data, "2", "a", "\"cpu.governor\":\"x\",\"mount./\":\"ext4 rw\"");
	assert_pairs(&data, 1, "");
	json_decref(data.sessions);
}

static void of_another_kernel_what_comes_with_it_is_left_out(void **state)
{
	struct set_data data = { .path = (char *)"set" };

	(void)state;
	add_session(&data, "1", "a", same);
	add_session(&data, "2", "b", "\"kernel.release\":\"6.2\",\"kernel.version\":\"#1\","
				     "\"kernel.build_id\":\"cd\",\"kernel.config_sha256\":\"x\","
				     "\"cpu.governor\":\"powersave\",\"mount./\":\"ext4 rw\","
				     "\"sysctl.vm.swappiness\":\"10\",\"sysctl.vm.fresh\":\"1\"");
	assert_pairs(&data, 1, "1->2 kernel.release sysctl.vm.swappiness kernel.config_sha256");
	json_decref(data.sessions);
}

static void two_builds_of_one_release_and_version_are_told_apart(void **state)
{
	struct set_data data = { .path = (char *)"set" };

	(void)state;
	add_session(&data, "1", "a", same);
	add_session(&data, "2", "a", "\"kernel.release\":\"6.1\",\"kernel.version\":\"#1\","
				     "\"kernel.build_id\":\"cd\",\"uptime_s\":1,\"load1\":3,"
				     "\"cpu.governor\":\"powersave\",\"mount./\":\"ext4 rw\","
				     "\"sysctl.vm.swappiness\":\"60\"");
	assert_pairs(&data, 1, "1->2 kernel.build_id");
	json_decref(data.sessions);
}

static void a_session_is_held_against_the_first_of_its_label(void **state)
{
	struct set_data data = { .path = (char *)"set" };

	(void)state;
	add_session(&data, "1", "a", "\"cpu.turbo\":true");
	add_session(&data, "2", "b", "\"cpu.turbo\":false");
	add_session(&data, "3", "b", "\"cpu.turbo\":true");
	add_session(&data, "4", "a", "\"cpu.turbo\":true");
	assert_pairs(&data, 1, "1->2 cpu.turbo; 2->3 cpu.turbo");
	json_decref(data.sessions);
}

static void sets_are_held_against_the_first(void **state)
{
	struct set_data sets[2] = { { .path = (char *)"x" }, { .path = (char *)"y" } };

	(void)state;
	add_session(&sets[0], "1", "a", "\"cpu.smt\":true");
	add_session(&sets[1], "2", "a", "\"cpu.smt\":false");
	assert_pairs(sets, 2, "1->2 cpu.smt");
	json_decref(sets[0].sessions);
	json_decref(sets[1].sessions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_changed_value_is_named_alone),
		cmocka_unit_test(mounts_that_came_and_went_are_named),
		cmocka_unit_test(what_an_older_version_did_not_look_at_is_no_difference),
		cmocka_unit_test(of_another_kernel_what_comes_with_it_is_left_out),
		cmocka_unit_test(two_builds_of_one_release_and_version_are_told_apart),
		cmocka_unit_test(a_session_is_held_against_the_first_of_its_label),
		cmocka_unit_test(sets_are_held_against_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
