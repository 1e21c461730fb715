// SPDX-License-Identifier: BSD-3-Clause
/* The results in the folders and files of ORCA (Utilities.results of its sources), so that scripts written for it go on
 * working: FOLDER/Results/<data set>-<method>/ with a file per partition, tables of partitions and of means. `train`
 * are the training rows whose label was given. Spearman's coefficient is that of the ranks, where ORCA's is Pearson's
 * of the labels; the number of classes is that of the data set, never of the fold. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>

#include "experiment/report.h"
#include "output.h"

static const struct {
    const char *column, *key;
    double factor;
} columns[] = {{"Acc", "acc", 100},
               {"GM", "gm", 100},
               {"MS", "ms", 100},
               {"MAE", "mae", 1},
               {"AMAE", "amae", 1},
               {"MMAE", "mmae", 1},
               {"RSpearman", "spearman", 1},
               {"Tkendall", "tau", 1},
               {"Wkappa", "kappa", 1}};
static const char *const time_columns[] = {"TrainTime", "TestTime", "CrossvalTime"};
enum { COLUMNS = sizeof columns / sizeof *columns, TIMES = 3 };
static const char *const parts[][2] = {{"train", "labelled"}, {"test", "test"}}; /* ORCA's word, ours */

typedef struct {
    store *db;
    const results *r;
    char *results; /* FOLDER/Results */
    char *folder;  /* of one data set and method */
    const results_set *set;
    const results_entry *entry;
    int params;
    char **param;  /* the parameters that were searched */
    double *table; /* [part][partition][column] of the cells that are done */
    output means[2];
} exporter;

static bool make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0) return true;
    complain("cannot make the folder %s: %s", path, strerror(errno));
    return false;
}

static bool make_below(const char *path, const char *name)
{
    char *whole = text_of("%s/%s", path, name);
    bool good = make_folder(whole);
    free(whole);
    return good;
}

/* Opens <folder>/<a><b><c>, where b (a name from the file) becomes one step of a path. */
static bool open_below(output *o, const char *folder, const char *a, const char *b, const char *c)
{
    char *name = text_of("%s", b);
    for (char *slash = name; (slash = strchr(slash, '/')); slash++) *slash = '_';
    char *path = text_of("%s/%s%s%s", folder, a, name, c);
    bool good = output_open(o, path);
    free(name);
    free(path);
    return good;
}

static bool open_cell(const exporter *x, output *o, const char *kind, int place)
{
    char *number = text_of(".%d", x->set->partition[place]);
    bool good = open_below(o, x->folder, kind, x->set->name, number);
    free(number);
    return good;
}

static int width(const exporter *x) { return COLUMNS + TIMES + x->params; }

static double *row_at(const exporter *x, int part, int place)
{
    return x->table + ((size_t)part * (size_t)x->set->partitions + (size_t)place) * (size_t)width(x);
}

static double query_number(exporter *x, const char *sql, int64_t cell, const char *a, const char *b)
{
    sqlite3_stmt *q = store_query(x->db, sql, b ? "itt" : a ? "it" : "i", cell, a, b);
    double value = NAN;
    if (q && store_step(x->db, q) == SQLITE_ROW && sqlite3_column_type(q, 0) != SQLITE_NULL)
        value = sqlite3_column_double(q, 0);
    sqlite3_finalize(q);
    return value;
}

static void find_params(exporter *x)
{
    int64_t cell = 0;
    for (int place = 0; place < x->set->partitions && !cell; place++) cell = x->entry->cell[place];
    sqlite3_stmt *q = store_query(x->db,
                                  "SELECT DISTINCT name FROM param JOIN cell ON cell.id = param.cell WHERE searched AND"
                                  " (dataset, method) = (SELECT dataset, method FROM cell WHERE id = ?) ORDER BY name",
                                  "i", cell);
    x->param = allocate(1, sizeof *x->param);
    while (q && store_step(x->db, q) == SQLITE_ROW) {
        char **more = realloc(x->param, (size_t)(x->params + 1) * sizeof *more);
        if (!more) break;
        x->param = more;
        x->param[x->params++] = text_of("%s", (const char *)sqlite3_column_text(q, 0));
    }
    sqlite3_finalize(q);
}

/* OptHyperparams and Times of one cell; fills its rows of the table. */
static bool write_cell(exporter *x, int place)
{
    static const char *const seconds[] = {"SELECT fit_seconds FROM cell WHERE id = ?",
                                          "SELECT predict_seconds FROM cell WHERE id = ?",
                                          "SELECT search_seconds FROM cell WHERE id = ?"};
    int64_t cell = x->entry->cell[place];
    output o;
    for (int part = 0; part < 2; part++) {
        double *row = row_at(x, part, place);
        for (int k = 0; k < COLUMNS; k++)
            row[k] =
                columns[k].factor * query_number(x, "SELECT value FROM metric WHERE cell = ? AND part = ? AND key = ?",
                                                 cell, parts[part][1], columns[k].key);
        for (int k = 0; k < TIMES; k++) row[COLUMNS + k] = query_number(x, seconds[k], cell, NULL, NULL);
        for (int k = 0; k < x->params; k++)
            row[COLUMNS + TIMES + k] =
                query_number(x, "SELECT value FROM param WHERE cell = ? AND name = ?", cell, x->param[k], NULL);
    }
    if (!open_cell(x, &o, "Times/", place)) return false;
    for (int k = 0; k < TIMES; k++) fprintf(o.file, "%f\n", row_at(x, 0, place)[COLUMNS + k]);
    if (!output_keep(&o) || !open_cell(x, &o, "OptHyperparams/", place)) return false;
    for (int k = 0; k < x->params; k++)
        fprintf(o.file, "%s,%f\n", x->param[k], row_at(x, 0, place)[COLUMNS + TIMES + k]);
    return output_keep(&o);
}

static bool write_array(const exporter *x, int place, const char *kind, const char *json)
{
    json_t *list = json ? json_loads(json, JSON_DECODE_ANY, NULL) : NULL, *item;
    size_t i;
    output o;
    if (!json_is_array(list)) {
        json_decref(list);
        return true;
    }
    bool good = open_cell(x, &o, kind, place);
    if (good) {
        json_array_foreach(list, i, item)
        {
            if (json_is_integer(item))
                fprintf(o.file, "%lld\n", (long long)json_integer_value(item));
            else
                fprintf(o.file, "%.15f\n", json_number_value(item));
        }
        good = output_keep(&o);
    }
    json_decref(list);
    return good;
}

static bool write_predictions(exporter *x, int place)
{
    bool good = true;
    for (int part = 0; part < 2 && good; part++) {
        sqlite3_stmt *q = store_query(x->db, "SELECT rank, score FROM prediction WHERE cell = ? AND part = ?", "it",
                                      x->entry->cell[place], parts[part][1]);
        if (q && store_step(x->db, q) == SQLITE_ROW) {
            char *ranks = text_of("Predictions/%s_", parts[part][0]), *scores = text_of("Guess/%s_", parts[part][0]);
            good = write_array(x, place, ranks, (const char *)sqlite3_column_text(q, 0)) &&
                   write_array(x, place, scores, (const char *)sqlite3_column_text(q, 1));
            free(ranks);
            free(scores);
        }
        sqlite3_finalize(q);
    }
    return good;
}

static const char *column_name(const exporter *x, int column)
{
    if (column < COLUMNS) return columns[column].column;
    return column < COLUMNS + TIMES ? time_columns[column - COLUMNS] : x->param[column - COLUMNS - TIMES];
}

static bool write_table(exporter *x, int part)
{
    char *name = text_of("results_%s.csv", parts[part][0]);
    output o;
    bool good = open_below(&o, x->folder, "", name, "");
    free(name);
    if (!good) return false;
    fputs("Dataset", o.file);
    for (int k = 0; k < width(x); k++) fprintf(o.file, ",%s", column_name(x, k));
    fputc('\n', o.file);
    for (int place = 0; place < x->set->partitions; place++) {
        if (isnan(row_at(x, part, place)[COLUMNS])) continue; /* not done: it has no times */
        fprintf(o.file, "%s.%d", x->set->name, x->set->partition[place]);
        for (int k = 0; k < width(x); k++) fprintf(o.file, ",%f", row_at(x, part, place)[k]);
        fputc('\n', o.file);
    }
    return output_keep(&o);
}

/* One line of mean-results: every column doubled, and a comma at the end, as ORCA writes it. */
static void write_means(const exporter *x, int part, const char *method)
{
    FILE *file = x->means[part].file;
    double *value = allocate((size_t)x->set->partitions, sizeof *value);
    fprintf(file, "%s-%s,", x->set->name, method);
    for (int k = 0; k < COLUMNS + TIMES; k++) {
        int n = 0;
        for (int place = 0; place < x->set->partitions; place++)
            if (!isnan(row_at(x, part, place)[k])) value[n++] = row_at(x, part, place)[k];
        fprintf(file, "%f,%f,", n ? statistics_mean(n, value) : NAN, statistics_deviation(n, value));
    }
    fputc('\n', file);
    free(value);
}

static bool write_entry(exporter *x, int set, int method)
{
    static const char *const below[] = {"OptHyperparams", "Times", "Predictions", "Guess"};
    x->set = &x->r->set[set];
    x->entry = results_at(x->r, set, method);
    if (x->entry->done == 0) return true;
    char *name = text_of("%s-%s", x->set->name, x->r->method[method].name);
    for (char *slash = name; (slash = strchr(slash, '/')); slash++) *slash = '_';
    x->folder = text_of("%s/%s", x->results, name);
    free(name);
    output o;
    bool good = make_folder(x->folder) && open_below(&o, x->folder, "", "dataset", "");
    if (good) {
        fprintf(o.file, "%s\n", x->set->name);
        good = output_keep(&o);
    }
    for (int i = 0; i < 4 && good; i++) good = make_below(x->folder, below[i]);
    if (good) {
        find_params(x);
        size_t cells = 2 * (size_t)x->set->partitions * (size_t)width(x);
        x->table = allocate(cells, sizeof *x->table);
        for (size_t i = 0; i < cells; i++) x->table[i] = NAN;
        for (int place = 0; place < x->set->partitions && good; place++) {
            bool done = x->entry->cell[place] && query_number(x, "SELECT status = 'done' FROM cell WHERE id = ?",
                                                              x->entry->cell[place], NULL, NULL) == 1;
            if (done) good = write_cell(x, place) && write_predictions(x, place);
        }
        good = good && write_table(x, 0) && write_table(x, 1);
        for (int part = 0; part < 2 && good; part++) write_means(x, part, x->r->method[method].name);
    }
    for (int k = 0; k < x->params; k++) free(x->param[k]);
    free(x->param);
    free(x->table);
    free(x->folder);
    x->param = NULL;
    x->table = NULL;
    x->params = 0;
    return good;
}

int report_orca(store *db, const results *r, const char *folder)
{
    exporter x = {.db = db, .r = r, .results = text_of("%s/Results", folder)};
    bool good = make_folder(folder) && make_folder(x.results);
    for (int part = 0; part < 2 && good; part++) {
        char *name = text_of("mean-results_%s.csv", parts[part][0]);
        good = open_below(&x.means[part], x.results, "", name, "");
        free(name);
        if (!good) break;
        fputs("Dataset-Experiment,", x.means[part].file);
        for (int k = 0; k < COLUMNS + TIMES; k++)
            fprintf(x.means[part].file, "Mean%s,Std%s,", column_name(&x, k), column_name(&x, k));
        fputc('\n', x.means[part].file);
    }
    for (int i = 0; i < r->sets && good; i++)
        for (int j = 0; j < r->methods && good; j++) good = write_entry(&x, i, j);
    for (int part = 0; part < 2; part++) {
        if (good)
            good = output_keep(&x.means[part]);
        else
            output_discard(&x.means[part]);
    }
    free(x.results);
    return good ? GOOD : FAILED;
}
