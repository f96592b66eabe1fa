// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef BRUNT_WORKLOADS_KBUILD_ARTEFACT_H
#define BRUNT_WORKLOADS_KBUILD_ARTEFACT_H

#include <jansson.h>
#include <stdint.h>

#include "base/err.h"
#include "base/sha256.h"

/*
 * What a build made: a run that made something else is no repeat of it. Counted are the object
 * files (*.o) below the build folder that were not there before the timed part.
 */
struct kbuild_artefact {
	uint64_t objects;
	uint64_t text_bytes;		 /* of their executable sections */
	char text_sha256[SHA256_HEX_SIZE]; /* of those, in the order of the paths */
};

/* A time of a file system's own clock, to tell apart what is older. */
struct kbuild_since {
	int64_t s, ns;
};

/* Makes a file in folder and removes it. */
int kbuild_artefact_now(const char *folder, struct kbuild_since *now, struct err *err);

/* What was written at since or later. */
int kbuild_artefact_read(const char *folder, const struct kbuild_since *since,
			 struct kbuild_artefact *out, struct err *err);

/* As in the line of a run; belongs to the caller. */
json_t *kbuild_artefact_to_json(const struct kbuild_artefact *artefact);

/* What is not as in the run that the reference is of, in words; NULL: all is. To be freed. */
char *kbuild_artefact_difference(const struct kbuild_artefact *artefact,
				 const json_t *reference);

/*
 * The line member "build" of the set's first good run of this host whose "work" and "variables" are
 * the same (variables NULL: whatever they are), with the number of the run in "run"; NULL: there is
 * none. Belongs to the caller.
 */
json_t *kbuild_artefact_of_set(const char *set_path, const char *host, const char *work,
			       const char *variables);

#endif
