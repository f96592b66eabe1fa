// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/micro/site.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/files.h"
#include "base/units.h"
#include "base/xalloc.h"
#include "machine/memory.h"
#include "workloads/micro/hello.h"

enum { MIB = 1 << 20, CACHES_MOST = 8, CPUS_MOST = 4096 };

/* ---- CPUs ---- */

static bool read_cpu_file(int cpu, const char *name, char *out, size_t size)
{
	auto_free char *path = xasprintf("/sys/devices/system/cpu/cpu%d/%s", cpu, name);

	return files_read_line_at(AT_FDCWD, path, out, size) == 0;
}

/* Are they threads of one core? Unknown is no. */
static bool same_core(int a, int b)
{
	char one[256], two[256];

	return read_cpu_file(a, "topology/thread_siblings_list", one, sizeof(one)) &&
	       read_cpu_file(b, "topology/thread_siblings_list", two, sizeof(two)) &&
	       !strcmp(one, two);
}

void micro_site_place(struct micro_site *site, enum micro_place place)
{
	cpu_set_t *set = CPU_ALLOC(CPUS_MOST);
	size_t size = CPU_ALLOC_SIZE(CPUS_MOST);
	int second = -1;

	site->cpu = site->partner_cpu = -1;
	if (place == MICRO_FREE || !set || sched_getaffinity(0, size, set) < 0) {
		CPU_FREE(set);
		return;
	}
	for (int cpu = CPUS_MOST - 1; cpu >= 0; cpu--) {
		if (!CPU_ISSET_S((size_t)cpu, size, set))
			continue;
		if (site->cpu < 0)
			site->cpu = cpu;
		else if (second < 0 || (same_core(site->cpu, second) && !same_core(site->cpu, cpu)))
			second = cpu;
	}
	CPU_FREE(set);
	site->wants_two_cpus = place == MICRO_OTHER_CPU && second < 0;
	site->partner_cpu = place == MICRO_OTHER_CPU ? second : site->cpu;
}

/* ---- memory ---- */

static void read_caches(uint64_t cache[4], int cpu)
{
	char name[64], text[64], type[64];
	uint64_t level, size;

	for (int i = 0; i < CACHES_MOST; i++) {
		snprintf(name, sizeof(name), "cache/index%d/type", i);
		if (!read_cpu_file(cpu, name, type, sizeof(type)))
			return;
		snprintf(name, sizeof(name), "cache/index%d/level", i);
		if (!strcmp(type, "Instruction") ||
		    !read_cpu_file(cpu, name, text, sizeof(text)) ||
		    units_parse_u64(text, &level) || level < 1 || level > 3)
			continue;
		snprintf(name, sizeof(name), "cache/index%d/size", i);
		if (!read_cpu_file(cpu, name, text, sizeof(text)))
			continue;
		for (char *c = text; *c; c++)
			*c = *c == 'K' ? 'k' : *c;
		if (!units_parse_size(text, &size))
			cache[level] = size;
	}
}

void micro_site_memory(struct micro_site *site, uint64_t wanted)
{
	uint64_t largest = 0, size, available = memory_available();

	memset(site->cache, 0, sizeof(site->cache));
	read_caches(site->cache, site->cpu < 0 ? 0 : site->cpu);
	for (int level = 1; level <= 3; level++)
		largest = site->cache[level] > largest ? site->cache[level] : largest;
	size = 4 * largest;
	size = size < 64 * MIB ? 64 * MIB : size > 256 * MIB ? 256 * MIB : size;
	if (available && size > available / 16)
		size = available / 16;
	site->memory = (wanted ? wanted : size) / MIB * MIB;
	if (site->memory < MIB)
		site->memory = MIB;
}

/* ---- files ---- */

static int write_file(const char *folder, const char *name, uint64_t size, struct err *err)
{
	auto_free char *path = files_join(folder, name);
	auto_free char *bytes = xmalloc(MIB);
	auto_close int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		return err_sys(err, errno, "%s", path);
	memset(bytes, 0x5a, MIB);
	for (uint64_t left = size; left;) {
		size_t now = left < MIB ? (size_t)left : MIB;
		int rc = files_write_all(fd, bytes, now);

		if (rc)
			return err_sys(err, -rc, "%s", path);
		left -= now;
	}
	return fsync(fd) < 0 ? err_sys(err, errno, "%s", path) : 0;
}

static int write_program(const char *folder, const char *name, struct hello_image image,
			 struct err *err)
{
	auto_free char *path = files_join(folder, name);
	auto_close int fd = -1;
	int rc;

	if (!image.size)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	if (fd < 0)
		return err_sys(err, errno, "%s", path);
	rc = files_write_all(fd, image.bytes, image.size);
	if (!rc && fsync(fd) < 0)
		rc = -errno;
	return rc ? err_sys(err, -rc, "%s", path) : 0;
}

/* Before anything is written: nobody else shall find the file system full, not even for a moment. */
static int check_space(const char *folder, uint64_t need, struct err *err)
{
	auto_buf struct buf wanted = BUF_INIT;
	struct statvfs fs;

	if (statvfs(folder, &fs) < 0)
		return err_sys(err, errno, "%s", folder);
	if (need <= (uint64_t)fs.f_bavail * fs.f_frsize)
		return 0;
	units_add_size(&wanted, need);
	return err_sys(err, ENOSPC, "%s: its files take %s", folder, wanted.s);
}

int micro_site_fill(const struct micro_site *site, bool fault, bool reread, struct err *err)
{
	uint64_t large = (fault ? MICRO_FAULT_FILE_SIZE : 0) + (reread ? site->memory : 0);
	int rc = check_space(site->folder, large + MIB, err);

	if (!rc)
		rc = write_file(site->folder, MICRO_SMALL_FILE, 4096, err);

	if (!rc)
		rc = write_program(site->folder, MICRO_HELLO, hello_dynamic(), err);
	if (!rc)
		rc = write_program(site->folder, MICRO_HELLO_STATIC, hello_static(), err);
	if (!rc && fault)
		rc = write_file(site->folder, MICRO_FAULT_FILE, MICRO_FAULT_FILE_SIZE, err);
	if (!rc && reread)
		rc = write_file(site->folder, MICRO_REREAD_FILE, site->memory, err);
	return rc;
}

size_t *micro_shuffled(size_t n)
{
	size_t *order = xcalloc(n, sizeof(*order));
	uint64_t random = 88172645463325252ULL; /* xorshift64, Marsaglia 2003 */

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i > 1; i--) {
		size_t j, swap;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		j = (size_t)(random % i);
		swap = order[i - 1];
		order[i - 1] = order[j];
		order[j] = swap;
	}
	return order;
}
