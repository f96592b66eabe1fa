// SPDX-License-Identifier: GPL-3.0-or-later
#include "runner/list_devices.h"

#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "results/reports/layout.h"

enum {
	NAME_WIDTH = 12,
	BYTES_WIDTH = 10,
	TRANSPORT_WIDTH = 10,
	NODE_WIDTH = 5,
	SCHEDULER_WIDTH = 12,
};

/* What a device says of itself may hold anything. */
static void add_cell(struct buf *out, const char *text, size_t width)
{
	size_t start = out->len;

	layout_escape(out, text);
	if (out->len - start >= width)
		buf_addc(out, ' ');
	buf_pad_to(out, start, width);
}

static void add_fields(const json_t *device, struct buf *out)
{
	auto_buf struct buf size = BUF_INIT, node = BUF_INIT;
	const json_t *number = json_object_get(device, "numa_node");
	const char *id = json_get_text(device, "wwid", NULL);
	const char *serial = json_get_text(device, "serial", NULL);

	units_add_size(&size, (uint64_t)json_get_int(device, "size_bytes", 0));
	if (json_is_integer(number))
		buf_addf(&node, "%lld", (long long)json_integer_value(number));
	add_cell(out, json_get_text(device, "name", ""), NAME_WIDTH);
	add_cell(out, size.s, BYTES_WIDTH);
	add_cell(out, json_get_text(device, "transport", "-"), TRANSPORT_WIDTH);
	add_cell(out, node.len ? node.s : "-", NODE_WIDTH);
	add_cell(out, json_get_text(device, "scheduler", "-"), SCHEDULER_WIDTH);
	add_cell(out, json_is_true(json_object_get(device, "fit")) ? "yes" : "no", 5);
	layout_escape(out, id ? id : serial ? serial : "-");
	buf_addc(out, '\n');
}

static void add_details(const json_t *device, struct buf *out)
{
	static const char *const keys[] = { "serial", "model", "partition_of" };
	const json_t *link;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *value = json_get_text(device, keys[i], NULL);

		if (!value)
			continue;
		buf_addf(out, "    %s: ", keys[i]);
		layout_escape(out, value);
		buf_addc(out, '\n');
	}
	json_array_foreach(json_object_get(device, "links"), i, link) {
		buf_add(out, "    ");
		layout_escape(out, json_string_value(link));
		buf_addc(out, '\n');
	}
}

void list_devices_add(const json_t *devices, bool details, struct buf *out)
{
	const json_t *device;
	size_t i;

	add_cell(out, "device", NAME_WIDTH);
	add_cell(out, "size", BYTES_WIDTH);
	add_cell(out, "transport", TRANSPORT_WIDTH);
	add_cell(out, "node", NODE_WIDTH);
	add_cell(out, "scheduler", SCHEDULER_WIDTH);
	buf_add(out, "fit  WWID or serial\n");
	json_array_foreach(devices, i, device) {
		const char *why = json_get_text(device, "why", NULL);

		add_fields(device, out);
		if (why) {
			buf_add(out, "    ");
			layout_escape(out, why);
			buf_addc(out, '\n');
		}
		if (details)
			add_details(device, out);
	}
}
