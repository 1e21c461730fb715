// SPDX-License-Identifier: BSD-3-Clause
/* The files that names stand for: files, folders, patterns with *, ? or []. */
#ifndef RUNG_READ_FILES_H
#define RUNG_READ_FILES_H

#include "base/context.h"

struct rung_files {
    pool mem;
    int64_t n;
    const char **path;
};

/* In the order given; those of a folder or a pattern in bytewise order. */
rung_status files_new(rung_ctx *ctx, const char *const *names, rung_files **out);
/* The same files in bytewise order, in scratch memory: what is summed over them does not depend on the order given. */
rung_status files_sorted(rung_ctx *ctx, const rung_files *files, const char ***out);
void files_free(rung_files *files);

#endif
