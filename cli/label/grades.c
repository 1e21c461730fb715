// SPDX-License-Identifier: BSD-3-Clause
#include "label/grades.h"

#include <math.h>
#include <stdlib.h>

grade grade_by(const journal *j, int grader, int64_t row)
{
    for (int64_t i = j->last[row]; i >= 0; i = j->entry[i].before) {
        const journal_entry *e = &j->entry[i];
        if (e->undone || e->grader != grader) continue;
        if (e->what == DID_GRADE) return (grade){GRADED, e->low, e->high};
        if (e->what == DID_SKIP) return (grade){SKIPPED, 0, 0};
    }
    return (grade){OPEN, 0, 0};
}

static const journal_entry *settled(const journal *j, int64_t row)
{
    for (int64_t i = j->last[row]; i >= 0; i = j->entry[i].before)
        if (j->entry[i].what == DID_SETTLE && !j->entry[i].undone) return &j->entry[i];
    return NULL;
}

bool is_settled(const journal *j, int64_t row) { return settled(j, row) != NULL; }

typedef struct {
    int grader;
    int64_t entry;
    int low, high;
} row_grade;

static int by_grader(const void *a, const void *b) /* the last entry first */
{
    const row_grade *x = a, *y = b;
    return x->grader != y->grader ? (x->grader > y->grader) - (x->grader < y->grader)
                                  : (x->entry < y->entry) - (x->entry > y->entry);
}

/* The grade of each grader who graded the row, by their number; to be freed. The work is that of the entries about the
 * row, however many graders there are. */
static row_grade *grades_of(const journal *j, int64_t row, int *n)
{
    int64_t entries = 0, all = 0;
    for (int64_t i = j->last[row]; i >= 0; i = j->entry[i].before) entries++;
    row_grade *found = allocate((size_t)entries, sizeof *found);
    for (int64_t i = j->last[row]; i >= 0; i = j->entry[i].before) {
        const journal_entry *e = &j->entry[i];
        if (!e->undone && (e->what == DID_GRADE || e->what == DID_SKIP))
            found[all++] = (row_grade){e->grader, i, e->low, e->high};
    }
    qsort(found, (size_t)all, sizeof *found, by_grader);
    *n = 0;
    for (int64_t i = 0; i < all; i++)
        if ((i == 0 || found[i].grader != found[i - 1].grader) && j->entry[found[i].entry].what == DID_GRADE)
            found[(*n)++] = found[i];
    return found;
}

static int compare_ranks(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

grade label_of(const journal *j, int64_t row)
{
    const journal_entry *final = settled(j, row);
    int n = 0, given = j->of->given[row];
    if (final) return (grade){GRADED, final->low, final->high};
    int upper = j->of->given_upper[row];
    if (j->last[row] < 0) return (grade){given ? GRADED : OPEN, given, upper};
    row_grade *each = grades_of(j, row, &n);
    int *low = allocate((size_t)n, sizeof *low), *high = allocate((size_t)n, sizeof *high);
    for (int k = 0; k < n; k++) low[k] = each[k].low, high[k] = each[k].high;
    qsort(low, (size_t)n, sizeof *low, compare_ranks);
    qsort(high, (size_t)n, sizeof *high, compare_ranks);
    grade found = n ? (grade){GRADED, low[(n - 1) / 2], high[n / 2]} : (grade){given ? GRADED : OPEN, given, upper};
    free(each);
    free(low);
    free(high);
    return found;
}

how_chosen how_shown(const journal *j, int64_t row)
{
    how_chosen first = HOW_OTHER;
    for (int64_t i = j->last[row]; i >= 0; i = j->entry[i].before)
        if (j->entry[i].what == DID_GRADE && !j->entry[i].undone) first = j->entry[i].how;
    return first;
}

bool graded_by_others(const journal *j, int grader, int64_t row)
{
    if (j->of->given[row]) return true;
    for (int64_t i = j->last[row]; i >= 0; i = j->entry[i].before) {
        const journal_entry *e = &j->entry[i];
        if (!e->undone && e->grader != grader && (e->what == DID_GRADE || e->what == DID_SETTLE)) return true;
    }
    return false;
}

/* ---- agreement ---- */

typedef struct {
    int *a, *b;
    int64_t n, room;
} rank_pairs;

static int middle(int low, int high) { return (low + high) / 2; }

static void keep_pair(rank_pairs *p, int a, int b)
{
    p->a[p->n] = a;
    p->b[p->n++] = b;
}

static agreement measure(const journal *j, rung_ctx *ctx, const rank_pairs *p)
{
    agreement found = {.n = p->n, .kappa = NAN};
    rung_metrics m = {.size = sizeof m};
    for (int64_t i = 0; i < p->n; i++) {
        int apart = abs(p->a[i] - p->b[i]);
        found.same += apart == 0;
        found.close += apart <= 1;
    }
    if (p->n && rung_metrics_compute(ctx, p->n, j->of->classes, p->a, p->b, NULL, &m) == RUNG_OK)
        found.kappa = m.qkappa;
    free(p->a);
    free(p->b);
    return found;
}

static rank_pairs pairs_new(int64_t room)
{
    return (rank_pairs){allocate((size_t)room, sizeof(int)), allocate((size_t)room, sizeof(int)), 0, room};
}

agreement agreement_self(const journal *j, rung_ctx *ctx, int grader)
{
    rank_pairs p = pairs_new(j->n);
    for (int64_t i = 0; i < j->n; i++) {
        const journal_entry *e = &j->entry[i];
        if (e->what != DID_AGAIN || e->undone || e->grader != grader) continue;
        grade first = grade_by(j, grader, e->row);
        if (first.state == GRADED) keep_pair(&p, middle(first.low, first.high), middle(e->low, e->high));
    }
    return measure(j, ctx, &p);
}

agreement agreement_pair(const journal *j, rung_ctx *ctx, int a, int b)
{
    rank_pairs p = pairs_new(j->of->rows);
    for (int64_t row = 0; row < j->of->rows; row++) {
        if (j->last[row] < 0) continue;
        grade one = grade_by(j, a, row), other = grade_by(j, b, row);
        if (one.state == GRADED && other.state == GRADED)
            keep_pair(&p, middle(one.low, one.high), middle(other.low, other.high));
    }
    return measure(j, ctx, &p);
}
