// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_WORDS_H
#define BRUNT_WORKLOADS_STORM_WORDS_H

#include "base/buf.h"

/*
 * What mke2fs, mount and umount print when they fail is a banner, warnings, a usage text, and
 * one line that matters. Adds ": " and that line, with those that continue it and without the
 * full stop; nothing when there is none. words may be NULL.
 */
void storm_words_add_reason(const char *words, struct buf *out);

#endif
