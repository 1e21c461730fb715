// SPDX-License-Identifier: BSD-3-Clause
/* joint.c - the likelihood with any random terms by Laplace's approximation in all effects v together:
 *
 *     l = sum_i weight_i log p(y_i | f_i + a_i'v) - |v|^2 / 2 - log det H / 2     at the mode of the first two terms,
 *     H = I + sum_i weight_i W_i a_i a_i',   W = -d^2 log p / df^2,   a_i: Lambda_t' z_ti at the effects of its group
 *
 * H is as sparse as the groups of different terms rarely meet in a row; the term with most groups is eliminated first,
 * where H has nothing but blocks. The gradient needs H^-1 only at the entries that H has. With k_i = a_i'H^-1 a_i, the
 * score s_i and the third derivative c_i of log p in f_i,
 *
 *     r_i = weight_i c_i k_i / 2,   t = H^-1 sum_i r_i a_i      (the mode moves by H^-1 d(grad))
 *     dl/df_i = weight_i s_i + r_i - weight_i W_i a_i't =: D_i
 *     dl/dLambda_rc = sum_i z_ir (D_i v_c + weight_i s_i t_c - weight_i W_i (H^-1 a_i)_c)     over the row's group
 *
 * (Tierney, Kadane. Accurate approximations for posterior moments and marginal densities. Journal of the American
 * Statistical Association 81:82-86, 1986; for the sparse matrices Bates, Maechler, Bolker, Walker. Fitting linear
 * mixed-effects models using lme4. Journal of Statistical Software 67(1), 2015.) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method/mixed/factor.h"
#include "method/mixed/mixed.h"

enum { STEPS = 200, HALVINGS = 40, PAIRS = MIXED_TERMS * (MIXED_TERMS - 1) / 2 };

typedef struct {          /* groups of two terms that meet in a row */
    int a, b;             /* terms, a eliminated first */
    int64_t n;            /* pairs */
    int64_t *of;          /* rows: their pair */
    int64_t *one, *other; /* n: the groups */
    double *block;        /* q_b x q_a x n: of H, or of its inverse */
} meeting;

struct mixed_joint {
    const mixed_design *m;
    int64_t size;              /* of v */
    int order[MIXED_TERMS];    /* of elimination */
    int64_t base[MIXED_TERMS]; /* of each term in v */
    int place[MIXED_TERMS];    /* of its effects among those of a row */
    int width;                 /* effects of a row */
    double *own[MIXED_TERMS];  /* q x q x groups: blocks of H, or of its inverse */
    int n_pairs;
    meeting pair[PAIRS];
    factor *H;
    double *a;                /* width x rows */
    link_cubic *site;         /* rows */
    double *v, *trial, *step; /* size */
    const double *f, *b;      /* of the current call */
};

/* ---- the pattern ---- */

typedef struct {
    int64_t key, row;
} keyed;

static int by_key(const void *x, const void *y)
{
    const keyed *a = x, *b = y;
    return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : (a->row > b->row) - (a->row < b->row);
}

static rung_status meet(rung_ctx *ctx, const mixed_design *m, meeting *p)
{
    const mixed_term *a = &m->term[p->a], *b = &m->term[p->b];
    keyed *all = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, p->of, m->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, p->one, m->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, p->other, m->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, all, m->n));
    for (int64_t i = 0; i < m->n; i++) all[i] = (keyed){a->group[i] * b->n_groups + b->group[i], i};
    qsort(all, (size_t)m->n, sizeof *all, by_key);
    p->n = 0;
    for (int64_t k = 0; k < m->n; k++) {
        int64_t i = all[k].row;
        if (k == 0 || all[k].key != all[k - 1].key) {
            p->one[p->n] = a->group[i];
            p->other[p->n++] = b->group[i];
        }
        p->of[i] = p->n - 1;
    }
    pool_free(&ctx->scratch, all);
    return NEW(ctx, &ctx->scratch, p->block, p->n * a->q * b->q);
}

/* The rows of the columns of H below the diagonal; those of a group that its term meets are in the order of the
 * terms. */
static rung_status make_pattern(rung_ctx *ctx, mixed_joint *s)
{
    const mixed_design *m = s->m;
    int64_t *first = NULL, *row = NULL, at = 0, room = 0;
    for (int t = 0; t < m->n_terms; t++) room += m->term[t].n_groups * m->term[t].q * m->term[t].q;
    for (int k = 0; k < s->n_pairs; k++) room += s->pair[k].n * m->term[s->pair[k].a].q * m->term[s->pair[k].b].q;
    TRY(NEW(ctx, &ctx->scratch, first, s->size + 1));
    TRY(NEW_RAW(ctx, &ctx->scratch, row, room));
    for (int o = 0, at_column = 0; o < m->n_terms; o++) {
        int t = s->order[o];
        int64_t seen[PAIRS] = {0};
        for (int64_t g = 0; g < m->term[t].n_groups; g++) {
            int q = m->term[t].q;
            for (int c = 0; c < q; c++, at_column++) {
                for (int r = c + 1; r < q; r++) row[at++] = s->base[t] + g * q + r;
                for (int k = 0; k < s->n_pairs; k++) {
                    const meeting *p = &s->pair[k];
                    const mixed_term *other = &m->term[p->b];
                    for (int64_t x = seen[k]; p->a == t && x < p->n && p->one[x] == g; x++)
                        for (int r = 0; r < other->q; r++) row[at++] = s->base[p->b] + p->other[x] * other->q + r;
                }
                first[at_column + 1] = at;
            }
            for (int k = 0; k < s->n_pairs; k++)
                while (s->pair[k].a == t && seen[k] < s->pair[k].n && s->pair[k].one[seen[k]] == g) seen[k]++;
        }
    }
    return factor_new(ctx, s->size, first, row, &s->H);
}

rung_status mixed_joint_new(rung_ctx *ctx, const mixed_design *m, mixed_joint **out)
{
    mixed_joint *s = NULL;
    TRY(NEW(ctx, &ctx->scratch, s, 1));
    s->m = m;
    for (int t = 0; t < m->n_terms; t++) { /* most groups first */
        int o = t;
        for (; o > 0 && m->term[s->order[o - 1]].n_groups < m->term[t].n_groups; o--) s->order[o] = s->order[o - 1];
        s->order[o] = t;
    }
    for (int o = 0; o < m->n_terms; o++) {
        const mixed_term *t = &m->term[s->order[o]];
        s->base[s->order[o]] = s->size;
        s->place[s->order[o]] = s->width;
        s->size += t->n_groups * t->q;
        s->width += t->q;
        TRY(NEW(ctx, &ctx->scratch, s->own[s->order[o]], t->n_groups * t->q * t->q));
        for (int l = o + 1; l < m->n_terms; l++) {
            meeting *p = &s->pair[s->n_pairs++];
            *p = (meeting){.a = s->order[o], .b = s->order[l]};
            TRY(meet(ctx, m, p));
        }
    }
    TRY(make_pattern(ctx, s));
    TRY(NEW(ctx, &ctx->scratch, s->a, s->width * m->n));
    TRY(NEW(ctx, &ctx->scratch, s->site, m->n));
    TRY(NEW(ctx, &ctx->scratch, s->v, s->size));
    TRY(NEW(ctx, &ctx->scratch, s->trial, s->size));
    TRY(NEW(ctx, &ctx->scratch, s->step, s->size));
    *out = s;
    return RUNG_OK;
}

/* ---- the rows ---- */

static double z_of(const mixed_term *t, int64_t i, int r) { return t->z ? t->z[i * t->q + r] : 1; }

static void load_rows(mixed_joint *s, const double *lambda)
{
    const mixed_design *m = s->m;
    for (int t = 0; t < m->n_terms; t++) {
        const mixed_term *term = &m->term[t];
        const double *L = lambda + term->at - mixed_first_variance(m);
        for (int64_t i = 0; i < m->n; i++)
            for (int c = 0; c < term->q; c++) {
                double sum = 0;
                for (int r = c; r < term->q; r++) sum += z_of(term, i, r) * L[triangle(term->q, r, c)];
                s->a[i * s->width + s->place[t] + c] = sum;
            }
    }
}

/* Where the effects of term t that row i has are in v. */
static int64_t effects_of(const mixed_joint *s, int t, int64_t i)
{
    return s->base[t] + s->m->term[t].group[i] * s->m->term[t].q;
}

static double product(const mixed_joint *s, int64_t i, const double *v)
{
    double sum = 0;
    for (int t = 0; t < s->m->n_terms; t++) {
        const double *a = s->a + i * s->width + s->place[t], *at = v + effects_of(s, t, i);
        for (int c = 0; c < s->m->term[t].q; c++) sum += a[c] * at[c];
    }
    return sum;
}

static void add_row(const mixed_joint *s, int64_t i, double share, double *v)
{
    for (int t = 0; t < s->m->n_terms; t++) {
        const double *a = s->a + i * s->width + s->place[t];
        double *at = v + effects_of(s, t, i);
        for (int c = 0; c < s->m->term[t].q; c++) at[c] += share * a[c];
    }
}

static double score_of(const link_site *s) { return -(s->g1 + s->g2); }
static double weight_of(const link_site *s) { return -(s->h11 + 2 * s->h12 + s->h22); }

/* The sites at v, and what is maximised. */
static double look(mixed_joint *s, const double *v, bool cubic)
{
    const mixed_design *m = s->m;
    double sum = 0;
    for (int64_t i = 0; i < m->n; i++) {
        int low = m->y[i], high = highest_rank(m->y, m->upper, i);
        double f = s->f[i] + product(s, i, v);
        if (cubic)
            s->site[i] = link_cubic_of(m->link, f, low, high, m->K, s->b);
        else
            s->site[i].at = link_site_of(m->link, f, low, high, m->K, s->b);
        sum += row_weight(m, i) * s->site[i].at.lp;
    }
    for (int64_t k = 0; k < s->size; k++) sum -= v[k] * v[k] / 2;
    return sum;
}

/* ---- H ---- */

static void move_blocks(mixed_joint *s, bool into)
{
    const mixed_design *m = s->m;
    for (int t = 0; t < m->n_terms; t++) {
        int q = m->term[t].q;
        for (int64_t g = 0; g < m->term[t].n_groups; g++)
            for (int c = 0; c < q; c++)
                for (int r = c; r < q; r++) {
                    int64_t i = s->base[t] + g * q + r, j = s->base[t] + g * q + c;
                    double *own = s->own[t] + g * q * q;
                    if (into)
                        *factor_entry(s->H, i, j) = own[r + c * q];
                    else
                        own[r + c * q] = own[c + r * q] = factor_inverse(s->H, i, j);
                }
    }
    for (int k = 0; k < s->n_pairs; k++) {
        meeting *p = &s->pair[k];
        int qa = m->term[p->a].q, qb = m->term[p->b].q;
        for (int64_t x = 0; x < p->n; x++)
            for (int c = 0; c < qa; c++)
                for (int r = 0; r < qb; r++) {
                    int64_t i = s->base[p->b] + p->other[x] * qb + r, j = s->base[p->a] + p->one[x] * qa + c;
                    double *block = p->block + x * qa * qb + r + c * qb;
                    if (into)
                        *factor_entry(s->H, i, j) = *block;
                    else
                        *block = factor_inverse(s->H, i, j);
                }
    }
}

/* proper: with weights that are not negative, for a step upwards where the likelihood is not concave. */
static void add_blocks(mixed_joint *s, bool proper)
{
    const mixed_design *m = s->m;
    for (int t = 0; t < m->n_terms; t++) {
        int q = m->term[t].q;
        double *own = s->own[t];
        memset(own, 0, (size_t)(m->term[t].n_groups * q * q) * sizeof *own);
        for (int64_t g = 0; g < m->term[t].n_groups; g++)
            for (int c = 0; c < q; c++) own[g * q * q + c + c * q] = 1;
    }
    for (int k = 0; k < s->n_pairs; k++) {
        meeting *p = &s->pair[k];
        memset(p->block, 0, (size_t)(p->n * m->term[p->a].q * m->term[p->b].q) * sizeof *p->block);
    }
    for (int64_t i = 0; i < m->n; i++) {
        double w = row_weight(m, i) * weight_of(&s->site[i].at);
        const double *a = s->a + i * s->width;
        if (proper && w < 0) w = 0;
        for (int t = 0; t < m->n_terms; t++) {
            int q = m->term[t].q;
            double *own = s->own[t] + m->term[t].group[i] * q * q;
            const double *at = a + s->place[t];
            for (int c = 0; c < q; c++)
                for (int r = c; r < q; r++) own[r + c * q] += w * at[r] * at[c];
        }
        for (int k = 0; k < s->n_pairs; k++) {
            const meeting *p = &s->pair[k];
            int qa = m->term[p->a].q, qb = m->term[p->b].q;
            double *block = p->block + p->of[i] * qa * qb;
            const double *one = a + s->place[p->a], *other = a + s->place[p->b];
            for (int c = 0; c < qa; c++)
                for (int r = 0; r < qb; r++) block[r + c * qb] += w * other[r] * one[c];
        }
    }
}

static rung_status make_factor(rung_ctx *ctx, mixed_joint *s, bool proper, double *log_determinant)
{
    add_blocks(s, proper);
    factor_clear(s->H);
    move_blocks(s, true);
    return factor_make(ctx, s->H, log_determinant);
}

/* ---- the mode ---- */

/* v: the mode; the sites there. *value: what is maximised. */
static rung_status find_mode(rung_ctx *ctx, mixed_joint *s, double *value)
{
    double at = look(s, s->v, false), ignored;
    if (!isfinite(at)) {
        memset(s->v, 0, (size_t)s->size * sizeof *s->v);
        at = look(s, s->v, false);
    }
    for (int step = 0; step < STEPS && isfinite(at); step++) {
        double length = 1, next, largest = 0, slack = 1e-13 * fmax(1, fabs(at));
        for (int64_t k = 0; k < s->size; k++) s->step[k] = -s->v[k];
        for (int64_t i = 0; i < s->m->n; i++) add_row(s, i, row_weight(s->m, i) * score_of(&s->site[i].at), s->step);
        rung_status status = make_factor(ctx, s, false, &ignored);
        if (status == RUNG_ESINGULAR) status = make_factor(ctx, s, true, &ignored);
        TRY(status);
        TRY(factor_solve(ctx, s->H, s->step));
        for (int half = 0; half < HALVINGS; half++, length /= 2) {
            for (int64_t k = 0; k < s->size; k++) s->trial[k] = s->v[k] + length * s->step[k];
            next = look(s, s->trial, false);
            if (next >= at - slack) break;
        }
        for (int64_t k = 0; k < s->size; k++) {
            largest = fmax(largest, fabs(s->trial[k] - s->v[k]) / (1 + fabs(s->v[k])));
            s->v[k] = s->trial[k];
        }
        at = next;
        if (largest < 1e-7) break; /* the next step would be its square */
    }
    *value = look(s, s->v, true);
    return RUNG_OK;
}

/* ---- value and gradient ---- */

/* (H^-1 a_i) at the effects of row i, from the entries of H^-1. */
static void inverse_times_row(const mixed_joint *s, int64_t i, double out[MIXED_EFFECTS])
{
    const mixed_design *m = s->m;
    const double *a = s->a + i * s->width;
    for (int c = 0; c < s->width; c++) out[c] = 0;
    for (int t = 0; t < m->n_terms; t++) {
        int q = m->term[t].q;
        const double *own = s->own[t] + m->term[t].group[i] * q * q;
        for (int c = 0; c < q; c++)
            for (int r = 0; r < q; r++) out[s->place[t] + r] += own[r + c * q] * a[s->place[t] + c];
    }
    for (int k = 0; k < s->n_pairs; k++) {
        const meeting *p = &s->pair[k];
        int qa = m->term[p->a].q, qb = m->term[p->b].q;
        const double *block = p->block + p->of[i] * qa * qb;
        for (int c = 0; c < qa; c++)
            for (int r = 0; r < qb; r++) {
                out[s->place[p->b] + r] += block[r + c * qb] * a[s->place[p->a] + c];
                out[s->place[p->a] + c] += block[r + c * qb] * a[s->place[p->b] + r];
            }
    }
}

static void slopes_of_row(const mixed_joint *s, int64_t i, const double *t, mixed_slopes *out)
{
    const mixed_design *m = s->m;
    double Pa[MIXED_EFFECTS], k = 0, w = row_weight(m, i), at = product(s, i, t);
    const double *a = s->a + i * s->width;
    const link_cubic *c = &s->site[i];
    inverse_times_row(s, i, Pa);
    for (int e = 0; e < s->width; e++) k += a[e] * Pa[e];
    double score = w * score_of(&c->at), bend = w * weight_of(&c->at),
           third = -w * (c->t111 + 3 * c->t112 + 3 * c->t122 + c->t222);
    out->f[i] = score + third * k / 2 - bend * at;
    out->high[i] = w * (c->at.g1 + k / 2 * (c->t111 + 2 * c->t112 + c->t122) - at * (c->at.h11 + c->at.h12));
    out->low[i] = w * (c->at.g2 + k / 2 * (c->t112 + 2 * c->t122 + c->t222) - at * (c->at.h22 + c->at.h12));
    for (int l = 0; l < m->n_terms; l++) {
        const mixed_term *term = &m->term[l];
        double *to = out->lambda + term->at - mixed_first_variance(m);
        int64_t first = effects_of(s, l, i);
        for (int e = 0; e < term->q; e++)
            for (int r = e; r < term->q; r++)
                to[triangle(term->q, r, e)] += z_of(term, i, r) * (out->f[i] * s->v[first + e] + score * t[first + e] -
                                                                   bend * Pa[s->place[l] + e]);
    }
}

rung_status mixed_joint_at(rung_ctx *ctx, mixed_joint *s, const double *f, const double *b, const double *lambda,
                           mixed_slopes *out)
{
    const mixed_design *m = s->m;
    double value, log_determinant, *t = s->step;
    s->f = f;
    s->b = b;
    out->value = -INFINITY;
    load_rows(s, lambda);
    memset(out->lambda, 0, (size_t)(m->size - mixed_first_variance(m)) * sizeof *out->lambda);
    TRY(find_mode(ctx, s, &value));
    if (!isfinite(value)) return RUNG_OK;
    rung_status status = make_factor(ctx, s, false, &log_determinant);
    if (status == RUNG_ESINGULAR) return RUNG_OK;
    TRY(status);
    TRY(factor_invert(ctx, s->H));
    move_blocks(s, false);
    memset(t, 0, (size_t)s->size * sizeof *t);
    for (int64_t i = 0; i < m->n; i++) {
        double Pa[MIXED_EFFECTS], k = 0;
        const link_cubic *c = &s->site[i];
        inverse_times_row(s, i, Pa);
        for (int e = 0; e < s->width; e++) k += s->a[i * s->width + e] * Pa[e];
        add_row(s, i, -row_weight(m, i) * (c->t111 + 3 * c->t112 + 3 * c->t122 + c->t222) * k / 2, t);
    }
    TRY(factor_solve(ctx, s->H, t));
    for (int64_t i = 0; i < m->n; i++) slopes_of_row(s, i, t, out);
    out->value = value - log_determinant / 2;
    return RUNG_OK;
}

void mixed_joint_modes(const mixed_joint *s, int term, double *v, double *covariance)
{
    const mixed_term *t = &s->m->term[term];
    memcpy(v, s->v + s->base[term], (size_t)(t->n_groups * t->q) * sizeof *v);
    memcpy(covariance, s->own[term], (size_t)(t->n_groups * t->q * t->q) * sizeof *v);
}
