// SPDX-License-Identifier: BSD-3-Clause
/* Tidy tables: one row per thing, one column per fact. Empty cells: there is no such number. */
#include <math.h>

#include "core/output.h"
#include "experiment/report/report.h"

static void number(FILE *file, double x)
{
    fputc(',', file);
    if (!isnan(x)) fputs(number_of(x).text, file);
}

static void names(FILE *file, const results *r, int set, int method)
{
    csv_cell(file, r->set[set].name);
    fputc(',', file);
    csv_cell(file, r->method[method].name);
}

void report_csv_means(FILE *file, const comparison *c)
{
    const results *r = c->r;
    fputs("dataset,method,metric,part,planned,done,failed,mean,sd,rank,search_seconds,fit_seconds\n", file);
    for (int i = 0; i < r->sets; i++)
        for (int j = 0; j < r->methods; j++) {
            const results_entry *e = results_at(r, i, j);
            if (e->planned == 0) continue;
            names(file, r, i, j);
            fprintf(file, ",%s,%s,%d,%d,%d", r->metric, r->part, e->planned, e->done, e->failed);
            number(file, e->mean);
            number(file, e->sd);
            number(file, report_rank(c, i, j));
            number(file, e->done ? e->search : NAN);
            number(file, e->done ? e->fit : NAN);
            fputc('\n', file);
        }
}

void report_csv_cells(FILE *file, const comparison *c)
{
    const results *r = c->r;
    fputs("dataset,method,partition,metric,part,value\n", file);
    for (int i = 0; i < r->sets; i++)
        for (int j = 0; j < r->methods; j++) {
            const results_entry *e = results_at(r, i, j);
            for (int p = 0; p < r->set[i].partitions; p++) {
                if (!e->cell[p]) continue;
                names(file, r, i, j);
                fprintf(file, ",%d,%s,%s", r->set[i].partition[p], r->metric, r->part);
                number(file, e->value[p]);
                fputc('\n', file);
            }
        }
}

/* Of a single data set, over its partitions; the sign is that of method minus control. */
static void partition_tests(FILE *file, const comparison *c, int method)
{
    const rival *v = &c->rival[method];
    int n = c->paired[c->set[0]];
    for (int kind = 0; kind < 2; kind++) {
        fputs(kind ? "wilcoxon," : "paired-t,", file);
        csv_cell(file, c->r->method[method].name);
        fputc(',', file);
        csv_cell(file, c->r->method[c->control].name);
        fprintf(file, ",%d,%d", kind ? v->wilcoxon.n : n, c->k);
        number(file, kind ? fmin(v->wilcoxon.plus, v->wilcoxon.minus) : c->r->larger_better ? v->t.t : -v->t.t);
        number(file, kind ? NAN : v->t.df);
        fputc(',', file);
        number(file, kind ? v->wilcoxon.p : v->t.p);
        fputs(",,,,\n", file);
    }
}

void report_csv_tests(FILE *file, const comparison *c)
{
    const friedman_test *t = &c->friedman;
    fputs("test,method,control,n,k,statistic,df1,df2,p,adjusted,win,draw,loss\n", file);
    for (int j = 0; comparison_by_partitions(c) && j < c->k; j++)
        if (j != c->control) partition_tests(file, c, j);
    if (!c->tested) return;
    fprintf(file, "friedman,,,%d,%d,%s,%g,,", c->n, c->k, number_of(t->chi_square).text, t->df1);
    fprintf(file, "%s,,,,\n", number_of(t->chi_square_p).text);
    fprintf(file, "iman-davenport,,,%d,%d,%s,%g,%g,", c->n, c->k, number_of(t->f).text, t->df1, t->df2);
    fprintf(file, "%s,,,,\n", number_of(t->f_p).text);
    fprintf(file, "nemenyi-critical-difference,,,%d,%d,%s,,,%g,,,,\n", c->n, c->k, number_of(c->critical).text,
            c->alpha);
    for (int j = 0; j < c->k; j++) {
        fputs("mean-rank,", file);
        csv_cell(file, c->r->method[j].name);
        fprintf(file, ",,%d,%d,%s,,,,,,,\n", c->n, c->k, number_of(c->mean_rank[j]).text);
    }
    for (int j = 0; j < c->k; j++) {
        const rival *v = &c->rival[j];
        if (j == c->control) continue;
        for (int kind = 0; kind < 2; kind++) {
            fputs(kind ? "wilcoxon," : "holm,", file);
            csv_cell(file, c->r->method[j].name);
            fputc(',', file);
            csv_cell(file, c->r->method[c->control].name);
            fprintf(file, ",%d,%d", kind ? v->wilcoxon.n : c->n, c->k);
            number(file, kind ? fmin(v->wilcoxon.plus, v->wilcoxon.minus) : c->mean_rank[j] - c->mean_rank[c->control]);
            fputs(",,", file);
            number(file, kind ? v->wilcoxon.p : v->p);
            number(file, kind ? NAN : v->adjusted);
            fprintf(file, ",%d,%d,%d\n", v->sets.win, v->sets.draw, v->sets.loss);
        }
    }
}
