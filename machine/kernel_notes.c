// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine/kernel_notes.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/files.h"

static size_t padded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

int kernel_notes_build_id(const void *notes, size_t size, struct buf *out)
{
	const unsigned char *p = notes, *name;
	Elf32_Nhdr head; /* the same in 64 bits */

	while (size >= sizeof(head)) {
		memcpy(&head, p, sizeof(head));
		name = p + sizeof(head);
		size -= sizeof(head);
		if (head.n_namesz > size || head.n_descsz > size ||
		    padded(head.n_namesz) + padded(head.n_descsz) > size)
			return -ENOENT;
		p = name + padded(head.n_namesz) + padded(head.n_descsz);
		size -= padded(head.n_namesz) + padded(head.n_descsz);
		if (head.n_type != NT_GNU_BUILD_ID || head.n_namesz != 4 ||
		    memcmp(name, "GNU", 4) != 0)
			continue;
		for (size_t i = 0; i < head.n_descsz; i++)
			buf_addf(out, "%02x", name[4 + i]);
		return 0;
	}
	return -ENOENT;
}

int kernel_build_id(struct buf *out)
{
	auto_buf struct buf notes = BUF_INIT;

	if (files_read_at(AT_FDCWD, "/sys/kernel/notes", 1 << 16, &notes))
		return -ENOENT;
	return kernel_notes_build_id(notes.s, notes.len, out);
}
