// SPDX-License-Identifier: BSD-3-Clause
#include "fit/verify.h"

#include <stdlib.h>
#include <string.h>

#include "fit/copies_fit.h"
#include "fit/open_files.h"
#include "fit/training.h"

void condition_add(conditions *c, const char *name, const char *what, double value, double tolerance)
{
    if (c->status == RUNG_OK) c->status = RESIZE(c->ctx, &c->mem, c->all, c->n + 1);
    if (c->status != RUNG_OK) return;
    c->all[c->n++] =
        (rung_condition){.name = name, .what = what, .value = value, .tolerance = tolerance, .ok = value <= tolerance};
}

static const report_entry *told(const rung_model *m, const char *name)
{
    for (int i = 0; i < m->n_report; i++)
        if (strcmp(m->report[i].name, name) == 0) return &m->report[i];
    return NULL;
}

const double *told_list(const rung_model *m, const char *name, int64_t n)
{
    const report_entry *e = told(m, name);
    return e && e->n == n ? e->value : NULL;
}

double told_number(const rung_model *m, const char *name)
{
    const double *value = told_list(m, name, -1);
    return value ? *value : NAN;
}

/* ---- facts of every model ---- */

typedef struct {
    int64_t n;
    int outputs, K, lowest; /* lowest: 0 where the model may give no answer */
    int *rank;
    double *score, *proba;
} answers;

static rung_status ask(rung_ctx *ctx, const rung_model *model, const rung_data *data, answers *out)
{
    rung_view view = {.v = data->X, .n = data->n, .d = data->d, .row = data->d, .col = 1};
    *out = (answers){.n = data->n, .outputs = model_outputs(model), .K = model->code.n_classes};
    out->lowest = model->cost.abstain > 0 ? 0 : 1;
    TRY(NEW(ctx, &ctx->scratch, out->score, out->n * out->outputs));
    if (model_has_ranks(model)) TRY(NEW(ctx, &ctx->scratch, out->rank, out->n));
    if (model_has_probabilities(model)) TRY(NEW(ctx, &ctx->scratch, out->proba, out->n * out->K));
    return model_predict(ctx, model, &view, NULL,
                         &(rung_output){.rank = out->rank, .score = out->score, .proba = out->proba});
}

/* The count of numbers that differ; NaN always does. */
static double differing(const answers *a, const answers *b)
{
    int64_t count = 0;
    for (int64_t i = 0; i < a->n * a->outputs; i++) count += a->score[i] != b->score[i];
    for (int64_t i = 0; i < a->n && a->rank; i++) count += a->rank[i] != b->rank[i];
    for (int64_t i = 0; i < a->n * a->K && a->proba; i++) count += a->proba[i] != b->proba[i];
    return (double)count;
}

static rung_status saved_and_loaded(rung_ctx *ctx, const rung_model *model, const rung_data *data, const answers *a,
                                    conditions *c)
{
    rung_model *again = NULL;
    answers b;
    char *bytes;
    int64_t size;
    TRY(model_to_memory(ctx, model, &bytes, &size));
    rung_status status = model_from_memory(ctx, bytes, size, &again);
    object_free(bytes);
    if (status == RUNG_OK) status = ask(ctx, again, data, &b);
    model_free(again);
    TRY(status);
    condition_add(c, "saved", "numbers that the saved model predicts differently", differing(a, &b), 0);
    return RUNG_OK;
}

static void valid_answers(const answers *a, conditions *c)
{
    double outside = 0, infinite = 0, least = 0, sum_off = 0;
    for (int64_t i = 0; i < a->n; i++) {
        for (int o = 0; o < a->outputs; o++) infinite += !isfinite(a->score[i * a->outputs + o]);
        if (a->rank) outside += a->rank[i] < a->lowest || a->rank[i] > a->K;
        double sum = 0;
        for (int q = 0; q < a->K && a->proba; q++) {
            least = fmax(least, -a->proba[i * a->K + q]);
            sum += a->proba[i * a->K + q];
        }
        if (a->proba) sum_off = isfinite(sum) ? fmax(sum_off, fabs(sum - 1)) : INFINITY;
    }
    condition_add(c, "scores", "predicted scores that are not finite", infinite, 0);
    if (a->rank) condition_add(c, "ranks", "predicted ranks that are not a class", outside, 0);
    if (!a->proba) return;
    condition_add(c, "probabilities", "largest probability below 0", least, 0);
    condition_add(c, "sums", "largest |sum of the probabilities of a row - 1|", sum_off, 1e-12);
}

static double largest_fall(int64_t n, const double *v)
{
    double fall = 0;
    for (int64_t i = 1; i < n && v; i++) fall = v[i - 1] <= v[i] ? fall : fmax(fall, v[i - 1] - v[i]);
    return fall;
}

static void ordered_thresholds(const rung_model *model, conditions *c)
{
    double fall = 0;
    bool any = false;
    for (int i = 0; i < model->n_members; i++) {
        const member *m = &model->members[i];
        bool native = m->decide.kind == DECISION_THRESHOLDS;
        if (native) fall = fmax(fall, largest_fall(m->decide.K - 1, m->decide.thresholds));
        if (m->proba == PROBA_CALIBRATION) fall = fmax(fall, largest_fall(m->cal.K - 1, m->cal.c));
        if (m->proba == PROBA_EFFECTS) fall = fmax(fall, largest_fall(m->decide.K - 1, m->score.random->b));
        if (m->proba == PROBA_PROBIT) fall = fmax(fall, largest_fall(m->decide.K - 1, m->link.b));
        any |= native || m->proba == PROBA_CALIBRATION || member_has_variance(m);
    }
    if (any) condition_add(c, "order", "largest amount by which a threshold is below the previous one", fall, 0);
}

static void finite_report(const rung_model *model, conditions *c)
{
    double count = 0;
    for (int i = 0; i < model->n_report; i++)
        for (int64_t j = 0; j < (model->report[i].n < 0 ? 1 : model->report[i].n); j++)
            count += !isfinite(model->report[i].value[j]);
    if (model->n_report) condition_add(c, "report", "reported numbers that are not finite", count, 0);
}

/* The model's scaling against the one of the data. */
static rung_status same_scaling(rung_ctx *ctx, const rung_model *model, const training *t, conditions *c)
{
    const rung_data *data = t->data;
    rung_view view = {.v = data->X, .n = data->n, .d = data->d, .row = data->d, .col = 1};
    int64_t *all = NULL;
    double *a = NULL, *b = NULL, off = 0;
    TRY(NEW(ctx, &ctx->scratch, all, data->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, a, data->n * data->d));
    TRY(NEW_RAW(ctx, &ctx->scratch, b, data->n * data->d));
    for (int64_t i = 0; i < data->n; i++) all[i] = i;
    scale_apply(&t->scale, data->n, &view, all, a);
    scale_apply(&model->members->scale, data->n, &view, all, b);
    for (int64_t i = 0; i < data->n * data->d; i++) off = a[i] == b[i] ? off : fmax(off, fabs(a[i] - b[i]));
    condition_add(c, "scaling", "largest difference between cells scaled by the model and rescaled", off, 0);
    return RUNG_OK;
}

/* ---- the solution ---- */

static rung_status outputs(rung_ctx *ctx, const scorer *s, const problem *p, double **out)
{
    double *rows = NULL;
    TRY(pool_alloc(ctx, &ctx->scratch, p->n * s->outputs, sizeof **out, "the outputs", (void **)out));
    if (s->kind != SCORER_TREES) return scorer_apply(ctx, s, p->n, p->X, *out);
    TRY(NEW_RAW(ctx, &ctx->scratch, rows, p->d * p->n));
    for (int64_t i = 0; i < p->n; i++)
        memcpy(rows + i * p->d, p->cells + p->origin[i] * p->d, (size_t)p->d * sizeof *rows);
    return scorer_apply(ctx, s, p->n, rows, *out);
}

/* The rows of a problem from the last to the first. */
static rung_status reversed(rung_ctx *ctx, const problem *p, problem *out)
{
    double *X = NULL, *w = NULL;
    int *y = NULL, *upper = NULL, *group = NULL, *equal = NULL;
    int64_t *origin = NULL;
    if (p->upper) TRY(NEW(ctx, &ctx->scratch, upper, p->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, X, p->d * p->n));
    TRY(NEW(ctx, &ctx->scratch, y, p->n));
    TRY(NEW(ctx, &ctx->scratch, origin, p->n));
    if (p->group) TRY(NEW(ctx, &ctx->scratch, group, p->n));
    if (p->equal == p->group)
        equal = group;
    else if (p->equal)
        TRY(NEW(ctx, &ctx->scratch, equal, p->n));
    if (p->w) TRY(NEW(ctx, &ctx->scratch, w, p->n));
    for (int64_t i = 0, j = p->n - 1; i < p->n; i++, j--) {
        memcpy(X + i * p->d, p->X + j * p->d, (size_t)p->d * sizeof *X);
        y[i] = p->y[j];
        if (upper) upper[i] = p->upper[j];
        origin[i] = p->origin[j];
        if (group) group[i] = p->group[j];
        if (equal) equal[i] = p->equal[j];
        if (w) w[i] = p->w[j];
    }
    problem_new(&ctx->scratch, &(problem_rows){p->d, p->n, X, y, w, origin, p->K}, out);
    out->upper = upper;
    out->group = group;
    out->equal = equal;
    return RUNG_OK;
}

rung_status verify_by_refit(rung_ctx *ctx, const struct verification *v, bool reverse)
{
    const problem *p = v->p;
    problem again = problem_view(p, &ctx->scratch);
    fitted fit = {0};
    double *g = NULL, size = ROUNDED * verify_score_size(v), off = 0;
    if (reverse) TRY(reversed(ctx, p, &again));
    fit_input in = verified_fit(v);
    in.p = &again;
    TRY(v->method->fit(ctx, &ctx->scratch, &in, &fit));
    TRY(outputs(ctx, &fit.own.score, p, &g));
    for (int64_t i = 0; i < p->n; i++) {
        size = fmax(size, fabs(v->f[i]));
        if (!(fabs(v->f[i] - g[i]) <= off)) off = fabs(v->f[i] - g[i]);
    }
    condition_add(v->found, "refit",
                  reverse ? "largest relative change of an output when the rows are fitted in reverse order"
                          : "largest relative change of an output in a second fit",
                  size > 0 ? off / size : off, reverse ? 1e-6 : 1e-12);
    return RUNG_OK;
}

/* What `landmarks` was settled to. */
static int64_t landmarks_of(const method *m, const void *params)
{
    for (const param_row *row = m->params; row->info.name; row++)
        if (strcmp(row->info.name, "landmarks") == 0) return *(const int *)((const char *)params + row->place);
    return 0;
}

static rung_status solution(rung_ctx *ctx, const rung_spec *spec, training *t, const rung_model *model, conditions *out)
{
    struct verification v = {.method = spec->method, .model = model, .found = out};
    void *params;
    double *f = NULL;
    TRY(training_problem(ctx, t, spec, &v.p));
    TRY(method_settle(ctx, &ctx->scratch, spec, v.p, &params));
    v.params = params;
    v.landmarks = landmarks_of(spec->method, params);
    if (!model_averages(model)) TRY(outputs(ctx, &model->members->score, v.p, &f));
    v.f = f;
    return spec->method->verify ? spec->method->verify(ctx, &v) : RUNG_OK; /* what holds for all methods was tested */
}

static rung_status verify(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, const rung_model *model,
                          conditions *out)
{
    training t;
    answers a;
    bool all = (spec->method->info.flags & RUNG_METHOD_USES_UNLABELLED) != 0;
    if (strcmp(model->method, spec->method->info.name) != 0)
        return set_error(ctx, RUNG_EARG, "verify: this is a %s model, not a %s model", model->method,
                         spec->method->info.name);
    if (model->n_rows != data->n || model->code.d != data->d)
        return set_error(ctx, RUNG_EARG,
                         "verify: the model was fitted to %lld rows of %lld columns, not to %lld of %lld",
                         (long long)model->n_rows, (long long)model->code.d, (long long)data->n, (long long)data->d);
    TRY(training_new(ctx, spec, data, all, !spec->method->takes_cells, &t));
    TRY(training_check(ctx, &t, spec->method));
    TRY(ask(ctx, model, data, &a));
    valid_answers(&a, out);
    TRY(saved_and_loaded(ctx, model, data, &a, out));
    ordered_thresholds(model, out);
    finite_report(model, out);
    TRY(same_scaling(ctx, model, &t, out));
    if (model->copies.mass) {
        double count;
        TRY(copies_differing(ctx, &t, model, &count));
        condition_add(out, "equal rows", "entries of the rule for equal rows that are not those of the labelled rows",
                      count, 0);
    }
    TRY(solution(ctx, spec, &t, model, out));
    return out->status;
}

rung_status method_verify(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, const rung_model *model,
                          rung_verification **out)
{
    *out = NULL;
    TRY(all_rows_check(ctx, data, "verification"));
    rung_verification *found = object_new(ctx, sizeof *found);
    if (!found) return set_error(ctx, RUNG_ENOMEM, "out of memory: a verification");
    found->ctx = ctx;
    rung_status status = verify(ctx, spec, data, model, found);
    if (status != RUNG_OK) {
        verification_free(found);
        return status;
    }
    *out = found;
    return RUNG_OK;
}

void verification_free(rung_verification *v)
{
    if (!v) return;
    pool_free_all(&v->mem);
    object_free(v);
}
