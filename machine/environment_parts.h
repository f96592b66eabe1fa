// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_MACHINE_ENVIRONMENT_PARTS_H
#define BRUNT_MACHINE_ENVIRONMENT_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The parts of the environment, for environment.c: each adds its keys to the map. */
void environment_add_kernel(json_t *map);
void environment_add_cpu(json_t *map);
void environment_add_sysctls(json_t *map);
void environment_add_storage(json_t *map);
void environment_add_context(json_t *map);

/* The first line of a file; false, and "" in out, where there is none. */
bool environment_line(const char *path, char *out, size_t size);

/* Sets the first line of a file as text, and as a whole number; null where there is none. */
void environment_set_line(json_t *map, const char *key, const char *path);
void environment_set_number(json_t *map, const char *key, const char *path);

/* The word in brackets of a choice as "none [integrity] confidentiality"; changes the line. */
json_t *environment_chosen(char *line);

#endif
