// SPDX-License-Identifier: BSD-3-Clause
/* Temporary files and tables from a text, for the tests of this folder. The files that include it define
 * _POSIX_C_SOURCE first, for mkstemp. */
#ifndef RUNG_TESTS_DATA_TEMP_H
#define RUNG_TESTS_DATA_TEMP_H

#include "helper.h"

#include <unistd.h>

#include "data/read.h"

typedef struct {
    char path[64];
} temp;

static inline temp temp_file(const void *bytes, size_t count)
{
    temp t = {"/tmp/rung_test_XXXXXX"};
    int fd = mkstemp(t.path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, count), count);
    close(fd);
    return t;
}

static inline rung_status read_bytes(rung_ctx *ctx, const void *bytes, size_t count, const rung_read_options *options,
                                     rung_table **out)
{
    temp file = temp_file(bytes, count);
    rung_status status = read_table(ctx, file.path, options, out);
    unlink(file.path);
    return status;
}

static inline rung_status read_text(rung_ctx *ctx, const char *text, const rung_read_options *options, rung_table **out)
{
    return read_bytes(ctx, text, strlen(text), options, out);
}

/* A table that must be readable. */
static inline rung_table *table_of(rung_ctx *ctx, const char *text)
{
    rung_table *t;
    assert_ok(ctx, read_text(ctx, text, NULL, &t));
    return t;
}

#endif
