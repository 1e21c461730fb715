// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "input/read/files.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/compare.h"
#include "input/read/format.h"

static rung_status add(rung_ctx *ctx, rung_files *f, const char *path)
{
    if ((f->n & (f->n - 1)) == 0) { /* a power of two: full */
        if (f->n == 0)
            TRY(NEW_RAW(ctx, &f->mem, f->path, 1));
        else
            TRY(RESIZE(ctx, &f->mem, f->path, 2 * f->n));
    }
    TRY(pool_text(ctx, &f->mem, path, &f->path[f->n]));
    f->n++;
    return RUNG_OK;
}

static void sort_from(rung_files *f, int64_t first)
{
    if (f->n > first) qsort(f->path + first, (size_t)(f->n - first), sizeof *f->path, compare_texts);
}

/* Hidden files and those that programs leave beside their parts (_SUCCESS) are no data. */
static bool is_part(const char *name) { return name[0] != '.' && name[0] != '_'; }

/* Where some names of a folder say that they are data, the others, such as README.txt, are none. */
static void leave_others(rung_ctx *ctx, rung_files *f, int64_t first, const char *folder)
{
    char list[TABLE_LIST] = "";
    int64_t named = 0, kept = first;
    for (int64_t k = first; k < f->n; k++) named += format_named(f->path[k]);
    if (named == 0 || named == f->n - first) return;
    for (int64_t k = first; k < f->n; k++) {
        const char *slash = strrchr(f->path[k], '/');
        if (format_named(f->path[k]))
            f->path[kept++] = f->path[k];
        else
            table_list(list, ", ", slash ? slash + 1 : f->path[k]);
    }
    log_at(
        ctx, RUNG_LOG_WARNING,
        "the folder '%.240s': %lld file%s whose names do not say that they are data are left out: %s; give them one by "
        "one to read them",
        folder, (long long)(f->n - kept), f->n - kept == 1 ? "" : "s", list);
    f->n = kept;
}

static rung_status add_entries(rung_ctx *ctx, rung_files *f, const char *folder, DIR *entries)
{
    int64_t first = f->n;
    size_t length = strlen(folder);
    for (const struct dirent *one; (one = readdir(entries));) {
        struct stat about;
        const char *path;
        if (!is_part(one->d_name)) continue;
        TRY(pool_printf(ctx, &ctx->scratch, &path, "%s%s%s", folder, length && folder[length - 1] == '/' ? "" : "/",
                        one->d_name));
        if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) continue;
        TRY(add(ctx, f, path));
    }
    if (f->n == first) return set_error(ctx, RUNG_EIO, "the folder '%.240s' holds no data files", folder);
    sort_from(f, first);
    leave_others(ctx, f, first, folder);
    return RUNG_OK;
}

static rung_status add_folder(rung_ctx *ctx, rung_files *f, const char *folder)
{
    DIR *entries = opendir(folder);
    if (!entries) return set_error(ctx, RUNG_EIO, "cannot read the folder '%.240s': %s", folder, strerror(errno));
    rung_status status = add_entries(ctx, f, folder, entries);
    closedir(entries);
    return status;
}

static rung_status add_found(rung_ctx *ctx, rung_files *f, const char *pattern, const glob_t *found)
{
    int64_t first = f->n;
    for (size_t i = 0; i < found->gl_pathc; i++) {
        struct stat about;
        bool folder = stat(found->gl_pathv[i], &about) == 0 && S_ISDIR(about.st_mode);
        if (!folder) TRY(add(ctx, f, found->gl_pathv[i]));
    }
    if (f->n == first) return set_error(ctx, RUNG_EIO, "no file matches '%.240s'", pattern);
    sort_from(f, first); /* glob sorts by the locale */
    return RUNG_OK;
}

static rung_status add_pattern(rung_ctx *ctx, rung_files *f, const char *pattern)
{
    glob_t found;
    int code = glob(pattern, GLOB_NOSORT, NULL, &found);
    if (code == GLOB_NOSPACE) return set_error(ctx, RUNG_ENOMEM, "out of memory: listing files");
    if (code == GLOB_ABORTED) return set_error(ctx, RUNG_EIO, "cannot read a folder of '%.240s'", pattern);
    if (code == GLOB_NOMATCH) return set_error(ctx, RUNG_EIO, "no file matches '%.240s'", pattern);
    rung_status status = add_found(ctx, f, pattern, &found);
    globfree(&found);
    return status;
}

/* A file whose own name has a * in it is that file. One that is not there is reported when it is opened. */
static rung_status add_name(rung_ctx *ctx, rung_files *f, const char *name)
{
    struct stat about;
    if (strcmp(name, "-") == 0) return add(ctx, f, name);
    bool there = stat(name, &about) == 0;
    if (there && S_ISDIR(about.st_mode)) return add_folder(ctx, f, name);
    return !there && strpbrk(name, "*?[") ? add_pattern(ctx, f, name) : add(ctx, f, name);
}

typedef struct {
    dev_t device;
    ino_t number;
    const char *path;
} known_file;

static int by_number(const void *a, const void *b)
{
    const known_file *x = a, *y = b;
    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* A link beside its file, or another way to write its path, would count its rows twice. */
static rung_status check_links(rung_ctx *ctx, const rung_files *f)
{
    known_file *list = NULL;
    int64_t n = 0;
    TRY(NEW(ctx, &ctx->scratch, list, f->n));
    for (int64_t i = 0; i < f->n; i++) {
        struct stat about;
        if (strcmp(f->path[i], "-") == 0 || stat(f->path[i], &about) != 0 || !S_ISREG(about.st_mode)) continue;
        list[n++] = (known_file){about.st_dev, about.st_ino, f->path[i]};
    }
    qsort(list, (size_t)n, sizeof *list, by_number);
    for (int64_t i = 1; i < n; i++)
        if (list[i].device == list[i - 1].device && list[i].number == list[i - 1].number)
            return set_error(ctx, RUNG_EARG, "'%.240s' and '%.240s' are the same file", list[i - 1].path, list[i].path);
    return RUNG_OK;
}

static rung_status check(rung_ctx *ctx, const rung_files *f)
{
    const char **path;
    TRY(files_sorted(ctx, f, &path));
    for (int64_t i = 1; i < f->n; i++) {
        if (strcmp(path[i], path[i - 1]) == 0)
            return set_error(ctx, RUNG_EARG, "the file '%.240s' is given twice", path[i]);
        if (strcmp(path[i], "-") == 0 || strcmp(path[i - 1], "-") == 0)
            return set_error(ctx, RUNG_EARG, "standard input cannot be read together with files");
    }
    return check_links(ctx, f);
}

static rung_status fill(rung_ctx *ctx, const char *const *names, rung_files *f)
{
    for (; *names; names++) TRY(add_name(ctx, f, *names));
    if (f->n == 0) return set_error(ctx, RUNG_EARG, "no file is given");
    return check(ctx, f);
}

rung_status files_new(rung_ctx *ctx, const char *const *names, rung_files **out)
{
    rung_files *f = *out = object_new(ctx, sizeof *f);
    if (!f) return set_error(ctx, RUNG_ENOMEM, "out of memory: a list of files");
    rung_status status = fill(ctx, names, f);
    if (status != RUNG_OK) {
        files_free(f);
        *out = NULL;
    }
    return status;
}

rung_status files_sorted(rung_ctx *ctx, const rung_files *files, const char ***out)
{
    *out = NULL;
    TRY(pool_alloc_raw(ctx, &ctx->scratch, files->n, sizeof **out, "files", (void **)out));
    memcpy(*out, files->path, (size_t)files->n * sizeof **out);
    qsort(*out, (size_t)files->n, sizeof **out, compare_texts);
    return RUNG_OK;
}

void files_free(rung_files *files)
{
    if (!files) return;
    pool_free_all(&files->mem);
    object_free(files);
}
