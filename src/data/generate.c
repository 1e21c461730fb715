// SPDX-License-Identifier: BSD-3-Clause
#include "data/generate.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "data/features.h"

#define GENERATE_STREAM (UINT64_C(3) << 32)

typedef struct {
    const char *name;
    int64_t d;
    int classes;
    int (*draw)(rng *r, double *x); /* one row; returns its rank */
} generator;

static int rank_of(double score, int n_thresholds, const double *thresholds)
{
    int rank = 1;
    for (int k = 0; k < n_thresholds; k++) rank += score > thresholds[k];
    return rank;
}

/* The toy problem of Herbrich, Graepel and Obermayer (2000): 10 (x1 - 1/2) (x2 - 1/2) + noise, in five classes. */
static int draw_toy(rng *r, double *x)
{
    static const double thresholds[] = {-1, -0.1, 0.25, 1};
    x[0] = rng_uniform(r);
    x[1] = rng_uniform(r);
    return rank_of(10 * (x[0] - 0.5) * (x[1] - 0.5) + 0.125 * rng_normal(r), 4, thresholds);
}

static const generator generators[] = {{"toy", 2, 5, draw_toy}};
enum { GENERATORS = sizeof generators / sizeof *generators };

static rung_status find(rung_ctx *ctx, const char *name, const generator **out)
{
    char known[256] = "";
    for (int i = 0; i < GENERATORS; i++) {
        if (strcmp(generators[i].name, name) == 0) return *out = &generators[i], RUNG_OK;
        strncat(known, i ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, generators[i].name, sizeof known - strlen(known) - 1);
    }
    return fail(ctx, RUNG_EARG, "no data set '%.80s'; known: %s", name, known);
}

static rung_status fill(rung_ctx *ctx, const generator *g, int64_t rows, rung_data *data)
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
        if (i % 65536 == 0) TRY(interrupted(ctx));
        data->y[i] = g->draw(&r, data->X + i * g->d);
    }
    return coding_fills(ctx, data);
}

rung_status generate(rung_ctx *ctx, const char *name, int64_t rows, rung_data **out)
{
    *out = NULL;
    const generator *g;
    TRY(find(ctx, name, &g));
    if (rows < 1) return fail(ctx, RUNG_EARG, "%lld rows: at least 1", (long long)rows);
    rung_data *data;
    TRY(dataset_open(ctx, &data));
    pool_mark mark = pool_here(&ctx->scratch);
    rung_status status = fill(ctx, g, rows, data);
    pool_release(&ctx->scratch, mark);
    return dataset_close(status, data, out);
}
