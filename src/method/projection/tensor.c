// SPDX-License-Identifier: BSD-3-Clause
#include "method/projection/tensor.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "fit/verify.h"
#include "method/projection/projection.h"

/* ---- shapes ---- */

static rung_status parse_shape(rung_ctx *ctx, const char *shape, tensor *out)
{
    for (const char *at = shape;; at++) {
        size_t length = strcspn(at, "x");
        int64_t size;
        if (!text_integer(at, length, &size) || size < 1 || size > INT32_MAX)
            return set_error(ctx, RUNG_EARG, "shape=%s: expected sizes such as 16x16, but '%.*s' is not a size", shape,
                             (int)length, at);
        if (out->modes == TENSOR_MODES)
            return set_error(ctx, RUNG_EARG, "shape=%s has more than %d modes", shape, (int)TENSOR_MODES);
        out->size[out->modes++] = size;
        if (!product_fits(out->d, size, &out->d)) return set_error(ctx, RUNG_EARG, "shape=%s is too large", shape);
        at += length;
        if (!*at) return RUNG_OK;
    }
}

double tensor_longest(const char *shape, int64_t d)
{
    tensor t = {.d = 1};
    int64_t longest = 1;
    if (!shape || parse_shape(NULL, shape, &t) != RUNG_OK) return (double)d;
    for (int q = 0; q < t.modes; q++)
        if (t.size[q] > longest) longest = t.size[q];
    return (double)longest;
}

rung_status tensor_new(rung_ctx *ctx, const char *shape, int64_t d, tensor *out)
{
    *out = (tensor){.d = 1};
    if (shape) {
        TRY(parse_shape(ctx, shape, out));
        if (out->d != d)
            return set_error(ctx, RUNG_EARG, "shape=%s has %lld entries, but a row has %lld columns (after coding)",
                             shape, (long long)out->d, (long long)d);
    } else {
        out->modes = 1;
        out->size[0] = out->d = d;
    }
    for (int q = 0; q < out->modes; q++) {
        TRY(NEW(ctx, &ctx->scratch, out->w[q], out->size[q]));
        for (int64_t i = 0; i < out->size[q]; i++) out->w[q][i] = 1 / sqrt((double)out->size[q]);
    }
    return RUNG_OK;
}

/* The product of the vectors of modes from..to-1, the last index fastest: returns its length. */
static int64_t product(const tensor *t, int from, int to, double *out)
{
    int64_t length = 1;
    out[0] = 1;
    for (int q = from; q < to; q++) { /* backwards, so that nothing is overwritten before it is read */
        for (int64_t a = length - 1; a >= 0; a--)
            for (int64_t i = t->size[q] - 1; i >= 0; i--) out[a * t->size[q] + i] = out[a] * t->w[q][i];
        length *= t->size[q];
    }
    return length;
}

void tensor_direction(const tensor *t, double *w) { product(t, 0, t->modes, w); }

double tensor_share(const problem *p, const tensor *t, int q)
{
    return t->modes == 1 ? varying_columns(p) : (double)t->size[q];
}

rung_status tensor_contract(rung_ctx *ctx, const tensor *t, int p, int64_t m, const double *F, double *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *before = NULL, *after = NULL;
    TRY(NEW(ctx, &ctx->scratch, before, t->d));
    TRY(NEW(ctx, &ctx->scratch, after, t->d));
    int64_t outer = product(t, 0, p, before), inner = product(t, p + 1, t->modes, after), size = t->size[p];
    memset(out, 0, (size_t)(m * size) * sizeof *out);
#pragma omp parallel for num_threads(ctx->threads) schedule(static) if (m * t->d > 100000)
    for (int64_t i = 0; i < size; i++) {
        double *to = out + i * m;
        for (int64_t a = 0; a < outer; a++)
            for (int64_t b = 0; b < inner; b++) {
                const double *from = F + ((a * size + i) * inner + b) * m;
                double w = before[a] * after[b];
                for (int64_t k = 0; k < m; k++) to[k] += w * from[k];
            }
    }
    pool_release(&ctx->scratch, mark);
    return interrupted(ctx);
}

rung_status tensor_report(rung_ctx *ctx, pool *mem, const tensor *t, fitted *out)
{
    for (int q = 0; q < t->modes; q++) {
        const char *name;
        TRY(pool_printf(ctx, mem, &name, "mode%d", q + 1));
        TRY(report_list(ctx, mem, out, name, t->size[q], t->w[q]));
    }
    return RUNG_OK;
}

rung_status tensor_told(rung_ctx *ctx, const struct verification *v, const char *shape, tensor *out, double *off)
{
    const double *coef = v->model->members->score.coef;
    double *w = NULL, most = 0;
    TRY(tensor_new(ctx, shape, v->p->d, out));
    for (int q = 0; q < out->modes; q++) {
        const char *name;
        TRY(pool_printf(ctx, &ctx->scratch, &name, "mode%d", q + 1));
        const double *told = told_list(v->model, name, out->size[q]);
        if (!told) return set_error(ctx, RUNG_EARG, "verify: the model does not report the vector of mode %d", q + 1);
        memcpy(out->w[q], told, (size_t)out->size[q] * sizeof *told);
    }
    TRY(NEW(ctx, &ctx->scratch, w, out->d));
    tensor_direction(out, w);
    *off = 0;
    for (int64_t j = 0; j < out->d; j++) {
        most = fmax(most, fabs(w[j]));
        if (!(fabs(w[j] - coef[j]) <= *off)) *off = fabs(w[j] - coef[j]);
    }
    if (most > 0) *off /= most;
    return RUNG_OK;
}

/* ---- forms ---- */

static rung_status to_host(rung_ctx *ctx, const la_mat *A, double **out)
{
    *out = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, *out, la_rows(A) * la_cols(A)));
    la_get(A, *out);
    return RUNG_OK;
}

rung_status tensor_forms_new(rung_ctx *ctx, const la_mat *T, int count, const la_mat *const *F, tensor_forms *out)
{
    int64_t n = la_rows(T), d = la_cols(T);
    *out = (tensor_forms){.m = n < d ? n : d, .d = d, .count = count};
    if (n <= d) {
        TRY(to_host(ctx, T, &out->T));
        for (int i = 0; i < count; i++) TRY(to_host(ctx, F[i], &out->F[i]));
        return RUNG_OK;
    }
    TRY(NEW(ctx, &ctx->scratch, out->T, d * d));
    for (int64_t j = 0; j < d; j++) out->T[j + j * d] = 1;
    for (int i = 0; i < count; i++) {
        la_mat *form = NULL;
        TRY(la_new(ctx, &ctx->scratch, d, d, &form));
        TRY(la_gemm(ctx, true, false, 1, T, F[i], 0, form));
        TRY(to_host(ctx, form, &out->F[i]));
        la_free(&ctx->scratch, form);
    }
    return RUNG_OK;
}

/* Z = T'F */
static rung_status form(rung_ctx *ctx, const la_mat *T, const la_mat *F, la_mat **out)
{
    TRY(la_new(ctx, &ctx->scratch, la_cols(T), la_cols(T), out));
    return la_gemm(ctx, true, false, 1, T, F, 0, *out);
}

/* With T_p = C back' and F_p = S T_p (the forms are those of maps S of the rows): T_p'F_p = back (C'F_p back) back'. */
static rung_status form_in_span(rung_ctx *ctx, const row_space *span, const la_mat *Fp, la_mat **out)
{
    la_mat *turned = NULL;
    TRY(la_new(ctx, &ctx->scratch, la_rows(Fp), la_cols(span->back), &turned));
    TRY(la_gemm(ctx, false, false, 1, Fp, span->back, 0, turned));
    TRY(form(ctx, span->T, turned, out));
    la_free(&ctx->scratch, turned);
    return RUNG_OK;
}

rung_status tensor_mode(rung_ctx *ctx, const tensor *t, const tensor_forms *forms, int p, la_mat **back, la_mat **out)
{
    int64_t m = forms->m, size = t->size[p];
    double *room = NULL;
    la_mat *Fp = NULL;
    row_space span = {0};
    TRY(NEW_RAW(ctx, &ctx->scratch, room, m * size));
    TRY(la_new(ctx, &ctx->scratch, m, size, &span.T));
    TRY(la_new(ctx, &ctx->scratch, m, size, &Fp));
    TRY(tensor_contract(ctx, t, p, m, forms->T, room));
    la_put(room, span.T);
    if (back && size > m) TRY(row_space_span(ctx, &span));
    for (int i = 0; i < forms->count; i++) {
        TRY(tensor_contract(ctx, t, p, m, forms->F[i], room));
        la_put(room, Fp);
        TRY(span.back ? form_in_span(ctx, &span, Fp, &out[i]) : form(ctx, span.T, Fp, &out[i]));
    }
    if (back) *back = span.back;
    la_free(&ctx->scratch, span.T);
    la_free(&ctx->scratch, Fp);
    pool_free(&ctx->scratch, room);
    return RUNG_OK;
}
