/* SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

#include <R_ext/Rdynload.h>

SEXP r_alive(SEXP), r_session(SEXP, SEXP, SEXP, SEXP), r_outcome(SEXP), r_interrupt(void);
SEXP r_table(SEXP, SEXP, SEXP, SEXP, SEXP), r_encode(SEXP, SEXP, SEXP), r_labels(SEXP), r_uppers(SEXP);
SEXP r_read_labels(SEXP, SEXP, SEXP);
SEXP r_feature_names(SEXP);
SEXP r_generate(SEXP, SEXP, SEXP, SEXP, SEXP);
SEXP r_fit(SEXP, SEXP, SEXP), r_tune(SEXP, SEXP, SEXP), r_curve(SEXP, SEXP, SEXP);
SEXP r_bytes(SEXP, SEXP), r_model(SEXP, SEXP), r_save(SEXP, SEXP, SEXP), r_load(SEXP, SEXP), r_describe(SEXP, SEXP);
SEXP r_predict(SEXP, SEXP, SEXP, SEXP, SEXP, SEXP), r_info(SEXP);
SEXP r_metrics(SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP, SEXP);
SEXP r_coefficients(SEXP), r_thresholds(SEXP), r_linear_fit(SEXP), r_covariance(SEXP), r_column_tests(SEXP);
SEXP r_explain(SEXP, SEXP, SEXP, SEXP, SEXP, SEXP);
SEXP r_reliability(SEXP, SEXP, SEXP), r_suggest(SEXP, SEXP, SEXP), r_set_chosen(SEXP, SEXP, SEXP), r_classes(SEXP);
SEXP r_random(SEXP);
SEXP r_methods(void), r_default_method(SEXP), r_parameters(SEXP), r_number_text(SEXP);

#define ROUTINE(name, arguments)                                                                                       \
    {                                                                                                                  \
        "r_" #name, (DL_FUNC)&r_##name, arguments                                                                      \
    }

static const R_CallMethodDef routines[] = {
    ROUTINE(alive, 1),        ROUTINE(session, 4),
    ROUTINE(outcome, 1),      ROUTINE(interrupt, 0),
    ROUTINE(table, 5),        ROUTINE(encode, 3),
    ROUTINE(labels, 1),       ROUTINE(feature_names, 1),
    ROUTINE(generate, 5),     ROUTINE(fit, 3),
    ROUTINE(tune, 3),         ROUTINE(curve, 3),
    ROUTINE(bytes, 2),        ROUTINE(model, 2),
    ROUTINE(save, 3),         ROUTINE(load, 2),
    ROUTINE(describe, 2),     ROUTINE(predict, 6),
    ROUTINE(info, 1),         ROUTINE(metrics, 8),
    ROUTINE(methods, 0),      ROUTINE(default_method, 1),
    ROUTINE(parameters, 1),   ROUTINE(number_text, 1),
    ROUTINE(coefficients, 1), ROUTINE(thresholds, 1),
    ROUTINE(linear_fit, 1),   ROUTINE(explain, 6),
    ROUTINE(reliability, 3),  ROUTINE(suggest, 3),
    ROUTINE(set_chosen, 3),   ROUTINE(classes, 1),
    ROUTINE(uppers, 1),       ROUTINE(read_labels, 3),
    ROUTINE(covariance, 1),   ROUTINE(column_tests, 1),
    ROUTINE(random, 1),       {NULL, NULL, 0},
};

void R_init_rung(DllInfo *info)
{
    /* rung/experimental.h is that of one version */
    if (rung_version_number() != RUNG_VERSION_NUMBER)
        Rf_error("librung is version %s, but this package was built with %s: install the package again", rung_version(),
                 RUNG_VERSION);
    R_registerRoutines(info, NULL, routines, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
    R_forceSymbols(info, TRUE);
    session_loaded();
}
