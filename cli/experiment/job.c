// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/contents.h"

const char *const part_names[PARTS] = {"test", "unlabelled", "labelled"};

/* ---- search and fit ---- */

typedef struct {
    double start, searched; /* when the search ended; 0: there was none */
} watch;

static void on_stage(void *user, const char *stage, double done)
{
    watch *w = user;
    if (!strcmp(stage, "searching") && done >= 1) w->searched = seconds_now();
}

/* What the plan fixes and, where only its own lists are searched, the values of everything a method would search. */
static const char **all_fixed(const plan_method *m)
{
    const rung_method *method = rung_method_find(m->method);
    size_t n = 0, params = 0;
    while (m->fixed[n]) n++;
    while (rung_method_param_at(method, (int)params)) params++;
    const char **fixed = allocate(n + params + 1, sizeof *fixed);
    for (size_t i = 0; i < n; i++) fixed[i] = text_of("%s", m->fixed[i]);
    for (size_t q = 0; q < params && m->listed; q++) {
        const rung_param *p = rung_method_param_at(method, (int)q);
        const char *value = m->as_published ? p->published : p->default_value;
        bool named = !(m->as_published ? p->published_grid : p->grid) || !value;
        for (int list = 0; list < 2; list++)
            for (char **setting = list ? m->grids : m->fixed; *setting; setting++)
                named = named || setting_is(*setting, p->name) ||
                        (!strcmp(p->name, "gamma") && setting_is(*setting, "width"));
        if (!named) fixed[n++] = text_of("%s=%s", p->name, value);
    }
    return fixed;
}

static void free_list(const char **list)
{
    for (size_t i = 0; list[i]; i++) free((char *)list[i]);
    free(list);
}

static const char *value_of(const rung_search *found, int point, const char *param)
{
    const char *name, *value;
    for (int i = 0; (name = rung_search_param_at(found, point, i, &value)); i++)
        if (!strcmp(name, param)) return value;
    return "";
}

/* The parameters that differ between the points of the search. */
static json_t *searched_names(const rung_search *found)
{
    json_t *names = json_array();
    const char *name, *value;
    int winner = rung_search_winner(found);
    for (int i = 0; (name = rung_search_param_at(found, winner, i, &value)); i++) {
        bool differs = false;
        for (int point = 0; rung_search_at(found, point); point++)
            differs = differs || strcmp(value_of(found, point, name), value) != 0;
        if (differs) json_array_append_new(names, json_string(name));
    }
    return names;
}

static rung_status search(rung_ctx *ctx, const plan_method *m, const char *equal_rows, const rung_data *train,
                          job_result *out, rung_model **model)
{
    const char *methods[] = {m->method, NULL}, **fixed = all_fixed(m);
    rung_search *found = NULL;
    rung_tune_options how = {.size = sizeof how,
                             .methods = methods,
                             .fixed = fixed,
                             .grids = (const char *const *)m->grids,
                             .scale = m->scale,
                             .metric = m->metric,
                             .equal_rows = m->as_published ? NULL : equal_rows,
                             .as_published = m->as_published,
                             .folds = m->folds,
                             .repeats = m->repeats};
    rung_status status = rung_tune_run(ctx, &how, train, model, &found);
    if (status == RUNG_OK) out->searched = searched_names(found);
    rung_search_free(found);
    free_list(fixed);
    return status;
}

static rung_status fit(rung_ctx *ctx, const plan_method *m, const char *equal_rows, const rung_data *train,
                       rung_model **model)
{
    rung_spec *spec = NULL;
    rung_status status = rung_spec_new(ctx, m->method, m->as_published, &spec);
    for (int i = 0; status == RUNG_OK && m->fixed[i]; i++) {
        const char *equals = strchr(m->fixed[i], '=');
        char *name = text_of("%.*s", (int)(equals - m->fixed[i]), m->fixed[i]);
        status = rung_spec_set(ctx, spec, name, equals + 1);
        free(name);
    }
    if (status == RUNG_OK && m->scale) status = rung_spec_set_scale(ctx, spec, m->scale);
    if (status == RUNG_OK && equal_rows && !m->as_published) status = rung_spec_set_equal_rows(ctx, spec, equal_rows);
    if (status == RUNG_OK) status = rung_model_fit(ctx, spec, train, model);
    rung_spec_free(spec);
    return status;
}

static rung_status train(rung_ctx *ctx, const plan_method *m, const char *equal_rows, const rung_data *data,
                         job_result *out, rung_model **model)
{
    watch w = {.start = seconds_now()};
    rung_ctx_set_progress(ctx, on_stage, &w);
    rung_status status =
        plan_searches(m) ? search(ctx, m, equal_rows, data, out, model) : fit(ctx, m, equal_rows, data, model);
    rung_ctx_set_progress(ctx, NULL, NULL);
    double end = seconds_now(), middle = w.searched > 0 ? w.searched : w.start;
    out->search_seconds = middle - w.start;
    out->fit_seconds = end - middle;
    return status;
}

/* ---- answers ---- */

typedef struct { /* what the model says of some rows */
    int *rank;
    double *score, *proba;
} predictions;

static predictions predictions_new(const rung_model *model, int64_t n)
{
    size_t rows = (size_t)n, K = (size_t)rung_model_classes(model);
    return (predictions){.rank = rung_model_has_ranks(model) ? allocate(rows, sizeof(int)) : NULL,
                         .score = rung_model_outputs(model) > 0
                                      ? allocate(rows * (size_t)rung_model_outputs(model), sizeof(double))
                                      : NULL,
                         .proba = rung_model_has_probabilities(model) ? allocate(rows * K, sizeof(double)) : NULL};
}

static void predictions_free(predictions *s)
{
    free(s->rank);
    free(s->score);
    free(s->proba);
}

static rung_status ask(rung_ctx *ctx, const rung_model *model, const rung_data *data, bool training, predictions *out)
{
    *out = predictions_new(model, rung_data_rows(data));
    rung_output where = {.size = sizeof where, .rank = out->rank, .score = out->score, .proba = out->proba};
    rung_view X = rung_data_view(data);
    return training ? rung_model_predict_training(ctx, model, NULL, &where)
                    : rung_model_predict(ctx, model, &X, NULL, &where);
}

typedef struct { /* the rows that predictions are compared with */
    int64_t n;
    const int64_t *at, *rows; /* among the predictions, and in the data set */
    const int *rank;
    const double *target; /* NULL: classes */
    const double *weight; /* of classes; NULL: all 1 */
} graded;

/* Selects these rows of the predictions and computes their metrics. */
static rung_status grade(rung_ctx *ctx, const rung_model *model, const predictions *s, const graded *g, answers *out)
{
    int64_t n = g->n;
    const int64_t *at = g->at, *rows = g->rows;
    const int *rank = g->rank;
    const double *target = g->target;
    int outputs = rung_model_outputs(model), K = rung_model_classes(model);
    rung_status status = RUNG_OK;
    out->n = n;
    out->metrics.size = sizeof out->metrics;
    out->real.size = sizeof out->real;
    double counted = 0;
    for (int64_t i = 0; i < n; i++) counted += g->weight ? g->weight[i] : 1;
    if (counted == 0) { /* no row, or none with a weight */
        out->n = 0;
        return RUNG_OK;
    }
    out->rows = allocate((size_t)n, sizeof *out->rows);
    memcpy(out->rows, rows, (size_t)n * sizeof *rows);
    if (s->score) out->score = allocate((size_t)n, sizeof *out->score);
    for (int64_t i = 0; i < n && s->score; i++) out->score[i] = s->score[at[i] * outputs];
    if (target) {
        out->target = allocate((size_t)n, sizeof *out->target);
        memcpy(out->target, target, (size_t)n * sizeof *target);
        return rung_real_metrics_compute(ctx, n, target, out->score, &out->real);
    }
    out->truth = allocate((size_t)n, sizeof *out->truth);
    memcpy(out->truth, rank, (size_t)n * sizeof *rank);
    out->rank = allocate((size_t)n, sizeof *out->rank);
    double *proba = s->proba ? allocate((size_t)(n * K), sizeof *proba) : NULL;
    for (int64_t i = 0; i < n; i++) {
        out->rank[i] = s->rank[at[i]];
        if (proba) memcpy(proba + i * K, s->proba + at[i] * K, (size_t)K * sizeof *proba);
    }
    const rung_metrics_options how = {.size = sizeof how, .proba = proba, .weight = g->weight};
    status = rung_metrics_compute(ctx, n, K, out->truth, out->rank, &how, &out->metrics);
    free(proba);
    return status;
}

/* The training rows whose label was kept, or hidden. */
static rung_status grade_training(rung_ctx *ctx, const rung_model *model, const predictions *s, const partition *p,
                                  bool given, answers *out)
{
    const int *rank = rung_data_ranks(p->train);
    const double *target = rung_data_targets(p->train);
    int64_t *at = allocate((size_t)p->n_train, sizeof *at), *rows = allocate((size_t)p->n_train, sizeof *rows), n = 0;
    int *truth = allocate((size_t)p->n_train, sizeof *truth);
    double *value = allocate((size_t)p->n_train, sizeof *value), *own = allocate((size_t)p->n_train, sizeof *own);
    const double *weight = rung_data_weights(p->train);
    for (int64_t i = 0; i < p->n_train; i++) {
        bool known = target ? !isnan(p->train_target[i]) : p->train_rank[i] > 0;
        bool labelled = target ? !isnan(target[i]) : rank[i] > 0;
        if (!known || labelled != given) continue;
        at[n] = i;
        rows[n] = p->train_rows[i];
        truth[n] = p->train_rank[i];
        if (target) value[n] = p->train_target[i];
        if (weight) own[n] = weight[i];
        n++;
    }
    const graded g = {n, at, rows, truth, target ? value : NULL, weight ? own : NULL};
    rung_status status = grade(ctx, model, s, &g, out);
    free(value);
    free(own);
    free(truth);
    free(rows);
    free(at);
    return status;
}

/* For a transductive method: the predictions of its fit for the training rows. */
static rung_status answer(rung_ctx *ctx, const dataset *d, const partition *p, const rung_model *model, job_result *out)
{
    bool own = rung_model_training_rows(model) == rung_data_rows(p->train) && rung_model_training_rows(model) > 0;
    double start = seconds_now();
    predictions train_says = {0}, test_says = {0};
    int64_t *at = allocate((size_t)p->n_test, sizeof *at);
    bool joined = d->plan->transductive;
    rung_status status = ask(ctx, model, p->train, own, &train_says);
    if (status == RUNG_OK && !joined) status = ask(ctx, model, p->test, false, &test_says);
    out->predict_seconds = seconds_now() - start;
    for (int64_t i = 0; i < p->n_test; i++) at[i] = joined ? p->n_train + i : i;
    const graded g = {p->n_test, at, p->test_rows, p->test_rank, p->test_target, rung_data_weights(p->test)};
    if (status == RUNG_OK) status = grade(ctx, model, joined ? &train_says : &test_says, &g, &out->part[0]);
    if (status == RUNG_OK) status = grade_training(ctx, model, &train_says, p, false, &out->part[1]);
    if (status == RUNG_OK) status = grade_training(ctx, model, &train_says, p, true, &out->part[2]);
    free(at);
    predictions_free(&train_says);
    predictions_free(&test_says);
    out->test = p->n_test;
    out->labelled = out->part[2].n;
    out->unlabelled = rung_data_rows(p->train) - out->labelled;
    return status;
}

/* In memory of the command's own, as results of other processes are. */
static rung_status keep_model(rung_ctx *ctx, const rung_model *model, job_result *out)
{
    char *bytes;
    rung_status status = rung_model_save_memory(ctx, model, &bytes, &out->model_size);
    if (status != RUNG_OK) return status;
    out->model = memcpy(allocate((size_t)out->model_size, 1), bytes, (size_t)out->model_size);
    rung_free(bytes);
    return RUNG_OK;
}

rung_status job_run(rung_ctx *ctx, const dataset *d, int64_t index, const plan_method *m, bool keep, job_result *out)
{
    *out = (job_result){.real = d->classes == 0};
    partition p;
    rung_model *model = NULL;
    rung_status status = partition_open(ctx, d, index, &p);
    rung_ctx_set_seed(ctx, partition_seed(d->plan, index, SEED_FIT));
    if (status == RUNG_OK) status = train(ctx, m, d->plan->equal_rows, p.train, out, &model);
    if (status == RUNG_OK) {
        out->params = params_json(model);
        out->n_expansion = rung_model_terms(model);
    }
    if (status == RUNG_OK) status = answer(ctx, d, &p, model, out);
    if (status == RUNG_OK && keep) status = keep_model(ctx, model, out);
    rung_model_free(model);
    partition_close(&p);
    return status;
}

void job_free(job_result *r)
{
    for (int i = 0; i < PARTS; i++) {
        free(r->part[i].rows);
        free(r->part[i].truth);
        free(r->part[i].rank);
        free(r->part[i].target);
        free(r->part[i].score);
    }
    json_decref(r->params);
    json_decref(r->searched);
    free(r->model);
    *r = (job_result){0};
}
