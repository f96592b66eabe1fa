// SPDX-License-Identifier: GPL-3.0-or-later
/* For whom and how long the user's word holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "machine/disk_identity.h"
#include "machine/guard_consent.h"

static const struct target_device sda = {
	.name = "sda", .number = 8 << 8, .size = 1 << 30, .diskseq = 5,
};

/* What a session would keep of one device. */
static json_t *keep(const char *id, uint64_t diskseq)
{
	struct guard_consented one = {
		.id = (char *)id, .number = sda.number, .size = sda.size, .diskseq = diskseq,
	};
	const struct guard_consent given = { .v = &one, .n = 1 };

	return guard_consent_to_json(&given);
}

static bool holds(const json_t *kept, const struct target_device *device, const char *id,
		  bool explicitly)
{
	struct guard_consent consent = GUARD_CONSENT_INIT;
	bool covers;

	guard_consent_remember(&consent, kept);
	covers = guard_consent_covers(&consent, device, id, explicitly);
	guard_consent_release(&consent);
	return covers;
}

static void need_machine_id(void)
{
	if (*disk_identity_machine())
		return;
	print_message("this machine has no /etc/machine-id\n");
	skip();
}

static void a_wwid_holds_under_each_name_and_in_each_boot(void **state)
{
	struct target_device sdb = sda, other = sda;
	json_t *kept;

	(void)state;
	need_machine_id();
	kept = keep("naa.5", 5);
	sdb.number = makedev(8, 16);
	sdb.diskseq = 17;
	other.size *= 2;
	assert_true(holds(kept, &sda, "naa.5", false));
	assert_true(holds(kept, &sdb, "naa.5", false));
	assert_false(holds(kept, &sda, "naa.6", false));
	assert_false(holds(kept, &sda, NULL, false));
	assert_false(holds(kept, &other, "naa.5", false));
	json_object_set_new(kept, "boot_id", json_string("another"));
	assert_true(holds(kept, &sdb, "naa.5", false));
	json_decref(kept);
}

static void without_one_it_holds_for_the_boot_and_the_disk_of_now(void **state)
{
	struct target_device fresh = sda;
	json_t *kept;

	(void)state;
	need_machine_id();
	kept = keep(NULL, 5);
	fresh.diskseq = 6;
	assert_true(holds(kept, &sda, NULL, false));
	assert_false(holds(kept, &fresh, NULL, false));
	json_object_set_new(kept, "boot_id", json_string("another"));
	assert_false(holds(kept, &sda, NULL, false));
	json_decref(kept);
	/* a kernel without diskseq cannot tell */
	kept = keep(NULL, 0);
	fresh.diskseq = 0;
	assert_false(holds(kept, &fresh, NULL, false));
	json_decref(kept);
}

static void it_holds_on_this_machine_only(void **state)
{
	json_t *kept;

	(void)state;
	need_machine_id();
	kept = keep("naa.5", 5);
	json_object_set_new(kept, "machine", json_string("0123456789abcdef"));
	assert_false(holds(kept, &sda, "naa.5", false));
	json_object_del(kept, "machine");
	assert_false(holds(kept, &sda, "naa.5", false));
	json_decref(kept);
}

static void what_is_remembered_overwrites_nothing(void **state)
{
	json_t *kept;

	(void)state;
	need_machine_id();
	kept = keep("naa.5", 5);
	assert_true(holds(kept, &sda, "naa.5", false));
	assert_false(holds(kept, &sda, "naa.5", true));
	json_decref(kept);
}

static void damaged_memories_are_none(void **state)
{
	static const char *const texts[] = {
		"null", "{}", "[]", "{\"given\":7}", "{\"given\":[7,{},{\"number\":\"x\",\"size_bytes\":1}]}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		json_t *kept = json_loads(texts[i], JSON_DECODE_ANY, NULL);

		if (json_is_object(kept))
			json_object_set_new(kept, "machine", json_string(disk_identity_machine()));
		assert_false(holds(kept, &sda, NULL, false));
		json_decref(kept);
	}
	assert_false(holds(NULL, &sda, NULL, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wwid_holds_under_each_name_and_in_each_boot),
		cmocka_unit_test(without_one_it_holds_for_the_boot_and_the_disk_of_now),
		cmocka_unit_test(it_holds_on_this_machine_only),
		cmocka_unit_test(what_is_remembered_overwrites_nothing),
		cmocka_unit_test(damaged_memories_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
