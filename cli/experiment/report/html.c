// SPDX-License-Identifier: BSD-3-Clause
/* The page of an experiment. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/report/html.h"

/* ---- the table of means ---- */

static void means_cell(const html_writer *w, int set, int method)
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

static void means_table(const html_writer *w)
{
    const comparison *c = w->c;
    const results *r = c->r;
    const char **head = allocate((size_t)r->methods + 1, sizeof *head);
    head[0] = "Data set";
    for (int j = 0; j < r->methods; j++) head[j + 1] = w->name[j];
    char *caption =
        text_of("%s on the %s rows, mean ± standard deviation over the partitions; best in bold (%s is better)",
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

static void rivals_table(const html_writer *w)
{
    static const char *const head[] = {"Method",  "Mean rank",   "p",         "p after Holm", "Better / equal / worse",
                                       "Clearly", "p, Wilcoxon", "p, Nemenyi"};
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
        "p: probability that mean ranks this far apart arise by chance, for one comparison, and after Holm's "
        "correction for all of them. Better / equal / worse: number of data sets on which %s is so, by the means; "
        "clearly: according to a paired t test over the partitions (partitions share rows, so read it as a "
        "description). Wilcoxon: the signed-rank test over the data sets. Nemenyi: corrected for all pairs of methods.",
        w->name[c->control]);
    free(caption);
}

static void partition_table(const html_writer *w)
{
    static const char *const head[] = {"Method", "Difference", "t", "p, t", "p, Wilcoxon"};
    const comparison *c = w->c;
    if (!comparison_by_partitions(c)) return;
    char *caption =
        text_of("%s against each of the others, over %d partitions", w->name[c->control], c->paired[c->set[0]]);
    page_table_begin(w->file, &(page_table){caption, sizeof head / sizeof *head, head, 0, true});
    for (int i = 0; i < c->k; i++) {
        int j = c->order[i];
        const rival *v = &c->rival[j];
        if (j == c->control) continue;
        page_row(w->file, w->name[j]);
        page_number(w->file, c->r->larger_better ? v->t.mean : -v->t.mean, 4, NULL, false);
        page_number(w->file, c->r->larger_better ? v->t.t : -v->t.t, 2, NULL, false);
        p_cell(w->file, v->t.p, v->t.p <= c->alpha);
        p_cell(w->file, v->wilcoxon.p, false);
    }
    page_table_end(w->file);
    free(caption);
}

static void ranks_part(const html_writer *w)
{
    const comparison *c = w->c;
    char *detail =
        text_of("Mean ranks of %d methods on %d data sets; the numbers are in the table of means.", c->k, c->n);
    char *title = text_of("Mean ranks by %s", c->r->metric);
    figure f = {.kind = FIGURE_RANKS,
                .title = title,
                .detail = detail,
                .of.ranks = {title, c->k, c->n, w->name, c->mean_rank, c->alpha}};
    page_figure(w->file, &f,
                "The best method is on the left. A bar joins methods that the Nemenyi test does not distinguish: their "
                "mean ranks differ by less than the critical difference.");
    rivals_table(w);
    free(detail);
    free(title);
}

/* ---- the rest ---- */

static void failures_part(const html_writer *w)
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

static void repeat_part(const html_writer *w, const arguments *args)
{
    const results *r = w->c->r;
    page_paragraph(w->file, "rung %s. To repeat the experiment, save its plan%s%s to a file and run:", rung_version(),
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
    static const page_section all[] = {{"summary", "Results"},
                                       {"means", "Means"},
                                       {"ranks", "Ranks and tests"},
                                       {"boxes", "Variation over the partitions"},
                                       {"answers", "Predictions and scores"},
                                       {"times", "Time against error"},
                                       {"failures", "Failed cells"},
                                       {"repeat", "How to repeat this"}};
    const results *r = c->r;
    page_section list[sizeof all / sizeof *all + 1];
    int n = 0;
    for (int i = SUMMARY; i <= REPEAT; i++)
        if ((i != FAILURES || r->failures) && (i != RANKS || c->k > 1)) list[n++] = all[i];
    list[n] = (page_section){0};
    html_writer w = {file, db, c, allocate((size_t)r->methods, sizeof *w.name)};
    for (int j = 0; j < r->methods; j++) w.name[j] = r->method[j].name;
    int waiting = r->planned - r->done - r->failures;
    char *title = *r->name ? text_of("Experiment %s", r->name) : text_of("An experiment");
    char *lead = text_of("%d data set%s, %d method%s; %d cells: %d done, %d failed, %d pending", r->sets,
                         plural(r->sets), r->methods, plural(r->methods), r->planned, r->done, r->failures, waiting);
    page_begin(file, title, NULL, lead, list);
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
    html_boxes(&w);
    page_heading(file, &all[ANSWERS]);
    html_answers(&w);
    page_heading(file, &all[TIMES]);
    html_times(&w);
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
