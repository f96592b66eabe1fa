// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_VIRTUALISATION_H
#define BRUNT_MACHINE_VIRTUALISATION_H

#include <stdbool.h>

/*
 * What the kernel runs on: "none", "kvm", "qemu" (emulated), "vmware", "xen", "microsoft" or
 * "unknown vm"; NULL where nothing tells (machines other than x86 without a trace of a VM).
 */
const char *virtualisation_name(void);

/* The hypervisor of a signature in CPUID leaf 0x40000000, as "KVMKVMKVM"; NULL: not known. */
const char *virtualisation_of_signature(const char *signature);

/* Is this process in a container: a pid namespace of its own, or a root that one left signs in? */
bool virtualisation_container(void);

#endif
