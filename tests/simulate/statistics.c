// SPDX-License-Identifier: GPL-3.0-or-later
/* The long simulations, as a table; exit status 1 where a figure is out of its bounds. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/simulate/trials.h"

enum { REPEATS = 20000, NOISE_REPEATS = 20000, FAMILIES = 8000 };

static int failures;

static void check(const char *what, double value, const char *wanted, bool good)
{
	printf("%-52s %6.4f   %-22s %s\n", what, value, wanted, good ? "ok" : "OUT OF BOUNDS");
	failures += !good;
}

static void show_noise(void)
{
	printf("false alarms at 5 %%, %d runs a side, %d repeats\n", ROUNDS, NOISE_REPEATS);
	printf("%-18s %12s %12s %12s\n", "", "A then B,", "rounds,", "rounds,");
	printf("%-18s %12s %12s %12s\n", "noise", "Welch", "Welch", "paired");
	for (int k = 0; k < NOISES; k++) {
		struct false_alarms f = simulate_noise((enum noise)k, NOISE_REPEATS, 1 + (unsigned int)k);
		bool good = k == NOISE_TAIL ? share_is_at_most(f.rounds_paired, ALPHA, NOISE_REPEATS) :
					      share_is(f.rounds_paired, ALPHA, NOISE_REPEATS);

		printf("%-18s %12.3f %12.3f %12.3f   %s\n", noise_names[k], f.in_turn_welch,
		       f.rounds_welch, f.rounds_paired, good ? "ok" : "OUT OF BOUNDS");
		failures += !good;
	}
	putchar('\n');
}

static void show_errors(void)
{
	struct coverage coverage = simulate_coverage(REPEATS, 11);
	struct family_error family = simulate_family(FAMILIES, 12);
	double error;

	check("coverage of 95 % Fieller, paired", coverage.paired, ".95",
	      share_is(coverage.paired, .95, REPEATS));
	check("coverage of 95 % Fieller, unpaired", coverage.unpaired, ".95",
	      share_is(coverage.unpaired, .95, REPEATS));
	check("table of 40 without a change, Holm", family.holm, "at most .05",
	      share_is_at_most(family.holm, ALPHA, FAMILIES));
	check("the same, uncorrected", family.uncorrected, "about .87",
	      share_is(family.uncorrected, .8715, FAMILIES));
	error = simulate_equivalence(1, .4, REPEATS, 13);
	check("called equivalent, with a change of the margin", error, "at most .05",
	      share_is_at_most(error, ALPHA, REPEATS));
	error = simulate_equivalence(1, 2, REPEATS, 14);
	check("the same, noisy", error, "at most .05", share_is_at_most(error, ALPHA, REPEATS));
}

static void show_power(void)
{
	static const double effects[] = { .5, 1, 1.5, 2 };

	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
		struct found_power power =
			simulate_power(effects[i], 1, REPEATS, 21 + (unsigned int)i);
		char what[64], wanted[32];

		snprintf(what, sizeof(what), "found: a change of %g %%, sd 1 %%, %d rounds",
			 effects[i], ROUNDS);
		snprintf(wanted, sizeof(wanted), "foretold %.4f", power.foretold);
		check(what, power.found, wanted, share_is(power.found, power.foretold, REPEATS));
	}
}

static void show_until(void)
{
	struct until_coverage ten = simulate_until(10, 1.5, REPEATS, 31);
	struct until_coverage six = simulate_until(6, 1.5, REPEATS, 32);

	check("--until: coverage from 10 rounds on", ten.coverage, ".93 to .955",
	      ten.coverage > .93 && ten.coverage < .955);
	check("--until: rounds", ten.rounds, "", ten.reached > .99);
	check("what is not offered: from 6 rounds on", six.coverage, "less than from 10",
	      six.coverage < ten.coverage);
}

int main(void)
{
	show_noise();
	show_errors();
	show_power();
	show_until();
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
