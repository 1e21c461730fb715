// SPDX-License-Identifier: BSD-3-Clause
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "experiment/report/html.h"

/* ---- box plots ---- */

static void boxes_of_set(const html_writer *w, int set)
{
    const results *r = w->c->r;
    int methods = r->methods, *n = allocate((size_t)methods, sizeof *n);
    double **value = allocate((size_t)methods, sizeof *value);
    for (int j = 0; j < methods; j++) {
        const results_entry *e = results_at(r, set, j);
        value[j] = allocate((size_t)r->set[set].partitions, sizeof **value);
        for (int p = 0; p < r->set[set].partitions; p++)
            if (!isnan(e->value[p])) value[j][n[j]++] = e->value[p];
        qsort(value[j], (size_t)n[j], sizeof **value, compare_numbers);
    }
    char *detail = text_of("Box plots of %s over the partitions of %s, one per method.", r->metric, r->set[set].name);
    figure f = {.kind = FIGURE_BOXES,
                .title = r->set[set].name,
                .detail = detail,
                .of.boxes = {r->set[set].name, r->metric, methods, w->name, n, (const double *const *)value}};
    page_figure(
        w->file, &f,
        "Box: quartiles and median; whiskers: values within 1.5 box lengths; circles: values beyond; diamond: mean.");
    free(detail);
    for (int j = 0; j < methods; j++) free(value[j]);
    free(value);
    free(n);
}

void html_boxes(const html_writer *w)
{
    enum { OPEN = 4 }; /* more of them are folded away */
    const results *r = w->c->r;
    int shown = 0;
    for (int i = 0; i < r->sets; i++) {
        if (r->set[i].partitions < 2) continue;
        page_fold_begin(w->file, shown++ < OPEN, "%s: %d partitions", r->set[i].name, r->set[i].partitions);
        boxes_of_set(w, i);
        page_fold_end(w->file);
    }
    if (!shown) page_paragraph(w->file, "Every data set has a single partition, so there is no variation to show.");
}

/* ---- predictions ---- */

typedef struct {
    int classes;
    int64_t n, room, *confusion;
    int *truth;
    double *score; /* of the first partition */
} answers;

/* Adds one partition's answers; scores of the first one are kept. */
static void add_answers(answers *a, const char *truth_text, const char *rank_text, const char *score_text)
{
    json_t *truth = json_loads(truth_text, 0, NULL), *rank = rank_text ? json_loads(rank_text, 0, NULL) : NULL,
           *score = score_text ? json_loads(score_text, 0, NULL) : NULL;
    size_t n = json_array_size(truth);
    bool keep = a->n == 0 && json_array_size(score) == n;
    if (keep) {
        a->truth = allocate(n, sizeof *a->truth);
        a->score = allocate(n, sizeof *a->score);
    }
    for (size_t i = 0; i < n && json_array_size(rank) == n; i++) {
        int t = (int)json_integer_value(json_array_get(truth, i)), k = (int)json_integer_value(json_array_get(rank, i));
        if (t < 1 || t > a->classes || k < 1 || k > a->classes) continue;
        a->confusion[(t - 1) * a->classes + k - 1]++;
        if (!keep) continue;
        a->truth[a->n] = t;
        a->score[a->n++] = json_number_value(json_array_get(score, i));
    }
    json_decref(truth);
    json_decref(rank);
    json_decref(score);
}

static answers read_answers(const html_writer *w, int set, int method)
{
    const results *r = w->c->r;
    const results_entry *e = results_at(r, set, method);
    size_t K = (size_t)r->set[set].classes;
    answers a = {.classes = r->set[set].classes, .confusion = allocate(K * K, sizeof *a.confusion)};
    for (int p = 0; p < r->set[set].partitions; p++) {
        if (!e->cell[p]) continue;
        sqlite3_stmt *q = store_query(w->db, "SELECT truth, rank, score FROM prediction WHERE cell = ? AND part = ?",
                                      "it", e->cell[p], r->part);
        if (q && store_step(w->db, q) == SQLITE_ROW)
            add_answers(&a, (const char *)sqlite3_column_text(q, 0), (const char *)sqlite3_column_text(q, 1),
                        (const char *)sqlite3_column_text(q, 2));
        sqlite3_finalize(q);
    }
    return a;
}

static void answers_of(const html_writer *w, int set, int method)
{
    const results_set *d = &w->c->r->set[set];
    answers a = read_answers(w, set, method);
    char *title = text_of("%s, %s", w->name[method], d->name),
         *detail = text_of("True against predicted classes, all partitions of %s together.", d->name);
    char *score = text_of("score of %s", w->name[method]), *scores = text_of("Scores by class: %s", title);
    const char *const *name = (const char *const *)d->class_name;
    figure confusion = {.kind = FIGURE_CONFUSION,
                        .title = title,
                        .detail = detail,
                        .of.confusion = {title, d->classes, name, a.confusion}};
    figure projection = {
        .kind = FIGURE_PROJECTION,
        .title = scores,
        .detail = "Histograms of the scores of the first partition, one strip per class.",
        .of.projection = {scores, score, d->classes, name, a.n, a.truth, a.score, 0, NULL, NULL, false}};
    int64_t rows = 0;
    for (int k = 0; k < d->classes * d->classes; k++) rows += a.confusion[k];
    if (rows) page_figure(w->file, &confusion, "All partitions together.");
    if (a.n) page_figure(w->file, &projection, "Scores of the first finished partition.");
    free(title);
    free(detail);
    free(score);
    free(scores);
    free(a.confusion);
    free(a.truth);
    free(a.score);
}

void html_answers(const html_writer *w)
{
    const results *r = w->c->r;
    page_paragraph(w->file, "Confusion matrix and scores by class of each method.");
    for (int i = 0; i < r->sets; i++) {
        bool any = false;
        for (int p = 0; r->set[i].class_name && p < r->set[i].partitions && !any; p++)
            for (int j = 0; j < r->methods && !any; j++)
                any = store_number(w->db, 0, "SELECT count(*) FROM prediction WHERE cell = ? AND part = ?", "it",
                                   results_at(r, i, j)->cell[p], r->part) > 0;
        if (!any) continue;
        page_fold_begin(w->file, false, "%s: confusion matrices and scores, method by method", r->set[i].name);
        for (int j = 0; j < r->methods; j++)
            if (results_at(r, i, j)->done) answers_of(w, i, j);
        page_fold_end(w->file);
    }
}

/* ---- time ---- */

/* From microseconds to hours: digits, not decimals. */
static void seconds_cell(FILE *file, double seconds)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g", seconds);
    page_number(file, seconds, 0, isnan(seconds) ? NULL : text, false);
}

/* Means over the data sets that the mean of the metric is of: where no data set has all methods, over those it has. */
static results_entry times_of(const comparison *c, int method)
{
    const results *r = c->r;
    results_entry sum = {0};
    int sets = 0;
    for (int i = 0; i < (c->n ? c->n : r->sets); i++) {
        const results_entry *e = results_at(r, c->n ? c->set[i] : i, method);
        if (!e->done) continue;
        sets++;
        sum.search += e->search;
        sum.fit += e->fit;
        sum.seconds += e->seconds;
    }
    double n = sets ? (double)sets : (double)NAN;
    return (results_entry){.search = sum.search / n, .fit = sum.fit / n, .seconds = sum.seconds / n};
}

void html_times(const html_writer *w)
{
    const comparison *c = w->c;
    const results *r = c->r;
    double *seconds = allocate((size_t)r->methods, sizeof *seconds),
           *value = allocate((size_t)r->methods, sizeof *value);
    static const char *const head[] = {"Method", "Search", "Fit", "All", "Mean of the metric"};
    char *caption = text_of("Mean seconds per cell, on the machine that ran it%s",
                            c->n && c->n < r->sets ? ", over the data sets on which all methods can be compared" : "");
    page_table_begin(w->file, &(page_table){caption, 5, head, 0, true});
    for (int j = 0; j < r->methods; j++) {
        results_entry mean = times_of(c, j);
        seconds[j] = mean.seconds;
        value[j] = report_average(c, j);
        page_row(w->file, w->name[j]);
        seconds_cell(w->file, mean.search);
        seconds_cell(w->file, mean.fit);
        seconds_cell(w->file, mean.seconds);
        page_number(w->file, value[j], 3, NULL, false);
    }
    page_table_end(w->file);
    char *value_name = text_of("%s, mean over the data sets", r->metric);
    figure f = {.kind = FIGURE_TIMES,
                .title = "Time against error",
                .detail = "One point per method; the numbers are in the table above.",
                .of.times = {"Time against error", value_name, r->methods, w->name, seconds, value}};
    if (c->n)
        page_figure(
            w->file, &f,
            "Faster methods are on the left. Only data sets on which all methods can be compared are included.");
    free(value_name);
    free(caption);
    free(seconds);
    free(value);
}
