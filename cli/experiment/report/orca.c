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

#include "experiment/plan/plan.h"
#include "experiment/report/orca.h"

const orca_column orca_columns[ORCA_COLUMNS] = {{"Acc", "acc", 100},
                                                {"GM", "gm", 100},
                                                {"MS", "ms", 100},
                                                {"MAE", "mae", 1},
                                                {"AMAE", "amae", 1},
                                                {"MMAE", "mmae", 1},
                                                {"RSpearman", "spearman", 1},
                                                {"Tkendall", "tau", 1},
                                                {"Wkappa", "kappa", 1}};
const char *const orca_times[ORCA_TIMES] = {"TrainTime", "TestTime", "CrossvalTime"};
const char *const orca_parts[ORCA_PARTS][2] = {{"train", "labelled"}, {"test", "test"}};

/* ---- what the files share ---- */

static bool make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0) return true;
    complain("cannot create folder %s: %s", path, strerror(errno));
    return false;
}

char *orca_step(const char *name)
{
    char *step = text_of("%s", name);
    for (char *slash = step; (slash = strchr(slash, '/')); slash++) *slash = '_';
    return step;
}

bool orca_open(output *o, const char *folder, const char *kind, const char *name, const char *end)
{
    char *step = orca_step(name), *path = text_of("%s/%s%s%s", folder, kind, step, end);
    bool good = output_open(o, path);
    free(step);
    free(path);
    return good;
}

int orca_width(const orca_export *x) { return ORCA_COLUMNS + ORCA_TIMES + x->n_params; }

double *orca_row(const orca_export *x, int part, int place)
{
    return x->table + ((size_t)part * (size_t)x->set->partitions + (size_t)place) * (size_t)orca_width(x);
}

bool orca_done(const orca_export *x, int place)
{
    return x->entry->cell[place] &&
           store_number(x->db, 0, "SELECT status = 'done' FROM cell WHERE id = ?", "i", x->entry->cell[place]) == 1;
}

/* Names from a query, ending with NULL. */
static char **read_names(store *db, sqlite3_stmt *q, int *n)
{
    char **names = allocate(1, sizeof *names);
    *n = 0;
    while (q && store_step(db, q) == SQLITE_ROW) {
        char **more = realloc(names, (size_t)(*n + 2) * sizeof *more);
        if (!more) break;
        names = more;
        names[(*n)++] = text_of("%s", (const char *)sqlite3_column_text(q, 0));
        names[*n] = NULL;
    }
    sqlite3_finalize(q);
    return names;
}

/* ---- tables ---- */

static bool write_table(orca_export *x, int part)
{
    char *name = text_of("results_%s.csv", orca_parts[part][0]);
    output o;
    bool good = orca_open(&o, x->folder, "", name, "");
    free(name);
    if (!good) return false;
    fputs("Dataset,", o.file);
    for (int k = 0; k < ORCA_COLUMNS; k++) fprintf(o.file, "%s,", orca_columns[k].name);
    for (int k = 0; k < ORCA_TIMES; k++) fprintf(o.file, "%s,", orca_times[k]);
    for (int k = 0; k < x->n_params; k++) fprintf(o.file, "%s,", plan_orca_word(ORCA_PARAMETER, x->params[k]));
    fputc('\n', o.file);
    for (int place = 0; place < x->set->partitions; place++) {
        if (isnan(orca_row(x, part, place)[ORCA_COLUMNS])) continue; /* not done: it has no times */
        fprintf(o.file, "%s_%s.%d,", orca_parts[part][0], x->set->name, x->set->partition[place]);
        for (int k = 0; k < orca_width(x); k++) fprintf(o.file, "%f,", orca_row(x, part, place)[k]);
        fputc('\n', o.file);
    }
    return output_keep(&o);
}

/* column < 0: of a parameter that this method does not have. */
static void write_mean(const orca_export *x, int part, int column)
{
    double *value = allocate((size_t)x->set->partitions, sizeof *value);
    int n = 0;
    for (int place = 0; place < x->set->partitions && column >= 0; place++)
        if (!isnan(orca_row(x, part, place)[column])) value[n++] = orca_row(x, part, place)[column];
    fprintf(x->means[part].file, "%f,%f,", n ? statistics_mean(n, value) : NAN,
            n ? statistics_deviation(n, value) : NAN);
    free(value);
}

/* One line of mean-results: every column doubled, and a comma at the end, as ORCA writes it. */
static void write_means(const orca_export *x, int part)
{
    fprintf(x->means[part].file, "%s,", x->name);
    for (int k = 0; k < ORCA_COLUMNS + ORCA_TIMES; k++) write_mean(x, part, k);
    for (char **param = x->all_params; *param; param++) {
        int column = -1;
        for (int k = 0; k < x->n_params; k++)
            if (!strcmp(x->params[k], *param)) column = ORCA_COLUMNS + ORCA_TIMES + k;
        write_mean(x, part, column);
    }
    fputc('\n', x->means[part].file);
}

static bool open_tables(orca_export *x, int part)
{
    char *mean = text_of("mean-results_%s.csv", orca_parts[part][0]),
         *sum = text_of("mean-results_matrices_sum_%s.csv", orca_parts[part][0]);
    bool good =
        orca_open(&x->means[part], x->results, "", mean, "") && orca_open(&x->sums[part], x->results, "", sum, "");
    free(mean);
    free(sum);
    if (!good) return false;
    fputs("Dataset-Experiment,", x->means[part].file);
    fputs("Dataset-Experiment,", x->sums[part].file);
    for (int k = 0; k < ORCA_COLUMNS + ORCA_TIMES; k++) {
        const char *name = k < ORCA_COLUMNS ? orca_columns[k].name : orca_times[k - ORCA_COLUMNS];
        fprintf(x->means[part].file, "Mean%s,Std%s,", name, name);
        fprintf(x->sums[part].file, "%s,", name);
    }
    for (char **param = x->all_params; *param; param++) {
        const char *name = plan_orca_word(ORCA_PARAMETER, *param);
        fprintf(x->means[part].file, "Mean%s,Std%s,", name, name);
    }
    fputc('\n', x->means[part].file);
    fputc('\n', x->sums[part].file);
    return true;
}

/* ---- one data set and method ---- */

static bool make_entry(orca_export *x)
{
    static const char *const below[] = {"OptHyperparams", "Times", "Models", "Predictions", "Guess"};
    output o;
    if (!make_folder(x->folder) || !orca_open(&o, x->folder, "", "dataset", "")) return false;
    sqlite3_stmt *q = store_query(x->db, "SELECT value FROM plan WHERE key = 'folder of ' || ?", "t", x->set->name);
    bool known = q && store_step(x->db, q) == SQLITE_ROW;
    fprintf(o.file, "%s\n", known ? (const char *)sqlite3_column_text(q, 0) : x->set->name);
    sqlite3_finalize(q);
    bool good = output_keep(&o);
    for (size_t i = 0; i < sizeof below / sizeof *below && good; i++) {
        char *path = text_of("%s/%s", x->folder, below[i]);
        good = make_folder(path);
        free(path);
    }
    return good;
}

static bool write_entry(orca_export *x)
{
    if (!make_entry(x)) return false;
    x->params = read_names(x->db,
                           store_query(x->db,
                                       "SELECT DISTINCT p.name FROM param p JOIN cell c ON c.id = p.cell"
                                       " WHERE searched AND dataset = ? AND method = ? ORDER BY 1",
                                       "ii", x->set->id, x->method->id),
                           &x->n_params);
    size_t cells = ORCA_PARTS * (size_t)x->set->partitions * (size_t)orca_width(x);
    x->table = allocate(cells, sizeof *x->table);
    for (size_t i = 0; i < cells; i++) x->table[i] = NAN;
    bool good = true;
    for (int place = 0; place < x->set->partitions && good; place++) {
        if (x->entry->cell[place]) good = orca_write_plan(x, place);
        if (good && orca_done(x, place)) good = orca_write_cell(x, place);
    }
    for (int part = 0; part < ORCA_PARTS && good; part++) {
        good = write_table(x, part) && orca_write_sums(x, part);
        write_means(x, part);
    }
    return good;
}

static bool write_one(orca_export *x, int set, int method)
{
    x->set = &x->r->set[set];
    x->method = &x->r->method[method];
    x->entry = results_at(x->r, set, method);
    if (x->entry->done == 0) return true;
    char *whole = text_of("%s-%s", x->set->name, x->method->name);
    x->name = orca_step(whole);
    x->folder = text_of("%s/%s", x->results, x->name);
    bool good = write_entry(x);
    names_free(x->params);
    free(x->table);
    free(x->folder);
    free(x->name);
    free(whole);
    x->params = NULL;
    x->table = NULL;
    return good;
}

int report_orca(session *s, store *db, const results *r, const char *folder)
{
    orca_export x = {.session = s, .db = db, .r = r, .root = folder, .results = text_of("%s/Results", folder)};
    int n;
    x.all_params =
        read_names(db, store_query(db, "SELECT DISTINCT name FROM param WHERE searched ORDER BY name", ""), &n);
    bool good = make_folder(folder) && make_folder(x.results);
    for (int part = 0; part < ORCA_PARTS && good; part++) good = open_tables(&x, part);
    for (int i = 0; i < r->sets && good; i++)
        for (int j = 0; j < r->methods && good; j++) good = write_one(&x, i, j);
    for (int part = 0; part < ORCA_PARTS; part++) {
        output *tables[] = {&x.means[part], &x.sums[part]};
        for (int i = 0; i < 2; i++) {
            if (good)
                good = output_keep(tables[i]);
            else
                output_discard(tables[i]);
        }
    }
    names_free(x.all_params);
    free(x.results);
    return good ? EXIT_OK : FAILED;
}
