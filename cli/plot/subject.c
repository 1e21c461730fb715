// SPDX-License-Identifier: BSD-3-Clause
#include "plot/subject.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "data/costs.h"
#include "data/datafile.h"
#include "data/measures.h"

/* Classes without labelled rows are never predicted: the others lie between the thresholds, in order. */
static void find_thresholds(subject *p)
{
    int found = 0;
    p->thresholds = p->by_costs ? 0 : rung_model_thresholds(p->model, 0, NULL);
    if (p->thresholds == 0) return;
    p->threshold = allocate((size_t)p->thresholds, sizeof *p->threshold);
    p->answer = allocate((size_t)p->thresholds + 1, sizeof *p->answer);
    rung_model_thresholds(p->model, p->thresholds, p->threshold);
    for (int k = 1; k <= p->classes && found <= p->thresholds; k++)
        if (rung_model_class_present(p->model, k)) p->answer[found++] = k;
}

/* Where a model decides by its probabilities alone they give its only score, too. */
static bool score_is_expected(const subject *p)
{
    const char *scorer = rung_model_scorer(p->model);
    if (!strcmp(scorer, "average") || !strcmp(scorer, "neighbours")) return true;
    return p->outputs == 1 && rung_model_thresholds(p->model, 0, NULL) == 0 && rung_model_has_probabilities(p->model) &&
           rung_model_means(p->model, 0, NULL) == 0 && strcmp(scorer, "constant") != 0;
}

void subject_take(rung_model *model, rung_data *data, const costs *how, subject *out)
{
    bool asked = how && (how->matrix || how->abstain > 0);
    *out = (subject){.model = model,
                     .data = data,
                     .method = rung_model_method(model),
                     .n = rung_data_rows(data),
                     .classes = rung_model_classes(model),
                     .outputs = rung_model_outputs(model),
                     .by_costs = asked || rung_model_cost(model, NULL),
                     .cost = asked ? how->matrix : NULL,
                     .abstain = asked && how->abstain > 0 ? DBL_MAX : costs_always(model)};
    labels given = labels_of(data);
    out->truth = labels_exact(&given);
    out->name = allocate((size_t)out->classes, sizeof *out->name);
    for (int k = 0; k < out->classes; k++) out->name[k] = rung_model_class_name(model, k + 1);
    for (int64_t i = 0; i < out->n; i++) out->labelled += out->truth[i] != 0;
    find_thresholds(out);
    out->expected = score_is_expected(out);
}

int subject_open(session *s, const arguments *args, const char *model_path, const char *data_path, subject *out)
{
    *out = (subject){0};
    rung_model *model = NULL;
    rung_data *data = NULL;
    int code = load_model(s, model_path, &model);
    if (code == EXIT_OK && (rung_model_is_real(model) || !rung_model_has_ranks(model))) {
        complain("%s: %s predicts numbers, not classes, so there is no such figure", s->command, model_path);
        code = FAILED;
    }
    if (code == EXIT_OK) code = datafile_encode(s, args, model, data_path, RUNG_LABELS_OPTIONAL, &data);
    if (code == EXIT_OK)
        subject_take(model, data, NULL, out);
    else
        rung_model_free(model);
    return code;
}

int subject_predict(session *s, subject *p, int output)
{
    size_t n = (size_t)p->n, outputs = (size_t)p->outputs;
    rung_view X = rung_data_view(p->data);
    p->rank = allocate(n, sizeof *p->rank);
    p->score = allocate(n * outputs, sizeof *p->score);
    if (rung_model_has_probabilities(p->model)) p->proba = allocate(n * (size_t)p->classes, sizeof *p->proba);
    const rung_predict_options how = {.size = sizeof how, .cost = p->cost, .abstain = p->abstain};
    const rung_output out = {.size = sizeof out, .rank = p->rank, .score = p->score, .proba = p->proba};
    CHECK(s, rung_model_predict(s->ctx, p->model, &X, &how, &out));
    for (size_t i = 0; i < n; i++) p->score[i] = p->score[i * outputs + (size_t)output - 1];
    return EXIT_OK;
}

void subject_close(subject *p)
{
    rung_data_free(p->data);
    rung_model_free(p->model);
    free(p->truth);
    free(p->name);
    free(p->rank);
    free(p->score);
    free(p->proba);
    free(p->threshold);
    free(p->answer);
    *p = (subject){0};
}

int64_t *subject_confusion(const subject *p)
{
    int64_t *count = allocate((size_t)p->classes * (size_t)p->classes, sizeof *count);
    for (int64_t i = 0; i < p->n; i++)
        if (p->truth[i]) count[(p->truth[i] - 1) * p->classes + p->rank[i] - 1]++;
    return count;
}
