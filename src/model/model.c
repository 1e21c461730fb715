// SPDX-License-Identifier: BSD-3-Clause
#include "model/model.h"

#include <stdlib.h>

#include "model/file.h"

rung_status model_new(rung_ctx *ctx, rung_model **out)
{
    *out = object_new(ctx, sizeof(rung_model));
    return *out ? RUNG_OK : set_error(ctx, RUNG_ENOMEM, "out of memory: a model");
}

void model_free(rung_model *m)
{
    if (!m) return;
    pool_free_all(&m->mem);
    object_free(m);
}

/* Trees alone look at missing cells themselves, and a kernel matrix has none. */
rung_status model_ready(rung_ctx *ctx, rung_model *m)
{
    const scorer *first = &m->members->score;
    for (int i = 0; i < m->n_members; i++)
        if (m->members[i].score.kind == SCORER_TREES)
            TRY(forest_ready(ctx, &m->mem, &m->code, &m->members[i].score.trees));
    if (first->kind == SCORER_TREES && !model_averages(m)) return RUNG_OK;
    if (first->kind == SCORER_KERNEL && first->k.kind == KERNEL_PRECOMPUTED) return RUNG_OK;
    TRY(coding_fill(ctx, &m->mem, &m->code, &m->members->scale.fill));
    for (int i = 1; i < m->n_members; i++) m->members[i].scale.fill = m->members->scale.fill;
    return RUNG_OK;
}

bool model_averages(const rung_model *m) { return m->n_members > 1 || m->sharpen > 0; }

int model_outputs(const rung_model *m) { return model_averages(m) ? 1 : member_columns(&m->members[0]); }

bool model_has_ranks(const rung_model *m) { return m->members[0].decide.kind != DECISION_NONE; }

bool model_has_thresholds(const rung_model *m)
{
    const member *one = &m->members[0];
    bool general = one->link.own || one->link.uneven; /* its score is the expected class */
    return !model_averages(m) && ((member_has_variance(one) && !general) || one->decide.kind == DECISION_THRESHOLDS ||
                                  one->decide.kind == DECISION_CALIBRATED);
}

double model_threshold(const rung_model *m, int q)
{
    const member *one = &m->members[0];
    if (one->decide.kind == DECISION_THRESHOLDS) return one->decide.thresholds[q - 1];
    if (one->proba == PROBA_EFFECTS) return one->score.random->b[q - 1];
    return one->proba == PROBA_PROBIT ? one->link.b[q - 1] : calibrate_threshold(&one->cal, &one->map, q);
}

bool model_has_means(const rung_model *m)
{
    return !model_averages(m) && m->members[0].decide.kind == DECISION_NEAREST_MEAN;
}

const char *model_decision(const rung_model *m) { return decision_names[m->members[0].decide.kind]; }

bool model_has_latent(const rung_model *m)
{
    const probit_link *link = &m->members[0].link;
    return !model_averages(m) && m->members[0].proba == PROBA_PROBIT && link->kind == LINK_PROBIT && !link->spread &&
           !link->own && !link->uneven;
}

const char *model_interval(const rung_model *m)
{
    if (m->ranges.repeats > 0) return "cross-conformal";
    return model_has_latent(m) ? "credible" : NULL;
}

bool model_has_probabilities(const rung_model *m)
{
    for (int i = 0; i < m->n_members; i++)
        if (!member_has_proba(&m->members[i])) return false;
    return model_has_ranks(m);
}

/* ---- contents ---- */

const char *model_scorer(const rung_model *m)
{
    return model_averages(m) ? "average" : scorer_names[m->members[0].score.kind];
}

const char *model_member_kind(const member *one)
{
    if (one->score.trees.votes) return "random trees";
    if (one->score.kind == SCORER_TREES) return one->proba == PROBA_SOFTMAX ? "nominal trees" : "ordinal trees";
    switch (one->proba) {
    case PROBA_EFFECTS: return "random effects";
    case PROBA_PROBIT: return "gaussian process";
    case PROBA_CUMULATIVE: return "cumulative ridge";
    case PROBA_POWER: return "label spreading";
    default: return "class frequencies";
    }
}

double model_member_share(const rung_model *m, int i)
{
    double total = 0;
    for (int j = 0; j < m->n_members; j++) total += m->members[j].weight;
    return m->members[i].weight / total;
}

scale_kind model_member_scale(const member *one)
{
    if (one->score.kind == SCORER_TREES) return SCALE_NONE;
    return one->space.d > 0 ? one->space.kind : one->scale.kind;
}

double model_gain(const rung_model *m, int64_t at)
{
    const forest *trees = &m->members[0].score.trees;
    if (m->members[0].score.kind != SCORER_TREES || model_averages(m)) return 0;
    double total = forest_gain(trees, -1);
    return total > 0 ? forest_gain(trees, at) / total : 0;
}

int64_t model_expansion_rows(const rung_model *m)
{
    for (int i = 0; i < m->n_members; i++) {
        const scorer *s = &m->members[i].score;
        if (s->rows && s->m > 0 && !s->made) return m->n_expansion;
    }
    return 0;
}

int64_t model_stored_rows(const rung_model *m) { return m->kept.n > 0 ? m->kept.n : model_expansion_rows(m); }
