// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE /* O_TMPFILE */
#define _FILE_OFFSET_BITS 64
#include "input/read/held_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 18, SHARE = 16 }; /* of the limit, which the bytes in memory may take */
static const int64_t STANDARD_LIMIT = INT64_C(8) << 30;

static rung_status read_error(rung_ctx *ctx, int code)
{
    return set_error(ctx, RUNG_EIO, "cannot read standard input: %s", strerror(code));
}

static const char *folder(void)
{
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

static rung_status no_room(rung_ctx *ctx, int code)
{
    return set_error(ctx, RUNG_EIO,
                     "standard input exceeds the memory limit and cannot be kept in '%.200s': %s; set TMPDIR to a "
                     "folder with room for it",
                     folder(), strerror(code));
}

static rung_status new_file(rung_ctx *ctx, int *out)
{
    const char *name;
    *out = -1;
#ifdef O_TMPFILE
    *out = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (*out >= 0) return RUNG_OK;
#endif
    TRY(pool_printf(ctx, &ctx->scratch, &name, "%s/rung-XXXXXX", folder()));
    char *path = (char *)(uintptr_t)name;
    *out = mkstemp(path);
    if (*out < 0) return no_room(ctx, errno);
    unlink(path);
    fcntl(*out, F_SETFD, FD_CLOEXEC);
    return RUNG_OK;
}

static rung_status write_all(rung_ctx *ctx, int file, const char *bytes, int64_t count)
{
    while (count > 0) {
        ssize_t done = write(file, bytes, (size_t)count);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return no_room(ctx, errno);
        bytes += done;
        count -= done;
    }
    return RUNG_OK;
}

static rung_status read_some(rung_ctx *ctx, char *to, int64_t room, int64_t *got)
{
    for (;;) {
        TRY(interrupted(ctx));
        ssize_t n = read(STDIN_FILENO, to, (size_t)room);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return read_error(ctx, errno);
        *got = n;
        return RUNG_OK;
    }
}

/* As much of it as may be in memory. */
static rung_status hold_in_memory(rung_ctx *ctx, context_input *in, bool *ended)
{
    int64_t most = (ctx->memory > 0 ? ctx->memory : STANDARD_LIMIT) / SHARE, room = PIECE, got = 1;
    TRY(NEW_RAW(ctx, &ctx->kept, in->text, room));
    while (got > 0 && in->size < most) {
        if (in->size == room) {
            room *= 2;
            TRY(RESIZE(ctx, &ctx->kept, in->text, room));
        }
        TRY(read_some(ctx, in->text + in->size, room - in->size, &got));
        in->size += got;
    }
    *ended = got == 0;
    return RUNG_OK;
}

static rung_status hold_in_file(rung_ctx *ctx, context_input *in)
{
    int64_t got = 1;
    char *piece = NULL;
    TRY(new_file(ctx, &in->file));
    TRY(write_all(ctx, in->file, in->text, in->size));
    pool_free(&ctx->kept, in->text);
    in->text = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, piece, PIECE));
    while (got > 0) {
        TRY(read_some(ctx, piece, PIECE, &got));
        TRY(write_all(ctx, in->file, piece, got));
        in->size += got;
    }
    pool_free(&ctx->scratch, piece);
    return RUNG_OK;
}

static rung_status hold_pipe(rung_ctx *ctx, context_input *in)
{
    bool ended = false;
    rung_status status = hold_in_memory(ctx, in, &ended);
    if (status == RUNG_OK && !ended) status = hold_in_file(ctx, in);
    if (status == RUNG_OK) return RUNG_OK;
    input_forget(ctx);
    if (in->file > 0) close(in->file);
    *in = (context_input){0};
    return status;
}

rung_status input_hold(rung_ctx *ctx)
{
    context_input *in = &ctx->input;
    struct stat about;
    if (in->text || in->file > 0) return RUNG_OK;
    if (fstat(STDIN_FILENO, &about) != 0) return read_error(ctx, errno);
    if (!S_ISREG(about.st_mode)) return hold_pipe(ctx, in);
    in->start = lseek(STDIN_FILENO, 0, SEEK_CUR);
    in->size = (int64_t)about.st_size - in->start;
    in->file = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    return in->file < 0 ? read_error(ctx, errno) : RUNG_OK;
}

void input_forget(rung_ctx *ctx)
{
    pool_free(&ctx->kept, ctx->input.text);
    ctx->input.text = NULL;
}
