// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/xalloc.h"
#include "results/set_parts.h"

void set_reader_devices(struct set_reader *reader, const struct json_item *line,
			struct set_run *run)
{
	const struct json_item *devices = json_item_get(line, "devices"), *device;

	if (!devices || devices->kind != JSON_KIND_ARRAY || !devices->n)
		return;
	run->devices = xcalloc(devices->n, sizeof(*run->devices));
	/* Lines of before had no work_s. */
	for (device = json_item_first(devices); device; device = json_item_next(devices, device))
		run->devices[run->ndevices++] = (struct set_device){
			.name = set_reader_share(reader, json_item_text(device, "name", "")),
			.real_s = json_item_number(device, "real_s"),
			.work_s = json_item_number(device, json_item_get(device, "work_s") ?
								   "work_s" :
								   "real_s"),
		};
}
