// SPDX-License-Identifier: GPL-3.0-or-later
#include "results/metric.h"

const char *better_name(enum better better)
{
	switch (better) {
	case BETTER_LOWER:
		return "lower";
	case BETTER_HIGHER:
		return "higher";
	case BETTER_NONE:
		break;
	}
	return "none";
}
