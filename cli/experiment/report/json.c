// SPDX-License-Identifier: BSD-3-Clause
#include <math.h>

#include "core/json_out.h"
#include "experiment/report/report.h"

static json_t *entry_json(const comparison *c, int set, int method)
{
    const results_entry *e = results_at(c->r, set, method);
    json_t *out = json_object();
    json_object_set_new(out, "method", jout_text(c->r->method[method].name));
    json_object_set_new(out, "planned", json_integer(e->planned));
    json_object_set_new(out, "done", json_integer(e->done));
    json_object_set_new(out, "failed", json_integer(e->failed));
    json_object_set_new(out, "mean", jout_number(e->mean));
    json_object_set_new(out, "sd", jout_number(e->sd));
    json_object_set_new(out, "rank", jout_number(report_rank(c, set, method)));
    json_object_set_new(out, "seconds", jout_number(e->done ? e->seconds : NAN));
    json_t *values = json_array();
    for (int p = 0; p < c->r->set[set].partitions; p++) json_array_append_new(values, jout_number(e->value[p]));
    json_object_set_new(out, "values", values);
    return out;
}

static json_t *duel_json(const duel *d)
{
    json_t *out = json_object();
    json_object_set_new(out, "win", json_integer(d->win));
    json_object_set_new(out, "draw", json_integer(d->draw));
    json_object_set_new(out, "loss", json_integer(d->loss));
    return out;
}

static json_t *tests_json(const comparison *c)
{
    const friedman_test *f = &c->friedman;
    json_t *out = json_object(), *friedman = json_object(), *rivals = json_array();
    json_object_set_new(friedman, "chi_square", jout_number(f->chi_square));
    json_object_set_new(friedman, "p", jout_number(f->chi_square_p));
    json_object_set_new(friedman, "f", jout_number(f->f));
    json_object_set_new(friedman, "df1", jout_number(f->df1));
    json_object_set_new(friedman, "df2", jout_number(f->df2));
    json_object_set_new(friedman, "f_p", jout_number(f->f_p));
    json_object_set_new(out, "datasets", json_integer(c->n));
    json_object_set_new(out, "alpha", jout_number(c->alpha));
    json_object_set_new(out, "friedman", friedman);
    json_object_set_new(out, "critical_difference", jout_number(c->critical));
    json_object_set_new(out, "control", jout_text(c->r->method[c->control].name));
    json_object_set_new(out, "control_chosen", json_boolean(c->chosen));
    for (int j = 0; j < c->k; j++) {
        const rival *v = &c->rival[j];
        if (j == c->control) continue;
        json_t *one = json_object();
        json_object_set_new(one, "method", jout_text(c->r->method[j].name));
        json_object_set_new(one, "p", jout_number(v->p));
        json_object_set_new(one, "holm", jout_number(v->adjusted));
        json_object_set_new(one, "nemenyi",
                            jout_number(statistics_nemenyi(c->n, c->k, c->mean_rank[j] - c->mean_rank[c->control])));
        json_object_set_new(one, "wilcoxon", jout_number(v->wilcoxon.p));
        json_object_set_new(one, "datasets", duel_json(&v->sets));
        json_object_set_new(one, "clear", duel_json(&v->clear));
        json_array_append_new(rivals, one);
    }
    json_object_set_new(out, "rivals", rivals);
    return out;
}

/* Of a single data set: over its partitions. */
static json_t *partition_tests_json(const comparison *c)
{
    json_t *out = json_object(), *rivals = json_array();
    json_object_set_new(out, "datasets", json_integer(1));
    json_object_set_new(out, "partitions", json_integer(c->paired[c->set[0]]));
    json_object_set_new(out, "alpha", jout_number(c->alpha));
    json_object_set_new(out, "control", jout_text(c->r->method[c->control].name));
    for (int j = 0; j < c->k; j++) {
        const rival *v = &c->rival[j];
        if (j == c->control) continue;
        double sign = c->r->larger_better ? 1 : -1; /* method minus control, as the metric is */
        json_t *one = json_object();
        json_object_set_new(one, "method", jout_text(c->r->method[j].name));
        json_object_set_new(one, "difference", jout_number(sign * v->t.mean));
        json_object_set_new(one, "t", jout_number(sign * v->t.t));
        json_object_set_new(one, "p_t", jout_number(v->t.p));
        json_object_set_new(one, "wilcoxon", jout_number(v->wilcoxon.p));
        json_array_append_new(rivals, one);
    }
    json_object_set_new(out, "rivals", rivals);
    return out;
}

void report_json(const comparison *c)
{
    const results *r = c->r;
    json_t *all = json_object(), *methods = json_array(), *sets = json_array(), *failures = json_array();
    for (int j = 0; j < r->methods; j++) {
        json_t *one = json_object();
        json_object_set_new(one, "name", jout_text(r->method[j].name));
        json_object_set_new(one, "method", *r->method[j].method ? jout_text(r->method[j].method) : json_null());
        json_object_set_new(one, "mean", jout_number(report_average(c, j)));
        json_object_set_new(one, "mean_rank", jout_number(c->n ? c->mean_rank[j] : NAN));
        json_array_append_new(methods, one);
    }
    for (int i = 0; i < r->sets; i++) {
        json_t *one = json_object(), *entries = json_array();
        json_object_set_new(one, "name", jout_text(r->set[i].name));
        for (int j = 0; j < r->methods; j++) json_array_append_new(entries, entry_json(c, i, j));
        json_object_set_new(one, "paired", json_integer(c->paired[i]));
        json_object_set_new(one, "results", entries);
        json_array_append_new(sets, one);
    }
    for (int i = 0; i < r->failures; i++) {
        json_t *one = json_object();
        json_object_set_new(one, "dataset", jout_text(r->failure[i].set));
        json_object_set_new(one, "partition", json_integer(r->failure[i].partition));
        json_object_set_new(one, "method", jout_text(r->failure[i].method));
        json_object_set_new(one, "message", jout_text(r->failure[i].message));
        json_array_append_new(failures, one);
    }
    json_object_set_new(all, "name", jout_text(r->name));
    json_object_set_new(all, "metric", jout_text(r->metric));
    json_object_set_new(all, "part", jout_text(r->part));
    json_object_set_new(all, "planned", json_integer(r->planned));
    json_object_set_new(all, "done", json_integer(r->done));
    json_object_set_new(all, "failed", json_integer(r->failures));
    json_object_set_new(all, "methods", methods);
    json_object_set_new(all, "datasets", sets);
    json_object_set_new(all, "tests",
                        c->tested                     ? tests_json(c)
                        : comparison_by_partitions(c) ? partition_tests_json(c)
                                                      : json_null());
    json_object_set_new(all, "failures", failures);
    jout_print(all);
}
