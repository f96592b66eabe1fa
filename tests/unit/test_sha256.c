// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "base/xalloc.h"

static void assert_digest(const char *text, size_t piece, const char *expected)
{
	struct sha256_ctx sha;
	char hex[SHA256_HEX_SIZE];
	size_t len = strlen(text);

	sha256_init(&sha);
	for (size_t at = 0; at < len; at += piece)
		sha256_update(&sha, len - at < piece ? len - at : piece,
			      (const uint8_t *)text + at);
	sha256_finish(&sha, hex);
	assert_string_equal(hex, expected);
}

/* The examples of FIPS 180-4, in pieces that do and do not fill blocks. */
static void the_examples_of_the_standard(void **state)
{
	static const struct {
		const char *text, *digest;
	} examples[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
		{ "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
		  "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
		  "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++)
		for (size_t piece = 1; piece < 130; piece++)
			assert_digest(examples[i].text, piece, examples[i].digest);
}

static void a_million_letters(void **state)
{
	char *text = xmalloc(1000001);

	(void)state;
	memset(text, 'a', 1000000);
	text[1000000] = '\0';
	assert_digest(text, 1000000,
		      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	assert_digest(text, 1009,
		      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_examples_of_the_standard),
		cmocka_unit_test(a_million_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
