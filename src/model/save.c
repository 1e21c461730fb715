// SPDX-License-Identifier: BSD-3-Clause
/* Writing a model file, to disk or to memory. The bytes pass through one sink in the order of the file, so that no copy
 * of it is ever in memory; the checksum, which comes first, is filled in at the end. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "model/file.h"

enum { BUFFER = 1 << 16, TEMPORARY_TRIES = 1000 };

/* ---- the sink ---- */

struct model_sink {
    uLong crc;
    int64_t used; /* bytes taken so far */
    char *memory; /* room for all of them; NULL: to the file */
    int fd;       /* of the file ... */
    int64_t held; /* ... and what waits to be written */
    unsigned char buffer[BUFFER];
};

static rung_status write_all(rung_ctx *ctx, int fd, const void *bytes, int64_t size, int64_t at)
{
    for (int64_t done = 0; done < size;) {
        ssize_t n = pwrite(fd, (const char *)bytes + done, (size_t)(size - done), (off_t)(at + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return set_error(ctx, RUNG_EIO, "cannot write: %s", strerror(errno));
        done += n;
    }
    return RUNG_OK;
}

static rung_status flush(rung_ctx *ctx, model_sink *sink)
{
    TRY(write_all(ctx, sink->fd, sink->buffer, sink->held, sink->used - sink->held));
    sink->held = 0;
    return RUNG_OK;
}

rung_status sink_put(rung_ctx *ctx, model_sink *sink, const void *bytes, int64_t size)
{
    const char *from = bytes;
    sink->crc = crc32_z(sink->crc, bytes, (size_t)size);
    if (sink->memory) {
        memcpy(sink->memory + sink->used, from, (size_t)size);
        sink->used += size;
        return RUNG_OK;
    }
    while (size > 0) {
        int64_t n = size < BUFFER - sink->held ? size : BUFFER - sink->held;
        memcpy(sink->buffer + sink->held, from, (size_t)n);
        sink->held += n;
        sink->used += n;
        from += n;
        size -= n;
        if (sink->held == BUFFER) TRY(flush(ctx, sink));
    }
    return RUNG_OK;
}

void model_digits(unsigned long crc, char digits[DIGITS + 1])
{
    snprintf(digits, DIGITS + 1, "%08lx", crc & 0xffffffffUL);
}

/* ---- model -> bytes ---- */

static rung_status header_memory(rung_ctx *ctx)
{
    return set_error(ctx, RUNG_ENOMEM, "out of memory: the header of the model");
}

/* Its text, in scratch memory. */
static rung_status dump(rung_ctx *ctx, const json_t *json, char **text, size_t *length)
{
    *length = json_dumpb(json, NULL, 0, JSON_COMPACT);
    if (*length == 0) return header_memory(ctx);
    TRY(NEW(ctx, &ctx->scratch, *text, (int64_t)*length + 1));
    return json_dumpb(json, *text, *length, JSON_COMPACT) == *length ? RUNG_OK : header_memory(ctx);
}

static rung_status add_metadata(rung_ctx *ctx, const rung_model *m, json_t *header)
{
    json_t *model = model_to_json(m), *metadata = json_object();
    char *text = NULL, format[16];
    size_t length = 0;
    rung_status status = dump(ctx, model, &text, &length);
    json_decref(model);
    snprintf(format, sizeof format, "%d", MODEL_FORMAT);
    int bad = json_object_set_new(metadata, "checksum", json_string(NO_DIGITS)); /* first: see OPENING */
    bad |= json_object_set_new(metadata, "format", json_string(format));
    bad |= json_object_set_new(metadata, "library", json_string(m->library));
    bad |= json_object_set_new(metadata, "model", json_string(text));
    bad |= json_object_set_new(header, "__metadata__", metadata);
    return status == RUNG_OK && bad ? header_memory(ctx) : status;
}

typedef struct { /* the part before the arrays, and the number of bytes of the arrays */
    char *text;
    size_t length, padded;
    int64_t arrays;
} model_header;

static int64_t file_size(const model_header *h) { return LENGTH_BYTES + (int64_t)h->padded + h->arrays; }

/* entries is filled here and released by the caller. */
static rung_status plan_header(rung_ctx *ctx, const rung_model *m, json_t *entries, model_header *out)
{
    rung_model view = *m; /* the walk needs a non-const model; it only reads this one */
    array_walk walk = {.ctx = ctx, .mode = ARRAYS_PLAN, .header = entries};
    TRY(add_metadata(ctx, m, entries));
    TRY(model_walk_arrays(&walk, &view));
    TRY(dump(ctx, entries, &out->text, &out->length));
    out->padded = (out->length + LENGTH_BYTES - 1) / LENGTH_BYTES * LENGTH_BYTES;
    out->arrays = walk.used;
    if (out->padded > HEADER_MOST)
        return set_error(ctx, RUNG_ELIMIT,
                         "the header of the model file would have %zu bytes, but at most %d are allowed", out->padded,
                         HEADER_MOST);
    return RUNG_OK;
}

/* The header, in scratch memory. */
static rung_status checked_header(rung_ctx *ctx, const rung_model *m, model_header *out)
{
    if (model_check_texts(ctx, m) != RUNG_OK) return prefix_error(ctx, RUNG_EDATA, "the model cannot be saved: ");
    if (model_check(ctx, m) != RUNG_OK) return prefix_error(ctx, RUNG_EINTERNAL, "the model cannot be saved: ");
    json_t *entries = json_object();
    rung_status status = plan_header(ctx, m, entries, out);
    json_decref(entries);
    return status;
}

static rung_status put_model(rung_ctx *ctx, const rung_model *m, const model_header *h, model_sink *sink)
{
    static const char spaces[LENGTH_BYTES + 1] = "        ";
    unsigned char length[LENGTH_BYTES];
    char digits[DIGITS + 1];
    rung_model view = *m;
    array_walk walk = {.ctx = ctx, .mode = ARRAYS_WRITE, .sink = sink};
    for (int b = 0; b < LENGTH_BYTES; b++) length[b] = (unsigned char)((uint64_t)h->padded >> (8 * b));
    sink->crc = crc32_z(0, Z_NULL, 0);
    TRY(sink_put(ctx, sink, length, LENGTH_BYTES));
    TRY(sink_put(ctx, sink, h->text, (int64_t)h->length));
    TRY(sink_put(ctx, sink, spaces, (int64_t)(h->padded - h->length)));
    TRY(model_walk_arrays(&walk, &view));
    model_digits(sink->crc, digits);
    if (sink->memory) {
        memcpy(sink->memory + DIGITS_AT, digits, DIGITS);
        return RUNG_OK;
    }
    TRY(flush(ctx, sink));
    return write_all(ctx, sink->fd, digits, DIGITS, DIGITS_AT);
}

/* ---- bytes -> disk ---- */

/* A newly created file in the folder of path: a rename within one folder is atomic. It gets the permissions of the file
 * it replaces, and until then only its owner can read it. */
static rung_status open_temporary(rung_ctx *ctx, const char *path, const struct stat *old, const char **name, int *fd)
{
    for (int try = 0; try < TEMPORARY_TRIES; try++) {
        TRY(pool_printf(ctx, &ctx->scratch, name, "%s.%ld-%d.tmp", path, (long)getpid(), try));
        *fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old ? 0600 : 0666);
        if (*fd >= 0) break;
        if (errno != EEXIST && errno != EINTR) break;
    }
    if (*fd < 0) return set_error(ctx, RUNG_EIO, "cannot create a file there: %s", strerror(errno));
    if (!old) return RUNG_OK;
    if (fchown(*fd, old->st_uid, old->st_gid) != 0 && fchown(*fd, (uid_t)-1, old->st_gid) != 0)
        log_at(ctx, RUNG_LOG_DEBUG, "%s gets another owner: %s", path, strerror(errno));
    fchmod(*fd, old->st_mode & 07777); /* after the change of owner, which clears bits */
    return RUNG_OK;
}

/* A symbolic link remains: its target is replaced. */
static rung_status follow_link(rung_ctx *ctx, const char **path)
{
    struct stat about;
    if (lstat(*path, &about) != 0 || !S_ISLNK(about.st_mode)) return RUNG_OK;
    char *real = realpath(*path, NULL);
    if (!real) return set_error(ctx, RUNG_EIO, "cannot follow the symbolic link: %s", strerror(errno));
    rung_status status = pool_text(ctx, &ctx->scratch, real, path);
    free(real);
    return status;
}

/* Makes the rename survive a power cut. The new file is in place by now, so a problem here is a warning, not a
 * failure. */
static void sync_folder(rung_ctx *ctx, const char *path, char *folder)
{
    char *slash = strrchr(strcpy(folder, path), '/');
    if (slash) slash[slash == folder] = 0;
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0)
        log_at(ctx, RUNG_LOG_WARNING, "%s was written, but its folder could not be synced: %s", path, strerror(errno));
    if (fd >= 0) close(fd);
}

static rung_status write_file(rung_ctx *ctx, const rung_model *m, const model_header *h, int fd)
{
    model_sink *sink = NULL;
    TRY(NEW(ctx, &ctx->scratch, sink, 1));
    sink->fd = fd;
    TRY(put_model(ctx, m, h, sink));
    return fsync(fd) == 0 ? RUNG_OK : set_error(ctx, RUNG_EIO, "cannot write: %s", strerror(errno));
}

static rung_status replace_file(rung_ctx *ctx, const rung_model *m, const model_header *h, const char *path)
{
    struct stat old;
    TRY(follow_link(ctx, &path));
    bool exists = stat(path, &old) == 0;
    if (exists && !S_ISREG(old.st_mode)) return set_error(ctx, RUNG_EIO, "it exists and is not a regular file");
    const char *temporary = NULL;
    char *folder = NULL;
    int fd = -1;
    TRY(NEW_RAW(ctx, &ctx->scratch, folder, (int64_t)strlen(path) + 1));
    TRY(open_temporary(ctx, path, exists ? &old : NULL, &temporary, &fd));
    rung_status status = write_file(ctx, m, h, fd);
    if (close(fd) != 0 && status == RUNG_OK) status = set_error(ctx, RUNG_EIO, "cannot write: %s", strerror(errno));
    if (status == RUNG_OK && rename(temporary, path) != 0)
        status = set_error(ctx, RUNG_EIO, "cannot rename the new file to it: %s", strerror(errno));
    if (status != RUNG_OK)
        unlink(temporary);
    else
        sync_folder(ctx, path, folder);
    return status;
}

/* ---- whole ---- */

rung_status model_save(rung_ctx *ctx, const rung_model *m, const char *path)
{
    if (path[0] == 0 || strcmp(path, "-") == 0)
        return set_error(ctx, RUNG_EARG, "a model must be saved to a file, not to '%s'", path);
    pool_mark mark = pool_here(&ctx->scratch);
    model_header header = {0};
    rung_status status = checked_header(ctx, m, &header);
    if (status == RUNG_OK) status = replace_file(ctx, m, &header, path);
    pool_release(&ctx->scratch, mark);
    return status == RUNG_OK ? status : prefix_error(ctx, status, "%s: ", path);
}

static rung_status fill_memory(rung_ctx *ctx, const rung_model *m, char **out, int64_t *size)
{
    model_header header = {0};
    model_sink *sink = NULL;
    TRY(checked_header(ctx, m, &header));
    *size = file_size(&header);
    TRY(memory_check(ctx, (double)*size, "saving the model"));
    TRY(NEW(ctx, &ctx->scratch, sink, 1));
    sink->memory = object_new(ctx, (size_t)*size);
    if (!sink->memory) return set_error(ctx, RUNG_ENOMEM, "out of memory: the bytes of the model");
    rung_status status = put_model(ctx, m, &header, sink);
    if (status == RUNG_OK)
        *out = sink->memory;
    else
        object_free(sink->memory);
    return status;
}

rung_status model_to_memory(rung_ctx *ctx, const rung_model *m, char **out, int64_t *size)
{
    *out = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    rung_status status = fill_memory(ctx, m, out, size);
    pool_release(&ctx->scratch, mark);
    return status;
}
