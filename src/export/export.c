// SPDX-License-Identifier: BSD-3-Clause
#include "export/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/target.h"
#include "model/file.h"

static const struct {
    const char *name;
    export_fn *print;
} targets[] = {{"json", export_json}, {"c", export_c}, {"h", export_h}, {"onnx", export_onnx}, {"html", export_html}};
enum { TARGETS = sizeof targets / sizeof *targets };

const char *export_target(int index) { return index >= 0 && index < TARGETS ? targets[index].name : NULL; }

static rung_status find_target(rung_ctx *ctx, const char *name, export_fn **out)
{
    char list[128] = "";
    for (int i = 0; i < TARGETS; i++) {
        if (strcmp(name, targets[i].name) == 0) return *out = targets[i].print, RUNG_OK;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", targets[i].name);
    }
    return set_error(ctx, RUNG_EARG, "a model cannot be written as '%.40s'; there are: %s", name, list);
}

const char *column_title(const coding *code, int64_t j, char name[32])
{
    if (*code->columns[j].name) return code->columns[j].name;
    snprintf(name, 32, "x%lld", (long long)j + 1);
    return name;
}

/* The checksum that the model has in its file. */
static rung_status checksum_of(rung_ctx *ctx, const rung_model *m, char digits[DIGITS + 1])
{
    char *file;
    int64_t size;
    TRY(model_to_memory(ctx, m, &file, &size));
    memcpy(digits, file + DIGITS_AT, DIGITS);
    digits[DIGITS] = 0;
    object_free(file);
    return RUNG_OK;
}

static bool has_link(const member *one, link_kind kind)
{
    return one->proba == PROBA_PROBIT    ? one->link.kind == kind
           : one->proba == PROBA_EFFECTS ? one->score.random->link == kind
                                         : false;
}

static rung_status check_options(rung_ctx *ctx, const rung_model *m, const rung_export_options *o)
{
    int64_t rows = model_expansion_rows(m);
    for (int i = 0; i < m->n_members; i++)
        if (has_link(&m->members[i], LINK_CAUCHIT))
            return set_error(ctx, RUNG_EARG, "the model has link=cauchit, which an export does not compute");
    if (m->code.n_random > 0)
        return set_error(ctx, RUNG_EARG,
                         "the model has random effects, whose groups and integrals an export does not compute");
    if (rows > 0 && !o->with_rows)
        return hint(ctx,
                    set_error(ctx, RUNG_EARG,
                              "the model contains %lld scaled training row%s, and so would what is written: whoever "
                              "has it can read them",
                              (long long)rows, rows == 1 ? "" : "s"),
                    "option with-rows");
    return RUNG_OK;
}

static rung_status print(rung_ctx *ctx, const rung_model *m, export_fn *to, const rung_export_options *o, writer *w)
{
    char digits[DIGITS + 1];
    program *p;
    TRY(checksum_of(ctx, m, digits));
    TRY(program_build(ctx, m, &(program_options){.level = o->level > 0 ? o->level : 0.9, .checksum = digits}, &p));
    p->contains_rows = model_expansion_rows(m) > 0;
    to(p, &(export_words){o->prefix, o->title, o->text, o->disclaimer}, w);
    return w->status;
}

rung_status model_export(rung_ctx *ctx, const rung_model *m, const char *target, const rung_export_options *options,
                         char **bytes, int64_t *size)
{
    rung_export_options none = {0};
    const rung_export_options *o = options ? options : &none;
    export_fn *to = NULL;
    writer w = {.ctx = ctx};
    TRY(find_target(ctx, target, &to));
    TRY(check_options(ctx, m, o));
    pool_mark mark = pool_here(&ctx->scratch);
    rung_status status = print(ctx, m, to, o, &w);
    if (status == RUNG_OK && !(*bytes = object_new(ctx, (size_t)w.size + 1)))
        status = set_error(ctx, RUNG_ENOMEM, "out of memory: the exported model");
    if (status == RUNG_OK) {
        memcpy(*bytes, w.bytes, (size_t)w.size);
        (*bytes)[w.size] = 0;
        *size = w.size;
    }
    pool_release(&ctx->scratch, mark);
    return status;
}
