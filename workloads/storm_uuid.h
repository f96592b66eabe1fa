// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_STORM_UUID_H
#define BRUNT_WORKLOADS_STORM_UUID_H

#include <stddef.h>
#include <stdint.h>

/*
 * The UUID of each file system that a storm makes: 12 digits of the session, 4 that are random a
 * run, then the device's number in 4 digits and the cycle's in 8, so that what is found on a device
 * tells which cycle made it.
 */
#define STORM_UUID_SIZE 37 /* with the end */

void storm_uuid_make(char out[STORM_UUID_SIZE], uint64_t run, size_t device);

/* Puts a cycle's number into the text of a UUID; nothing is allocated. */
void storm_uuid_set_cycle(char *uuid, uint32_t cycle);

/* The bytes of a text that storm_uuid_make() wrote. */
void storm_uuid_bytes(const char *uuid, unsigned char out[16]);

#endif
