// SPDX-License-Identifier: GPL-3.0-or-later
/* What a comparison decides for a script. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/compare_tests.h"

static void worse_beyond_the_bound_is_3(void **state)
{
	struct picked p = { .options = defaults };

	add_runs(*state, "none", fast, 6);
	add_runs(*state, "trace", slow, 6);
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_true(only(&p)->at_best_pct > 10);
	assert_int_equal(gate_status(&no_gate, &p.analysis), EXIT_OK);
	assert_int_equal(status_of(&p, 10, NAN, false), EXIT_WORSE);
	assert_int_equal(status_of(&p, only(&p)->at_best_pct, NAN, false), EXIT_OK);
	assert_int_equal(status_of(&p, 50, NAN, false), EXIT_OK);
	assert_int_equal(status_of(&p, NAN, 10, false), EXIT_NOT_WITHIN);
	assert_int_equal(status_of(&p, NAN, 50, false), EXIT_OK);
	assert_int_equal(status_of(&p, 10, 10, false), EXIT_WORSE); /* 3 before 6 */
	assert_int_equal(status_of(&p, 10, NAN, true), GATE_BAD);
	assert_int_equal(status_of(&p, NAN, NAN, true), GATE_BAD);
	assert_int_equal(status_of(&p, 50, NAN, true), GATE_GOOD);
	assert_int_equal(status_of(&p, 50, 10, true), GATE_UNDECIDED);
	assert_int_equal(status_of(&p, only(&p)->at_best_pct + .01, NAN, true), GATE_UNDECIDED);
	release(&p);
	/* the other way round it is better, whatever the number's sign */
	assert_int_equal(pick(&p, *state, "/trace", *state, "/none"), 0);
	assert_int_equal(status_of(&p, 0, NAN, false), EXIT_OK);
	assert_int_equal(status_of(&p, 0, NAN, true), GATE_GOOD);
	release(&p);
}

/* A change inside the margin reads "equivalent", and is worse all the same. */
static void the_word_of_the_verdict_does_not_hide_a_change(void **state)
{
	struct picked p = { .options = defaults };
	double values[6];

	for (size_t i = 0; i < 6; i++)
		values[i] = 1.005 * fast[i];
	add_runs(*state, "none", fast, 6);
	add_runs(*state, "trace", values, 6);
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_int_equal(only(&p)->verdict, VERDICT_EQUIVALENT);
	assert_int_equal(status_of(&p, .4, NAN, false), EXIT_WORSE);
	assert_int_equal(status_of(&p, 1, 1, false), EXIT_OK);
	assert_int_equal(status_of(&p, NAN, NAN, true), GATE_GOOD);
	release(&p);
}

static void less_is_worse_where_more_is_better(void **state)
{
	struct picked p = { .options = defaults };

	for (unsigned int i = 0; i < 6; i++) {
		char *a = xasprintf("{\"bw\":{\"value\":%g,\"unit\":\"B/s\",\"better\":\"higher\","
				    "\"headline\":true}}", 100 * slow[i]);
		char *b = xasprintf("{\"bw\":{\"value\":%g,\"unit\":\"B/s\",\"better\":\"higher\","
				    "\"headline\":true}}", 100 * fast[i]);

		made_run(*state, "none", i + 1, "measured", "ok", a);
		made_run(*state, "trace", i + 1, "measured", "ok", b);
		free(a);
		free(b);
	}
	assert_int_equal(pick(&p, *state, "/", NULL, NULL), 0);
	assert_true(only(&p)->change_pct < -10);
	assert_int_equal(status_of(&p, 10, NAN, false), EXIT_WORSE);
	assert_int_equal(status_of(&p, 10, NAN, true), GATE_BAD);
	release(&p);
}

static void labels_of_few_boots_are_4(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };
	static const char *const boots[] = { "b1", "b2", "b3", "b4", "b5", "b6" };

	two_by_two(made);
	assert_int_equal(pick(&p, made, "/none", NULL, NULL), 0);
	assert_true(only(&p)->confounded);
	assert_int_equal(gate_status(&no_gate, &p.analysis), EXIT_UNTRUSTED);
	assert_int_equal(status_of(&p, 1, 1, false), EXIT_UNTRUSTED); /* 4 before 3 and 6 */
	assert_int_equal(status_of(&p, 1, NAN, true), GATE_UNDECIDED);
	release(&p);
	p.options.one_boot = true;
	assert_int_equal(pick(&p, made, "/none", NULL, NULL), 0);
	assert_int_equal(status_of(&p, 1, NAN, false), EXIT_WORSE);
	release(&p);
	p.options.one_boot = false;
	for (size_t i = 0; i < 6; i++) {
		made->boot = made->session = boots[i];
		made->label = i < 3 ? "many-a" : "many-b";
		add_runs(made, "none", i < 3 ? &fast[i] : &slow[i - 3], 2);
	}
	assert_int_equal(pick(&p, made, "many-a/none", made, "many-b/none"), 0);
	assert_string_equal(only(&p)->unit, "boot");
	assert_int_equal(only(&p)->n, 3);
	assert_int_equal(status_of(&p, 1, NAN, false), EXIT_WORSE);
	release(&p);
}

/* Whatever is compared: with a boot a side, the boot may be what differs. */
static void sets_of_two_boots_are_4(void **state)
{
	struct made_set *made = *state, other;
	struct picked p = { .options = defaults };

	add_runs(made, "none", fast, 6);
	made_set_init(&other);
	other.boot = "boot2";
	add_runs(&other, "none", slow, 6);
	assert_int_equal(pick(&p, made, "/", &other, "/"), 0);
	assert_true(only(&p)->confounded);
	assert_int_equal(only(&p)->verdict, VERDICT_INCONCLUSIVE);
	assert_string_equal(only(&p)->reason, "set and boot cannot be told apart");
	assert_int_equal(gate_status(&no_gate, &p.analysis), EXIT_UNTRUSTED);
	assert_int_equal(status_of(&p, 1, NAN, true), GATE_UNDECIDED);
	release(&p);
	p.options.one_boot = true;
	assert_int_equal(pick(&p, made, "/", &other, "/"), 0);
	assert_int_equal(status_of(&p, 1, NAN, false), EXIT_WORSE);
	release(&p);
	p.options.one_boot = false;
	other.host = "another";
	add_runs(&other, "trace", slow, 6);
	assert_int_equal(pick(&p, made, "/none", &other, "/trace"), 0);
	assert_string_equal(only(&p)->reason, "host and boot cannot be told apart");
	release(&p);
	made_set_release(&other);
}

static void configurations_of_two_boots_are_4(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };

	made_session(made, "2026-01-01T00:00:01Z", "[{\"name\":\"none\"}]", "");
	add_runs(made, "none", fast, 6);
	made->session = "s2";
	made->boot = "boot2";
	made_session(made, "2026-01-01T00:00:02Z", "[{\"name\":\"late\"}]", "");
	add_runs(made, "late", slow, 6);
	assert_int_equal(pick(&p, made, "/none", made, "/late"), 0);
	assert_string_equal(only(&p)->reason, "configuration and boot cannot be told apart");
	release(&p);
}

/* The boot is known to be the same; what is not known is what time did between the labels. */
static void labels_of_one_boot_are_4_for_another_reason(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };

	add_runs(made, "none", fast, 6);
	made->session = "s2";
	made->label = "6.2";
	add_runs(made, "none", slow, 6);
	assert_int_equal(pick(&p, made, "/none", NULL, NULL), 0);
	assert_string_equal(only(&p)->reason,
			    "labels of one boot: label and time cannot be told apart");
	assert_int_equal(gate_status(&no_gate, &p.analysis), EXIT_UNTRUSTED);
	release(&p);
	p.options.one_boot = true;
	assert_int_equal(pick(&p, made, "/none", NULL, NULL), 0);
	assert_int_equal(only(&p)->verdict, VERDICT_WORSE);
	release(&p);
}

static void an_invalid_verdict_is_4(void **state)
{
	struct made_set *made = *state;
	struct picked p = { .options = defaults };

	add_runs(made, "none", fast, 6);
	add_runs(made, "trace", slow, 6);
	for (unsigned int i = 7; i < 10; i++)
		made_run(made, "trace", i, "measured", "invalid: lost", MADE_METRIC("real", "1"));
	assert_int_equal(pick(&p, made, "/", NULL, NULL), 0);
	assert_int_equal(only(&p)->verdict, VERDICT_INVALID);
	assert_int_equal(status_of(&p, 1, 1, false), EXIT_UNTRUSTED);
	assert_int_equal(status_of(&p, 1, NAN, true), GATE_UNDECIDED);
	release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(worse_beyond_the_bound_is_3),
		MADE_TEST(the_word_of_the_verdict_does_not_hide_a_change),
		MADE_TEST(less_is_worse_where_more_is_better),
		MADE_TEST(labels_of_few_boots_are_4),
		MADE_TEST(sets_of_two_boots_are_4),
		MADE_TEST(configurations_of_two_boots_are_4),
		MADE_TEST(labels_of_one_boot_are_4_for_another_reason),
		MADE_TEST(an_invalid_verdict_is_4),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
