// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/output.h"
#include "experiment/report/report.h"

static void add_entry(sheet *t, const comparison *c, int set, int method)
{
    const results_entry *e = results_at(c->r, set, method);
    char part[40] = "";
    if (e->values == 0) {
        sheet_add(t, "%s", e->failed ? "failed" : e->done ? "undefined" : e->planned ? "waiting" : "-");
        return;
    }
    if (e->values < e->planned) snprintf(part, sizeof part, " %d/%d", e->values, e->planned);
    char spread[32] = "";
    if (!isnan(e->sd)) snprintf(spread, sizeof spread, " ±%.3f", e->sd);
    sheet_add(t, "%s%.3f%s%s", report_best(c, set, method) ? "*" : "", e->mean, spread, part);
}

static void head(sheet *t, const char *first, const char *const *rest)
{
    sheet_add(t, "%s", first);
    for (; *rest; rest++) sheet_add(t, "%s", *rest);
}

static void print_means(FILE *file, const comparison *c)
{
    const results *r = c->r;
    char *align = allocate((size_t)r->methods + 2, 1);
    memset(align, 'r', (size_t)r->methods + 1);
    align[0] = 'l';
    sheet t = sheet_new(align);
    sheet_add(&t, "data set");
    for (int j = 0; j < r->methods; j++) sheet_add(&t, "%s", r->method[j].name);
    for (int i = 0; i < r->sets; i++) {
        if (r->set[i].partitions == 0) continue;
        sheet_add(&t, "%s", r->set[i].name);
        for (int j = 0; j < r->methods; j++) add_entry(&t, c, i, j);
    }
    if (c->n > 1) {
        sheet_add(&t, "mean of %d", c->n);
        for (int j = 0; j < r->methods; j++) sheet_add_number(&t, report_average(c, j), 3);
    }
    if (c->n) {
        sheet_add(&t, "mean rank");
        for (int j = 0; j < r->methods; j++) sheet_add(&t, "%.3f", c->mean_rank[j]);
        sheet_add(&t, "best on");
        for (int j = 0; j < r->methods; j++) sheet_add(&t, "%d", report_wins(c, j));
    }
    sheet_print(&t, file, "");
    free(align);
}

static void add_duel(sheet *t, const duel *d)
{
    if (d->win + d->draw + d->loss)
        sheet_add(t, "%d/%d/%d", d->win, d->draw, d->loss);
    else
        sheet_add(t, "-");
}

static void print_rivals(FILE *file, const comparison *c)
{
    const char *name = c->r->method[c->control].name;
    if (c->tested) {
        say(file, "\n%s against each of the others:\n\n", name);
        sheet t = sheet_new("lrrrrrr");
        head(&t, "method", (const char *const[]){"mean rank", "p", "Holm", "W/D/L", "clear", "Wilcoxon", NULL});
        for (int i = 0; i < c->k; i++) {
            int j = c->order[i];
            const rival *v = &c->rival[j];
            if (j == c->control) continue;
            sheet_add(&t, "%s", c->r->method[j].name);
            sheet_add(&t, "%.3f", c->mean_rank[j]);
            sheet_add(&t, "%s", p_of(v->p, "").text);
            sheet_add(&t, "%s%s", p_of(v->adjusted, "").text, v->adjusted <= c->alpha ? " !" : "  ");
            add_duel(&t, &v->sets);
            add_duel(&t, &v->clear);
            sheet_add(&t, "%s", p_of(v->wilcoxon.p, "").text);
        }
        sheet_print(&t, file, "");
        char *key = text_of("p-values of the mean ranks, before and after Holm's correction (! differs at level %g). "
                            "W/D/L: data sets on which %s is better, equal, worse; clear: according to a paired t test "
                            "over the partitions. Wilcoxon: p-value of the signed-rank test over the data sets.",
                            c->alpha, name);
        fputc('\n', file);
        wrap_text(file, key, 0, 0);
        free(key);
    } else if (comparison_by_partitions(c)) {
        say(file, "\n%s against each of the others, over %d partitions:\n\n", name, c->paired[c->set[0]]);
        sheet t = sheet_new("lrrrr");
        head(&t, "method", (const char *const[]){"difference", "t", "p, t", "p, Wilcoxon", NULL});
        for (int i = 0; i < c->k; i++) {
            int j = c->order[i];
            const rival *v = &c->rival[j];
            if (j == c->control) continue;
            sheet_add(&t, "%s", c->r->method[j].name);
            sheet_add(&t, "%+.4f", c->r->larger_better ? v->t.mean : -v->t.mean);
            sheet_add(&t, "%.2f", c->r->larger_better ? v->t.t : -v->t.t);
            sheet_add(&t, "%s", p_of(v->t.p, "").text);
            sheet_add(&t, "%s", p_of(v->wilcoxon.p, "").text);
        }
        sheet_print(&t, file, "");
    }
}

static void print_failures(FILE *file, const results *r)
{
    enum { SHOWN = 20 };
    if (r->failures == 0) return;
    say(file, "\n%d cell%s failed:\n", r->failures, plural(r->failures));
    for (int i = 0; i < r->failures && i < SHOWN; i++)
        say(file, "  %s, partition %d, %s: %s\n", r->failure[i].set, r->failure[i].partition, r->failure[i].method,
            r->failure[i].message);
    if (r->failures > SHOWN)
        say(file, "  ... and %d more: the view `failure` of the file has them all\n", r->failures - SHOWN);
}

void report_text(FILE *file, const comparison *c)
{
    const results *r = c->r;
    int waiting = r->planned - r->done - r->failures;
    say(file, "%s%s%d cells: %d done", r->name, *r->name ? ": " : "", r->planned, r->done);
    if (r->failures) say(file, ", %d failed", r->failures);
    if (waiting) say(file, ", %d pending", waiting);
    say(file, ".\n%s on the %s rows, mean ±standard deviation over partitions; %s is better, * best\n\n", r->metric,
        r->part, r->larger_better ? "larger" : "smaller");
    print_means(file, c);
    say(file, "\n");
    char *text;
    for (int i = 0; (text = comparison_sentence(c, i)); i++) {
        wrap_text(file, text, 0, 0);
        free(text);
    }
    print_rivals(file, c);
    print_failures(file, r);
}
