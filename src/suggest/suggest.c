// SPDX-License-Identifier: BSD-3-Clause
/* suggest.c - the rows whose labels are worth most together.
 *
 * Equal rows are one point, which counts as often as there are such rows. First come the rows drawn at random, from
 * which the error can be estimated whatever the others are; then, one by one, the points that tell most about all
 * (design.h), given the labels so far and the points chosen before, so that no two tell the same. */
#include "suggest/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "data/row_groups.h"
#include "fit/fit.h"
#include "fit/open_files.h"
#include "suggest/design.h"
#include "suggest/learning.h"
#include "suggest/reason.h"

enum { STANDARD = 20, ENOUGH = 8, MOST_WANTED = 500, MOST_FREE = 1000, MOST_KNOWN = 500, STREAM = 0x73756767 };
static const double RANDOM = 0.2; /* share of the rows */
/* The variance of the noise of a label, on average, where that of the function is 1: at least, also without a model; at
 * most. */
static const double LEAST_NOISE = 0.3, MOST_NOISE = 3;

typedef struct {
    const rung_spec *spec;
    const rung_data *data;
    const rung_suggest_options *options;
    int64_t labelled, unlabelled; /* rows; those that may be suggested */
    int64_t counted;              /* labelled rows that were not chosen: the error is measured on them */
    row_groups equal;
    rng random;
    int64_t n_random, n_wanted;
    bool *is_random;         /* n_wanted: the places of the random ones among all */
    int64_t *drawn;          /* rows, n_random */
    const rung_model *model; /* NULL: none yet */
    rung_model *own;         /* the same, where it was fitted here */
    int64_t m;               /* points */
    int64_t *row;            /* m: the first row of each that may be suggested; else the first */
    bool *is_free;           /* m: may be suggested */
    int64_t *known;          /* m: labelled rows */
    double *w, *v;           /* m: how much each counts, the noise of its label */
    double noise;            /* the mean of v */
    double *proba;           /* m x K, NULL: no probabilities */
    int *guess;              /* m; NULL: no model */
} job;

/* ---- what there is ---- */

static bool may_suggest(const job *s, int64_t row)
{
    return !s->data->y[row] && !(s->options->leave && s->options->leave[row]);
}

static rung_status check(rung_ctx *ctx, const job *s)
{
    const rung_suggest_options *o = s->options;
    if (s->data->target)
        return hint(ctx, set_error(ctx, RUNG_EARG, "suggestions are for classes: cut real targets into classes"),
                    "option bins");
    if (o->n < 0) return set_error(ctx, RUNG_EARG, "%lld rows to suggest: expected at least 1", (long long)o->n);
    if (!(o->random >= 0 && o->random <= 1))
        return set_error(ctx, RUNG_EARG, "a random share of %g: expected 0 to 1", o->random);
    if (s->labelled == s->data->n)
        return set_error(ctx, RUNG_EDATA, "all %lld rows have a label%s%.80s: nothing to suggest",
                         (long long)s->data->n, *s->data->code.label ? " in column " : "", s->data->code.label);
    if (!s->unlabelled)
        return set_error(ctx, RUNG_EDATA, "all %lld unlabelled rows are to be left out: nothing to suggest",
                         (long long)(s->data->n - s->labelled));
    return RUNG_OK;
}

static rung_status find_equal(rung_ctx *ctx, job *s)
{
    int64_t *rows = NULL, repeated;
    int *group = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, rows, s->data->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, group, s->data->n));
    for (int64_t i = 0; i < s->data->n; i++) rows[i] = i;
    TRY(equal_rows(ctx, s->data->d, s->data->X, s->data->n, rows, group, &repeated));
    return row_groups_new(ctx, &ctx->scratch, s->data->n, group, &s->equal);
}

/* A share of n that is no whole number of rows is right on average: n = 1 gives a random row in one of five calls. */
static int64_t share_of(rng *r, double share, int64_t n)
{
    double whole = share * (double)n;
    int64_t rows = (int64_t)whole;
    return rows + (rng_uniform(r) < whole - (double)rows);
}

/* A share of the rows, at even distances. An error needs a number of rows, not a share: by default every second row
 * until there are enough. */
static rung_status place_random(rung_ctx *ctx, job *s, int64_t *wanted)
{
    double share = s->options->no_random ? 0 : s->options->random > 0 ? s->options->random : RANDOM;
    int64_t n = s->n_wanted, even = share_of(&s->random, share, n);
    bool standard = s->options->random == 0 && !s->options->no_random;
    TRY(NEW(ctx, &ctx->scratch, s->is_random, n));
    *wanted = 0;
    for (int64_t i = 0; i < n; i++) {
        bool second = standard && s->counted + *wanted < ENOUGH && (s->labelled + i) % 2 == 1;
        s->is_random[i] = second || (i + 1) * even / n > i * even / n;
        *wanted += s->is_random[i];
    }
    return RUNG_OK;
}

/* Rows drawn at random, no two of them equal. */
static rung_status draw(rung_ctx *ctx, job *s)
{
    int64_t *order = NULL, n = 0, count = 0, wanted;
    bool *taken = NULL;
    TRY(place_random(ctx, s, &wanted));
    TRY(NEW_RAW(ctx, &ctx->scratch, order, s->data->n));
    TRY(NEW(ctx, &ctx->scratch, taken, s->equal.count));
    TRY(NEW(ctx, &ctx->scratch, s->drawn, wanted));
    for (int64_t i = 0; i < s->data->n; i++)
        if (may_suggest(s, i)) order[n++] = i;
    rng_shuffle(&s->random, order, n);
    for (int64_t i = 0; i < n && count < wanted; i++) {
        int64_t g = s->equal.of[order[i]];
        if (taken[g]) continue;
        taken[g] = true;
        s->drawn[count++] = order[i];
    }
    s->n_random = count;
    return RUNG_OK;
}

/* ---- points ---- */

static void add_point(job *s, int64_t group)
{
    const row_groups *e = &s->equal;
    int64_t at = s->m++;
    s->row[at] = e->rows[e->start[group]];
    for (int64_t i = e->start[group + 1] - 1; i >= e->start[group]; i--) {
        int64_t row = e->rows[i];
        s->known[at] += s->data->y[row] > 0;
        if (!may_suggest(s, row)) continue;
        s->is_free[at] = true;
        s->row[at] = row;
    }
    s->w[at] = (double)row_groups_size(e, group);
    s->v[at] = LEAST_NOISE;
}

/* Of more points than can be compared, a random part: those drawn, and of the labelled and the other ones as many as
 * there is room for. */
static rung_status make_points(rung_ctx *ctx, job *s)
{
    enum { FREE, KNOWN, DRAWN };
    const row_groups *e = &s->equal;
    int64_t *order = NULL, room = e->count, left[] = {MOST_FREE + s->n_wanted, MOST_KNOWN, s->n_random};
    char *kind = NULL;
    TRY(NEW_RAW(ctx, &ctx->scratch, order, e->count));
    TRY(NEW(ctx, &ctx->scratch, kind, e->count));
    if (room > left[FREE] + left[KNOWN] + left[DRAWN]) room = left[FREE] + left[KNOWN] + left[DRAWN];
    TRY(NEW(ctx, &ctx->scratch, s->row, room));
    TRY(NEW(ctx, &ctx->scratch, s->is_free, room));
    TRY(NEW(ctx, &ctx->scratch, s->known, room));
    TRY(NEW(ctx, &ctx->scratch, s->w, room));
    TRY(NEW(ctx, &ctx->scratch, s->v, room));
    for (int64_t g = 0; g < e->count; g++) order[g] = g;
    for (int64_t i = 0; i < s->data->n; i++)
        if (s->data->y[i]) kind[e->of[i]] = KNOWN;
    for (int64_t i = 0; i < s->n_random; i++) kind[e->of[s->drawn[i]]] = DRAWN;
    if (e->count > MOST_FREE) rng_shuffle(&s->random, order, e->count);
    for (int64_t i = 0; i < e->count; i++)
        if (left[(int)kind[order[i]]]-- > 0) add_point(s, order[i]);
    return RUNG_OK;
}

/* ---- the model ---- */

/* What a fit has to say is for those who ask for a fit; too few labels for one are no failure here. */
static rung_status fit_model(rung_ctx *ctx, job *s)
{
    if (!s->labelled || s->model) return RUNG_OK;
    rung_log_fn *log = ctx->log;
    ctx->log = NULL;
    rung_status status = method_fit(ctx, s->spec, s->data, &s->own);
    ctx->log = log;
    s->model = s->own;
    if (status != RUNG_EDATA && !task_may_fail(status)) return status;
    log_at(ctx, RUNG_LOG_INFO, "no model yet, so that rows are chosen by their columns alone: %s", ctx->message);
    ctx->message[0] = 0;
    return RUNG_OK;
}

/* By a cumulative logit model P(y <= q) = F_q = 1 / (1 + exp(f - b_q)), slopes g_q = F_q (1 - F_q): where the value f
 * has a small variance C, the expected ranked probability score exceeds the least possible one by sum_q g_q^2 C, so
 * that is the weight of a row; a label tells about f what Fisher's information says, sum_k (g_k - g_{k-1})^2 / p_k. */
static void weigh_row(int K, const double *p, double *weight, double *information)
{
    double below = 0, last = 0;
    *weight = *information = 0;
    for (int q = 0; q < K; q++) {
        below += p[q];
        double g = q < K - 1 ? fmax(below * (1 - below), 0) : 0;
        *weight += g * g;
        if (p[q] > 0) *information += (g - last) * (g - last) / p[q];
        last = g;
    }
}

/* By the ranks that the model expects: the mean of their variances, over the variance of their means. An estimate from
 * few labels is rough, so its geometric mean with 1 is taken. Where labels are noisy, rows that are typical of many
 * others matter more, and rows that lie apart matter less. */
static double noise_of_labels(const job *s)
{
    int K = s->data->code.n_classes;
    double rows = 0, sum = 0, squares = 0, within = 0;
    for (int64_t i = 0; i < s->m; i++) {
        double mean = 0, square = 0, count = (double)row_groups_size(&s->equal, s->equal.of[s->row[i]]);
        for (int q = 0; q < K; q++) {
            mean += s->proba[i * K + q] * q;
            square += s->proba[i * K + q] * q * q;
        }
        rows += count;
        sum += count * mean;
        squares += count * mean * mean;
        within += count * (square - mean * mean);
    }
    double between = squares - sum * sum / rows;
    return fmin(fmax(sqrt(fmax(within, 0) / fmax(between, 1e-9 * within)), LEAST_NOISE), MOST_NOISE);
}

/* Both relative to their means over the rows, and no label is without information: the model may be wrong. */
static rung_status weigh_points(rung_ctx *ctx, job *s)
{
    const double least = 1e-3;
    int K = s->data->code.n_classes;
    double *weight = NULL, *information = NULL, sum = 0, rows = 0, mean = 0;
    TRY(NEW_RAW(ctx, &ctx->scratch, weight, s->m));
    TRY(NEW_RAW(ctx, &ctx->scratch, information, s->m));
    s->noise = noise_of_labels(s);
    for (int64_t i = 0; i < s->m; i++) {
        weigh_row(K, s->proba + i * K, &weight[i], &information[i]);
        sum += s->w[i] * weight[i];
        rows += s->w[i];
        mean += information[i] / (double)s->m;
    }
    for (int64_t i = 0; i < s->m && sum > 0 && mean > 0; i++) {
        s->w[i] *= weight[i] * rows / sum;
        s->v[i] = s->noise * mean / fmax(information[i], least * mean);
    }
    return RUNG_OK;
}

/* The guesses, and what the model says about the rows. */
static rung_status ask_model(rung_ctx *ctx, job *s)
{
    double *X = NULL;
    int64_t d = s->data->d;
    if (!s->model || !model_has_ranks(s->model)) return RUNG_OK;
    TRY(NEW_RAW(ctx, &ctx->scratch, X, s->m * d));
    TRY(NEW(ctx, &ctx->scratch, s->guess, s->m));
    for (int64_t i = 0; i < s->m; i++) memcpy(X + i * d, s->data->X + s->row[i] * d, (size_t)d * sizeof *X);
    if (model_has_probabilities(s->model)) TRY(NEW(ctx, &ctx->scratch, s->proba, s->m * s->data->code.n_classes));
    rung_output out = {.rank = s->guess, .proba = s->proba};
    TRY(model_predict(ctx, s->model, &(rung_view){.v = X, .n = s->m, .d = d, .row = d, .col = 1}, NULL, &out));
    return s->proba ? weigh_points(ctx, s) : RUNG_OK;
}

/* ---- the choice ---- */

static int64_t point_of(const job *s, int64_t row)
{
    int64_t at = 0;
    while (s->equal.of[s->row[at]] != s->equal.of[row]) at++;
    return at;
}

typedef struct {
    int64_t point, row;
    double score;   /* of the whole */
    double unknown; /* of the point itself, by the labelled rows, however noisy their labels */
} pick;

static rung_status take(rung_ctx *ctx, job *s, design *d, int64_t point, int64_t row, double whole, pick *out)
{
    *out = (pick){.point = point, .row = row, .score = whole > 0 ? design_gain(d, point) / whole : 0};
    s->is_free[point] = false;
    /* However noisy the labels, the rows of a batch are unlike each other. */
    return design_learn(ctx, d, point, s->v[point] * LEAST_NOISE / s->noise);
}

/* Those drawn, then the others by what they add. */
static rung_status choose(rung_ctx *ctx, job *s, design *d, pick *picks, int64_t *count)
{
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t k = 0; k < s->known[i]; k++) {
            TRY(interrupted(ctx));
            TRY(design_learn(ctx, d, i, s->v[i]));
        }
    double whole = design_unknown(d);
    for (int64_t i = 0; i < s->n_random; i++)
        TRY(take(ctx, s, d, point_of(s, s->drawn[i]), s->drawn[i], whole, &picks[i]));
    for (*count = s->n_random; *count < s->n_wanted; (*count)++) {
        int64_t best;
        TRY(design_best(ctx, d, s->is_free, &best));
        if (best < 0) break;
        TRY(take(ctx, s, d, best, s->row[best], whole, &picks[*count]));
    }
    return RUNG_OK;
}

/* ---- the result ---- */

static rung_status record(rung_ctx *ctx, const job *s, const pick *picks, int64_t count, const int64_t *stands_for,
                          rung_suggestion *out)
{
    int K = s->data->code.n_classes;
    int64_t random = 0, other = s->n_random;
    TRY(NEW(ctx, &out->mem, out->rows, count));
    for (int64_t i = 0; i < count; i++) {
        bool drawn = (s->is_random[i] && random < s->n_random) || other == count;
        int64_t at = drawn ? random++ : other++;
        const pick *p = &picks[at];
        reason_input why = {.random = drawn,
                            .labels = s->labelled,
                            .stands_for = stands_for[at],
                            .unknown = p->unknown,
                            .classes = s->data->code.classes,
                            .K = K,
                            .proba = s->proba ? s->proba + p->point * K : NULL};
        rung_suggested *one = &out->rows[i];
        *one = (rung_suggested){
            .row = p->row, .random = drawn, .score = p->score, .guess = s->guess ? s->guess[p->point] : 0};
        TRY(reason_text(ctx, &out->mem, &why, &one->reason));
        out->n++;
    }
    return RUNG_OK;
}

/* How many of the unlabelled rows are most like each row that was picked, rather than like another one or one that is
 * labelled. prior: the covariances before any label. */
static rung_status count_likes(rung_ctx *ctx, const job *s, const double *prior, const pick *picks, int64_t count,
                               int64_t **out)
{
    int64_t points = 0, rows = 0;
    TRY(NEW(ctx, &ctx->scratch, *out, count));
    for (int64_t i = 0; i < s->m; i++) {
        double near = 0;
        int64_t best = -1, group = s->equal.of[s->row[i]], size = row_groups_size(&s->equal, group) - s->known[i];
        points++;
        rows += size;
        for (int64_t k = 0; k < s->m; k++)
            if (s->known[k]) near = prior[i + k * s->m] > near ? prior[i + k * s->m] : near;
        for (int64_t p = 0; p < count; p++)
            if (prior[i + picks[p].point * s->m] > near) {
                near = prior[i + picks[p].point * s->m];
                best = p;
            }
        if (best >= 0) (*out)[best] += size;
    }
    if (points == s->equal.count || !rows) return RUNG_OK; /* a random part stands for the whole */
    double factor = (double)(s->data->n - s->labelled) / (double)rows;
    for (int64_t p = 0; p < count; p++) (*out)[p] = (int64_t)((double)(*out)[p] * (factor > 1 ? factor : 1));
    return RUNG_OK;
}

/* What the label of the most similar row leaves unknown. */
static void compare_with_labelled(const job *s, const double *prior, pick *picks, int64_t count)
{
    for (int64_t p = 0; p < count; p++) {
        double near = 0;
        for (int64_t k = 0; k < s->m; k++)
            if (s->known[k]) near = fmax(near, prior[picks[p].point + k * s->m]);
        picks[p].unknown = 1 - near * near;
    }
}

static rung_status run(rung_ctx *ctx, job *s, rung_suggestion *out)
{
    design d;
    pick *picks = NULL;
    double *prior = NULL;
    int64_t count, *stands_for;
    for (int64_t i = 0; i < s->data->n; i++) {
        s->labelled += s->data->y[i] > 0;
        s->counted += s->data->y[i] > 0 && !(s->data->chosen && s->data->chosen[i]);
        s->unlabelled += may_suggest(s, i);
    }
    TRY(check(ctx, s));
    s->n_wanted = s->options->n ? s->options->n : STANDARD;
    if (s->n_wanted > s->unlabelled) s->n_wanted = s->unlabelled;
    if (s->n_wanted > MOST_WANTED)
        return set_error(ctx, RUNG_EARG,
                         "%lld rows to suggest: at most %d at a time, because their labels decide about "
                         "the next ones",
                         (long long)s->n_wanted, MOST_WANTED);
    rng_open(&s->random, ctx->seed, STREAM + (uint64_t)s->labelled); /* another draw after every label */
    TRY(find_equal(ctx, s));
    TRY(draw(ctx, s));
    TRY(make_points(ctx, s));
    progress_part outer = progress_enter(ctx, "suggesting", 0, 0.3);
    TRY(fit_model(ctx, s));
    progress_leave(ctx, outer);
    TRY(ask_model(ctx, s));
    pool_mark mark = pool_here(&ctx->scratch);
    memory_hold(ctx, s->data->mem.bytes);
    TRY(memory_check(ctx, 2.0 * sizeof *prior * (double)s->m * (double)s->m, "a suggestion"));
    TRY(design_new(ctx, &ctx->scratch, s->data, s->m, s->row, s->w, s->v, &d));
    TRY(NEW_RAW(ctx, &ctx->scratch, prior, s->m * s->m));
    memcpy(prior, d.C, (size_t)(s->m * s->m) * sizeof *prior);
    TRY(NEW(ctx, &ctx->scratch, picks, s->n_wanted));
    TRY(choose(ctx, s, &d, picks, &count));
    if (count < s->n_wanted)
        log_at(ctx, RUNG_LOG_INFO, "only %lld rows are suggested: the other unlabelled rows are equal to them",
               (long long)count);
    compare_with_labelled(s, prior, picks, count);
    TRY(count_likes(ctx, s, prior, picks, count, &stands_for));
    TRY(record(ctx, s, picks, count, stands_for, out));
    pool_release(&ctx->scratch, mark); /* before the fits of the forecast */
    if (s->options->no_forecast || !s->model) return RUNG_OK;
    progress_enter(ctx, "suggesting", 0.3, 1);
    TRY(learning_forecast(ctx, s->spec, s->data, s->model, s->options->more ? s->options->more : count,
                          &out->has_forecast, &out->forecast));
    progress_leave(ctx, outer);
    return RUNG_OK;
}

rung_status suggest(rung_ctx *ctx, const suggest_input *in, const rung_suggest_options *options, rung_suggestion **out)
{
    job s = {.spec = in->spec, .model = in->model, .data = in->data, .options = options, .noise = LEAST_NOISE};
    *out = NULL;
    TRY(all_rows_check(ctx, in->data, "the choice of rows"));
    *out = object_new(ctx, sizeof **out);
    if (!*out) return set_error(ctx, RUNG_ENOMEM, "out of memory: a suggestion");
    rung_status status = run(ctx, &s, *out);
    model_free(s.own);
    if (status != RUNG_OK) {
        suggestion_free(*out);
        *out = NULL;
    }
    return status;
}

void suggestion_free(rung_suggestion *s)
{
    if (!s) return;
    pool_free_all(&s->mem);
    object_free(s);
}
