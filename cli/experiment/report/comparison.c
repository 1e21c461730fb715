// SPDX-License-Identifier: BSD-3-Clause
#include "experiment/report/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"

/* The values of one method on the partitions that count; out has room for all. Larger is worse. */
static int paired_values(const results *r, int set, int method, double *out)
{
    int n = 0;
    for (int p = 0; p < r->set[set].partitions; p++) {
        bool all = true;
        for (int j = 0; j < r->methods; j++) all = all && !isnan(results_at(r, set, j)->value[p]);
        double value = results_at(r, set, method)->value[p];
        if (all) out[n++] = r->larger_better ? -value : value;
    }
    return n;
}

static void collect_means(comparison *c)
{
    const results *r = c->r;
    for (int i = 0; i < r->sets; i++) {
        double *value = allocate((size_t)r->set[i].partitions, sizeof *value);
        for (int j = 0; j < c->k; j++) {
            c->paired[i] = paired_values(r, i, j, value);
            if (c->paired[i]) c->mean[c->n * c->k + j] = statistics_mean(c->paired[i], value);
        }
        if (c->k && c->paired[i]) c->set[c->n++] = i;
        free(value);
    }
}

static void sort_by_rank(comparison *c)
{
    for (int j = 0; j < c->k; j++) { /* insertion: equal ones keep the order of the plan */
        int at = j;
        while (at > 0 && c->mean_rank[c->order[at - 1]] > c->mean_rank[j]) {
            c->order[at] = c->order[at - 1];
            at--;
        }
        c->order[at] = j;
    }
}

int rank_groups(int k, const double *mean_rank, const int *order, double critical, rank_group *out)
{
    int groups = 0, reached = 0;
    for (int first = 0; first < k; first++) {
        int last = first;
        while (last + 1 < k && mean_rank[order[last + 1]] - mean_rank[order[first]] <= critical) last++;
        if (last > first && last > reached) out[groups++] = (rank_group){first, reached = last};
    }
    return groups;
}

/* Paired t tests over the partitions, one data set after the other. */
static void compare_by_partitions(comparison *c, int method, rival *out)
{
    for (int i = 0; i < c->n; i++) {
        int set = c->set[i], all = c->r->set[set].partitions;
        double *a = allocate((size_t)all, sizeof *a), *b = allocate((size_t)all, sizeof *b);
        int n = paired_values(c->r, set, c->control, a);
        paired_values(c->r, set, method, b);
        if (n >= 2) {
            paired_t_test t = statistics_paired_t(n, a, b);
            ++*(t.p > c->alpha ? &out->clear.draw : t.mean < 0 ? &out->clear.win : &out->clear.loss);
            if (c->n == 1) {
                out->t = t;
                out->wilcoxon = statistics_wilcoxon(n, a, b);
            }
        }
        free(a);
        free(b);
    }
}

static void compare_rivals(comparison *c)
{
    double *a = allocate((size_t)c->n, sizeof *a), *b = allocate((size_t)c->n, sizeof *b);
    double *p = allocate((size_t)c->k, sizeof *p), *adjusted = allocate((size_t)c->k, sizeof *adjusted);
    int m = 0;
    for (int j = 0; j < c->k; j++) {
        rival *v = &c->rival[j];
        v->p = v->adjusted = v->wilcoxon.p = 1;
        if (j == c->control) continue;
        for (int i = 0; i < c->n; i++) a[i] = c->mean[i * c->k + c->control], b[i] = c->mean[i * c->k + j];
        v->sets = statistics_duel(c->n, a, b);
        if (c->tested) {
            v->p = p[m++] = statistics_rank_p(c->n, c->k, c->mean_rank[j] - c->mean_rank[c->control]);
            v->wilcoxon = statistics_wilcoxon(c->n, a, b);
        }
        compare_by_partitions(c, j, v);
    }
    statistics_holm(m, p, adjusted);
    for (int j = 0, at = 0; j < c->k && m; j++)
        if (j != c->control) c->rival[j].adjusted = adjusted[at++];
    free(a);
    free(b);
    free(p);
    free(adjusted);
}

comparison comparison_new(const results *r, double alpha, int control)
{
    size_t sets = (size_t)r->sets, k = (size_t)r->methods;
    comparison c = {.r = r,
                    .alpha = alpha,
                    .k = r->methods,
                    .set = allocate(sets, sizeof *c.set),
                    .paired = allocate(sets, sizeof *c.paired),
                    .mean = allocate(sets * k, sizeof *c.mean),
                    .rank = allocate(sets * k, sizeof *c.rank),
                    .mean_rank = allocate(k, sizeof *c.mean_rank),
                    .order = allocate(k, sizeof *c.order),
                    .group = allocate(k, sizeof *c.group),
                    .rival = allocate(k, sizeof *c.rival)};
    collect_means(&c);
    for (int i = 0; i < c.n; i++) statistics_ranks(c.k, c.mean + i * c.k, c.rank + i * c.k);
    c.tested = c.n >= 2 && c.k >= 2;
    if (c.tested) {
        c.friedman = statistics_friedman(c.n, c.k, c.mean, c.mean_rank);
        c.critical = statistics_critical_difference(c.n, c.k, alpha);
    } else if (c.n) {
        memcpy(c.mean_rank, c.rank, k * sizeof *c.rank);
    }
    sort_by_rank(&c);
    if (c.tested) c.groups = rank_groups(c.k, c.mean_rank, c.order, c.critical, c.group);
    c.chosen = control < 0;
    c.control = control >= 0 ? control : c.k ? c.order[0] : 0;
    compare_rivals(&c);
    return c;
}

bool comparison_by_partitions(const comparison *c) { return c->n == 1 && c->k > 1 && c->paired[c->set[0]] > 1; }

void comparison_free(comparison *c)
{
    free(c->set);
    free(c->paired);
    free(c->mean);
    free(c->rank);
    free(c->mean_rank);
    free(c->order);
    free(c->group);
    free(c->rival);
    *c = (comparison){0};
}
