// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/report/results.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"
#include "experiment/statistics/statistics.h"

static char *column_text(sqlite3_stmt *q, int column)
{
    const char *text = (const char *)sqlite3_column_text(q, column);
    return text_of("%s", text ? text : "");
}

static double column_number(sqlite3_stmt *q, int column)
{
    return sqlite3_column_type(q, column) == SQLITE_NULL ? NAN : sqlite3_column_double(q, column);
}

static long long column_whole(sqlite3_stmt *q, int column)
{
    return sqlite3_column_type(q, column) == SQLITE_NULL ? -1 : sqlite3_column_int64(q, column);
}

/* The array of `count` things of `size` bytes with room for one more: room doubles. */
static void *with_room(void *list, int count, size_t size)
{
    if (count & (count - 1)) return list;
    void *more = allocate(count ? 2 * (size_t)count : 1, size);
    if (count) memcpy(more, list, (size_t)count * size);
    free(list);
    return more;
}
#define ROOM(list, count) ((list) = with_room(list, count, sizeof *(list)))

const results_entry *results_at(const results *r, int set, int method) { return &r->entry[set * r->methods + method]; }

static char *plan_value(store *s, const char *key)
{
    sqlite3_stmt *q = store_query(s, "SELECT value FROM plan WHERE key = ?", "t", key);
    char *text = q && store_step(s, q) == SQLITE_ROW ? column_text(q, 0) : text_of("%s", "");
    sqlite3_finalize(q);
    return text;
}

static void read_class_names(results_set *set, const char *json)
{
    json_t *names = json ? json_loads(json, 0, NULL) : NULL;
    if (json_is_array(names) && set->classes > 0 && json_array_size(names) == (size_t)set->classes) {
        set->class_name = allocate((size_t)set->classes, sizeof *set->class_name);
        for (int k = 0; k < set->classes; k++) {
            const char *name = json_string_value(json_array_get(names, (size_t)k));
            set->class_name[k] = name ? text_of("%s", name) : text_of("%d", k + 1);
        }
    }
    json_decref(names);
}

static bool read_sets(store *s, results *r)
{
    sqlite3_stmt *q =
        store_query(s, "SELECT id, name, rows, features, classes, class_names FROM dataset ORDER BY position, id", "");
    int code = SQLITE_ERROR;
    while (q && (code = store_step(s, q)) == SQLITE_ROW) {
        ROOM(r->set, r->sets);
        results_set *set = &r->set[r->sets++];
        *set = (results_set){.id = sqlite3_column_int64(q, 0),
                             .name = column_text(q, 1),
                             .rows = column_whole(q, 2),
                             .features = column_whole(q, 3),
                             .classes = (int)column_whole(q, 4)};
        read_class_names(set, (const char *)sqlite3_column_text(q, 5));
    }
    sqlite3_finalize(q);
    return code == SQLITE_DONE;
}

static bool read_methods(store *s, results *r)
{
    sqlite3_stmt *q = store_query(s, "SELECT id, name, method FROM method ORDER BY position, id", "");
    int code = SQLITE_ERROR;
    while (q && (code = store_step(s, q)) == SQLITE_ROW) {
        ROOM(r->method, r->methods);
        r->method[r->methods++] = (results_method){sqlite3_column_int64(q, 0), column_text(q, 1), column_text(q, 2)};
    }
    sqlite3_finalize(q);
    return code == SQLITE_DONE;
}

static int named_method(const results *r, const char *name)
{
    for (int j = 0; j < r->methods; j++)
        if (!strcmp(r->method[j].name, name)) return j;
    return -1;
}

static bool add_methods(results *r, const outside *more)
{
    for (int64_t i = 0; i < more->n; i++) {
        const outside_result *one = &more->list[i];
        int at = named_method(r, one->method);
        if (at >= 0 && r->method[at].id < 0) continue;
        if (at >= 0) {
            complain("experiment report: %s: the experiment already has a method %s; rename this one", one->file,
                     one->method);
            return false;
        }
        ROOM(r->method, r->methods);
        r->method[r->methods++] = (results_method){-1 - i, text_of("%s", one->method), text_of("%s", "")};
    }
    return true;
}

static void method_free(results_method *m)
{
    free(m->name);
    free(m->method);
}

/* The longest name of a method that the list goes on with; -1: none. Names may have commas in them. */
static int named_next(const results *r, const char *list, size_t *length)
{
    int found = -1;
    *length = 0;
    for (int j = 0; j < r->methods; j++) {
        size_t n = r->method[j].name ? strlen(r->method[j].name) : 0;
        if (n <= *length || strncmp(r->method[j].name, list, n) || (list[n] && list[n] != ',')) continue;
        *length = n;
        found = j;
    }
    return found;
}

/* Keeps the methods named in the list, in its order. */
static bool choose_methods(results *r, const char *list)
{
    results_method *chosen = allocate((size_t)r->methods + 1, sizeof *chosen);
    int count = 0;
    bool good = true;
    while (good && *list) {
        size_t length;
        int at = named_next(r, list, &length);
        good = at >= 0;
        if (good) {
            chosen[count++] = r->method[at];
            r->method[at] = (results_method){0};
            list += length + (list[length] == ',');
        } else {
            complain("experiment: method '%.*s' is not in the database, or is named twice", (int)strcspn(list, ","),
                     list);
        }
    }
    for (int i = 0; i < r->methods; i++) method_free(&r->method[i]);
    free(r->method);
    r->method = chosen;
    r->methods = count;
    return good;
}

static int find_set(const results *r, int64_t id)
{
    for (int i = 0; i < r->sets; i++)
        if (r->set[i].id == id) return i;
    return -1;
}

static int find_method(const results *r, int64_t id)
{
    for (int i = 0; i < r->methods; i++)
        if (r->method[i].id == id) return i;
    return -1;
}

static bool read_partitions(store *s, results *r)
{
    sqlite3_stmt *q = store_query(s, "SELECT DISTINCT dataset, partition FROM cell ORDER BY dataset, partition", "");
    int code = SQLITE_ERROR;
    while (q && (code = store_step(s, q)) == SQLITE_ROW) {
        int at = find_set(r, sqlite3_column_int64(q, 0));
        if (at < 0) continue;
        results_set *set = &r->set[at];
        ROOM(set->partition, set->partitions);
        set->partition[set->partitions++] = sqlite3_column_int(q, 1);
    }
    sqlite3_finalize(q);
    return code == SQLITE_DONE;
}

/* A table of that many entries is no experiment, and would take the memory of the machine. */
static bool size_fits(const results *r)
{
    enum { MOST_ENTRIES = 10000000 };
    if ((double)r->sets * (double)r->methods <= MOST_ENTRIES) return true;
    complain("experiment: %d data sets and %d methods are too many for one report (at most %d of their pairs); choose "
             "some with --methods",
             r->sets, r->methods, MOST_ENTRIES);
    return false;
}

static void make_entries(results *r)
{
    r->entry = allocate((size_t)r->sets * (size_t)r->methods, sizeof *r->entry);
    for (int i = 0; i < r->sets; i++) {
        size_t n = (size_t)r->set[i].partitions;
        for (int j = 0; j < r->methods; j++) {
            results_entry *e = &r->entry[i * r->methods + j];
            e->value = allocate(n, sizeof *e->value);
            e->cell = allocate(n, sizeof *e->cell);
            for (size_t p = 0; p < n; p++) e->value[p] = NAN;
        }
    }
}

/* One row of the query of read_cells. */
static void take_cell(results *r, sqlite3_stmt *q)
{
    int i = find_set(r, sqlite3_column_int64(q, 1)), j = find_method(r, sqlite3_column_int64(q, 3)), place = 0;
    if (i < 0 || j < 0) return;
    const results_set *set = &r->set[i];
    results_entry *e = &r->entry[i * r->methods + j];
    int partition = sqlite3_column_int(q, 2);
    while (set->partition[place] != partition) place++;
    const char *status = (const char *)sqlite3_column_text(q, 4);
    e->planned++;
    r->planned++;
    e->cell[place] = sqlite3_column_int64(q, 0);
    if (!strcmp(status, "done")) {
        double search = column_number(q, 6), fit = column_number(q, 7), predict = column_number(q, 8);
        e->done++;
        r->done++;
        e->value[place] = column_number(q, 9);
        e->search += isnan(search) ? 0 : search;
        e->fit += isnan(fit) ? 0 : fit;
        e->seconds += (isnan(search) ? 0 : search) + (isnan(fit) ? 0 : fit) + (isnan(predict) ? 0 : predict);
    } else if (!strcmp(status, "failed")) {
        e->failed++;
        ROOM(r->failure, r->failures);
        r->failure[r->failures++] = (results_failure){set->name, r->method[j].name, column_text(q, 5), partition};
    }
}

static bool read_cells(store *s, results *r)
{
    sqlite3_stmt *q =
        store_query(s,
                    "SELECT c.id, c.dataset, c.partition, c.method, c.status, c.message, c.search_seconds,"
                    " c.fit_seconds, c.predict_seconds, v.value FROM cell c JOIN dataset d ON d.id = c.dataset"
                    " JOIN method m ON m.id = c.method LEFT JOIN metric v ON v.cell = c.id AND v.part = ?"
                    " AND v.key = ? ORDER BY d.position, d.id, c.partition, m.position, m.id",
                    "tt", r->part, r->metric);
    int code = SQLITE_ERROR;
    while (q && (code = store_step(s, q)) == SQLITE_ROW) take_cell(r, q);
    sqlite3_finalize(q);
    return code == SQLITE_DONE;
}

/* The data set of a result and the place of its partition there; -1: there is none. */
static int find_place(const results *r, const outside_result *one, int *set)
{
    for (*set = 0; *set < r->sets; ++*set) {
        const results_set *s = &r->set[*set];
        for (int p = 0; p < s->partitions && !strcmp(s->name, one->set); p++)
            if (s->partition[p] == one->partition) return p;
    }
    return -1;
}

static bool take_outside(results *r, const outside *more)
{
    for (int64_t i = 0; i < more->n; i++) {
        const outside_result *one = &more->list[i];
        int set, place = find_place(r, one, &set), method = named_method(r, one->method);
        if (place < 0) r->strangers++;
        if (place < 0 || method < 0) continue;
        results_entry *e = &r->entry[set * r->methods + method];
        if (e->cell[place]) {
            complain("experiment report: %s: %s has two results for partition %lld of %s", one->file, one->method,
                     one->partition, one->set);
            return false;
        }
        e->planned++;
        e->done++;
        r->joined++;
        e->cell[place] = -1;
        e->value[place] = one->value;
        e->search = e->fit = e->seconds = NAN;
    }
    return true;
}

static void summarise(results *r)
{
    for (int i = 0; i < r->sets; i++) {
        double *there = allocate((size_t)r->set[i].partitions, sizeof *there);
        for (int j = 0; j < r->methods; j++) {
            results_entry *e = &r->entry[i * r->methods + j];
            for (int p = 0; p < r->set[i].partitions; p++)
                if (!isnan(e->value[p])) there[e->values++] = e->value[p];
            e->mean = e->values ? statistics_mean(e->values, there) : NAN;
            e->sd = statistics_deviation(e->values, there);
            if (!e->done) continue;
            e->search /= e->done;
            e->fit /= e->done;
            e->seconds /= e->done;
        }
        free(there);
    }
}

bool results_read(store *s, const char *metric, const char *part, const char *methods, const outside *more,
                  results *out)
{
    *out = (results){.metric = metric, .part = part};
    out->name = plan_value(s, "name");
    out->file = plan_value(s, "file");
    out->plan = plan_value(s, "text");
    if (!read_sets(s, out) || !read_methods(s, out) || !add_methods(out, more) ||
        (methods && !choose_methods(out, methods)) || !read_partitions(s, out))
        return false;
    if (!size_fits(out)) return false;
    make_entries(out);
    if (!read_cells(s, out) || !take_outside(out, more)) return false;
    summarise(out);
    return true;
}

void results_free(results *r)
{
    for (int i = 0; r->entry && i < r->sets * r->methods; i++) {
        free(r->entry[i].value);
        free(r->entry[i].cell);
    }
    for (int i = 0; i < r->sets; i++) {
        for (int k = 0; r->set[i].class_name && k < r->set[i].classes; k++) free(r->set[i].class_name[k]);
        free(r->set[i].class_name);
        free(r->set[i].partition);
        free(r->set[i].name);
    }
    for (int i = 0; i < r->methods; i++) method_free(&r->method[i]);
    for (int i = 0; i < r->failures; i++) free(r->failure[i].message);
    free(r->entry);
    free(r->set);
    free(r->method);
    free(r->failure);
    free(r->name);
    free(r->file);
    free(r->plan);
    *r = (results){0};
}
