// SPDX-License-Identifier: BSD-3-Clause
/* A data set of a plan: how many partitions it has, its rows, its classes. */
#include "experiment/plan/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/output.h"
#include "data/learn.h"
#include "experiment/plan/files.h"

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

static void free_names(dataset *d)
{
    for (int k = 0; k < d->classes && d->class_names; k++) free(d->class_names[k]);
    free(d->class_names);
    d->class_names = NULL;
}

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
    for (const unsigned char *b = bytes; n > 0; n--) h = (h ^ *b++) * UINT64_C(0x100000001b3);
    return h;
}

static const uint64_t EMPTY_SUM = UINT64_C(0xcbf29ce484222325);

static uint64_t hash_data(uint64_t h, const rung_data *data)
{
    rung_view X = rung_data_view(data);
    const double *target = rung_data_targets(data), *weight = rung_data_weights(data);
    const int *group = rung_data_groups(data);
    h = hash(h, X.v, (size_t)(X.n * X.d) * sizeof *X.v);
    h = hash(h, rung_data_ranks(data), (size_t)X.n * sizeof(int));
    if (target) h = hash(h, target, (size_t)X.n * sizeof *target);
    if (weight) h = hash(h, weight, (size_t)X.n * sizeof *weight);
    if (group) h = hash(h, group, (size_t)X.n * sizeof *group);
    return h;
}

uint64_t dataset_sum(const dataset *d)
{
    uint64_t h = d->fingerprint;
    return d->prints ? hash(h, d->prints, (size_t)d->partitions * sizeof *d->prints) : h;
}

/* order: of the classes; real: the labels are numbers. */
static rung_status encode(rung_ctx *ctx, const plan_dataset *d, const rung_table *table, const char *order, int real,
                          rung_data **out)
{
    const char **lists[] = {learn_columns(d->ignore), learn_columns(d->nominal), learn_columns(d->numeric),
                            learn_columns(d->dates)};
    rung_encode_options how = {.size = sizeof how,
                               .label = d->label,
                               .order = order,
                               .ignore = lists[0],
                               .weights = d->weights,
                               .groups = d->groups,
                               .nominal = lists[1],
                               .numeric = lists[2],
                               .dates = lists[3],
                               .ordinal = (const char *const *)d->ordinal,
                               .real = real,
                               .bins = d->bins,
                               .bins_width = d->width};
    rung_status status = rung_data_encode(ctx, table, &how, out);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]);
    return status;
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
    char *path = files_data(d);
    int code = session_check(s, rung_table_read(s->ctx, path, NULL, &table));
    if (code == EXIT_OK) code = session_check(s, encode(s->ctx, d, table, d->order, d->real, &out->data));
    rung_table_free(table);
    if (code == EXIT_OK && rung_data_uppers(out->data)) code = no_intervals(path);
    free(path);
    if (code != EXIT_OK) return code;
    describe(out, out->data);
    out->rows = rung_data_rows(out->data);
    out->fingerprint = hash_data(EMPTY_SUM, out->data);
    if (d->kind != SPLITS) return EXIT_OK;
    out->partitions = files_splits(d, d->runs, out->rows, &out->test, &out->n_test);
    if (out->partitions < 0) return FAILED;
    out->prints = allocate((size_t)out->partitions, sizeof *out->prints);
    out->fingerprint = hash(out->fingerprint, out->test[0], (size_t)out->n_test[0] * sizeof **out->test);
    for (int64_t i = 0; i < out->partitions; i++)
        out->prints[i] = hash(EMPTY_SUM, out->test[i], (size_t)out->n_test[i] * sizeof **out->test);
    return EXIT_OK;
}

/* ---- partitions in separate files ---- */

/* like: the training rows, for the file of the test rows; NULL: this is that of the training rows. */
static rung_status read_part(rung_ctx *ctx, const plan_dataset *d, const char *which, int64_t index,
                             const rung_data *like, rung_table **out)
{
    char *path = files_of_partition(d, which, index); /* a missing one is reported by name */
    if (!path) path = text_of("%s/%s_%s.%lld", d->folder, which, d->source, (long long)index);
    rung_read_options how = {.size = sizeof how, .format = d->kind == ORCA ? "orca" : "csv"};
    rung_files *files = NULL;
    rung_status status = rung_files_new(ctx, (const char *const[]){path, NULL}, &files);
    if (status == RUNG_OK)
        status = like ? rung_data_read_like(ctx, like, files, &how, out) : rung_table_read_files(ctx, files, &how, out);
    rung_files_free(files);
    free(path);
    return status;
}

rung_status dataset_read_parts(rung_ctx *ctx, const plan_dataset *d, int64_t index, const char *order,
                               rung_data **train, rung_data **test)
{
    rung_table *table = NULL;
    *train = *test = NULL;
    rung_status status = read_part(ctx, d, "train", index, NULL, &table);
    if (status == RUNG_OK) status = encode(ctx, d, table, order, order == NULL, train);
    rung_table_free(table);
    table = NULL;
    if (status == RUNG_OK) status = read_part(ctx, d, "test", index, *train, &table);
    if (status == RUNG_OK) status = rung_data_encode_like(ctx, *train, table, RUNG_LABELS_REQUIRED, test);
    rung_table_free(table);
    return status;
}

typedef struct { /* distinct labels */
    double *number;
    int64_t n, room;
} label_set;

static void add_labels(label_set *set, const rung_data *data)
{
    int64_t n = rung_data_rows(data);
    const double *target = rung_data_targets(data);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = 0;
        while (k < set->n && set->number[k] != target[i]) k++;
        if (isnan(target[i]) || k < set->n) continue;
        if (set->n == set->room) {
            double *more = allocate((size_t)(2 * set->room + 16), sizeof *more);
            if (set->n) memcpy(more, set->number, (size_t)set->n * sizeof *more);
            free(set->number);
            set->number = more;
            set->room = 2 * set->room + 16;
        }
        set->number[set->n++] = target[i];
    }
}

/* The classes of the whole set, as an order: a partition may lack one. */
static char *order_of(label_set *set)
{
    qsort(set->number, (size_t)set->n, sizeof *set->number, compare_numbers);
    char *order = text_of("%s", set->n ? number_of(set->number[0]).text : "");
    for (int64_t i = 1; i < set->n; i++) text_add(&order, "<%s", number_of(set->number[i]).text);
    return order;
}

/* Of every partition the rows and, unless the order is known, the labels as numbers. What a partition says to the log,
 * the first one says for all. */
static rung_status look_at_parts(rung_ctx *ctx, const plan_dataset *d, dataset *out, label_set *set)
{
    rung_status status = RUNG_OK;
    int64_t all = files_partitions(d); /* those that are not run have classes, too */
    for (int64_t i = 0; i < all && status == RUNG_OK; i++) {
        rung_data *train, *test;
        status = dataset_read_parts(ctx, d, i, d->order, &train, &test);
        if (status == RUNG_OK && i < out->partitions) out->prints[i] = hash_data(hash_data(EMPTY_SUM, train), test);
        if (status == RUNG_OK && i == 0) {
            out->rows = rung_data_rows(train) + rung_data_rows(test);
            describe(out, train);
        }
        if (status == RUNG_OK && !d->order && !d->real) {
            add_labels(set, train);
            add_labels(set, test);
        }
        rung_data_free(train);
        rung_data_free(test);
    }
    return status;
}

static int open_parts(session *s, const plan_dataset *d, dataset *out)
{
    label_set set = {0};
    rung_data *train = NULL, *test = NULL;
    out->prints = allocate((size_t)out->partitions, sizeof *out->prints);
    int code = session_check(s, look_at_parts(s->ctx, d, out, &set));
    if (code == EXIT_OK && !d->real) {
        out->order = d->order ? text_of("%s", d->order) : order_of(&set);
        free_names(out);
        code = session_check(s, dataset_read_parts(s->ctx, d, 0, out->order, &train, &test));
        if (code == EXIT_OK) describe(out, train);
        if (code == EXIT_OK && (rung_data_uppers(train) || rung_data_uppers(test))) code = no_intervals(d->folder);
    }
    out->fingerprint = out->order ? hash(EMPTY_SUM, out->order, strlen(out->order) + 1) : EMPTY_SUM;
    rung_data_free(train);
    rung_data_free(test);
    free(set.number);
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
    free_names(d);
    free(d->prints);
    free(d->order);
    rung_data_free(d->data);
    *d = (dataset){0};
}
