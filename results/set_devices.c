// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json.h"
#include "base/xalloc.h"
#include "results/set_parts.h"

void set_reader_devices(struct set_reader *reader, const json_t *line, struct set_run *run)
{
	const json_t *devices = json_object_get(line, "devices"), *device;
	size_t i;

	if (!json_array_size(devices))
		return;
	run->devices = xcalloc(json_array_size(devices), sizeof(*run->devices));
	json_array_foreach(devices, i, device)
		run->devices[run->ndevices++] = (struct set_device){
			.name = set_reader_share(reader, json_get_text(device, "name", "")),
			.real_s = json_get_number(device, "real_s"),
		};
}
