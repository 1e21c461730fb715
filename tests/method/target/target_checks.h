// SPDX-License-Identifier: BSD-3-Clause
/* What the tests of krr, kpca, ot and tld share: small problems, and their matrices from the definitions, in long
 * double. */
#ifndef RUNG_TESTS_TARGET_CHECKS_H
#define RUNG_TESTS_TARGET_CHECKS_H

#include "helper.h"

#include "base/rng.h"
#include "fit/method.h"

extern const method method_krr, method_kpca, method_ot, method_tld;

/* ---- problems ---- */

typedef struct {
    problem p;
    double *X, *t;
    int *y;
} small;

/* n rows of d numbers; K classes along the first column (K = 0: real targets), a row in `every` labelled, the first of
 * each class always. */
static inline small make_small(rung_ctx *ctx, int64_t n, int64_t d, int K, int every, uint64_t stream)
{
    small s = {0};
    int64_t *origin = NULL;
    rng r;
    rng_open(&r, 11, stream);
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s.X, n * d));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s.y, n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, s.t, n));
    assert_ok(ctx, NEW(ctx, &ctx->scratch, origin, n));
    for (int64_t i = 0; i < n; i++) {
        int class = K ? 1 + (int)(i % K) : 0;
        bool labelled = i < K || rng_below(&r, every) == 0;
        origin[i] = i;
        for (int64_t j = 0; j < d; j++) s.X[j + i * d] = rng_normal(&r) + (j == 0 ? class : 0);
        s.y[i] = labelled ? class : 0;
        s.t[i] = labelled || i < 3 ? 3 * s.X[i * d] + s.X[d - 1 + i * d] * s.X[d - 1 + i * d] + 20 : NAN;
    }
    problem_new(&ctx->scratch, &(problem_rows){d, n, s.X, s.y, NULL, origin, K}, &s.p);
    if (!K) s.p.t = s.t;
    return s;
}

/* "name=value ..." */
static inline rung_spec *make_spec(rung_ctx *ctx, const char *method_name, const char *options)
{
    rung_spec *spec;
    char text[300], *next = text, *value;
    assert_ok(ctx, spec_new(ctx, method_name, false, &spec));
    snprintf(text, sizeof text, "%s", options);
    for (char *name; next && *next;) {
        name = next;
        if ((next = strchr(name, ' '))) *next++ = 0;
        value = strchr(name, '=');
        *value++ = 0;
        assert_ok(ctx, spec_set(ctx, spec, name, value));
    }
    return spec;
}

/* A fit; its arrays live until the context goes. */
static inline fitted fit_small(rung_ctx *ctx, small *s, const char *method_name, const char *options, const folds *f,
                               held_out *held)
{
    rung_spec *spec = make_spec(ctx, method_name, options);
    fitted out = {0};
    fit_input in = {.method = spec->method, .p = &s->p, .params = spec->params};
    assert_ok(ctx, f ? spec->method->hold_out(ctx, &ctx->scratch, &in, f, &out, held)
                     : spec->method->fit(ctx, &ctx->scratch, &in, &out));
    spec_free(spec);
    return out;
}

/* Outputs for the rows of a problem, by rows. */
static inline double *outputs_of(rung_ctx *ctx, const fitted *fit, int64_t n, const double *X)
{
    double *out = NULL;
    assert_ok(ctx, NEW(ctx, &ctx->scratch, out, n * fit->own.score.outputs));
    assert_ok(ctx, scorer_apply(ctx, &fit->own.score, n, X, out));
    return out;
}

static inline double reported(const fitted *fit, const char *name)
{
    for (int i = 0; i < fit->n_report; i++)
        if (strcmp(fit->report[i].name, name) == 0) return fit->report[i].value[0];
    fail_msg("the fit reports no %s", name);
    return NAN;
}

static inline const report_entry *reported_list(const fitted *fit, const char *name)
{
    for (int i = 0; i < fit->n_report; i++)
        if (strcmp(fit->report[i].name, name) == 0) return &fit->report[i];
    fail_msg("the fit reports no %s", name);
    return NULL;
}

/* ---- matrices, from their definitions ---- */

typedef long double real;

static inline real *new_square(rung_ctx *ctx, int64_t n)
{
    real *A = NULL;
    assert_ok(ctx, pool_alloc(ctx, &ctx->scratch, n * n, sizeof *A, "a matrix", (void **)&A));
    return A;
}

static inline real kernel_value(const char *kind, double gamma, int64_t d, const double *x, const double *z)
{
    real sum = 0;
    bool linear = strcmp(kind, "linear") == 0;
    for (int64_t j = 0; j < d; j++) sum += linear ? (real)x[j] * z[j] : ((real)x[j] - z[j]) * ((real)x[j] - z[j]);
    return linear ? sum : expl(-gamma * sum);
}

static inline real *gram_of(rung_ctx *ctx, const small *s, const char *kind, double gamma)
{
    int64_t n = s->p.n, d = s->p.d;
    real *K = new_square(ctx, n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) K[i + j * n] = kernel_value(kind, gamma, d, s->X + i * d, s->X + j * d);
    return K;
}

static inline real *centred(rung_ctx *ctx, int64_t n, const real *K)
{
    real *C = new_square(ctx, n), all = 0;
    for (int64_t i = 0; i < n * n; i++) all += K[i] / (real)(n * n);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            real row = 0, col = 0;
            for (int64_t p = 0; p < n; p++) {
                row += K[i + p * n] / (real)n;
                col += K[p + j * n] / (real)n;
            }
            C[i + j * n] = K[i + j * n] - row - col + all;
        }
    return C;
}

/* Gauss-Jordan with pivoting. */
static inline real *inverse_of(rung_ctx *ctx, int64_t n, const real *matrix)
{
    real *A = new_square(ctx, n), *B = new_square(ctx, n);
    memcpy(A, matrix, sizeof *A * (size_t)(n * n));
    for (int64_t i = 0; i < n; i++) B[i + i * n] = 1;
    for (int64_t c = 0; c < n; c++) {
        int64_t best = c;
        for (int64_t i = c; i < n; i++)
            if (fabsl(A[i + c * n]) > fabsl(A[best + c * n])) best = i;
        for (int64_t j = 0; j < n; j++) {
            real a = A[c + j * n], b = B[c + j * n];
            A[c + j * n] = A[best + j * n];
            A[best + j * n] = a;
            B[c + j * n] = B[best + j * n];
            B[best + j * n] = b;
        }
        real pivot = A[c + c * n];
        for (int64_t j = 0; j < n; j++) {
            A[c + j * n] /= pivot;
            B[c + j * n] /= pivot;
        }
        for (int64_t i = 0; i < n; i++) {
            real factor = A[i + c * n];
            if (i == c || factor == 0) continue;
            for (int64_t j = 0; j < n; j++) {
                A[i + j * n] -= factor * A[c + j * n];
                B[i + j * n] -= factor * B[c + j * n];
            }
        }
    }
    return B;
}

static inline real *ridge_inverse(rung_ctx *ctx, int64_t n, const real *K, real lambda)
{
    real *A = new_square(ctx, n);
    memcpy(A, K, sizeof *A * (size_t)(n * n));
    for (int64_t i = 0; i < n; i++) A[i + i * n] += lambda;
    return inverse_of(ctx, n, A);
}

static inline bool positive_definite(rung_ctx *ctx, int64_t n, const real *matrix)
{
    real *A = new_square(ctx, n);
    memcpy(A, matrix, sizeof *A * (size_t)(n * n));
    for (int64_t j = 0; j < n; j++) {
        if (!(A[j + j * n] > 0)) return false;
        for (int64_t i = j + 1; i < n; i++)
            for (int64_t k = j + 1; k <= i; k++) A[i + k * n] -= A[i + j * n] * A[k + j * n] / A[j + j * n];
    }
    return true;
}

#endif
