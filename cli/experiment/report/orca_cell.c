// SPDX-License-Identifier: BSD-3-Clause
/* The files of one partition in ORCA's folders. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "experiment/plan/plan.h"
#include "experiment/report/orca.h"

/* ---- exp-<method>-<set>-<j>.ini ---- */

static char *query_text(orca_export *x, const char *sql, int64_t id)
{
    sqlite3_stmt *q = store_query(x->db, sql, "i", id);
    char *text = NULL;
    if (q && store_step(x->db, q) == SQLITE_ROW && sqlite3_column_type(q, 0) != SQLITE_NULL)
        text = text_of("%s", (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
    return text ? text : text_of("%s", "");
}

/* The value of key=value in settings (words separated by blanks); to be freed. NULL: there is none. */
static char *setting(const char *settings, const char *key)
{
    for (const char *at = settings; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (setting_is(at, key))
            return text_of("%.*s", (int)(strcspn(at, " ") - strlen(key) - 1), at + strlen(key) + 1);
    return NULL;
}

/* The parameters of a method: those of one value, or those that are searched. */
static void write_params(FILE *file, const char *settings, bool searched)
{
    static const char *const others[] = {"search", "folds", "repeats", "metric", "scale"};
    for (const char *at = settings; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        size_t length = strcspn(at, " "), name = strcspn(at, "= ");
        bool param = at[name] == '=' && (memchr(at, ',', length) != NULL) == searched;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) param = param && !setting_is(at, others[i]);
        if (!param) continue;
        char *ours = text_of("%.*s", (int)name, at);
        fprintf(file, "%s = %.*s\n", plan_orca_word(ORCA_PARAMETER, ours), (int)(length - name - 1), at + name + 1);
        free(ours);
    }
}

bool orca_write_plan(orca_export *x, int place)
{
    int partition = x->set->partition[place];
    char *method = orca_step(x->method->name), *set = orca_step(x->set->name),
         *end = text_of("-%s-%d.ini", set, partition + 1),
         *settings = query_text(x, "SELECT settings FROM method WHERE id = ?", x->method->id),
         *of_data = query_text(x, "SELECT settings FROM dataset WHERE id = ?", x->set->id),
         *folder =
             query_text(x, "SELECT value FROM plan, dataset WHERE id = ? AND key = 'folder of ' || name", x->set->id),
         *seed = setting(of_data, "seed"), *folds = setting(settings, "folds"), *scale = setting(settings, "scale"),
         *metric = setting(settings, "metric");
    output o;
    bool good = orca_open(&o, x->root, "exp-", method, end);
    if (good) {
        fprintf(o.file, "[%s]\n{general-conf}\n", x->method->name);
        if (seed) fprintf(o.file, "seed = %s\n", seed);
        fprintf(o.file, "directory = %s\ntrain = train_%s.%d\ntest = test_%s.%d\nresults = %s\n",
                *folder ? folder : x->set->name, set, partition, set, partition, x->folder);
        fprintf(o.file, "standarize = %s\n", scale && strcmp(scale, "standard") ? "false" : "true");
        if (folds) fprintf(o.file, "num_folds = %s\n", folds);
        if (metric) fprintf(o.file, "cvmetric = %s\n", plan_orca_word(ORCA_METRIC, metric));
        fprintf(o.file, "{algorithm-parameters}\nalgorithm = %s\n", plan_orca_word(ORCA_ALGORITHM, x->method->method));
        write_params(o.file, settings, false);
        fputs("{algorithm-hyper-parameters-to-cv}\n", o.file);
        write_params(o.file, settings, true);
        good = output_keep(&o);
    }
    char *texts[] = {method, set, end, settings, of_data, folder, seed, folds, scale, metric};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    return good;
}

/* ---- Results/<set>-<method>/<kind>/<set>.<i> ---- */

static bool open_cell(const orca_export *x, output *o, const char *kind, int place, const char *end)
{
    char *whole = text_of(".%d%s", x->set->partition[place], end);
    bool good = orca_open(o, x->folder, kind, x->set->name, whole);
    free(whole);
    return good;
}

/* NaN: there is no such number, or it is text. */
static double query_number(orca_export *x, const char *sql, int64_t cell, const char *a, const char *b)
{
    sqlite3_stmt *q = store_query(x->db, sql, b ? "itt" : a ? "it" : "i", cell, a, b);
    double value = NAN;
    if (q && store_step(x->db, q) == SQLITE_ROW && sqlite3_column_type(q, 0) != SQLITE_NULL &&
        !parse_double((const char *)sqlite3_column_text(q, 0), &value))
        value = NAN;
    sqlite3_finalize(q);
    return value;
}

static void fill_rows(orca_export *x, int place)
{
    static const char *const seconds[ORCA_TIMES] = {"SELECT fit_seconds FROM cell WHERE id = ?",
                                                    "SELECT predict_seconds FROM cell WHERE id = ?",
                                                    "SELECT search_seconds FROM cell WHERE id = ?"};
    int64_t cell = x->entry->cell[place];
    for (int part = 0; part < ORCA_PARTS; part++) {
        double *row = orca_row(x, part, place);
        for (int k = 0; k < ORCA_COLUMNS; k++)
            *row++ = orca_columns[k].factor *
                     query_number(x, "SELECT value FROM metric WHERE cell = ? AND part = ? AND key = ?", cell,
                                  orca_parts[part][1], orca_columns[k].key);
        for (int k = 0; k < ORCA_TIMES; k++) *row++ = query_number(x, seconds[k], cell, NULL, NULL);
        for (int k = 0; k < x->n_params; k++)
            *row++ = query_number(x, "SELECT value FROM param WHERE cell = ? AND name = ?", cell, x->params[k], NULL);
    }
}

static bool write_times(orca_export *x, int place)
{
    output o;
    const double *row = orca_row(x, 0, place) + ORCA_COLUMNS;
    if (!open_cell(x, &o, "Times/", place, "")) return false;
    for (int k = 0; k < ORCA_TIMES; k++) fprintf(o.file, "%f\n", row[k]);
    if (!output_keep(&o)) return false;
    if (!x->n_params) return true; /* ORCA writes no file then */
    if (!open_cell(x, &o, "OptHyperparams/", place, "")) return false;
    for (int k = 0; k < x->n_params; k++)
        fprintf(o.file, "%s,%f\n", plan_orca_word(ORCA_PARAMETER, x->params[k]), row[ORCA_TIMES + k]);
    return output_keep(&o);
}

static bool write_array(const orca_export *x, int place, const char *kind, const char *json)
{
    json_t *list = json ? json_loads(json, JSON_DECODE_ANY, NULL) : NULL, *item;
    size_t i;
    output o;
    if (!json_is_array(list)) {
        json_decref(list);
        return true;
    }
    bool good = open_cell(x, &o, kind, place, "");
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

static bool write_predictions(orca_export *x, int place)
{
    bool good = true;
    for (int part = 0; part < ORCA_PARTS && good; part++) {
        sqlite3_stmt *q = store_query(x->db, "SELECT rank, score FROM prediction WHERE cell = ? AND part = ?", "it",
                                      x->entry->cell[place], orca_parts[part][1]);
        if (q && store_step(x->db, q) == SQLITE_ROW) {
            char *ranks = text_of("Predictions/%s_", orca_parts[part][0]),
                 *scores = text_of("Guess/%s_", orca_parts[part][0]);
            good = write_array(x, place, ranks, (const char *)sqlite3_column_text(q, 0)) &&
                   write_array(x, place, scores, (const char *)sqlite3_column_text(q, 1));
            free(ranks);
            free(scores);
        }
        sqlite3_finalize(q);
    }
    return good;
}

/* Model files of rung, where ORCA has MATLAB's; only of runs that kept them. */
static bool write_model(orca_export *x, int place)
{
    sqlite3_stmt *q = store_query(x->db, "SELECT bytes FROM model WHERE cell = ?", "i", x->entry->cell[place]);
    bool good = q != NULL;
    output o;
    if (good && store_step(x->db, q) == SQLITE_ROW) {
        size_t size = (size_t)sqlite3_column_bytes(q, 0);
        good = open_cell(x, &o, "Models/", place, ".rung");
        if (good) {
            fwrite(sqlite3_column_blob(q, 0), 1, size, o.file);
            good = output_keep(&o);
        }
    }
    sqlite3_finalize(q);
    return good;
}

bool orca_write_cell(orca_export *x, int place)
{
    fill_rows(x, place);
    return write_times(x, place) && write_predictions(x, place) && write_model(x, place);
}
