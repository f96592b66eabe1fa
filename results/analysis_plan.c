// SPDX-License-Identifier: GPL-3.0-or-later
/* What was decided before the first run and stands in the sessions' experiments. */
#include <string.h>

#include "base/json.h"
#include "results/analysis_parts.h"

const char *analysis_aa_of(const json_t *session, const char *config)
{
	const json_t *experiment = json_object_get(session, "experiment"), *object;
	size_t i;

	json_array_foreach(json_object_get(experiment, "configs"), i, object)
		if (!strcmp(json_get_text(object, "name", ""), config))
			return json_get_text(object, "aa_of", NULL);
	return NULL;
}

bool analysis_is_headline(const json_t *session, const char *metric, bool said)
{
	const json_t *experiment = json_object_get(session, "experiment");
	const json_t *primary =
		json_object_get(json_object_get(experiment, "experiment"), "primary");
	const json_t *name;
	size_t i;

	if (!json_array_size(primary))
		return said;
	json_array_foreach(primary, i, name)
		if (json_is_string(name) && !strcmp(json_string_value(name), metric))
			return true;
	return false;
}
