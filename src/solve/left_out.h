// SPDX-License-Identifier: BSD-3-Clause
/* Leave-one-out residuals of a linear smoother f = H t from its residuals r = t - f: a row left out has r / (1 - h), h
 * = H_ii. Equal rows are left out together: each has a share of the smoother in proportion to its weight, H_ij = h_j,
 * and row i of them has r_i + sum_j h_j r_j / (1 - sum_j h_j). */
#ifndef RUNG_SOLVE_LEFT_OUT_H
#define RUNG_SOLVE_LEFT_OUT_H

#include "data/row_groups.h"

/* In place: row i stands at residual[i * stride]. rest: 1 - h of each row; residuals are not multiplied by roots of
 * weights. Denominators are at least `floor`. together: equal rows; NULL: every row separately. */
void left_out_residuals(const row_groups *together, int64_t n, const double *rest, double floor, int64_t stride,
                        double *residual);

#endif
