// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/virtualisation.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/xalloc.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

/* The first pid namespace always has this inode (PROC_PID_INIT_INO of the kernel). */
#define FIRST_PID_NS_INODE 0xEFFFFFFCU

struct word_name {
	const char *word, *name;
};

const char *virtualisation_of_signature(const char *signature)
{
	static const struct word_name names[] = {
		{ "KVMKVMKVM", "kvm" },		 { "TCGTCGTCGTCG", "qemu" },
		{ "VMwareVMware", "vmware" },	 { "XenVMMXenVMM", "xen" },
		{ "Microsoft Hv", "microsoft" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(signature, names[i].word))
			return names[i].name;
	return NULL;
}

#if defined(__x86_64__) || defined(__i386__)
static bool x86_hypervisor(void)
{
	unsigned int a, b, c = 0, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & 1U << 31);
}

static void x86_signature(unsigned int leaf, char out[13])
{
	unsigned int a, word[3];

	__cpuid(leaf, a, word[0], word[1], word[2]);
	memcpy(out, word, 12);
	out[12] = '\0';
}

/*
 * KVM and Xen that show Windows guests a face of Hyper-V put it first and themselves 0x100
 * further on.
 */
static const char *from_cpu(void)
{
	static const unsigned int leaves[] = { 0x40000100, 0x40000000 };
	const char *name;
	char signature[13];

	if (!x86_hypervisor())
		return "none";
	for (size_t i = 0; i < ARRAY_SIZE(leaves); i++) {
		x86_signature(leaves[i], signature);
		name = virtualisation_of_signature(signature);
		if (name)
			return name;
	}
	return NULL;
}

static const char *without_trace(void)
{
	return "unknown vm"; /* the CPU says hypervisor and nothing else names it */
}
#else
static const char *from_cpu(void)
{
	return NULL;
}

static const char *without_trace(void)
{
	return NULL;
}
#endif

static const char *first_of(const struct word_name *names, size_t n, const char *path)
{
	char text[256];

	if (files_read_line_at(AT_FDCWD, path, text, sizeof(text)))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (strstr(text, names[i].word))
			return names[i].name;
	return NULL;
}

static const char *from_files(void)
{
	static const struct word_name products[] = {
		{ "KVM", "kvm" },
		{ "VMware", "vmware" },
		{ "HVM domU", "xen" },
		{ "Virtual Machine", "microsoft" },
	};
	static const struct word_name vendors[] = {
		{ "QEMU", "qemu" },
		{ "VMware", "vmware" },
		{ "Xen", "xen" },
	};
	static const struct word_name types[] = { { "xen", "xen" } };
	static const struct word_name compatible[] = { { "kvm", "kvm" }, { "xen", "xen" } };
	static const struct {
		const struct word_name *names;
		size_t n;
		const char *path;
	} places[] = {
		{ types, ARRAY_SIZE(types), "/sys/hypervisor/type" },
		{ compatible, ARRAY_SIZE(compatible), "/proc/device-tree/hypervisor/compatible" },
		{ products, ARRAY_SIZE(products), "/sys/class/dmi/id/product_name" },
		{ vendors, ARRAY_SIZE(vendors), "/sys/class/dmi/id/sys_vendor" },
	};
	const char *name;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		name = first_of(places[i].names, places[i].n, places[i].path);
		if (name)
			return name;
	}
	return NULL;
}

const char *virtualisation_name(void)
{
	const char *name = from_cpu();

	if (!name)
		name = from_files();
	return name ? name : without_trace();
}

bool virtualisation_container(void)
{
	static const char *const signs[] = { "/.dockerenv", "/run/.containerenv",
					     "/run/systemd/container" };
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != FIRST_PID_NS_INODE)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (files_exists(signs[i]))
			return true;
	return false;
}
