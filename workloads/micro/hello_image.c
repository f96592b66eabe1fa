// SPDX-License-Identifier: GPL-3.0-or-later
#include "workloads/micro/hello.h"

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

struct hello_image hello_dynamic(void)
{
	return (struct hello_image){ hello_image_dynamic_start,
				     (size_t)(hello_image_dynamic_end - hello_image_dynamic_start) };
}

struct hello_image hello_static(void)
{
	return (struct hello_image){ hello_image_static_start,
				     (size_t)(hello_image_static_end - hello_image_static_start) };
}
