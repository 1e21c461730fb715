// SPDX-License-Identifier: BSD-3-Clause
/* fit.c - the common driver: from a data set and a spec to a model, for every method.
 *
 *     choose the classes that have labels -> scale -> problem -> method.fit -> out-of-fold scores -> calibration ->
 * model
 *
 * Calibration (parameter `calibrate` = number of folds): each labelled row gets a rank score from a model that did not
 * see it; the all-threshold fit on these scores gives probabilities and, with thresholds=recalibrated, the decision.
 * The metrics reported as `cv` go one step further: the row's own fold is left out of the threshold fit too. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "eval/metrics.h"
#include "method/method.h"

enum { LARGE = 2000, CROSS_GROUPS = 5 }; /* above LARGE labelled rows one held-out fold serves */

static const double CALIBRATION_LAMBDA = 0.05;

typedef struct {
    const rung_spec *spec;
    const rung_data *data;
    int K;        /* classes with labels: the method sees 1..K */
    int *present; /* ... and they are these of the data */
    int *y;       /* per row of the data: 1..K, 0 = unlabelled */
    double *w;    /* per row of the data: row weight times class weight; NULL = all 1 */
    int64_t labelled;
    int64_t n, *rows; /* the rows the method works on */
    scaling scale;
} job;

/* ---- classes and weights ---- */

static rung_status class_weights(rung_ctx *ctx, job *j, double *weight)
{
    const rung_spec *spec = j->spec;
    const coding *code = &j->data->code;
    for (int q = 0; q < code->n_classes; q++) weight[q] = 1;
    for (int i = 0; i < spec->n_weights; i++) {
        int q = 0;
        while (q < code->n_classes && strcmp(code->classes[q], spec->weight_class[i]) != 0) q++;
        if (q == code->n_classes)
            return fail(ctx, RUNG_EARG, "a weight is given for class '%s', which does not exist",
                        spec->weight_class[i]);
        weight[q] = spec->weight[i];
    }
    return RUNG_OK;
}

/* A labelled row of weight 0 counts as unlabelled. */
static rung_status choose_classes(rung_ctx *ctx, job *j)
{
    const rung_data *data = j->data;
    int K = data->code.n_classes, *rank = NULL;
    double *by_class = NULL;
    TRY(NEW(ctx, &ctx->scratch, by_class, K + 1));
    TRY(NEW(ctx, &ctx->scratch, rank, K + 1));
    TRY(NEW(ctx, &ctx->scratch, j->present, K + 1));
    TRY(NEW(ctx, &ctx->scratch, j->y, data->n));
    TRY(class_weights(ctx, j, by_class));
    if (data->weight || j->spec->n_weights) TRY(NEW(ctx, &ctx->scratch, j->w, data->n));
    for (int64_t i = 0; i < data->n; i++) {
        int y = data->y[i];
        if (j->w) {
            j->w[i] = (data->weight ? data->weight[i] : 1) * (y ? by_class[y - 1] : 1);
            if (j->w[i] <= 0) y = 0;
        }
        j->y[i] = y;
        rank[y] = 1;
        j->labelled += y > 0;
    }
    rank[0] = 0;
    for (int q = 1; q <= K; q++)
        if (rank[q]) {
            j->present[j->K] = q;
            rank[q] = ++j->K;
        }
    for (int64_t i = 0; i < data->n; i++) j->y[i] = rank[j->y[i]];
    return RUNG_OK;
}

static rung_status check_labels(rung_ctx *ctx, const job *j)
{
    const rung_method *info = &j->spec->method->info;
    if ((info->flags & RUNG_NEEDS_LABELS) && j->labelled == 0)
        return fail(ctx, RUNG_EDATA, "%s needs labelled rows, but all %lld rows are unlabelled", info->name,
                    (long long)j->data->n);
    if ((info->flags & RUNG_NEEDS_TWO_CLASSES) && j->K < 2)
        return fail(ctx, RUNG_EDATA, "%s needs labelled rows of at least two classes, but all %lld are of class '%s'",
                    info->name, (long long)j->labelled, j->data->code.classes[j->present[0] - 1]);
    if (j->data->weight && !(info->flags & RUNG_WEIGHTS))
        return fail(ctx, RUNG_EARG, "%s takes no row weights", info->name);
    return RUNG_OK;
}

/* ---- the problem ---- */

static rung_status choose_rows(rung_ctx *ctx, job *j)
{
    bool all = (j->spec->method->info.flags & RUNG_USES_UNLABELLED) != 0;
    TRY(NEW(ctx, &ctx->scratch, j->rows, j->data->n));
    for (int64_t i = 0; i < j->data->n; i++)
        if (all || j->y[i]) j->rows[j->n++] = i;
    if (!all && j->labelled < j->data->n)
        log_at(ctx, RUNG_INFO, "%s learns from the %lld labelled rows; the other %lld only help to scale the columns",
               j->spec->method->info.name, (long long)j->labelled, (long long)(j->data->n - j->labelled));
    return RUNG_OK;
}

/* A precomputed kernel is taken as it stands: one column per row of the data, no scaling, no coding. */
static rung_status check_precomputed(rung_ctx *ctx, const job *j, scale_kind *scale)
{
    const char *kernel_value = spec_value(j->spec, "kernel");
    if (!kernel_value || strcmp(kernel_value, "precomputed") != 0) return RUNG_OK;
    *scale = SCALE_NONE;
    for (int64_t c = 0; c < j->data->code.n_columns; c++)
        if (j->data->code.columns[c].nominal)
            return fail(ctx, RUNG_EDATA, "kernel=precomputed: column '%s' is text, numbers are expected",
                        j->data->code.columns[c].name);
    if (j->data->d != j->data->n)
        return fail(ctx, RUNG_EDATA,
                    "kernel=precomputed: %lld rows need %lld feature columns k(row, row j), but there are %lld",
                    (long long)j->data->n, (long long)j->data->n, (long long)j->data->d);
    return RUNG_OK;
}

static rung_status make_problem(rung_ctx *ctx, job *j, problem *out)
{
    const rung_data *data = j->data;
    scale_kind kind = j->spec->scale;
    TRY(check_precomputed(ctx, j, &kind));
    problem_shape shape = {.n = j->n, .labelled = j->labelled, .d = data->d, .K = j->K};
    char what[64];
    snprintf(what, sizeof what, "%s on %lld rows", j->spec->method->info.name, (long long)j->n);
    TRY(memory_check(ctx, j->spec->method->bytes(&shape, j->spec->params), what));
    TRY(scale_fit(ctx, &ctx->scratch, kind, data->d, data->n, data->X, &j->scale));
    double *X = NULL, *w = NULL;
    int *y = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, data->d * j->n));
    TRY(NEW(ctx, &ctx->scratch, y, j->n));
    rung_view view = {.v = data->X, .n = data->n, .d = data->d, .row = data->d, .col = 1};
    scale_apply(&j->scale, j->n, &view, j->rows, X);
    if (j->w) TRY(NEW(ctx, &ctx->scratch, w, j->n));
    for (int64_t i = 0; i < j->n; i++) {
        y[i] = j->y[j->rows[i]];
        if (w) w[i] = j->w[j->rows[i]];
    }
    problem_new(&ctx->scratch, data->d, j->n, X, y, w, j->rows, j->K, out);
    return RUNG_OK;
}

/* ---- out-of-fold scores ---- */

static rung_status choose_folds(rung_ctx *ctx, const job *j, const problem *p, int count, folds *out)
{
    if (j->labelled > LARGE) return folds_holdout(ctx, &ctx->scratch, p->n, p->y, p->K, 1.0 / count, LARGE, out);
    int repeats = j->labelled <= 60 ? 5 : j->labelled <= 150 ? 2 : 1;
    return folds_stratified(ctx, &ctx->scratch, p->n, p->y, p->K, count, repeats, out);
}

/* One fold by fitting again on what it keeps; ranks and the rank map are put back on the scale of all classes. */
static rung_status refit_fold(rung_ctx *ctx, const job *j, const problem *p, const folds *f, int repeat, int fold,
                              held_out *out)
{
    problem sub;
    fitted fit = {0};
    int *classes = NULL;
    int64_t *kept = NULL, *held = NULL;
    double *X = NULL, *score = NULL;
    TRY(NEW(ctx, &ctx->scratch, classes, p->K));
    TRY(NEW(ctx, &ctx->scratch, kept, p->n));
    TRY(NEW(ctx, &ctx->scratch, held, p->n));
    int64_t n = folds_kept(f, repeat, fold, kept), h = folds_held(f, repeat, fold, held);
    if (h == 0) return RUNG_OK;
    TRY(problem_subset(ctx, &ctx->scratch, p, n, kept, &sub, classes));
    TRY(NEW_RAW(ctx, &ctx->scratch, X, p->d * h));
    TRY(NEW(ctx, &ctx->scratch, score, h));
    for (int64_t i = 0; i < h; i++) memcpy(X + i * p->d, p->X + held[i] * p->d, (size_t)p->d * sizeof *X);
    if (sub.K > 1) {
        TRY(j->spec->method->fit(ctx, &ctx->scratch, &sub, j->spec->params, NULL, &fit, NULL));
        TRY(scorer_apply(ctx, &fit.score, h, X, score));
        for (int q = 0; q < fit.map.n; q++) fit.map.s[q] = classes[(int)fit.map.s[q] - 1];
    }
    for (int64_t i = 0; i < h; i++, out->n++) {
        out->row[out->n] = held[i];
        out->repeat[out->n] = repeat;
        out->fold[out->n] = fold;
        out->score[out->n] = sub.K > 1 ? rank_score(&fit.map, score[i]) : classes[0];
        out->rank[out->n] = sub.K > 1 ? classes[decision_rank(&fit.decide, score[i]) - 1] : classes[0];
    }
    return RUNG_OK;
}

static rung_status refit_folds(rung_ctx *ctx, const job *j, const problem *p, const folds *f, held_out *out)
{
    TRY(held_out_new(ctx, &ctx->scratch, p->n * f->repeats, out));
    for (int r = 0; r < f->repeats; r++)
        for (int fold = 0; fold < f->count; fold++) {
            pool_mark mark = pool_here(&ctx->scratch);
            TRY(interrupted(ctx));
            TRY(refit_fold(ctx, j, p, f, r, fold, out));
            pool_release(&ctx->scratch, mark);
            progress(ctx, "out-of-fold scores", (double)(r * f->count + fold + 1) / (f->repeats * f->count));
        }
    return RUNG_OK;
}

/* ---- calibration ---- */

/* The group a held-out row belongs to when thresholds are cross-fitted: its fold, or a share of a single fold. */
static int cross_group(const held_out *h, const folds *f, int64_t i)
{
    return f->count > 1 ? h->fold[i] : (int)(i % CROSS_GROUPS);
}

/* The threshold fit on some of the held-out rows: those of `repeat` outside `group`, or all of them (repeat < 0). */
static rung_status fit_thresholds(rung_ctx *ctx, const problem *p, const held_out *h, const folds *f, int repeat,
                                  int group, calibration *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    double *s = NULL, *w = NULL, share = repeat < 0 ? 1.0 / f->repeats : 1;
    int *y = NULL;
    int64_t n = 0;
    TRY(NEW(ctx, &ctx->scratch, s, h->n));
    TRY(NEW(ctx, &ctx->scratch, w, h->n));
    TRY(NEW(ctx, &ctx->scratch, y, h->n));
    for (int64_t i = 0; i < h->n; i++) {
        if (repeat >= 0 && (h->repeat[i] != repeat || cross_group(h, f, i) == group)) continue;
        s[n] = h->score[i];
        y[n] = p->y[h->row[i]];
        w[n++] = share * (p->w ? p->w[h->row[i]] : 1);
    }
    out->K = p->K;
    rung_status status = n > 0 ? calibrate_fit(ctx, n, s, y, w, p->K, CALIBRATION_LAMBDA, out) : RUNG_OK;
    if (n == 0) { /* nothing else to learn from: mid-points */
        out->a = 1;
        for (int q = 1; q < p->K; q++) out->c[q - 1] = q + 0.5;
    }
    pool_release(&ctx->scratch, mark);
    return status;
}

/* Where no row can be held out (one label per class) every label stands on its own rank. */
static rung_status labels_as_scores(rung_ctx *ctx, const problem *p, held_out *out)
{
    TRY(held_out_new(ctx, &ctx->scratch, p->n, out));
    for (int64_t i = 0; i < p->n; i++)
        if (p->y[i]) {
            out->row[out->n] = i;
            out->score[out->n] = out->rank[out->n] = p->y[i];
            out->n++;
        }
    return RUNG_OK;
}

/* Metrics of the held-out rows of one repeat, on the classes of the data. */
static rung_status repeat_metrics(rung_ctx *ctx, const job *j, const problem *p, const held_out *h, const folds *f,
                                  int repeat, bool recalibrated, rung_metrics *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    int K = j->data->code.n_classes, groups = f->count > 1 ? f->count : CROSS_GROUPS, *truth = NULL, *predicted = NULL;
    int64_t n = 0;
    double *proba = NULL, *part = NULL;
    calibration cal = {.K = p->K};
    TRY(NEW(ctx, &ctx->scratch, cal.c, p->K));
    TRY(NEW(ctx, &ctx->scratch, part, p->K));
    TRY(NEW(ctx, &ctx->scratch, truth, h->n));
    TRY(NEW(ctx, &ctx->scratch, predicted, h->n));
    TRY(NEW(ctx, &ctx->scratch, proba, h->n * K));
    for (int g = 0; g < groups; g++) {
        TRY(fit_thresholds(ctx, p, h, f, repeat, g, &cal));
        for (int64_t i = 0; i < h->n; i++) {
            if (h->repeat[i] != repeat || cross_group(h, f, i) != g) continue;
            int rank = recalibrated ? calibrate_rank(&cal, h->score[i]) : h->rank[i];
            truth[n] = j->present[p->y[h->row[i]] - 1];
            predicted[n] = j->present[rank - 1];
            calibrate_proba(&cal, h->score[i], part);
            for (int q = 0; q < p->K; q++) proba[n * K + j->present[q] - 1] = part[q];
            n++;
        }
    }
    TRY(metrics_compute(ctx, n, K, truth, predicted, proba, out));
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* The mean over the repeats. rung_metrics begins with its numbers. */
static rung_status cv_metrics(rung_ctx *ctx, const job *j, const problem *p, const held_out *h, const folds *f,
                              bool recalibrated, rung_metrics *out)
{
    enum { NUMBERS = offsetof(rung_metrics, n) / sizeof(double) };
    double sum[NUMBERS] = {0}, value[NUMBERS];
    for (int r = 0; r < f->repeats; r++) {
        TRY(repeat_metrics(ctx, j, p, h, f, r, recalibrated, out));
        memcpy(value, out, sizeof value);
        for (int i = 0; i < NUMBERS; i++) sum[i] += value[i] / f->repeats;
    }
    memcpy(out, sum, sizeof sum);
    return RUNG_OK;
}

static rung_status calibrate(rung_ctx *ctx, const job *j, const problem *p, held_out *h, const folds *f,
                             const fitted *fit, rung_model *model)
{
    member *m = &model->members[0];
    const char *rule = spec_value(j->spec, "thresholds");
    bool recalibrated = rule && strcmp(rule, "recalibrated") == 0;
    bool honest = h->n > 0;
    if (!honest) {
        log_at(ctx, RUNG_WARNING,
               "no class has two labelled rows: thresholds and probabilities are guesses, no error can be told");
        TRY(labels_as_scores(ctx, p, h));
    }
    m->map = fit->map;
    TRY(NEW(ctx, &model->mem, m->cal.c, p->K - 1));
    TRY(fit_thresholds(ctx, p, h, f, -1, 0, &m->cal));
    m->calibrated = true;
    if (recalibrated) m->decide = (decision){.kind = DECISION_CALIBRATED, .K = p->K};
    model->has_cv = honest;
    return honest ? cv_metrics(ctx, j, p, h, f, recalibrated, &model->cv) : RUNG_OK;
}

/* ---- the model ---- */

static rung_status describe_fit(rung_ctx *ctx, const job *j, const fitted *fit, rung_model *model)
{
    const rung_spec *spec = j->spec;
    const rung_param *rows = spec->method->info.params;
    model->method = spec->method->info.name;
    model->library = RUNG_VERSION;
    model->n_rows = j->data->n;
    model->n_labelled = j->labelled;
    model->n_expansion = fit->n_expansion;
    model->n_report = fit->n_report;
    model->report = fit->report;
    int count = 0;
    while (rows[count].name) count++;
    TRY(NEW(ctx, &model->mem, model->params, count));
    for (int i = 0; i < count; i++) {
        if (!spec->values[i]) continue;
        model->params[model->n_params].name = rows[i].name;
        TRY(pool_text(ctx, &model->mem, spec->values[i], &model->params[model->n_params].value));
        model->n_params++;
    }
    TRY(coding_copy(ctx, &model->mem, &j->data->code, &model->code));
    model->n_present = j->K;
    TRY(NEW(ctx, &model->mem, model->present, j->K));
    memcpy(model->present, j->present, sizeof *model->present * (size_t)j->K);
    return RUNG_OK;
}

static rung_status build(rung_ctx *ctx, job *j, rung_model *model)
{
    problem p;
    fitted fit = {0};
    held_out held = {0};
    folds f = {0};
    TRY(choose_classes(ctx, j));
    TRY(check_labels(ctx, j));
    TRY(choose_rows(ctx, j));
    const char *text = spec_value(j->spec, "calibrate"), *rule = spec_value(j->spec, "thresholds");
    int64_t count = 0;
    if (text && !text_integer(text, strlen(text), &count)) count = 0;
    if (count == 1) return fail(ctx, RUNG_EARG, "calibrate=1: at least 2 folds are needed, or 0 for none");
    if (count == 0 && rule && strcmp(rule, "recalibrated") == 0)
        return fail(ctx, RUNG_EARG, "thresholds=recalibrated needs calibrate=2 or more (or take thresholds=midpoint)");
    TRY(make_problem(ctx, j, &p));
    if (count) TRY(choose_folds(ctx, j, &p, (int)count, &f));
    progress(ctx, "fitting", 0);
    TRY(interrupted(ctx));
    TRY(j->spec->method->fit(ctx, &model->mem, &p, j->spec->params, count ? &f : NULL, &fit, &held));
    if (count && !held.row) TRY(refit_folds(ctx, j, &p, &f, &held));
    progress(ctx, "fitting", 1);

    TRY(NEW(ctx, &model->mem, model->members, 1));
    model->n_members = 1;
    member *m = &model->members[0];
    m->weight = 1;
    m->score = fit.score;
    m->decide = fit.decide;
    m->prior = fit.prior;
    TRY(scale_copy(ctx, &model->mem, &j->scale, &m->scale));
    TRY(describe_fit(ctx, j, &fit, model));
    if (count) TRY(calibrate(ctx, j, &p, &held, &f, &fit, model));
    return RUNG_OK;
}

rung_status method_fit(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, rung_model **out)
{
    TRY(model_new(ctx, out));
    job j = {.spec = spec, .data = data};
    rung_status status = build(ctx, &j, *out);
    if (status != RUNG_OK) {
        model_free(*out);
        *out = NULL;
    }
    return status;
}
