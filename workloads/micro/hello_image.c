// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/micro/hello.h"

#include <stdint.h>

/* The files are built first; the Makefile says where. Without them there is no program. */
#ifndef HELLO_DYNAMIC
#define HELLO_DYNAMIC "/dev/null"
#define HELLO_STATIC "/dev/null"
#endif

#define IMAGE(name, file)                                                                          \
	extern const char name##_start[], name##_end[];                                            \
	__asm__(".pushsection .rodata\n"                                                           \
		".balign 16\n"                                                                     \
		".globl " #name "_start, " #name "_end\n" #name "_start:\n"                        \
		".incbin \"" file "\"\n" #name "_end:\n"                                           \
		".byte 0\n"                                                                        \
		".popsection\n")

IMAGE(hello_image_dynamic, HELLO_DYNAMIC);
IMAGE(hello_image_static, HELLO_STATIC);

/* Both ends are symbols of one section, which C does not know. */
static struct hello_image between(const char *start, const char *end)
{
	return (struct hello_image){ start, (uintptr_t)end - (uintptr_t)start };
}

struct hello_image hello_dynamic(void)
{
	return between(hello_image_dynamic_start, hello_image_dynamic_end);
}

struct hello_image hello_static(void)
{
	return between(hello_image_static_start, hello_image_static_end);
}
