// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_RUNNER_VERSION_H
#define BRUNT_RUNNER_VERSION_H

#define BRUNT_VERSION "0.1.0"

#endif
