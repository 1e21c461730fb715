// SPDX-License-Identifier: BSD-3-Clause
/* room.c - how much memory a fit needs, and the parameters that follow from it: landmarks=auto, calibrate=auto.
 *
 * A method says what it holds at most (its hook `bytes`), the rows of its problem among it; what the driver holds
 * beside or after it is counted here, for all methods alike. tests/fit/t_bytes.c compares the sum with the pools. */
#include <string.h>

#include "base/memory.h"
#include "data/splits.h"
#include "fit/method.h"
#include "fit/proof.h"

/* The place of a whole number in the method's struct; NULL: it has no such parameter. */
static const int *integer_at(const method *m, const void *params, const char *name)
{
    for (const param_row *row = m->params; row->info.name; row++)
        if (strcmp(row->info.name, name) == 0) return (const int *)((const char *)params + row->place);
    return NULL;
}

static int *integer_place(const method *m, void *params, const char *name)
{
    const int *at = integer_at(m, params, name);
    return at ? (int *)((char *)params + ((const char *)at - (const char *)params)) : NULL;
}

/* ---- what the driver holds ---- */

/* Of many labels a single fold holds out so many; an average predicts all of them. */
static double held_rows(const method *m, double labelled)
{
    return m->model_bytes ? labelled : fmin(labelled, fmax(2000, fmin(labelled / 100, 10000)));
}

static const double SMALL = 3 << 16; /* the buffer of a model that is written; names, texts, lists */

/* Rows that a model keeps: all, or landmarks; none where it has neither kernels nor neighbours. */
static double kept_rows(const method *m, const problem_shape *s, const void *params)
{
    const int *count = integer_at(m, params, "landmarks");
    bool keeps = integer_at(m, params, "kernel") || integer_at(m, params, "neighbours") || m->model_bytes;
    return !keeps ? 0 : count && *count > 0 ? fmin((double)s->n, *count) : (double)s->n;
}

static double model_bytes(const method *m, const problem_shape *s, const void *params)
{
    return 8 * kept_rows(m, s, params) * (double)(s->d + s->K) + (m->model_bytes ? m->model_bytes(s, params) : 0);
}

/* What predicts moves its rows to their mean. */
static double moved(const method *m, const problem_shape *s, const void *params)
{
    return 16 * kept_rows(m, s, params) * (double)(s->d + 1);
}

/* A fit, then its proof (fit/proof.c): beside the rows the model, as it is, as a file, read again, and predicting. */
static double whole_peak(const method *m, const problem_shape *s, const void *params)
{
    double rows = 8 * (double)s->d * (double)(s->n + s->labelled), model = model_bytes(m, s, params);
    return fmax(m->bytes(s, params), rows + model + 2 * fmin(model, PROOF_MOST) + moved(m, s, params));
}

/* The folds of a calibration by refits need their own rows beside those of the problem and the model, and a Gram matrix
 * beside its own, from which theirs are taken. (Only under a limit: without one, what is exact stays exact.) */
static double fold_peak(const method *m, const problem_shape *shape, const void *params, int count)
{
    problem_shape fold = *shape;
    int64_t held = shape->labelled / count;
    const int *landmark_count = integer_at(m, params, "landmarks");
    double n = (double)shape->n, gram = 8 * n * n;
    bool shared = shape->memory > 0 && m->prepare && integer_at(m, params, "kernel") &&
                  !(landmark_count && *landmark_count > 0) && m->bytes(shape, params) >= gram;
    fold.n -= held;
    fold.labelled -= held;
    double predicted = 8 * (double)fold.n * (double)fold.d + model_bytes(m, &fold, params) + moved(m, &fold, params);
    return fmax(m->bytes(&fold, params), predicted) + model_bytes(m, shape, params) + 8 * n * (double)(shape->d + 10) +
           (shared ? gram : 0);
}

/* Beside either the labels, the predictions of held-out rows as they are made, graded and tempered, and the tiles of
 * what predicts. */
double method_peak(const method *m, const problem_shape *shape, const void *params)
{
    problem_shape s = *shape;
    s.method = m;
    double n = (double)s.n, K = s.K;
    double held = held_rows(m, (double)s.labelled) * default_repeats(s.labelled) * (28 + 24 * K);
    double peak = whole_peak(m, &s, params);
    const int *asked = integer_at(m, params, "calibrate");
    int count = (asked ? *asked : CALIBRATE_FOLDS) * (s.labelled > DOUBLED_LABELS ? 1 : 2); /* as in fit.c */
    bool refits = asked ? count >= 2 && !method_can_hold_out(m, params) : s.labelled <= MOST_REFITTED;
    if (refits) peak = fmax(peak, fold_peak(m, &s, params, count));
    if (kept_rows(m, &s, params) > 0) peak += la_expand_bytes(s.n, s.d, s.K, s.threads > 1 ? s.threads : 1);
    return peak + held + 40 * n + 400 * (double)s.d + SMALL;
}

/* ---- landmarks=auto, calibrate=auto ---- */

/* Without a limit the choice must not depend on the machine. */
static const double USUAL_MEMORY = 8.0 * (1 << 30);
enum { USUAL_LANDMARKS = 1000, FEWEST_LANDMARKS = 50 };

static void settle_calibrate(const method *m, void *params)
{
    int *count = integer_place(m, params, "calibrate");
    if (count && *count < 0) *count = CALIBRATE_FOLDS;
}

/* Exact where that fits into the memory, else as many as do. */
static void settle_landmarks(const rung_ctx *ctx, const method *m, const problem_shape *shape, void *params)
{
    int *landmark_count = integer_place(m, params, "landmarks");
    double memory = ctx->memory > 0 ? memory_left(ctx) : USUAL_MEMORY;
    if (!landmark_count || *landmark_count != LANDMARKS_AUTO) return;
    *landmark_count = 0;
    double exact = shape->all ? HUGE_VAL : method_peak(m, shape, params);
    if (exact <= memory) return;
    *landmark_count = USUAL_LANDMARKS;
    while (*landmark_count > FEWEST_LANDMARKS && method_peak(m, shape, params) > memory) *landmark_count /= 2;
    if (method_peak(m, shape, params) > exact) *landmark_count = 0;
}

static rung_status settled_bytes(rung_ctx *ctx, const rung_spec *spec, const problem_shape *shape, bool automatic,
                                 double *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    char *copy = NULL;
    problem_shape limited = *shape;
    limited.memory = memory_left(ctx);
    TRY(NEW_RAW(ctx, &ctx->scratch, copy, spec->method->params_size));
    memcpy(copy, spec->params, (size_t)spec->method->params_size);
    int *landmark_count = integer_place(spec->method, copy, "landmarks");
    if (automatic && landmark_count) *landmark_count = LANDMARKS_AUTO;
    settle_calibrate(spec->method, copy);
    settle_landmarks(ctx, spec->method, &limited, copy);
    *out = method_peak(spec->method, &limited, copy);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status method_bytes(rung_ctx *ctx, const rung_spec *spec, const problem_shape *shape, double *out)
{
    return settled_bytes(ctx, spec, shape, false, out);
}

rung_status method_least_bytes(rung_ctx *ctx, const rung_spec *spec, const problem_shape *shape, double *out)
{
    return settled_bytes(ctx, spec, shape, true, out);
}

/* A copy of the parameters with their landmarks. */
static rung_status with_landmarks(rung_ctx *ctx, pool *mem, const rung_spec *spec, const problem *p, void **params)
{
    char *copy = NULL;
    problem_shape shape = {.n = p->n, .d = p->d, .K = p->K, .memory = memory_left(ctx)};
    if (p->all) shape.all = p->all->n_labelled;
    for (int64_t i = 0; i < p->n; i++) shape.labelled += p->t ? !isnan(p->t[i]) : p->y[i] > 0;
    TRY(NEW_RAW(ctx, mem, copy, spec->method->params_size));
    memcpy(copy, spec->params, (size_t)spec->method->params_size);
    *params = copy;
    settle_calibrate(spec->method, copy);
    settle_landmarks(ctx, spec->method, &shape, copy);
    const int *count = integer_place(spec->method, copy, "landmarks");
    if (p->all && count && *count == 0)
        return hint(ctx, set_error(ctx, RUNG_EARG, "landmarks=exact needs all rows in memory"), "parameter landmarks");
    return RUNG_OK;
}

rung_status method_settle(rung_ctx *ctx, pool *mem, const rung_spec *spec, problem *p, void **params)
{
    TRY(with_landmarks(ctx, mem, spec, p, params));
    return spec->method->settle ? spec->method->settle(ctx, spec->method, p, *params) : RUNG_OK;
}

rung_status method_prepare(rung_ctx *ctx, const rung_spec *spec, problem *p)
{
    void *params = NULL;
    if (!spec->method->prepare) return RUNG_OK;
    TRY(with_landmarks(ctx, &ctx->scratch, spec, p, &params));
    return spec->method->prepare(ctx, &(fit_input){.method = spec->method, .p = p, .params = params});
}
