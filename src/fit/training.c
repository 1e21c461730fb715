// SPDX-License-Identifier: BSD-3-Clause
#include "fit/training.h"
#include "fit/bare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "data/row_groups.h"
#include "trees/relevance.h"

/* Labelled rows over classes times rows of the class. */
static rung_status balance(rung_ctx *ctx, const rung_data *data, double *weight)
{
    int K = data->code.n_classes, present = 0;
    double all = 0;
    if (data->source)
        memcpy(weight, data->source->mass + 1, (size_t)K * sizeof *weight);
    else
        TRY(class_masses(ctx, data->n, data->y, data->upper, data->weight, K, weight));
    for (int q = 0; q < K; q++) all += weight[q];
    for (int q = 0; q < K; q++) present += weight[q] > 0;
    for (int q = 0; q < K; q++) weight[q] = weight[q] > 0 ? all / (present * weight[q]) : 1;
    return RUNG_OK;
}

static rung_status class_weights(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, double *weight)
{
    const coding *code = &data->code;
    for (int q = 0; q < code->n_classes; q++) weight[q] = 1;
    if (spec->balanced) TRY(balance(ctx, data, weight));
    for (int i = 0; i < spec->n_weights; i++) {
        int q = 0;
        while (q < code->n_classes && strcmp(code->classes[q], spec->weight_class[i]) != 0) q++;
        if (code->n_classes == 0)
            return set_error(ctx, RUNG_EDATA, "there is a weight for class '%s', but all %lld rows are unlabelled",
                             spec->weight_class[i], (long long)data->n);
        if (q == code->n_classes)
            return set_error(
                ctx, RUNG_EARG,
                "there is a weight for class '%s', which does not exist; the lowest class is '%s', the highest '%s'",
                spec->weight_class[i], code->classes[0], code->classes[code->n_classes - 1]);
        weight[q] *= spec->weight[i];
    }
    return RUNG_OK;
}

/* The weight of row i: its own times that of its class; of an interval of classes the mean by the share of each, so
 * that one whose mass is all but none, and whose weight by balance is as large, has no more of the row than it has of
 * the mass. A labelled row of weight 0 counts as unlabelled. */
static double weight_of(const training *t, const double *by_class, const double *mass, int64_t i)
{
    const rung_data *data = t->data;
    int low = data->y[i], high = highest_rank(data->y, data->upper, i);
    double own = data->weight ? data->weight[i] : 1, sum = 0;
    for (int q = low; low && own > 0 && q <= high; q++) sum += by_class[q - 1] * label_share(low, high, q, mass);
    return low ? own * sum : own;
}

/* Ranks among the classes present. An interval of all of them says nothing. */
static void close_labels(const int *upto, training *t)
{
    const rung_data *data = t->data;
    bool any = false;
    for (int64_t i = 0; i < data->n; i++) {
        if (!t->upper || !t->y[i]) {
            t->y[i] = upto[t->y[i]];
            continue;
        }
        t->y[i] = closed_low(upto, t->y[i]);
        t->upper[i] = closed_high(upto, t->upper[i]);
        bool all = t->y[i] == 1 && t->upper[i] == t->K && t->K > 1;
        if (all) t->y[i] = t->upper[i] = 0;
        any = any || t->upper[i] > t->y[i];
    }
    if (!any) t->upper = NULL;
}

static bool is_labelled(const training *t, int64_t i) { return t->t ? !isnan(t->t[i]) : t->y[i] > 0; }

static rung_status choose_classes(rung_ctx *ctx, const rung_spec *spec, training *t)
{
    const rung_data *data = t->data;
    int K = data->code.n_classes, *upto = NULL;
    double *by_class = NULL, *mass = NULL;
    TRY(NEW(ctx, &ctx->scratch, by_class, K + 1));
    TRY(NEW(ctx, &ctx->scratch, mass, K + 1));
    TRY(NEW(ctx, &ctx->scratch, upto, K + 1));
    TRY(NEW(ctx, &ctx->scratch, t->present, K + 1));
    TRY(NEW(ctx, &ctx->scratch, t->y, data->n));
    if (data->upper) TRY(NEW(ctx, &ctx->scratch, t->upper, data->n));
    TRY(class_weights(ctx, spec, data, by_class));
    if (data->upper) TRY(class_masses(ctx, data->n, data->y, data->upper, data->weight, K, mass));
    if (spec->n_weights || spec->balanced) t->class_weight = by_class;
    if (data->weight || t->class_weight) TRY(NEW(ctx, &ctx->scratch, t->w, data->n));
    if (data->target) TRY(NEW(ctx, &ctx->scratch, t->t, data->n));
    for (int64_t i = 0; i < data->n; i++) {
        if (t->w) t->w[i] = weight_of(t, by_class, mass, i);
        bool counts = !t->w || t->w[i] > 0;
        if (t->t) t->t[i] = counts ? data->target[i] : NAN;
        t->y[i] = counts ? data->y[i] : 0;
        if (t->upper) t->upper[i] = counts ? data->upper[i] : 0;
    }
    TRY(classes_present(ctx, data->n, NULL, t->y, t->upper, K, upto));
    t->K = classes_list(K, upto, t->present);
    close_labels(upto, t);
    for (int64_t i = 0; i < data->n; i++) t->n_labelled += is_labelled(t, i);
    return RUNG_OK;
}

/* A precomputed kernel is taken as it stands: one column per row of the data, no scaling, no coding. */
static bool is_precomputed(const rung_spec *spec)
{
    const char *kernel_value = spec_value(spec, "kernel");
    return kernel_value && strcmp(kernel_value, "precomputed") == 0;
}

static rung_status check_precomputed(rung_ctx *ctx, const rung_data *data)
{
    for (int64_t c = 0; c < data->code.n_columns; c++)
        if (data->code.columns[c].nominal)
            return set_error(ctx, RUNG_EDATA, "kernel=precomputed: column '%s' is text, expected numbers",
                             data->code.columns[c].name);
    for (int64_t i = 0; i < data->n * data->d; i++)
        if (isnan(data->X[i]))
            return set_error(ctx, RUNG_EDATA, "kernel=precomputed: a number is missing in row %lld",
                             (long long)(i / data->d + 1));
    if (data->d != data->n)
        return set_error(ctx, RUNG_EDATA,
                         "kernel=precomputed: %lld rows need %lld feature columns k(row, row j), but there are %lld",
                         (long long)data->n, (long long)data->n, (long long)data->d);
    return RUNG_OK;
}

/* Whether weights say how many equal rows a row stands for. */
static bool are_counts(int64_t n, const int64_t *rows, const double *w)
{
    for (int64_t i = 0; w && i < n; i++)
        if (w[rows[i]] != floor(w[rows[i]])) return false;
    return w != NULL;
}

static rung_status check_groups(rung_ctx *ctx, int64_t n, const int *group, int K)
{
    int64_t i = 1;
    while (i < n && group[i] == group[0]) i++;
    if (i < n || n < 2 || K < 2) return RUNG_OK;
    return hint(ctx,
                set_error(ctx, RUNG_EDATA, "all %lld labelled rows belong to one group, but holding one out needs two",
                          (long long)n),
                "option groups");
}

static rung_status find_together(rung_ctx *ctx, const rung_spec *spec, int64_t labelled, const int64_t *rows,
                                 training *t)
{
    const rung_data *data = t->data;
    t->counted = are_counts(labelled, rows, data->weight);
    together_input in = {.data = data,
                         .n = labelled,
                         .rows = rows,
                         .y = t->y,
                         .upper = t->upper,
                         .target = t->t,
                         .count = t->counted ? data->weight : NULL,
                         .rule = spec->equal};
    leaving found;
    TRY(rows_together(ctx, &in, &found));
    t->same = found.same;
    t->equal = found.equal;
    t->group = found.group;
    t->equals = found.counts;
    t->n_objects = labelled - (found.equal ? found.counts.repeated - found.counts.sets : 0);
    if (!data->group) return RUNG_OK;
    int *of = NULL;
    TRY(NEW(ctx, &ctx->scratch, of, labelled));
    for (int64_t i = 0; i < labelled; i++) of[i] = t->group[rows[i]];
    return check_groups(ctx, labelled, of, t->K);
}

/* The problem of the rows given. */
static rung_status make_problem(rung_ctx *ctx, const training *t, int64_t n, const int64_t *rows, bool scaled,
                                problem *out)
{
    const rung_data *data = t->data;
    double *X = NULL;
    if (scaled) TRY(NEW_RAW(ctx, &ctx->scratch, X, data->d * n));
    rung_view view = {.v = data->X, .n = data->n, .d = data->d, .row = data->d, .col = 1};
    if (scaled) scale_apply(&t->scale, n, &view, rows, X);
    const problem whole = {.y = t->y,
                           .upper = t->upper,
                           .group = t->group,
                           .equal = t->equal,
                           .cluster = data->group,
                           .w = t->w,
                           .count = data->weight,
                           .t = t->t};
    problem_new(&ctx->scratch, &(problem_rows){data->d, n, X, NULL, NULL, rows, t->K}, out);
    TRY(problem_labels(ctx, &ctx->scratch, &whole, n, rows, out));
    out->classes = t->K > 0 ? t->present : NULL;
    out->counted = t->counted;
    out->code = &data->code;
    out->cells = data->X;
    out->n_cells = data->n;
    out->weight_cells = data->weight;
    out->relevance = t->relevance;
    if (t->rows.source) out->all = &t->rows;
    return RUNG_OK;
}

/* The method sums over all rows that the data are a sample of. */
static rung_status take_source(rung_ctx *ctx, const rung_spec *spec, bool scaled, training *t)
{
    const row_source *all = t->data->source;
    int *rank = NULL, K = t->data->code.n_classes;
    if (!all || spec->method->takes_sample) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, rank, K + 1));
    t->rows = (rows_beyond){.source = all, .rank = rank, .class_weight = t->class_weight};
    if (scaled) t->rows.scale = &t->scale;
    for (int k = 0; k < t->K; k++) {
        rank[t->present[k]] = k + 1;
        t->rows.n_labelled += all->count[t->present[k]];
    }
    return RUNG_OK;
}

/* Weights of the columns by the labelled rows. */
static rung_status weigh_columns(rung_ctx *ctx, int64_t labelled, const int64_t *rows, training *t)
{
    const rung_data *data = t->data;
    tree_table table = {.code = &data->code, .cells = data->X, .n_rows = data->n, .weight = data->weight};
    int *y = NULL, *upper = NULL;
    double *w = NULL;
    if (t->t) return set_error(ctx, RUNG_EARG, "relevance is learned from ranks: real targets need another scaling");
    TRY(NEW(ctx, &ctx->scratch, t->relevance, data->d));
    TRY(NEW(ctx, &ctx->scratch, y, labelled));
    if (t->upper) TRY(NEW(ctx, &ctx->scratch, upper, labelled));
    if (t->w) TRY(NEW(ctx, &ctx->scratch, w, labelled));
    for (int64_t i = 0; i < labelled; i++) {
        y[i] = t->y[rows[i]];
        if (upper) upper[i] = t->upper[rows[i]];
        if (w) w[i] = t->w[rows[i]];
    }
    relevance_rows learned = {.n = labelled, .rows = rows, .K = t->K, .y = y, .upper = upper, .w = w};
    TRY(relevance_of_rows(ctx, &table, &learned, t->relevance));
    scale_weigh(&t->scale, t->relevance);
    return RUNG_OK;
}

/* Numbers that name groups stay as they are. */
static rung_status keep_levels(rung_ctx *ctx, const coding *code, scaling *s)
{
    for (int64_t j = 0; j < code->n_columns && s->kind != SCALE_NONE; j++) {
        const column_code *c = &code->columns[j];
        if (c->nominal || c->form != FORM_LEVEL) continue;
        if (s->kind == SCALE_RANK)
            return hint(ctx,
                        set_error(ctx, RUNG_EARG,
                                  "with columns of groups the others cannot be ranked: take the scale "
                                  "standard, minmax or none"),
                        "option scale");
        s->shift[c->first] = 0;
        s->factor[c->first] = 1;
    }
    return RUNG_OK;
}

rung_status training_new(rung_ctx *ctx, const rung_spec *spec, const rung_data *data, bool use_unlabelled, bool scaled,
                         training *out)
{
    memory_hold(ctx, data->mem.bytes);
    if (spec->bare) TRY(bare_data(ctx, &data));
    *out = (training){.data = data, .rule = spec->equal};
    bool precomputed = is_precomputed(spec);
    double *fill = NULL;
    int64_t *rows = NULL, *all = NULL, labelled = 0;
    TRY(choose_classes(ctx, spec, out));
    if (precomputed) TRY(check_precomputed(ctx, data));
    if (!precomputed) TRY(coding_fill(ctx, &ctx->scratch, &data->code, &fill));
    if (scaled)
        TRY(scale_fit(ctx, &ctx->scratch, precomputed ? SCALE_NONE : spec->scale,
                      &(scale_rows){data->d, data->n, data->X, fill, data->weight}, &out->scale));
    else
        out->scale = (scaling){.kind = SCALE_NONE, .d = data->d};
    TRY(NEW(ctx, &ctx->scratch, rows, data->n));
    TRY(NEW(ctx, &ctx->scratch, all, data->n));
    for (int64_t i = 0; i < data->n; i++) {
        all[i] = i;
        if (is_labelled(out, i)) rows[labelled++] = i;
    }
    TRY(find_together(ctx, spec, labelled, rows, out));
    TRY(take_source(ctx, spec, scaled, out));
    if (out->scale.kind == SCALE_RELEVANCE) TRY(weigh_columns(ctx, labelled, rows, out));
    if (data->code.n_random > 0) TRY(keep_levels(ctx, &data->code, &out->scale));
    if (!use_unlabelled) return make_problem(ctx, out, labelled, rows, scaled, &out->labelled);
    int *classes = NULL;
    TRY(NEW(ctx, &ctx->scratch, classes, out->K));
    TRY(make_problem(ctx, out, data->n, all, scaled, &out->all));
    return problem_subset(ctx, &ctx->scratch, &out->all, labelled, rows, &out->labelled, classes);
}

rung_status intervals_check(rung_ctx *ctx, const rung_data *data, const method *m)
{
    char able[256] = "";
    int64_t first = -1, count = 0;
    if (!data->upper || (m->info.flags & RUNG_METHOD_INTERVALS)) return RUNG_OK;
    for (int64_t i = 0; i < data->n; i++) {
        if (!is_interval(data->y, data->upper, i)) continue;
        if (count++ == 0) first = i;
    }
    if (count == 0) return RUNG_OK; /* all of them are hidden */
    for (int k = 0; method_table[k]; k++) {
        size_t used = strlen(able);
        if (method_table[k]->info.flags & RUNG_METHOD_INTERVALS)
            snprintf(able + used, sizeof able - used, "%s%s", used ? ", " : "", method_table[k]->info.name);
    }
    return hint(ctx,
                set_error(ctx, RUNG_EARG,
                          "%s cannot learn from interval labels, of which there %s %lld (row %lld: %.80s..%.80s); %s "
                          "can",
                          m->info.name, count == 1 ? "is" : "are", (long long)count, (long long)first + 1,
                          data->code.classes[data->y[first] - 1], data->code.classes[data->upper[first] - 1], able),
                "methods");
}

static rung_status check_random(rung_ctx *ctx, const coding *code, const method *m)
{
    if (code->n_random > 0 && !m->has_groups)
        return hint(ctx,
                    set_error(ctx, RUNG_EARG, "%s has no random effects for the groups of '%.80s'; mixed has",
                              m->info.name, code->columns[code->random[0].factor[0]].name),
                    "methods");
    if (code->n_random == 0 && m->has_groups)
        log_hint(ctx, RUNG_LOG_WARNING, "option random_effects",
                 "no column names groups, such as patients or schools: %s has no random effects then, and is the "
                 "cumulative link model alone",
                 m->info.name);
    return RUNG_OK;
}

rung_status training_check(rung_ctx *ctx, const training *t, const method *m)
{
    const rung_method *info = &m->info;
    if (t->t && !(info->flags & RUNG_METHOD_REAL_TARGETS))
        return hint(ctx,
                    set_error(ctx, RUNG_EARG, "%s learns classes, not real targets: cut them into classes", info->name),
                    "option bins");
    TRY(intervals_check(ctx, t->data, m));
    TRY(check_random(ctx, &t->data->code, m));
    if ((info->flags & RUNG_METHOD_NEEDS_LABELS) && t->n_labelled == 0)
        return set_error(ctx, RUNG_EDATA, "%s needs labelled rows, but all %lld rows are unlabelled", info->name,
                         (long long)t->data->n);
    if ((info->flags & RUNG_METHOD_NEEDS_TWO_CLASSES) && !t->t && t->K < 2)
        return set_error(ctx, RUNG_EDATA,
                         "%s needs labelled rows of at least two classes, but there is only class '%s'", info->name,
                         t->data->code.classes[t->present[0] - 1]);
    if ((t->data->weight || t->class_weight) && !(info->flags & RUNG_METHOD_WEIGHTS))
        return set_error(ctx, RUNG_EARG, "%s does not support %s weights; use a method that does, such as kdlor",
                         info->name, t->data->weight ? "row" : "class");
    return RUNG_OK;
}

/* The refusal, and what to do about it where landmarks can help. */
static rung_status too_large(rung_ctx *ctx, const rung_spec *spec, const problem_shape *shape, double bytes)
{
    char needed[32], limit[32], advice[80] = "";
    double least;
    TRY(method_least_bytes(ctx, spec, shape, &least));
    if (least < bytes)
        snprintf(advice, sizeof advice, "; landmarks=auto needs about %s", text_bytes(memory_with(ctx, least), needed));
    else if (spec_value(spec, "kernel") && !spec_value(spec, "landmarks"))
        snprintf(advice, sizeof advice, "; unlike kdlor, krr and others it does not support landmarks");
    return set_error(ctx, RUNG_ELIMIT, "%s on %lld rows needs about %s, above the memory limit of %s%s",
                     spec->method->info.name, (long long)(shape->all ? shape->all : shape->n),
                     text_bytes(memory_with(ctx, bytes), needed), text_bytes((double)ctx->memory, limit), advice);
}

rung_status training_problem(rung_ctx *ctx, training *t, const rung_spec *spec, problem **out)
{
    const method *m = spec->method;
    problem *p = m->info.flags & RUNG_METHOD_USES_UNLABELLED ? &t->all : &t->labelled;
    problem_shape shape = {
        .n = p->n, .labelled = t->n_labelled, .d = p->d, .K = t->K, .rows = t->data->n, .threads = ctx->threads};
    if (p->all) {
        shape.all = p->all->n_labelled;
        shape.all_here = rows_most(ctx, p->all->source);
    }
    *out = p;
    double bytes = 0;
    TRY(method_bytes(ctx, spec, &shape, &bytes));
    while (shape.threads > 1 && !memory_fits(ctx, bytes, shape.threads)) {
        shape.threads -= (shape.threads + 3) / 4;
        TRY(method_bytes(ctx, spec, &shape, &bytes));
    }
    ctx->threads = shape.threads;
    return memory_fits(ctx, bytes, 1) ? RUNG_OK : too_large(ctx, spec, &shape, bytes);
}
