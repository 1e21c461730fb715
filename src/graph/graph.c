// SPDX-License-Identifier: BSD-3-Clause
#include "graph/graph.h"

#include <math.h>
#include <string.h>

static rung_status csr_new(rung_ctx *ctx, pool *mem, int64_t n, int64_t entries, la_csr *out)
{
    *out = (la_csr){.rows = n, .cols = n};
    TRY(NEW(ctx, mem, out->start, n + 1));
    TRY(NEW_RAW(ctx, mem, out->col, entries));
    return NEW_RAW(ctx, mem, out->value, entries);
}

/* Every directed edge i -> j is an entry of row i and one of row j: a one-sided pair occurs once, a mutual one twice.
 * The entries of a row come in the order of their columns, because the lists are walked twice: what the first walk puts
 * into row j while i rises is what the second walk reads. */
static rung_status both_directions(rung_ctx *ctx, const neighbours *nb, la_csr *out)
{
    int64_t n = nb->n, *next = NULL;
    la_csr loose;
    TRY(csr_new(ctx, &ctx->scratch, n, 2 * n * nb->k, &loose));
    TRY(csr_new(ctx, &ctx->scratch, n, 2 * n * nb->k, out));
    TRY(NEW(ctx, &ctx->scratch, next, n));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < nb->k; j++) {
            loose.start[i + 1]++;
            loose.start[nb->index[i * nb->stride + j] + 1]++;
        }
    for (int64_t i = 0; i < n; i++) loose.start[i + 1] += loose.start[i];
    memcpy(out->start, loose.start, (size_t)(n + 1) * sizeof *out->start);
    memcpy(next, loose.start, (size_t)n * sizeof *next);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < nb->k; c++) {
            int64_t j = nb->index[i * nb->stride + c];
            double d2 = nb->d2[i * nb->stride + c];
            loose.col[next[i]] = j;
            loose.value[next[i]++] = d2;
            loose.col[next[j]] = i;
            loose.value[next[j]++] = d2;
        }
    memcpy(next, loose.start, (size_t)n * sizeof *next);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = loose.start[i]; e < loose.start[i + 1]; e++) {
            int64_t to = next[loose.col[e]]++;
            out->col[to] = i;
            out->value[to] = loose.value[e];
        }
    return RUNG_OK;
}

static double weigh(edge_weight weight, double width, double d2)
{
    if (weight == EDGE_BINARY) return 1;
    if (weight == EDGE_SQUARED) return d2;
    return d2 > 0 ? exp(-d2 / (2 * width * width)) : 1; /* the square of a tiny width is 0 */
}

rung_status graph_edges(rung_ctx *ctx, pool *mem, const neighbours *nb, graph_rule rule, edge_weight weight,
                        double width, la_csr *out)
{
    la_csr twice;
    int64_t used = 0;
    TRY(csr_new(ctx, mem, nb->n, 2 * nb->n * nb->k, out));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(both_directions(ctx, nb, &twice));
    for (int64_t i = 0; i < nb->n; i++) {
        for (int64_t e = twice.start[i], end = twice.start[i + 1]; e < end;) {
            bool mutual = e + 1 < end && twice.col[e + 1] == twice.col[e];
            if (rule == GRAPH_OR || mutual) {
                out->col[used] = twice.col[e];
                out->value[used++] = weigh(weight, width, twice.value[e]);
            }
            e += mutual ? 2 : 1;
        }
        out->start[i + 1] = used;
    }
    pool_release(&ctx->scratch, mark);
    TRY(RESIZE(ctx, mem, out->col, used));
    return RESIZE(ctx, mem, out->value, used);
}

void graph_degrees(const la_csr *S, double *degree)
{
    for (int64_t i = 0; i < S->rows; i++) {
        degree[i] = 0;
        for (int64_t e = S->start[i]; e < S->start[i + 1]; e++) degree[i] += S->value[e];
    }
}

rung_status graph_laplacian(rung_ctx *ctx, pool *mem, const la_csr *S, laplacian_norm norm, la_csr *out)
{
    int64_t n = S->rows, used = 0;
    double *degree = NULL, *root = NULL; /* root: degree^-1/2, 0 for a point without neighbours */
    TRY(csr_new(ctx, mem, n, S->start[n] + n, out));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW(ctx, &ctx->scratch, degree, n));
    TRY(NEW(ctx, &ctx->scratch, root, n));
    graph_degrees(S, degree);
    for (int64_t i = 0; i < n; i++) root[i] = degree[i] > 0 ? 1 / sqrt(degree[i]) : 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t e = S->start[i];
        for (bool diagonal = false; e < S->start[i + 1] || !diagonal;) {
            if (!diagonal && (e == S->start[i + 1] || S->col[e] > i)) {
                out->col[used] = i;
                out->value[used++] = norm == LAPLACIAN_PLAIN ? degree[i] : degree[i] > 0;
                diagonal = true;
                continue;
            }
            double scale = norm == LAPLACIAN_PLAIN ? 1 : root[i] * root[S->col[e]];
            out->col[used] = S->col[e];
            out->value[used++] = -S->value[e] * scale;
            e++;
        }
        out->start[i + 1] = used;
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

double graph_edges_bytes(double n, double k) { return n * (2 * k * (sizeof(int64_t) + sizeof(double)) + 8); }

/* The search: the rows as columns, the lists, each row's own number. The join: the lists, and the edges three times. */
double graph_bytes(double n, double d, double k, int threads)
{
    double search = 8 * n * (d + 1 + 2 * k) + la_nearest_bytes((int64_t)n, (int64_t)d, threads > 1 ? threads : 1);
    return fmax(search, 8 * 15 * n * k);
}
