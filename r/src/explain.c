/* SPDX-License-Identifier: BSD-3-Clause */
/* Coefficients, and the reports that explain a model. */
#include "data.h"

#include <stdio.h>
#include <string.h>

static void text_release(void *text) { rung_free(text); }

static const char *const numbers[] = {"value", "error", "z", "p"};

static void put_numbers(SEXP out, int row, const rung_coefficient *c)
{
    const double values[] = {c->value, c->error, c->z, c->p};
    for (int k = 0; k < 4; k++) REAL(VECTOR_ELT(out, 2 + k))[row] = values[k] == values[k] ? values[k] : NA_REAL;
}

/* A data frame in the making: column and category (or the class below and above), value, error, z, p. */
static SEXP coefficient_list(int n)
{
    const char *names[] = {"column", "part", numbers[0], numbers[1], numbers[2], numbers[3], ""};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
    for (int k = 0; k < 6; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(k < 2 ? STRSXP : REALSXP, n));
    UNPROTECT(1);
    return out;
}

/* column: its name or, without names, x1, x2, ...; part: the category, "NA": missing, "": a number. */
SEXP r_coefficients(SEXP handle)
{
    static const char *const parts[] = {"", ".year_sine", ".year_cosine", ".week_sine", ".week_cosine"};
    const rung_model *m = handle_get(handle);
    rung_coefficient c = {.size = sizeof c};
    int n = 0;
    while (rung_model_coefficient(m, 0, n, &c)) n++;
    SEXP out = PROTECT(coefficient_list(n));
    for (int i = 0; i < n; i++) {
        char place[32];
        rung_model_coefficient(m, 0, i, &c);
        const char *name = rung_model_column(m, c.column, NULL);
        snprintf(place, sizeof place, "x%lld", (long long)c.column + 1);
        SET_STRING_ELT(VECTOR_ELT(out, 0), i, text_utf8(*name ? name : place));
        const char *category = c.category < 0 ? parts[c.part] : rung_model_category(m, c.column, c.category);
        SET_STRING_ELT(VECTOR_ELT(out, 1), i, text_utf8(c.category >= 0 && !*category ? "NA" : category));
        put_numbers(out, i, &c);
    }
    UNPROTECT(1);
    return out;
}

/* column: the class below; part: the class above. */
SEXP r_thresholds(SEXP handle)
{
    const rung_model *m = handle_get(handle);
    rung_coefficient c = {.size = sizeof c};
    int n = 0;
    while (rung_model_threshold_coefficient(m, n, &c)) n++;
    SEXP out = PROTECT(coefficient_list(n));
    for (int i = 0; i < n; i++) {
        rung_model_threshold_coefficient(m, i, &c);
        int above = c.rank + 1;
        while (above < rung_model_classes(m) && !rung_model_class_present(m, above)) above++;
        SET_STRING_ELT(VECTOR_ELT(out, 0), i, text_utf8(rung_model_class_name(m, c.rank)));
        SET_STRING_ELT(VECTOR_ELT(out, 1), i, text_utf8(rung_model_class_name(m, above)));
        put_numbers(out, i, &c);
    }
    UNPROTECT(1);
    return out;
}

/* c(log likelihood, chi2, df, p) of the test of proportional odds; NA: there is none. */
SEXP r_linear_fit(SEXP handle)
{
    const rung_model *m = handle_get(handle);
    rung_parallel_test test = {.size = sizeof test};
    int tested = rung_model_parallel(m, 0, &test);
    const double values[] = {rung_model_log_likelihood(m), tested ? test.chi2 : NA_REAL, tested ? test.df : NA_REAL,
                             tested ? test.p : NA_REAL};
    SEXP out = PROTECT(Rf_allocVector(REALSXP, 4));
    for (int k = 0; k < 4; k++) REAL(out)[k] = values[k] == values[k] ? values[k] : NA_REAL;
    UNPROTECT(1);
    return out;
}

/* ---- reports ---- */

typedef rung_status report_fn(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                              const rung_data *background, SEXP options, char **report);

static rung_status importance(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                              const rung_data *background, SEXP options, char **report)
{
    (void)background;
    rung_importance_options o = {.size = sizeof o};
    o.repeats = field_int(options, "repeats", 0);
    o.rows = field_int(options, "rows", 0);
    return rung_importance_run(ctx, model, data, &o, report);
}

static rung_status effects(rung_ctx *ctx, const rung_model *model, const rung_data *data, const rung_data *background,
                           SEXP options, char **report)
{
    (void)background;
    rung_effects_options o = {.size = sizeof o};
    o.columns = field_texts(options, "columns");
    o.points = field_int(options, "points", 0);
    o.rows = field_int(options, "rows", 0);
    o.pair = field_int(options, "pair", 0);
    return rung_effects_run(ctx, model, data, &o, report);
}

static rung_status row(rung_ctx *ctx, const rung_model *model, const rung_data *data, const rung_data *background,
                       SEXP options, char **report)
{
    rung_row_options o = {.size = sizeof o};
    o.row = field_int(options, "row", 1) - 1;
    o.samples = field_int(options, "samples", 0);
    o.rows = field_int(options, "rows", 0);
    o.fixed = field_texts(options, "fixed");
    o.background = background;
    return rung_row_explain(ctx, model, data, &o, report);
}

/* The report of a type, "importance", "effects" or "row", on the rows of a table; only the first needs labels. others:
 * a table of the rows that a row is compared with; NULL: the same rows. */
SEXP r_explain(SEXP handle, SEXP model, SEXP table, SEXP others, SEXP type, SEXP options)
{
    static const struct {
        const char *type;
        report_fn *run;
        int labels;
    } reports[] = {{"importance", importance, 2}, {"effects", effects, 0}, {"row", row, 0}};
    int k = 0;
    while (k < 2 && strcmp(reports[k].type, CHAR(STRING_ELT(type, 0)))) k++;
    session *s = session_of(handle);
    SEXP data = PROTECT(data_for_model(s, handle_get(model), table, reports[k].labels));
    int compared = others != R_NilValue && data != R_NilValue;
    SEXP background =
        PROTECT(compared ? data_for_model(s, handle_get(model), others, RUNG_LABELS_IGNORED) : R_NilValue);
    SEXP keep = PROTECT(handle_new(text_release)), out = R_NilValue;
    if (data != R_NilValue && (!compared || background != R_NilValue)) {
        char *report = NULL;
        session_begin(s);
        session_end(s, reports[k].run(session_ctx(s), handle_get(model), handle_get(data),
                                      compared ? handle_get(background) : NULL, options, &report));
        handle_set(keep, report);
        if (report) out = Rf_ScalarString(text_utf8(report));
    }
    UNPROTECT(3);
    return out;
}
