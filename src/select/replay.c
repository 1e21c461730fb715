// SPDX-License-Identifier: BSD-3-Clause
/* replay.c - labelling replayed on rows whose labels are known.
 *
 * Two labels of each class are given. Then a strategy chooses batch after batch among the rows whose labels are hidden:
 * `random` draws them, `suggest` takes those that rung_suggest_run suggests. All strategies of a repeat begin with the
 * same labels and are graded on the same test rows. */
#include <string.h>

#include "base/rng.h"
#include "fit/fit.h"
#include "select/curve_plan.h"
#include "suggest/suggest.h"

enum { STREAM = 0x7265706c };

static const char *const strategies[] = {"random", "suggest"};

rung_status replay_strategy(rung_ctx *ctx, const char *name, const char **out)
{
    for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
        if (!strcmp(strategies[i], name)) {
            *out = strategies[i];
            return RUNG_OK;
        }
    return set_error(ctx, RUNG_EARG, "unknown strategy '%.80s'; there are random and suggest", name);
}

typedef struct {
    rung_data *train; /* all rows but those of the test, those not labelled yet with rank 0 */
    const int *truth; /* their labels; 0: never known ... */
    const int *upper; /* ... and their highest ranks, where some are intervals; else NULL */
    int *leave;       /* a flag per row: its label cannot be had */
    rng random;
} replay;

static rung_status begin(rung_ctx *ctx, const curve_plan *p, int repeat, replay *out)
{
    row_role *role = NULL;
    int64_t *rows = NULL, n = 0;
    int *truth = NULL, *upper = NULL;
    TRY(NEW(ctx, &ctx->scratch, role, p->data->n));
    TRY(NEW(ctx, &ctx->scratch, rows, p->data->n));
    curve_roles(p, repeat, REPLAY_FIRST, role);
    for (int64_t i = 0; i < p->data->n; i++)
        if (role[i] != ROW_TEST) rows[n++] = i;
    TRY(NEW(ctx, &ctx->scratch, truth, n));
    TRY(NEW(ctx, &ctx->scratch, out->leave, n));
    TRY(dataset_subset(ctx, p->data, n, rows, &out->train));
    memcpy(truth, out->train->y, (size_t)n * sizeof *truth);
    if (out->train->upper) {
        TRY(NEW(ctx, &ctx->scratch, upper, n));
        memcpy(upper, out->train->upper, (size_t)n * sizeof *upper);
    }
    for (int64_t i = 0; i < n; i++) {
        out->leave[i] = !truth[i];
        if (role[rows[i]] == ROW_KEPT) continue;
        out->train->y[i] = 0;
        if (upper) out->train->upper[i] = 0;
    }
    out->truth = truth;
    out->upper = upper;
    rng_open(&out->random, ctx->seed, STREAM + (uint64_t)repeat);
    TRY(NEW(ctx, &out->train->mem, out->train->chosen, n));
    return RUNG_OK;
}

static void label(replay *r, int64_t row)
{
    r->train->y[row] = r->truth[row];
    if (r->upper) r->train->upper[row] = r->upper[row];
}

static rung_status draw(rung_ctx *ctx, replay *r, int64_t n)
{
    int64_t *hidden = NULL, count = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, hidden, r->train->n));
    for (int64_t i = 0; i < r->train->n; i++)
        if (!r->train->y[i] && r->truth[i]) hidden[count++] = i;
    rng_shuffle(&r->random, hidden, count);
    for (int64_t i = 0; i < n && i < count; i++) label(r, hidden[i]);
    return RUNG_OK;
}

/* Equal rows are suggested once, so that a batch may need a second suggestion. */
static rung_status take_suggested(rung_ctx *ctx, replay *r, const curve_line *l, const rung_model *model, int64_t n)
{
    while (n > 0) {
        rung_suggestion *s;
        rung_suggest_options o = {.n = n, .leave = r->leave, .no_forecast = 1};
        TRY(suggest(ctx, &(suggest_input){.spec = l->spec, .model = model, .data = r->train}, &o, &s));
        for (int64_t i = 0; i < s->n; i++) {
            label(r, s->rows[i].row);
            r->train->chosen[s->rows[i].row] = !s->rows[i].random;
        }
        n -= s->n;
        suggestion_free(s);
    }
    return RUNG_OK;
}

static rung_status run(rung_ctx *ctx, const curve_plan *p, int line, int repeat, const rung_data *test, replay *r)
{
    const curve_line *l = &p->lines[line];
    for (int s = 0; s < p->n_sizes; s++) {
        rung_model *model = NULL;
        pool_mark mark = pool_here(&ctx->scratch);
        rung_status status = method_fit(ctx, l->spec, r->train, &model);
        if (status == RUNG_OK)
            status =
                curve_grade(ctx, p, model, test, &p->value[((int64_t)line * p->n_sizes + s) * p->repeats + repeat]);
        int64_t more = s + 1 < p->n_sizes ? p->size[s + 1] - p->size[s] : 0;
        if (status == RUNG_OK && more)
            status = l->strategy != strategies[0] ? take_suggested(ctx, r, l, model, more) : draw(ctx, r, more);
        model_free(model);
        pool_release(&ctx->scratch, mark);
        TRY(status);
    }
    return RUNG_OK;
}

rung_status replay_line(rung_ctx *ctx, const curve_plan *p, int line, int repeat)
{
    replay r = {0};
    rung_data *test = NULL;
    uint64_t seed = ctx->seed;
    ctx->seed += (uint64_t)repeat; /* the suggestions of a repeat have random rows of their own */
    rung_status status = begin(ctx, p, repeat, &r);
    if (status == RUNG_OK) status = curve_test_set(ctx, p, repeat, &test);
    if (status == RUNG_OK) status = run(ctx, p, line, repeat, test, &r);
    ctx->seed = seed;
    dataset_free(r.train);
    dataset_free(test);
    return status;
}
