// SPDX-License-Identifier: GPL-3.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/process.h"
#include "base/xalloc.h"
#include "runner/command.h"
#include "runner/message.h"
#include "runner/version.h"

#define COMMAND(name) extern const struct command command_##name;
#include "runner/commands.def"
#undef COMMAND

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "runner/commands.def"
#undef COMMAND
	NULL,
};

static const struct command *find_command(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

static void print_help(void)
{
	printf("brunt measures what a tracer, a kernel patch or a setting costs on real work.\n\n"
	       "usage: brunt COMMAND [ARGUMENT]...\n\n");
	for (const struct command *const *c = commands; *c; c++)
		printf("  %-10s %s\n", (*c)->name, (*c)->summary);
	printf("\nbrunt COMMAND --help, or brunt help COMMAND, tells more; brunt --version the version.\n\n"
	       "  brunt run storm -t none -t blktrace      mkfs, mount and umount on ten volumes,\n"
	       "                                           without and with a tracer\n"
	       "  brunt run command -- du -s /usr          any command, ten times\n"
	       "  brunt report                             the newest results\n");
}

static void print_command_help(const struct command *command)
{
	auto_buf struct buf text = BUF_INIT;

	buf_addf(&text, "brunt %s: %s\n\n", command->name, command->summary);
	for (const char *const *line = command->usage; *line; line++)
		buf_addf(&text, "%s%s\n", line == command->usage ? "usage: " : "       ", *line);
	buf_addc(&text, '\n');
	options_help(command->options, &text);
	if (command->more_help)
		command->more_help(&text);
	fputs(text.s, stdout);
}

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct options options = { 0 };
	int status = EXIT_OK, rc;
	struct err err = { 0 };

	if (asks_for_help(argc, argv)) {
		print_command_help(command);
		return EXIT_OK;
	}
	rc = options_parse(command->name, command->options, argc, argv, &options, &err);
	if (!rc)
		rc = command->run(&options, &status, &err);
	options_release(&options);
	if (rc == -EINTR && interrupt_signal())
		return 128 + interrupt_signal();
	if (!rc)
		return status;
	status = message_error(&err);
	return command->error_status ? command->error_status(argc, argv, status) : status;
}

static int unknown_command(const char *name)
{
	const char *names[32], *nearest;
	size_t n = 0;

	while (commands[n]) {
		names[n] = commands[n]->name;
		n++;
	}
	nearest = words_nearest(name, names, n);
	if (nearest)
		message("there is no command '%s'; did you mean '%s'?", name, nearest);
	else
		message("there is no command '%s'; see brunt --help", name);
	return EXIT_USAGE;
}

/* brunt help [COMMAND], as git and others have it */
static int help_command(int argc, char **argv)
{
	const struct command *command;

	if (!argc) {
		print_help();
		return EXIT_OK;
	}
	if (argc > 1) {
		message("help of which command? Give one");
		return EXIT_USAGE;
	}
	command = find_command(argv[0]);
	if (!command)
		return unknown_command(argv[0]);
	print_command_help(command);
	return EXIT_OK;
}

/* Output that did not arrive (a full disk, a closed pipe) is a failure, not a success. */
static int close_stdout(int status, int failure)
{
	if (ferror(stdout) || fclose(stdout) != 0) {
		message("cannot write the output: %s", strerror(errno));
		return status ? status : failure;
	}
	return status;
}

int main(int argc, char **argv)
{
	const struct command *command;
	int status;

	if (interrupt_init() < 0) {
		message("cannot handle signals: %s", strerror(errno));
		return EXIT_FAILED;
	}
	process_adopt_orphans();
	if (argc < 2) {
		message("which command? See brunt --help");
		return EXIT_USAGE;
	}
	command = find_command(argv[1]);
	if (command) {
		status = run_command(command, argc - 2, argv + 2);
	} else if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_help();
		status = EXIT_OK;
	} else if (!strcmp(argv[1], "help")) {
		status = help_command(argc - 2, argv + 2);
	} else if (!strcmp(argv[1], "--version")) {
		printf("brunt %s\n", BRUNT_VERSION);
		status = EXIT_OK;
	} else {
		status = unknown_command(argv[1]);
	}
	return close_stdout(status, command && command->error_status ?
					    command->error_status(argc - 2, argv + 2, EXIT_FAILED) :
					    EXIT_FAILED);
}
