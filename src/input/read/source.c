// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "input/read/source.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    RAW = 1 << 16,
    MOST_AT_ONCE = 1 << 30, /* zlib counts in 32 bits */
    /* A gzip bomb: data compress to about a tenth, so no legitimate file exceeds both limits. */
    BOMB_BYTES = 64 << 20,
    BOMB_RATIO = 200
};

struct source {
    pool mem;
    char name[256]; /* for messages */
    int fd;
    bool opened;      /* by us, so ours to close */
    bool fd_ended;    /* do not read on: a terminal would prompt again */
    bool once;        /* nothing is kept any more */
    bool held;        /* standard input that is held: in a file, or spool is that of the context */
    bool live;        /* read what has arrived; do not wait until a buffer is full */
    off_t start;      /* where to seek to read again; -1: a pipe, so what it gives is kept in spool */
    off_t at;         /* where to read on, if held in a file */
    int64_t size;     /* of the file as stored; -1: not known */
    int64_t fetched;  /* bytes of it read since the start */
    int64_t unpacked; /* bytes they gave, of a gzip file */
    char *spool;
    int64_t spooled, spool_room, replayed;
    unsigned char *raw; /* as stored, RAW bytes */
    int64_t raw_at, raw_end;
    bool gzip, between; /* between: at the end of a gzip member */
    rung_allocator by;  /* of the memory that zlib works in */
    z_stream z;
};

static rung_status io_error(rung_ctx *ctx, const char *what, const char *name, int code)
{
    char reason[128];
    if (strerror_r(code, reason, sizeof reason)) snprintf(reason, sizeof reason, "error %d", code);
    return set_error(ctx, RUNG_EIO, "cannot %s %s: %s", what, name, reason);
}

static rung_status keep(rung_ctx *ctx, source *s, const unsigned char *bytes, int64_t count)
{
    if (count == 0) return RUNG_OK; /* there may be no buffer yet */
    if (s->spooled + count > s->spool_room) {
        int64_t room = 2 * (s->spooled + count);
        TRY(memory_check(ctx, (double)room, "buffering a pipe"));
        TRY(RESIZE(ctx, &s->mem, s->spool, room));
        s->spool_room = room;
        memory_hold(ctx, room);
    }
    memcpy(s->spool + s->spooled, bytes, (size_t)count);
    s->spooled += count;
    s->replayed = s->spooled;
    return RUNG_OK;
}

static void drop(source *s)
{
    if (!s->held) pool_free(&s->mem, s->spool);
    s->spool = NULL;
    s->spooled = s->spool_room = s->replayed = 0;
}

/* The next bytes as stored; raw_end is 0 at the end. */
static rung_status fetch(rung_ctx *ctx, source *s)
{
    s->raw_at = s->raw_end = 0;
    while (s->raw_end < (s->live ? 1 : RAW)) {
        unsigned char *to = s->raw + s->raw_end;
        int64_t room = RAW - s->raw_end;
        if (s->replayed < s->spooled) {
            int64_t left = s->spooled - s->replayed, take = left < room ? left : room;
            memcpy(to, s->spool + s->replayed, (size_t)take);
            s->replayed += take;
            s->raw_end += take;
            if (s->once && s->replayed == s->spooled) drop(s);
            continue;
        }
        if (s->fd_ended) break;
        TRY(interrupted(ctx));
        ssize_t got = s->held ? pread(s->fd, to, (size_t)room, s->at) : read(s->fd, to, (size_t)room);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return io_error(ctx, "read", s->name, errno);
        if (got == 0) s->fd_ended = true;
        s->at += got;
        if (s->start < 0 && !s->once) TRY(keep(ctx, s, to, got));
        s->raw_end += got;
    }
    s->fetched += s->raw_end;
    return RUNG_OK;
}

static rung_status corrupt(rung_ctx *ctx, const source *s, const char *why)
{
    return set_error(ctx, RUNG_EIO, "%s is a corrupt gzip file: %s", s->name, why);
}

/* A limit of the caller is checked at allocation; without one this limit applies. */
static rung_status check_bomb(rung_ctx *ctx, const source *s)
{
    if (ctx->memory > 0 || s->unpacked <= BOMB_BYTES || s->unpacked / BOMB_RATIO <= s->fetched) return RUNG_OK;
    return hint(
        ctx,
        set_error(ctx, RUNG_ELIMIT,
                  "%s unpacks to more than %d times its size, as no usual data do; set a memory limit to read it "
                  "all the same",
                  s->name, BOMB_RATIO),
        "option memory");
}

/* A gzip file is a sequence of members, and may end with zeros. */
static rung_status unpack(rung_ctx *ctx, source *s, char *out, int64_t room, int64_t *got)
{
    s->z.next_out = (Bytef *)out;
    s->z.avail_out = (uInt)room;
    while (s->z.avail_out > 0) {
        if (s->raw_at == s->raw_end) TRY(fetch(ctx, s));
        if (s->raw_end == 0 && s->between) break;
        if (s->raw_end == 0) return set_error(ctx, RUNG_EIO, "%s is a truncated gzip file", s->name);
        if (s->between) {
            if (s->raw[s->raw_at] == 0) {
                s->raw_at++;
                continue;
            }
            if (s->raw[s->raw_at] != 0x1f) return corrupt(ctx, s, "other bytes follow its end");
            inflateReset(&s->z);
            s->between = false;
        }
        s->z.next_in = s->raw + s->raw_at;
        s->z.avail_in = (uInt)(s->raw_end - s->raw_at);
        int code = inflate(&s->z, Z_NO_FLUSH);
        s->raw_at = s->raw_end - s->z.avail_in;
        if (code == Z_MEM_ERROR) return set_error(ctx, RUNG_ENOMEM, "out of memory: unpacking %s", s->name);
        if (code == Z_STREAM_END)
            s->between = true;
        else if (code != Z_OK)
            return corrupt(ctx, s, s->z.msg ? s->z.msg : "it does not unpack");
    }
    *got = room - s->z.avail_out;
    s->unpacked += *got;
    return check_bomb(ctx, s);
}

rung_status source_read(rung_ctx *ctx, source *s, char *out, int64_t room, int64_t *got)
{
    *got = 0;
    if (s->gzip) return unpack(ctx, s, out, room < MOST_AT_ONCE ? room : MOST_AT_ONCE, got);
    while (*got < room) {
        if (s->raw_at == s->raw_end && s->live && *got > 0) break;
        if (s->raw_at == s->raw_end) TRY(fetch(ctx, s));
        if (s->raw_end == 0) break;
        int64_t have = s->raw_end - s->raw_at, take = have < room - *got ? have : room - *got;
        memcpy(out + *got, s->raw + s->raw_at, (size_t)take);
        s->raw_at += take;
        *got += take;
    }
    return RUNG_OK;
}

rung_status source_rewind(rung_ctx *ctx, source *s)
{
    if (s->held && s->start >= 0) {
        s->at = s->start;
        s->fd_ended = false;
    } else if (s->start >= 0) {
        if (lseek(s->fd, s->start, SEEK_SET) < 0) return io_error(ctx, "reread", s->name, errno);
        s->fd_ended = false;
    }
    s->raw_at = s->raw_end = s->replayed = s->fetched = s->unpacked = 0;
    s->between = false;
    if (s->gzip) inflateReset(&s->z);
    return RUNG_OK;
}

bool source_live(const source *s) { return s->live; }

bool source_waits(const source *s)
{
    struct pollfd input = {.fd = s->fd, .events = POLLIN};
    return s->live && s->raw_at == s->raw_end && s->replayed == s->spooled && !s->fd_ended && poll(&input, 1, 0) == 0;
}

void source_once(source *s)
{
    s->once = true;
    if (s->replayed == s->spooled) drop(s);
}

int64_t source_size(const source *s) { return s->gzip ? -1 : s->size; }

double source_done(const source *s)
{
    if (s->size <= 0) return -1;
    double done = (double)s->fetched / (double)s->size;
    return done < 1 ? done : 1;
}

/* The first bytes say whether it is a gzip file, which is unpacked as a whole. */
static rung_status fetch_first(rung_ctx *ctx, source *s)
{
    TRY(fetch(ctx, s));
    if (!s->live || s->raw_end == 0 || s->raw[0] != 0x1f) return RUNG_OK;
    s->live = false;
    TRY(source_rewind(ctx, s));
    return fetch(ctx, s);
}

/* Standard input that was read before. Each source of it has its own position. */
static void open_held(const context_input *in, source *s)
{
    s->held = true;
    s->size = in->size;
    s->fd = in->file;
    s->start = s->at = in->text ? -1 : (off_t)in->start;
    s->spool = in->text;
    s->spooled = in->text ? in->size : 0;
    s->fd_ended = in->text != NULL;
}

static rung_status open_file(rung_ctx *ctx, const char *path, bool live, source *s)
{
    if (strcmp(path, "-") == 0) {
        s->fd = STDIN_FILENO;
    } else {
        snprintf(s->name, sizeof s->name, "'%.240s'", path);
        do s->fd = open(path, O_RDONLY | O_CLOEXEC);
        while (s->fd < 0 && errno == EINTR);
        if (s->fd < 0) return io_error(ctx, "open", s->name, errno);
        s->opened = true;
    }
    struct stat about;
    if (fstat(s->fd, &about) != 0) return io_error(ctx, "open", s->name, errno);
    if (S_ISDIR(about.st_mode)) return io_error(ctx, "open", s->name, EISDIR);
    s->start = S_ISREG(about.st_mode) ? lseek(s->fd, 0, SEEK_CUR) : -1;
    s->size = s->start >= 0 ? (int64_t)(about.st_size - s->start) : -1;
    s->live = live && s->start < 0;
    return RUNG_OK;
}

static void *unpack_room(void *by, unsigned count, unsigned size) { return object_new_by(by, (size_t)count * size); }

static void unpack_free(void *by, void *room)
{
    (void)by;
    object_free(room);
}

static rung_status open_source(rung_ctx *ctx, const char *path, bool live, source *s)
{
    bool standard = strcmp(path, "-") == 0;
    if (standard) snprintf(s->name, sizeof s->name, "standard input");
    if (standard && (ctx->input.text || ctx->input.file > 0))
        open_held(&ctx->input, s);
    else
        TRY(open_file(ctx, path, live, s));
    TRY(NEW_RAW(ctx, &s->mem, s->raw, RAW));
    TRY(fetch_first(ctx, s));
    if (s->raw_end >= 2 && s->raw[0] == 0x1f && s->raw[1] == 0x8b) {
        s->by = ctx->allocator;
        s->z.zalloc = unpack_room;
        s->z.zfree = unpack_free;
        s->z.opaque = &s->by;
        if (inflateInit2(&s->z, 15 + 16) != Z_OK)
            return set_error(ctx, RUNG_ENOMEM, "out of memory: unpacking %s", s->name);
        s->gzip = true;
    }
    return RUNG_OK;
}

rung_status source_open(rung_ctx *ctx, const char *path, bool live, source **out)
{
    source *s = *out = object_new(ctx, sizeof *s);
    if (!s) return set_error(ctx, RUNG_ENOMEM, "out of memory: opening a file");
    rung_status status = open_source(ctx, path, live, s);
    if (status != RUNG_OK) {
        source_close(s);
        *out = NULL;
    }
    return status;
}

void source_close(source *s)
{
    if (!s) return;
    if (s->gzip) inflateEnd(&s->z);
    if (s->opened) close(s->fd);
    pool_free_all(&s->mem);
    object_free(s);
}
