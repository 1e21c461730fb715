/* SPDX-License-Identifier: BSD-3-Clause */
/* Fitting, searching, predicting, and what is in a model. */
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void model_release(void *model) { rung_model_free(model); }
static void spec_release(void *spec) { rung_spec_free(spec); }
static void search_release(void *search) { rung_search_free(search); }
static void curve_release(void *curve) { rung_curve_free(curve); }
static void suggestion_release(void *found) { rung_suggestion_free(found); }
static void text_release(void *text) { rung_free(text); }

/* "name=value" apart: the value; the name is copied to `name`. */
static const char *split(const char *text, char *name, size_t size)
{
    const char *equals = strrchr(text, '=');
    snprintf(name, size, "%.*s", equals ? (int)(equals - text) : 0, text);
    return equals ? equals + 1 : text;
}

static rung_status fill_spec(rung_ctx *ctx, rung_spec *spec, SEXP options)
{
    const char *const *fixed = field_texts(options, "fixed"), *const *weights = field_texts(options, "weights");
    char name[512];
    rung_status status = rung_spec_set_scale(ctx, spec, field_text(options, "scale"));
    if (status == RUNG_OK) status = rung_spec_set_equal_rows(ctx, spec, field_text(options, "equal_rows"));
    if (status == RUNG_OK && strcmp(field_text(options, "keep_rows"), "no") == 0)
        status = rung_spec_set_keep_rows(ctx, spec, 0);
    for (; fixed && *fixed && status == RUNG_OK; fixed++) {
        const char *value = strchr(*fixed, '=') + 1; /* a value may hold another one */
        snprintf(name, sizeof name, "%.*s", (int)(value - 1 - *fixed), *fixed);
        status = rung_spec_set(ctx, spec, name, value);
    }
    for (; weights && *weights && status == RUNG_OK; weights++) {
        if (strcmp(*weights, "balanced") == 0) {
            status = rung_spec_set_balanced(ctx, spec, 1);
            continue;
        }
        const char *value = split(*weights, name, sizeof name);
        status = rung_spec_set_class_weight(ctx, spec, name, strtod(value, NULL));
    }
    return status;
}

/* The method and the parameters of the options; keep: their owner. NULL: the session has noted why not. */
static const rung_spec *spec_of(session *s, SEXP options, SEXP keep)
{
    rung_spec *spec = NULL;
    rung_status status = rung_spec_new(session_ctx(s), field_texts(options, "methods")[0],
                                       field_int(options, "as_published", 0), &spec);
    handle_set(keep, spec);
    if (status == RUNG_OK) status = fill_spec(session_ctx(s), spec, options);
    session_note(s, status);
    return status == RUNG_OK ? spec : NULL;
}

SEXP r_fit(SEXP handle, SEXP data, SEXP options)
{
    session *s = session_of(handle);
    SEXP keep = PROTECT(handle_new(spec_release)), out = PROTECT(handle_new(model_release));
    const rung_spec *spec = spec_of(s, options, keep);
    rung_model *model = NULL;
    if (spec) {
        session_begin(s);
        session_end(s, rung_model_fit(session_ctx(s), spec, handle_get(data), &model));
    }
    handle_set(out, model);
    UNPROTECT(2);
    return out;
}

static SEXP text_value(char *text)
{
    SEXP keep = PROTECT(handle_new(text_release));
    handle_set(keep, text);
    SEXP out = text ? Rf_ScalarString(text_utf8(text)) : R_NilValue;
    UNPROTECT(1);
    return out;
}

/* list(model, report) */
SEXP r_tune(SEXP handle, SEXP data, SEXP options)
{
    session *s = session_of(handle);
    const char *names[] = {"model", "report", ""};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names)), held = PROTECT(handle_new(model_release));
    SEXP points = PROTECT(handle_new(search_release));
    rung_tune_options o = {.size = sizeof o};
    o.methods = field_texts(options, "methods");
    o.fixed = field_texts(options, "fixed");
    o.grids = field_texts(options, "grids");
    o.weights = field_texts(options, "weights");
    o.scale = field_text(options, "scale");
    o.equal_rows = field_text(options, "equal_rows");
    o.metric = field_text(options, "metric");
    o.leave_one_out = field_int(options, "folds", 0) == -1;
    if (!o.leave_one_out) o.folds = field_int(options, "folds", 0);
    o.repeats = field_int(options, "repeats", 0);
    o.one_se = field_int(options, "one_se", 0);
    o.nested = field_int(options, "nested", 0);
    o.groups = rung_data_groups(handle_get(data));
    rung_model *model = NULL;
    rung_search *found = NULL;
    char *report = NULL;
    session_begin(s);
    session_end(s, rung_tune_run(session_ctx(s), &o, handle_get(data), &model, &found));
    handle_set(held, model);
    handle_set(points, found);
    if (found) session_note(s, rung_search_describe(session_ctx(s), found, &report));
    SET_VECTOR_ELT(out, 0, held);
    SET_VECTOR_ELT(out, 1, text_value(report));
    UNPROTECT(3);
    return out;
}

SEXP r_curve(SEXP handle, SEXP data, SEXP options)
{
    session *s = session_of(handle);
    SEXP sizes = field(options, "sizes");
    rung_curve_options o = {.size = sizeof o};
    o.methods = field_texts(options, "methods");
    o.fixed = field_texts(options, "fixed");
    o.weights = field_texts(options, "weights");
    o.scale = field_text(options, "scale");
    o.equal_rows = field_text(options, "equal_rows");
    o.metric = field_text(options, "metric");
    o.repeats = field_int(options, "repeats", 0);
    if (sizes != R_NilValue) {
        o.sizes = INTEGER(sizes);
        o.n_sizes = (int)Rf_xlength(sizes);
    }
    SEXP held = PROTECT(handle_new(curve_release));
    rung_curve *curve = NULL;
    char *report = NULL;
    session_begin(s);
    session_end(s, rung_curve_run(session_ctx(s), &o, handle_get(data), &curve));
    handle_set(held, curve);
    if (curve) session_note(s, rung_curve_describe(session_ctx(s), curve, &report));
    SEXP out = text_value(report);
    UNPROTECT(1);
    return out;
}

/* c(labels, more, now, now_low, now_high, value, low, high); NULL: there is none. */
static SEXP forecast_of(const rung_suggestion *found)
{
    rung_forecast f = {.size = sizeof f};
    if (!rung_suggestion_forecast(found, &f)) return R_NilValue;
    const double values[] = {(double)f.labels, (double)f.more, f.now, f.now_low, f.now_high, f.value, f.low, f.high};
    SEXP out = Rf_allocVector(REALSXP, 8);
    memcpy(REAL(out), values, sizeof values);
    return out;
}

/* The rows to label next: list(row, random, score, guess, reason, forecast). */
SEXP r_suggest(SEXP handle, SEXP data, SEXP options)
{
    session *s = session_of(handle);
    const char *names[] = {"row", "random", "score", "guess", "reason", "forecast", ""};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names)), keep = PROTECT(handle_new(spec_release));
    SEXP held = PROTECT(handle_new(suggestion_release));
    const rung_spec *spec = spec_of(s, options, keep);
    rung_suggest_options o = {.size = sizeof o};
    o.n = field_int(options, "n", 0);
    o.more = field_int(options, "more", 0);
    o.no_forecast = o.more == 0;
    o.random = Rf_asReal(field(options, "random"));
    o.no_random = field_int(options, "no_random", 0);
    rung_suggestion *found = NULL;
    if (spec) {
        session_begin(s);
        session_end(s, rung_suggest_run(session_ctx(s), spec, handle_get(data), &o, &found));
    }
    handle_set(held, found);
    R_xlen_t n = 0;
    while (found && rung_suggestion_at(found, n)) n++;
    for (int k = 0; k < 5; k++) {
        SEXPTYPE type = k == 4 ? STRSXP : k == 2 ? REALSXP : INTSXP;
        SET_VECTOR_ELT(out, k, Rf_allocVector(type, n));
    }
    for (R_xlen_t i = 0; i < n; i++) {
        const rung_suggested *one = rung_suggestion_at(found, i);
        INTEGER(VECTOR_ELT(out, 0))[i] = (int)one->row + 1;
        INTEGER(VECTOR_ELT(out, 1))[i] = one->random;
        REAL(VECTOR_ELT(out, 2))[i] = one->score;
        INTEGER(VECTOR_ELT(out, 3))[i] = one->guess ? one->guess : NA_INTEGER;
        SET_STRING_ELT(VECTOR_ELT(out, 4), i, text_utf8(one->reason));
    }
    if (found) SET_VECTOR_ELT(out, 5, forecast_of(found));
    UNPROTECT(3);
    return out;
}

/* ---- model files ---- */

SEXP r_bytes(SEXP handle, SEXP model)
{
    session *s = session_of(handle);
    SEXP keep = PROTECT(handle_new(text_release));
    char *bytes = NULL;
    int64_t size = 0;
    session_note(s, rung_model_save_memory(session_ctx(s), handle_get(model), &bytes, &size));
    handle_set(keep, bytes);
    SEXP out = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)size));
    if (size) memcpy(RAW(out), bytes, (size_t)size);
    UNPROTECT(2);
    return out;
}

SEXP r_model(SEXP handle, SEXP bytes)
{
    session *s = session_of(handle);
    SEXP out = PROTECT(handle_new(model_release));
    rung_model *model = NULL;
    session_note(s,
                 rung_model_load_memory(session_ctx(s), (const char *)RAW(bytes), (int64_t)Rf_xlength(bytes), &model));
    handle_set(out, model);
    UNPROTECT(1);
    return out;
}

SEXP r_save(SEXP handle, SEXP model, SEXP path)
{
    session *s = session_of(handle);
    session_note(s, rung_model_save(session_ctx(s), handle_get(model), Rf_translateChar(STRING_ELT(path, 0))));
    return R_NilValue;
}

SEXP r_load(SEXP handle, SEXP path)
{
    session *s = session_of(handle);
    SEXP out = PROTECT(handle_new(model_release));
    rung_model *model = NULL;
    session_note(s, rung_model_load(session_ctx(s), Rf_translateChar(STRING_ELT(path, 0)), &model));
    handle_set(out, model);
    UNPROTECT(1);
    return out;
}

SEXP r_describe(SEXP handle, SEXP model)
{
    session *s = session_of(handle);
    char *json = NULL;
    session_note(s, rung_model_describe(session_ctx(s), handle_get(model), &json));
    return text_value(json);
}

/* ---- prediction ---- */

/* Rows of a matrix of the library as columns of one of R. */
static SEXP matrix_of(const double *by_rows, int64_t n, int64_t d)
{
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)n, (int)d));
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < d; j++) REAL(out)[i + j * n] = by_rows[i * d + j];
    UNPROTECT(1);
    return out;
}

/* The answers for a table, for the rows of a matrix (coded numbers), or for the training rows (R_NilValue):
 * list(rank, score, proba, low, high), each where the model has it and it is wanted. */
SEXP r_predict(SEXP handle, SEXP model_handle, SEXP rows, SEXP wanted, SEXP level, SEXP by_class)
{
    session *s = session_of(handle);
    rung_ctx *ctx = session_ctx(s);
    const rung_model *model = handle_get(model_handle);
    SEXP data = R_NilValue;
    rung_view X = {0};
    int training = rows == R_NilValue;
    if (TYPEOF(rows) == EXTPTRSXP) {
        data = data_for_model(s, model, rows, RUNG_LABELS_IGNORED);
        if (data == R_NilValue) return R_NilValue;
        X = rung_data_view(handle_get(data));
    } else if (!training) {
        X = (rung_view){REAL(rows), Rf_nrows(rows), Rf_ncols(rows), 1, Rf_nrows(rows)};
    }
    PROTECT(data);
    int64_t n = training ? rung_model_training_rows(model) : X.n;
    const char *names[] = {"rank", "score", "proba", "low", "high", ""};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
    int want[5] = {0};
    for (R_xlen_t i = 0; i < Rf_xlength(wanted); i++)
        for (int k = 0; k < 5; k++) want[k] |= strcmp(CHAR(STRING_ELT(wanted, i)), names[k]) == 0;
    rung_output o = {.size = sizeof o};
    const rung_predict_options how = {
        .size = sizeof how, .level = Rf_asReal(level), .by_class = Rf_asLogical(by_class) == TRUE};
    int *whole[3] = {NULL, NULL, NULL};
    const int place[3] = {0, 3, 4};
    for (int k = 0; k < 3; k++) {
        if (!want[place[k]]) continue;
        SET_VECTOR_ELT(out, place[k], Rf_allocVector(INTSXP, (R_xlen_t)n));
        whole[k] = INTEGER(VECTOR_ELT(out, place[k]));
    }
    o.rank = whole[0];
    o.low = whole[1];
    o.high = whole[2];
    int64_t outputs = rung_model_outputs(model), classes = rung_model_classes(model);
    if (want[1]) o.score = (double *)R_alloc((size_t)(n * outputs), sizeof(double));
    if (want[2]) o.proba = (double *)R_alloc((size_t)(n * classes), sizeof(double));
    session_begin(s);
    session_end(s, training ? rung_model_predict_training(ctx, model, &how, &o)
                            : rung_model_predict(ctx, model, &X, &how, &o));
    if (o.score) SET_VECTOR_ELT(out, 1, matrix_of(o.score, n, outputs));
    if (o.proba) SET_VECTOR_ELT(out, 2, matrix_of(o.proba, n, classes));
    UNPROTECT(2);
    return out;
}

/* ---- what is in a model ---- */

static SEXP one_text(const char *text) { return text ? Rf_ScalarString(text_utf8(text)) : R_NilValue; }

static SEXP params_of(const rung_model *model)
{
    int n = 0;
    const char *value, *name;
    while (rung_model_param_at(model, n, &value)) n++;
    SEXP out = PROTECT(Rf_allocVector(STRSXP, n)), names = PROTECT(Rf_allocVector(STRSXP, n));
    for (int i = 0; i < n; i++) {
        name = rung_model_param_at(model, i, &value);
        SET_STRING_ELT(out, i, value ? text_utf8(value) : NA_STRING);
        SET_STRING_ELT(names, i, text_utf8(name));
    }
    Rf_setAttrib(out, R_NamesSymbol, names);
    UNPROTECT(2);
    return out;
}

static SEXP report_of(const rung_model *model)
{
    int n = 0;
    const double *values;
    int64_t count;
    while (rung_model_report_at(model, n, &values, &count)) n++;
    SEXP out = PROTECT(Rf_allocVector(VECSXP, n)), names = PROTECT(Rf_allocVector(STRSXP, n));
    for (int i = 0; i < n; i++) {
        SET_STRING_ELT(names, i, text_utf8(rung_model_report_at(model, i, &values, &count)));
        R_xlen_t length = count < 0 ? 1 : (R_xlen_t)count;
        SEXP numbers = Rf_allocVector(REALSXP, length);
        SET_VECTOR_ELT(out, i, numbers);
        if (length) memcpy(REAL(numbers), values, (size_t)length * sizeof(double));
    }
    Rf_setAttrib(out, R_NamesSymbol, names);
    UNPROTECT(2);
    return out;
}

/* Metrics by their keys, the number of rows, and of those whose label is an interval. */
static SEXP metrics_vector(const rung_metrics *metrics)
{
    int n = 0;
    while (rung_metric_at(n)) n++;
    SEXP out = PROTECT(Rf_allocVector(REALSXP, n + 2)), names = PROTECT(Rf_allocVector(STRSXP, n + 2));
    for (int i = 0; i < n; i++) {
        const char *key = rung_metric_at(i)->key;
        SET_STRING_ELT(names, i, text_utf8(key));
        double value = rung_metrics_value(metrics, key);
        REAL(out)[i] = value == value ? value : NA_REAL;
    }
    SET_STRING_ELT(names, n, Rf_mkChar("n"));
    REAL(out)[n] = (double)metrics->n;
    SET_STRING_ELT(names, n + 1, Rf_mkChar("intervals"));
    REAL(out)[n + 1] = (double)metrics->intervals;
    Rf_setAttrib(out, R_NamesSymbol, names);
    UNPROTECT(2);
    return out;
}

SEXP r_info(SEXP handle)
{
    const rung_model *m = handle_get(handle);
    const char *names[] = {"method",        "params",   "scale",    "classes",    "present",   "rows",
                           "labelled",      "features", "columns",  "label",      "outputs",   "ranks",
                           "probabilities", "decision", "interval", "thresholds", "real",      "training_rows",
                           "report",        "cv",       "scorer",   "by_costs",   "cv_median", ""};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
    int classes = rung_model_classes(m), cuts = rung_model_thresholds(m, 0, NULL);
    R_xlen_t columns = (R_xlen_t)rung_model_inputs(m);
    rung_metrics cv = {.size = sizeof cv};
    SET_VECTOR_ELT(out, 0, one_text(rung_model_method(m)));
    SET_VECTOR_ELT(out, 1, params_of(m));
    SET_VECTOR_ELT(out, 2, one_text(rung_model_scale(m)));
    SEXP names_of = Rf_allocVector(STRSXP, classes);
    SET_VECTOR_ELT(out, 3, names_of);
    SEXP present = Rf_allocVector(LGLSXP, classes);
    SET_VECTOR_ELT(out, 4, present);
    for (int k = 0; k < classes; k++) {
        SET_STRING_ELT(names_of, k, text_utf8(rung_model_class_name(m, k + 1)));
        LOGICAL(present)[k] = rung_model_class_present(m, k + 1);
    }
    SET_VECTOR_ELT(out, 5, Rf_ScalarReal((double)rung_model_rows(m)));
    SET_VECTOR_ELT(out, 6, Rf_ScalarReal((double)rung_model_labelled(m)));
    SET_VECTOR_ELT(out, 7, Rf_ScalarReal((double)rung_model_features(m)));
    SEXP column_names = Rf_allocVector(STRSXP, columns);
    SET_VECTOR_ELT(out, 8, column_names);
    for (R_xlen_t j = 0; j < columns; j++)
        SET_STRING_ELT(column_names, j, text_utf8(rung_model_column(m, rung_model_input(m, (int64_t)j), NULL)));
    SET_VECTOR_ELT(out, 9, one_text(rung_model_label(m)));
    SET_VECTOR_ELT(out, 10, Rf_ScalarInteger(rung_model_outputs(m)));
    SET_VECTOR_ELT(out, 11, Rf_ScalarLogical(rung_model_has_ranks(m)));
    SET_VECTOR_ELT(out, 12, Rf_ScalarLogical(rung_model_has_probabilities(m)));
    SET_VECTOR_ELT(out, 13, one_text(rung_model_decision(m)));
    SET_VECTOR_ELT(out, 14, one_text(rung_model_interval(m)));
    SEXP thresholds = Rf_allocVector(REALSXP, cuts);
    SET_VECTOR_ELT(out, 15, thresholds);
    rung_model_thresholds(m, cuts, cuts ? REAL(thresholds) : NULL);
    SET_VECTOR_ELT(out, 16, Rf_ScalarLogical(rung_model_is_real(m)));
    SET_VECTOR_ELT(out, 17, Rf_ScalarReal((double)rung_model_training_rows(m)));
    SET_VECTOR_ELT(out, 18, report_of(m));
    if (rung_model_cv(m, &cv)) SET_VECTOR_ELT(out, 19, metrics_vector(&cv));
    SET_VECTOR_ELT(out, 20, one_text(rung_model_scorer(m)));
    SET_VECTOR_ELT(out, 21, Rf_ScalarLogical(rung_model_cost(m, NULL) != NULL));
    if (rung_model_cv_median(m, &cv)) SET_VECTOR_ELT(out, 22, metrics_vector(&cv));
    UNPROTECT(1);
    return out;
}

/* ---- metrics ---- */

/* A matrix of R, by rows as the library wants it. */
static double *by_rows_of(SEXP matrix)
{
    R_xlen_t n = Rf_nrows(matrix), d = Rf_ncols(matrix);
    double *out = (double *)R_alloc((size_t)(n * d), sizeof *out);
    for (R_xlen_t i = 0; i < n; i++)
        for (R_xlen_t j = 0; j < d; j++) out[i * d + j] = REAL(matrix)[i + j * n];
    return out;
}

/* truth, predicted: ranks; upper: the upper ranks where true labels are intervals, or NULL; proba: a matrix or NULL;
 * weights, groups: a number for every row, or NULL. */
SEXP r_metrics(SEXP handle, SEXP classes, SEXP truth, SEXP upper, SEXP predicted, SEXP proba, SEXP weights, SEXP groups)
{
    session *s = session_of(handle);
    R_xlen_t n = Rf_xlength(truth);
    int k = Rf_asInteger(classes);
    rung_metrics metrics = {.size = sizeof metrics};
    rung_metrics_options o = {.size = sizeof o};
    if (proba != R_NilValue) o.proba = by_rows_of(proba);
    if (upper != R_NilValue) o.upper = INTEGER(upper);
    if (weights != R_NilValue) o.weight = REAL(weights);
    if (groups != R_NilValue) o.group = INTEGER(groups);
    session_note(s,
                 rung_metrics_compute(session_ctx(s), (int64_t)n, k, INTEGER(truth), INTEGER(predicted), &o, &metrics));
    return metrics_vector(&metrics);
}

/* truth: ranks, 0: unlabelled; proba: a matrix. Parts with rows: list(low, high, confidence, accuracy, n, ece). */
SEXP r_reliability(SEXP handle, SEXP truth, SEXP proba)
{
    enum { BINS = 10 };
    session *s = session_of(handle);
    rung_reliability_bin bin[BINS] = {{0}};
    double ece = NA_REAL;
    session_note(s, rung_reliability_compute(session_ctx(s), (int64_t)Rf_xlength(truth), Rf_ncols(proba),
                                             INTEGER(truth), by_rows_of(proba), BINS, bin, &ece));
    const char *names[] = {"low", "high", "confidence", "accuracy", "n", "ece", ""};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
    int filled = 0, at = 0;
    for (int b = 0; b < BINS; b++) filled += bin[b].n > 0;
    for (int c = 0; c < 5; c++) SET_VECTOR_ELT(out, c, Rf_allocVector(REALSXP, filled));
    for (int b = 0; b < BINS; b++) {
        if (!bin[b].n) continue;
        const double row[] = {bin[b].low, bin[b].high, bin[b].confidence, bin[b].accuracy, (double)bin[b].n};
        for (int c = 0; c < 5; c++) REAL(VECTOR_ELT(out, c))[at] = row[c];
        at++;
    }
    SET_VECTOR_ELT(out, 5, Rf_ScalarReal(ece));
    UNPROTECT(1);
    return out;
}

/* ---- the table of methods ---- */

SEXP r_methods(void)
{
    int n = 0;
    while (rung_method_at(n)) n++;
    const char *names[] = {"method", "title", "reference", ""};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
    for (int c = 0; c < 3; c++) SET_VECTOR_ELT(out, c, Rf_allocVector(STRSXP, n));
    for (int i = 0; i < n; i++) {
        const rung_method *m = rung_method_at(i);
        const char *text[] = {m->name, m->title, m->reference};
        for (int c = 0; c < 3; c++) SET_STRING_ELT(VECTOR_ELT(out, c), i, text_utf8(text[c]));
    }
    UNPROTECT(1);
    return out;
}

SEXP r_default_method(SEXP real) { return Rf_ScalarString(text_utf8(rung_method_default(Rf_asLogical(real))->name)); }

SEXP r_parameters(SEXP method)
{
    const rung_method *m = rung_method_find(Rf_translateCharUTF8(STRING_ELT(method, 0)));
    if (!m) return R_NilValue;
    int n = 0;
    while (rung_method_param_at(m, n)) n++;
    const char *names[] = {"parameter", "default", "help", ""};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
    for (int c = 0; c < 3; c++) SET_VECTOR_ELT(out, c, Rf_allocVector(STRSXP, n));
    for (int i = 0; i < n; i++) {
        const rung_param *p = rung_method_param_at(m, i);
        SET_STRING_ELT(VECTOR_ELT(out, 0), i, text_utf8(p->name));
        SET_STRING_ELT(VECTOR_ELT(out, 1), i, p->default_value ? text_utf8(p->default_value) : NA_STRING);
        SET_STRING_ELT(VECTOR_ELT(out, 2), i, text_utf8(p->help));
    }
    UNPROTECT(1);
    return out;
}

/* The shortest text that reads back as the same number, whatever options(digits) is. */
SEXP r_number_text(SEXP numbers)
{
    R_xlen_t n = Rf_xlength(numbers);
    SEXP out = PROTECT(Rf_allocVector(STRSXP, n));
    char text[32];
    for (R_xlen_t i = 0; i < n; i++) {
        double x = REAL(numbers)[i];
        int digits = 15; /* survive in every normal double: fewer give nothing shorter */
        do snprintf(text, sizeof text, "%.*g", digits, x);
        while (strtod(text, NULL) != x && ++digits <= 17);
        SET_STRING_ELT(out, i, Rf_mkChar(text));
    }
    UNPROTECT(1);
    return out;
}
