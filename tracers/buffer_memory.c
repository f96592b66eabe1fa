// SPDX-License-Identifier: GPL-3.0-or-later
#include "tracers/buffer_memory.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/units.h"
#include "machine/memory.h"

#define MEMORY_SHARE 10

uint64_t buffer_memory_cpus(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (uint64_t)n : 1;
}

void buffer_memory_tell(uint64_t buffer, struct buf *out)
{
	buf_add(out, "buffers of ");
	units_add_size(out, buffer);
	buf_addf(out, " on %" PRIu64 " CPUs", buffer_memory_cpus());
}

int buffer_memory_check(uint64_t need, uint64_t buffer, const char *what, const char *otherwise,
			struct err *err)
{
	uint64_t available = memory_available(), share = available / MEMORY_SHARE, fits;
	auto_buf struct buf text = BUF_INIT;

	if (!available || need < share)
		return 0;
	buf_addf(&text, "trace %s take ", what);
	units_add_size(&text, need >> 20 << 20);
	buf_add(&text, ", more than a tenth of the available memory (");
	units_add_size(&text, available >> 20 << 20);
	fits = (uint64_t)((double)buffer * ((double)share / (double)need));
	if (fits > 1 << 20)
		buf_addf(&text, "): give buffer=%" PRIu64 "M or less", (fits - 1) >> 20);
	else if (fits > 64 << 10 || !otherwise)
		buf_addf(&text, "): give buffer=%" PRIu64 "k or less", fits ? (fits - 1) >> 10 : 0);
	else
		buf_addf(&text, "): give %s", otherwise);
	return err_missing(err, "%s", text.s);
}
