// SPDX-License-Identifier: BSD-3-Clause
/* A comparison in sentences, for readers who do not know these tests. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/common.h"
#include "experiment/report/comparison.h"

p_text p_of(double p, const char *equals)
{
    p_text out;
    if (p < 0.0001)
        snprintf(out.text, sizeof out.text, "%.*s< 0.0001", *equals ? 2 : 0, "p ");
    else
        snprintf(out.text, sizeof out.text, "%s%.4f", equals, p);
    return out;
}

enum { FEW = 4 }; /* names are listed up to this number */

static const char *name(const comparison *c, int method) { return c->r->method[method].name; }

/* text is freed; separator "" before the first. */
static char *join(char *text, const char *separator, const char *more)
{
    char *both = text_of("%s%s%s", text, *text ? separator : "", more);
    free(text);
    return both;
}

static char *what_counts(const comparison *c)
{
    int partitions = 0, fewer = 0;
    for (int i = 0; i < c->r->sets; i++) {
        partitions += c->paired[i];
        fewer += c->paired[i] < c->r->set[i].partitions;
    }
    char *more = fewer ? text_of(" %d data set%s not finished by all methods on all partitions: only partitions that "
                                 "all methods finished count.",
                                 fewer, fewer == 1 ? " is" : "s are")
                       : text_of("%s", "");
    char *text = text_of(
        "The means over data sets, the ranks and the tests are based on %d of %d data set%s and %d partition%s.%s",
        c->n, c->r->sets, plural(c->r->sets), partitions, plural(partitions), more);
    free(more);
    return text;
}

static char *who_is_best(const comparison *c)
{
    char *text = text_of("By mean rank, best first:");
    for (int i = 0; i < c->k; i++) {
        char *one = text_of("%s (%.3f)", name(c, c->order[i]), c->mean_rank[c->order[i]]);
        text = join(text, i ? ", " : " ", one);
        free(one);
    }
    return join(text, "", ".");
}

static char *friedman_words(const comparison *c)
{
    const friedman_test *t = &c->friedman;
    char *start = text_of("Friedman test: do the methods differ? %s",
                          t->f_p <= c->alpha ? "Yes, significantly" : "Not significantly");
    char *chi = text_of("chi-square %.2f with %g degree%s of freedom, %s", t->chi_square, t->df1,
                        t->df1 == 1 ? "" : "s", p_of(t->chi_square_p, "p = ").text);
    char *text = isinf(t->f) ? text_of("%s (all data sets give the same ranking, which happens by chance with %s; %s).",
                                       start, p_of(t->f_p, "p = ").text, chi)
                             : text_of("%s (%s; Iman-Davenport F %.2f with %g and %g, %s).", start, chi, t->f, t->df1,
                                       t->df2, p_of(t->f_p, "p = ").text);
    free(start);
    free(chi);
    return text;
}

static char *nemenyi_words(const comparison *c)
{
    char *text = text_of("Nemenyi test, all pairs: two methods differ at level %g if their mean ranks are more than "
                         "%.3f apart (the critical difference).",
                         c->alpha, c->critical);
    if (c->groups == 0) return join(text, " ", "All methods differ.");
    if (c->group[0].first == 0 && c->group[0].last == c->k - 1) return join(text, " ", "No two methods differ.");
    text = join(text, " ", "Not distinguished:");
    for (int g = 0; g < c->groups; g++) {
        const rank_group *group = &c->group[g];
        int members = group->last - group->first + 1;
        if (members > FEW) { /* they are consecutive by mean rank, so the two ends suffice */
            char *range = text_of("%s to %s (%d methods)", name(c, c->order[group->first]),
                                  name(c, c->order[group->last]), members);
            text = join(text, g ? "; " : " ", range);
            free(range);
            continue;
        }
        for (int i = group->first; i <= group->last; i++)
            text = join(text, i > group->first ? ", " : g ? "; " : " ", name(c, c->order[i]));
    }
    return join(text, "", ".");
}

static char *holm_words(const comparison *c)
{
    char *better = text_of("%s", ""), *worse = text_of("%s", "");
    int found = 0;
    for (int i = 0; i < c->k; i++) {
        int j = c->order[i];
        if (j == c->control || c->rival[j].adjusted > c->alpha) continue;
        bool above = c->mean_rank[j] > c->mean_rank[c->control];
        *(above ? &better : &worse) = join(above ? better : worse, ", ", name(c, j));
        found++;
    }
    char *text = text_of("Holm test, %s against each of the others: %s%s%s%s%s.", name(c, c->control),
                         found ? "" : "no difference at this level", *better ? "better than " : "", better,
                         *better && *worse ? "; worse than "
                         : *worse          ? "worse than "
                                           : "",
                         worse);
    free(better);
    free(worse);
    if (!c->chosen) return text;
    char *caution =
        text_of("%s was chosen for its mean rank, so these p-values are too small; --control names a method "
                "beforehand.",
                name(c, c->control));
    text = join(text, " ", caution);
    free(caution);
    return text;
}

static char *no_tests(const comparison *c)
{
    if (c->k < 2) return text_of("There is only one method: nothing to compare.");
    if (c->n == 0)
        return text_of(
            "No partition was finished by all methods, so they cannot be ranked; --methods selects some of them.");
    char *how_many = c->r->sets == 1
                         ? text_of("There is only one data set")
                         : text_of("All methods have finished only one of %d data sets, at least in part", c->r->sets);
    char *text =
        text_of("%s: too few for tests over data sets. %s", how_many,
                c->paired[c->set[0]] < 2
                    ? "It has only one usable partition, so there is nothing to test."
                    : "The tests below are over its partitions, which share rows, so their p-values are too small.");
    free(how_many);
    return text;
}

char *comparison_sentence(const comparison *c, int index)
{
    static char *(*const say[])(const comparison *) = {what_counts, who_is_best, friedman_words, nemenyi_words,
                                                       holm_words};
    if (!c->tested) return index == 0 ? no_tests(c) : NULL;
    return index < 5 ? say[index](c) : NULL;
}
