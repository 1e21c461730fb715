// SPDX-License-Identifier: BSD-3-Clause
#include "page/evaluation.h"

#include <math.h>
#include <stdlib.h>

#include "core/json_out.h"
#include "core/output.h"
#include "page/columns.h"
#include "page/model.h"
#include "page/page.h"
#include "plot/subject.h"

static const page_section sections[] = {{"confusion", "Confusion matrix"},
                                        {"calibration", "Calibration"},
                                        {"scores", "Scores by class"},
                                        {"regions", "Decision regions"},
                                        {"metrics", "Metrics"},
                                        {"model", "Model"},
                                        {"repeat", "How to repeat this"},
                                        {0}};
enum { CONFUSION, CALIBRATION, SCORES, REGIONS, METRICS, MODEL, REPEAT, SECTIONS };

/* ---- the answer in one sentence ---- */

static char *answer(const evaluation *e, bool real)
{
    double mae = e->row[0].model, median = e->row[0].median;
    int64_t answered = e->labelled - e->unsure;
    if (!answered || isnan(mae)) return text_of("no row has an answer");
    char *text = text_of("MAE %s%.2f; always predicting %s gives %.2f", e->bound ? "at least " : "", mae, e->constant,
                         median),
         *rows = NULL;
    if (!real && e->near == answered)
        rows = text_of("%s; right or one class off on all %lld rows", text, (long long)answered);
    else if (!real)
        rows =
            text_of("%s; right or one class off on %lld of %lld rows", text, (long long)e->near, (long long)answered);
    if (!rows) return text;
    free(text);
    return rows;
}

/* ---- the sections ---- */

static void metrics_part(FILE *file, const evaluation *e)
{
    static const char *const head[] = {"Metric", "Model", "Median", "Meaning"};
    page_heading(file, &sections[METRICS]);
    page_paragraph(file, "%s", e->baseline);
    const char *caption = e->unsure ? "Metrics over the labelled rows that have an answer; the cost over all of them"
                                    : "Metrics over the labelled rows";
    page_table_begin(file, &(page_table){caption, 4, head, 1, true});
    for (int i = 0; i < e->rows; i++) {
        page_row(file, e->row[i].key);
        page_number(file, e->row[i].model, 4, NULL, false);
        page_number(file, e->row[i].median, 4, NULL, false);
        page_cell(file, "%s", e->row[i].meaning);
    }
    page_table_end(file);
}

static void confusion_part(FILE *file, const subject *p, const int64_t *count, int64_t unsure)
{
    int64_t right = 0, rows = 0;
    for (int k = 0; k < p->classes; k++) right += count[k * p->classes + k];
    for (int k = 0; k < p->classes * p->classes; k++) rows += count[k];
    char *detail = text_of("%lld of %lld labelled rows%s are on the diagonal.", (long long)right, (long long)rows,
                           unsure ? " that have an answer" : "");
    figure f = {.kind = FIGURE_CONFUSION,
                .title = "Confusion matrix",
                .detail = detail,
                .of.confusion = {"Confusion matrix", p->classes, p->name, count}};
    page_half(file, &sections[CONFUSION]);
    page_figure(file, &f, detail);
    const char **head = allocate((size_t)p->classes + 1, sizeof *head);
    head[0] = "True class";
    for (int k = 0; k < p->classes; k++) head[k + 1] = p->name[k];
    page_fold_begin(file, false, "As a table");
    page_table_begin(
        file, &(page_table){"Rows by true class (down) and predicted class (across)", p->classes + 1, head, 0, false});
    for (int y = 0; y < p->classes; y++) {
        page_row(file, p->name[y]);
        for (int k = 0; k < p->classes; k++) page_number(file, (double)count[y * p->classes + k], 0, NULL, y == k);
    }
    page_table_end(file);
    page_fold_end(file);
    free(head);
    free(detail);
}

static void scores_part(FILE *file, const subject *p)
{
    char *score =
        p->expected ? text_of("expected rank") : text_of("score%s of %s", p->outputs > 1 ? " 1" : "", p->method);
    figure f = {.kind = FIGURE_PROJECTION,
                .title = "Scores by class",
                .detail = "Histograms of the scores, one strip per true class.",
                .of.projection = {"Scores by class", score, p->classes, p->name, p->n, p->truth, p->score,
                                  p->thresholds, p->threshold, p->answer, p->expected}};
    page_half(file, p->thresholds ? &(page_section){sections[SCORES].id, "Scores and thresholds"} : &sections[SCORES]);
    page_figure(file, &f,
                p->thresholds ? "The background shows the predicted class; the dashed lines are the thresholds. Rows "
                                "whose colour differs from the background are misclassified."
                : p->by_costs && !p->expected
                    ? "The model answers by what wrong answers cost, so that no part of this scale has one answer."
                : p->expected
                    ? "The score is the expected rank: the mean of the class numbers, from 1, by their predicted "
                      "probabilities. The background shows the nearest class."
                    : "The model decides by all of its outputs; this is the first.");
    free(score);
}

static void calibration_part(FILE *file, const evaluation *e)
{
    static const char *const head[] = {"Probability", "Rows", "Mean probability", "Share correct"};
    figure f = {.kind = FIGURE_RELIABILITY,
                .title = "Reliability diagram",
                .detail = "Share of correct predictions against the probability of the most probable class; the "
                          "numbers are in the table.",
                .of.reliability = {"Reliability diagram", e->bins, e->bin, e->ece}};
    page_half(file, &sections[CALIBRATION]);
    if (!e->bin) {
        page_paragraph(file, "This model gives no probabilities.");
        return;
    }
    page_figure(file, &f,
                "On the dashed line the probabilities are calibrated. Below it the model is overconfident, above it "
                "underconfident.");
    page_fold_begin(file, false, "As a table");
    page_table_begin(file, &(page_table){"By the probability of the most probable class", 4, head, 0, true});
    for (int i = 0; i < e->bins; i++) {
        const rung_reliability_bin *b = &e->bin[i];
        char part[32];
        if (b->n == 0) continue;
        snprintf(part, sizeof part, "%.1f to %.1f", b->low, b->high);
        page_row(file, part);
        page_number(file, (double)b->n, 0, NULL, false);
        page_number(file, b->confidence, 3, NULL, false);
        page_number(file, b->accuracy, 3, NULL, false);
    }
    page_table_end(file);
    page_fold_end(file);
}

static int regions_part(session *s, FILE *file, const subject *p)
{
    plane on = {0};
    page_half(file, &sections[REGIONS]);
    if (rung_data_features(p->data) < 2) {
        page_paragraph(file, "The model has only one feature, so there is no plane.");
        return EXIT_OK;
    }
    int code = plane_make(s, p, NULL, NULL, 400, 300, &on);
    if (code == EXIT_OK) {
        figure f = {.kind = FIGURE_BOUNDARY,
                    .title = "Decision regions",
                    .detail = "Predicted class over two directions, and the rows.",
                    .of.boundary = {"Decision regions", on.x_name, on.y_name, p->classes, p->name, on.x_low, on.x_high,
                                    on.y_low, on.y_high, on.columns, on.rows, on.answer, p->n, on.x, on.y, p->truth}};
        page_figure(file, &f,
                    rung_data_features(p->data) == 2
                        ? "The background shows the predicted class."
                        : "The background shows the predicted class on the plane of the first two principal "
                          "components; rows lie in front of and behind it, so a marker on a background of another "
                          "colour is not always an error.");
    }
    plane_free(&on);
    return code;
}

static int figure_parts(session *s, FILE *file, const evaluation *e)
{
    subject p;
    subject_take(e->model, e->data, e->costs, &p);
    int code = subject_predict(s, &p, 1);
    if (code == EXIT_OK) {
        confusion_part(file, &p, e->confusion, e->unsure);
        calibration_part(file, e);
        scores_part(file, &p);
        code = regions_part(s, file, &p);
    }
    p.model = NULL; /* they belong to the caller */
    p.data = NULL;
    subject_close(&p);
    return code;
}

static void begin(FILE *file, const arguments *args, const evaluation *e, const column_facts *columns, bool real)
{
    page_section list[SECTIONS + COLUMN_SECTIONS + 1];
    int n = 0;
    long long rows = rung_data_rows(e->data);
    for (int i = real ? METRICS : 0; i < SECTIONS; i++) {
        if (i == MODEL) n += column_sections(columns, e->model, list + n);
        list[n++] = sections[i];
    }
    list[n] = (page_section){0};
    char *title = text_of("%s on %s", operand(args, 0), operand(args, 1)), *sentence = answer(e, real);
    const char *seen = e->seen ? "; warning: the model was fitted to these rows, so the errors are too small" : "";
    char *lead = e->labelled == rows ? text_of("%lld labelled rows%s", rows, seen)
                                     : text_of("%lld labelled rows of %lld%s", (long long)e->labelled, rows, seen);
    page_begin(file, title, sentence, lead, list);
    free(title);
    free(sentence);
    free(lead);
}

static int page_steps(session *s, const arguments *args, const evaluation *e, const column_facts *columns, FILE *file)
{
    bool real = rung_model_is_real(e->model);
    begin(file, args, e, columns, real);
    int code = real ? EXIT_OK : figure_parts(s, file, e);
    if (code != EXIT_OK) return code;
    metrics_part(file, e);
    page_columns(file, columns, e->model);
    page_heading(file, &sections[MODEL]);
    page_model(file, e->model);
    page_heading(file, &sections[REPEAT]);
    page_repeat(file, "evaluate", args, operand(args, 0), e->model);
    page_end(file);
    return EXIT_OK;
}

int evaluation_page(session *s, const arguments *args, const evaluation *e, const char *path)
{
    output o;
    column_facts columns;
    int code = column_facts_find(s, e->model, e->data, &columns);
    if (code == EXIT_OK && !output_open(&o, path)) code = FAILED;
    if (code == EXIT_OK) {
        code = page_steps(s, args, e, &columns, o.file);
        if (code != EXIT_OK)
            output_discard(&o);
        else if (!output_keep(&o))
            code = FAILED;
    }
    column_facts_free(&columns);
    return code;
}
