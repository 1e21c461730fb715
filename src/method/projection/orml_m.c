// SPDX-License-Identifier: BSD-3-Clause
/* orml_m.c - ORML/M: linear ORML whose direction is a product of one vector per mode of the rows, seen as tensors.
 *
 * The modes are improved in turn, each by its linear subproblem (Liu, Liu, Chan, AAAI 2011, eq. 10-13). With the
 * pseudo-inverse the value never increases: the previous vector of a mode is feasible for its next subproblem. With a
 * ridge, which is relative to the subproblem, it may. A mode shorter than the number of classes may have no direction
 * that orders the means: it then gets the one from the first mean to the last. */
#include <string.h>

#include "base/rng.h"
#include "fit/verify.h"
#include "method/projection/manifold.h"
#include "method/projection/ordered_qp.h"
#include "method/projection/projection.h"
#include "method/projection/tensor.h"

typedef struct {
    discriminant_params d;
    int neighbours, calibrate, sweeps, starts;
    double tolerance;
    const char *shape;
} orml_m_params;

typedef struct {
    tensor t;
    double *alpha;
    double value;
    bool degenerate, settled;
    int sweeps; /* done */
} multilinear;

typedef struct {
    const orml_m_params *params;
    const problem *p;
    int K;
    tensor_forms forms;
    double *D; /* (K-1) x d: differences of the class means */
} alternation;

/* Only the product of the vectors matters: mode p takes the lengths of the others. */
static void lengths_to(tensor *t, int p)
{
    double scale = 1;
    for (int q = 0; q < t->modes; q++) {
        double norm = 0;
        for (int64_t i = 0; i < t->size[q]; i++) norm += t->w[q][i] * t->w[q][i];
        norm = sqrt(norm);
        if (q == p || !(norm > 0)) continue;
        for (int64_t i = 0; i < t->size[q]; i++) t->w[q][i] /= norm;
        scale *= norm;
    }
    for (int64_t i = 0; i < t->size[p]; i++) t->w[p][i] *= scale;
}

/* D (size_p x (K-1)): the differences of the means in the subproblem of mode p. */
static rung_status seen_differences(rung_ctx *ctx, const alternation *a, const tensor *t, int p, double **out)
{
    int64_t size = t->size[p], pairs = a->K - 1;
    double *seen = NULL, *D = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, seen, pairs * size));
    TRY(NEW_RAW(ctx, &ctx->scratch, D, pairs * size));
    TRY(tensor_contract(ctx, t, p, pairs, a->D, seen));
    for (int64_t q = 0; q < pairs; q++)
        for (int64_t i = 0; i < size; i++) D[i + q * size] = seen[q + i * pairs];
    *out = D;
    return RUNG_OK;
}

static rung_status improve_mode(rung_ctx *ctx, const alternation *a, int p, multilinear *m)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *D;
    la_mat *M[TENSOR_FORMS];
    lengths_to(&m->t, p); /* a ridge that is not relative, as that of forms without any value, needs their unit */
    TRY(tensor_mode(ctx, &m->t, &a->forms, p, NULL, M));
    TRY(seen_differences(ctx, a, &m->t, p, &D));
    ordered_qp_solution s = {.w = m->t.w[p], .alpha = m->alpha};
    TRY(ordered_qp_solve(ctx, M[0], &a->params->d, tensor_share(a->p, &m->t, p), a->K, D, &s));
    m->value = s.value;
    m->degenerate = s.degenerate;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status alternate(rung_ctx *ctx, const alternation *a, multilinear *m)
{
    double before = 0;
    for (m->sweeps = 0; m->sweeps < a->params->sweeps && !m->settled; m->sweeps++) {
        for (int p = 0; p < m->t.modes; p++) TRY(improve_mode(ctx, a, p, m));
        m->settled = m->sweeps > 0 && fabs(m->value - before) <= a->params->tolerance * fabs(m->value);
        before = m->value;
    }
    return RUNG_OK;
}

/* The first start is flat, the others are random. */
static rung_status start(rung_ctx *ctx, const orml_m_params *params, int64_t d, int K, int index, multilinear *out)
{
    rng r;
    *out = (multilinear){0};
    TRY(tensor_new(ctx, params->shape, d, &out->t));
    TRY(NEW(ctx, &ctx->scratch, out->alpha, K - 1));
    if (index == 0) return RUNG_OK;
    rng_open(&r, ctx->seed, (uint64_t)index);
    for (int q = 0; q < out->t.modes; q++)
        for (int64_t i = 0; i < out->t.size[q]; i++) out->t.w[q][i] = rng_normal(&r);
    return RUNG_OK;
}

static rung_status best_of_starts(rung_ctx *ctx, const alternation *a, int64_t d, multilinear *best)
{
    for (int index = 0; index < a->params->starts; index++) {
        multilinear m;
        TRY(start(ctx, a->params, d, a->K, index, &m));
        TRY(alternate(ctx, a, &m));
        if (index == 0 || m.value < best->value) *best = m;
    }
    return RUNG_OK;
}

static rung_status alternation_new(rung_ctx *ctx, const problem *p, const orml_m_params *params,
                                   const class_index *classes, alternation *out, double *sigma)
{
    row_space space;
    la_csr L;
    la_mat *LT = NULL;
    double *D = NULL;
    *out = (alternation){.params = params, .p = p, .K = p->K};
    TRY(row_space_new(ctx, p, false, &space));
    TRY(ordinal_laplacian(ctx, p, NULL, params->neighbours, &L, sigma));
    TRY(la_new(ctx, &ctx->scratch, p->n, p->d, &LT));
    TRY(laplacian_rows(ctx, &L, space.T, LT));
    const la_mat *F[] = {LT};
    TRY(tensor_forms_new(ctx, space.T, 1, F, &out->forms));
    TRY(NEW(ctx, &ctx->scratch, D, p->d * (p->K - 1)));
    TRY(NEW(ctx, &ctx->scratch, out->D, p->d * (p->K - 1)));
    TRY(mean_differences(ctx, p, classes, space.T, D));
    for (int64_t q = 0; q < p->K - 1; q++)
        for (int64_t j = 0; j < p->d; j++) out->D[q + j * (p->K - 1)] = D[j + q * p->d];
    la_free(&ctx->scratch, LT);
    la_free(&ctx->scratch, space.T);
    return RUNG_OK;
}

static rung_status orml_m_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const orml_m_params *params = in->params;
    class_index classes;
    alternation a;
    tensor shape;
    multilinear best = {0};
    double *W = NULL, sigma;
    TRY(tensor_new(ctx, params->shape, p->d, &shape)); /* reports a wrong shape before any work */
    TRY(class_index_new(ctx, &ctx->scratch, p, &classes));
    TRY(alternation_new(ctx, p, params, &classes, &a, &sigma));
    TRY(best_of_starts(ctx, &a, p->d, &best));
    if (!best.settled)
        log_at(ctx, RUNG_LOG_DEBUG, "orml-m stopped after %d sweeps before its objective had settled to %g",
               best.sweeps, params->tolerance);
    TRY(NEW(ctx, &ctx->scratch, W, p->d));
    tensor_direction(&best.t, W);
    TRY(linear_scorer(ctx, mem, p, 1, W, NULL, &out->own.score));
    out->n_expansion = p->d;
    ordered_qp_solution s = {.alpha = best.alpha, .degenerate = best.degenerate};
    TRY(ordered_qp_finish(ctx, mem, p, &params->d, &classes, &s, NULL, out));
    TRY(report_number(ctx, mem, out, "objective", best.value));
    TRY(report_number(ctx, mem, out, "sweeps", best.sweeps));
    TRY(report_number(ctx, mem, out, "settled", best.settled));
    TRY(report_number(ctx, mem, out, "sigma", sigma));
    return tensor_report(ctx, mem, &best.t, out);
}

/* The direction is the product of the modes, and the last one, which was improved last, solves its own problem: the
 * lengths of the others are 1. */
static rung_status orml_m_verify(rung_ctx *ctx, const struct verification *v)
{
    const orml_m_params *params = v->params;
    class_index classes;
    alternation a;
    tensor t;
    la_mat *M[TENSOR_FORMS];
    double *D, off, sigma;
    TRY(class_index_new(ctx, &ctx->scratch, v->p, &classes));
    TRY(alternation_new(ctx, v->p, params, &classes, &a, &sigma));
    TRY(tensor_told(ctx, v, params->shape, &t, &off));
    condition_add(v->found, "product", "direction against the product of the modes, relative", off, 1e-12);
    int last = t.modes - 1;
    TRY(tensor_mode(ctx, &t, &a.forms, last, NULL, M));
    TRY(seen_differences(ctx, &a, &t, last, &D));
    TRY(ordered_qp_stationarity(ctx, v, &params->d, M[0], tensor_share(v->p, &t, last), D,
                                longest_row(v->p->n, v->p->d, v->p->X), t.w[last]));
    return ordered_conditions(ctx, v, &params->d);
}

static double orml_m_bytes(const problem_shape *shape, const void *params_)
{
    const orml_m_params *params = params_;
    fit_size s = orml_size(shape, params->neighbours, params->calibrate);
    s.longest = tensor_longest(params->shape, shape->d);
    return linear_fit_bytes(&s);
}

static const param_row orml_m_rows[] = {
    SHAPE_PARAM(orml_m_params),
    ORDINAL_GRAPH_PARAM(orml_m_params),
    ORML_PARAMS(orml_m_params),
    SWEEPS_PARAM(orml_m_params, "30"),
    PARAM(orml_m_params, tolerance, .name = "tolerance",
          .help = "stop when a sweep changes the objective by less than this share", .type = RUNG_TYPE_REAL,
          .default_value = "1e-8", .published = "1e-8", .low = 0, .high = 1, .flags = RUNG_PARAM_LOG),
    PARAM(orml_m_params, starts, .name = "starts",
          .help = "number of starts, the first from equal entries, the others random; the best objective is kept",
          .type = RUNG_TYPE_INT, .default_value = "1", .published = "1", .low = 1, .high = 1000000),
    CALIBRATE_PARAM(orml_m_params, "5"),
    {0},
};

const method method_orml_m = {
    .info = {.name = "orml-m",
             .title = "Ordinal regression via manifold learning, multilinear",
             .reference = "Liu, Liu, Chan. Ordinal regression via manifold learning. AAAI 2011",
             .cost = "time n^2 d for the graph, then starts x sweeps x modes x min(n, d) d; memory 8 n d",
             .flags = RUNG_METHOD_NEEDS_LABELS | RUNG_METHOD_NEEDS_TWO_CLASSES | RUNG_METHOD_USES_UNLABELLED |
                      RUNG_METHOD_NO_ROWS},
    .params = orml_m_rows,
    .params_size = sizeof(orml_m_params),
    .bytes = orml_m_bytes,
    .fit = orml_m_fit,
    .verify = orml_m_verify,
};
