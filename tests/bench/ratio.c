// SPDX-License-Identifier: GPL-3.0-or-later
/* Pairs "ours theirs" from stdin: the geometric mean of ours/theirs with its 95 % interval. */
#include <math.h>
#include <stdio.h>

#include "base/xalloc.h"
#include "results/stats.h"

int main(int argc, char **argv)
{
	double ours[4096], theirs[4096], logs[4096];
	struct sample_summary summary;
	struct interval ci;
	size_t n = 0;

	while (n < ARRAY_SIZE(ours) && scanf("%lf %lf", &ours[n], &theirs[n]) == 2)
		n++;
	if (pair_log_ratios(theirs, ours, n, logs) || sample_summarize(logs, n, &summary) ||
	    sample_interval(&summary, .95, &ci)) {
		fprintf(stderr, "ratio: no pairs\n");
		return 1;
	}
	printf("%-44s ratio %.3f [%.3f, %.3f]  (%zu pairs)\n", argc > 1 ? argv[1] : "",
	       exp(summary.mean), exp(ci.low), exp(ci.high), n);
	return 0;
}
