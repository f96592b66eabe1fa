// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_YAML_H
#define BRUNT_BASE_YAML_H

#include <stddef.h>

#include "base/err.h"

/*
 * A YAML document (or compact JSON, which is YAML) as a tree that knows line and column of each
 * node, so that whoever reads it can say where an unknown key stands. Repeated keys, anchors,
 * aliases, tags, several documents and NUL are errors here already.
 */
enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_node {
	enum yaml_kind kind;
	size_t line, column; /* from 1 */
	char *text;	     /* scalar: its value; "" for an empty one */
	char *key;	     /* inside a map: the name this node stands under */
	struct yaml_node *children;
	size_t n, cap;
};

/* Reads text into *out, which yaml_tree_free() releases. name is the file's, for messages. */
int yaml_tree_parse(const char *text, size_t len, const char *name, struct yaml_node **out,
		    struct err *err);
void yaml_tree_free(struct yaml_node *node);

/* The child of a map, NULL where there is none. */
const struct yaml_node *yaml_tree_child(const struct yaml_node *map, const char *key);

/* A usage error "name:line:column: text". */
int yaml_tree_error(const struct yaml_node *node, const char *name, struct err *err,
		    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

#endif
