// SPDX-License-Identifier: BSD-3-Clause
/* Nearest neighbours of many rows, in cells: how many of the true ones are found, and the time against exact search.
 *
 *     bench_neighbours [ROWS] [COLUMNS]        default 100000 rows of 20 columns
 *
 * Two sets: normal columns without any structure, the hardest case, and rows near a surface of four dimensions. Recall
 * is of rows drawn by chance, other ones than those by which the number of cells was chosen. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "bench.h"
#include "graph/kmeans_cells.h"

enum { K = 10, ASKED = 500, SURFACE = 4 };

static double processor(void) { return (double)clock() / CLOCKS_PER_SEC; }

static la_mat *rows(rung_ctx *ctx, int64_t n, int64_t d, int surface)
{
    la_mat *X;
    double *x = malloc(sizeof *x * (size_t)(n * d)), *turn = malloc(sizeof *turn * (size_t)(SURFACE * d));
    rng r;
    if (!x || !turn) exit(1);
    rng_open(&r, 7, 0);
    for (int64_t j = 0; j < SURFACE * d; j++) turn[j] = rng_normal(&r);
    for (int64_t i = 0; i < n; i++) {
        double u[SURFACE];
        for (int s = 0; s < SURFACE; s++) u[s] = rng_normal(&r);
        for (int64_t j = 0; j < d; j++) {
            double angle = 0;
            for (int s = 0; s < SURFACE; s++) angle += u[s] * turn[s + j * SURFACE];
            x[j + i * d] = surface ? sin(angle) + 0.1 * rng_normal(&r) : rng_normal(&r);
        }
    }
    need(ctx, la_new(ctx, &ctx->scratch, d, n, &X));
    la_put(x, X);
    free(x);
    free(turn);
    return X;
}

static void measure(rung_ctx *ctx, const char *name, int64_t n, int64_t d, int surface)
{
    pool_mark mark = pool_here(&ctx->scratch);
    la_mat *X = rows(ctx, n, d, surface), *some;
    int64_t *index = malloc(sizeof *index * (size_t)(n * K)), asked[ASKED], truth[K * ASKED], hits = 0;
    double *d2 = malloc(sizeof *d2 * (size_t)(n * K)), exact[K * ASKED], expected;
    rng r;
    if (!index || !d2) exit(1);
    double t = seconds(), cpu = processor();
    need(ctx, kmeans_cells_neighbours(ctx, X, K, NEIGHBOUR_RECALL, index, d2, &expected));
    t = seconds() - t;
    cpu = processor() - cpu;
    rng_open(&r, 11, 0);
    for (int i = 0; i < ASKED; i++) asked[i] = rng_below(&r, n);
    need(ctx, la_new(ctx, &ctx->scratch, d, ASKED, &some));
    need(ctx, la_gather(ctx, X, NULL, asked, some));
    double whole = processor();
    need(ctx, la_nearest(ctx, X, some, asked, NULL, K, truth, exact));
    whole = (processor() - whole) * (double)n / ASKED;
    for (int i = 0; i < ASKED; i++)
        for (int a = 0; a < K; a++)
            for (int b = 0; b < K; b++) hits += truth[a + i * K] == index[b + asked[i] * K];
    printf("  %-8s recall %.3f (expected %.3f), %.1f s, processor time %.1f s, %.2f of that of exact search\n", name,
           (double)hits / (K * ASKED), expected, t, cpu, cpu / whole);
    free(index);
    free(d2);
    pool_release(&ctx->scratch, mark);
}

int main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 100000, d = argc > 2 ? atoll(argv[2]) : 20;
    rung_ctx *ctx;
    if (rung_ctx_new(&ctx) != RUNG_OK) return 1;
    la_enter();
    printf("%lld rows, %lld columns, %d neighbours\n", (long long)n, (long long)d, K);
    measure(ctx, "normal", n, d, 0);
    measure(ctx, "surface", n, d, 1);
    la_leave();
    rung_ctx_free(ctx);
    return 0;
}
