// SPDX-License-Identifier: BSD-3-Clause
/* A model file is a safetensors file: the length of the header (8 bytes, little-endian), the header in JSON padded
 * with spaces, the arrays. Its metadata begin with the checksum, so the digits stand at a fixed place:
 * CRC-32 over the whole file with these digits read as '0'. */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/text.h"
#include "model/file.h"

#define OPENING "{\"__metadata__\":{\"checksum\":\""
#define NO_DIGITS "00000000"

enum {
    LENGTH_BYTES = 8,
    DIGITS = sizeof NO_DIGITS - 1,
    DIGITS_AT = LENGTH_BYTES + sizeof OPENING - 1,
    HEADER_MOST = 100 << 20,
    TEMPORARY_TRIES = 1000
};

static void checksum_digits(const unsigned char *file, int64_t size, char digits[DIGITS + 1])
{
    uLong crc = crc32_z(crc32_z(0, Z_NULL, 0), file, DIGITS_AT);
    crc = crc32_z(crc, (const unsigned char *)NO_DIGITS, DIGITS);
    crc = crc32_z(crc, file + DIGITS_AT + DIGITS, (size_t)(size - DIGITS_AT - DIGITS));
    snprintf(digits, DIGITS + 1, "%08lx", crc & 0xffffffffUL);
}

/* ---- save: model -> bytes ---- */

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

/* header is filled here and released by the caller. */
static rung_status to_bytes(rung_ctx *ctx, const rung_model *m, json_t *header, unsigned char **out, int64_t *size)
{
    rung_model view = *m; /* the walk wants a model it could fill; it only reads this one */
    array_walk walk = {.ctx = ctx, .mode = ARRAYS_PLAN, .header = header};
    char *text = NULL, digits[DIGITS + 1];
    size_t length = 0;
    TRY(add_metadata(ctx, m, header));
    TRY(model_walk_arrays(&walk, &view));
    TRY(dump(ctx, header, &text, &length));
    size_t padded = (length + LENGTH_BYTES - 1) / LENGTH_BYTES * LENGTH_BYTES;
    if (padded > HEADER_MOST)
        return set_error(ctx, RUNG_ELIMIT, "the header of the model file would have %zu bytes, more than %d", padded,
                         HEADER_MOST);
    *size = LENGTH_BYTES + (int64_t)padded + walk.used;
    TRY(memory_check(ctx, (double)*size, "saving the model"));
    TRY(NEW_RAW(ctx, &ctx->scratch, *out, *size));
    unsigned char *file = *out;
    for (int b = 0; b < LENGTH_BYTES; b++) file[b] = (unsigned char)((uint64_t)padded >> (8 * b));
    memcpy(file + LENGTH_BYTES, text, length);
    memset(file + LENGTH_BYTES + length, ' ', padded - length);
    walk = (array_walk){.ctx = ctx, .mode = ARRAYS_WRITE, .data = file + LENGTH_BYTES + padded};
    TRY(model_walk_arrays(&walk, &view));
    checksum_digits(file, *size, digits);
    memcpy(file + DIGITS_AT, digits, DIGITS);
    return RUNG_OK;
}

/* ---- save: bytes -> disk ---- */

static rung_status write_all(rung_ctx *ctx, int fd, const unsigned char *bytes, int64_t size)
{
    for (int64_t done = 0; done < size;) {
        ssize_t n = write(fd, bytes + done, (size_t)(size - done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return set_error(ctx, RUNG_EIO, "cannot write: %s", strerror(errno));
        done += n;
    }
    if (fsync(fd) != 0) return set_error(ctx, RUNG_EIO, "cannot write: %s", strerror(errno));
    return RUNG_OK;
}

/* A file that is new for certain, in the folder of path: a rename within one folder is atomic. */
static rung_status open_temporary(rung_ctx *ctx, const char *path, mode_t mode, const char **name, int *fd)
{
    for (int try = 0; try < TEMPORARY_TRIES; try++) {
        TRY(pool_printf(ctx, &ctx->scratch, name, "%s.%ld-%d.tmp", path, (long)getpid(), try));
        *fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (*fd >= 0) return RUNG_OK;
        if (errno != EEXIST && errno != EINTR) break;
    }
    return set_error(ctx, RUNG_EIO, "cannot create a file there: %s", strerror(errno));
}

/* A symbolic link stays: the file it leads to is replaced. */
static rung_status follow_link(rung_ctx *ctx, const char **path)
{
    struct stat about;
    if (lstat(*path, &about) != 0 || !S_ISLNK(about.st_mode)) return RUNG_OK;
    char *real = realpath(*path, NULL);
    if (!real) return set_error(ctx, RUNG_EIO, "this symbolic link leads nowhere: %s", strerror(errno));
    rung_status status = pool_text(ctx, &ctx->scratch, real, path);
    free(real);
    return status;
}

/* Makes the rename survive a power cut. The new file is in place by now, so trouble here is told but no failure. */
static void sync_folder(rung_ctx *ctx, const char *path, char *folder)
{
    char *slash = strrchr(strcpy(folder, path), '/');
    if (slash) slash[slash == folder] = 0;
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0)
        log_at(ctx, RUNG_WARNING, "%s is written, but its folder could not be synced: %s", path, strerror(errno));
    if (fd >= 0) close(fd);
}

static rung_status replace_file(rung_ctx *ctx, const char *path, const unsigned char *bytes, int64_t size)
{
    struct stat old;
    mode_t mode = 0666;
    TRY(follow_link(ctx, &path));
    if (stat(path, &old) == 0) {
        if (!S_ISREG(old.st_mode)) return set_error(ctx, RUNG_EIO, "there is something that is not a regular file");
        mode = old.st_mode & 0777; /* who may not read the rows of the old model may not read those of the new one */
    }
    const char *temporary = NULL;
    char *folder = NULL;
    int fd = -1;
    TRY(NEW_RAW(ctx, &ctx->scratch, folder, (int64_t)strlen(path) + 1));
    TRY(open_temporary(ctx, path, mode, &temporary, &fd));
    rung_status status = write_all(ctx, fd, bytes, size);
    if (close(fd) != 0 && status == RUNG_OK) status = set_error(ctx, RUNG_EIO, "cannot write: %s", strerror(errno));
    if (status == RUNG_OK && rename(temporary, path) != 0)
        status = set_error(ctx, RUNG_EIO, "cannot put the file in place: %s", strerror(errno));
    if (status != RUNG_OK)
        unlink(temporary);
    else
        sync_folder(ctx, path, folder);
    return status;
}

/* The whole file, in scratch memory. */
static rung_status checked_bytes(rung_ctx *ctx, const rung_model *m, unsigned char **bytes, int64_t *size)
{
    if (model_check_texts(ctx, m) != RUNG_OK) return prefix_error(ctx, RUNG_EDATA, "the model cannot be saved: ");
    if (model_check(ctx, m) != RUNG_OK) return prefix_error(ctx, RUNG_EINTERNAL, "the model cannot be saved: ");
    json_t *header = json_object();
    rung_status status = to_bytes(ctx, m, header, bytes, size);
    json_decref(header);
    return status;
}

rung_status model_save(rung_ctx *ctx, const rung_model *m, const char *path)
{
    if (path[0] == 0 || strcmp(path, "-") == 0)
        return set_error(ctx, RUNG_EARG, "a model is saved to a file: give its name, not '%s'", path);
    pool_mark mark = pool_here(&ctx->scratch);
    unsigned char *bytes = NULL;
    int64_t size = 0;
    rung_status status = checked_bytes(ctx, m, &bytes, &size);
    if (status == RUNG_OK) status = replace_file(ctx, path, bytes, size);
    pool_release(&ctx->scratch, mark);
    return status == RUNG_OK ? status : prefix_error(ctx, status, "%s: ", path);
}

rung_status model_to_memory(rung_ctx *ctx, const rung_model *m, char **out, int64_t *size)
{
    *out = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    unsigned char *bytes = NULL;
    rung_status status = checked_bytes(ctx, m, &bytes, size);
    if (status == RUNG_OK) {
        *out = malloc((size_t)*size); /* the caller's, as the text of a description is */
        if (*out)
            memcpy(*out, bytes, (size_t)*size);
        else
            status = set_error(ctx, RUNG_ENOMEM, "out of memory: the bytes of the model");
    }
    pool_release(&ctx->scratch, mark);
    return status;
}

/* ---- load: disk -> bytes ---- */

static rung_status read_open_file(rung_ctx *ctx, int fd, unsigned char **out, int64_t *size)
{
    struct stat info;
    if (fstat(fd, &info) != 0) return set_error(ctx, RUNG_EIO, "cannot read: %s", strerror(errno));
    if (!S_ISREG(info.st_mode)) return set_error(ctx, RUNG_EFORMAT, "this is not a regular file");
    *size = info.st_size;
    TRY(memory_check(ctx, 2 * (double)*size, "loading the model"));
    TRY(NEW_RAW(ctx, &ctx->scratch, *out, *size));
    for (int64_t done = 0; done < *size;) {
        ssize_t n = read(fd, *out + done, (size_t)(*size - done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return set_error(ctx, RUNG_EIO, "cannot read: %s", strerror(errno));
        if (n == 0) return set_error(ctx, RUNG_EIO, "the file became shorter while it was read");
        done += n;
    }
    return RUNG_OK;
}

static rung_status read_file(rung_ctx *ctx, const char *path, unsigned char **out, int64_t *size)
{
    int fd;
    do fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not block: it is refused afterwards */
    while (fd < 0 && errno == EINTR);
    if (fd < 0) return set_error(ctx, RUNG_EIO, "cannot open: %s", strerror(errno));
    rung_status status = read_open_file(ctx, fd, out, size);
    close(fd);
    return status;
}

/* ---- load: bytes -> model ---- */

/* The frame: lengths that fit, our opening, the checksum. */
static rung_status check_frame(rung_ctx *ctx, const unsigned char *file, int64_t size, int64_t *header)
{
    if (size < DIGITS_AT + DIGITS || memcmp(file + LENGTH_BYTES, OPENING, sizeof OPENING - 1) != 0)
        return set_error(ctx, RUNG_EFORMAT, "this is not a rung model");
    uint64_t length = 0;
    for (int b = 0; b < LENGTH_BYTES; b++) length |= (uint64_t)file[b] << (8 * b);
    if (length > HEADER_MOST || (int64_t)length > size - LENGTH_BYTES)
        return set_error(ctx, RUNG_EFORMAT,
                         "the file is damaged or truncated: its header has %llu bytes, the file %lld",
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
        return set_error(ctx, RUNG_EFORMAT, "damaged: the format of the model is not told");
    if (format > MODEL_FORMAT)
        return set_error(ctx, RUNG_EFORMAT,
                         "this model was written by a newer rung (format %lld); this one reads format %d",
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
    return model_check(ctx, m);
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
    unsigned char *file = NULL; /* a copy, for arrays must be aligned */
    if (size < 0) return set_error(ctx, RUNG_EARG, "a model of %lld bytes", (long long)size);
    TRY(memory_check(ctx, 2 * (double)size, "loading the model"));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW_RAW(ctx, &ctx->scratch, file, size));
    memcpy(file, bytes, (size_t)size);
    rung_status status = new_from_bytes(ctx, file, size, out);
    pool_release(&ctx->scratch, mark);
    return status;
}
