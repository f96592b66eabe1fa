// SPDX-License-Identifier: GPL-3.0-or-later
#include <string.h>

#include "machine/setting.h"

#define SETTING(name) extern const struct setting setting_##name;
#include "machine/settings.def"
#undef SETTING

const struct setting *const settings[] = {
#define SETTING(name) &setting_##name,
#include "machine/settings.def"
#undef SETTING
	NULL,
};

const struct setting *setting_find(const char *full_name, const char **key)
{
	size_t len = strcspn(full_name, ".");

	if (!full_name[len] || !full_name[len + 1])
		return NULL;
	for (const struct setting *const *s = settings; *s; s++) {
		if (strlen((*s)->name) != len || memcmp((*s)->name, full_name, len) != 0)
			continue;
		*key = full_name + len + 1;
		return *s;
	}
	return NULL;
}
