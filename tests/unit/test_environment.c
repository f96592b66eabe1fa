// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "machine/environment.h"
#include "machine/kernel_config.h"
#include "machine/virtualisation.h"

static json_t *environment;

static int read_once(void **state)
{
	(void)state;
	environment = environment_read();
	return environment ? 0 : -1;
}

static int forget(void **state)
{
	(void)state;
	json_decref(environment);
	return 0;
}

static void all_keys_are_there(void **state)
{
	static const char *const keys[] = {
		"kernel.release",
		"kernel.version",
		"kernel.cmdline",
		"kernel.arch",
		"kernel.lockdown",
		"process.cpus",
		"process.nice",
		"process.policy",
		"process.ld_preload",
		"process.cgroup_cpus",
		"kernel.preempt",
		"kernel.hz_tick_accounting",
		"kernel.hz",
		"kernel.build_id",
		"kernel.config_sha256",
		"kernel.lsm",
		"kernel.tainted",
		"trace.current_tracer",
		"trace.events",
		"cpu.turbo",
		"cpu.idle_states",
		"cpu.online",
		"memory.thp_defrag",
		"memory.ksm",
		"sysctl.kernel.randomize_va_space",
		"sysctl.fs.aio-max-nr",
		"cpu.model",
		"cpu.vendor",
		"cpu.count",
		"cpu.sockets",
		"cpu.cores",
		"cpu.smt",
		"cpu.governor",
		"cpu.driver",
		"cpu.mhz",
		"cpu.microcode",
		"numa.nodes",
		"memory.total_bytes",
		"memory.swap_bytes",
		"memory.thp",
		"sysctl.vm.dirty_ratio",
		"sysctl.vm.dirty_background_ratio",
		"sysctl.vm.swappiness",
		"virtualisation",
		"container",
		"clocksource",
		"os.pretty_name",
		"uptime_s",
		"load1",
		"tool.mke2fs",
		"tool.blktrace",
		"tool.make",
		"tool.gcc",
		"tool.ld",
		"tool.libc",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!json_object_get(environment, keys[i]))
			print_error("no %s\n", keys[i]);
		assert_non_null(json_object_get(environment, keys[i]));
	}
}

static void map_is_flat(void **state)
{
	const char *key;
	json_t *value;

	(void)state;
	json_object_foreach(environment, key, value)
	{
		assert_false(json_is_object(value) || json_is_array(value));
		assert_false(json_is_string(value) && !*json_string_value(value));
	}
}

static void no_isolated_cpu_is_known_not_unknown(void **state)
{
	char line[256] = "";
	int rc = files_read_line_at(AT_FDCWD, "/sys/devices/system/cpu/isolated", line, sizeof(line));
	const char *told = json_get_text(environment, "cpu.isolated", NULL);

	(void)state;
	if (rc)
		assert_null(told);
	else
		assert_string_equal(told, *line ? line : "none");
}

static void agrees_with_the_system(void **state)
{
	struct sysinfo info;
	struct utsname name;

	(void)state;
	uname(&name);
	sysinfo(&info);
	assert_string_equal(json_get_text(environment, "kernel.release", ""), name.release);
	assert_string_equal(json_get_text(environment, "kernel.version", ""), name.version);
	assert_string_equal(json_get_text(environment, "kernel.arch", ""), name.machine);
	assert_string_equal(environment_host(), name.nodename);
	assert_int_equal(json_get_int(environment, "cpu.count", -1), sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(json_get_int(environment, "memory.total_bytes", -1),
			 (int64_t)info.totalram * info.mem_unit);
	assert_int_equal(json_get_int(environment, "memory.swap_bytes", -1),
			 (int64_t)info.totalswap * info.mem_unit);
	assert_true(json_get_number(environment, "uptime_s") > 0);
	assert_true(json_get_number(environment, "load1") >= 0);
}

/* null, or a number of 1 and more that is not above the other. */
static void assert_between_1_and(const char *key, const char *most)
{
	int64_t n = json_get_int(environment, key, 1);

	assert_true(n >= 1);
	assert_true(n <= json_get_int(environment, most, INT64_MAX));
}

static void counts_make_sense(void **state)
{
	(void)state;
	assert_between_1_and("cpu.sockets", "cpu.cores");
	assert_between_1_and("cpu.cores", "cpu.count");
	assert_true(json_get_int(environment, "numa.nodes", 1) >= 1);
}

static void assert_one_of(const char *key, const char *const *words)
{
	const char *value = json_get_text(environment, key, NULL);

	if (!value) {
		assert_true(json_is_null(json_object_get(environment, key)));
		return;
	}
	while (*words && strcmp(*words, value) != 0)
		words++;
	if (!*words)
		print_error("%s is %s\n", key, value);
	assert_non_null(*words);
}

static void words_are_known(void **state)
{
	static const char *const lockdown[] = { "none", "integrity", "confidentiality", NULL };
	static const char *const accounting[] = { "tick", "virt-native", "virt-gen", NULL };
	static const char *const preempt[] = { "none", "voluntary", "full", "lazy", "rt", NULL };
	static const char *const thp[] = { "always", "madvise", "never", NULL };
	static const char *const virtualisation[] = { "none", "kvm",	   "qemu",	 "vmware",
						      "xen",  "microsoft", "unknown vm", NULL };

	(void)state;
	assert_one_of("kernel.lockdown", lockdown);
	assert_one_of("kernel.preempt", preempt);
	assert_one_of("kernel.hz_tick_accounting", accounting);
	assert_one_of("memory.thp", thp);
	assert_one_of("virtualisation", virtualisation);
	assert_true(json_is_boolean(json_object_get(environment, "container")));
}

static void boot_id_is_one(void **state)
{
	const char *id = environment_boot_id();

	(void)state;
	assert_int_equal(strlen(id), 36);
	assert_int_equal(strspn(id, "0123456789abcdef-"), 36);
	assert_ptr_equal(environment_boot_id(), id);
}

static void kernel_config_values(void **state)
{
	static const char text[] = "# CONFIG_HZ_PERIODIC is not set\nCONFIG_HZ_250=y\n"
				   "CONFIG_HZ=250\nCONFIG_LOCALVERSION=\"\"";
	char value[16] = "kept";

	(void)state;
	assert_int_equal(kernel_config_get(text, "CONFIG_HZ", value, sizeof(value)), 0);
	assert_string_equal(value, "250");
	assert_int_equal(kernel_config_get(text, "CONFIG_HZ_2", value, sizeof(value)), -ENOENT);
	assert_int_equal(kernel_config_get(text, "CONFIG_HZ_PERIODIC", value, sizeof(value)),
			 -ENOENT);
	assert_int_equal(kernel_config_get(text, "CONFIG_HZ", value, 3), -ERANGE);
	assert_string_equal(value, "250");
	assert_int_equal(kernel_config_get(text, "CONFIG_LOCALVERSION", value, sizeof(value)), 0);
	assert_string_equal(value, "\"\"");
	assert_true(kernel_config_is(text, "CONFIG_HZ_250", "y"));
	assert_false(kernel_config_is(text, "CONFIG_HZ_250", "m"));
}

static void accounting_of_a_config(void **state)
{
	static const char gen[] =
		"# CONFIG_TICK_CPU_ACCOUNTING is not set\n"
		"CONFIG_VIRT_CPU_ACCOUNTING=y\nCONFIG_VIRT_CPU_ACCOUNTING_GEN=y\n";

	(void)state;
	assert_string_equal(kernel_config_accounting("CONFIG_TICK_CPU_ACCOUNTING=y\n", ""), "tick");
	assert_string_equal(
		kernel_config_accounting("CONFIG_VIRT_CPU_ACCOUNTING_NATIVE=y\n", "quiet"),
		"virt-native");
	assert_string_equal(kernel_config_accounting(gen, "quiet"), "tick");
	assert_string_equal(kernel_config_accounting(gen, "quiet nohz_full=1-3"), "virt-gen");
	assert_null(kernel_config_accounting("CONFIG_HZ=250\n", ""));
}

static void preemption_is_the_model_and_not_the_ability_to_choose(void **state)
{
	static const char dynamic[] = "CONFIG_PREEMPT_DYNAMIC=y\nCONFIG_PREEMPT_VOLUNTARY=y\n";

	(void)state;
	assert_string_equal(kernel_config_preempt(dynamic, "#1 SMP PREEMPT_DYNAMIC x", "quiet"),
			    "voluntary");
	assert_string_equal(kernel_config_preempt(dynamic, "#1 SMP PREEMPT_DYNAMIC x",
						  "quiet preempt=full"), "full");
	assert_string_equal(kernel_config_preempt("CONFIG_PREEMPT_NONE=y", "#1 SMP", "preempt=full"),
			    "none");
	assert_string_equal(kernel_config_preempt("", "#1 SMP PREEMPT_RT x", ""), "rt");
	assert_string_equal(kernel_config_preempt("", "#1 SMP PREEMPT x", ""), "full");
	assert_null(kernel_config_preempt("", "#1 SMP PREEMPT_DYNAMIC x", ""));
	assert_null(kernel_config_preempt("", "#1 SMP x", ""));
}

static void sysctls_that_are_numbers_are_there(void **state)
{
	static const char *const names[] = { "sysctl.net.core.somaxconn",
					     "sysctl.fs.pipe-user-pages-soft",
					     "sysctl.net.ipv4.tcp_rmem", "sysctl.kernel.pid_max" };
	static const char *const passing[] = { "sysctl.fs.file-nr", "sysctl.kernel.ns_last_pid",
					       "sysctl.fs.aio-nr", "sysctl.kernel.random.uuid" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_non_null(json_get_text(environment, names[i], NULL));
	for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
		assert_null(json_object_get(environment, passing[i]));
}

static void signatures(void **state)
{
	(void)state;
	assert_string_equal(virtualisation_of_signature("KVMKVMKVM"), "kvm");
	assert_string_equal(virtualisation_of_signature("TCGTCGTCGTCG"), "qemu");
	assert_string_equal(virtualisation_of_signature("Microsoft Hv"), "microsoft");
	assert_null(virtualisation_of_signature(""));
	assert_null(virtualisation_of_signature("SomethingNew"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_keys_are_there),
		cmocka_unit_test(map_is_flat),
		cmocka_unit_test(no_isolated_cpu_is_known_not_unknown),
		cmocka_unit_test(agrees_with_the_system),
		cmocka_unit_test(counts_make_sense),
		cmocka_unit_test(words_are_known),
		cmocka_unit_test(boot_id_is_one),
		cmocka_unit_test(kernel_config_values),
		cmocka_unit_test(accounting_of_a_config),
		cmocka_unit_test(signatures),
		cmocka_unit_test(preemption_is_the_model_and_not_the_ability_to_choose),
		cmocka_unit_test(sysctls_that_are_numbers_are_there),
	};

	return cmocka_run_group_tests(tests, read_once, forget);
}
