// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "machine/fitness.h"

static const char good[] =
	"{\"cpu.governor\":\"performance\",\"cpu.turbo\":false,\"cpu.smt\":false,\"cpu.count\":8,"
	"\"memory.total_bytes\":17179869184,\"memory.swap_bytes\":0,"
	"\"trace.current_tracer\":\"nop\",\"trace.events\":0,\"kernel.lockdown\":\"none\","
	"\"kernel.hz_tick_accounting\":\"virt-gen\",\"virtualisation\":\"none\","
	"\"process.cpus\":\"0-7\",\"cpu.online\":\"0-7\",\"process.cgroup_cpus\":\"none\","
	"\"sysctl.kernel.nmi_watchdog\":\"0\",\"sysctl.kernel.numa_balancing\":\"0\"}";

static struct fitness_facts quiet(void)
{
	return (struct fitness_facts){ .running = 0, .load1 = 0.1,
				       .memory_available = 8ULL << 30, .files_limit = 65536,
				       .aio_limit = 65536, .is_root = 1 };
}

/* The names of what hinders (or is unknown), as "a b". */
static void assert_found(const char *environment, const struct fitness_facts *facts,
			 enum fitness_state state, const char *expected)
{
	auto_json json_t *map = NULL;
	auto_buf struct buf names = BUF_INIT;
	struct fitness fitness;

	assert_int_equal(json_parse(environment, strlen(environment), "map", &map, NULL), 0);
	buf_clear(&names);
	fitness_judge(map, facts, &fitness);
	for (size_t i = 0; i < fitness.n; i++) {
		assert_true(*fitness.v[i].text);
		if (fitness.v[i].state == FITNESS_HINDERS)
			assert_non_null(fitness.v[i].advice);
		if (fitness.v[i].state == state)
			buf_addf(&names, "%s%s", names.len ? ", " : "", fitness.v[i].name);
	}
	fitness_release(&fitness);
	assert_string_equal(names.s, expected);
}

static void nothing_stands_in_the_way_of_a_good_machine(void **state)
{
	struct fitness_facts facts = quiet();

	(void)state;
	assert_found(good, &facts, FITNESS_HINDERS, "");
	assert_found(good, &facts, FITNESS_UNKNOWN, "");
}

static void unknown_is_not_good(void **state)
{
	struct fitness_facts facts = quiet();

	(void)state;
	facts.load1 = NAN;
	facts.running = -1;
	facts.memory_available = 0;
	assert_found("{}", &facts, FITNESS_UNKNOWN,
		     "governor, turbo, smt, load, memory, tracers, nmi watchdog, numa balancing, "
		     "lockdown, accounting, virtual machine, cpus, cgroup");
	assert_found("{}", &facts, FITNESS_HINDERS, "");
}

static void each_hindrance_is_named_with_what_to_do(void **state)
{
	static const char bad[] =
		"{\"cpu.governor\":\"performance+powersave\",\"cpu.turbo\":true,\"cpu.smt\":true,"
		"\"cpu.count\":2,\"memory.total_bytes\":17179869184,"
		"\"memory.swap_bytes\":1073741824,\"trace.current_tracer\":\"function\","
		"\"trace.events\":0,\"kernel.lockdown\":\"integrity\","
		"\"kernel.hz_tick_accounting\":\"tick\",\"virtualisation\":\"kvm\","
		"\"sysctl.kernel.nmi_watchdog\":\"1\",\"sysctl.kernel.numa_balancing\":\"2\"}";
	struct fitness_facts facts = { .running = 3, .load1 = 2, .memory_available = 1 << 20,
				       .swap_free = 1 << 20, .files_limit = 1024,
				       .aio_used = 60000, .aio_limit = 65536,
				       .dead_sessions = 1 };

	(void)state;
	assert_found(bad, &facts, FITNESS_HINDERS,
		     "governor, turbo, smt, load, memory, swap, tracers, nmi watchdog, "
		     "numa balancing, lockdown, accounting, virtual machine, open files, aio, "
		     "leftovers, user");
}

static void swap_that_is_not_used_is_fine(void **state)
{
	static const char with_swap[] = "{\"memory.swap_bytes\":1073741824}";
	struct fitness_facts facts = quiet();

	(void)state;
	facts.swap_free = 1073741824;
	assert_found(with_swap, &facts, FITNESS_HINDERS, "");
}

static void what_runs_inherit_is_named(void **state)
{
	static const char narrow[] =
		"{\"process.cpus\":\"0\",\"cpu.online\":\"0-7\",\"process.cgroup_cpus\":1.5,"
		"\"process.nice\":19,\"process.policy\":\"batch\","
		"\"process.ld_preload\":\"/lib/libx.so\"}";
	struct fitness_facts facts = quiet();

	(void)state;
	assert_found(narrow, &facts, FITNESS_HINDERS, "cpus, cgroup, priority, preload");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_stands_in_the_way_of_a_good_machine),
		cmocka_unit_test(unknown_is_not_good),
		cmocka_unit_test(each_hindrance_is_named_with_what_to_do),
		cmocka_unit_test(swap_that_is_not_used_is_fine),
		cmocka_unit_test(what_runs_inherit_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
