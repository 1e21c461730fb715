// SPDX-License-Identifier: BSD-3-Clause
/* Golden units of the Bayesian methods: folders of CSV files and one params.json. Include after helper.h. */
#ifndef RUNG_TESTS_BAYES_UNITS_H
#define RUNG_TESTS_BAYES_UNITS_H

#include <jansson.h>

static inline double *unit_numbers(const char *unit, const char *file, int64_t *rows, int64_t *columns)
{
    char path[512];
    snprintf(path, sizeof path, GOLDEN("units/%s/%s.csv"), unit, file);
    return read_numbers(path, rows, columns);
}

/* A matrix, transposed: columns x rows, that is each row of the file contiguous. */
static inline double *unit_rows(const char *unit, const char *file, int64_t *rows, int64_t *columns)
{
    return unit_numbers(unit, file, rows, columns);
}

static inline int *unit_ranks(const char *unit, const char *file)
{
    int64_t rows, columns;
    double *v = unit_numbers(unit, file, &rows, &columns);
    int *y = malloc((size_t)rows * sizeof *y);
    assert_non_null(y);
    for (int64_t i = 0; i < rows; i++) y[i] = (int)v[i];
    free(v);
    return y;
}

static inline json_t *unit_params(const char *unit)
{
    char path[512];
    snprintf(path, sizeof path, GOLDEN("units/%s/params.json"), unit);
    json_t *json = json_load_file(path, 0, NULL);
    assert_non_null(json);
    return json;
}

static inline double unit_scalar(const json_t *json, const char *name)
{
    const json_t *value = json_object_get(json_object_get(json, "scalars"), name);
    assert_non_null(value);
    return json_number_value(value);
}

/* Within the tolerance of the units: |a - e| <= 1e-8 + 1e-6 |e|. */
static inline void check_unit(int64_t n, const double *actual, const double *expected, const char *what,
                              const char *file, int line)
{
    for (int64_t i = 0; i < n; i++) {
        if (fabs(actual[i] - expected[i]) <= 1e-8 + 1e-6 * fabs(expected[i])) continue;
        print_error("%s[%lld] is %.12g, not %.12g\n", what, (long long)i, actual[i], expected[i]);
        _fail(file, line);
    }
}
#define assert_unit(n, actual, expected) check_unit(n, actual, expected, #actual, __FILE__, __LINE__)

#endif
