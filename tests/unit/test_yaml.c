// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>

#include "base/json.h"
#include "base/xalloc.h"
#include "base/yaml.h"

#define auto_yaml __attribute__((cleanup(free_yaml)))

static void free_yaml(struct yaml_node **node)
{
	yaml_tree_free(*node);
}

static struct yaml_node *parsed(const char *text)
{
	struct err err = { 0 };
	struct yaml_node *root = NULL;

	if (yaml_tree_parse(text, strlen(text), "f", &root, &err))
		print_error("%s\n", err.text);
	assert_non_null(root);
	return root;
}

/* The text is refused, and the message starts with this ("f:2:5: the key ..."). */
static void assert_refused_n(const char *text, size_t len, const char *message)
{
	struct err err = { 0 };
	struct yaml_node *root = NULL;

	assert_int_equal(yaml_tree_parse(text, len, "f", &root, &err), -EINVAL);
	assert_null(root);
	assert_int_equal(err.status, EXIT_USAGE);
	if (strncmp(err.text, message, strlen(message)) != 0)
		print_error("%s\n", err.text);
	assert_int_equal(strncmp(err.text, message, strlen(message)), 0);
}

static void assert_refused(const char *text, const char *message)
{
	assert_refused_n(text, strlen(text), message);
}

static const char *text_at(const struct yaml_node *map, const char *key)
{
	const struct yaml_node *node = yaml_tree_child(map, key);

	assert_non_null(node);
	assert_int_equal(node->kind, YAML_SCALAR);
	return node->text;
}

static void test_a_tree_with_places(void **state)
{
	auto_yaml struct yaml_node *root = parsed("# an experiment\n"
						  "experiment:\n"
						  "  rounds: 10\n"
						  "workloads:\n"
						  "- workload: storm\n"
						  "  fs: [ext3, 'ext4']\n"
						  "empty:\n");
	const struct yaml_node *list = yaml_tree_child(root, "workloads"), *fs;

	(void)state;
	assert_int_equal(root->kind, YAML_MAP);
	assert_int_equal(root->n, 3);
	assert_string_equal(text_at(yaml_tree_child(root, "experiment"), "rounds"), "10");
	assert_int_equal(list->kind, YAML_LIST);
	assert_int_equal(list->n, 1);
	fs = yaml_tree_child(&list->children[0], "fs");
	assert_int_equal(fs->n, 2);
	assert_string_equal(fs->children[1].text, "ext4");
	assert_int_equal(fs->children[1].line, 6);
	assert_int_equal(fs->children[1].column, 14);
	assert_string_equal(text_at(root, "empty"), "");
	assert_null(yaml_tree_child(root, "nothing"));
	assert_null(yaml_tree_child(list, "workload"));
	assert_null(yaml_tree_child(NULL, "workload"));
}

static void test_errors_say_line_and_column(void **state)
{
	auto_yaml struct yaml_node *root = parsed("a:\n  b: 1\n");
	struct err err = { 0 };

	(void)state;
	assert_refused("a: 1\nb: [1, 2\nc: 3\n", "f:3:");
	assert_refused("a: 1\n  b: 2\n", "f:2:4: ");
	assert_refused("a: 'open\n", "f:");
	assert_refused("a:\n\t- 1\n", "f:2:1: ");
	assert_int_equal(yaml_tree_error(yaml_tree_child(yaml_tree_child(root, "a"), "b"), "f",
					 &err, "no %s", "x"),
			 -EINVAL);
	assert_string_equal(err.text, "f:2:6: no x");
	assert_int_equal(err.status, EXIT_USAGE);
}

static void test_repeated_keys_are_refused(void **state)
{
	(void)state;
	assert_refused("a: 1\nb: 2\na: 3\n", "f:3:1: this key stands here twice");
	assert_refused("{\"a\":1,\"a\":1}", "f:1:8: this key stands here twice");
	assert_refused("l:\n- x: 1\n  'x': 2\n", "f:3:3: this key stands here twice");
}

static void test_anchors_aliases_and_tags_are_refused(void **state)
{
	(void)state;
	assert_refused("a: &x 1\n", "f:1:4: anchors");
	assert_refused("a: !!str 1\n", "f:1:4: anchors");
	assert_refused("a: ! 1\n", "f:1:4: anchors");
	assert_refused("&x a: 1\n", "f:1:1: anchors");
	assert_refused("a: *x\n", "f:1:4: ");
	assert_refused("*x : 1\n", "f:1:1: ");
}

static void test_anchors_and_tags_of_lists_and_maps_are_refused(void **state)
{
	(void)state;
	assert_refused("a: &x [1]\n", "f:1:4: anchors");
	assert_refused("a: &x {b: 1}\n", "f:1:4: anchors");
	assert_refused("a: !!seq [1]\n", "f:1:4: anchors");
	assert_refused("--- !!map\na: 1\n", "f:1:5: anchors");
}

static void test_keys_that_are_no_words_are_refused(void **state)
{
	(void)state;
	assert_refused("? [a]\n: 1\n", "f:1:3: a key must be a plain word");
	assert_refused("{a: 1}: 2\n", "f:1:1: a key must be a plain word");
}

static void test_one_document_only(void **state)
{
	auto_yaml struct yaml_node *root = parsed("---\na: 1\n...\n");

	(void)state;
	assert_string_equal(text_at(root, "a"), "1");
	assert_refused("a: 1\n---\nb: 2\n", "f:2:1: a second document");
	assert_refused("a: 1\n...\n---\n", "f:3:1: a second document");
	assert_refused("{}\n{}\n", "f:2:1: ");
	assert_refused("", "f: is empty");
	assert_refused("# nothing\n", "f: is empty");
}

static void test_nul_is_refused(void **state)
{
	static const char raw[] = "a: 1\0\n";

	(void)state;
	assert_refused("{\"a\":\"x\\u0000y\"}", "f:1:6: a NUL byte");
	assert_refused("\"a\\0\": 1", "f:1:1: a NUL byte");
	assert_refused_n(raw, sizeof(raw) - 1, "f:1:5: control characters are not allowed");
}

static void test_wrong_bytes_are_found_where_they_stand(void **state)
{
	(void)state;
	assert_refused("a: 1\nbc: \x01\n", "f:2:5: control characters are not allowed");
	assert_refused("a: 1\nb: 2\nc\xff: 3\n", "f:3:2: ");
	assert_refused("\"\\ud83d\\udc27\"", "f:1:");
}

static void test_nesting_is_bounded(void **state)
{
	auto_yaml struct yaml_node *root = NULL;
	char *text = xmalloc(100001);
	struct err err = { 0 };

	(void)state;
	memset(text, '[', 100000);
	text[100000] = '\0';
	assert_refused(text, "f:1:34: nested too deeply");
	memset(text + 32, ']', 32);
	text[64] = '\0';
	assert_int_equal(yaml_tree_parse(text, 64, "f", &root, &err), 0);
	for (size_t i = 0; i < 1000; i++)
		memcpy(text + 5 * i, "{\"a\":", 5);
	text[5000] = '\0';
	assert_refused(text, "f:1:166: nested too deeply");
	free(text);
}

static void assert_same(const struct yaml_node *node, const json_t *value)
{
	auto_buf struct buf text = BUF_INIT;
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_object(value)) {
		assert_int_equal(node->kind, YAML_MAP);
		assert_int_equal(node->n, json_object_size(value));
		json_object_foreach((json_t *)value, key, item)
			assert_same(yaml_tree_child(node, key), item);
	} else if (json_is_array(value)) {
		assert_int_equal(node->kind, YAML_LIST);
		assert_int_equal(node->n, json_array_size(value));
		json_array_foreach(value, i, item)
			assert_same(&node->children[i], item);
	} else if (json_is_string(value)) {
		assert_string_equal(node->text, json_string_value(value));
	} else {
		json_write(&text, value, 0);
		assert_string_equal(node->text, text.s);
	}
}

static void test_json_as_we_write_it_is_read(void **state)
{
	static const char *const texts[] = {
		"",
		" ",
		"a: b",
		"- x",
		"#",
		"'",
		"\"",
		"\\",
		"/",
		"\t\n\r\b\f\x01\x1f",
		"{}",
		"[,]",
		"yes",
		"~",
		"1.5",
		"a\n\n  b\n",
		" lead",
		"trail ",
		"\x7f",
		"\xc2\x85x \xc2\x85 ",
		"a \xe2\x80\xa8 b",
		"\xef\xbb\xbf",
		"gr\xc3\xbc\xc3\x9f",
		"\xf0\x9f\x90\xa7",
		"\xef\xbf\xbf",
		"%YAML",
		"&a",
		"*a",
		"!t",
		"? q",
		"---",
		"...",
	};
	auto_json json_t *object =
		json_pack("{s:[i,f,b,n],s:{},s:[]}", "list", 1, 0.1, 1, "map", "empty");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		json_object_set_new(object, texts[i], json_text(texts[i]));
	for (int indent = 0; indent <= 2; indent += 2) {
		auto_yaml struct yaml_node *root = NULL;
		auto_buf struct buf text = BUF_INIT;

		json_write(&text, object, indent);
		root = parsed(text.s);
		assert_same(root, object);
	}
}

static void test_long_json_values_are_read(void **state)
{
	auto_yaml struct yaml_node *root = NULL;
	auto_json json_t *object = json_object();
	auto_buf struct buf text = BUF_INIT;
	char *value = xmalloc(20001);

	(void)state;
	memset(value, 'v', 20000);
	value[20000] = '\0';
	json_object_set_new(object, "argv", json_text(value));
	json_write(&text, object, 0);
	root = parsed(text.s);
	assert_string_equal(text_at(root, "argv"), value);
	free(value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_tree_with_places),
		cmocka_unit_test(test_errors_say_line_and_column),
		cmocka_unit_test(test_repeated_keys_are_refused),
		cmocka_unit_test(test_anchors_aliases_and_tags_are_refused),
		cmocka_unit_test(test_anchors_and_tags_of_lists_and_maps_are_refused),
		cmocka_unit_test(test_keys_that_are_no_words_are_refused),
		cmocka_unit_test(test_one_document_only),
		cmocka_unit_test(test_nul_is_refused),
		cmocka_unit_test(test_wrong_bytes_are_found_where_they_stand),
		cmocka_unit_test(test_nesting_is_bounded),
		cmocka_unit_test(test_json_as_we_write_it_is_read),
		cmocka_unit_test(test_long_json_values_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
