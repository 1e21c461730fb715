// SPDX-License-Identifier: BSD-3-Clause
#include "method/mixture/stack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/cumulative.h"
#include "solve/simplex_qp.h"

static const double SINGLE = 0.25, STRENGTH = 8, PRIOR_STRENGTH = 8, CENTRE = 1.4, PULL = 32;
static const double exponents[] = {1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.7, 2};
enum { EXPONENTS = sizeof exponents / sizeof *exponents };

/* Whether the label of a row says on which side of threshold q (from 0) it lies. */
static bool is_known(const stack_rows *rows, int64_t i, int q)
{
    return !rows->upper || rows->y[i] > q + 1 || rows->upper[i] <= q + 1;
}

/* sum_q (P_q - 1[y > q])^2 over these thresholds. */
static double row_error(const stack_rows *rows, int64_t i, const double *P)
{
    return cumulative_error(rows->K, P, rows->y[i], highest_rank(rows->y, rows->upper, i));
}

rung_status stack_rows_new(rung_ctx *ctx, pool *mem, int K, const int *y, const int *upper, const double *weight,
                           const row_groups *together, stack_rows *out)
{
    int64_t *count = NULL, *last = NULL, n = together->n; /* groups with rows of a class; the last one seen, from 1 */
    *out = (stack_rows){.n = n, .K = K, .y = y, .upper = upper, .together = together};
    TRY(NEW(ctx, mem, out->weight, n));
    TRY(NEW(ctx, mem, count, K));
    TRY(NEW(ctx, mem, last, K));
    for (int64_t g = 0; g < together->count; g++)
        for (int64_t i = together->start[g]; i < together->start[g + 1]; i++) {
            int q = y[together->rows[i]] - 1;
            if (is_interval(y, upper, together->rows[i])) continue;
            count[q] += last[q] != g + 1;
            last[q] = g + 1;
        }
    for (int64_t i = 0; i < n; i++) {
        bool single = !is_interval(y, upper, i) && count[y[i] - 1] == 1;
        out->weight[i] = (single ? SINGLE : 1) * (weight ? weight[i] : 1);
    }
    return RUNG_OK;
}

double stack_group_error(const stack_rows *rows, const double *P, int64_t group)
{
    const row_groups *t = rows->together;
    double sum = 0;
    for (int64_t k = t->start[group]; k < t->start[group + 1]; k++) {
        int64_t i = t->rows[k];
        sum += rows->weight[i] * row_error(rows, i, P + i * (rows->K - 1));
    }
    return sum;
}

double stack_error(const stack_rows *rows, const double *P)
{
    double sum = 0;
    for (int64_t i = 0; i < rows->n; i++) sum += rows->weight[i] * row_error(rows, i, P + i * (rows->K - 1));
    return sum;
}

static int class_of(const stack_rows *rows, int rank) { return rows->classes ? rows->classes[rank - 1] : rank; }

int stack_distance(const stack_rows *rows, int64_t i, int rank)
{
    int low = rows->y[i], high = highest_rank(rows->y, rows->upper, i);
    return interval_distance(class_of(rows, low), class_of(rows, high), class_of(rows, rank));
}

double stack_mae(const stack_rows *rows, const double *counts, const double *P)
{
    double sum = 0, count = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        if (!(rows->weight[i] > 0)) continue;
        double w = counts ? counts[i] : 1;
        sum += w * stack_distance(rows, i, cumulative_rank(rows->K, P + i * (rows->K - 1)));
        count += w;
    }
    return sum / count;
}

static void add(int64_t size, double w, const double *P, double *sum)
{
    for (int64_t i = 0; i < size; i++) sum[i] += w * P[i];
}

void stack_family(const stack_rows *rows, double strength, int m, double *const *P, const double *penalty, double *w,
                  double *mean)
{
    int64_t size = rows->n * (rows->K - 1);
    double least = INFINITY, total = 0;
    for (int j = 0; j < m; j++) {
        w[j] = P[j] ? strength * stack_error(rows, P[j]) + PRIOR_STRENGTH * penalty[j] : INFINITY;
        least = fmin(least, w[j]);
    }
    for (int j = 0; j < m; j++) total += w[j] = P[j] ? exp(least - w[j]) : 0;
    memset(mean, 0, (size_t)size * sizeof *mean);
    for (int j = 0; j < m; j++) {
        w[j] = total > 0 ? w[j] / total : 0;
        if (P[j]) add(size, w[j], P[j], mean);
    }
}

/* E_a'E_b over the weighted rows, E = P - Y. */
static double product(const stack_rows *rows, const double *A, const double *B)
{
    int J = rows->K - 1;
    double sum = 0;
    for (int64_t i = 0; i < rows->n; i++)
        for (int q = 0; q < J; q++) {
            double y = rows->y[i] > q + 1;
            if (!is_known(rows, i, q)) continue;
            sum += rows->weight[i] * (A[i * J + q] - y) * (B[i * J + q] - y);
        }
    return sum;
}

/* G (m x m): the problem of stacking is min w'Gw on the simplex. */
static void stacking_matrix(const stack_rows *rows, int m, const stack_part *parts, double *G)
{
    double total = 0;
    for (int a = 0; a < m; a++) total += parts[a].prior;
    for (int a = 0; a < m; a++) {
        for (int b = 0; b <= a; b++) G[a * m + b] = G[b * m + a] = product(rows, parts[a].mean, parts[b].mean);
        G[a * m + a] += total / parts[a].prior;
    }
}

rung_status stack_families(rung_ctx *ctx, const stack_rows *rows, int m, const stack_part *parts, double *w, double *P)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t size = rows->n * (rows->K - 1);
    double *G = NULL;
    TRY(NEW(ctx, &ctx->scratch, G, (int64_t)m * m));
    stacking_matrix(rows, m, parts, G);
    TRY(simplex_qp(ctx, m, G, 1, w));
    memset(P, 0, (size_t)size * sizeof *P);
    for (int a = 0; a < m; a++) add(size, w[a], parts[a].mean, P);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status stack_violation(rung_ctx *ctx, const stack_rows *rows, int m, const stack_part *parts, const double *w,
                            double *out)
{
    double *G = NULL, *g = NULL, value = 0;
    TRY(NEW(ctx, &ctx->scratch, G, (int64_t)m * m));
    TRY(NEW(ctx, &ctx->scratch, g, m));
    stacking_matrix(rows, m, parts, G);
    for (int a = 0; a < m; a++) {
        for (int b = 0; b < m; b++) g[a] += G[a * m + b] * w[b];
        value += w[a] * g[a];
    }
    *out = 0;
    for (int a = 0; a < m; a++) *out = fmax(*out, w[a] > 0 ? fabs(g[a] - value) : value - g[a]);
    *out /= value;
    return RUNG_OK;
}

/* ---- how sharp ---- */

/* What row i, P unsharpened, adds to the cost of an exponent. */
static double sharpened_error(const stack_rows *rows, int64_t i, double exponent, const double *P, double *room)
{
    int J = rows->K - 1;
    memcpy(room, P, (size_t)J * sizeof *room);
    cumulative_sharpen(rows->K, exponent, room);
    return STRENGTH * rows->weight[i] * row_error(rows, i, room);
}

/* cost[e]: of each exponent over all rows. room: K - 1. */
static void exponent_costs(const stack_rows *rows, const double *P, double *room, double cost[EXPONENTS])
{
    for (int e = 0; e < EXPONENTS; e++) {
        double off = log(exponents[e] / CENTRE);
        cost[e] = 0;
        for (int64_t i = 0; i < rows->n; i++)
            cost[e] += sharpened_error(rows, i, exponents[e], P + i * (rows->K - 1), room);
        cost[e] += PULL * off * off;
    }
}

static double cheapest(const double cost[EXPONENTS])
{
    int best = 0;
    for (int e = 1; e < EXPONENTS; e++)
        if (cost[e] < cost[best]) best = e;
    return exponents[best];
}

rung_status stack_sharpen(rung_ctx *ctx, const stack_rows *rows, double *P, double *t)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int J = rows->K - 1;
    double *room = NULL, cost[EXPONENTS];
    TRY(NEW_RAW(ctx, &ctx->scratch, room, J));
    exponent_costs(rows, P, room, cost);
    *t = cheapest(cost);
    for (int64_t i = 0; i < rows->n; i++) cumulative_sharpen(rows->K, *t, P + i * J);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- each row by the others ---- */

/* p: what stays of a family says of row i, times the share of its weight that stays, which is returned. without: with
 * the weights w_j exp(strength error of its group), that is without the errors of row i and those equal to it. */
static double family_answer(const stack_rows *rows, const stack_part *part, int64_t i, bool without, double *p)
{
    int J = rows->K - 1;
    double all = 0, stays = 0, most = 0;
    memset(p, 0, (size_t)J * sizeof *p);
    if (part->n == 0) {
        add(J, 1 - part->dropped, part->mean + i * J, p);
        return 1 - part->dropped;
    }
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < part->n; j++) {
            if (!part->P[j] || !(part->w[j] > 0)) continue;
            double gain = without ? part->strength * stack_group_error(rows, part->P[j], rows->together->of[i]) : 0;
            if (pass == 0) {
                most = fmax(most, gain);
                continue;
            }
            double w = part->w[j] * exp(gain - most);
            all += w;
            if (part->kept && !part->kept[j]) continue;
            stays += w;
            add(J, w, part->P[j] + i * J, p);
        }
    for (int q = 0; q < J; q++) p[q] /= all;
    return stays / all;
}

/* E_i'E_i, the part of the rows of a group in the stacking matrix, is taken out of it. */
static void stacking_without(const stack_rows *rows, int m, const stack_part *parts, int64_t group, const double *G,
                             double *out)
{
    int J = rows->K - 1;
    const row_groups *t = rows->together;
    memcpy(out, G, (size_t)m * (size_t)m * sizeof *out);
    for (int64_t k = t->start[group]; k < t->start[group + 1]; k++)
        for (int a = 0; a < m; a++)
            for (int b = 0; b < m; b++)
                for (int q = 0; q < J; q++) {
                    int64_t i = t->rows[k];
                    double y = rows->y[i] > q + 1;
                    if (!is_known(rows, i, q)) continue;
                    out[a * m + b] -= rows->weight[i] * (parts[a].mean[i * J + q] - y) * (parts[b].mean[i * J + q] - y);
                }
}

/* P_i: the prediction of row i by what stays of the families, with the weights w. False: they give it no weight. */
static bool answer_row(const stack_rows *rows, int m, const stack_part *parts, const double *w, int64_t i, bool without,
                       double *p, double *P)
{
    int J = rows->K - 1;
    double stays = 0, *own = P + i * J;
    memset(own, 0, (size_t)J * sizeof *own);
    for (int a = 0; a < m; a++) {
        if (!(w[a] > 0)) continue;
        stays += w[a] * family_answer(rows, &parts[a], i, without, p);
        add(J, w[a], p, own);
    }
    for (int q = 0; q < J && stays > 0; q++) own[q] /= stays;
    return stays > 0;
}

rung_status stack_combined(rung_ctx *ctx, const stack_rows *rows, int m, const stack_part *parts, const double *w,
                           double sharpen, double *P)
{
    int J = rows->K - 1;
    double *p = NULL;
    TRY(NEW(ctx, &ctx->scratch, p, J));
    for (int64_t i = 0; i < rows->n; i++) {
        answer_row(rows, m, parts, w, i, false, p, P);
        cumulative_sharpen(rows->K, sharpen, P + i * J);
    }
    return RUNG_OK;
}

rung_status stack_left_out(rung_ctx *ctx, const stack_rows *rows, int m, const stack_part *parts, double *P)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int J = rows->K - 1;
    const row_groups *t = rows->together;
    double *G = NULL, *without = NULL, *w = NULL, *whole = NULL, *p = NULL, *together = NULL;
    double all[EXPONENTS], cost[EXPONENTS];
    TRY(NEW(ctx, &ctx->scratch, G, (int64_t)m * m));
    TRY(NEW(ctx, &ctx->scratch, without, (int64_t)m * m));
    TRY(NEW(ctx, &ctx->scratch, w, m));
    TRY(NEW(ctx, &ctx->scratch, whole, m));
    TRY(NEW(ctx, &ctx->scratch, p, J));
    TRY(NEW(ctx, &ctx->scratch, together, rows->n * J));
    stacking_matrix(rows, m, parts, G);
    TRY(stack_families(ctx, rows, m, parts, whole, together));
    exponent_costs(rows, together, p, all);
    for (int64_t g = 0; g < t->count; g++) {
        stacking_without(rows, m, parts, g, G, without);
        TRY(simplex_qp(ctx, m, without, 1, w));
        memcpy(cost, all, sizeof cost);
        for (int64_t k = t->start[g]; k < t->start[g + 1]; k++)
            for (int e = 0; e < EXPONENTS; e++)
                cost[e] -= sharpened_error(rows, t->rows[k], exponents[e], together + t->rows[k] * J, p);
        for (int64_t k = t->start[g]; k < t->start[g + 1]; k++) {
            if (!answer_row(rows, m, parts, w, t->rows[k], true, p, P)) /* without it nothing of what stays counts */
                answer_row(rows, m, parts, whole, t->rows[k], true, p, P);
            cumulative_sharpen(rows->K, cheapest(cost), P + t->rows[k] * J);
        }
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}
