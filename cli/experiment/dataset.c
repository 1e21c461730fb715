// SPDX-License-Identifier: BSD-3-Clause
/* A data set of a plan: how many partitions it has, its rows, its classes. */
#include "experiment/dataset.h"

#include <stdlib.h>
#include <string.h>

#include "experiment/files.h"

bool dataset_exists(const plan_dataset *d)
{
    char *path = d->kind == ORCA || d->kind == SKORDINAL ? files_of_partition(d, "train", 0) : files_data(d);
    free(path);
    return path != NULL;
}

static void free_splits(int64_t n, int64_t **test, int64_t *n_test)
{
    for (int64_t i = 0; i < n; i++) free(test[i]);
    free(test);
    free(n_test);
}

int64_t dataset_partitions(const plan_dataset *d)
{
    int64_t n = d->runs;
    if (!dataset_exists(d)) {
        if (d->kind == ORCA || d->kind == SKORDINAL)
            complain("experiment: data set %s: no partition files of %s found in %s", d->name, d->source, d->folder);
        else if (d->file)
            complain("experiment: data set %s: no %s found in %s", d->name, d->file, d->folder);
        else
            complain("experiment: data set %s: no %s.csv found in %s", d->name, d->source, d->folder);
        return 0;
    }
    if (d->kind == SPLITS) {
        int64_t **test, *n_test;
        n = files_splits(d, d->runs, -1, &test, &n_test);
        if (n > 0) free_splits(n, test, n_test);
    } else if (d->kind != RANDOM) {
        n = files_partitions(d);
        if (d->runs && n > d->runs) n = d->runs;
    }
    return n < 0 ? 0 : n;
}

/* ---- a data set ---- */

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
    for (const unsigned char *b = bytes; n > 0; n--) h = (h ^ *b++) * UINT64_C(0x100000001b3);
    return h;
}

static rung_encode_options encode_options(const plan_dataset *d)
{
    return (rung_encode_options){.size = sizeof(rung_encode_options),
                                 .label = d->label,
                                 .order = d->order,
                                 .ignore = d->ignore,
                                 .real = d->real,
                                 .bins = d->bins,
                                 .bins_width = d->width};
}

static void describe(dataset *out, const rung_data *data)
{
    out->features = rung_data_features(data);
    out->classes = rung_data_classes(data);
    out->class_names = allocate((size_t)out->classes + 1, sizeof *out->class_names);
    for (int k = 0; k < out->classes; k++) out->class_names[k] = text_of("%s", rung_data_class_name(data, k + 1));
}

static int no_intervals(const char *where)
{
    complain("%s: some labels are intervals, such as 2..4; an experiment needs one class for each label", where);
    return FAILED;
}

static int open_whole(session *s, const plan_dataset *d, dataset *out)
{
    rung_table *table = NULL;
    rung_encode_options how = encode_options(d);
    char *path = files_data(d);
    int code = session_check(s, rung_table_read(s->ctx, path, NULL, &table));
    if (code == EXIT_OK) code = session_check(s, rung_data_encode(s->ctx, table, &how, &out->data));
    rung_table_free(table);
    if (code == EXIT_OK && rung_data_uppers(out->data)) code = no_intervals(path);
    free(path);
    if (code != EXIT_OK) return code;
    describe(out, out->data);
    rung_view X = rung_data_view(out->data);
    const double *target = rung_data_targets(out->data);
    out->rows = X.n;
    uint64_t h = hash(UINT64_C(0xcbf29ce484222325), X.v, (size_t)(X.n * X.d) * sizeof *X.v);
    h = hash(h, rung_data_ranks(out->data), (size_t)X.n * sizeof(int));
    if (target) h = hash(h, target, (size_t)X.n * sizeof *target);
    if (d->kind == SPLITS) {
        out->partitions = files_splits(d, d->runs, X.n, &out->test, &out->n_test);
        if (out->partitions < 0) return FAILED;
        h = hash(h, out->test[0], (size_t)out->n_test[0] * sizeof **out->test);
    }
    out->fingerprint = h;
    return EXIT_OK;
}

/* ---- partitions in separate files ---- */

rung_status dataset_read_part(rung_ctx *ctx, const plan_dataset *d, const char *which, int64_t index, rung_table **out)
{
    char *path = files_of_partition(d, which, index);
    char *wanted = path ? NULL : text_of("%s/%s_%s.%lld", d->folder, which, d->source, (long long)index);
    rung_read_options how = {.size = sizeof how, .format = d->kind == ORCA ? "orca" : "csv"};
    rung_status status = rung_table_read(ctx, path ? path : wanted, &how, out); /* a missing one is reported by name */
    free(path);
    free(wanted);
    return status;
}

typedef struct {
    char **text;
    int n;
} label_set;

static void label_add(label_set *set, const char *text)
{
    for (int i = 0; i < set->n; i++)
        if (!strcmp(set->text[i], text)) return;
    char **more = allocate((size_t)set->n + 1, sizeof *more);
    if (set->n) memcpy(more, set->text, (size_t)set->n * sizeof *more);
    free(set->text);
    set->text = more;
    more[set->n++] = text_of("%s", text);
}

static int by_value(const void *a, const void *b)
{
    double x = strtod(*(char *const *)a, NULL), y = strtod(*(char *const *)b, NULL);
    return (x > y) - (x < y);
}

/* The labels of one file, into the set and the fingerprint. False: some are intervals. */
static bool scan_labels(const rung_table *table, dataset *out, label_set *set)
{
    int64_t rows = rung_table_rows(table), last = rung_table_columns(table) - 1;
    for (int64_t i = 0; i < rows; i++) {
        char text[64];
        double number;
        rung_table_cell(table, i, last, text, sizeof text);
        out->fingerprint = hash(out->fingerprint, text, strlen(text) + 1);
        if (parse_double(text, &number)) label_add(set, text);
        if (strstr(text, "..") || !strncmp(text, "<=", 2) || !strncmp(text, ">=", 2)) return false;
    }
    out->rows += rows;
    return true;
}

/* The classes of the whole set: a partition may lack one. */
static int open_parts(session *s, const plan_dataset *d, dataset *out)
{
    label_set set = {0};
    int code = EXIT_OK;
    int64_t rows = 0;
    rung_table *table = NULL;
    rung_data *data = NULL;
    for (int64_t i = 0; i < 2 * out->partitions && code == EXIT_OK; i++) {
        code = session_check(s, dataset_read_part(s->ctx, d, i % 2 ? "test" : "train", i / 2, &table));
        if (code == EXIT_OK && !scan_labels(table, out, &set)) code = no_intervals(d->folder);
        if (i == 1) rows = out->rows;
        rung_table_free(table);
        table = NULL;
    }
    out->rows = rows;
    qsort(set.text, (size_t)set.n, sizeof *set.text, by_value);
    if (d->order) {
        out->order = text_of("%s", d->order);
    } else {
        out->order = text_of("%s", set.n ? set.text[0] : "");
        for (int i = 1; i < set.n; i++) {
            char *longer = text_of("%s<%s", out->order, set.text[i]);
            free(out->order);
            out->order = longer;
        }
    }
    for (int i = 0; i < set.n; i++) free(set.text[i]);
    free(set.text);
    if (code == EXIT_OK) code = session_check(s, dataset_read_part(s->ctx, d, "train", 0, &table));
    rung_encode_options how = {.size = sizeof how, .order = out->order};
    if (code == EXIT_OK) code = session_check(s, rung_data_encode(s->ctx, table, &how, &data));
    if (code == EXIT_OK) describe(out, data);
    rung_data_free(data);
    rung_table_free(table);
    return code;
}

int dataset_load(session *s, const plan_dataset *d, dataset *out)
{
    *out = (dataset){.plan = d, .partitions = dataset_partitions(d)};
    if (out->partitions == 0) return FAILED;
    return d->kind == ORCA || d->kind == SKORDINAL ? open_parts(s, d, out) : open_whole(s, d, out);
}

void dataset_unload(dataset *d)
{
    if (d->test) free_splits(d->partitions, d->test, d->n_test);
    for (int k = 0; k < d->classes && d->class_names; k++) free(d->class_names[k]);
    free(d->class_names);
    free(d->order);
    rung_data_free(d->data);
    *d = (dataset){0};
}
