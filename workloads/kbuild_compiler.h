// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_KBUILD_COMPILER_H
#define BRUNT_WORKLOADS_KBUILD_COMPILER_H

#include "base/words.h"

/*
 * The first line that a program prints of its version, found by the PATH of env; NULL where there
 * is none. To be freed.
 */
char *kbuild_version_of(const struct words *env, const char *program);

/* That of the compiler that a kernel's Makefile chooses by CC, LLVM and CROSS_COMPILE of env. */
char *kbuild_compiler_version(const struct words *env);

/*
 * Does that compiler fetch results from elsewhere (ccache, distcc, icecc, sccache), as a link to one
 * of them or a script that calls one? Then its path, to be freed; else NULL.
 */
char *kbuild_compiler_wrapper(const struct words *env);

#endif
