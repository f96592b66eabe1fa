// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/units.h"
#include "base/xalloc.h"

struct node {
	pid_t pid, parent;
	uint64_t start_ticks;
};

static bool is_number(const char *name, pid_t *pid)
{
	uint64_t value;

	if (units_parse_u64(name, &value) || !value || value > INT32_MAX)
		return false;
	*pid = (pid_t)value;
	return true;
}

/* False where it is gone, or a zombie. */
static bool read_node(pid_t pid, struct node *node)
{
	auto_buf struct buf text = BUF_INIT;
	char path[64], state;
	const char *p;
	int parent;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (files_read_at(AT_FDCWD, path, 4096, &text))
		return false;
	p = strrchr(text.s, ')'); /* the command name may hold anything */
	/* fields 3 state, 4 parent, 22 start time */
	*node = (struct node){ .pid = pid };
	if (!p || sscanf(p + 1,
			 " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			 "%*s %" SCNu64, &state, &parent, &node->start_ticks) != 3)
		return false;
	node->parent = parent;
	return !strchr("ZXx", state);
}

static struct node *read_all(size_t *n)
{
	DIR *list = opendir("/proc");
	struct node *nodes = NULL, node;
	size_t count = 0, cap = 0;
	const struct dirent *entry;
	pid_t pid;

	while (list && (entry = readdir(list))) {
		if (!is_number(entry->d_name, &pid) || !read_node(pid, &node))
			continue;
		GROW(nodes, count, cap);
		nodes[count++] = node;
	}
	if (list)
		closedir(list);
	*n = count;
	return nodes;
}

/* nodes: those known to be below. */
static bool is_below(const struct node *nodes, size_t n, pid_t root, pid_t parent)
{
	if (parent == root)
		return true;
	for (size_t i = 0; i < n; i++)
		if (nodes[i].pid == parent)
			return true;
	return false;
}

/* Those below root come first. */
static struct node *read_below(pid_t root, size_t *n)
{
	size_t all, count = 0;
	struct node *nodes = read_all(&all), node;
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = count; i < all; i++) {
			if (!is_below(nodes, count, root, nodes[i].parent))
				continue;
			more = true;
			node = nodes[i];
			nodes[i] = nodes[count];
			nodes[count++] = node;
		}
	}
	*n = count;
	return nodes;
}

pid_t *process_descendants(pid_t root, size_t *n)
{
	auto_free struct node *nodes = read_below(root, n);
	pid_t *pids = xcalloc(*n + 1, sizeof(*pids));

	for (size_t i = 0; i < *n; i++)
		pids[i] = nodes[i].pid;
	return pids;
}

/* Between looking and the signal a number may go to another process: a descriptor holds it. */
static void signal_node(const struct node *node, int signal)
{
	auto_close int fd = (int)syscall(SYS_pidfd_open, node->pid, 0);
	struct node now;

	if (fd >= 0 && read_node(node->pid, &now) && now.start_ticks == node->start_ticks)
		syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0);
}

size_t process_signal_descendants(pid_t root, int signal)
{
	size_t n;
	auto_free struct node *nodes = read_below(root, &n);

	for (size_t i = 0; i < n; i++)
		signal_node(&nodes[i], signal);
	return n;
}

pid_t *process_threads(pid_t pid, size_t *n)
{
	auto_free char *path = xasprintf("/proc/%d/task", (int)pid);
	DIR *list = opendir(path);
	const struct dirent *entry;
	size_t count = 0, cap = 0;
	pid_t *tids = NULL, tid;

	while (list && (entry = readdir(list))) {
		if (!is_number(entry->d_name, &tid))
			continue;
		GROW(tids, count, cap);
		tids[count++] = tid;
	}
	if (list)
		closedir(list);
	*n = count;
	return tids;
}
