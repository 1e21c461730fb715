// SPDX-License-Identifier: BSD-3-Clause
/* pom_design.c - which columns have which part: what the parameters of pom name, and the coefficients that the rows
 * determine. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method/baseline/pom.h"

enum { MOST_NAME = 200 };

/* A column by its name or, without one, by its place: "x3". */
static int64_t find_column(const coding *code, const char *name, size_t length)
{
    char place[24];
    for (int64_t j = 0; j < code->n_columns; j++) {
        const char *own = code->columns[j].name;
        snprintf(place, sizeof place, "x%lld", (long long)j + 1);
        if (!own[0]) own = place;
        if (strlen(own) == length && strncmp(own, name, length) == 0) return j;
    }
    return -1;
}

/* How a coded column is scaled: scaled = (x - shift) factor. RUNG_EDATA: it is constant, or scaled by its ranks. */
static rung_status line_of(rung_ctx *ctx, const problem *p, const char *option, int64_t coded, double *shift,
                           double *factor)
{
    const coding *code = p->code;
    char name[MOST_NAME];
    double low = INFINITY, high = -INFINITY, from = 0, to = 0, off = 0;
    coding_feature_name(code, coded, name, sizeof name);
    for (int64_t i = 0; i < p->n; i++) {
        double raw = p->cells[coded + p->origin[i] * p->d], x = p->X[coded + i * p->d];
        if (raw < low) low = raw, from = x;
        if (raw > high) high = raw, to = x;
    }
    if (!(high > low)) return set_error(ctx, RUNG_EDATA, "%s: column '%s' is constant", option, name);
    *factor = (to - from) / (high - low);
    *shift = low - from / *factor;
    for (int64_t i = 0; i < p->n; i++) {
        double raw = p->cells[coded + p->origin[i] * p->d];
        if (!isnan(raw)) off = fmax(off, fabs((raw - *shift) * *factor - p->X[coded + i * p->d]));
    }
    if (!(off <= 1e-9 * fmax(1, fabs(to - from) + fabs(from))))
        return set_error(ctx, RUNG_EARG,
                         "%s takes columns as they stand, but they are scaled by their ranks: set another "
                         "scale, such as standard",
                         option);
    return RUNG_OK;
}

/* The columns of a list, which option names: a flag for each column of the table. */
static rung_status read_columns(rung_ctx *ctx, const coding *code, const char *option, const char *list, bool **out,
                                bool *any)
{
    TRY(NEW(ctx, &ctx->scratch, *out, code->n_columns));
    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ",");
        int64_t whole = find_column(code, at, strlen(at)); /* a name with a comma in it */
        int64_t found = whole >= 0 ? whole : find_column(code, at, length);
        if (found < 0)
            return set_error(ctx, RUNG_EARG, "%s: no column '%.*s'", option, (int)fmin((double)length, 100), at);
        (*out)[found] = *any = true;
        at += whole >= 0 ? strlen(at) : length;
        if (*at) at++;
    }
    return RUNG_OK;
}

static rung_status read_offset(rung_ctx *ctx, const problem *p, const char *name, pom_design *out)
{
    double shift, factor;
    int64_t at = find_column(p->code, name, strlen(name));
    if (at < 0) return set_error(ctx, RUNG_EARG, "offset: no column '%.100s'", name);
    if (p->code->columns[at].nominal || column_width(&p->code->columns[at]) != 1)
        return set_error(ctx, RUNG_EARG, "offset: column '%.100s' is not numeric", name);
    if (out->own[at] || out->uneven[at])
        return set_error(ctx, RUNG_EARG, "column '%.100s' is the offset: nothing else can be estimated for it", name);
    out->offset = p->code->columns[at].first;
    TRY(line_of(ctx, p, "offset", out->offset, &shift, &factor));
    out->coef = 1 / factor;
    return RUNG_OK;
}

rung_status pom_design_of(rung_ctx *ctx, const problem *p, const pom_params *params, pom_design *out)
{
    *out = (pom_design){.offset = -1};
    TRY(read_columns(ctx, p->code, "by-threshold", params->by_threshold, &out->own, &out->any_own));
    TRY(read_columns(ctx, p->code, "spread", params->spread, &out->uneven, &out->any_uneven));
    if (params->offset && params->offset[0]) TRY(read_offset(ctx, p, params->offset, out));
    if (p->K < 3) out->any_own = false; /* there is one threshold */
    out->general = out->any_own || out->any_uneven || params->penalty == POM_FIRTH;
    return RUNG_OK;
}

rung_status pom_take_offset(rung_ctx *ctx, const pom_design *design, int64_t d, int64_t n, double *X, double **offset)
{
    *offset = NULL;
    if (design->offset < 0) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, *offset, n));
    for (int64_t i = 0; i < n; i++) {
        (*offset)[i] = design->coef * X[design->offset + i * d];
        X[design->offset + i * d] = 0;
    }
    return RUNG_OK;
}

/* ---- the coefficients that the rows determine ---- */

static const double SAME = 1e-9;

/* x := its part that is orthogonal to the columns of Q before it; its length relative to what it was. */
static double remainder_of(int64_t n, int columns, const double *Q, double *x)
{
    double before = 0, after = 0;
    for (int64_t i = 0; i < n; i++) before += x[i] * x[i];
    for (int twice = 0; twice < 2; twice++)
        for (int c = 0; c < columns; c++) {
            const double *q = Q + c * n;
            double along = 0;
            for (int64_t i = 0; i < n; i++) along += q[i] * x[i];
            for (int64_t i = 0; i < n; i++) x[i] -= along * q[i];
        }
    for (int64_t i = 0; i < n; i++) after += x[i] * x[i];
    for (int64_t i = 0; i < n && after > 0; i++) x[i] /= sqrt(after);
    return before > 0 ? sqrt(after / before) : 0;
}

/* Whether the columns of Q determine that of a term; else it is the next of them. */
static bool joins(const problem *p, const score_term *t, double *Q, int columns)
{
    double *x = Q + columns * p->n;
    for (int64_t i = 0; i < p->n; i++) x[i] = p->X[t->coded + i * p->d];
    return remainder_of(p->n, columns, Q, x) >= SAME;
}

static rung_status constant_column(rung_ctx *ctx, const problem *p, int64_t more, double **Q)
{
    TRY(NEW_RAW(ctx, &ctx->scratch, *Q, p->n * (more + 2)));
    for (int64_t i = 0; i < p->n; i++) (*Q)[i] = 1 / sqrt((double)p->n);
    return RUNG_OK;
}

rung_status pom_is_determined(rung_ctx *ctx, const pom_study *s, int64_t term, bool *out)
{
    int columns = 1;
    double *Q = NULL;
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(constant_column(ctx, s->p, s->n_terms, &Q));
    for (int64_t k = 0; k < s->n_terms; k++) columns += k != term && joins(s->p, &s->terms[k], Q, columns);
    *out = !joins(s->p, &s->terms[term], Q, columns);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status choose_terms(rung_ctx *ctx, const problem *p, const pom_design *design, pom_columns *out)
{
    double *Q = NULL;
    TRY(constant_column(ctx, p, out->n_terms, &Q));
    for (int64_t k = 0; k < out->n_terms; k++)
        if (out->terms[k].coded != design->offset && joins(p, &out->terms[k], Q, out->m.d + 1))
            out->term[out->m.d++] = k;
    for (int64_t k = 0; k < out->n_terms; k++)
        if (design->uneven[out->terms[k].column] && joins(p, &out->terms[k], Q, out->m.spreads + 1))
            out->wide[out->m.spreads++] = k;
    pool_free(&ctx->scratch, Q);
    return RUNG_OK;
}

/* The columns of the spread, as they stand in the file. */
static rung_status take_spread(rung_ctx *ctx, const problem *p, pom_columns *out)
{
    double *Z = NULL;
    TRY(NEW(ctx, &ctx->scratch, out->shift, out->m.spreads));
    TRY(NEW(ctx, &ctx->scratch, out->factor, out->m.spreads));
    TRY(NEW(ctx, &ctx->scratch, Z, out->m.spreads * p->n));
    for (int k = 0; k < out->m.spreads; k++) {
        int64_t coded = out->terms[out->wide[k]].coded;
        TRY(line_of(ctx, p, "spread", coded, &out->shift[k], &out->factor[k]));
        for (int64_t i = 0; i < p->n; i++)
            Z[k + i * out->m.spreads] = p->X[coded + i * p->d] / out->factor[k] + out->shift[k];
    }
    out->m.Z = Z;
    return RUNG_OK;
}

rung_status pom_columns_of(rung_ctx *ctx, const problem *p, const pom_params *params, const pom_design *design,
                           pom_columns *out)
{
    double *X = NULL, *all = NULL, *mean = NULL, *offset = NULL;
    bool *own = NULL;
    *out = (pom_columns){.n_terms = coding_terms(p->code, 0, NULL)};
    TRY(NEW(ctx, &ctx->scratch, out->terms, out->n_terms));
    TRY(NEW(ctx, &ctx->scratch, out->term, out->n_terms));
    TRY(NEW(ctx, &ctx->scratch, out->wide, out->n_terms));
    coding_terms(p->code, out->n_terms, out->terms);
    TRY(choose_terms(ctx, p, design, out));
    TRY(pom_centred_rows(ctx, p, &mean, &all));
    TRY(pom_take_offset(ctx, design, p->d, p->n, all, &offset));
    TRY(NEW(ctx, &ctx->scratch, out->mean, out->m.d));
    TRY(NEW(ctx, &ctx->scratch, own, out->m.d));
    TRY(NEW(ctx, &ctx->scratch, X, out->m.d * p->n));
    for (int j = 0; j < out->m.d; j++) {
        const score_term *t = &out->terms[out->term[j]];
        out->mean[j] = mean[t->coded];
        own[j] = design->any_own && design->own[t->column];
        for (int64_t i = 0; i < p->n; i++) X[j + i * out->m.d] = all[t->coded + i * p->d];
    }
    TRY(take_spread(ctx, p, out));
    out->m.n = p->n;
    out->m.K = p->K;
    out->m.X = X;
    out->m.own = own;
    out->m.y = p->y;
    out->m.upper = p->upper;
    out->m.weight = p->w;
    out->m.offset = offset;
    out->m.link = (link_kind)params->link;
    out->m.firth = params->penalty == POM_FIRTH;
    return RUNG_OK;
}
