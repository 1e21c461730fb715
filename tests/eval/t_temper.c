// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/rng.h"
#include "eval/temper.h"

enum { K = 4, PARTS = 5, MOST = 4000 };

typedef struct { /* rows whose classes have the probabilities `truth`, and what a method says of them */
    int64_t n;
    double truth[MOST * K], said[MOST * K], weight[MOST], count[K];
    int y[MOST], part[MOST];
} sample;

static void normalise(double *p)
{
    double sum = 0;
    for (int q = 0; q < K; q++) sum += p[q];
    for (int q = 0; q < K; q++) p[q] /= sum;
}

/* sharpness: the power of the true probabilities that is given. */
static sample *draw(int64_t n, double sharpness, uint64_t seed)
{
    sample *s = calloc(1, sizeof *s);
    rng r;
    assert_non_null(s);
    rng_open(&r, seed, 0x7e3);
    s->n = n;
    for (int64_t i = 0; i < n; i++) {
        double *p = s->truth + i * K, u = rng_uniform(&r);
        for (int q = 0; q < K; q++) p[q] = exp(1.2 * rng_normal(&r));
        normalise(p);
        for (s->y[i] = 1; s->y[i] < K && u >= p[s->y[i] - 1]; s->y[i]++) u -= p[s->y[i] - 1];
        for (int q = 0; q < K; q++) s->said[i * K + q] = pow(p[q], sharpness);
        normalise(s->said + i * K);
        s->part[i] = (int)(i % PARTS);
        s->weight[i] = 1;
        s->count[s->y[i] - 1]++;
    }
    return s;
}

static temper_rows rows_of(const sample *s)
{
    return (temper_rows){.n = s->n,
                         .K = K,
                         .parts = PARTS,
                         .proba = s->said,
                         .y = s->y,
                         .part = s->part,
                         .weight = s->weight,
                         .count = s->count};
}

static double log_loss(int64_t n, const double *p, const int *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum -= log(fmax(p[i * K + y[i] - 1], 1e-15)) / (double)n;
    return sum;
}

static void apply_all(const tempering *t, const sample *s, double *out)
{
    double p[K];
    for (int64_t i = 0; i < s->n; i++) {
        memcpy(p, s->said + i * K, sizeof p);
        temper_apply(t, K, p, out + i * K);
    }
}

static void values(void **state)
{
    (void)state;
    const tempering t = {.n = 2,
                         .power = (double[]){0.5, 2},
                         .weight = (double[]){0.5, 0.25},
                         .frequency = (double[]){0.125, 0.0625, 0.0625, 0}};
    double p[K] = {0.64, 0.36, 0, 0}, out[K];
    temper_apply(&t, K, p, out);
    double square = 0.64 * 0.64 + 0.36 * 0.36;
    assert_close(out[0], 0.5 * 0.8 / 1.4 + 0.25 * 0.64 * 0.64 / square + 0.125, 1e-15);
    assert_close(out[1], 0.5 * 0.6 / 1.4 + 0.25 * 0.36 * 0.36 / square + 0.0625, 1e-15);
    assert_close(out[2], 0.0625, 1e-15);
    assert_close(out[3], 0, 1e-15);
}

/* Probabilities four times too sharp: tempered, they are almost as good as the true ones, on rows that are tempered by
 * others and on new rows. Of well-calibrated ones nothing is lost. */
static void held_out_loss_falls(void **state)
{
    rung_ctx *ctx = *state;
    double *crossed = malloc(sizeof *crossed * MOST * K);
    assert_non_null(crossed);
    for (int k = 0; k < 6; k++) {
        int64_t n = k % 2 ? 1000 : 60;
        double sharpness = k < 2 ? 4 : k < 4 ? 2 : 1;
        sample *s = draw(n, sharpness, 10 + (uint64_t)k), *fresh = draw(MOST, sharpness, 20 + (uint64_t)k);
        tempering t;
        temper_rows rows = rows_of(s);
        assert_ok(ctx, temper_fit(ctx, &ctx->scratch, &rows, &t, crossed));
        double before = log_loss(n, s->said, s->y), after = log_loss(n, crossed, s->y);
        if (!(after < before + (sharpness > 1 ? 0 : 0.02))) fail_msg("case %d: %g after %g", k, after, before);
        double best = log_loss(MOST, fresh->truth, fresh->y);
        apply_all(&t, fresh, crossed);
        after = log_loss(MOST, crossed, fresh->y);
        if (!(after < best + (n == 60 ? 0.06 : 0.01))) fail_msg("case %d: %g, the truth has %g", k, after, best);
        free(s), free(fresh);
        pool_free_all(&ctx->scratch);
    }
    free(crossed);
}

/* What a row is tempered by does not depend on its label, nor on those of its part. */
static void cross_fitting_is_honest(void **state)
{
    rung_ctx *ctx = *state;
    sample *s = draw(100, 2, 31);
    double before[100 * K], after[100 * K];
    tempering t;
    temper_rows rows = rows_of(s);
    assert_ok(ctx, temper_fit(ctx, &ctx->scratch, &rows, &t, before));
    for (int i = 0; i < 100; i++) {
        if (s->part[i] != 2) continue;
        s->count[s->y[i] - 1]--;
        s->y[i] = 1 + s->y[i] % K;
        s->count[s->y[i] - 1]++;
    }
    assert_ok(ctx, temper_fit(ctx, &ctx->scratch, &rows, &t, after));
    for (int i = 0; i < 100; i++) {
        if (s->part[i] == 2) assert_arrays_close(K, before + i * K, after + i * K, 1e-12);
        if (s->part[i] != 2) assert_true(fabs(before[i * K] - after[i * K]) > 1e-9);
    }
    free(s);
}

/* A class that is excluded and yet occurs: its probability is not 0 any more. Probabilities stay probabilities. */
static void nothing_is_impossible(void **state)
{
    rung_ctx *ctx = *state;
    sample *s = draw(40, 1, 41);
    double crossed[40 * K];
    tempering t;
    temper_rows rows = rows_of(s);
    for (int i = 0; i < 40; i++) {
        double *p = s->said + i * K;
        memset(p, 0, K * sizeof *p);
        p[i % 8 ? s->y[i] - 1 : s->y[i] % K] = 1;
    }
    assert_ok(ctx, temper_fit(ctx, &ctx->scratch, &rows, &t, crossed));
    double share = 0;
    for (int q = 0; q < K; q++) share += t.frequency[q];
    assert_true(share > 0.02 && share < 0.4);
    for (int i = 0; i < 40; i++) {
        double sum = 0;
        for (int q = 0; q < K; q++) {
            assert_true(crossed[i * K + q] > 1e-3 && crossed[i * K + q] <= 1);
            sum += crossed[i * K + q];
        }
        assert_close(sum, 1, 1e-12);
    }
    free(s);
}

/* A row of weight 3 is three rows. */
static void weights_are_rows(void **state)
{
    rung_ctx *ctx = *state;
    sample *s = draw(30, 3, 51), *thrice = draw(90, 3, 52);
    double crossed[90 * K];
    tempering a, b;
    memset(s->count, 0, sizeof s->count);
    memset(thrice->count, 0, sizeof thrice->count);
    for (int i = 0; i < 90; i++) {
        memcpy(thrice->said + i * K, s->said + i / 3 * K, K * sizeof *s->said);
        thrice->y[i] = s->y[i / 3];
        thrice->part[i] = s->part[i / 3];
        s->weight[i / 3] = 3;
        s->count[thrice->y[i] - 1]++;
        thrice->count[thrice->y[i] - 1]++;
    }
    temper_rows rows = rows_of(s), many = rows_of(thrice);
    assert_ok(ctx, temper_fit(ctx, &ctx->scratch, &rows, &a, crossed));
    assert_ok(ctx, temper_fit(ctx, &ctx->scratch, &many, &b, crossed));
    assert_int_equal(a.n, b.n);
    assert_arrays_close(a.n, a.weight, b.weight, 1e-9);
    assert_arrays_close(K, a.frequency, b.frequency, 1e-9);
    free(s), free(thrice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(values),
        WITH_CONTEXT(held_out_loss_falls),
        WITH_CONTEXT(cross_fitting_is_honest),
        WITH_CONTEXT(nothing_is_impossible),
        WITH_CONTEXT(weights_are_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
