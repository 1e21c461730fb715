// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/partitions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/files.h"

bool partitions_there(const plan_dataset *d)
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

int64_t partitions_count(const plan_dataset *d)
{
    int64_t n = d->runs;
    if (!partitions_there(d)) {
        if (d->kind == ORCA || d->kind == SKORDINAL)
            complain("experiment: %s: there are no files of partitions of %s", d->folder, d->source);
        else
            complain("experiment: %s: there is no %s", d->folder, d->file ? d->file : "data file of that name");
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

/* splitmix64: seeds that have nothing to do with each other. */
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The folds of a search are drawn by the plan's seed itself, as in ORCA: the rows differ anyway. */
uint64_t partition_seed(const plan_dataset *d, int64_t index, int purpose)
{
    if (purpose == SEED_FIT) return d->seed;
    return mixed(mixed(mixed(d->seed) + (uint64_t)index) + (uint64_t)purpose);
}

/* ---- a data set ---- */

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
    for (const unsigned char *b = bytes; n > 0; n--) h = (h ^ *b++) * UINT64_C(0x100000001b3);
    return h;
}

static rung_encode_options encode_options(const plan_dataset *d)
{
    return (rung_encode_options){.label = d->label,
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

static int open_whole(session *s, const plan_dataset *d, dataset *out)
{
    rung_table *table = NULL;
    rung_encode_options how = encode_options(d);
    char *path = files_data(d);
    int code = session_check(s, rung_read(s->ctx, path, NULL, &table));
    if (code == GOOD) code = session_check(s, rung_encode(s->ctx, table, &how, &out->data));
    rung_table_free(table);
    free(path);
    if (code != GOOD) return code;
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
    return GOOD;
}

/* ---- partitions with files of their own ---- */

static rung_status read_part(rung_ctx *ctx, const plan_dataset *d, const char *which, int64_t index, rung_table **out)
{
    char *path = files_of_partition(d, which, index);
    char *wanted = path ? NULL : text_of("%s/%s_%s.%lld", d->folder, which, d->source, (long long)index);
    rung_read_options how = {.format = d->kind == ORCA ? "orca" : "csv"};
    rung_status status = rung_read(ctx, path ? path : wanted, &how, out); /* one that is missing is told by its name */
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

/* The labels of one file, into the set and the fingerprint. */
static void scan_labels(const rung_table *table, dataset *out, label_set *set)
{
    int64_t rows = rung_table_rows(table), last = rung_table_columns(table) - 1;
    for (int64_t i = 0; i < rows; i++) {
        char text[64];
        double number;
        rung_table_cell(table, i, last, text, sizeof text);
        out->fingerprint = hash(out->fingerprint, text, strlen(text) + 1);
        if (parse_double(text, &number)) label_add(set, text);
    }
    out->rows += rows;
}

/* The classes of the whole set: a partition may lack one. */
static int open_parts(session *s, const plan_dataset *d, dataset *out)
{
    label_set set = {0};
    int code = GOOD;
    int64_t rows = 0;
    rung_table *table = NULL;
    rung_data *data = NULL;
    for (int64_t i = 0; i < 2 * out->partitions && code == GOOD; i++) {
        code = session_check(s, read_part(s->ctx, d, i % 2 ? "test" : "train", i / 2, &table));
        if (code == GOOD) scan_labels(table, out, &set);
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
    if (code == GOOD) code = session_check(s, read_part(s->ctx, d, "train", 0, &table));
    rung_encode_options how = {.order = out->order};
    if (code == GOOD) code = session_check(s, rung_encode(s->ctx, table, &how, &data));
    if (code == GOOD) describe(out, data);
    rung_data_free(data);
    rung_table_free(table);
    return code;
}

int plan_data_open(session *s, const plan_dataset *d, dataset *out)
{
    *out = (dataset){.plan = d, .partitions = partitions_count(d)};
    if (out->partitions == 0) return FAILED;
    return d->kind == ORCA || d->kind == SKORDINAL ? open_parts(s, d, out) : open_whole(s, d, out);
}

void plan_data_close(dataset *d)
{
    if (d->test) free_splits(d->partitions, d->test, d->n_test);
    for (int k = 0; k < d->classes && d->class_names; k++) free(d->class_names[k]);
    free(d->class_names);
    free(d->order);
    rung_data_free(d->data);
    *d = (dataset){0};
}

/* ---- one partition ---- */

/* Ranks to draw by: real targets are one class. */
static int *ranks_of(const rung_data *data)
{
    int64_t n = rung_data_rows(data);
    const double *target = rung_data_targets(data);
    int *rank = allocate((size_t)n, sizeof *rank);
    if (!target) memcpy(rank, rung_data_ranks(data), (size_t)n * sizeof *rank);
    for (int64_t i = 0; i < n && target; i++) rank[i] = !isnan(target[i]);
    return rank;
}

static int64_t labelled_rows(int64_t n, const int *rank)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += rank[i] > 0;
    return count;
}

/* Sets the ranks to 0 that are not among the `kept`. */
static rung_status keep(rung_ctx *ctx, int64_t n, int *rank, int classes, const amount *kept, bool instead)
{
    double labelled = (double)labelled_rows(n, rank),
           share = kept->rows > 0 ? (double)kept->rows / (labelled > 0 ? labelled : 1) : kept->share;
    if (share > 1) share = 1;
    return rung_hide_labels(ctx, n, rank, classes, instead ? share : 1 - share, kept->per_class);
}

/* Which rows are test rows: flags. */
static rung_status draw_test(rung_ctx *ctx, const dataset *d, int64_t index, int *is_test)
{
    const plan_dataset *p = d->plan;
    if (p->kind == SPLITS) {
        for (int64_t i = 0; i < d->n_test[index]; i++) is_test[d->test[index][i]] = 1;
        return RUNG_OK;
    }
    int *rank = ranks_of(d->data), *before = ranks_of(d->data);
    bool by_test = p->test.rows > 0 || p->test.share > 0;
    rung_set_seed(ctx, partition_seed(p, index, SEED_TEST));
    rung_status status = keep(ctx, d->rows, rank, d->classes ? d->classes : 1, by_test ? &p->test : &p->train, by_test);
    for (int64_t i = 0; i < d->rows; i++) is_test[i] = before[i] > 0 && rank[i] == 0;
    free(before);
    free(rank);
    return status;
}

/* Keeps the true labels beside, hides those that are not to be given, and puts the test rows of a transductive one
 * behind. `all` are the training rows, then the test rows. */
static rung_status hide(rung_ctx *ctx, const dataset *d, int64_t index, const rung_data *all, partition *out)
{
    const plan_dataset *p = d->plan;
    int64_t n = out->n_train + (p->transductive ? out->n_test : 0);
    const double *target = rung_data_targets(all);
    int *rank = ranks_of(all), *before = ranks_of(all), *hidden = allocate((size_t)n, sizeof *hidden);
    int64_t *rows = allocate((size_t)n, sizeof *rows);
    rung_status status = RUNG_OK;
    out->train_rank = allocate((size_t)out->n_train, sizeof *out->train_rank);
    memcpy(out->train_rank, rung_data_ranks(all), (size_t)out->n_train * sizeof *out->train_rank);
    if (target) {
        out->train_target = allocate((size_t)out->n_train, sizeof *out->train_target);
        memcpy(out->train_target, target, (size_t)out->n_train * sizeof *target);
    }
    if (p->labelled.share > 0 || p->labelled.rows > 0 || p->labelled.per_class > 0) {
        rung_set_seed(ctx, partition_seed(p, index, SEED_LABELS));
        status = keep(ctx, out->n_train, rank, d->classes ? d->classes : 1, &p->labelled, false);
    }
    for (int64_t i = 0; i < n; i++) {
        rows[i] = i;
        hidden[i] = i >= out->n_train || (before[i] > 0 && rank[i] == 0);
    }
    if (status == RUNG_OK) status = rung_data_subset(ctx, all, n, rows, hidden, &out->train);
    free(rows);
    free(hidden);
    free(before);
    free(rank);
    return status;
}

static rung_status cut(rung_ctx *ctx, const dataset *d, int64_t index, partition *out)
{
    int *is_test = allocate((size_t)d->rows, sizeof *is_test);
    int64_t *order = allocate((size_t)d->rows, sizeof *order);
    rung_data *all = NULL;
    rung_status status = draw_test(ctx, d, index, is_test);
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0; i < d->rows; i++)
            if (is_test[i] == side) order[side ? out->n_train + out->n_test++ : out->n_train++] = i;
    out->train_rows = allocate((size_t)out->n_train, sizeof *order);
    out->test_rows = allocate((size_t)out->n_test, sizeof *order);
    memcpy(out->train_rows, order, (size_t)out->n_train * sizeof *order);
    memcpy(out->test_rows, order + out->n_train, (size_t)out->n_test * sizeof *order);
    if (status == RUNG_OK) status = rung_data_subset(ctx, d->data, out->n_test, out->test_rows, NULL, &out->test);
    if (status == RUNG_OK) status = rung_data_subset(ctx, d->data, d->rows, order, NULL, &all);
    if (status == RUNG_OK) status = hide(ctx, d, index, all, out);
    rung_data_free(all);
    free(order);
    free(is_test);
    return status;
}

static rung_status encode_part(rung_ctx *ctx, const dataset *d, const char *which, int64_t index, rung_data **out)
{
    rung_table *table = NULL;
    rung_encode_options how = {.order = d->order};
    rung_status status = read_part(ctx, d->plan, which, index, &table);
    if (status == RUNG_OK) status = rung_encode(ctx, table, &how, out);
    rung_table_free(table);
    return status;
}

static rung_status read_files(rung_ctx *ctx, const dataset *d, int64_t index, partition *out)
{
    rung_data *train = NULL;
    rung_status status = encode_part(ctx, d, "train", index, &train);
    if (status == RUNG_OK) status = encode_part(ctx, d, "test", index, &out->test);
    if (status == RUNG_OK) {
        out->n_train = rung_data_rows(train);
        out->n_test = rung_data_rows(out->test);
        out->train_rows = allocate((size_t)out->n_train, sizeof *out->train_rows);
        out->test_rows = allocate((size_t)out->n_test, sizeof *out->test_rows);
        for (int64_t i = 0; i < out->n_train; i++) out->train_rows[i] = i;
        for (int64_t i = 0; i < out->n_test; i++) out->test_rows[i] = i;
        status = hide(ctx, d, index, train, out);
    }
    rung_data_free(train);
    return status;
}

rung_status partition_open(rung_ctx *ctx, const dataset *d, int64_t index, partition *out)
{
    *out = (partition){0};
    rung_status status = d->data ? cut(ctx, d, index, out) : read_files(ctx, d, index, out);
    if (status == RUNG_OK) {
        out->test_rank = rung_data_ranks(out->test);
        out->test_target = rung_data_targets(out->test);
    }
    return status;
}

void partition_close(partition *p)
{
    rung_data_free(p->train);
    rung_data_free(p->test);
    free(p->train_rank);
    free(p->train_target);
    free(p->train_rows);
    free(p->test_rows);
    *p = (partition){0};
}
