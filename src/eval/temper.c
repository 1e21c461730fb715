// SPDX-License-Identifier: BSD-3-Clause
#include "eval/temper.h"

#include <math.h>
#include <string.h>

#include "data/intervals.h"

static const double powers[] = {0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25};
static const double shares[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1};
enum { POWERS = sizeof powers / sizeof *powers, SHARES = sizeof shares / sizeof *shares };
static const double SHARE_PRIOR = 0.25; /* exponent of the share in its prior */
static const double LEAST = 1e-300;     /* a smaller probability counts as this before its power is taken */

typedef struct {
    double loss[POWERS][SHARES];
} losses;

static void to_logarithms(int K, double *p)
{
    double most = -INFINITY;
    for (int q = 0; q < K; q++) {
        p[q] = log(fmax(p[q], LEAST));
        most = fmax(most, p[q]);
    }
    for (int q = 0; q < K; q++) p[q] -= most;
}

void temper_apply(const tempering *t, int K, double *p, double *out)
{
    to_logarithms(K, p);
    memcpy(out, t->frequency, (size_t)K * sizeof *out);
    for (int j = 0; j < t->n; j++) {
        double sum = 0;
        for (int q = 0; q < K; q++) sum += exp(t->power[j] * p[q]);
        for (int q = 0; q < K; q++) out[q] += t->weight[j] / sum * exp(t->power[j] * p[q]);
    }
}

/* Shares of the classes among the labelled rows without those of two parts (-1: none), each class half a row larger. */
static void frequencies(const temper_rows *rows, int part, int other, double *f)
{
    double sum = 0;
    memcpy(f, rows->count, (size_t)rows->K * sizeof *f);
    for (int64_t i = 0; i < rows->n; i++)
        if (rows->part[i] == part || rows->part[i] == other)
            for (int low = rows->y[i], high = highest_rank(rows->y, rows->upper, i), q = low; q <= high; q++)
                f[q - 1] -= rows->weight[i] * label_share(low, high, q, rows->count);
    for (int q = 0; q < rows->K; q++) sum += f[q] = fmax(f[q], 0) + 0.5;
    for (int q = 0; q < rows->K; q++) f[q] /= sum;
}

/* Adds the log loss of a row whose label is low..high with every candidate. l: the logarithms of its probabilities, the
 * largest 0; f: the frequencies. */
static void add_losses(int K, const double *l, int low, int high, const double *f, double weight, losses *out)
{
    double frequency = f[low - 1];
    for (int q = low + 1; q <= high; q++) frequency += f[q - 1];
    for (int j = 0; j < POWERS; j++) {
        double sum = 0, own = exp(powers[j] * l[low - 1]);
        for (int q = 0; q < K; q++) sum += exp(powers[j] * l[q]);
        for (int q = low + 1; q <= high; q++) own += exp(powers[j] * l[q - 1]);
        double p = own / sum;
        for (int s = 0; s < SHARES; s++) out->loss[j][s] -= weight * log((1 - shares[s]) * p + shares[s] * frequency);
    }
}

/* The log losses of the rows outside a part (-1: of all). The frequencies for a row are those without its own part. */
static rung_status measure(rung_ctx *ctx, const temper_rows *rows, int without, losses *out)
{
    double *l = NULL, *f = NULL;
    TRY(NEW(ctx, &ctx->scratch, l, rows->K));
    TRY(NEW(ctx, &ctx->scratch, f, rows->K));
    memset(out, 0, sizeof *out);
    for (int part = 0; part < rows->parts; part++) {
        if (part == without) continue;
        frequencies(rows, part, without, f);
        for (int64_t i = 0; i < rows->n; i++) {
            if (rows->part[i] != part) continue;
            memcpy(l, rows->proba + i * rows->K, (size_t)rows->K * sizeof *l);
            to_logarithms(rows->K, l);
            add_losses(rows->K, l, rows->y[i], highest_rank(rows->y, rows->upper, i), f, rows->weight[i], out);
        }
    }
    return RUNG_OK;
}

/* The posterior mean, from the rows outside a part (-1: from all). */
static rung_status average(rung_ctx *ctx, const temper_rows *rows, int without, tempering *t)
{
    pool_mark mark = pool_here(&ctx->scratch);
    losses *cost = NULL;
    double least = INFINITY, total = 0, share = 0;
    TRY(NEW(ctx, &ctx->scratch, cost, 1));
    TRY(measure(ctx, rows, without, cost));
    for (int j = 0; j < POWERS; j++)
        for (int s = 0; s < SHARES; s++) {
            cost->loss[j][s] -= SHARE_PRIOR * log(shares[s]);
            least = fmin(least, cost->loss[j][s]);
        }
    t->n = POWERS;
    memcpy(t->power, powers, sizeof powers);
    memset(t->weight, 0, sizeof powers);
    for (int j = 0; j < POWERS; j++)
        for (int s = 0; s < SHARES; s++) {
            double w = exp(least - cost->loss[j][s]);
            total += w;
            t->weight[j] += w * (1 - shares[s]);
            share += w * shares[s];
        }
    for (int j = 0; j < POWERS; j++) t->weight[j] /= total;
    frequencies(rows, without, -1, t->frequency);
    for (int q = 0; q < rows->K; q++) t->frequency[q] *= share / total;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status tempering_new(rung_ctx *ctx, pool *mem, int K, tempering *out)
{
    *out = (tempering){0};
    TRY(NEW(ctx, mem, out->power, POWERS));
    TRY(NEW(ctx, mem, out->weight, POWERS));
    return NEW(ctx, mem, out->frequency, K);
}

/* Tempers every row by the rows of other parts. */
static rung_status cross_fit(rung_ctx *ctx, const temper_rows *rows, double *crossed)
{
    tempering t;
    double *p = NULL;
    int K = rows->K;
    TRY(tempering_new(ctx, &ctx->scratch, K, &t));
    TRY(NEW(ctx, &ctx->scratch, p, K));
    for (int part = 0; part < rows->parts; part++) {
        TRY(average(ctx, rows, part, &t));
        for (int64_t i = 0; i < rows->n; i++) {
            if (rows->part[i] != part) continue;
            memcpy(p, rows->proba + i * K, (size_t)K * sizeof *p);
            temper_apply(&t, K, p, crossed + i * K);
        }
    }
    return RUNG_OK;
}

rung_status temper_fit(rung_ctx *ctx, pool *mem, const temper_rows *rows, tempering *out, double *crossed)
{
    TRY(tempering_new(ctx, mem, rows->K, out));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(cross_fit(ctx, rows, crossed));
    TRY(average(ctx, rows, -1, out));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
