// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE /* gettid */
#include "label/refit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "data/measures.h"
#include "label/grades.h"

enum {
    LOW_PRIORITY = 10,
    FEWEST = 2,   /* labels in each of two classes, before there is anything to fit */
    MEASURED = 4, /* held-out rows that were not chosen, before their error is shown with its range */
    QUEUE = 30,   /* rows suggested at a time */
    BATCH = 10,   /* new labels after which others are suggested, and the forecast is made again */
    AHEAD = 40    /* labels that it looks ahead */
};

/* ---- what to fit ---- */

/* The labels as they are now. */
static void take_labels(refit *r)
{
    const subject *u = r->of->of;
    const int *chosen = rung_data_chosen(u->data);
    r->known = 0;
    for (int64_t i = 0; i < u->rows; i++) {
        grade g = label_of(r->of, i);
        r->unfitted |= r->low[i] != g.low || r->high[i] != g.high;
        r->low[i] = g.low;
        r->high[i] = g.high;
        r->known += g.low > 0;
        r->chosen[i] = (chosen && chosen[i]) || how_shown(r->of, i) == HOW_CHOSEN;
        r->leave[i] = g.low < g.high || grade_by(r->of, r->me, i).state == SKIPPED;
    }
}

static bool enough(const refit *r)
{
    const subject *u = r->of->of;
    int *count = allocate((size_t)u->classes + 1, sizeof *count), classes = 0;
    for (int64_t i = 0; i < u->rows; i++)
        if (r->low[i] == r->high[i]) count[r->low[i]]++;
    for (int k = 1; k <= u->classes; k++) classes += count[k] >= FEWEST;
    free(count);
    return classes >= 2;
}

/* Ranges are labels where the method takes them. */
static bool takes_ranges(const refit *r) { return (rung_spec_method(r->spec)->flags & RUNG_METHOD_INTERVALS) != 0; }

/* rank: of the rows that are fitted to, of a range the lower end; 0: none. */
static rung_status data_of(refit *r, int *rank, rung_data **out)
{
    const subject *u = r->of->of;
    rung_view X = rung_data_view(u->data);
    int *upper = allocate((size_t)u->rows, sizeof *upper);
    for (int64_t i = 0; i < u->rows; i++) {
        bool all = r->low[i] == 1 && r->high[i] == u->classes; /* says nothing */
        rank[i] = r->low[i] == r->high[i] || (takes_ranges(r) && !all) ? r->low[i] : 0;
        upper[i] = rank[i] ? r->high[i] : 0;
    }
    rung_status status = rung_data_new(r->ctx, &X, rank, NULL, u->classes, out);
    if (status == RUNG_OK) status = rung_data_set_upper(r->ctx, *out, upper);
    if (status == RUNG_OK) status = rung_data_set_chosen(r->ctx, *out, r->chosen);
    free(upper);
    return status;
}

/* ---- one fit ---- */

typedef struct {
    int64_t labels;
    rung_metrics cv, median;
    bool measured;
    int *rank, *fitted;
    double *proba;
} result;

static void result_free(result *f)
{
    free(f->rank);
    free(f->fitted);
    free(f->proba);
}

static rung_status fit(refit *r, result *f)
{
    const subject *u = r->of->of;
    rung_data *data = NULL;
    rung_model *model = NULL;
    *f = (result){.cv.size = sizeof f->cv, .median.size = sizeof f->median};
    f->fitted = allocate((size_t)u->rows, sizeof *f->fitted);
    f->rank = allocate((size_t)u->rows, sizeof *f->rank);
    rung_status status = data_of(r, f->fitted, &data);
    for (int64_t i = 0; i < u->rows; i++) f->labels += f->fitted[i] > 0;
    if (status == RUNG_OK) status = rung_model_fit(r->ctx, r->spec, data, &model);
    f->measured = status == RUNG_OK && rung_model_cv(model, &f->cv) && f->cv.n >= MEASURED &&
                  rung_model_cv_median(model, &f->median);
    if (status == RUNG_OK && !rung_model_has_ranks(model)) {
        free(f->rank);
        f->rank = NULL;
    } else if (status == RUNG_OK) {
        if (rung_model_has_probabilities(model)) f->proba = allocate((size_t)(u->rows * u->classes), sizeof *f->proba);
        rung_view X = rung_data_view(u->data);
        rung_output out = {.size = sizeof out, .rank = f->rank, .proba = f->proba};
        status = rung_model_predict(r->ctx, model, &X, NULL, &out);
    }
    rung_model_free(model);
    rung_data_free(data);
    return status;
}

/* Under the lock. */
static void leave(refit *r, rung_status status, result *f)
{
    free(r->why);
    r->why = NULL;
    if (status != RUNG_OK) {
        r->why = text_of("%s", rung_ctx_message(r->ctx));
        result_free(f);
        return;
    }
    free(r->rank);
    free(r->proba);
    free(r->fitted);
    r->rank = f->rank;
    r->proba = f->proba;
    r->fitted = f->fitted;
    r->labels = f->labels;
    if (!f->measured || !isfinite(f->cv.mae)) return;
    r->median = f->median.mae;
    r->bound = f->cv.intervals > 0;
    while (r->n_history && r->history[r->n_history - 1].labels >= f->labels)
        r->n_history--; /* labels were taken back */
    error_point *more = realloc(r->history, (size_t)(r->n_history + 1) * sizeof *more);
    if (!more) return;
    r->history = more;
    r->history[r->n_history++] = (error_point){f->labels, f->cv.n, f->cv.mae, f->cv.mae_low, f->cv.mae_high};
}

static void fit_labels(refit *r) /* under the lock, which it leaves in between, as the next two */
{
    result f;
    r->unfitted = false;
    pthread_mutex_unlock(r->lock);
    rung_status status = fit(r, &f);
    pthread_mutex_lock(r->lock);
    r->fitting = false;
    leave(r, status, &f);
}

/* ---- the rows to grade next, and the forecast ---- */

static rung_status suggest(refit *r, const rung_suggest_options *how, rung_suggestion **out)
{
    rung_data *data = NULL;
    int *rank = allocate((size_t)r->of->of->rows, sizeof *rank);
    *out = NULL;
    rung_status status = data_of(r, rank, &data);
    if (status == RUNG_OK) status = rung_suggest_run(r->ctx, r->spec, data, how, out);
    rung_data_free(data);
    free(rank);
    return status;
}

static void queue_rows(refit *r)
{
    rung_suggest_options how = {.size = sizeof how, .n = QUEUE, .leave = r->leave, .no_forecast = 1};
    rung_suggestion *found;
    const rung_suggested *one;
    r->queued_at = r->known;
    pthread_mutex_unlock(r->lock);
    rung_status status = suggest(r, &how, &found);
    pthread_mutex_lock(r->lock);
    if (status == RUNG_OK) {
        free(r->queue);
        r->queue = allocate(QUEUE, sizeof *r->queue);
        for (r->n_queue = 0; r->n_queue < QUEUE && (one = rung_suggestion_at(found, r->n_queue)); r->n_queue++)
            r->queue[r->n_queue] = (queued){one->row, one->random != 0};
    }
    rung_suggestion_free(found);
}

static void look_ahead(refit *r)
{
    rung_suggest_options how = {.size = sizeof how, .n = 1, .leave = r->leave, .more = AHEAD};
    rung_suggestion *found;
    rung_forecast f = {.size = sizeof f};
    r->forecast_at = r->known;
    pthread_mutex_unlock(r->lock);
    rung_status status = suggest(r, &how, &found);
    pthread_mutex_lock(r->lock);
    if (status == RUNG_OK && rung_suggestion_forecast(found, &f)) r->forecast = f;
    rung_suggestion_free(found);
}

static void see_labels(refit *r)
{
    take_labels(r);
    r->fitting = r->unfitted && enough(r);
}

/* What is due by the number of new labels comes before another fit, which fast graders make due all the time. */
static void *run(void *user)
{
    refit *r = user;
    setpriority(PRIO_PROCESS, (id_t)gettid(), LOW_PRIORITY);
    pthread_mutex_lock(r->lock);
    while (!r->ending) {
        see_labels(r);
        if (r->suggests && (r->queued_at < 0 || r->known - r->queued_at >= BATCH))
            queue_rows(r);
        else if (r->labels && r->known - r->forecast_at >= BATCH)
            look_ahead(r);
        else if (r->fitting)
            fit_labels(r);
        else
            pthread_cond_wait(&r->changed, r->lock);
    }
    pthread_mutex_unlock(r->lock);
    return NULL;
}

/* ---- the thread ---- */

int refit_start(refit *r)
{
    const subject *u = r->of->of;
    if (!u->data) {
        r->why = text_of("%s", u->no_data);
        return EXIT_OK;
    }
    if (rung_ctx_new(&r->ctx) != RUNG_OK || pthread_cond_init(&r->changed, NULL) != 0) {
        complain("out of memory");
        return FAILED;
    }
    rung_ctx_set_threads(r->ctx, r->s->threads);
    session_settle(r->s, r->ctx, 1);
    r->low = allocate((size_t)u->rows, sizeof *r->low);
    r->high = allocate((size_t)u->rows, sizeof *r->high);
    r->chosen = allocate((size_t)u->rows, sizeof *r->chosen);
    r->leave = allocate((size_t)u->rows, sizeof *r->leave);
    r->queued_at = -1;
    see_labels(r); /* the first page is right before the thread runs */
    r->started = pthread_create(&r->thread, NULL, run, r) == 0;
    if (!r->started) complain("%s: no thread for the model", r->s->command);
    return r->started ? EXIT_OK : FAILED;
}

void refit_changed(refit *r)
{
    if (r->started) pthread_cond_signal(&r->changed);
}

void refit_stop(refit *r)
{
    if (r->started) {
        pthread_mutex_lock(r->lock);
        r->ending = true;
        pthread_cond_signal(&r->changed);
        pthread_mutex_unlock(r->lock);
        rung_ctx_interrupt(r->ctx);
        pthread_join(r->thread, NULL);
    }
    rung_ctx_free(r->ctx);
    free(r->rank);
    free(r->proba);
    free(r->fitted);
    free(r->history);
    free(r->why);
    free(r->queue);
    free(r->low);
    free(r->high);
    free(r->chosen);
    free(r->leave);
}
