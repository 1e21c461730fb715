// SPDX-License-Identifier: BSD-3-Clause
#include "trees/loss.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/la.h"

void ordinal_set(ordinal *o, const double *t)
{
    if (t != o->t) memcpy(o->t, t, (size_t)(o->K - 1) * sizeof *t);
    for (int q = 1; q < o->K; q++) o->up[q] = exp(-o->t[q - 1]);
    for (int q = 2; q < o->K; q++) o->gap[q] = -expm1(o->t[q - 2] - o->t[q - 1]);
}

rung_status ordinal_new(rung_ctx *ctx, pool *mem, int K, const double *weight, ordinal *out)
{
    double total = 0, below = 0;
    *out = (ordinal){.K = K};
    TRY(NEW(ctx, mem, out->t, K - 1));
    TRY(NEW(ctx, mem, out->up, K + 1));
    TRY(NEW(ctx, mem, out->gap, K + 1));
    TRY(NEW(ctx, mem, out->apart, K - 1));
    TRY(NEW(ctx, mem, out->closing, K - 1));
    TRY(NEW(ctx, mem, out->tied, K - 1));
    out->up[0] = INFINITY;
    out->gap[1] = out->gap[K] = 1;
    for (int q = 0; q < K; q++) total += weight[q];
    for (int q = 0; q + 1 < K; q++) {
        below += weight[q];
        out->t[q] = log(below) - log(fmax(total - below, 1e-12 * total));
        if (q > 0) out->t[q] = fmax(out->t[q], out->t[q - 1] + LEAST_GAP);
    }
    ordinal_set(out, out->t);
    return RUNG_OK;
}

void ordinal_derivatives(const ordinal *o, const loss_rows *rows, double *g, double *h)
{
    double e[LOSS_CHUNK];
    la_exp(rows->n, rows->f, e);
    for (int i = 0; i < rows->n; i++) {
        double a = 1 / (1 + e[i] * o->up[rows->high[i]]), b = 1 / (1 + e[i] * o->up[rows->low[i] - 1]);
        g[i] = 1 - a - b;
        h[i] = a * (1 - a) + b * (1 - b);
    }
}

int64_t ordinal_sums(const ordinal *o)
{
    int64_t J = o->K - 1;
    return o->wide ? J + J * J : 3 * J;
}

/* 1 - b for b = 1 / (1 + x), to full precision; x is infinite for the lowest class. */
static double not_below(double x) { return isinf(x) ? 1 : x / (1 + x); }

static double gap_of(const ordinal *o, int low, int high)
{
    if (low == high) return o->gap[low];
    return low > 1 && high < o->K ? -expm1(o->t[low - 2] - o->t[high - 1]) : 1;
}

/* With p = a - b: the derivative in t_high is -u, u = a (1 - a) / p, that in t_{low-1} is v = b (1 - b) / p; the second
 * ones are u^2 - u (1 - 2 a), v^2 + v (1 - 2 b) and -u v. */
void ordinal_sum(const ordinal *o, const loss_rows *rows, double *sum)
{
    int J = o->K - 1, step = o->wide ? J + 1 : 1; /* between entries of the diagonal */
    double e[LOSS_CHUNK], *gradient = sum, *diagonal = sum + J, *beside = diagonal + J;
    la_exp(rows->n, rows->f, e);
    for (int i = 0; i < rows->n; i++) {
        int low = rows->low[i], high = rows->high[i];
        double above = e[i] * o->up[high], below = e[i] * o->up[low - 1], weight = rows->w ? rows->w[i] : 1;
        double a = 1 / (1 + above), b = 1 / (1 + below), gap = gap_of(o, low, high);
        double u = above * a / (not_below(below) * gap), v = b / (a * gap);
        if (high < o->K) {
            gradient[high - 1] -= weight * u;
            diagonal[(high - 1) * step] += weight * u * (u - (1 - 2 * a));
        }
        if (low > 1) {
            gradient[low - 2] += weight * v;
            diagonal[(low - 2) * step] += weight * v * (v + (1 - 2 * b));
        }
        if (low > 1 && high < o->K)
            (o->wide ? diagonal + (low - 2) * J + high - 1 : beside + low - 2)[0] -= weight * u * v;
    }
}

/* ---- a step ---- */

/* x := H^-1 x for a tridiagonal matrix of order n, which is overwritten. */
static void solve_tridiagonal(int n, double *diagonal, const double *beside, double scale, double *x)
{
    for (int q = 1; q < n; q++) {
        double m = beside[q - 1] / diagonal[q - 1];
        diagonal[q] = fmax(diagonal[q] - m * beside[q - 1], 1e-9 * scale);
        x[q] -= m * x[q - 1];
    }
    for (int q = n - 1; q >= 0; q--) x[q] = (x[q] - (q + 1 < n ? beside[q] * x[q + 1] : 0)) / diagonal[q];
}

/* The same for a full matrix, by its upper triangle (rows of J numbers). */
static void solve_full(int n, int J, double *H, double scale, double *x)
{
    for (int q = 0; q < n; q++) {
        H[q * J + q] = fmax(H[q * J + q], 1e-9 * scale);
        for (int r = q + 1; r < n; r++) {
            double m = H[q * J + r] / H[q * J + q];
            for (int c = r; c < n; c++) H[r * J + c] -= m * H[q * J + c];
            x[r] -= m * x[q];
        }
    }
    for (int q = n - 1; q >= 0; q--) {
        for (int r = q + 1; r < n; r++) x[q] -= H[q * J + r] * x[r];
        x[q] /= H[q * J + q];
    }
}

/* Where an entry of the Hessian is, r >= q; those of row q that may differ from 0 are before `row_end`. */
static double *entry(const ordinal *o, double *sum, int q, int r)
{
    int J = o->K - 1;
    return sum + J + (o->wide ? q * J + r : r > q ? J + q : q);
}
static int row_end(const ordinal *o, int q) { return o->wide || q + 2 > o->K - 1 ? o->K - 1 : q + 2; }

/* From thresholds to groups of those that are tied: the gradient at `apart` in them, and sums of gradient and Hessian
 * over each group, in place. Returns the number of groups. */
static int join_tied(const ordinal *o, double *sum)
{
    int J = o->K - 1, a = -1;
    for (int q = 0; q < J; q++)
        for (int r = q; r < row_end(o, q); r++) {
            sum[q] -= *entry(o, sum, q, r) * o->apart[r];
            if (r > q) sum[r] -= *entry(o, sum, q, r) * o->apart[q];
        }
    for (int q = 0; q < J; q++) {
        a += !o->tied[q];
        double gradient = sum[q];
        sum[q] = 0;
        sum[a] += gradient;
        for (int r = q, b = a; r < row_end(o, q); r++) {
            b += r > q && !o->tied[r];
            double h = *entry(o, sum, q, r) * (b == a && r > q ? 2 : 1);
            *entry(o, sum, q, r) = 0;
            *entry(o, sum, a, b) += h;
        }
    }
    return a + 1;
}

/* The first entries of sum become the step: H^-1 gradient, where the thresholds that are tied move alike. */
static void solve_step(const ordinal *o, bool any_tied, double *sum)
{
    int J = o->K - 1, n = any_tied ? join_tied(o, sum) : J;
    double scale = 0;
    for (int q = 0; q < n; q++) scale = fmax(scale, *entry(o, sum, q, q));
    for (int q = 0; q < n; q++) *entry(o, sum, q, q) += 1e-9 * scale + 1e-300;
    if (o->wide)
        solve_full(n, J, sum + J, scale, sum);
    else
        solve_tridiagonal(n, sum + J, sum + 2 * J, scale, sum);
    for (int q = J - 1, a = n - 1; any_tied && q >= 0; q--) {
        sum[q] = sum[a] + o->apart[q];
        a -= !o->tied[q];
    }
}

/* Ties what the step would bring too close: the distance that they give up is half of it, at most. */
static bool tie_more(ordinal *o, double step, const double *x)
{
    bool more = false;
    for (int q = 1; q < o->K - 1; q++) {
        double gap = o->t[q] - o->t[q - 1];
        if (o->tied[q] || !(gap - step * (x[q] - x[q - 1]) < LEAST_GAP)) continue;
        o->tied[q] = more = true;
        o->closing[q] = fmax(gap - fmax(LEAST_GAP, gap / 2), 0);
    }
    for (int q = 1; q < o->K - 1; q++) o->apart[q] = o->tied[q] ? o->apart[q - 1] + o->closing[q] : 0;
    return more;
}

double ordinal_step(ordinal *o, const double *sum, double *room)
{
    int J = o->K - 1;
    double largest, step;
    bool any_tied = false, more = true;
    memset(o->tied, 0, (size_t)J * sizeof *o->tied);
    while (more) {
        memcpy(room, sum, (size_t)ordinal_sums(o) * sizeof *room);
        solve_step(o, any_tied, room);
        largest = 0;
        for (int q = 0; q < J; q++) largest = fmax(largest, fabs(room[q]));
        step = largest > 1 ? 1 / largest : 1;
        more = tie_more(o, step, room);
        any_tied = any_tied || more;
    }
    for (int q = 0; q < J; q++) o->t[q] -= step * room[q];
    ordinal_set(o, o->t);
    return largest;
}

double nominal_norm(int K, const double *f, int64_t step)
{
    double most = f[0], sum = 0;
    for (int q = 1; q < K; q++) most = fmax(most, f[q * step]);
    for (int q = 0; q < K; q++) sum += exp(f[q * step] - most);
    return most + log(fmax(sum, DBL_MIN));
}
