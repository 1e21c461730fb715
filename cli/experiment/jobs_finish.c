// SPDX-License-Identifier: BSD-3-Clause
/* Storing a finished cell. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/jobs_finish.h"

static void bind_number(sqlite3_stmt *q, int at, double x)
{
    if (isfinite(x))
        sqlite3_bind_double(q, at, x);
    else
        sqlite3_bind_null(q, at);
}

/* False: another process holds the cell by now (*lost), or failure. */
static bool finish(jobs *c, const job_place *place, const char *status, const char *message, const job_result *r,
                   double started, bool *lost)
{
    sqlite3_stmt *q = c->done;
    sqlite3_bind_text(q, 1, status, -1, SQLITE_STATIC);
    sqlite3_bind_text(q, 2, message, -1, SQLITE_STATIC);
    sqlite3_bind_double(q, 3, started);
    const double seconds[] = {r ? r->search_seconds : NAN, r ? r->fit_seconds : NAN, r ? r->predict_seconds : NAN};
    const int64_t rows[] = {r ? r->labelled : 0, r ? r->unlabelled : 0, r ? r->test : 0};
    for (int i = 0; i < 3; i++) {
        bind_number(q, 4 + i, seconds[i]);
        if (r)
            sqlite3_bind_int64(q, 7 + i, rows[i]);
        else
            sqlite3_bind_null(q, 7 + i);
    }
    sqlite3_bind_int64(q, 10, place->id);
    sqlite3_bind_text(q, 11, c->store->owner, -1, SQLITE_STATIC);
    bool good = jobs_run(c, q);
    *lost = good && sqlite3_changes(c->store->db) == 0;
    sqlite3_bind_int64(c->left, 1, place->id);
    return good && jobs_run(c, c->left) && !*lost;
}

static bool put_metric(jobs *c, int64_t id, const char *part, const char *key, double value)
{
    sqlite3_bind_int64(c->metric, 1, id);
    sqlite3_bind_text(c->metric, 2, part, -1, SQLITE_STATIC);
    sqlite3_bind_text(c->metric, 3, key, -1, SQLITE_STATIC);
    bind_number(c->metric, 4, value);
    return jobs_run(c, c->metric);
}

static bool put_metrics(jobs *c, int64_t id, const char *part, const answers *a, bool real)
{
    bool good = put_metric(c, id, part, "n", (double)(real ? a->real.n : a->metrics.n));
    if (real)
        return good && put_metric(c, id, part, "mae", a->real.mae) && put_metric(c, id, part, "mse", a->real.mse) &&
               put_metric(c, id, part, "rmse", a->real.rmse) && put_metric(c, id, part, "r2", a->real.r2);
    const rung_metric *m;
    for (int i = 0; good && (m = rung_metric_at(i)); i++)
        good = put_metric(c, id, part, m->key, rung_metrics_value(&a->metrics, m->key));
    return good;
}

/* "[1,2,3]"; to be freed. NULL for NULL. */
static char *whole_numbers(int64_t n, const int *a, const int64_t *b)
{
    if (!a && !b) return NULL;
    char *text = allocate((size_t)n * 21 + 3, 1), *at = text;
    *at++ = '[';
    for (int64_t i = 0; i < n; i++) at += snprintf(at, 22, "%s%lld", i ? "," : "", (long long)(a ? a[i] : b[i]));
    strcpy(at, "]");
    return text;
}

/* With all 17 digits: finding the shortest exact text would cost more than the rest of a cell. */
static char *real_numbers(int64_t n, const double *a)
{
    if (!a) return NULL;
    char *text = allocate((size_t)n * 33 + 3, 1), *at = text;
    *at++ = '[';
    for (int64_t i = 0; i < n; i++) {
        if (i) *at++ = ',';
        at += isfinite(a[i]) ? snprintf(at, 32, "%.17g", a[i]) : snprintf(at, 32, "null");
    }
    strcpy(at, "]");
    return text;
}

static bool put_prediction(jobs *c, int64_t id, const char *part, const answers *a)
{
    char *texts[] = {whole_numbers(a->n, NULL, a->rows),
                     a->target ? real_numbers(a->n, a->target) : whole_numbers(a->n, a->truth, NULL),
                     whole_numbers(a->n, a->rank, NULL), real_numbers(a->n, a->score)};
    sqlite3_bind_int64(c->prediction, 1, id);
    sqlite3_bind_text(c->prediction, 2, part, -1, SQLITE_STATIC);
    for (int i = 0; i < 4; i++) sqlite3_bind_text(c->prediction, 3 + i, texts[i], -1, SQLITE_STATIC);
    bool good = jobs_run(c, c->prediction);
    for (int i = 0; i < 4; i++) free(texts[i]);
    return good;
}

static bool put_params(jobs *c, int64_t id, const job_result *r)
{
    const char *name;
    json_t *value;
    bool good = true;
    json_object_foreach(r->params, name, value)
    {
        bool chosen = false;
        size_t i;
        json_t *other;
        json_array_foreach(r->searched, i, other) chosen = chosen || !strcmp(json_string_value(other), name);
        if (!json_is_string(value)) continue;
        sqlite3_bind_int64(c->param, 1, id);
        sqlite3_bind_text(c->param, 2, name, -1, SQLITE_STATIC);
        sqlite3_bind_text(c->param, 3, json_string_value(value), -1, SQLITE_STATIC);
        sqlite3_bind_int(c->param, 4, chosen);
        good = good && jobs_run(c, c->param);
    }
    return good;
}

static bool put_model(jobs *c, int64_t id, const job_result *r)
{
    if (!r->model) return true;
    sqlite3_bind_int64(c->model, 1, id);
    sqlite3_bind_blob64(c->model, 2, r->model, (sqlite3_uint64)r->model_size, SQLITE_STATIC);
    return jobs_run(c, c->model);
}

bool jobs_store(jobs *c, const job_place *place, const job_result *r, double started)
{
    bool lost = false;
    if (!jobs_lock(c)) return false;
    bool good = finish(c, place, "done", NULL, r, started, &lost);
    good = good && put_params(c, place->id, r) && put_model(c, place->id, r) &&
           put_metric(c, place->id, "model", "n_expansion", (double)r->n_expansion);
    for (int i = 0; i < PARTS && good; i++)
        if (r->part[i].n)
            good = put_metrics(c, place->id, part_names[i], &r->part[i], r->real) &&
                   put_prediction(c, place->id, part_names[i], &r->part[i]);
    return jobs_unlock(c, good) || lost;
}

bool jobs_fail(jobs *c, const job_place *place, const char *message, double started)
{
    bool lost = false;
    if (!jobs_lock(c)) return false;
    return jobs_unlock(c, finish(c, place, "failed", message, NULL, started, &lost)) || lost;
}
