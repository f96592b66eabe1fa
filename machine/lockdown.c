// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/lockdown.h"

#include <errno.h>
#include <string.h>

#include "base/files.h"
#include "base/xalloc.h"
#include "machine/kernel_fs.h"

int lockdown_read(char level[LOCKDOWN_SIZE])
{
	auto_close int fs = kernel_fs_open(&kernel_fs_securityfs);
	char line[256], *open, *close;
	int rc = fs < 0 ? fs : files_read_line_at(fs, "lockdown", line, sizeof(line));

	if (rc)
		return rc;
	/* "none [integrity] confidentiality" */
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close || close - open > LOCKDOWN_SIZE)
		return -EBADMSG;
	*close = '\0';
	strcpy(level, open + 1);
	return 0;
}
