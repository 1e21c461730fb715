// SPDX-License-Identifier: BSD-3-Clause
/* The page of an experiment. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/report.h"
#include "page/page.h"

typedef struct {
    FILE *file;
    store *db;
    const comparison *c;
    const char **name; /* of the methods */
} writer;

/* ---- the table of means ---- */

static void means_cell(const writer *w, int set, int method)
{
    const results_entry *e = results_at(w->c->r, set, method);
    char text[96], spread[32] = "", part[32] = "";
    if (e->values == 0) {
        page_number(w->file, NAN, 0,
                    e->failed    ? "failed"
                    : e->done    ? "undefined"
                    : e->planned ? "waiting"
                                 : "–",
                    false);
        return;
    }
    if (!isnan(e->sd)) snprintf(spread, sizeof spread, " ± %.3f", e->sd);
    if (e->values < e->planned) snprintf(part, sizeof part, " (%d of %d)", e->values, e->planned);
    snprintf(text, sizeof text, "%.3f%s%s", e->mean, spread, part);
    page_number(w->file, e->mean, 0, text, report_best(w->c, set, method));
}

static void means_table(const writer *w)
{
    const comparison *c = w->c;
    const results *r = c->r;
    const char **head = allocate((size_t)r->methods + 1, sizeof *head);
    head[0] = "Data set";
    for (int j = 0; j < r->methods; j++) head[j + 1] = w->name[j];
    char *caption =
        text_of("%s on the %s rows, mean ± standard deviation over the partitions; the best in bold (%s is better)",
                r->metric, r->part, r->larger_better ? "larger" : "smaller");
    page_table_begin(w->file, &(page_table){caption, r->methods + 1, head, 0, true});
    for (int i = 0; i < r->sets; i++) {
        if (r->set[i].partitions == 0) continue;
        page_row(w->file, r->set[i].name);
        for (int j = 0; j < r->methods; j++) means_cell(w, i, j);
    }
    if (c->n) {
        page_table_foot(w->file);
        page_row(w->file, "Mean");
        for (int j = 0; j < r->methods; j++) page_number(w->file, report_average(c, j), 3, NULL, false);
        page_row(w->file, "Mean rank");
        for (int j = 0; j < r->methods; j++) page_number(w->file, c->mean_rank[j], 3, NULL, false);
        page_row(w->file, "Best on");
        for (int j = 0; j < r->methods; j++) page_number(w->file, report_wins(c, j), 0, NULL, false);
    }
    page_table_end(w->file);
    free(caption);
    free(head);
}

/* ---- the tests ---- */

static void p_cell(FILE *file, double p, bool strong) { page_number(file, p, 0, p_of(p, "").text, strong); }

static void duel_cell(FILE *file, const duel *d)
{
    char text[48];
    bool none = d->win + d->draw + d->loss == 0;
    snprintf(text, sizeof text, "%d / %d / %d", d->win, d->draw, d->loss);
    page_number(file, none ? (double)NAN : d->win - d->loss, 0, none ? "–" : text, false);
}

static void rivals_table(const writer *w)
{
    static const char *const head[] = {
        "Method",     "Mean rank",     "p",           "p after Holm", "Better / equal / worse",
        "Clearly so", "p of Wilcoxon", "p of Nemenyi"};
    const comparison *c = w->c;
    char *caption = text_of("%s against each of the others (bold: differs at level %g)", w->name[c->control], c->alpha);
    page_table_begin(w->file, &(page_table){caption, sizeof head / sizeof *head, head, 0, true});
    for (int i = 0; i < c->k; i++) {
        int j = c->order[i];
        const rival *v = &c->rival[j];
        if (j == c->control) continue;
        page_row(w->file, w->name[j]);
        page_number(w->file, c->mean_rank[j], 3, NULL, false);
        p_cell(w->file, v->p, false);
        p_cell(w->file, v->adjusted, v->adjusted <= c->alpha);
        duel_cell(w->file, &v->sets);
        duel_cell(w->file, &v->clear);
        p_cell(w->file, v->wilcoxon.p, false);
        p_cell(w->file, statistics_nemenyi(c->n, c->k, c->mean_rank[j] - c->mean_rank[c->control]), false);
    }
    page_table_end(w->file);
    page_paragraph(
        w->file,
        "p: how often mean ranks this far apart arise by chance alone, for one comparison, and after Holm's correction "
        "for all of them. Better / equal / worse: on how many data sets %s is so, by the means; clearly so: where a "
        "paired t test over the partitions says so (partitions share rows, so read it as a description). "
        "Wilcoxon: the signed-rank test over the data sets. Nemenyi: corrected for all pairs of methods.",
        w->name[c->control]);
    free(caption);
}

static void partition_table(const writer *w)
{
    static const char *const head[] = {"Method", "Difference", "t", "p of t", "p of Wilcoxon"};
    const comparison *c = w->c;
    if (c->n != 1 || c->k < 2 || c->paired[c->set[0]] < 2) return;
    char *caption =
        text_of("%s against each of the others, over %d partitions", w->name[c->control], c->paired[c->set[0]]);
    page_table_begin(w->file, &(page_table){caption, sizeof head / sizeof *head, head, 0, true});
    for (int i = 0; i < c->k; i++) {
        int j = c->order[i];
        const rival *v = &c->rival[j];
        if (j == c->control) continue;
        page_row(w->file, w->name[j]);
        page_number(w->file, c->r->larger_better ? v->t.mean : -v->t.mean, 4, NULL, false);
        page_number(w->file, -v->t.t, 2, NULL, false);
        p_cell(w->file, v->t.p, v->t.p <= c->alpha);
        p_cell(w->file, v->wilcoxon.p, false);
    }
    page_table_end(w->file);
    free(caption);
}

static void ranks_part(const writer *w)
{
    const comparison *c = w->c;
    char *detail =
        text_of("Mean ranks of %d methods on %d data sets; the same numbers are in the table of means.", c->k, c->n);
    char *title = text_of("Mean ranks by %s", c->r->metric);
    figure f = {.kind = FIGURE_RANKS,
                .title = title,
                .detail = detail,
                .of.ranks = {title, c->k, c->n, w->name, c->mean_rank, c->alpha}};
    page_figure(
        w->file, &f,
        "Left is best. A bar joins methods that the Nemenyi test does not tell apart: their mean ranks lie closer "
        "together than the critical difference.");
    rivals_table(w);
    free(detail);
    free(title);
}

/* ---- box plots ---- */

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void boxes_of_set(const writer *w, int set)
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
        "Box: quartiles and median; whiskers: the values within 1.5 box lengths; circles: beyond; diamond: mean.");
    free(detail);
    for (int j = 0; j < methods; j++) free(value[j]);
    free(value);
    free(n);
}

static void boxes_part(const writer *w)
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
    if (!shown) page_paragraph(w->file, "Every data set has a single partition: there is no spread to show.");
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

static answers read_answers(const writer *w, int set, int method)
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

static void answers_of(const writer *w, int set, int method)
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
    figure projection = {.kind = FIGURE_PROJECTION,
                         .title = scores,
                         .detail = "Histograms of the scores of the first partition, one strip per class.",
                         .of.projection = {scores, score, d->classes, name, a.n, a.truth, a.score, 0, NULL, NULL}};
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

static void answers_part(const writer *w)
{
    const results *r = w->c->r;
    page_paragraph(w->file, "What each method took for what, and where its scores put the classes.");
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

/* ---- the rest ---- */

/* From microseconds to hours: digits, not decimals. */
static void seconds_cell(FILE *file, double seconds)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g", seconds);
    page_number(file, seconds, 0, isnan(seconds) ? NULL : text, false);
}

static void times_part(const writer *w)
{
    const comparison *c = w->c;
    const results *r = c->r;
    double *seconds = allocate((size_t)r->methods, sizeof *seconds),
           *value = allocate((size_t)r->methods, sizeof *value);
    static const char *const head[] = {"Method", "Search", "Fit", "All", "Mean of the metric"};
    page_table_begin(w->file, &(page_table){"Mean seconds per cell, on the machine that ran it", 5, head, 0, true});
    for (int j = 0; j < r->methods; j++) {
        double search = 0, fit = 0;
        int sets = 0;
        for (int i = 0; i < r->sets; i++) {
            const results_entry *e = results_at(r, i, j);
            if (!e->done) continue;
            sets++;
            search += e->search;
            fit += e->fit;
            seconds[j] += e->seconds;
        }
        value[j] = report_average(c, j);
        page_row(w->file, w->name[j]);
        seconds[j] = sets ? seconds[j] / sets : NAN;
        seconds_cell(w->file, sets ? search / sets : NAN);
        seconds_cell(w->file, sets ? fit / sets : NAN);
        seconds_cell(w->file, seconds[j]);
        page_number(w->file, value[j], 3, NULL, false);
    }
    page_table_end(w->file);
    char *value_name = text_of("%s, mean over the data sets", r->metric);
    figure f = {.kind = FIGURE_TIMES,
                .title = "Time against error",
                .detail = "One point per method; the same numbers are in the table before.",
                .of.times = {"Time against error", value_name, r->methods, w->name, seconds, value}};
    if (c->n)
        page_figure(w->file, &f, "To the left is faster. Only data sets count on which all methods can be compared.");
    free(value_name);
    free(seconds);
    free(value);
}

static void failures_part(const writer *w)
{
    static const char *const head[] = {"Data set", "Partition", "Method", "Why"};
    const results *r = w->c->r;
    page_table_begin(w->file, &(page_table){"Cells that failed", 4, head, 2, true});
    for (int i = 0; i < r->failures; i++) {
        page_row(w->file, r->failure[i].set);
        page_number(w->file, r->failure[i].partition, 0, NULL, false);
        page_cell(w->file, "%s", r->failure[i].method);
        page_cell(w->file, "%s", r->failure[i].message);
    }
    page_table_end(w->file);
}

static void repeat_part(const writer *w, const arguments *args)
{
    const results *r = w->c->r;
    page_paragraph(w->file, "rung %s. The plan of the experiment%s%s; save it to a file, and run:", rung_version(),
                   *r->file ? ", from " : "", r->file);
    char *line = text_of("rung experiment run %s --db %s", *r->file ? r->file : "PLAN.ini", operand(args, 1));
    page_code(w->file, line);
    free(line);
    if (*r->plan) page_code(w->file, r->plan);
    page_paragraph(w->file, "This page was written by:");
    page_command_line(w->file, "experiment", args);
}

enum { SUMMARY, MEANS, RANKS, BOXES, ANSWERS, TIMES, FAILURES, REPEAT };

void report_html(FILE *file, store *db, const comparison *c, const arguments *args)
{
    static const page_section all[] = {{"summary", "What was found"},     {"means", "Means"},
                                       {"ranks", "Ranks and tests"},      {"boxes", "Spread over the partitions"},
                                       {"answers", "Answers and scores"}, {"times", "Time against error"},
                                       {"failures", "What failed"},       {"repeat", "How to repeat it"}};
    const results *r = c->r;
    page_section list[sizeof all / sizeof *all + 1];
    int n = 0;
    for (int i = SUMMARY; i <= REPEAT; i++)
        if ((i != FAILURES || r->failures) && (i != RANKS || c->k > 1)) list[n++] = all[i];
    list[n] = (page_section){0};
    writer w = {file, db, c, allocate((size_t)r->methods, sizeof *w.name)};
    for (int j = 0; j < r->methods; j++) w.name[j] = r->method[j].name;
    int waiting = r->planned - r->done - r->failures;
    char *title = *r->name ? text_of("Experiment %s", r->name) : text_of("An experiment");
    char *lead = text_of("%d data set%s, %d method%s; %d cells: %d done, %d failed, %d not yet", r->sets,
                         r->sets == 1 ? "" : "s", r->methods, r->methods == 1 ? "" : "s", r->planned, r->done,
                         r->failures, waiting);
    page_begin(file, title, lead, list);
    page_heading(file, &all[SUMMARY]);
    char *text;
    for (int i = 0; (text = comparison_sentence(c, i)); i++) {
        page_paragraph(file, "%s", text);
        free(text);
    }
    page_heading(file, &all[MEANS]);
    means_table(&w);
    if (c->k > 1) {
        page_heading(file, &all[RANKS]);
        if (c->tested)
            ranks_part(&w);
        else
            partition_table(&w);
    }
    page_heading(file, &all[BOXES]);
    boxes_part(&w);
    page_heading(file, &all[ANSWERS]);
    answers_part(&w);
    page_heading(file, &all[TIMES]);
    times_part(&w);
    if (r->failures) {
        page_heading(file, &all[FAILURES]);
        failures_part(&w);
    }
    page_heading(file, &all[REPEAT]);
    repeat_part(&w, args);
    page_end(file);
    free(title);
    free(lead);
    free(w.name);
}
