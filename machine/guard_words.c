// SPDX-License-Identifier: GPL-3.0-or-later
/* What the guard found, as the user reads it: each with what can be done. */
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "machine/guard.h"

char *guard_line(const char *path, const struct guard_finding *finding)
{
	const char *detail = finding->detail;

	switch (finding->reason) {
	case GUARD_FIT:
		return xasprintf("%s is fit", path);
	case GUARD_MISSING:
		return xasprintf("%s: %s; %s", path, detail,
				 strchr(path, ',') ? "several are joined by '+'" :
						     "brunt list devices shows what there is");
	case GUARD_NOT_BLOCK:
		return xasprintf("%s is no block device", path);
	case GUARD_TWICE:
		return xasprintf("%s is the same device as %s: name it once", path, detail);
	case GUARD_OVERLAPS:
		return xasprintf("%s is part of %s: name one of them", path, detail);
	case GUARD_EMPTY:
		return xasprintf("%s %s", path, detail);
	case GUARD_MOUNTED:
		return xasprintf("%s: %s: unmount it first", path, detail);
	case GUARD_SWAP:
		return xasprintf("%s: %s: swapoff first", path, detail);
	case GUARD_HELD:
		return xasprintf("%s: %s: take that down first, or name it instead", path, detail);
	case GUARD_PARTITIONED:
		return xasprintf("%s %s: where all of it may go, --destroy %s --overwrite", path,
				 detail, path);
	case GUARD_READ_ONLY:
		return xasprintf("%s is read-only: blockdev --setrw %s", path, path);
	case GUARD_SAME_WWID:
		return xasprintf("%s has the same WWID as %s: two ways to one disk; name what "
				 "multipath makes of them, or take one away", path, detail);
	case GUARD_SHARED:
		return xasprintf("%s is reached by %s, where other hosts may have it, too: "
				 "shared=ok if none does", path, detail);
	case GUARD_LOCKED:
		return xasprintf("%s: somebody holds a lock on it: see fuser %s", path, path);
	case GUARD_BUSY:
		return xasprintf("%s: somebody has it open exclusively, or mounted in another "
				 "mount namespace: see fuser %s, lsblk %s", path, path, path);
	case GUARD_UNREADABLE:
		if (geteuid() != 0)
			return xasprintf("%s cannot be read: %s: needs root", path, detail);
		return xasprintf("%s cannot be read: %s: see dmesg", path, detail);
	case GUARD_HUNG:
		return xasprintf("%s does not answer (%s): see dmesg", path, detail);
	case GUARD_SIGNATURE:
	case GUARD_DATA:
		return xasprintf("%s holds %s: where all of it may go, --destroy %s --overwrite", path,
				 detail, path);
	case GUARD_NO_CONSENT:
		return xasprintf("%s: all of it would be lost: where it may be, --destroy %s", path,
				 path);
	}
	return xasprintf("%s: refused", path);
}
