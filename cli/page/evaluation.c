// SPDX-License-Identifier: BSD-3-Clause
#include "page/evaluation.h"

#include <math.h>
#include <stdlib.h>

#include "json_out.h"
#include "output.h"
#include "page/page.h"
#include "plot/subject.h"

static const page_section sections[] = {{"metrics", "Metrics"},
                                        {"confusion", "Confusion matrix"},
                                        {"scores", "Scores and thresholds"},
                                        {"probabilities", "Calibration of the probabilities"},
                                        {"plane", "Predicted class over a plane"},
                                        {"model", "The model"},
                                        {"repeat", "How to repeat this"},
                                        {0}};
enum { METRICS, CONFUSION, SCORES, PROBABILITIES, PLANE, MODEL, REPEAT, SECTIONS };

static void metrics_part(FILE *file, const evaluation *e)
{
    static const char *const head[] = {"Metric", "Model", "Median", "Meaning"};
    page_heading(file, &sections[METRICS]);
    page_paragraph(file, "%s", e->baseline);
    page_table_begin(file, &(page_table){"Metrics over the labelled rows", 4, head, 1, true});
    for (int i = 0; i < e->rows; i++) {
        page_row(file, e->row[i].key);
        page_number(file, e->row[i].model, 4, NULL, false);
        page_number(file, e->row[i].median, 4, NULL, false);
        page_cell(file, "%s", e->row[i].meaning);
    }
    page_table_end(file);
}

static void confusion_part(FILE *file, const subject *p)
{
    int64_t *count = subject_confusion(p), right = 0;
    for (int k = 0; k < p->classes; k++) right += count[k * p->classes + k];
    char *detail = text_of("%lld of %lld labelled rows are on the diagonal.", (long long)right, (long long)p->labelled);
    figure f = {.kind = FIGURE_CONFUSION,
                .title = "True and predicted classes",
                .detail = detail,
                .of.confusion = {"True and predicted classes", p->classes, p->name, count}};
    page_heading(file, &sections[CONFUSION]);
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
    free(count);
    free(detail);
}

static void scores_part(FILE *file, const subject *p)
{
    char *score = text_of("score%s of %s", p->outputs > 1 ? " 1" : "", p->method);
    figure f = {.kind = FIGURE_PROJECTION,
                .title = "Scores by class",
                .detail = "Histograms of the scores, one strip per true class, with the thresholds.",
                .of.projection = {"Scores by class", score, p->classes, p->name, p->n, p->truth, p->score,
                                  p->thresholds, p->threshold, p->answer}};
    page_heading(file, &sections[SCORES]);
    page_figure(file, &f,
                p->thresholds ? "The background shows the predicted class; the dashed lines are the thresholds. Rows "
                                "whose colour differs from the background are misclassified."
                              : "This model does not use thresholds on a single score.");
    free(score);
}

static void probabilities_part(FILE *file, const evaluation *e)
{
    static const char *const head[] = {"Probability", "Rows", "Mean probability", "Share correct"};
    figure f = {.kind = FIGURE_RELIABILITY,
                .title = "Calibration of the probabilities",
                .detail = "Share of correct predictions against the probability of the most probable class; the "
                          "numbers are in the table.",
                .of.reliability = {"Calibration of the probabilities", e->bins, e->bin, e->ece}};
    page_heading(file, &sections[PROBABILITIES]);
    if (!e->bin) {
        page_paragraph(file, "This model gives no probabilities.");
        return;
    }
    page_figure(file, &f,
                "On the dashed line the probabilities are calibrated. Below it the model is overconfident, above it "
                "underconfident.");
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
}

static int plane_part(session *s, FILE *file, const subject *p)
{
    plane on = {0};
    page_heading(file, &sections[PLANE]);
    if (rung_data_features(p->data) < 2) {
        page_paragraph(file, "The model has only one feature, so there is no plane.");
        return EXIT_OK;
    }
    int code = plane_make(s, p, NULL, NULL, 200, 150, &on);
    if (code == EXIT_OK) {
        figure f = {.kind = FIGURE_BOUNDARY,
                    .title = "Predicted class over a plane",
                    .detail = "Predicted class over two directions, and the rows.",
                    .of.boundary = {"Predicted class over a plane", on.x_name, on.y_name, p->classes, p->name, on.x_low,
                                    on.x_high, on.y_low, on.y_high, on.columns, on.rows, on.answer, p->n, on.x, on.y,
                                    p->truth}};
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

static void model_table(FILE *file, const char *caption, json_t *object)
{
    static const char *const head[] = {"Name", "Value"};
    const char *key;
    json_t *value;
    page_table_begin(file, &(page_table){caption, 2, head, 1, false});
    json_object_foreach(object, key, value)
    {
        page_row(file, key);
        if (json_is_string(value)) {
            page_cell(file, "%s", json_string_value(value));
        } else {
            char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
            page_cell(file, "%s", text ? text : "");
            free(text);
        }
    }
    page_table_end(file);
}

static int model_part(session *s, FILE *file, const evaluation *e)
{
    char *text = NULL;
    CHECK(s, rung_model_describe(s->ctx, e->model, &text));
    json_t *all = jout_parse(text);
    rung_free(text);
    const char *method = json_string_value(json_object_get(all, "method"));
    const rung_method *m = method ? rung_method_find(method) : NULL;
    page_heading(file, &sections[MODEL]);
    if (m) page_paragraph(file, "%s: %s. %s", m->name, m->title, m->reference);
    if (json_is_object(json_object_get(all, "params"))) model_table(file, "Parameters", json_object_get(all, "params"));
    if (json_object_size(json_object_get(all, "report")))
        model_table(file, "What the fit reports", json_object_get(all, "report"));
    json_decref(all);
    return EXIT_OK;
}

static int page_steps(session *s, const arguments *args, const evaluation *e, FILE *file)
{
    bool real = rung_model_is_real(e->model);
    page_section list[SECTIONS + 1];
    int n = 0;
    for (int i = 0; i < SECTIONS; i++)
        if (!real || i == METRICS || i == MODEL || i == REPEAT) list[n++] = sections[i];
    list[n] = (page_section){0};
    char *title = text_of("%s on %s", operand(args, 0), operand(args, 1));
    char *lead =
        text_of("%lld labelled rows, but %lld rows", (long long)e->labelled, (long long)rung_data_rows(e->data));
    page_begin(file, title, lead, list);
    free(title);
    free(lead);
    metrics_part(file, e);
    int code = EXIT_OK;
    if (!real) {
        subject p;
        code = subject_take(s, e->model, e->data, &p);
        if (code == EXIT_OK) code = subject_predict(s, &p, 1);
        if (code == EXIT_OK) {
            confusion_part(file, &p);
            scores_part(file, &p);
            probabilities_part(file, e);
            code = plane_part(s, file, &p);
        }
        p.model = NULL; /* they belong to the caller */
        p.data = NULL;
        subject_close(&p);
    }
    if (code == EXIT_OK) code = model_part(s, file, e);
    if (code != EXIT_OK) return code;
    page_heading(file, &sections[REPEAT]);
    page_paragraph(file, "rung %s, with the same seed and data:", rung_version());
    page_command_line(file, "evaluate", args);
    page_end(file);
    return EXIT_OK;
}

int evaluation_page(session *s, const arguments *args, const evaluation *e, const char *path)
{
    output o;
    if (!output_open(&o, path)) return FAILED;
    int code = page_steps(s, args, e, o.file);
    if (code == EXIT_OK) return output_keep(&o) ? EXIT_OK : FAILED;
    output_discard(&o);
    return code;
}
