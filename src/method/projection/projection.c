// SPDX-License-Identifier: BSD-3-Clause
#include "method/projection/projection.h"

#include <string.h>

#include "fit/verify.h"
#include "method/discriminant/discriminant.h"
#include "method/projection/tensor.h"

static const double SPAN_CUT = 1e-12; /* of the largest eigenvalue: what is below is not in the span of the rows */

/* ---- coordinates ---- */

/* T = C back' with C = V sqrt(lambda) from T T' = V lambda V'. */
rung_status row_space_span(rung_ctx *ctx, row_space *s)
{
    int64_t n = la_rows(s->T), d = la_cols(s->T), r = 0, *first = NULL;
    double *values = NULL, *root = NULL, *inverse = NULL;
    la_mat *G = NULL, *all = NULL, *C = NULL;
    TRY(NEW(ctx, &ctx->scratch, values, n));
    TRY(NEW(ctx, &ctx->scratch, root, n));
    TRY(NEW(ctx, &ctx->scratch, inverse, n));
    TRY(NEW(ctx, &ctx->scratch, first, n));
    TRY(la_new(ctx, &ctx->scratch, n, n, &G));
    TRY(la_new(ctx, &ctx->scratch, n, n, &all));
    TRY(la_syrk(ctx, false, 1, s->T, 0, G));
    TRY(la_eigen(ctx, G, n, values, all));
    la_free(&ctx->scratch, G);
    while (r < n && values[r] > SPAN_CUT * values[0]) r++;
    if (r == 0) r = 1; /* all rows are equal: a single coordinate, 0 */
    for (int64_t j = 0; j < r; j++) {
        first[j] = j;
        root[j] = values[j] > 0 ? sqrt(values[j]) : 0;
        inverse[j] = root[j] > 0 ? 1 / root[j] : 0;
    }
    TRY(la_new(ctx, &ctx->scratch, n, r, &C));
    TRY(la_new(ctx, &ctx->scratch, d, r, &s->back));
    TRY(la_gather(ctx, all, NULL, first, C));
    la_free(&ctx->scratch, all);
    TRY(la_gemm(ctx, true, false, 1, s->T, C, 0, s->back));
    TRY(la_scale(ctx, NULL, inverse, s->back));
    TRY(la_scale(ctx, NULL, root, C));
    la_free(&ctx->scratch, s->T);
    s->T = C;
    return RUNG_OK;
}

rung_status row_space_new(rung_ctx *ctx, const problem *p, bool span, row_space *out)
{
    la_mat *X = NULL;
    *out = (row_space){0};
    TRY(la_new(ctx, &ctx->scratch, p->n, p->d, &out->T));
    TRY(la_new(ctx, &ctx->scratch, p->d, p->n, &X));
    la_put(p->X, X);
    TRY(la_transpose(ctx, X, out->T));
    la_free(&ctx->scratch, X);
    TRY(la_centre(ctx, LA_CENTRE_COLUMNS, out->T));
    return span && p->d > p->n ? row_space_span(ctx, out) : RUNG_OK;
}

rung_status row_space_directions(rung_ctx *ctx, const row_space *s, int64_t m, const double *V, double *W)
{
    if (s->back) return la_mul(ctx, 1, s->back, m, V, 0, W);
    memcpy(W, V, (size_t)(la_cols(s->T) * m) * sizeof *W);
    return RUNG_OK;
}

rung_status centre_rows(rung_ctx *ctx, const double *weight, la_mat *T)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t n = la_rows(T);
    double *share = NULL, *one = NULL, total = 0;
    la_mat *shares = NULL, *ones = NULL, *mean = NULL;
    for (int64_t i = 0; i < n; i++) total += weight[i];
    if (!(total > 0)) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, share, n));
    TRY(NEW(ctx, &ctx->scratch, one, n));
    for (int64_t i = 0; i < n; i++) {
        share[i] = weight[i] / total;
        one[i] = 1;
    }
    TRY(la_new(ctx, &ctx->scratch, n, 1, &shares));
    TRY(la_new(ctx, &ctx->scratch, n, 1, &ones));
    TRY(la_new(ctx, &ctx->scratch, 1, la_cols(T), &mean));
    la_put(share, shares);
    la_put(one, ones);
    TRY(la_gemm(ctx, true, false, 1, shares, T, 0, mean));
    TRY(la_gemm(ctx, false, false, -1, ones, mean, 1, T));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- the eigenproblem ---- */

rung_status ridge_denominator(rung_ctx *ctx, const la_mat *A, bool cancels, double ridge, double d, la_mat *B)
{
    static const double ROUNDING = 1e-13; /* of terms that were subtracted, summed over the rows */
    double trace = la_trace(B);
    bool nothing = !(trace > (cancels ? ROUNDING * la_trace(A) : 0));
    if (nothing) TRY(la_scale_add(ctx, 0, A, 0, B));
    la_add_diagonal(B, nothing ? 1 : ridge * trace / d, NULL);
    return RUNG_OK;
}

rung_status top_directions(rung_ctx *ctx, la_mat *A, la_mat *B, double ridge, int64_t r, double *values, double *V)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t c = la_rows(A);
    la_mat *reduced = NULL, *vectors = NULL;
    rung_status status = la_potrf(ctx, B);
    if (status == RUNG_ESINGULAR)
        return set_error(ctx, status, "the denominator of the projection is singular with ridge=%g; use a larger ridge",
                         ridge);
    TRY(status);
    TRY(la_new(ctx, &ctx->scratch, c, c, &reduced));
    TRY(la_new(ctx, &ctx->scratch, c, r, &vectors));
    TRY(la_trsm(ctx, B, false, A)); /* L^-1 A L^-T, the transposed of a half of it at a time */
    TRY(la_transpose(ctx, A, reduced));
    TRY(la_trsm(ctx, B, false, reduced));
    TRY(la_eigen(ctx, reduced, r, values, vectors));
    TRY(la_trsm(ctx, B, true, vectors));
    la_get(vectors, V);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- from directions to a fit ---- */

typedef struct { /* of the labelled rows, with their weights */
    double mean_f, mean_y, cov, var;
    bool unrelated; /* f has nothing to do with the ranks: cov is a rounding error */
} moments;

/* Output o of r: f has those of a row side by side. */
static moments labelled_moments(const problem *p, int r, int o, const double *f)
{
    moments m = {0};
    double total = 0, var_y = 0, size = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double w = !p->y[i] ? 0 : p->w ? p->w[i] : 1;
        total += w;
        m.mean_f += w * f[i * r + o];
        m.mean_y += w * p->y[i];
    }
    m.mean_f /= total;
    m.mean_y /= total;
    for (int64_t i = 0; i < p->n; i++) {
        double w = !p->y[i] ? 0 : p->w ? p->w[i] : 1, df = f[i * r + o] - m.mean_f, dy = p->y[i] - m.mean_y;
        m.var += w * df * df;
        m.cov += w * df * dy;
        var_y += w * dy * dy;
        size = fmax(size, fabs(f[i * r + o]));
    }
    m.unrelated = !(fabs(m.cov) > 1e-12 * sqrt(fmax(m.var, total * size * size) * var_y));
    return m;
}

/* 1: f increases with the rank (or there are no ranks, or f says nothing of them, and the largest entry of w is
 * positive); -1: its sign must change. */
static double sense(const problem *p, int r, int o, const double *f, const double *w)
{
    int64_t largest = 0;
    moments m = p->K > 1 ? labelled_moments(p, r, o, f) : (moments){.unrelated = true};
    if (!m.unrelated) return m.cov < 0 ? -1 : 1;
    for (int64_t j = 1; j < p->d; j++)
        if (fabs(w[j]) > fabs(w[largest])) largest = j;
    return w[largest] < 0 ? -1 : 1;
}

/* The class means need not be in order, so the rank scale is the line that predicts ranks from f best. */
static rung_status regression_map(rung_ctx *ctx, pool *mem, const problem *p, const double *f, rank_map *out)
{
    moments m = labelled_moments(p, 1, 0, f);
    double step = m.unrelated || !(m.cov > 0) || !isfinite(m.var / m.cov) ? 0 : m.var / m.cov, *node = NULL;
    TRY(NEW(ctx, &ctx->scratch, node, p->K));
    TRY(NEW(ctx, mem, out->f, p->K));
    TRY(NEW(ctx, mem, out->s, p->K));
    for (int q = 0; q < p->K; q++) {
        out->s[q] = q + 1;
        node[q] = m.mean_f + (q + 1 - m.mean_y) * step;
    }
    rank_map_of_means(p->K, node, 0, out);
    return RUNG_OK;
}

/* f: outputs x n, those of a row are contiguous. */
static rung_status grade(rung_ctx *ctx, pool *mem, const problem *p, int r, const double *f, fitted *out)
{
    class_index classes;
    double *means = NULL, *one = NULL, *mean = NULL;
    TRY(class_index_new(ctx, &ctx->scratch, p, &classes));
    TRY(NEW(ctx, &ctx->scratch, means, p->K * r));
    TRY(NEW(ctx, &ctx->scratch, mean, p->K));
    TRY(NEW(ctx, &ctx->scratch, one, p->n));
    for (int o = 0; o < r; o++) {
        for (int64_t i = 0; i < p->n; i++) one[i] = f[i * r + o];
        class_means(&classes, p->w, one, mean);
        for (int q = 0; q < p->K; q++) means[o + q * r] = mean[q];
    }
    if (r == 1 && p->K > 1) TRY(regression_map(ctx, mem, p, f, &out->own.map));
    TRY(nearest_mean_decision(ctx, mem, p->K, r, means, &out->own.decide));
    return report_list(ctx, mem, out, "means", p->K * r, means);
}

rung_status projection_finish(rung_ctx *ctx, pool *mem, const problem *p, int r, const double *W, const double *values,
                              bool *flipped, fitted *out)
{
    double *f = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, f, p->n * r));
    TRY(linear_scorer(ctx, mem, p, r, W, NULL, &out->own.score));
    TRY(scorer_apply(ctx, &out->own.score, p->n, p->X, f));
    for (int o = 0; o < r; o++) {
        double sign = sense(p, r, o, f, W + o * p->d);
        for (int64_t j = 0; j < p->d; j++) out->own.score.coef[j + o * p->d] *= sign;
        for (int64_t i = 0; i < p->n; i++) f[i * r + o] *= sign;
        if (flipped) flipped[o] = sign < 0;
    }
    out->n_expansion = p->d;
    TRY(report_list(ctx, mem, out, "eigenvalues", r, values));
    return p->K > 0 ? grade(ctx, mem, p, r, f, out) : RUNG_OK;
}

/* ---- vector methods ---- */

/* Z = T'F */
static rung_status form(rung_ctx *ctx, const la_mat *T, const la_mat *F, la_mat **out)
{
    TRY(la_new(ctx, &ctx->scratch, la_cols(T), la_cols(T), out));
    return la_gemm(ctx, true, false, 1, T, F, 0, *out);
}

static pair_maker *maker_of(const method *m) { return ((const projection_variant *)m->variant)->pair; }

rung_status projection_fit(rung_ctx *ctx, pool *mem, const fit_input *in, fitted *out)
{
    problem *p = in->p;
    const projection_params *params = in->params;
    row_space s;
    la_mat *A = NULL, *B = NULL;
    double *values = NULL, *V = NULL, *W = NULL, norm = 0;
    int r = params->components;
    TRY(row_space_new(ctx, p, true, &s));
    int64_t c = la_cols(s.T);
    if (r > c)
        return set_error(ctx, RUNG_EARG, "components=%d, but the %lld rows of %lld columns span only %lld dimensions",
                         r, (long long)p->n, (long long)p->d, (long long)c);
    projection_pair pair = {.T = s.T};
    TRY(maker_of(in->method)(ctx, p, params, &pair));
    TRY(form(ctx, pair.T, pair.N, &A));
    TRY(form(ctx, pair.T, pair.R, &B));
    TRY(NEW(ctx, &ctx->scratch, values, r));
    TRY(NEW(ctx, &ctx->scratch, V, c * r));
    TRY(NEW(ctx, &ctx->scratch, W, p->d * r));
    TRY(ridge_denominator(ctx, A, pair.cancels, params->ridge, varying_columns(p), B));
    TRY(top_directions(ctx, A, B, params->ridge, r, values, V));
    TRY(row_space_directions(ctx, &s, r, V, W));
    for (int64_t j = 0; j < p->d; j++) norm += W[j] * W[j];
    norm = sqrt(norm);
    for (int64_t j = 0; j < p->d && r == 1 && norm > 0; j++) W[j] /= norm;
    return projection_finish(ctx, mem, p, r, W, values, NULL, out);
}

/* C = A v for the columns of v. */
static rung_status times(rung_ctx *ctx, const la_mat *A, int64_t m, const double *v, double **out)
{
    TRY(pool_alloc(ctx, &ctx->scratch, la_rows(A) * m, sizeof **out, "a product", (void **)out));
    return la_mul(ctx, 1, A, m, v, 0, *out);
}

typedef struct {
    la_mat *A, *B;
    double *V; /* c x outputs: the directions in their coordinates */
    double d;  /* what the ridge divides the trace by */
    bool cancels;
} eigen_forms;

/* Of a vector method: in the span of the rows. */
static rung_status vector_forms(rung_ctx *ctx, const struct verification *v, eigen_forms *out)
{
    const scorer *s = &v->model->members->score;
    row_space space;
    la_mat *turned = NULL;
    TRY(row_space_new(ctx, v->p, true, &space));
    projection_pair pair = {.T = space.T};
    TRY(maker_of(v->method)(ctx, v->p, v->params, &pair));
    TRY(form(ctx, pair.T, pair.N, &out->A));
    TRY(form(ctx, pair.T, pair.R, &out->B));
    out->d = varying_columns(v->p);
    out->cancels = pair.cancels;
    out->V = s->coef;
    if (!space.back) return RUNG_OK;
    TRY(la_new(ctx, &ctx->scratch, la_cols(space.T), v->p->d, &turned));
    TRY(la_transpose(ctx, space.back, turned));
    return times(ctx, turned, s->outputs, s->coef, &out->V);
}

/* Of a tensor method: those of the last mode, which was improved last. */
static rung_status last_mode_forms(rung_ctx *ctx, const struct verification *v, eigen_forms *out)
{
    const projection_params *params = v->params;
    row_space space;
    tensor t;
    tensor_forms forms;
    la_mat *seen[TENSOR_FORMS];
    double off;
    TRY(row_space_new(ctx, v->p, false, &space));
    projection_pair pair = {.T = space.T};
    TRY(maker_of(v->method)(ctx, v->p, params, &pair));
    const la_mat *F[TENSOR_FORMS] = {pair.N, pair.R};
    TRY(tensor_forms_new(ctx, pair.T, TENSOR_FORMS, F, &forms));
    TRY(tensor_told(ctx, v, params->shape, &t, &off));
    condition_add(v->found, "product", "direction against the product of the modes, relative", off, 1e-12);
    TRY(tensor_mode(ctx, &t, &forms, t.modes - 1, NULL, seen));
    *out = (eigen_forms){seen[0], seen[1], t.w[t.modes - 1], tensor_share(v->p, &t, t.modes - 1), pair.cancels};
    return RUNG_OK;
}

/* The largest entry of |A| |w| + |lambda| |B| |w|: the size of A w - lambda B w if nothing cancelled. */
static rung_status size_of_terms(rung_ctx *ctx, const eigen_forms *e, const double *w, double lambda, double *size)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int64_t c = la_rows(e->A);
    double *A = NULL, *B = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, A, c * c));
    TRY(NEW_RAW(ctx, &ctx->scratch, B, c * c));
    la_get(e->A, A);
    la_get(e->B, B);
    *size = 0;
    for (int64_t i = 0; i < c; i++) {
        double sum = 0; /* both are symmetric */
        for (int64_t j = 0; j < c; j++) sum += (fabs(A[j + i * c]) + fabs(lambda * B[j + i * c])) * fabs(w[j]);
        *size = fmax(*size, sum);
    }
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* A w = lambda B w, and lambda B - A (lambda the first one, and a little) is positive definite: none is larger. */
rung_status projection_verify(rung_ctx *ctx, const struct verification *v)
{
    const projection_params *params = v->params;
    int r = v->model->members->score.outputs;
    const double *values = told_list(v->model, "eigenvalues", r);
    eigen_forms e = {0};
    static const double ZERO = 1e-9; /* of |B w|: an eigenvalue below it is 0, where no direction parts the classes */
    double *AV = NULL, *BV = NULL, worst = 0;
    if (!values) return set_error(ctx, RUNG_EARG, "verify: the model does not report its eigenvalues");
    TRY(params->shape ? last_mode_forms(ctx, v, &e) : vector_forms(ctx, v, &e));
    int64_t c = la_rows(e.A);
    TRY(ridge_denominator(ctx, e.A, e.cancels, params->ridge, e.d, e.B));
    TRY(times(ctx, e.A, r, e.V, &AV));
    TRY(times(ctx, e.B, r, e.V, &BV));
    for (int o = 0; o < r; o++) {
        double least;
        TRY(size_of_terms(ctx, &e, e.V + o * c, values[o], &least));
        for (int64_t j = 0; j < c; j++) {
            least = fmax(least, ZERO * fabs(BV[j + o * c]));
            BV[j + o * c] *= -values[o];
        }
        worst = fmax(worst, relative_residual(c, 2, (const double *const[]){AV + o * c, BV + o * c}, least));
    }
    condition_add(v->found, "eigenpairs", "residual of A w = lambda B w, relative, worst component", worst, 1e-6);
    TRY(la_scale_add(ctx, -1, e.A, values[0] * (1 + 1e-6) + 1e-12, e.B));
    rung_status status = la_potrf(ctx, e.B);
    if (status != RUNG_OK && status != RUNG_ESINGULAR) return status;
    condition_add(v->found, "leading", "directions with a larger eigenvalue than the first one", status != RUNG_OK, 0);
    return RUNG_OK;
}

rung_status projection_prepare(rung_ctx *ctx, const fit_input *in)
{
    problem_space space = {.kind = SPACE_INPUT};
    neighbours nb;
    return problem_neighbours(ctx, in->p, &space, ((const projection_params *)in->params)->neighbours, &nb);
}

/* ---- memory ---- */

/* The search, or coordinates and what is made of them: numerator, denominator, graph; the forms and their eigenproblem;
 * for tensors the factors on the host and the subproblem of the longest mode. */
double linear_fit_bytes(const fit_size *s)
{
    double small = fmin(s->n, s->d), square = s->longest > 0 ? s->longest : small;
    if (s->span && s->longest > small) square = small;
    double forms = 3 * s->n * s->d + 11 * s->n * s->k + s->squares * s->n * s->n + 2 * s->forms * square * square;
    if (s->longest > 0) forms += (1 + s->forms) * small * s->d + 3 * small * s->longest;
    if (s->span && s->longest > small) forms += 2 * small * s->longest + 3 * small * small; /* the span of the rows */
    double search = s->k > 0 ? s->n * s->d + graph_bytes(s->n, s->d, s->k, s->threads) / 8 : 0;
    return 8 * (s->copies * s->n * s->d + s->n * (2 * s->K + 10) + fmax(search, forms));
}

double projection_bytes(const problem_shape *shape, const void *params_)
{
    const projection_params *params = params_;
    const projection_variant *variant = shape->method->variant;
    bool graph = params->neighbours > 0;
    double n = (double)(graph ? shape->n : shape->labelled);
    fit_size s = {.n = n,
                  .d = (double)shape->d,
                  .copies = graph ? 1 + (double)shape->labelled / n : 1,
                  .k = fmin(params->neighbours, n),
                  .squares = variant->squares,
                  .forms = 2,
                  .longest = variant->modes ? tensor_longest(params->shape, shape->d) : 0,
                  .span = true,
                  .K = shape->K,
                  .threads = shape->threads};
    return linear_fit_bytes(&s);
}
