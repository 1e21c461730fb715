// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNG_SOLVE_CHI_SQUARE_H
#define RUNG_SOLVE_CHI_SQUARE_H

/* P(X >= x) for a chi-squared X with df degrees of freedom; with none, X is 0. */
double chi_square_above(double x, int df);

#endif
