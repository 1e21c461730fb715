// SPDX-License-Identifier: BSD-3-Clause
/* Invariants of every model: checks each count, index and order that predict relies on. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/text.h"
#include "data/derive.h"
#include "data/random_terms.h"
#include "input/table/measure.h"
#include "model/file.h"

#define REQUIRE(condition, ...)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) return set_error(ctx, RUNG_EFORMAT, __VA_ARGS__);                                            \
    } while (0)

static bool all_finite(int64_t n, const double *v)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

static bool never_falls(int64_t n, const double *v) /* also false for NaN */
{
    for (int64_t i = 0; i < n; i++)
        if (isnan(v[i]) || (i > 0 && v[i] < v[i - 1])) return false;
    return true;
}

static bool always_rises(int64_t n, const double *v)
{
    for (int64_t i = 1; i < n; i++)
        if (!(v[i] > v[i - 1])) return false;
    return true;
}

/* ---- texts ---- */

static rung_status check_text(rung_ctx *ctx, const char *text, const char *what)
{
    REQUIRE(text, "the text of %s is missing", what);
    REQUIRE(text_is_utf8(text), "%s '%s' is not valid UTF-8 text", what, text);
    return RUNG_OK;
}

rung_status model_check_texts(rung_ctx *ctx, const rung_model *m)
{
    TRY(check_text(ctx, m->method, "the method"));
    TRY(check_text(ctx, m->library, "the library version"));
    TRY(check_text(ctx, m->code.label, "the label column"));
    for (int i = 0; i < m->n_params; i++) {
        TRY(check_text(ctx, m->params[i].name, "a parameter name"));
        if (m->params[i].value) TRY(check_text(ctx, m->params[i].value, "a parameter value"));
    }
    for (int q = 0; q < m->code.n_classes; q++) TRY(check_text(ctx, m->code.classes[q], "the class"));
    for (int64_t j = 0; j < coding_cells(&m->code)->n_columns; j++) {
        const column_code *c = &coding_cells(&m->code)->columns[j];
        TRY(check_text(ctx, c->name, "the column name"));
        for (int64_t k = 0; k < c->n_categories; k++) TRY(check_text(ctx, c->categories[k], "the category"));
    }
    for (int i = 0; i < m->n_report; i++) TRY(check_text(ctx, m->report[i].name, "a report name"));
    for (int i = 0; i < m->n_notes; i++) TRY(check_text(ctx, m->notes[i].value, "a note"));
    return RUNG_OK;
}

/* ---- parts ---- */

static rung_status check_column(rung_ctx *ctx, const column_code *c, int64_t number)
{
    REQUIRE(c->nominal || isfinite(c->fill), "column %lld: the fill value is not a number", (long long)number);
    REQUIRE(!c->nominal || c->n_categories >= 1, "column %lld has no categories", (long long)number);
    REQUIRE(c->nominal ||
                (c->form == FORM_ORDINAL || c->form == FORM_LEVEL ? c->n_categories >= 1 : c->n_categories == 0),
            "column %lld is no list of words but has %lld of them", (long long)number, (long long)c->n_categories);
    REQUIRE(!c->unit || (!c->nominal && c->form <= FORM_GROUPED && strlen(c->unit) < UNIT),
            "column %lld has a unit but no numbers", (long long)number);
    REQUIRE(!c->nominal || (c->reference >= 0 && c->reference < c->n_categories),
            "column %lld has no category %lld to compare the others with", (long long)number, (long long)c->reference);
    REQUIRE(c->nominal ? c->common >= 0 && c->common < c->n_categories
                       : isfinite(c->low) && isfinite(c->high) && c->low <= c->high,
            "column %lld: the range or the most frequent category is none", (long long)number);
    for (int64_t k = 1; k < c->n_categories && c->nominal; k++)
        REQUIRE(strcmp(c->categories[k - 1], c->categories[k]) < 0, "the categories of column %lld are not in order",
                (long long)number);
    return RUNG_OK;
}

static rung_status check_cells(rung_ctx *ctx, const coding *c, bool derives)
{
    int64_t d = 0, position = -1;
    for (int64_t j = 0; j < c->n_columns; j++) {
        const column_code *one = &c->columns[j];
        TRY(check_column(ctx, one, j + 1));
        REQUIRE(one->position > position && one->position < c->file_columns && one->position != c->label_position,
                "column %lld has position %lld of %lld in the file", (long long)j + 1, (long long)one->position + 1,
                (long long)c->file_columns);
        REQUIRE(one->first == d, "column %lld does not follow the one before it", (long long)j + 1);
        REQUIRE(derives || !one->hidden, "column %lld is hidden, but nothing is derived from it", (long long)j + 1);
        position = one->position;
        d += column_width(one);
    }
    REQUIRE(c->d == d, "there are %lld coded columns, but the coding gives %lld", (long long)c->d, (long long)d);
    return RUNG_OK;
}

static rung_status check_coding(rung_ctx *ctx, const coding *c)
{
    TRY(check_cells(ctx, coding_cells(c), c->derive != NULL));
    if (c->derive) TRY(derive_check(ctx, c->derive, RUNG_EFORMAT));
    TRY(random_check(ctx, c, RUNG_EFORMAT));
    REQUIRE(c->d >= 1, "there is no column");
    REQUIRE(!c->real || (c->n_classes == 0 && c->label_position >= 0), "real targets with classes or without a label");
    if (c->edges) {
        REQUIRE(c->n_classes >= 1 && c->label_position >= 0, "class edges of a label without classes");
        REQUIRE(all_finite(c->n_classes - 1, c->edges) && always_rises(c->n_classes - 1, c->edges),
                "the edges between the classes are not increasing");
    }
    REQUIRE(c->label_position >= -1 && c->label_position < c->file_columns, "the label column is number %lld of %lld",
            (long long)c->label_position + 1, (long long)c->file_columns);
    return RUNG_OK;
}

static rung_status check_scaling(rung_ctx *ctx, const scaling *s, int64_t d)
{
    REQUIRE(s->d == d, "the scaling has %lld columns, but the coding has %lld", (long long)s->d, (long long)d);
    if (s->kind == SCALE_NONE) return RUNG_OK;
    REQUIRE(all_finite(d, s->shift) && all_finite(d, s->factor), "a scaling factor is not a finite number");
    if (s->kind != SCALE_RANK) return RUNG_OK;
    REQUIRE(offsets_fit(d, s->knots_first, s->knots_first[d]), "the knots of the columns are not contiguous");
    for (int64_t j = 0; j < d; j++) {
        int64_t from = s->knots_first[j], count = s->knots_first[j + 1] - from;
        REQUIRE(count >= 1, "column %lld has no knots", (long long)j + 1);
        const double *knot = s->knot + from, *cdf = s->knot_cdf + from;
        REQUIRE(all_finite(count, knot) && always_rises(count, knot), "the knots of column %lld are not increasing",
                (long long)j + 1);
        REQUIRE(never_falls(count, cdf) && cdf[0] >= 0 && cdf[count - 1] <= 1,
                "the distribution function of column %lld is invalid", (long long)j + 1);
    }
    return RUNG_OK;
}

static rung_status check_kernel(rung_ctx *ctx, const scorer *s)
{
    const kernel *k = &s->k;
    if (k->kind == KERNEL_RBF || k->kind == KERNEL_LAPLACIAN || k->kind == KERNEL_POLY)
        REQUIRE(isfinite(k->gamma) && k->gamma >= 0, "the kernel's gamma is %g", k->gamma);
    if (k->kind == KERNEL_POLY) {
        REQUIRE(isfinite(k->coef0), "the kernel's coef0 is %g", k->coef0);
        REQUIRE(k->degree >= 1 && k->degree <= KERNEL_MOST_DEGREE, "the kernel's degree is %d", k->degree);
    }
    if (k->kind == KERNEL_ARD) {
        REQUIRE(k->n_precisions == s->d, "the kernel has %lld precisions for %lld columns", (long long)k->n_precisions,
                (long long)s->d);
        REQUIRE(all_finite(s->d, k->precisions), "a precision of the kernel is not a finite number");
        for (int64_t j = 0; j < s->d; j++) REQUIRE(k->precisions[j] >= 0, "a precision of the kernel is negative");
    }
    if (k->kind == KERNEL_PRECOMPUTED) {
        for (int64_t j = 0; j < s->m; j++)
            REQUIRE(s->index[j] >= 0 && s->index[j] < s->d, "term %lld uses column %lld of %lld, counted from 0",
                    (long long)j + 1, (long long)s->index[j], (long long)s->d);
    } else {
        REQUIRE(all_finite(s->m * s->d, s->rows), "a stored row is not finite");
    }
    return RUNG_OK;
}

static bool are_shares(int64_t n, const double *v, int64_t step) /* n numbers >= 0 that sum to 1 */
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!(v[i * step] >= 0)) return false;
        sum += v[i * step];
    }
    return fabs(sum - 1) <= 1e-6;
}

/* scores: a member with a power, whose outputs need not be shares. */
static rung_status check_neighbours(rung_ctx *ctx, const scorer *s, int K, bool scores)
{
    REQUIRE(s->neighbours >= 1 && s->neighbours <= s->m, "%lld neighbours, but %lld rows", (long long)s->neighbours,
            (long long)s->m);
    REQUIRE(s->weights == WEIGHTS_BINARY || (isfinite(s->width) && s->width > 0), "the width of the weights is %g",
            s->width);
    REQUIRE(s->outputs == K, "memberships in %d classes, but there are %d", s->outputs, K);
    for (int64_t i = 0; i < s->m * K && scores; i++)
        REQUIRE(s->coef[i] >= 0 && isfinite(s->coef[i]), "a class score is %g", s->coef[i]);
    for (int64_t i = 0; i < s->m * s->d; i++)
        REQUIRE(fabs(s->rows[i]) <= NEIGHBOUR_MOST, "a stored row is beyond +-%g", NEIGHBOUR_MOST);
    for (int64_t j = 0; j < s->m && !scores; j++)
        REQUIRE(are_shares(K, s->coef + j, s->m), "the memberships of row %lld do not sum to 1", (long long)j + 1);
    return RUNG_OK;
}

static rung_status check_node(rung_ctx *ctx, const forest *f, const coding *code, int64_t k)
{
    int64_t c = f->column[k], split = f->split[k], missing = f->missing[k], places = 1;
    REQUIRE(isfinite(f->value[k]), "the value of node %lld is not a finite number", (long long)k + 1);
    REQUIRE(c >= -1 && c < f->n_columns, "node %lld splits column %lld of %lld, counted from 0", (long long)k + 1,
            (long long)c, (long long)f->n_columns);
    REQUIRE(missing == 0 || (missing == 1 && c >= 0), "missing cells of node %lld go to side %lld", (long long)k + 1,
            (long long)missing);
    if (c >= 0 && code->columns[c].nominal)
        places = f->n_words - (code->columns[c].n_categories + 63) / 64 + 1;
    else if (c >= 0) /* behind the last cut missing cells are all that goes right */
        places = f->cut_first[c + 1] - f->cut_first[c] + missing;
    REQUIRE(split >= 0 && split < places, "node %lld splits at %lld of %lld, counted from 0", (long long)k + 1,
            (long long)split, (long long)places);
    return RUNG_OK;
}

/* Children stand after their parents, and every node but the first is a child. */
static rung_status check_tree(rung_ctx *ctx, const forest *f, const coding *code, int64_t number)
{
    int64_t first = f->tree_first[number], n = f->tree_first[number + 1] - first, splits = 0;
    for (int64_t k = 0; k < n; k++) {
        TRY(check_node(ctx, f, code, first + k));
        if (f->column[first + k] < 0) continue;
        REQUIRE(2 * splits + 1 > k, "tree %lld: node %lld comes after its children", (long long)number + 1,
                (long long)k + 1);
        splits++;
    }
    REQUIRE(n == 2 * splits + 1, "tree %lld has %lld nodes and %lld splits", (long long)number + 1, (long long)n,
            (long long)splits);
    return RUNG_OK;
}

static rung_status check_votes(rung_ctx *ctx, const scorer *s, int K)
{
    const forest *f = &s->trees;
    REQUIRE(f->n_trees > 0 && s->outputs == K - 1, "%lld trees that vote have %d outputs for %d classes",
            (long long)f->n_trees, s->outputs, K);
    for (int q = 0; q < s->outputs; q++) REQUIRE(s->bias[q] == 0, "trees that vote have the bias %g", s->bias[q]);
    for (int64_t k = 0; k < f->n_nodes; k++)
        REQUIRE(f->column[k] >= 0 || (f->value[k] >= 1 && f->value[k] <= K), "node %lld votes for %g of %d classes",
                (long long)k + 1, f->value[k], K);
    return RUNG_OK;
}

static rung_status check_forest(rung_ctx *ctx, const scorer *s, const coding *code, int K)
{
    const forest *f = &s->trees;
    REQUIRE(f->n_columns == code->n_columns && f->outputs == s->outputs && f->n_nodes == s->m && f->n_trees >= 0 &&
                f->n_nodes < INT32_MAX && f->n_words >= 0 && f->n_words < INT32_MAX && f->n_columns < INT32_MAX,
            "%lld trees of %lld nodes over %lld columns", (long long)f->n_trees, (long long)f->n_nodes,
            (long long)f->n_columns);
    if (f->votes) TRY(check_votes(ctx, s, K));
    REQUIRE(f->votes || f->n_trees % f->outputs == 0, "%lld trees for %d outputs", (long long)f->n_trees, f->outputs);
    REQUIRE(f->cut_first[0] == 0 && f->tree_first[0] == 0, "the cuts or the trees do not start at 0");
    int64_t cuts = f->cut_first[f->n_columns];
    for (int64_t c = 0; c < f->n_columns; c++) {
        int64_t from = f->cut_first[c], to = f->cut_first[c + 1];
        REQUIRE(to >= from && to <= cuts && (to == from || !code->columns[c].nominal),
                "column %lld has the cuts %lld to %lld", (long long)c + 1, (long long)from, (long long)to);
        int64_t count = to - from;
        REQUIRE(all_finite(count, f->cut + from) && always_rises(count, f->cut + from),
                "the cuts of column %lld do not ascend", (long long)c + 1);
    }
    REQUIRE(f->tree_first[f->n_trees] == f->n_nodes, "the trees have %lld nodes, not %lld",
            (long long)f->tree_first[f->n_trees], (long long)f->n_nodes);
    for (int64_t t = 0; t < f->n_trees; t++)
        REQUIRE(f->tree_first[t + 1] > f->tree_first[t] && f->tree_first[t + 1] <= f->n_nodes, "tree %lld has no nodes",
                (long long)t + 1);
    for (int64_t t = 0; t < f->n_trees; t++) TRY(check_tree(ctx, f, code, t));
    return RUNG_OK;
}

static rung_status check_scorer(rung_ctx *ctx, const scorer *s, const coding *code, int K, bool scores)
{
    int64_t d = code->d;
    REQUIRE(s->d == d, "the scorer has %lld columns, but the coding has %lld", (long long)s->d, (long long)d);
    REQUIRE(s->outputs >= 1, "there are %d outputs", s->outputs);
    REQUIRE(s->m >= 0, "there are %lld terms", (long long)s->m);
    if (s->kind == SCORER_NEIGHBOURS) return check_neighbours(ctx, s, K, scores);
    REQUIRE(all_finite(s->outputs, s->bias), "a bias is not a finite number");
    REQUIRE(s->kind != SCORER_CONSTANT || s->m == 0, "a constant with %lld terms", (long long)s->m);
    REQUIRE(s->kind != SCORER_LINEAR || s->m == d, "a linear map of %lld terms over %lld columns", (long long)s->m,
            (long long)d);
    if (s->kind == SCORER_TREES) return check_forest(ctx, s, code, K);
    REQUIRE(all_finite(s->m * s->outputs, s->coef), "a coefficient is not a finite number");
    return s->kind == SCORER_KERNEL ? check_kernel(ctx, s) : RUNG_OK;
}

static rung_status check_calibration(rung_ctx *ctx, const member *one, int K)
{
    const rank_map *map = &one->map;
    bool by_class = one->decide.kind == DECISION_NEAREST_MEAN || one->decide.kind == DECISION_ARGMAX;
    REQUIRE(map->n >= 1 || (map->n == 0 && by_class), "a calibration without a rank map");
    REQUIRE(all_finite(map->n, map->f) && all_finite(map->n, map->s), "a node of the rank map is not finite");
    REQUIRE(never_falls(map->n, map->f) && never_falls(map->n, map->s), "the nodes of the rank map are not increasing");
    REQUIRE(one->cal.K == K, "the calibration has %d classes, but there are %d", one->cal.K, K);
    REQUIRE(isfinite(one->cal.a) && one->cal.a >= 0, "the slope of the calibration is %g", one->cal.a);
    REQUIRE(all_finite(K - 1, one->cal.c) && never_falls(K - 1, one->cal.c),
            "the thresholds of the calibration are not increasing");
    return RUNG_OK;
}

static rung_status check_link(rung_ctx *ctx, const member *one, int K)
{
    const probit_link *link = &one->link;
    const scorer *s = &one->score;
    REQUIRE(link->rank >= 0 && link->rank <= s->m, "a covariance of rank %lld over %lld terms", (long long)link->rank,
            (long long)s->m);
    int64_t outputs = link->spread ? K + link->rank : (link->own ? K - 1 : 1) + link->uneven;
    REQUIRE(s->outputs == outputs, "a probit link of %d outputs", s->outputs);
    if (link->own || link->uneven)
        REQUIRE(K > 1 && link->rank == 0 && !link->functions && !link->spread && one->decide.kind == DECISION_MEDIAN,
                "a link with means or spreads of its own, and a covariance");
    if (link->kind != LINK_PROBIT)
        REQUIRE(link->rank == 0 && !link->functions && !link->spread, "a %s link with a covariance",
                link_names[link->kind]);
    if (link->spread) {
        REQUIRE(link->functions, "thresholds inferred with coefficients");
        REQUIRE(isfinite(link->variance) && link->variance > 0, "the variance of the function is %g", link->variance);
        REQUIRE(all_finite((int64_t)(K - 1) * (K - 1), link->spread), "the covariance of the thresholds is not finite");
    }
    REQUIRE(!link->functions || (s->kind == SCORER_KERNEL && s->k.kind != KERNEL_PRECOMPUTED),
            "a posterior over functions without a kernel function");
    REQUIRE(link->spread || all_finite(link->rank * s->m, link->factor), "a number of the covariance is not finite");
    REQUIRE(isfinite(link->noise) && link->noise > 0, "the noise of the probit link is %g", link->noise);
    REQUIRE(all_finite(K - 1, link->b) && always_rises(K - 1, link->b),
            "the thresholds of the link are not increasing");
    return RUNG_OK;
}

static rung_status check_decision(rung_ctx *ctx, const member *one, int K)
{
    const decision *d = &one->decide;
    int outputs = one->score.outputs;
    if (d->kind == DECISION_NONE) {
        REQUIRE(!member_has_proba(one), "probabilities without classes");
        return RUNG_OK;
    }
    REQUIRE(d->K == K && K >= 1, "a decision between %d classes, but %d have labels", d->K, K);
    if (d->kind == DECISION_THRESHOLDS) REQUIRE(never_falls(K - 1, d->thresholds), "the thresholds are not increasing");
    if (d->kind == DECISION_CONSTANT) REQUIRE(d->rank >= 1 && d->rank <= K, "rank %d is outside 1..%d", d->rank, K);
    if (d->kind == DECISION_NEAREST_MEAN)
        REQUIRE(all_finite((int64_t)K * outputs, d->means), "a class mean is not a finite number");
    if (d->kind == DECISION_ARGMAX)
        REQUIRE(member_has_own_proba(one) || outputs == K, "the largest of %d outputs for %d classes", outputs, K);
    REQUIRE(d->kind != DECISION_MEDIAN || member_has_proba(one), "a median without probabilities");
    REQUIRE(d->kind != DECISION_CALIBRATED || one->proba == PROBA_CALIBRATION,
            "a calibrated decision without a calibration");
    bool scores = one->proba == PROBA_POWER, shares = one->score.kind == SCORER_NEIGHBOURS;
    REQUIRE(scores ? shares && one->prior && isfinite(one->power) && one->power > 0 : !(one->power > 0),
            "a power without class scores or a prior");
    REQUIRE(shares == (scores || one->proba == PROBA_MEMBERSHIPS) &&
                (one->prior != NULL) == (scores || one->proba == PROBA_PRIOR),
            "a member with several kinds of probabilities");
    REQUIRE(one->proba != PROBA_CUMULATIVE || outputs == K - 1, "%d cumulative probabilities of %d classes", outputs,
            K);
    REQUIRE(one->proba != PROBA_SOFTMAX || outputs == K, "%d logarithms of the probabilities of %d classes", outputs,
            K);
    if (one->proba == PROBA_CALIBRATION) TRY(check_calibration(ctx, one, K));
    if (one->proba == PROBA_PROBIT) TRY(check_link(ctx, one, K));
    if (one->prior) REQUIRE(are_shares(K, one->prior, 1), "the class probabilities do not sum to 1");
    return RUNG_OK;
}

static const column_code *column_of(const coding *code, int64_t coded)
{
    int64_t j = 0;
    while (j < code->n_columns - 1 && code->columns[j + 1].first <= coded) j++;
    return &code->columns[j];
}

static bool in_order(const random_effect *t, int64_t g)
{
    for (int k = 0; k < t->n_factors; k++) {
        int64_t before = t->level[(g - 1) * t->n_factors + k], now = t->level[g * t->n_factors + k];
        if (before != now) return before < now;
    }
    return false;
}

static rung_status check_effect(rung_ctx *ctx, const random_effect *t, const coding *code)
{
    REQUIRE(t->n_factors >= 1, "random effects of no groups");
    for (int k = 0; k < t->n_factors; k++) {
        int64_t j = t->factor[k];
        REQUIRE(j < code->d && !column_of(code, j)->nominal && column_of(code, j)->form == FORM_LEVEL,
                "random effects of column %lld, which does not name groups", (long long)j + 1);
        for (int64_t g = 0; g < t->n_groups; g++)
            REQUIRE(t->level[g * t->n_factors + k] >= 1 &&
                        t->level[g * t->n_factors + k] <= column_of(code, j)->n_categories,
                    "group %lld of the random effects has no name", (long long)g + 1);
    }
    for (int64_t g = 1; g < t->n_groups; g++)
        REQUIRE(in_order(t, g), "the groups of the random effects are not in order");
    for (int r = 1; r < t->q; r++)
        REQUIRE(t->slope[r - 1] < code->d, "a random slope of column %lld", (long long)t->slope[r - 1] + 1);
    REQUIRE(all_finite(t->q * t->n_groups, t->mode) && all_finite(t->q * t->q * t->n_groups, t->spread) &&
                all_finite(t->q * t->q, t->covariance),
            "a random effect is not a finite number");
    for (int r = 0; r < t->q; r++)
        REQUIRE(t->covariance[r + r * t->q] >= 0, "a variance of random effects is %g", t->covariance[r + r * t->q]);
    for (int64_t k = 0; k < effect_errors(t->q); k++)
        REQUIRE(!(t->error[k] < 0), "a standard error is %g", t->error[k]);
    for (int k = 0; k < EFFECT_TESTS; k++)
        REQUIRE(!(t->test[k] < 0), "a test of random effects has the number %g", t->test[k]);
    return RUNG_OK;
}

static rung_status check_effects(rung_ctx *ctx, const member *one, const coding *code, int K)
{
    const random_effects *e = one->score.random;
    REQUIRE(one->score.kind == SCORER_LINEAR && one->score.outputs == 1 && one->decide.kind == DECISION_MEDIAN,
            "random effects of a score that is not linear");
    REQUIRE(K > 1 && all_finite(K - 1, e->b) && always_rises(K - 1, e->b), "the thresholds do not ascend");
    for (int i = 0; i < e->n; i++) TRY(check_effect(ctx, &e->term[i], code));
    return RUNG_OK;
}

/* Several members can be averaged only if they have the same classes and kind of decision. */
static rung_status check_members(rung_ctx *ctx, const rung_model *m)
{
    REQUIRE(m->n_members >= 1, "there is no member");
    double total = 0;
    for (int i = 0; i < m->n_members; i++) {
        const member *one = &m->members[i];
        REQUIRE(isfinite(one->weight) && one->weight > 0, "member %d has weight %g", i + 1, one->weight);
        total += one->weight;
        if (i == 0) TRY(check_scaling(ctx, &one->scale, m->code.d));
        REQUIRE(one->scale.shift == m->members->scale.shift, "the members have different scalings");
        if (one->space.d > 0 && !one->space_from) TRY(check_scaling(ctx, &one->space, m->code.d));
        TRY(check_scorer(ctx, &one->score, &m->code, m->n_present, one->proba == PROBA_POWER));
        TRY(check_decision(ctx, one, m->n_present));
        if (one->score.random) TRY(check_effects(ctx, one, &m->code, m->n_present));
        REQUIRE((one->decide.kind == DECISION_NONE) == (m->members[0].decide.kind == DECISION_NONE),
                "only some members have a decision rule");
    }
    for (int i = 0; i < m->n_members; i++) /* they look at cells as they stand; scaled ones are for the others */
        REQUIRE(m->members[i].score.kind != SCORER_TREES ||
                    (m->members[i].space.d == 0 && (model_averages(m) || m->members->scale.kind == SCALE_NONE)),
                "trees of scaled columns");
    for (int i = 0; i < m->n_members; i++)
        REQUIRE(!m->members[i].score.trees.votes || m->members[i].proba == PROBA_CUMULATIVE,
                "trees that vote without probabilities");
    REQUIRE(m->sharpen >= 0 && isfinite(m->sharpen), "the sharpening exponent is %g", m->sharpen);
    REQUIRE(isfinite(total), "the weights of the members sum to %g", total);
    REQUIRE(!model_averages(m) || model_has_probabilities(m), "several members need probabilities");
    return RUNG_OK;
}

static rung_status check_temper(rung_ctx *ctx, const rung_model *m)
{
    const tempering *t = &m->temper;
    double total = 0;
    if (t->n == 0) return RUNG_OK;
    REQUIRE(model_has_probabilities(m), "tempered probabilities without probabilities");
    for (int j = 0; j < t->n; j++) {
        REQUIRE(t->power[j] > 0 && t->power[j] <= 100, "the probabilities are tempered by the power %g", t->power[j]);
        REQUIRE(t->weight[j] >= 0, "a power has weight %g", t->weight[j]);
        total += t->weight[j];
    }
    for (int q = 0; q < m->n_present; q++) {
        REQUIRE(t->frequency[q] >= 0, "the frequency of a class is %g", t->frequency[q]);
        total += t->frequency[q];
    }
    REQUIRE(fabs(total - 1) <= 1e-9, "the weights of the tempered probabilities sum to %g", total);
    return RUNG_OK;
}

static rung_status check_copies(rung_ctx *ctx, const rung_model *m)
{
    const row_copies *c = &m->copies;
    if (c->n == 0) return RUNG_OK;
    REQUIRE(model_has_probabilities(m), "copies of labelled rows in a model without probabilities");
    REQUIRE(c->mass || c->weight <= 1, "copies of labelled rows have weight %g", c->weight);
    for (int64_t i = 0; i < c->n; i++) {
        REQUIRE(c->rank[i] >= 1 && c->rank[i] <= m->n_present, "a copied row has rank %d", c->rank[i]);
        REQUIRE(isfinite(c->key[i]) && (i == 0 || c->key[i] >= c->key[i - 1]), "the keys of copied rows do not ascend");
        REQUIRE(!c->mass || (c->mass[i] > 0 && isfinite(c->mass[i])), "a copied row has mass %g", c->mass[i]);
    }
    return RUNG_OK;
}

static rung_status check_ranges(rung_ctx *ctx, const rung_model *m)
{
    const conformal *c = &m->ranges;
    if (c->repeats == 0) return RUNG_OK;
    REQUIRE(c->repeats > 0 && c->n >= 0 && c->n / c->repeats <= m->n_labelled && c->missed >= 0 &&
                c->missed <= m->n_labelled,
            "prediction intervals from %lld scores, %d repeats, %lld rows never held out", (long long)c->n, c->repeats,
            (long long)c->missed);
    REQUIRE(model_has_probabilities(m), "prediction intervals without probabilities");
    REQUIRE(never_falls(c->n, c->score) && all_finite(c->n, c->score), "the nonconformity scores are not increasing");
    for (int64_t i = 0; c->rank && i < c->n; i++)
        REQUIRE(c->rank[i] >= 1 && c->rank[i] <= m->n_present, "a nonconformity score of rank %d", c->rank[i]);
    return RUNG_OK;
}

static rung_status check_training(rung_ctx *ctx, const rung_model *m)
{
    const transduction *t = &m->training;
    if (t->n == 0) return RUNG_OK;
    REQUIRE(t->n == m->n_rows, "predictions for %lld training rows, but there were %lld", (long long)t->n,
            (long long)m->n_rows);
    REQUIRE(!model_averages(m), "predictions for training rows from several members");
    REQUIRE(m->members[0].proba != PROBA_PROBIT,
            "predictions for training rows without the variance of their latent values");
    int outputs = m->members[0].score.outputs, K = m->n_present;
    REQUIRE(all_finite(t->n * outputs, t->output), "an output of a training row is not a finite number");
    if (m->members[0].score.kind == SCORER_NEIGHBOURS)
        for (int64_t i = 0; i < t->n; i++)
            REQUIRE(are_shares(K, t->output + i * outputs, 1), "the memberships of training row %lld do not sum to 1",
                    (long long)i + 1);
    for (int64_t i = 0; t->label && i < t->n; i++)
        REQUIRE(t->label[i] >= 0 && t->label[i] <= K, "training row %lld has rank %d of %d", (long long)i + 1,
                t->label[i], K);
    REQUIRE(!t->label || model_has_ranks(m), "ranks of training rows in a model without ranks");
    return RUNG_OK;
}

static rung_status check_kept(rung_ctx *ctx, const rung_model *m)
{
    const kept_data *k = &m->kept;
    if (k->n == 0) return RUNG_OK;
    REQUIRE(k->n == m->n_labelled && m->n_members == 1, "%lld rows are kept, but %lld were labelled", (long long)k->n,
            (long long)m->n_labelled);
    REQUIRE(k->width >= 1, "kept rows without a state");
    REQUIRE(all_finite(k->n * m->code.d, k->rows), "a kept row is not finite");
    REQUIRE(all_finite(k->n * k->width, k->state), "the state of a kept row is not finite");
    for (int64_t i = 0; i < k->n; i++) {
        REQUIRE(k->label[i] >= 1 && k->label[i] <= m->n_present, "kept row %lld has rank %d of %d", (long long)i + 1,
                k->label[i], m->n_present);
        REQUIRE(!k->weight || (isfinite(k->weight[i]) && k->weight[i] > 0), "kept row %lld has weight %g",
                (long long)i + 1, k->weight[i]);
    }
    for (int q = 0; k->class_weight && q < m->code.n_classes; q++)
        REQUIRE(isfinite(k->class_weight[q]) && k->class_weight[q] >= 0, "class '%s' has weight %g", m->code.classes[q],
                k->class_weight[q]);
    return RUNG_OK;
}

static rung_status check_inference(rung_ctx *ctx, const rung_model *m)
{
    const fit_inference *f = &m->inferred;
    if (f->n == 0) return RUNG_OK;
    REQUIRE(model_has_terms(m) && model_has_cuts(m), "standard errors of a model without coefficients");
    for (int64_t i = 0; i < f->n; i++) REQUIRE(!(f->error[i] < 0), "a standard error is %g", f->error[i]);
    for (int64_t i = 0; f->covariance && i < f->n; i++)
        REQUIRE(!(f->covariance[i + i * f->n] < 0), "a variance is %g", f->covariance[i + i * f->n]);
    REQUIRE(f->parameters >= 0 && !(f->rows < 0), "%lld parameters of %g rows", (long long)f->parameters, f->rows);
    for (int64_t i = 0; f->columns && i < 2 * m->code.n_columns; i++)
        REQUIRE(!(f->columns[i] < 0), "a test has the statistic %g", f->columns[i]);
    for (int64_t i = 0; i < 2 * f->tests; i++)
        REQUIRE(!(f->parallel[i] < 0), "a test has the statistic %g", f->parallel[i]);
    return RUNG_OK;
}

rung_status model_check(rung_ctx *ctx, const rung_model *m)
{
    TRY(check_coding(ctx, &m->code));
    for (int i = 0; i < m->n_present; i++)
        REQUIRE(m->present[i] > (i ? m->present[i - 1] : 0) && m->present[i] <= m->code.n_classes,
                "class number %d is out of order or outside 1..%d", m->present[i], m->code.n_classes);
    REQUIRE(m->n_labelled >= 0 && m->n_labelled <= m->n_rows, "%lld labelled rows, but %lld rows",
            (long long)m->n_labelled, (long long)m->n_rows);
    REQUIRE(m->n_expansion >= 0, "the size of the expansion is negative");
    TRY(check_members(ctx, m));
    TRY(check_temper(ctx, m));
    TRY(check_copies(ctx, m));
    TRY(check_ranges(ctx, m));
    TRY(check_training(ctx, m));
    TRY(check_inference(ctx, m));
    REQUIRE(!m->cost.matrix || model_has_probabilities(m), "costs of a model without probabilities");
    REQUIRE(m->median <= m->code.n_classes, "the median is class %d of %d", m->median, m->code.n_classes);
    if (m->cost.matrix) TRY(cost_check(ctx, m->code.n_classes, m->cost.matrix, m->cost.abstain));
    return check_kept(ctx, m);
}
