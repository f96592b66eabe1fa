// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_BASE_ERR_H
#define BRUNT_BASE_ERR_H

/*
 * How a function says what went wrong: it returns a negative errno and leaves text in the
 * caller's struct err. The first failure sets the text, callers up the way put context in front
 * of it. Only main turns it into an exit status.
 */

enum exit_status {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_WORSE = 3,
	EXIT_UNTRUSTED = 4,
	EXIT_REFUSED = 5,
	EXIT_NOT_WITHIN = 6,
	EXIT_MISSING = 77,
};

struct err {
	enum exit_status status; /* what main exits with if nobody handles the error; 0 reads as 1 */
	char text[1024];	 /* one line without a full stop, cut off where it does not fit */
};

/* Sets the text and returns -code; code is a positive errno. err may be NULL in all of these. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The same with ": " and the words for code behind the text. */
int err_sys(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* -EINVAL with exit status 2: the user's words are wrong. */
int err_usage(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* -ENOENT with exit status 77: a program, library, kernel feature or amount is not there. */
int err_missing(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* -EPERM with exit status 5: refused for safety. */
int err_refused(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "context: " in front of the text and returns code unchanged (a negative errno). */
int err_context(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
