// SPDX-License-Identifier: BSD-3-Clause
#include "data/generate.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "data/splits.h"

#define GENERATE_STREAM (UINT64_C(3) << 32)
#define PI 3.14159265358979323846

typedef struct {
    const char *name, *help;
    int64_t d;
    int classes;
    double noise;                                 /* the formula's own */
    int (*draw)(rng *r, double noise, double *x); /* one row; returns its rank */
} generator;

static int rank_of(double score, int n_thresholds, const double *thresholds)
{
    int rank = 1;
    for (int k = 0; k < n_thresholds; k++) rank += score > thresholds[k];
    return rank;
}

/* 10 (x1 - 1/2) (x2 - 1/2) + noise on the unit square (Herbrich, Graepel and Obermayer, 2000). */
static int draw_toy(rng *r, double noise, double *x)
{
    static const double thresholds[] = {-1, -0.1, 0.25, 1};
    x[0] = rng_uniform(r);
    x[1] = rng_uniform(r);
    return rank_of(10 * (x[0] - 0.5) * (x[1] - 0.5) + noise * rng_normal(r), 4, thresholds);
}

/* The same saddle on [0, 10]^2, as in the experiments on incremental sparse Bayesian ordinal regression. */
static int draw_isbor(rng *r, double noise, double *x)
{
    static const double thresholds[] = {-60, -9, 15, 60};
    x[0] = 10 * rng_uniform(r);
    x[1] = 10 * rng_uniform(r);
    return rank_of(10 * (x[0] - 5) * (x[1] - 5) + noise * rng_normal(r), 4, thresholds);
}

/* Class k = 1..4, all equally likely, around (2 k, 0) with standard deviation `noise` in both directions: at 1 even the
 * best rule assigns one row in four to an adjacent class. */
static int draw_gauss4(rng *r, double noise, double *x)
{
    int rank = 1 + (int)rng_below(r, 4);
    x[0] = 2 * rank + noise * rng_normal(r);
    x[1] = noise * rng_normal(r);
    return rank;
}

/* (t cos t, h, t sin t) + noise, t uniform on [3 pi / 2, 9 pi / 2], h on [0, 21]; five equal slices of t, which hold
 * equally many rows. Neighbouring turns are 2 pi apart, so that distances across them mislead. */
static int draw_swissroll(rng *r, double noise, double *x)
{
    double u = rng_uniform(r), t = 1.5 * PI * (1 + 2 * u);
    x[0] = t * cos(t);
    x[1] = 21 * rng_uniform(r);
    x[2] = t * sin(t);
    for (int j = 0; j < 3; j++) x[j] += noise * rng_normal(r);
    return 1 + (int)(5 * u);
}

/* A phase that looks random but is the same for every seed, so that other seeds draw from the same surface: the
 * fractional part of k^2 times the golden ratio. */
static double phase(int k)
{
    double turns = 0.61803398874989485 * k * k;
    return 2 * PI * (turns - floor(turns));
}

/* A surface in 50 dimensions, t and u uniform on [0, 1], ranks along t in five equal slices:
 *     x_j = sum_{m=1..3} cos(pi m t + p_{4j+m}) / m + cos(pi u + p_{4j+4}) / 2 + noise,  p_k = phase(k). */
enum { MANIFOLD = 50 };
static int draw_manifold(rng *r, double noise, double *x)
{
    double t = rng_uniform(r), u = rng_uniform(r);
    for (int j = 0; j < MANIFOLD; j++) {
        x[j] = cos(PI * u + phase(4 * j + 4)) / 2 + noise * rng_normal(r);
        for (int m = 1; m <= 3; m++) x[j] += cos(PI * m * t + phase(4 * j + m)) / m;
    }
    return 1 + (int)(5 * t);
}

static const generator generators[] = {
    {"toy", "a saddle on the unit square, five classes (Herbrich et al. 2000)", 2, 5, 0.125, draw_toy},
    {"isbor", "the same saddle on [0, 10] x [0, 10], thresholds -60, -9, 15, 60", 2, 5, 0.5, draw_isbor},
    {"gauss4", "four overlapping Gaussian classes along a line in the plane", 2, 4, 1, draw_gauss4},
    {"swissroll", "a rolled-up sheet in three dimensions, five classes along the roll", 3, 5, 0.5, draw_swissroll},
    {"manifold", "a smooth surface in 50 dimensions, five classes along it", MANIFOLD, 5, 0.3, draw_manifold},
};
enum { GENERATORS = sizeof generators / sizeof *generators };

const char *generator_name(int index, const char **help)
{
    if (index < 0 || index >= GENERATORS) return NULL;
    if (help) *help = generators[index].help;
    return generators[index].name;
}

static rung_status find(rung_ctx *ctx, const char *name, const generator **out)
{
    char known[256] = "";
    for (int i = 0; i < GENERATORS; i++) {
        if (strcmp(generators[i].name, name) == 0) return *out = &generators[i], RUNG_OK;
        strncat(known, i ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, generators[i].name, sizeof known - strlen(known) - 1);
    }
    return set_error(ctx, RUNG_EARG, "unknown data set '%.80s'; expected one of %s", name, known);
}

static rung_status fill(rung_ctx *ctx, const generator *g, int64_t rows, double noise, double unlabelled,
                        rung_data *data)
{
    coding *code = &data->code;
    TRY(dataset_rows(ctx, data, rows, g->d));
    TRY(coding_plain(ctx, &data->mem, g->d, g->classes, code));
    code->has_names = true;
    code->label = "label";
    for (int64_t j = 0; j < g->d; j++)
        TRY(pool_printf(ctx, &data->mem, &code->columns[j].name, "x%lld", (long long)j + 1));
    rng r;
    rng_open(&r, ctx->seed, GENERATE_STREAM);
    for (int64_t i = 0; i < rows; i++) {
        if (i % 4096 == 0) TRY(interrupted(ctx));
        data->y[i] = g->draw(&r, noise < 0 ? g->noise : noise, data->X + i * g->d);
    }
    if (unlabelled > 0) TRY(hide_labels(ctx, rows, data->y, g->classes, unlabelled));
    return coding_fills(ctx, data);
}

rung_status generate(rung_ctx *ctx, const char *name, int64_t rows, double noise, double unlabelled, rung_data **out)
{
    *out = NULL;
    const generator *g;
    TRY(find(ctx, name, &g));
    if (rows < 1) return set_error(ctx, RUNG_EARG, "%lld rows: expected at least 1", (long long)rows);
    if (!isfinite(noise)) return set_error(ctx, RUNG_EARG, "a noise of %g is not a finite number", noise);
    if (!(unlabelled >= 0 && unlabelled <= 1))
        return set_error(ctx, RUNG_EARG, "the unlabelled share %g is outside 0..1", unlabelled);
    rung_data *data;
    TRY(dataset_open(ctx, &data));
    pool_mark mark = pool_here(&ctx->scratch);
    rung_status status = fill(ctx, g, rows, noise, unlabelled, data);
    pool_release(&ctx->scratch, mark);
    return dataset_close(status, data, out);
}
