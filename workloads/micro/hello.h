// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_MICRO_HELLO_H
#define BRUNT_WORKLOADS_MICRO_HELLO_H

#include <stddef.h>

/*
 * The program of hello/hello.c, linked against a shared and a static libc, as part of brunt: it is
 * written to a file before it is executed. size 0: there was no static libc to link it with.
 */
struct hello_image {
	const void *bytes;
	size_t size;
};

struct hello_image hello_dynamic(void);
struct hello_image hello_static(void);

#endif
