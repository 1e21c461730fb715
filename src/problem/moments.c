// SPDX-License-Identifier: BSD-3-Clause
/* Second moments and sums by class of the landmark features of all labelled rows: what kdlor, krr and ckr
 * need of them, in one pass. Where the landmarks allow it kernel columns are summed, and solved for once.
 *
 * The products of a row with itself, m x m, take far longer than reading it. The mean of a class is that of all its
 * rows, but from some thousand rows per landmark on, more of them tell nothing new about the scatter within the classes
 * (it changes what a discriminant gains by a share of about landmarks / rows). Then these products are those of the
 * sample, whose rows are held out of the fit and so must be in it exactly once, and of further rows drawn by their
 * keys, which stand for all others: with u_D, M_D the sums of a class over those drawn, weighted by the inverse of
 * their chance, and u_R, M_R over all rows outside of the sample, S = sum over the sample + sum over those drawn -
 * sum_q u_D u_D'/M_D + sum_q u_R u_R'/M_R. */
#include <math.h>
#include <string.h>

#include "problem/problem.h"

enum { SAMPLED, DRAWN, OTHER, KINDS }; /* of rows; all are SAMPLED where nothing is drawn */

typedef struct {
    const problem *p;
    const landmarks *l;
    const double *shift;
    bool single;
    uint64_t last_key; /* rows up to this key have products */
    double weight;     /* of those outside the sample; 1: all rows have products */
    la_mat *S, *room;  /* m x m; for the features of a block: new memory costs as much as filling it */
} moments_pass;

/* From this many rows on, products are in single precision where the landmarks are far from dependent: half the time,
 * and errors below what another sample of as many rows would change (docs/scale.md). */
static const int64_t SINGLE_FROM = 1000000;

/* Rows whose products are summed, at least; below twice as many, all. */
double problem_product_rows(int64_t m)
{
    const double per_landmark = 2000, products = 2e12; /* as many as take no longer than reading the rows */
    return fmax(per_landmark * (double)m, products / ((double)m * (double)m));
}

static double key_share(uint64_t key) { return ldexp((double)key, -64); }

static void choose_drawn(const row_source *s, double rows, moments_pass *pass)
{
    pass->last_key = UINT64_MAX;
    pass->weight = 1;
    double share = rows / (double)s->n_labelled, sampled = key_share(s->last_key);
    if (share > 0.5 || share <= sampled) return;
    pass->last_key = (uint64_t)ldexp(share, 64);
    pass->weight = (1 - sampled) / (key_share(pass->last_key) - sampled);
}

/* A block, its rows sorted by kind: first[k] .. first[k+1] - 1 are of kind k. */
typedef struct {
    int64_t first[KINDS + 1], *row;
    int *group;
    double *w;
} sorted_block;

static int kind_of(const moments_pass *pass, const problem_block *b, int64_t i)
{
    const row_source *s = pass->p->all->source;
    if (pass->weight == 1 || rows_sampled(s, b->file, b->row[i])) return SAMPLED;
    return rows_key(s->seed, b->file, b->row[i]) <= pass->last_key ? DRAWN : OTHER;
}

static rung_status sort_block(rung_ctx *ctx, const moments_pass *pass, const problem_block *b, sorted_block *out)
{
    int *kind = NULL, K = pass->p->K;
    int64_t at = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, kind, b->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->row, b->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->group, b->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, out->w, b->n));
    for (int64_t i = 0; i < b->n; i++) {
        kind[i] = kind_of(pass, b, i);
        out->group[i] = b->y[i] + (kind[i] == DRAWN ? K : 0);
        out->w[i] = (b->w ? b->w[i] : 1) * (kind[i] == DRAWN ? pass->weight : 1);
    }
    for (int k = 0; k < KINDS; k++) {
        out->first[k] = at;
        for (int64_t i = 0; i < b->n; i++)
            if (kind[i] == k) out->row[at++] = i;
    }
    out->first[KINDS] = at;
    return RUNG_OK;
}

/* Second moment, sums and masses by kind and class, and sizes follow each other. */
static int64_t sum_size(int64_t m, int K) { return m * m + KINDS * m * K + KINDS * K + K; }

static rung_status add_block(rung_ctx *ctx, void *user, const problem_block *b, double *sum)
{
    const moments_pass *pass = user;
    int64_t m = pass->l->m;
    int K = pass->p->K;
    bool all = pass->weight == 1, solved = !pass->l->steady;
    double *sums = sum + m * m, *mass = sums + KINDS * m * K, *size = mass + (int64_t)KINDS * K;
    sorted_block s;
    TRY(sort_block(ctx, pass, b, &s));
    for (int k = 0; k < KINDS; k++)
        for (int64_t i = s.first[k]; i < s.first[k + 1]; i++) {
            mass[k * K + b->y[s.row[i]] - 1] += s.w[s.row[i]];
            size[b->y[s.row[i]] - 1]++;
        }
    grouped_rows rows = {.X = b->X,
                         .count = s.first[OTHER],
                         .rows = s.row,
                         .weight = all ? b->w : s.w,
                         .groups = all ? K : 2 * K,
                         .group = s.group,
                         .shift = pass->shift,
                         .single = pass->single,
                         .room = pass->room};
    la_put(sum, pass->S);
    TRY(landmarks_add_moments(ctx, pass->l, solved, &rows, 1, pass->S, sums));
    la_get(pass->S, sum);
    rows.rows += rows.count;
    rows.count = b->n - rows.count;
    rows.weight = b->w;
    rows.groups = K;
    if (solved) rows.shift = NULL; /* kernel columns, which the shift does not belong to */
    return landmarks_add_moments(ctx, pass->l, false, &rows, 1, NULL, sums + OTHER * m * K);
}

/* Near the mean of what is summed, by some rows of the sample spread over all of it: moments about it lose no digits to
 * a mean that is large beside them. */
static rung_status find_shift(rung_ctx *ctx, const problem *p, const landmarks *l, double *shift)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = p->n < ROWS_BLOCK ? p->n : ROWS_BLOCK;
    double *X = NULL;
    la_mat *F = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, p->d * n));
    TRY(la_new(ctx, &ctx->scratch, l->m, n, &F));
    for (int64_t i = 0; i < n; i++) memcpy(X + i * p->d, p->X + i * p->n / n * p->d, (size_t)p->d * sizeof *X);
    TRY(l->steady ? landmarks_columns(ctx, l, 0, n, X, F) : landmarks_features(ctx, l, n, X, F));
    TRY(la_row_sums(ctx, F, shift));
    for (int64_t j = 0; j < l->m; j++) shift[j] /= (double)n;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* From moments about the shift s to those about 0: with W = sum w and u = sum w (phi - s),
 *     sum w phi phi' = S + W (s + u/W)(s + u/W)' - u u'/W. */
static rung_status unshift(rung_ctx *ctx, int64_t m, int K, feature_moments *all)
{
    double *u = NULL, *centre = NULL, W = 0;
    la_mat *vector = NULL;
    TRY(NEW(ctx, &ctx->scratch, u, m));
    TRY(NEW(ctx, &ctx->scratch, centre, m));
    TRY(la_new(ctx, &ctx->scratch, m, 1, &vector));
    for (int q = 0; q < K; q++) {
        W += all->mass[q];
        for (int64_t j = 0; j < m; j++) {
            u[j] += all->sums[j + q * m];
            all->sums[j + q * m] += all->mass[q] * all->shift[j];
        }
    }
    for (int64_t j = 0; j < m; j++) centre[j] = all->shift[j] + u[j] / W;
    la_put(centre, vector);
    TRY(la_syrk(ctx, false, W, vector, 1, all->S));
    la_put(u, vector);
    TRY(la_syrk(ctx, false, -1 / W, vector, 1, all->S));
    memset(all->shift, 0, (size_t)m * sizeof *all->shift);
    return RUNG_OK;
}

/* S += sign sum_q u_q u_q' / M_q over the K classes that have rows. */
static rung_status add_means(rung_ctx *ctx, int64_t m, int K, int sign, const double *u, const double *M, la_mat *S)
{
    la_mat *C = NULL;
    double *scaled = NULL;
    TRY(NEW(ctx, &ctx->scratch, scaled, m * K));
    TRY(la_new(ctx, &ctx->scratch, m, K, &C));
    for (int64_t i = 0; i < m * K; i++) scaled[i] = M[i / m] > 0 ? u[i] / sqrt(M[i / m]) : 0;
    la_put(scaled, C);
    return la_syrk(ctx, false, sign, C, 1, S);
}

/* What was drawn becomes what it stands for, and all kinds of rows the sums of the classes. */
static rung_status put_together(rung_ctx *ctx, const moments_pass *pass, int64_t m, int K, double *sums, double *mass,
                                feature_moments *out)
{
    int64_t all = m * K;
    double *u = sums + DRAWN * all, *M = mass + (int64_t)DRAWN * K, *other = sums + OTHER * all;
    if (!pass->l->steady) {
        TRY(landmarks_solve_sums(ctx, pass->l, K, other));
        for (int64_t i = 0; i < all && pass->shift; i++) other[i] -= mass[OTHER * K + i / m] * pass->shift[i % m];
    }
    TRY(add_means(ctx, m, K, -1, u, M, out->S));
    for (int64_t i = 0; i < all; i++) u[i] = u[i] / pass->weight + other[i];
    for (int q = 0; q < K; q++) M[q] = M[q] / pass->weight + mass[OTHER * K + q];
    TRY(add_means(ctx, m, K, 1, u, M, out->S));
    for (int64_t i = 0; i < all; i++) out->sums[i] += u[i];
    for (int q = 0; q < K; q++) out->mass[q] += M[q];
    return RUNG_OK;
}

rung_status problem_moments_thinned(rung_ctx *ctx, const problem *p, const landmarks *l, bool shifted, double rows,
                                    feature_moments *out)
{
    int64_t m = l->m;
    int K = p->K;
    double *sum = NULL;
    *out = (feature_moments){0};
    TRY(NEW(ctx, &ctx->scratch, out->sums, m * (K + 1)));
    TRY(NEW(ctx, &ctx->scratch, out->mass, 2 * K));
    TRY(la_new(ctx, &ctx->scratch, m, m, &out->S));
    out->size = out->mass + K;
    out->shift = out->sums + m * K;
    pool_mark mark = pool_here(&ctx->scratch);
    bool single = l->far_apart && p->all->source->n_labelled >= SINGLE_FROM;
    if (shifted || single) TRY(find_shift(ctx, p, l, out->shift));
    TRY(NEW_RAW(ctx, &ctx->scratch, sum, sum_size(m, K)));
    moments_pass pass = {.p = p, .l = l, .shift = shifted || single ? out->shift : NULL, .single = single};
    choose_drawn(p->all->source, rows, &pass);
    if (pass.weight > 1)
        log_at(ctx, RUNG_LOG_INFO, "scatter within the classes: by the products of one row in %.3g; means: by all rows",
               (double)p->all->source->n_labelled / rows);
    TRY(la_new(ctx, &ctx->scratch, m, m, &pass.S));
    if (!single) TRY(la_new(ctx, &ctx->scratch, m, LANDMARK_TILE, &pass.room));
    TRY(problem_sum(ctx, p, add_block, &pass, sum_size(m, K), sum));
    double *sums = sum + m * m, *mass = sums + KINDS * m * K;
    la_put(sum, out->S);
    memcpy(out->sums, sums, (size_t)(m * K) * sizeof *sum);
    memcpy(out->mass, mass, (size_t)K * sizeof *sum);
    memcpy(out->size, mass + (int64_t)KINDS * K, (size_t)K * sizeof *sum);
    if (pass.weight > 1) TRY(put_together(ctx, &pass, m, K, sums, mass, out));
    pool_release(&ctx->scratch, mark);
    if (l->steady) TRY(landmarks_solve_moments(ctx, l, K + 1, out->S, out->sums));
    return single && !shifted ? unshift(ctx, m, K, out) : RUNG_OK;
}

rung_status problem_moments(rung_ctx *ctx, const problem *p, const landmarks *l, bool shifted, feature_moments *out)
{
    return problem_moments_thinned(ctx, p, l, shifted, problem_product_rows(l->m), out);
}

/* The moments and their sum; a sum for each level of the tree, a copy and a tile of features while blocks are added. */
double problem_moments_bytes(int64_t d, int64_t m_)
{
    const double levels = 6; /* ROWS_SLOTS = 2^levels */
    double m = (double)m_, rows = (double)rows_block(d);
    return 8 * ((levels + 3) * m * m + 1.2 * rows * m + 4 * rows * (double)d);
}
