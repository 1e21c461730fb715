// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>

#include "plot/kinds/kinds.h"
#include "plot/subject.h"

typedef int with_subject(session *s, const arguments *args, subject *p);

/* Reads and predicts, then calls `next`; need: labelled rows are needed. */
static int on_subject(session *s, const arguments *args, bool need, with_subject *next)
{
    subject p;
    const char *text = option_value(args, "output-column");
    long long column = 1;
    int code = subject_open(s, args, operand(args, 1), operand(args, 2), &p);
    if (code == EXIT_OK && need && p.labelled == 0) {
        complain("plot: %s: no row is labelled, so there is nothing to compare with", operand(args, 2));
        code = FAILED;
    }
    if (code == EXIT_OK && text && !parse_whole(text, 1, p.outputs, &column)) {
        complain("plot: --output-column %s: expected 1 to %d, a score of this model", text, p.outputs);
        code = USAGE;
    }
    if (code == EXIT_OK) code = subject_predict(s, &p, (int)column);
    if (code == EXIT_OK) code = next(s, args, &p);
    subject_close(&p);
    return code;
}

static int projection(session *s, const arguments *args, subject *p)
{
    const char *column = option_value(args, "output-column");
    char *score = p->expected      ? text_of("expected rank by %s", p->method)
                  : p->outputs > 1 ? text_of("score %s of %s", column ? column : "1", p->method)
                                   : text_of("score of %s", p->method);
    char *title = text_of("Scores by class (%s)", p->method);
    char *detail =
        text_of("Histograms of the scores of %lld rows, one strip for each of %d classes, with %d thresholds.",
                (long long)p->n, p->classes, p->thresholds);
    figure f = {.kind = FIGURE_PROJECTION,
                .detail = detail,
                .of.projection = {.title = plot_title(args, title),
                                  .score_name = score,
                                  .classes = p->classes,
                                  .name = p->name,
                                  .n = p->n,
                                  .truth = p->truth,
                                  .score = p->score,
                                  .thresholds = p->thresholds,
                                  .threshold = p->threshold,
                                  .answer = p->answer,
                                  .expected = p->expected}};
    f.title = f.of.projection.title;
    int code = plot_write(s, args, &f);
    free(score);
    free(title);
    free(detail);
    return code;
}

int plot_projection(session *s, const arguments *args) { return on_subject(s, args, false, projection); }

static int confusion(session *s, const arguments *args, subject *p)
{
    int64_t *count = subject_confusion(p), right = 0;
    for (int k = 0; k < p->classes; k++) right += count[k * p->classes + k];
    char *title = text_of("True and predicted classes (%s)", p->method);
    char *detail = text_of("Table of %d true by %d predicted classes; %lld of %lld rows are on the diagonal.",
                           p->classes, p->classes, (long long)right, (long long)p->labelled);
    figure f = {
        .kind = FIGURE_CONFUSION,
        .detail = detail,
        .of.confusion = {.title = plot_title(args, title), .classes = p->classes, .name = p->name, .count = count}};
    f.title = f.of.confusion.title;
    int code = plot_write(s, args, &f);
    free(count);
    free(title);
    free(detail);
    return code;
}

int plot_confusion(session *s, const arguments *args) { return on_subject(s, args, true, confusion); }

static int reliability(session *s, const arguments *args, subject *p)
{
    enum { BINS = 10 };
    rung_reliability_bin bin[BINS];
    double ece;
    if (!p->proba) {
        complain("plot: %s gives no probabilities; fit it with -p calibrate=5", operand(args, 1));
        return FAILED;
    }
    CHECK(s, rung_reliability_compute(s->ctx, p->n, p->classes, p->truth, p->proba, BINS, bin, &ece));
    char *title = text_of("Calibration of the probabilities (%s)", p->method);
    char *detail = text_of("Share of correct predictions against the probability of the most probable class, %lld rows "
                           "in %d bins; expected calibration error %.3f.",
                           (long long)p->labelled, BINS, ece);
    figure f = {.kind = FIGURE_RELIABILITY,
                .detail = detail,
                .of.reliability = {.title = plot_title(args, title), .bins = BINS, .bin = bin, .ece = ece}};
    f.title = f.of.reliability.title;
    int code = plot_write(s, args, &f);
    free(title);
    free(detail);
    return code;
}

int plot_reliability(session *s, const arguments *args) { return on_subject(s, args, true, reliability); }

static int boundary(session *s, const arguments *args, subject *p)
{
    plane on;
    figure_size size = plot_size(args, boundary_size(NULL));
    int columns = (int)(size.width / 1.2), rows = (int)(size.height / 1.2); /* cells of about a pixel */
    int code = plane_make(s, p, option_value(args, "x"), option_value(args, "y"), columns, rows, &on);
    if (code == EXIT_OK) {
        char *title = text_of("Predicted class over a plane (%s)", p->method);
        char *detail = text_of("Predicted class over %s and %s, and %lld rows, %lld of them labelled.", on.x_name,
                               on.y_name, (long long)p->n, (long long)p->labelled);
        figure f = {.kind = FIGURE_BOUNDARY,
                    .detail = detail,
                    .of.boundary = {.title = plot_title(args, title),
                                    .x_name = on.x_name,
                                    .y_name = on.y_name,
                                    .classes = p->classes,
                                    .name = p->name,
                                    .x_low = on.x_low,
                                    .x_high = on.x_high,
                                    .y_low = on.y_low,
                                    .y_high = on.y_high,
                                    .columns = columns,
                                    .rows = rows,
                                    .answer = on.answer,
                                    .n = p->n,
                                    .x = on.x,
                                    .y = on.y,
                                    .truth = p->truth}};
        f.title = f.of.boundary.title;
        code = plot_write(s, args, &f);
        free(title);
        free(detail);
    }
    plane_free(&on);
    return code;
}

int plot_boundary(session *s, const arguments *args) { return on_subject(s, args, false, boundary); }
