// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * make_set FOLDER RUNS: a set of that many runs, of two configurations in turn, with the figures
 * of a storm (real, user, sys, cpu and four of each phase). The folder is there and empty.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/xalloc.h"

static FILE *open_in(const char *folder, const char *name)
{
	auto_free char *path = xasprintf("%s/%s", folder, name);
	FILE *file = fopen(path, "we");

	if (!file) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	return file;
}

static void write_session(const char *folder, unsigned int runs)
{
	auto_free char *path = xasprintf("%s/sessions", folder);
	FILE *file;

	mkdir(path, 0755);
	file = open_in(folder, "sessions/s.json");
	fprintf(file,
		"{\"schema\":\"1.0\",\"id\":\"s\",\"host\":\"h\",\"label\":\"l\",\"boot_id\":\"b\","
		"\"started\":\"2026-01-01T00:00:00Z\",\"seed\":1,\"rounds\":%u,\"experiment\":{"
		"\"workloads\":[{\"workload\":\"storm\"}],\"configs\":[{\"name\":\"none\"},"
		"{\"name\":\"blktrace\"}]}}\n",
		runs / 2);
	fclose(file);
}

static void write_identity(FILE *file, unsigned int run, const char *event)
{
	fprintf(file,
		"{\"schema\":\"1.0\",\"event\":\"%s\",\"run\":%u,\"round\":%u,\"position\":%u,"
		"\"session\":\"s\",\"host\":\"h\",\"boot_id\":\"b\",\"label\":\"l\",\"config\":\"%s\","
		"\"workload\":\"storm\",\"point\":{},\"role\":\"measured\",\"start\":"
		"\"2026-01-01T00:00:00Z\",\"start_boottime_ns\":%u000000000",
		event, run, (run + 1) / 2, 2 - run % 2, run % 2 ? "none" : "blktrace", run);
}

static void write_metric(FILE *file, const char *before, const char *name, const char *more,
			 double mean)
{
	fprintf(file, "%s\"%s\":{\"value\":%.9f,\"unit\":\"s\",\"better\":\"lower\"%s}", before,
		name, mean * (1 + .05 * drand48()), more);
}

static void write_end(FILE *file, unsigned int run)
{
	static const char *const headline[] = { "real", "user", "sys", "cpu" };
	static const char *const phases[] = { "mkfs", "mount", "fill", "umount" };
	static const char *const figures[] = { "real", "cpu", "dev.mean", "dev.max" };

	write_identity(file, run, "end");
	fputs(",\"status\":\"ok\",\"marks\":[],\"metrics\":{", file);
	for (size_t i = 0; i < ARRAY_SIZE(headline); i++)
		write_metric(file, i ? "," : "", headline[i], ",\"headline\":true", 5);
	for (size_t i = 0; i < ARRAY_SIZE(phases); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(figures); k++) {
			auto_free char *name = xasprintf("%s.%s", phases[i], figures[k]);

			write_metric(file, ",", name, "", .5);
		}
	}
	fputs("},\"tracer\":{\"backend\":\"tracefs\",\"cpu_s\":0.08,\"events\":119000,\"lost\":0,"
	      "\"bytes\":6000000},\"system\":{\"kthread_s\":0.53,\"busy_s\":3.1,\"steal_s\":0.0}}\n",
	      file);
}

int main(int argc, char **argv)
{
	unsigned int runs = argc == 3 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0;
	FILE *file;

	if (!runs)
		return 2;
	srand48(1);
	write_session(argv[1], runs);
	file = open_in(argv[1], "runs.jsonl");
	for (unsigned int run = 1; run <= runs; run++) {
		write_identity(file, run, "start");
		fputs("}\n", file);
		write_end(file, run);
	}
	return fclose(file) ? EXIT_FAILURE : EXIT_SUCCESS;
}
