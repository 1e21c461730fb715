// SPDX-License-Identifier: BSD-3-Clause
/* Reading a model file; save.c writes it, model/file.h describes the frame. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "model/file.h"

static void checksum_digits(const unsigned char *file, int64_t size, char digits[DIGITS + 1])
{
    uLong crc = crc32_z(crc32_z(0, Z_NULL, 0), file, DIGITS_AT);
    crc = crc32_z(crc, (const unsigned char *)NO_DIGITS, DIGITS);
    crc = crc32_z(crc, file + DIGITS_AT + DIGITS, (size_t)(size - DIGITS_AT - DIGITS));
    model_digits(crc, digits);
}

/* ---- load: disk -> bytes ---- */

static rung_status read_open_file(rung_ctx *ctx, int fd, unsigned char **out, int64_t *size)
{
    struct stat info;
    if (fstat(fd, &info) != 0) return set_error(ctx, RUNG_EIO, "cannot read: %s", strerror(errno));
    if (!S_ISREG(info.st_mode)) return set_error(ctx, RUNG_EFORMAT, "not a regular file");
    *size = info.st_size;
    TRY(memory_check(ctx, 2 * (double)*size, "loading the model"));
    TRY(NEW_RAW(ctx, &ctx->scratch, *out, *size));
    for (int64_t done = 0; done < *size;) {
        ssize_t n = read(fd, *out + done, (size_t)(*size - done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return set_error(ctx, RUNG_EIO, "cannot read: %s", strerror(errno));
        if (n == 0) return set_error(ctx, RUNG_EIO, "the file shrank while it was read");
        done += n;
    }
    return RUNG_OK;
}

static rung_status read_file(rung_ctx *ctx, const char *path, unsigned char **out, int64_t *size)
{
    int fd;
    do fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not block: it is rejected afterwards */
    while (fd < 0 && errno == EINTR);
    if (fd < 0) return set_error(ctx, RUNG_EIO, "cannot open: %s", strerror(errno));
    rung_status status = read_open_file(ctx, fd, out, size);
    close(fd);
    return status;
}

/* ---- load: bytes -> model ---- */

/* The layout: consistent lengths, the opening bytes, the checksum. */
static rung_status check_frame(rung_ctx *ctx, const unsigned char *file, int64_t size, int64_t *header)
{
    if (size < DIGITS_AT + DIGITS || memcmp(file + LENGTH_BYTES, OPENING, sizeof OPENING - 1) != 0)
        return set_error(ctx, RUNG_EFORMAT, "not a rung model");
    uint64_t length = 0;
    for (int b = 0; b < LENGTH_BYTES; b++) length |= (uint64_t)file[b] << (8 * b);
    if (length > HEADER_MOST || (int64_t)length > size - LENGTH_BYTES)
        return set_error(ctx, RUNG_EFORMAT,
                         "the file is damaged or truncated: its header has %llu bytes, but the file has %lld",
                         (unsigned long long)length, (long long)size);
    char digits[DIGITS + 1];
    checksum_digits(file, size, digits);
    if (memcmp(file + DIGITS_AT, digits, DIGITS) != 0)
        return set_error(ctx, RUNG_EFORMAT, "the file is damaged or truncated: its checksum does not match");
    *header = (int64_t)length;
    return RUNG_OK;
}

static rung_status check_format(rung_ctx *ctx, json_t *metadata)
{
    const char *text = json_string_value(json_object_get(metadata, "format"));
    int64_t format = 0;
    if (!text || !text_integer(text, strlen(text), &format) || format < 1)
        return set_error(ctx, RUNG_EFORMAT, "damaged: the format number is missing");
    if (format > MODEL_FORMAT)
        return set_error(ctx, RUNG_EFORMAT,
                         "this model was written by a newer rung (format %lld); this version reads format %d",
                         (long long)format, MODEL_FORMAT);
    return RUNG_OK;
}

/* Fills m from the parsed header, whose entries are used up. *model receives the parsed text of the metadata. */
static rung_status from_header(rung_ctx *ctx, json_t *header, unsigned char *data, int64_t size, json_t **model,
                               rung_model *m)
{
    json_t *metadata = json_object_get(header, "__metadata__");
    const char *checksum = NULL, *format = NULL, *library = NULL, *text = NULL;
    TRY(json_take(ctx, metadata, "the metadata", "{s:s, s:s, s:s, s:s}", "checksum", &checksum, "format", &format,
                  "library", &library, "model", &text));
    TRY(pool_text(ctx, &m->mem, library, &m->library));
    TRY(json_parse(ctx, text, strlen(text), "the model text", model));
    json_object_del(header, "__metadata__");
    array_walk walk = {.ctx = ctx, .mode = ARRAYS_READ, .header = header, .data = data, .size = size};
    TRY(model_from_json(ctx, *model, m));
    TRY(model_walk_arrays(&walk, m));
    if (json_object_size(header) != 0)
        return set_error(ctx, RUNG_EFORMAT, "unknown array %s", json_object_iter_key(json_object_iter(header)));
    if (walk.used != size)
        return set_error(ctx, RUNG_EFORMAT, "%lld bytes follow the last array", (long long)(size - walk.used));
    for (int i = 0; i < m->n_members; i++)
        if (m->members[i].score.trees.votes) TRY(forest_unpack(ctx, &m->mem, &m->code, &m->members[i].score.trees));
    TRY(model_check(ctx, m));
    return model_ready(ctx, m);
}

static rung_status damaged(rung_ctx *ctx, rung_status status)
{
    return status == RUNG_EFORMAT ? prefix_error(ctx, status, "damaged: ") : status;
}

static rung_status from_bytes(rung_ctx *ctx, unsigned char *file, int64_t size, rung_model *m)
{
    int64_t length = 0;
    json_t *header = NULL, *model = NULL;
    TRY(check_frame(ctx, file, size, &length));
    TRY(damaged(ctx, json_parse(ctx, (char *)file + LENGTH_BYTES, (size_t)length, "the header", &header)));
    unsigned char *data = file + LENGTH_BYTES + length;
    rung_status status = check_format(ctx, json_object_get(header, "__metadata__"));
    if (status == RUNG_OK)
        status = damaged(ctx, from_header(ctx, header, data, size - LENGTH_BYTES - length, &model, m));
    json_decref(model);
    json_decref(header);
    return status;
}

static rung_status new_from_bytes(rung_ctx *ctx, unsigned char *file, int64_t size, rung_model **out)
{
    rung_model *m = NULL;
    TRY(model_new(ctx, &m));
    rung_status status = from_bytes(ctx, file, size, m);
    if (status == RUNG_OK)
        *out = m;
    else
        model_free(m);
    return status;
}

rung_status model_load(rung_ctx *ctx, const char *path, rung_model **out)
{
    *out = NULL;
    unsigned char *file = NULL;
    int64_t size = 0;
    pool_mark mark = pool_here(&ctx->scratch);
    rung_status status = read_file(ctx, path, &file, &size);
    if (status == RUNG_OK) status = new_from_bytes(ctx, file, size, out);
    pool_release(&ctx->scratch, mark);
    return status == RUNG_OK ? status : prefix_error(ctx, status, "%s: ", path);
}

rung_status model_from_memory(rung_ctx *ctx, const char *bytes, int64_t size, rung_model **out)
{
    *out = NULL;
    unsigned char *file = NULL; /* a copy, because arrays must be aligned */
    if (size < 0) return set_error(ctx, RUNG_EARG, "a model of %lld bytes", (long long)size);
    TRY(memory_check(ctx, 2 * (double)size, "loading the model"));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW_RAW(ctx, &ctx->scratch, file, size));
    memcpy(file, bytes, (size_t)size);
    rung_status status = new_from_bytes(ctx, file, size, out);
    pool_release(&ctx->scratch, mark);
    return status;
}
