/* SPDX-License-Identifier: BSD-3-Clause */
/* Coefficients, and what explains a model. */
#include "data.h"

#include <stdio.h>
#include <string.h>

static const char *const numbers[] = {"value", "error", "z", "p"};

static void put_numbers(SEXP out, int row, const rung_coefficient *c)
{
    const double values[] = {c->value, c->error, c->z, c->p};
    for (int k = 0; k < 4; k++) REAL(VECTOR_ELT(out, 2 + k))[row] = values[k] == values[k] ? values[k] : NA_REAL;
}

/* A data frame in the making: column and category (or the class below and above), value, error, z, p; the threshold or
 * spread that a coefficient is of, the ends of its range by the profile likelihood, its place in the covariance. */
enum { FIELDS = 10 };
static SEXP coefficient_list(int n)
{
    const char *names[] = {"column", "part", numbers[0], numbers[1], numbers[2], numbers[3],
                           "at",     "low",  "high",     "place",    ""};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
    for (int k = 0; k < FIELDS; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(k < 2 || k == 6 ? STRSXP : REALSXP, n));
    UNPROTECT(1);
    return out;
}

static void put_place(SEXP out, int row, const char *at, double low, double high, int place)
{
    const double values[] = {low, high, place};
    SET_STRING_ELT(VECTOR_ELT(out, 6), row, text_utf8(at));
    for (int k = 0; k < 3; k++) REAL(VECTOR_ELT(out, 7 + k))[row] = values[k] == values[k] ? values[k] : NA_REAL;
}

static int next_class(const rung_model *m, int rank)
{
    for (rank++; rank < rung_model_classes(m) && !rung_model_class_present(m, rank);) rank++;
    return rank;
}

/* Whether all thresholds have this coefficient in common; all have the same bits then. */
static int is_common(const rung_model *m, int index)
{
    int spread = rung_model_spread_output(m);
    rung_coefficient first = {.size = sizeof first}, other = {.size = sizeof other};
    rung_model_coefficient(m, 0, index, &first);
    for (int o = 1; o != spread && first.rank > 0 && rung_model_coefficient(m, o, index, &other); o++)
        if (other.value != first.value) return 0;
    return 1;
}

static void put_coefficient(SEXP out, int row, const rung_model *m, int output, int index, int terms, int cuts)
{
    static const char *const parts[] = {"", ".year_sine", ".year_cosine", ".week_sine", ".week_cosine"};
    rung_coefficient c = {.size = sizeof c};
    char place[32], at[512] = "";
    double low = NA_REAL, high = NA_REAL;
    rung_model_coefficient(m, output, index, &c);
    const char *name = rung_model_column(m, c.column, NULL);
    snprintf(place, sizeof place, "x%lld", (long long)c.column + 1);
    SET_STRING_ELT(VECTOR_ELT(out, 0), row, text_utf8(*name ? name : place));
    const char *category = c.category < 0 ? parts[c.part] : rung_model_category(m, c.column, c.category);
    SET_STRING_ELT(VECTOR_ELT(out, 1), row, text_utf8(c.category >= 0 && !*category ? "NA" : category));
    if (output == rung_model_spread_output(m))
        snprintf(at, sizeof at, "spread");
    else if (!is_common(m, index))
        snprintf(at, sizeof at, "%.200s|%.200s", rung_model_class_name(m, c.rank),
                 rung_model_class_name(m, next_class(m, c.rank)));
    rung_model_coefficient_range(m, output, index, &low, &high);
    put_numbers(out, row, &c);
    put_place(out, row, at, low, high, 1 + index + (output ? terms * output + cuts : 0));
}

/* column: its name or, without names, x1, x2, ...; part: the category, "NA": missing, "": a number. */
SEXP r_coefficients(SEXP handle)
{
    const rung_model *m = handle_get(handle);
    rung_coefficient c = {.size = sizeof c};
    int n = 0, terms = 0, cuts = 0, spread = rung_model_spread_output(m), row = 0;
    while (rung_model_threshold_coefficient(m, cuts, &c)) cuts++;
    for (; rung_model_coefficient(m, 0, terms, &c); terms++) n += is_common(m, terms) ? 1 : cuts;
    for (int i = 0; spread >= 0 && rung_model_coefficient(m, spread, i, &c); i++) n += c.error == c.error;
    SEXP out = PROTECT(coefficient_list(n));
    for (int i = 0; i < terms; i++)
        for (int o = 0; o < (is_common(m, i) ? 1 : cuts); o++) put_coefficient(out, row++, m, o, i, terms, cuts);
    for (int i = 0; spread >= 0 && rung_model_coefficient(m, spread, i, &c); i++)
        if (c.error == c.error) put_coefficient(out, row++, m, spread, i, terms, cuts);
    UNPROTECT(1);
    return out;
}

/* column: the class below; part: the class above. */
SEXP r_thresholds(SEXP handle)
{
    const rung_model *m = handle_get(handle);
    rung_coefficient c = {.size = sizeof c};
    int n = 0, terms = 0;
    while (rung_model_threshold_coefficient(m, n, &c)) n++;
    while (rung_model_coefficient(m, 0, terms, &c)) terms++;
    SEXP out = PROTECT(coefficient_list(n));
    for (int i = 0; i < n; i++) {
        rung_model_threshold_coefficient(m, i, &c);
        SET_STRING_ELT(VECTOR_ELT(out, 0), i, text_utf8(rung_model_class_name(m, c.rank)));
        SET_STRING_ELT(VECTOR_ELT(out, 1), i, text_utf8(rung_model_class_name(m, next_class(m, c.rank))));
        put_numbers(out, i, &c);
        put_place(out, i, "", NA_REAL, NA_REAL, 1 + terms + i);
    }
    UNPROTECT(1);
    return out;
}

/* The covariance of coefficients and thresholds by their places; NULL: there is none. */
SEXP r_covariance(SEXP handle)
{
    const rung_model *m = handle_get(handle);
    int n = rung_model_covariance(m, NULL);
    if (n == 0) return R_NilValue;
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, n, n));
    rung_model_covariance(m, REAL(out));
    UNPROTECT(1);
    return out;
}

/* Tests of the columns: name, chi2, df, p; no rows: there are none. */
SEXP r_column_tests(SEXP handle)
{
    const char *names[] = {"column", "chi2", "df", "p", ""};
    const rung_model *m = handle_get(handle);
    rung_parallel_test t = {.size = sizeof t};
    int n = 0;
    while (rung_model_column_test(m, n, &t)) n++;
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
    for (int k = 0; k < 4; k++) SET_VECTOR_ELT(out, k, Rf_allocVector(k ? REALSXP : STRSXP, n));
    for (int i = 0; i < n; i++) {
        char place[32];
        rung_model_column_test(m, i, &t);
        const char *name = rung_model_column(m, i, NULL);
        snprintf(place, sizeof place, "x%d", i + 1);
        SET_STRING_ELT(VECTOR_ELT(out, 0), i, text_utf8(*name ? name : place));
        const double values[] = {t.chi2, t.df, t.p};
        for (int k = 0; k < 3; k++) REAL(VECTOR_ELT(out, k + 1))[i] = values[k] == values[k] ? values[k] : NA_REAL;
    }
    UNPROTECT(1);
    return out;
}

/* c(log likelihood, chi2, df, p) of the test of proportional odds, then the number of parameters and the rows by their
 * weights; NA: there is none. */
SEXP r_linear_fit(SEXP handle)
{
    const rung_model *m = handle_get(handle);
    rung_parallel_test test = {.size = sizeof test};
    rung_likelihood fit = {.size = sizeof fit};
    int tested = rung_model_parallel(m, 0, &test), known = rung_model_likelihood(m, &fit) && fit.parameters > 0;
    const double values[] = {rung_model_log_likelihood(m), tested ? test.chi2 : NA_REAL, tested ? test.df : NA_REAL,
                             tested ? test.p : NA_REAL, known ? fit.parameters : NA_REAL, known ? fit.rows : NA_REAL};
    SEXP out = PROTECT(Rf_allocVector(REALSXP, 6));
    for (int k = 0; k < 6; k++) REAL(out)[k] = values[k] == values[k] ? values[k] : NA_REAL;
    UNPROTECT(1);
    return out;
}

/* ---- explanations ---- */

static SEXP reals(R_xlen_t n, const double *v)
{
    if (!v) return R_NilValue;
    SEXP out = Rf_allocVector(REALSXP, n);
    for (R_xlen_t i = 0; i < n; i++) REAL(out)[i] = v[i] == v[i] ? v[i] : NA_REAL;
    return out;
}

static SEXP real(double x) { return reals(1, &x); }

/* A data frame in the making: the first columns hold texts, the others numbers. */
static SEXP frame_of(const char **names, int texts, R_xlen_t n)
{
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
    for (int k = 0; k < Rf_length(out); k++) SET_VECTOR_ELT(out, k, Rf_allocVector(k < texts ? STRSXP : REALSXP, n));
    UNPROTECT(1);
    return out;
}

static void put_text(SEXP frame, int column, R_xlen_t row, const char *text)
{
    SET_STRING_ELT(VECTOR_ELT(frame, column), row, text ? text_utf8(text) : NA_STRING);
}

static void put_reals(SEXP frame, int column, R_xlen_t row, int n, const double *v)
{
    for (int k = 0; k < n; k++) REAL(VECTOR_ELT(frame, column + k))[row] = v[k] == v[k] ? v[k] : NA_REAL;
}

/* "age + weight" */
static const char *joined(const rung_permuted *one)
{
    size_t size = 1;
    for (int i = 0; i < one->n; i++) size += strlen(one->column[i]) + 3;
    char *out = R_alloc(size, 1);
    *out = 0;
    for (int i = 0; i < one->n; i++) strcat(strcat(out, i ? " + " : ""), one->column[i]);
    return out;
}

/* list(rows, error, second, seen, permuted) */
static SEXP importance_list(const void *found, int classes)
{
    (void)classes;
    const char *names[] = {"rows", "error", "second", "seen", "permuted", ""};
    const char *columns[] = {"column", "mae", "low", "high", "second", "others", "n", ""};
    const rung_importance_summary *about = rung_importance_about(found);
    const rung_permuted *one;
    int n = 0;
    while (rung_importance_at(found, n)) n++;
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names)), frame = PROTECT(frame_of(columns, 1, n));
    SET_VECTOR_ELT(out, 0, real((double)about->rows));
    SET_VECTOR_ELT(out, 1, real(about->error[0].mean));
    if (about->error[1].mean == about->error[1].mean) SET_VECTOR_ELT(out, 2, Rf_mkString(about->loss[1]));
    SET_VECTOR_ELT(out, 3, Rf_ScalarLogical(about->seen));
    for (int i = 0; (one = rung_importance_at(found, i)); i++) {
        const double values[] = {one->rise[0].mean, one->rise[0].low, one->rise[0].high,
                                 one->rise[1].mean, one->others,      one->n};
        put_text(frame, 0, i, joined(one));
        put_reals(frame, 1, i, 6, values);
    }
    SET_VECTOR_ELT(out, 4, frame);
    UNPROTECT(2);
    return out;
}

/* list(name, value, rows, dependence, local, shares, rug); shares: those of a point are adjacent. */
static SEXP effect_list(const rung_effect *one, int classes)
{
    const char *names[] = {"name", "value", "rows", "dependence", "local", "shares", "rug", ""};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(out, 0, Rf_ScalarString(text_utf8(one->name)));
    SET_VECTOR_ELT(out, 1, one->category ? Rf_allocVector(STRSXP, one->n) : reals(one->n, one->value));
    SET_VECTOR_ELT(out, 2, Rf_allocVector(REALSXP, one->n));
    for (int k = 0; k < one->n; k++) {
        if (one->category) put_text(out, 1, k, one->text[k]);
        REAL(VECTOR_ELT(out, 2))[k] = (double)one->count[k];
    }
    SET_VECTOR_ELT(out, 3, reals(one->n, one->dependence));
    SET_VECTOR_ELT(out, 4, reals(one->n, one->local));
    SET_VECTOR_ELT(out, 5, reals((R_xlen_t)one->n * classes, one->class_dependence));
    SET_VECTOR_ELT(out, 6, reals(one->rugs, one->rug));
    UNPROTECT(1);
    return out;
}

/* list(rows, average, columns, map, interaction) */
static SEXP effects_list(const void *found, int classes)
{
    const char *names[] = {"rows", "average", "columns", "map", "interaction", ""};
    const rung_effects_summary *about = rung_effects_about(found);
    int n = 0;
    R_xlen_t cells = 1;
    for (; rung_effects_at(found, n); n++) cells *= about->map ? rung_effects_at(found, n)->n : 1;
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names)), columns = PROTECT(Rf_allocVector(VECSXP, n));
    for (int i = 0; i < n; i++) SET_VECTOR_ELT(columns, i, effect_list(rung_effects_at(found, i), classes));
    SET_VECTOR_ELT(out, 0, real((double)about->rows));
    SET_VECTOR_ELT(out, 1, real(about->average));
    SET_VECTOR_ELT(out, 2, columns);
    SET_VECTOR_ELT(out, 3, reals(cells, about->map));
    SET_VECTOR_ELT(out, 4, real(about->interaction));
    UNPROTECT(2);
    return out;
}

/* Columns, the texts and numbers of their cells before and after, and the rank. */
static SEXP change_list(const rung_row *found, int up)
{
    const char *names[] = {"column", "from", "to", "from_number", "to_number", "rank", ""};
    const rung_change *one;
    int n = 0;
    while (rung_row_change(found, up, n)) n++;
    if (!n) return R_NilValue;
    SEXP out = PROTECT(frame_of(names, 3, n));
    for (int i = 0; (one = rung_row_change(found, up, i)); i++) {
        const double values[] = {one->from.number, one->to.number, one->rank};
        put_text(out, 0, i, one->name);
        put_text(out, 1, i, one->from.text);
        put_text(out, 2, i, one->to.text);
        put_reals(out, 3, i, 3, values);
    }
    UNPROTECT(1);
    return out;
}

static SEXP contribution_list(const rung_row *found)
{
    const char *names[] = {"column", "value", "number", "contribution", "error", ""};
    const rung_contribution *one;
    int n = 0;
    while (rung_row_at(found, n)) n++;
    SEXP out = PROTECT(frame_of(names, 2, n));
    for (int i = 0; (one = rung_row_at(found, i)); i++) {
        const double values[] = {one->cell.number, one->value, one->error};
        put_text(out, 0, i, one->name);
        put_text(out, 1, i, one->cell.text);
        put_reals(out, 2, i, 3, values);
    }
    UNPROTECT(1);
    return out;
}

/* list(row, answer, rank, prob, average, exact, samples, background, background_of, columns, down, up) */
static SEXP row_list(const void *found, int classes)
{
    const char *names[] = {"row",     "answer", "rank", "average", "samples", "background", "background_of", "exact",
                           "columns", "down",   "up",   "prob",    ""};
    const rung_row_summary *about = rung_row_about(found);
    const double values[] = {(double)about->row + 1,
                             about->answer,
                             about->rank,
                             about->average,
                             (double)about->samples,
                             (double)about->background,
                             (double)about->background_of};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
    for (int k = 0; k < 7; k++) SET_VECTOR_ELT(out, k, real(values[k]));
    SET_VECTOR_ELT(out, 7, Rf_ScalarLogical(about->exact));
    SET_VECTOR_ELT(out, 8, contribution_list(found));
    SET_VECTOR_ELT(out, 9, change_list(found, 0));
    SET_VECTOR_ELT(out, 10, change_list(found, 1));
    SET_VECTOR_ELT(out, 11, reals(classes, about->proba));
    UNPROTECT(1);
    return out;
}

typedef rung_status explain_fn(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                               const rung_data *background, SEXP options, void **found);

static rung_status importance(rung_ctx *ctx, const rung_model *model, const rung_data *data,
                              const rung_data *background, SEXP options, void **found)
{
    (void)background;
    rung_importance_options o = {.size = sizeof o};
    o.repeats = field_int(options, "repeats", 0);
    o.rows = field_int(options, "rows", 0);
    return rung_importance_run(ctx, model, data, &o, (rung_importance **)found);
}

static rung_status effects(rung_ctx *ctx, const rung_model *model, const rung_data *data, const rung_data *background,
                           SEXP options, void **found)
{
    (void)background;
    rung_effects_options o = {.size = sizeof o};
    o.columns = field_texts(options, "columns");
    o.points = field_int(options, "points", 0);
    o.rows = field_int(options, "rows", 0);
    o.pair = field_int(options, "pair", 0);
    return rung_effects_run(ctx, model, data, &o, (rung_effects **)found);
}

static rung_status row(rung_ctx *ctx, const rung_model *model, const rung_data *data, const rung_data *background,
                       SEXP options, void **found)
{
    rung_row_options o = {.size = sizeof o};
    o.row = field_int(options, "row", 1) - 1;
    o.samples = field_int(options, "samples", 0);
    o.rows = field_int(options, "rows", 0);
    o.fixed = field_texts(options, "fixed");
    o.background = background;
    return rung_row_explain(ctx, model, data, &o, (rung_row **)found);
}

static void importance_release(void *found) { rung_importance_free(found); }
static void effects_release(void *found) { rung_effects_free(found); }
static void row_release(void *found) { rung_row_free(found); }

/* What explains a model, "importance", "effects" or "row", on the rows of a table; only the first needs labels. others:
 * a table of the rows that a row is compared with; NULL: the same rows. */
SEXP r_explain(SEXP handle, SEXP model, SEXP table, SEXP others, SEXP type, SEXP options)
{
    static const struct {
        const char *type;
        explain_fn *run;
        SEXP (*list)(const void *found, int classes);
        free_fn *release;
        rung_labels labels;
    } kinds[] = {{"importance", importance, importance_list, importance_release, RUNG_LABELS_REQUIRED},
                 {"effects", effects, effects_list, effects_release, RUNG_LABELS_IGNORED},
                 {"row", row, row_list, row_release, RUNG_LABELS_IGNORED}};
    int k = 0;
    while (k < 2 && strcmp(kinds[k].type, CHAR(STRING_ELT(type, 0)))) k++;
    session *s = session_of(handle);
    SEXP data = PROTECT(data_for_model(s, handle_get(model), table, kinds[k].labels));
    int compared = others != R_NilValue && data != R_NilValue;
    SEXP background =
        PROTECT(compared ? data_for_model(s, handle_get(model), others, RUNG_LABELS_IGNORED) : R_NilValue);
    SEXP keep = PROTECT(handle_new(kinds[k].release)), out = R_NilValue;
    if (data != R_NilValue && (!compared || background != R_NilValue)) {
        void *found = NULL;
        session_begin(s);
        session_end(s, kinds[k].run(session_ctx(s), handle_get(model), handle_get(data),
                                    compared ? handle_get(background) : NULL, options, &found));
        handle_set(keep, found);
        if (found) out = kinds[k].list(found, rung_model_classes(handle_get(model)));
    }
    UNPROTECT(3);
    return out;
}
