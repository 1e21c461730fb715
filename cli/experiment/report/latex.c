// SPDX-License-Identifier: BSD-3-Clause
/* Two tables for a paper, in the form of the field: means and standard deviations with the best bold and the second in
 * italics, ranks below; and the comparison with a control. They need \usepackage{booktabs}. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/output.h"
#include "experiment/report/report.h"

static void entry(FILE *file, const comparison *c, int set, int method)
{
    const results_entry *e = results_at(c->r, set, method);
    int better = report_better(c, set, method);
    if (e->values == 0) {
        fputs(e->failed ? " & failed" : " & --", file);
        return;
    }
    const char *style = better == 0 ? "\\mathbf" : better == 1 ? "\\mathit" : "";
    fprintf(file, " & $%s{%.3f}", style, e->mean);
    if (!isnan(e->sd)) fprintf(file, " \\pm %.3f", e->sd);
    if (e->values < e->planned) fprintf(file, "^{%d/%d}", e->values, e->planned);
    fputs("$", file);
}

static void begin(FILE *file, const char *columns, int count, const char *column)
{
    fprintf(file, "\\begin{tabular}{%s", columns);
    for (int i = 0; i < count; i++) fputs(column, file);
    fputs("}\n\\toprule\n", file);
}

static void p_value(FILE *file, double p)
{
    if (p < 0.0001)
        fputs("$p < 0.0001$", file);
    else
        fprintf(file, "$p = %.4f$", p);
}

/* The tests over the data sets, as a caption states them. */
static void tests(FILE *file, const comparison *c)
{
    const friedman_test *t = &c->friedman;
    fprintf(file, " Friedman test over %d data sets: $\\chi^2_{%g} = %.2f$, ", c->n, t->df1, t->chi_square);
    p_value(file, t->chi_square_p);
    if (isinf(t->f))
        fputs("; all data sets rank the methods alike, ", file);
    else
        fprintf(file, "; Iman--Davenport $F_{%g,%g} = %.2f$, ", t->df1, t->df2, t->f);
    p_value(file, t->f_p);
    fprintf(file, ". Critical difference of mean ranks (Nemenyi test, level %g): %.3f.", c->alpha, c->critical);
}

static void means(FILE *file, const comparison *c)
{
    const results *r = c->r;
    fputs("\\begin{table}\n\\centering\n", file);
    begin(file, "l", r->methods, "r");
    fputs("Data set", file);
    for (int j = 0; j < r->methods; j++) {
        fputs(" & ", file);
        latex_escaped(file, r->method[j].name);
    }
    fputs(" \\\\\n\\midrule\n", file);
    for (int i = 0; i < r->sets; i++) {
        if (r->set[i].partitions == 0) continue;
        latex_escaped(file, r->set[i].name);
        for (int j = 0; j < r->methods; j++) entry(file, c, i, j);
        fputs(" \\\\\n", file);
    }
    if (c->n) {
        fputs("\\midrule\nAverage", file);
        for (int j = 0; j < r->methods; j++) fprintf(file, " & %.3f", report_average(c, j));
        fputs(" \\\\\nMean rank", file);
        for (int j = 0; j < r->methods; j++) fprintf(file, " & %.3f", c->mean_rank[j]);
        fputs(" \\\\\n", file);
    }
    fputs("\\bottomrule\n\\end{tabular}\n\\caption{\\textsc{", file);
    latex_escaped(file, r->metric);
    fprintf(file,
            "} on the %s rows, mean and standard deviation over the partitions; the best method on each data set in "
            "bold, the second best in italics.",
            r->part);
    bool all = c->n == r->sets;
    for (int i = 0; i < r->sets; i++) all = all && c->paired[i] == r->set[i].partitions;
    if (c->n && !all) fputs(" Averages, ranks and tests use the partitions that all methods finished.", file);
    if (c->tested) tests(file, c);
    fputs("}\n\\end{table}\n", file);
}

static void rivals(FILE *file, const comparison *c)
{
    const char *control = c->r->method[c->control].name;
    int m = 0;
    fputs("\n\\begin{table}\n\\centering\n", file);
    begin(file, "rlrrrrr", 0, "");
    fputs("$i$ & Method & $p_i$ & $\\alpha_i$ & Holm $p$ & Wilcoxon $p$ & W/D/L \\\\\n\\midrule\n", file);
    bool *told = allocate((size_t)c->k, sizeof *told);
    told[c->control] = true;
    for (int i = 1; i < c->k; i++) { /* by growing p: the order in which Holm's procedure goes */
        int next = -1;
        for (int j = 0; j < c->k; j++)
            if (!told[j] && (next < 0 || c->rival[j].p < c->rival[next].p)) next = j;
        const rival *v = &c->rival[next];
        told[next] = true;
        fprintf(file, "%d & ", ++m);
        latex_escaped(file, c->r->method[next].name);
        fprintf(file, " & %.5f & %.5f & %.5f & %.5f & %d/%d/%d \\\\\n", v->p, c->alpha / (c->k - i), v->adjusted,
                v->wilcoxon.p, v->sets.win, v->sets.draw, v->sets.loss);
    }
    free(told);
    fputs("\\bottomrule\n\\end{tabular}\n\\caption{Holm test with ", file);
    latex_escaped(file, control);
    fputs(" as control: $p_i$ of the mean ranks, the level $\\alpha_i$ it is compared with, and wins, draws, losses of "
          "the control.",
          file);
    if (c->chosen) fputs(" The control was chosen by these ranks, so the $p_i$ are too small.", file);
    fputs("}\n\\end{table}\n", file);
}

void report_latex(FILE *file, const comparison *c)
{
    means(file, c);
    if (c->tested) rivals(file, c);
}
