/* SPDX-License-Identifier: BSD-3-Clause */
/* The random effects of a mixed model. */
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME = 512 };

static double or_na(double x) { return isnan(x) ? NA_REAL : x; }

/* As coefficients are called: the column, and the category behind it. */
static SEXP effect_name(const rung_model *m, const rung_random_effect *e)
{
    char text[2 * NAME];
    if (e->column < 0) return Rf_mkChar("(Intercept)");
    const char *category = e->category < 0 ? "" : rung_model_category(m, e->column, e->category);
    snprintf(text, sizeof text, "%s%s", rung_model_column(m, e->column, NULL), category);
    return text_utf8(text);
}

static SEXP one_term(const rung_model *m, int term, const rung_random_term *t)
{
    const char *names[] = {"name", "effects", "sd", "low", "high", "correlation", "chisq", "df", "p", "groups",
                           "modes", "errors", ""};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
    int q = t->effects, n = (int)t->groups;
    char text[NAME];
    double *mode = (double *)R_alloc((size_t)q, sizeof *mode), *error = (double *)R_alloc((size_t)q, sizeof *error);
    rung_random_effect e = {.size = sizeof e};
    rung_model_random_name(m, term, text, sizeof text);
    SET_VECTOR_ELT(out, 0, Rf_ScalarString(text_utf8(text)));
    SET_VECTOR_ELT(out, 1, Rf_allocVector(STRSXP, q));
    for (int k = 2; k < 5; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(REALSXP, q));
    SET_VECTOR_ELT(out, 5, Rf_allocMatrix(REALSXP, q, q));
    SET_VECTOR_ELT(out, 6, Rf_ScalarReal(or_na(t->chi2)));
    SET_VECTOR_ELT(out, 7, Rf_ScalarInteger(t->df));
    SET_VECTOR_ELT(out, 8, Rf_ScalarReal(or_na(t->p)));
    SET_VECTOR_ELT(out, 9, Rf_allocVector(STRSXP, n));
    for (int k = 10; k < 12; k++) SET_VECTOR_ELT(out, k, Rf_allocMatrix(REALSXP, n, q));
    for (int r = 0; r < q; r++) {
        rung_model_random_effect(m, term, r, &e);
        SET_STRING_ELT(VECTOR_ELT(out, 1), r, effect_name(m, &e));
        REAL(VECTOR_ELT(out, 2))[r] = e.sd;
        REAL(VECTOR_ELT(out, 3))[r] = or_na(e.sd_low);
        REAL(VECTOR_ELT(out, 4))[r] = or_na(e.sd_high);
        for (int c = 0; c < q; c++)
            REAL(VECTOR_ELT(out, 5))
            [r + c * q] = r == c ? 1 : or_na(rung_model_random_correlation(m, term, r, c, NULL, NULL));
    }
    for (int g = 0; g < n; g++) {
        rung_model_random_group(m, term, g, text, sizeof text, mode, error);
        SET_STRING_ELT(VECTOR_ELT(out, 9), g, text_utf8(text));
        for (int r = 0; r < q; r++) {
            REAL(VECTOR_ELT(out, 10))[g + (R_xlen_t)r * n] = mode[r];
            REAL(VECTOR_ELT(out, 11))[g + (R_xlen_t)r * n] = error[r];
        }
    }
    UNPROTECT(1);
    return out;
}

/* A list of the terms; empty: there are none. */
SEXP r_random(SEXP handle)
{
    const rung_model *m = handle_get(handle);
    rung_random_term t = {.size = sizeof t};
    int n = 0;
    while (rung_model_random_term(m, n, &t)) n++;
    SEXP out = PROTECT(Rf_allocVector(VECSXP, n));
    for (int i = 0; i < n; i++) {
        rung_model_random_term(m, i, &t);
        SET_VECTOR_ELT(out, i, one_term(m, i, &t));
    }
    UNPROTECT(1);
    return out;
}
