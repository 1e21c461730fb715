// SPDX-License-Identifier: BSD-3-Clause
/* The linear order-constrained problem of ORML, in coordinates or seen by one mode of a tensor:
 *
 *     minimise  w'M w - C rho   subject to  w'(m_{q+1} - m_q) >= rho,  q = 1..K-1
 *
 * Solution w = 1/2 M^+ D a with D the differences of the means and a = argmin a'D'M^+D a on the simplex of sum C; then
 * the value is -1/4 a'D'M^+D a (Liu, Liu, Chan, AAAI 2011, eq. 4-7). */
#ifndef RUNG_METHOD_PROJECTION_ORDERED_QP_H
#define RUNG_METHOD_PROJECTION_ORDERED_QP_H

#include "method/discriminant/discriminant.h"
#include "method/projection/projection.h"

typedef struct {
    double *w;       /* given: room for c numbers */
    double *alpha;   /* given: room for K - 1 */
    double value;    /* 0 where degenerate */
    bool degenerate; /* no direction orders the means: w points from the first to the last */
} ordered_qp_solution;

/* M (c x c) is destroyed. ridge > 0: M + ridge tr(M)/d I; 0: the pseudo-inverse, without eigenvalues below 1e-10 of the
 * largest. M = 0 counts as I. D is c x (K-1). */
rung_status ordered_qp_solve(rung_ctx *ctx, la_mat *M, const discriminant_params *params, double d, int K,
                             const double *D, ordered_qp_solution *out);

/* LT = L T, T (n x c) being all rows in coordinates. If only equal rows are connected it is exactly 0. */
rung_status laplacian_rows(rung_ctx *ctx, const la_csr *L, const la_mat *T, la_mat *LT);
/* Ed (n x (K-1)): column q is 1/n_{q+1} on class q+1 and -1/n_q on class q. */
void class_contrasts(const problem *p, const class_index *classes, double *Ed);
/* D (c x (K-1)) = T'Ed: differences of the class means, T (n x c) being all rows in coordinates. */
rung_status mean_differences(rung_ctx *ctx, const problem *p, const class_index *classes, const la_mat *T, double *D);

/* From the scores f of the rows (NULL: those of the scorer of `out`) to class means and the quantities that follow from
 * them; a score equal to a threshold belongs to the upper class. */
rung_status ordered_qp_finish(rung_ctx *ctx, pool *mem, const problem *p, const discriminant_params *params,
                              const class_index *classes, const ordered_qp_solution *s, const double *f, fitted *out);

/* For verify.h: w against (M + e I) w = D a / 2, e = ridge tr(M) / d, a the reported multipliers; ridge = 0: against M
 * (M w - D a / 2) = 0, the pseudo-inverse. longest: of the rows whose means D are the differences of. */
rung_status ordered_qp_stationarity(rung_ctx *ctx, const struct verification *v, const discriminant_params *params,
                                    const la_mat *M, double d, const double *D, double longest, const double *w);
double longest_row(int64_t n, int64_t d, const double *X);
/* The same of the linear direction of the model and M = T'L T, T the rows. */
rung_status ordered_qp_linear_verify(rung_ctx *ctx, const struct verification *v, const discriminant_params *params,
                                     const la_csr *L);

fit_size orml_size(const problem_shape *shape, int neighbours, int calibrate);

/* T has the members `int neighbours` and `discriminant_params d`. */
#define ORDINAL_GRAPH_PARAM(T)                                                                                         \
    PARAM(T, neighbours, .name = "neighbours",                                                                         \
          .help = "number of nearest rows, by distance times rank difference plus 1; mutual neighbours are connected", \
          .type = RUNG_TYPE_INT, .default_value = "10", .published = "10", .low = 1, .high = 1000000)

#define ORML_PARAMS(T)                                                                                                 \
    PARAM(T, d.ridge, .name = "ridge",                                                                                 \
          .help = "amount added to the graph term, relative to its trace divided by the number of varying columns "    \
                  "(kernels: rows); kernel=linear: 0 uses the pseudo-inverse",                                         \
          .type = RUNG_TYPE_REAL, .default_value = "0.1", .published = "0", .low = 0, .high = HUGE_VAL,                \
          .flags = RUNG_PARAM_LOG | RUNG_PARAM_SMOOTH_UP, .grid = "1,0.1,0.01,0.001,0.0001"),                          \
        PARAM(T, d.thresholds, .name = "thresholds",                                                                   \
              .help = "fitted to out-of-fold scores, midpoints of the projected class means, or weighted by the "      \
                      "class sizes",                                                                                   \
              .type = RUNG_TYPE_CHOICE, .default_value = "recalibrated", .published = "weighted",                      \
              .choices = "recalibrated|midpoint|weighted"),                                                            \
        PARAM(T, d.C, .name = "C",                                                                                     \
              .help = "weight of the margin between adjacent class means; scales score and thresholds, never changes " \
                      "a rank",                                                                                        \
              .type = RUNG_TYPE_REAL, .default_value = "1", .published = "1", .low = 0, .high = HUGE_VAL,              \
              .flags = RUNG_PARAM_OPEN_LOW | RUNG_PARAM_LOG | RUNG_PARAM_NO_EFFECT)

#endif
