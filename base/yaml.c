// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/yaml.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/xalloc.h"

enum { MAX_DEPTH = 32 };

struct reader {
	yaml_parser_t parser;
	const char *text, *name;
	size_t len;
	struct err *err;
};

static void node_release(struct yaml_node *node)
{
	for (size_t i = 0; i < node->n; i++)
		node_release(&node->children[i]);
	free(node->children);
	free(node->text);
	free(node->key);
}

void yaml_tree_free(struct yaml_node *node)
{
	if (!node)
		return;
	node_release(node);
	free(node);
}

const struct yaml_node *yaml_tree_child(const struct yaml_node *map, const char *key)
{
	for (size_t i = 0; map && map->kind == YAML_MAP && i < map->n; i++)
		if (!strcmp(map->children[i].key, key))
			return &map->children[i];
	return NULL;
}

int yaml_tree_error(const struct yaml_node *node, const char *name, struct err *err,
		    const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_usage(err, "%s:%zu:%zu: %s", name, node->line, node->column, text);
}

static int mark_error(const struct reader *r, const yaml_mark_t *mark, const char *text)
{
	return err_usage(r->err, "%s:%zu:%zu: %s", r->name, mark->line + 1, mark->column + 1,
			 text);
}

/* libyaml counts bytes only where it refuses a character. */
static yaml_mark_t mark_of_byte(const struct reader *r, size_t offset)
{
	yaml_mark_t mark = { 0 };

	for (size_t i = 0; i < offset && i < r->len; i++) {
		mark.column++;
		if (r->text[i] == '\n') {
			mark.line++;
			mark.column = 0;
		}
	}
	return mark;
}

static int next_event(struct reader *r, yaml_event_t *event)
{
	yaml_mark_t mark;

	if (yaml_parser_parse(&r->parser, event))
		return 0;
	mark = r->parser.error == YAML_READER_ERROR ? mark_of_byte(r, r->parser.problem_offset) :
						      r->parser.problem_mark;
	return mark_error(r, &mark, r->parser.problem ? r->parser.problem : "no YAML");
}

static int read_node(struct reader *r, const yaml_event_t *event, struct yaml_node *node,
		     unsigned int depth);

static int no_anchor(const struct reader *r, const yaml_event_t *event)
{
	return mark_error(r, &event->start_mark, "anchors and tags are not used here");
}

static int take_scalar(const struct reader *r, const yaml_event_t *event, char **out)
{
	const char *value = (const char *)event->data.scalar.value;

	if (event->data.scalar.anchor || event->data.scalar.tag)
		return no_anchor(r, event);
	if (strlen(value) != event->data.scalar.length)
		return mark_error(r, &event->start_mark, "a NUL byte");
	*out = xstrdup(value);
	return 0;
}

static struct yaml_node *add_child(struct yaml_node *node)
{
	GROW(node->children, node->n, node->cap);
	node->children[node->n] = (struct yaml_node){ .kind = YAML_SCALAR };
	return &node->children[node->n++];
}

static int read_list(struct reader *r, struct yaml_node *node, unsigned int depth)
{
	yaml_event_t event;
	int rc;

	for (;;) {
		rc = next_event(r, &event);
		if (rc)
			return rc;
		if (event.type == YAML_SEQUENCE_END_EVENT) {
			yaml_event_delete(&event);
			return 0;
		}
		rc = read_node(r, &event, add_child(node), depth + 1);
		yaml_event_delete(&event);
		if (rc)
			return rc;
	}
}

static int read_map(struct reader *r, struct yaml_node *node, unsigned int depth)
{
	struct yaml_node *child;
	yaml_event_t event;
	char *key;
	int rc;

	for (;;) {
		rc = next_event(r, &event);
		if (rc)
			return rc;
		if (event.type == YAML_MAPPING_END_EVENT) {
			yaml_event_delete(&event);
			return 0;
		}
		rc = event.type == YAML_SCALAR_EVENT ?
			     take_scalar(r, &event, &key) :
			     mark_error(r, &event.start_mark, "a key must be a plain word");
		if (!rc && yaml_tree_child(node, key)) {
			rc = mark_error(r, &event.start_mark, "this key stands here twice");
			free(key);
		}
		yaml_event_delete(&event);
		if (rc)
			return rc;
		child = add_child(node);
		child->key = key;
		rc = next_event(r, &event);
		if (rc)
			return rc;
		rc = read_node(r, &event, child, depth + 1);
		yaml_event_delete(&event);
		if (rc)
			return rc;
	}
}

static int read_node(struct reader *r, const yaml_event_t *event, struct yaml_node *node,
		     unsigned int depth)
{
	node->line = event->start_mark.line + 1;
	node->column = event->start_mark.column + 1;
	if (depth > MAX_DEPTH)
		return mark_error(r, &event->start_mark, "nested too deeply");
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		node->kind = YAML_SCALAR;
		return take_scalar(r, event, &node->text);
	case YAML_SEQUENCE_START_EVENT:
		node->kind = YAML_LIST;
		if (event->data.sequence_start.anchor || event->data.sequence_start.tag)
			return no_anchor(r, event);
		return read_list(r, node, depth);
	case YAML_MAPPING_START_EVENT:
		node->kind = YAML_MAP;
		if (event->data.mapping_start.anchor || event->data.mapping_start.tag)
			return no_anchor(r, event);
		return read_map(r, node, depth);
	default:
		return mark_error(r, &event->start_mark, "a value is expected here");
	}
}

/* Skips stream and document start; the event behind them is the first of the document. */
static int first_event(struct reader *r, yaml_event_t *event)
{
	int rc;

	for (;;) {
		rc = next_event(r, event);
		if (rc)
			return rc;
		if (event->type == YAML_STREAM_END_EVENT) {
			yaml_event_delete(event);
			return err_usage(r->err, "%s: is empty", r->name);
		}
		if (event->type != YAML_STREAM_START_EVENT &&
		    event->type != YAML_DOCUMENT_START_EVENT)
			return 0;
		yaml_event_delete(event);
	}
}

static int expect_end(struct reader *r)
{
	yaml_event_t event;
	bool more;
	int rc;

	for (;;) {
		rc = next_event(r, &event);
		if (rc)
			return rc;
		more = event.type == YAML_DOCUMENT_START_EVENT;
		rc = more ? mark_error(r, &event.start_mark, "a second document") : 0;
		more = event.type != YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
		if (rc || !more)
			return rc;
	}
}

int yaml_tree_parse(const char *text, size_t len, const char *name, struct yaml_node **out,
	       struct err *err)
{
	struct reader r = { .text = text, .name = name, .len = len, .err = err };
	struct yaml_node *root = xcalloc(1, sizeof(*root));
	yaml_event_t event;
	int rc;

	if (!yaml_parser_initialize(&r.parser)) {
		free(root);
		return err_set(err, ENOMEM, "%s: libyaml has no memory", name);
	}
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
	rc = first_event(&r, &event);
	if (!rc) {
		rc = read_node(&r, &event, root, 0);
		yaml_event_delete(&event);
	}
	if (!rc)
		rc = expect_end(&r);
	yaml_parser_delete(&r.parser);
	if (rc)
		yaml_tree_free(root);
	else
		*out = root;
	return rc;
}
