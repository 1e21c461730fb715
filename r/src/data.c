/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of R as tables of the library, and tables as data. */
#include "data.h"

#include <string.h>

static void table_release(void *table) { rung_table_free(table); }
static void data_release(void *data) { rung_data_free(data); }

/* The codes of a factor count from 1, NA being the smallest integer; those of the library from 0, -1 being missing. */
static const int32_t *codes_of(SEXP factor, R_xlen_t n)
{
    int32_t *code = (int32_t *)R_alloc((size_t)n, sizeof *code);
    for (R_xlen_t i = 0; i < n; i++) code[i] = INTEGER(factor)[i] == NA_INTEGER ? -1 : INTEGER(factor)[i] - 1;
    return code;
}

static rung_status add_factor(rung_ctx *ctx, rung_table *table, const char *name, SEXP factor, R_xlen_t n)
{
    SEXP levels = Rf_getAttrib(factor, R_LevelsSymbol);
    int k = (int)Rf_xlength(levels);
    const char **values = (const char **)R_alloc((size_t)k + 1, sizeof *values);
    for (int i = 0; i < k; i++) values[i] = Rf_translateCharUTF8(STRING_ELT(levels, i));
    return rung_table_add_text(ctx, table, name, codes_of(factor, n), values, k, Rf_inherits(factor, "ordered"));
}

/* Text that is only text is read as in a file, where numbers may be among it. */
static rung_status add_cells(rung_ctx *ctx, rung_table *table, const char *name, SEXP factor, R_xlen_t n)
{
    SEXP levels = Rf_getAttrib(factor, R_LevelsSymbol);
    R_xlen_t k = Rf_xlength(levels);
    const char **values = (const char **)R_alloc((size_t)k + 1, sizeof *values);
    const char **cells = (const char **)R_alloc((size_t)n, sizeof *cells);
    for (R_xlen_t i = 0; i < k; i++) values[i] = Rf_translateCharUTF8(STRING_ELT(levels, i));
    for (R_xlen_t i = 0; i < n; i++)
        cells[i] = INTEGER(factor)[i] == NA_INTEGER ? NULL : values[INTEGER(factor)[i] - 1];
    return rung_table_add_cells(ctx, table, name, cells);
}

/* plain: of every column, whether it is only text. */
SEXP r_table(SEXP handle, SEXP rows, SEXP columns, SEXP names, SEXP plain)
{
    session *s = session_of(handle);
    rung_ctx *ctx = session_ctx(s);
    SEXP out = PROTECT(handle_new(table_release));
    R_xlen_t n = (R_xlen_t)Rf_asReal(rows), d = Rf_xlength(columns);
    rung_table *table = NULL;
    rung_status status = rung_table_new(ctx, (int64_t)n, &table);
    if (status == RUNG_OK) handle_set(out, table);
    for (R_xlen_t j = 0; j < d && status == RUNG_OK; j++) {
        SEXP column = VECTOR_ELT(columns, j);
        const char *name = names == R_NilValue ? NULL : Rf_translateCharUTF8(STRING_ELT(names, j));
        if (TYPEOF(column) == REALSXP)
            status = rung_table_add_numbers(ctx, table, name, REAL(column), 1);
        else if (LOGICAL(plain)[j])
            status = add_cells(ctx, table, name, column, n);
        else
            status = add_factor(ctx, table, name, column, n);
    }
    session_note(s, status);
    UNPROTECT(1);
    return out;
}

SEXP r_encode(SEXP handle, SEXP table, SEXP options)
{
    session *s = session_of(handle);
    SEXP out = PROTECT(handle_new(data_release));
    rung_encode_options o = {.size = sizeof o};
    o.label = field_text(options, "label");
    o.order = field_text(options, "order");
    o.weights = field_text(options, "weights");
    o.groups = field_text(options, "groups");
    o.nominal = field_texts(options, "nominal");
    o.numeric = field_texts(options, "numeric");
    o.dates = field_texts(options, "dates");
    o.ordinal = field_texts(options, "ordinal");
    o.ignore = field_texts(options, "ignore");
    o.derive = field_texts(options, "derive");
    o.random = field_texts(options, "random");
    o.known_groups = field_int(options, "known_groups", 0);
    o.missing_error = field_int(options, "missing_error", 0);
    o.real = field_int(options, "real", 0);
    o.unlabelled = o.label == NULL;
    rung_data *data = NULL;
    session_note(s, rung_data_encode(session_ctx(s), handle_get(table), &o, &data));
    handle_set(out, data);
    UNPROTECT(1);
    return out;
}

/* Texts (NA: none) read as the cells of a label column; order: that of the classes, or NULL. */
SEXP r_read_labels(SEXP handle, SEXP labels, SEXP order)
{
    session *s = session_of(handle);
    SEXP out = PROTECT(handle_new(data_release));
    R_xlen_t n = Rf_xlength(labels);
    const char **text = (const char **)R_alloc((size_t)n + 1, sizeof *text);
    for (R_xlen_t i = 0; i < n; i++)
        text[i] = STRING_ELT(labels, i) == NA_STRING ? NULL : Rf_translateCharUTF8(STRING_ELT(labels, i));
    rung_data *data = NULL;
    const char *classes = order == R_NilValue ? NULL : Rf_translateCharUTF8(STRING_ELT(order, 0));
    session_note(s, rung_data_new_labels(session_ctx(s), (int64_t)n, text, classes, &data));
    handle_set(out, data);
    UNPROTECT(1);
    return out;
}

/* Marks the rows that were labelled because they were chosen: a flag per row. */
SEXP r_set_chosen(SEXP handle, SEXP data, SEXP chosen)
{
    session *s = session_of(handle);
    session_note(s, rung_data_set_chosen(session_ctx(s), handle_get(data), INTEGER(chosen)));
    return R_NilValue;
}

/* The names of the classes, lowest first. */
SEXP r_classes(SEXP data)
{
    const rung_data *d = handle_get(data);
    int n = rung_data_classes(d);
    SEXP out = PROTECT(Rf_allocVector(STRSXP, n));
    for (int k = 0; k < n; k++) SET_STRING_ELT(out, k, text_utf8(rung_data_class_name(d, k + 1)));
    UNPROTECT(1);
    return out;
}

SEXP data_for_model(session *s, const rung_model *model, SEXP table, rung_labels labels)
{
    SEXP out = PROTECT(handle_new(data_release));
    rung_data *data = NULL;
    session_note(s, rung_model_encode(session_ctx(s), model, handle_get(table), labels, &data));
    handle_set(out, data);
    UNPROTECT(1);
    return data ? out : R_NilValue;
}

/* Ranks (0: unlabelled), or the targets if they are real. */
SEXP r_labels(SEXP data)
{
    const rung_data *d = handle_get(data);
    R_xlen_t n = (R_xlen_t)rung_data_rows(d);
    const double *target = rung_data_targets(d);
    const int *rank = rung_data_ranks(d);
    if (!target && !rank) return R_NilValue;
    SEXP out = PROTECT(Rf_allocVector(target ? REALSXP : INTSXP, n));
    for (R_xlen_t i = 0; i < n; i++) {
        if (target)
            REAL(out)[i] = target[i];
        else
            INTEGER(out)[i] = rank[i];
    }
    UNPROTECT(1);
    return out;
}

/* The upper ranks of labels that are intervals; NULL: none is. */
SEXP r_uppers(SEXP data)
{
    const rung_data *d = handle_get(data);
    const int *upper = rung_data_uppers(d);
    if (!upper) return R_NilValue;
    SEXP out = Rf_allocVector(INTSXP, (R_xlen_t)rung_data_rows(d));
    memcpy(INTEGER(out), upper, (size_t)rung_data_rows(d) * sizeof *upper);
    return out;
}

SEXP r_feature_names(SEXP data)
{
    const rung_data *d = handle_get(data);
    R_xlen_t n = (R_xlen_t)rung_data_features(d);
    SEXP out = PROTECT(Rf_allocVector(STRSXP, n));
    char text[512];
    for (R_xlen_t j = 0; j < n; j++) {
        rung_data_feature_name(d, (int64_t)j, text, sizeof text);
        SET_STRING_ELT(out, j, text_utf8(text));
    }
    UNPROTECT(1);
    return out;
}

/* The formula data sets: list(x = matrix, rank = integer). */
SEXP r_generate(SEXP handle, SEXP name, SEXP rows, SEXP noise, SEXP unlabelled)
{
    session *s = session_of(handle);
    SEXP owner = PROTECT(handle_new(data_release));
    rung_data *data = NULL;
    session_note(s, rung_data_generate(session_ctx(s), Rf_translateCharUTF8(STRING_ELT(name, 0)),
                                       (int64_t)Rf_asReal(rows), Rf_asReal(noise), Rf_asReal(unlabelled), &data));
    handle_set(owner, data);
    if (!data) {
        UNPROTECT(1);
        return R_NilValue;
    }
    rung_view X = rung_data_view(data);
    const char *names[] = {"x", "rank", ""};
    SEXP out = PROTECT(Rf_mkNamed(VECSXP, names));
    SEXP x = Rf_allocMatrix(REALSXP, (int)X.n, (int)X.d);
    SET_VECTOR_ELT(out, 0, x);
    for (int64_t i = 0; i < X.n; i++)
        for (int64_t j = 0; j < X.d; j++) REAL(x)[i + j * X.n] = X.v[i * X.row + j * X.col];
    SET_VECTOR_ELT(out, 1, r_labels(owner));
    UNPROTECT(2);
    return out;
}
