// SPDX-License-Identifier: BSD-3-Clause
/* All but the ranked probability score follow from the K x K table of counts, in whole numbers: the rows are read once,
 * sums are exact whatever their order, and a perfect prediction gives exactly 0 or 1. Weights are counts, too: whole
 * ones as they are, so that a row with the weight 3 is three rows to the last bit, others in parts of their sum. */
#include "eval/metrics.h"

#include "base/compare.h"
#include "base/rng.h"
#include "data/intervals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESAMPLES = 1000, TAIL = 25 }; /* 95 %: from the 25th smallest mean to the 25th largest */

__extension__ typedef __int128 wide; /* products of three counts */

typedef struct {
    int64_t K, n, rows, intervals;         /* classes; counts; labelled rows, and of these with an interval */
    int64_t *count;                        /* of a row; NULL: 1 */
    int64_t *cell;                         /* K x K: truth in rows, prediction in columns */
    int64_t *truth, *predicted, *distance; /* its margins, and the rows by |truth - predicted| */
} confusion;

static int64_t count_of(const confusion *c, int64_t i) { return c->count ? c->count[i] : 1; }

static rung_status check_label(rung_ctx *ctx, const graded_rows *rows, int64_t i)
{
    int low = rows->truth[i], high = rows->upper ? rows->upper[i] : low, K = rows->K;
    if (low < 1 || low > K)
        return set_error(ctx, RUNG_EARG, "true rank %d of row %lld is outside 1..%d", low, (long long)i + 1, K);
    if (high < low || high > K)
        return set_error(ctx, RUNG_EARG, "row %lld: %d..%d is no interval of the ranks 1..%d", (long long)i + 1, low,
                         high, K);
    if (rows->weight && !(rows->weight[i] >= 0 && isfinite(rows->weight[i])))
        return set_error(ctx, RUNG_EARG, "the weight of row %lld is not a number >= 0", (long long)i + 1);
    return RUNG_OK;
}

/* The weights of labelled rows as counts, with a sum of at most 2^40, so that products of three stay exact. */
static rung_status weigh_rows(rung_ctx *ctx, const graded_rows *rows, confusion *c)
{
    const double most = (double)((int64_t)1 << 40);
    double sum = 0;
    bool whole = true;
    if (!rows->weight) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, c->count, rows->n));
    for (int64_t i = 0; i < rows->n; i++) {
        double w = rows->weight[i];
        if (rows->truth[i] == 0) continue;
        TRY(check_label(ctx, rows, i));
        sum += w;
        whole = whole && w == floor(w);
    }
    if (!(sum > 0) || !isfinite(sum))
        return set_error(ctx, RUNG_EDATA, "the weights of the labelled rows add up to %g", sum);
    double part = whole && sum <= most ? 1 : most / sum;
    for (int64_t i = 0; i < rows->n; i++)
        if (rows->truth[i]) c->count[i] = (int64_t)round(rows->weight[i] * part);
    return RUNG_OK;
}

static rung_status count_rows(rung_ctx *ctx, const graded_rows *rows, const int *predicted, confusion *c)
{
    int K = rows->K;
    const int *truth = rows->truth, *upper = rows->upper;
    *c = (confusion){.K = K};
    TRY(NEW(ctx, &ctx->scratch, c->cell, c->K * K));
    TRY(NEW(ctx, &ctx->scratch, c->truth, K));
    TRY(NEW(ctx, &ctx->scratch, c->predicted, K));
    TRY(NEW(ctx, &ctx->scratch, c->distance, K));
    TRY(weigh_rows(ctx, rows, c));
    for (int64_t i = 0; i < rows->n; i++) {
        if (truth[i] == 0) continue;
        TRY(check_label(ctx, rows, i));
        if (predicted[i] < 1 || predicted[i] > K)
            return set_error(ctx, RUNG_EARG, "predicted rank %d of row %lld is outside 1..%d", predicted[i],
                             (long long)i + 1, K);
        int nearest = nearest_rank(truth[i], highest_rank(truth, upper, i), predicted[i]);
        c->cell[c->K * (nearest - 1) + predicted[i] - 1] += count_of(c, i);
        c->n += count_of(c, i);
        bool none = rows->weight && !(rows->weight[i] > 0);
        c->rows += !none;
        c->intervals += !none && is_interval(truth, upper, i);
    }
    if (c->n == 0) return set_error(ctx, RUNG_EDATA, "no labelled row to measure");
    for (int64_t t = 0; t < K; t++)
        for (int64_t p = 0; p < K; p++) {
            int64_t count = c->cell[t * K + p];
            c->truth[t] += count;
            c->predicted[p] += count;
            c->distance[t < p ? p - t : t - p] += count;
        }
    return RUNG_OK;
}

static void measure_rows(const confusion *c, rung_metrics *out)
{
    double n = (double)c->n;
    int64_t absolute = 0, squared = 0;
    for (int64_t e = 1; e < c->K; e++) {
        absolute += e * c->distance[e];
        squared += e * e * c->distance[e];
    }
    out->n = c->rows;
    out->intervals = c->intervals;
    out->mae = (double)absolute / n;
    out->mse = (double)squared / n;
    out->acc = (double)c->distance[0] / n;
    out->mze = (double)(c->n - c->distance[0]) / n;
    out->off1 = (double)(c->distance[0] + (c->K > 1 ? c->distance[1] : 0)) / n;
}

static void measure_classes(const confusion *c, rung_metrics *out)
{
    double errors = 0, worst = 0, logs = 0, smallest = 1;
    int present = 0;
    for (int64_t t = 0; t < c->K; t++) {
        if (!c->truth[t]) continue;
        const int64_t *row = c->cell + t * c->K;
        int64_t absolute = 0;
        for (int64_t p = 0; p < c->K; p++) absolute += row[p] * (t < p ? p - t : t - p);
        double mae = (double)absolute / (double)c->truth[t], recall = (double)row[t] / (double)c->truth[t];
        present++;
        errors += mae;
        worst = fmax(worst, mae);
        logs += log(recall);
        smallest = fmin(smallest, recall);
    }
    out->amae = errors / present;
    out->mmae = worst;
    out->gm = exp(logs / present); /* a recall of 0 gives exp(-inf) = 0 */
    out->ms = smallest;
}

/* sqrt(x x) = x exactly, so equal orders have correlation exactly 1. */
static double correlation(wide xy, wide xx, wide yy)
{
    return xx > 0 && yy > 0 ? (double)xy / sqrt((double)xx * (double)yy) : NAN;
}

/* Kendall's tau-b. Going through the true classes from the highest down, `above` counts by prediction the rows of the
 * classes already seen: a row of this class is concordant with those predicted higher, discordant with those lower. */
static double kendall(const confusion *c, int64_t *above)
{
    wide difference = 0, pairs = (wide)c->n * (c->n - 1) / 2, truth = pairs, predicted = pairs;
    for (int64_t t = c->K - 1; t >= 0; t--) {
        const int64_t *row = c->cell + t * c->K;
        int64_t lower = 0, higher = 0;
        for (int64_t p = 0; p < c->K; p++) higher += above[p];
        for (int64_t p = 0; p < c->K; p++) {
            higher -= above[p];
            difference += (wide)row[p] * (higher - lower);
            lower += above[p];
        }
        for (int64_t p = 0; p < c->K; p++) above[p] += row[p];
    }
    for (int64_t q = 0; q < c->K; q++) {
        truth -= (wide)c->truth[q] * (c->truth[q] - 1) / 2; /* tied pairs */
        predicted -= (wide)c->predicted[q] * (c->predicted[q] - 1) / 2;
    }
    return correlation(difference, truth, predicted);
}

/* Twice the mid-rank of each class, minus its mean n + 1: a whole number. */
static void centred_ranks(int64_t K, int64_t n, const int64_t *count, int64_t *rank)
{
    int64_t before = 0;
    for (int64_t q = 0; q < K; q++) {
        rank[q] = 2 * before + count[q] - n;
        before += count[q];
    }
}

static double spearman(const confusion *c, int64_t *x, int64_t *y)
{
    wide xy = 0, xx = 0, yy = 0;
    centred_ranks(c->K, c->n, c->truth, x);
    centred_ranks(c->K, c->n, c->predicted, y);
    for (int64_t t = 0; t < c->K; t++) {
        wide inner = 0;
        for (int64_t p = 0; p < c->K; p++) inner += (wide)c->cell[t * c->K + p] * y[p];
        xy += x[t] * inner;
        xx += (wide)c->truth[t] * x[t] * x[t];
        yy += (wide)c->predicted[t] * y[t] * y[t];
    }
    return correlation(xy, xx, yy);
}

/* 1 - (disagreement observed) / (disagreement of independent columns with the same margins). */
static void kappas(const confusion *c, rung_metrics *out)
{
    wide linear = 0, quadratic = 0, seen_linear = 0, seen_quadratic = 0;
    for (int64_t t = 0; t < c->K; t++)
        for (int64_t p = 0; p < c->K; p++) {
            int64_t e = t < p ? p - t : t - p;
            wide expected = (wide)c->truth[t] * c->predicted[p];
            linear += e * expected;
            quadratic += e * e * expected;
        }
    for (int64_t e = 1; e < c->K; e++) {
        seen_linear += (wide)c->n * e * c->distance[e];
        seen_quadratic += (wide)c->n * e * e * c->distance[e];
    }
    out->kappa = linear ? 1 - (double)seen_linear / (double)linear : NAN;
    out->qkappa = quadratic ? 1 - (double)seen_quadratic / (double)quadratic : NAN;
}

static rung_status ranked_probability_score(rung_ctx *ctx, const graded_rows *rows, const double *proba,
                                            const confusion *c, double *out)
{
    const int *truth = rows->truth;
    int64_t K = rows->K;
    double total = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        if (truth[i] == 0) continue;
        double below = 0, row = 0;
        for (int64_t q = 1; q < K; q++) {
            below += proba[i * K + q - 1];
            if (truth[i] <= q && q < highest_rank(truth, rows->upper, i)) continue;
            double miss = below - (truth[i] <= q);
            row += miss * miss;
        }
        if (!isfinite(row))
            return set_error(ctx, RUNG_EARG, "the probabilities of row %lld are not finite", (long long)i + 1);
        total += row * (double)count_of(c, i);
    }
    *out = K > 1 ? total / (double)(K - 1) / (double)c->n : NAN;
    return RUNG_OK;
}

static double log_factorial(int64_t k)
{
    double x = (double)k, product = 1;
    if (k >= 16) /* Stirling's series, below 1e-12 from here on */
        return x * log(x) - x + 0.5 * log(6.283185307179586 * x) +
               (1 / 12. - (1 / 360. - 1 / (1260 * x * x)) / (x * x)) / x;
    for (int64_t j = 2; j <= k; j++) product *= (double)j;
    return log(product);
}

/* How many of n trials succeed, by inversion: from the most likely number outwards, about sqrt(n) steps. The rounding
 * error of the total probability (below 1e-7 for n = 1e8) is assigned to the most likely number. */
static int64_t binomial(rng *r, int64_t n, double p)
{
    if (p > 0.5) return n - binomial(r, n, 1 - p);
    int64_t mode = (int64_t)((double)(n + 1) * p), low = mode, high = mode;
    double odds = p / (1 - p), up, down, u = rng_uniform(r); /* up, down: the probabilities of high and low */
    up = down = exp(log_factorial(n) - log_factorial(mode) - log_factorial(n - mode) + (double)mode * log(p) +
                    (double)(n - mode) * log1p(-p));
    u -= up;
    while (u >= 0 && (up > 1e-20 || down > 1e-20)) {
        up *= odds * (double)(n - high) / (double)(high + 1);
        u -= up;
        high++;
        if (u < 0) return high;
        down *= (double)low / (odds * (double)(n - low + 1));
        u -= down;
        low--;
        if (u < 0) return low;
    }
    return mode;
}

/* Rows drawn for a resample of n. Rows held out of a fit tell the error of fits to other rows than the final one, which
 * vary, too: resampling all n of them gives ranges of 95 % that are right in 82 % with 20 labels, 89 % with 40. Fewer
 * draws give wider ranges, by a factor of 1 + 2 / sqrt(n). Drawn from is one row more, with the least error there is,
 * so that no error at all, or the same everywhere, does not give a range of nothing. docs/trust.md has what that comes
 * to. */
static int64_t draws_of(int64_t n, bool held_out)
{
    double factor = 1 + 2 / sqrt((double)n);
    return held_out && n > 0 ? (int64_t)fmax(round((double)n / (factor * factor)), 1) : n;
}

/* The least error above 0 of these rows, as a rule one class; 1: there is none. */
static int64_t least_error(const confusion *c)
{
    for (int64_t e = 1; e < c->K; e++)
        if (c->distance[e]) return e;
    return 1;
}

/* Resampling rows is drawing the counts of each absolute error from a multinomial: one binomial after the other. Seed
 * and stream are fixed, so that the same labels always give the same interval. */
static void bootstrap(const confusion *c, bool held_out, int64_t *sums, rung_metrics *out)
{
    rng r;
    bool one_more = held_out && c->K > 1;
    int64_t all = draws_of(c->n, held_out), least = least_error(c);
    rng_open(&r, 1, 0x6d6165);
    for (int b = 0; b < RESAMPLES; b++) {
        int64_t draws = all, rows = c->n + one_more, sum = 0; /* not yet drawn; rows with an error not yet dealt with */
        for (int64_t e = 0; draws > 0; e++) {
            int64_t count = c->distance[e] + (one_more && e == least);
            if (!count) continue;
            int64_t drawn = count == rows ? draws : binomial(&r, draws, (double)count / (double)rows);
            sum += e * drawn;
            draws -= drawn;
            rows -= count;
        }
        sums[b] = sum;
    }
    qsort(sums, RESAMPLES, sizeof *sums, compare_integers);
    out->mae_low = (double)sums[TAIL - 1] / (double)all;
    out->mae_high = (double)sums[RESAMPLES - TAIL] / (double)all;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* least: the error of each row of the group more, which has as many rows as groups have on average; 0: no rows held out
 * of a fit. */
static rung_status resample_groups(rung_ctx *ctx, int64_t groups, const int64_t *error, const int64_t *size,
                                   int64_t least, rung_metrics *out)
{
    pool_mark here = pool_here(&ctx->scratch);
    double *mean = NULL, rows_of_one = 0;
    int64_t all = draws_of(groups, least > 0);
    rng r;
    TRY(NEW(ctx, &ctx->scratch, mean, RESAMPLES));
    for (int64_t g = 0; g < groups; g++) rows_of_one += (double)size[g] / (double)groups;
    rng_open(&r, 1, 0x6d6165);
    for (int b = 0; b < RESAMPLES; b++) {
        double sum = 0, rows = 0;
        for (int64_t g = 0; g < all; g++) {
            int64_t drawn = rng_below(&r, groups + (least > 0));
            sum += drawn < groups ? (double)error[drawn] : (double)least * rows_of_one;
            rows += drawn < groups ? (double)size[drawn] : rows_of_one;
        }
        mean[b] = sum / rows;
    }
    qsort(mean, RESAMPLES, sizeof *mean, ascending);
    out->mae_low = mean[TAIL - 1];
    out->mae_high = mean[RESAMPLES - TAIL];
    pool_release(&ctx->scratch, here);
    return RUNG_OK;
}

void metrics_widen(int K, int64_t rows, rung_metrics *m)
{
    const double three = 3 / (double)rows;
    if (m->mae_low < m->mae_high) return;
    m->mae_low = fmax(m->mae - three, 0);
    m->mae_high = fmin(m->mae + three, K - 1);
}

typedef struct {
    int group;
    int64_t row;
} grouped;

static int by_group(const void *a, const void *b)
{
    const grouped *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Resamples the groups, or single rows where there are none, with their counts. */
static rung_status bootstrap_groups(rung_ctx *ctx, const graded_rows *rows, const int *predicted, const confusion *c,
                                    rung_metrics *out)
{
    grouped *order = NULL;
    int64_t *error = NULL, *size = NULL, n = 0, groups = 0;
    TRY(NEW(ctx, &ctx->scratch, order, c->rows));
    TRY(NEW(ctx, &ctx->scratch, error, c->rows));
    TRY(NEW(ctx, &ctx->scratch, size, c->rows));
    for (int64_t i = 0; i < rows->n; i++)
        if (rows->truth[i] && count_of(c, i) > 0) order[n++] = (grouped){rows->group ? rows->group[i] : 0, i};
    qsort(order, (size_t)n, sizeof *order, by_group);
    for (int64_t k = 0; k < n; k++) {
        int64_t i = order[k].row;
        if (k == 0 || !rows->group || order[k].group != order[k - 1].group) groups++;
        int nearest = nearest_rank(rows->truth[i], highest_rank(rows->truth, rows->upper, i), predicted[i]);
        error[groups - 1] += count_of(c, i) * abs(nearest - predicted[i]);
        size[groups - 1] += count_of(c, i);
    }
    return resample_groups(ctx, groups, error, size, rows->held_out && c->K > 1 ? least_error(c) : 0, out);
}

static rung_status compute(rung_ctx *ctx, const graded_rows *rows, const int *predicted, const double *proba,
                           bool resample, rung_metrics *out)
{
    confusion c;
    int K = rows->K;
    int64_t *above, *x, *y, *sums;
    if (K < 1) return set_error(ctx, RUNG_EARG, "%d classes: expected at least 1", K);
    TRY(count_rows(ctx, rows, predicted, &c));
    TRY(NEW(ctx, &ctx->scratch, above, K));
    TRY(NEW(ctx, &ctx->scratch, x, K));
    TRY(NEW(ctx, &ctx->scratch, y, K));
    TRY(NEW(ctx, &ctx->scratch, sums, RESAMPLES));
    rung_metrics m = {.rps = NAN, .mae_low = NAN, .mae_high = NAN};
    if (proba) TRY(ranked_probability_score(ctx, rows, proba, &c, &m.rps));
    measure_rows(&c, &m);
    measure_classes(&c, &m);
    m.tau = kendall(&c, above);
    m.spearman = spearman(&c, x, y);
    kappas(&c, &m);
    if (resample && (rows->weight || rows->group))
        TRY(bootstrap_groups(ctx, rows, predicted, &c, &m));
    else if (resample)
        bootstrap(&c, rows->held_out, sums, &m);
    if (resample) m.mae_low = fmin(m.mae_low, m.mae); /* fewer draws and one row more may miss it */
    if (resample) m.mae_high = fmax(m.mae_high, m.mae);
    *out = m;
    return RUNG_OK;
}

static rung_status measure(rung_ctx *ctx, const graded_rows *rows, const int *predicted, const double *proba,
                           bool resample, rung_metrics *out)
{
    pool_mark here = pool_here(&ctx->scratch);
    rung_status status = compute(ctx, rows, predicted, proba, resample, out);
    pool_release(&ctx->scratch, here);
    return status;
}

rung_status metrics_compute(rung_ctx *ctx, const graded_rows *rows, const int *predicted, const double *proba,
                            rung_metrics *out)
{
    return measure(ctx, rows, predicted, proba, true, out);
}

rung_status metrics_point(rung_ctx *ctx, const graded_rows *rows, const int *predicted, const double *proba,
                          rung_metrics *out)
{
    return measure(ctx, rows, predicted, proba, false, out);
}

#define METRIC(key, title, help, flags)                                                                                \
    {                                                                                                                  \
        offsetof(rung_metrics, key), { #key, title, help, flags }                                                      \
    }
const metric metric_table[] = {
    METRIC(mae, "mean absolute error", "mean absolute error, in classes", 0),
    METRIC(mae_low, "mean absolute error, lower end", "95 % bootstrap range of mae, lower end", RUNG_METRIC_BOUND),
    METRIC(mae_high, "mean absolute error, upper end", "95 % bootstrap range of mae, upper end", RUNG_METRIC_BOUND),
    METRIC(mze, "mean zero-one error", "share of rows in the wrong class", RUNG_METRIC_ANY_ORDER),
    METRIC(acc, "accuracy", "share of rows in the right class", RUNG_METRIC_LARGER_BETTER | RUNG_METRIC_ANY_ORDER),
    METRIC(off1, "accuracy within one class", "share of rows off by at most one class", RUNG_METRIC_LARGER_BETTER),
    METRIC(amae, "average mean absolute error", "mae of each class, averaged over the classes", 0),
    METRIC(mmae, "maximum mean absolute error", "mae of the worst class", 0),
    METRIC(mse, "mean squared error", "mean squared error, in classes", 0),
    METRIC(gm, "geometric mean of the recalls", "geometric mean of the classes' recalls",
           RUNG_METRIC_LARGER_BETTER | RUNG_METRIC_ANY_ORDER),
    METRIC(ms, "minimum sensitivity", "recall of the worst class", RUNG_METRIC_LARGER_BETTER | RUNG_METRIC_ANY_ORDER),
    METRIC(rps, "ranked probability score", "ranked probability score (needs probabilities)",
           RUNG_METRIC_NEEDS_PROBABILITIES),
    METRIC(tau, "Kendall's tau-b", "Kendall's tau-b, 1 = same order", RUNG_METRIC_LARGER_BETTER),
    METRIC(spearman, "Spearman's rank correlation", "Spearman's rank correlation", RUNG_METRIC_LARGER_BETTER),
    METRIC(kappa, "kappa with linear weights", "Cohen's kappa with linear weights, agreement beyond chance",
           RUNG_METRIC_LARGER_BETTER),
    METRIC(qkappa, "kappa with quadratic weights", "kappa with quadratic weights", RUNG_METRIC_LARGER_BETTER),
    {0},
};

const metric *metric_find(const char *key)
{
    for (const metric *m = metric_table; m->info.key; m++)
        if (strcmp(m->info.key, key) == 0) return m;
    return NULL;
}

rung_status metric_criterion(rung_ctx *ctx, const char *key, const char *also, const metric **out)
{
    *out = metric_find(key);
    if (*out && !((*out)->info.flags & RUNG_METRIC_BOUND)) return RUNG_OK;
    char known[256] = "";
    for (const metric *m = metric_table; m->info.key; m++) {
        size_t used = strlen(known);
        if (!(m->info.flags & RUNG_METRIC_BOUND)) snprintf(known + used, sizeof known - used, " %s", m->info.key);
    }
    return hint(ctx,
                set_error(ctx, RUNG_EARG, "unknown metric '%s'; expected one of%s%s%s", key, known, also ? " " : "",
                          also ? also : ""),
                "option metric");
}

double metric_value(const metric *m, const rung_metrics *values)
{
    double value;
    memcpy(&value, (const char *)values + m->place, sizeof value);
    return value;
}

void metrics_mean(int n, const rung_metrics *each, rung_metrics *out)
{
    *out = each[0];
    for (const metric *m = metric_table; m->info.key; m++) {
        double sum = 0;
        int defined = 0;
        for (int i = 0; i < n; i++) {
            double value = metric_value(m, &each[i]);
            if (isnan(value)) continue;
            sum += value;
            defined++;
        }
        double mean = defined ? sum / defined : NAN;
        memcpy((char *)out + m->place, &mean, sizeof mean);
    }
}

double metric_cost(const metric *m, double value)
{
    return m->info.flags & RUNG_METRIC_LARGER_BETTER ? 1 - value : value;
}

/* The weight of labels that begin at a rank or below it, and of those that end there. */
static double weight_up_to(const graded_rows *rows, int rank, const double *weight)
{
    double begun = 0, ended = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        if (rows->truth[i] < 1) continue;
        if (rows->truth[i] <= rank) begun += weight ? weight[i] : 1;
        if (highest_rank(rows->truth, rows->upper, i) <= rank) ended += weight ? weight[i] : 1;
    }
    return begun + ended;
}

rung_status metrics_check(rung_ctx *ctx, const graded_rows *rows)
{
    if (rows->K < 1) return set_error(ctx, RUNG_EARG, "%d classes: expected at least 1", rows->K);
    for (int64_t i = 0; i < rows->n; i++)
        if (rows->truth[i] != 0) TRY(check_label(ctx, rows, i));
    return RUNG_OK;
}

/* A step up from a rank costs what ended there and gains what has not yet begun. */
int metrics_median(const graded_rows *rows, const double *weight)
{
    double both = weight_up_to(rows, rows->K, weight);
    if (!(both > 0)) return 0;
    int low = 1, high = rows->K; /* the median lies in low..high; bisection needs no memory */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (2 * weight_up_to(rows, middle, weight) >= both)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
