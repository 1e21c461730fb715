// SPDX-License-Identifier: BSD-3-Clause
/* The state of the work in JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/json_out.h"
#include "data/forecast.h"
#include "label/grades.h"
#include "label/pages.h"

enum { MOST_TEXT = 200000, MOST_POINTS = 400, MOST_DISAGREEMENTS = 200 };

static void put(json_t *object, const char *key, json_t *value) { json_object_set_new(object, key, value); }

static json_t *label_text(const subject *u, grade g)
{
    if (g.state != GRADED) return json_null();
    char *text = subject_label(u, g.low, g.high);
    json_t *value = jout_text(text);
    free(text);
    return value;
}

json_t *pages_row(const desk *d, int64_t row)
{
    const subject *u = d->j.of;
    json_t *root = json_object(), *cells = json_array();
    for (int64_t c = 0; c < u->columns; c++) {
        static const char *const as[] = {"cell", "text", "image"};
        if (c == u->label) continue;
        char *name = subject_column(u, c), *text = subject_cell(u, row, c);
        json_t *one = json_object();
        if (strlen(text) > MOST_TEXT) {
            size_t end = MOST_TEXT;
            while (end > 0 && (text[end] & 0xc0) == 0x80) end--; /* not within a character */
            text[end] = 0;
            put(one, "cut", json_true());
        }
        put(one, "name", jout_text(name));
        put(one, "text", jout_text(text));
        put(one, "as", json_string(as[u->shown[c]]));
        if (u->shown[c] == SHOWN_IMAGE) put(one, "column", json_integer(c + 1));
        json_array_append_new(cells, one);
        free(name);
        free(text);
    }
    put(root, "number", json_integer(row + 1));
    put(root, "cells", cells);
    return root;
}

static json_t *agreement_json(agreement a)
{
    json_t *root = json_object();
    put(root, "n", json_integer(a.n));
    put(root, "same", json_integer(a.same));
    put(root, "close", json_integer(a.close));
    put(root, "kappa", jout_number(a.kappa));
    return root;
}

static json_t *model_json(const refit *r)
{
    json_t *root = json_object(), *history = json_array();
    int64_t step = r->n_history / MOST_POINTS + 1;
    for (int64_t i = (r->n_history - 1) % step; i < r->n_history; i += step) { /* the last one is there */
        const error_point *p = &r->history[i];
        json_array_append_new(history, json_pack("[I, o, o, o, I]", (json_int_t)p->labels, jout_number(p->mae),
                                                 jout_number(p->low), jout_number(p->high), (json_int_t)p->rows));
    }
    put(root, "fitting", json_boolean(r->fitting));
    put(root, "labels", json_integer(r->labels));
    put(root, "history", history);
    put(root, "median", jout_number(r->n_history ? r->median : NAN));
    put(root, "bound", json_boolean(r->n_history && r->bound));
    put(root, "why", jout_text(r->why));
    put(root, "forecast", r->forecast.labels ? forecast_json(&r->forecast) : json_null());
    return root;
}

json_t *pages_state(desk *d)
{
    const subject *u = d->j.of;
    json_t *root = json_object(), *classes = json_array(), *graders = json_array();
    int64_t *count = allocate((size_t)u->classes + 1, sizeof *count), labelled = 0, ranges = 0, skipped = 0;
    for (int64_t row = 0; row < u->rows; row++) {
        grade g = label_of(&d->j, row);
        labelled += g.state == GRADED;
        ranges += g.state == GRADED && g.low < g.high;
        if (g.state == GRADED && g.low == g.high) count[g.low]++;
        skipped += d->j.last[row] >= 0 && grade_by(&d->j, d->me, row).state == SKIPPED;
    }
    for (int k = 1; k <= u->classes; k++)
        json_array_append_new(
            classes, json_pack("{s:o, s:I}", "name", jout_text(u->class_name[k - 1]), "labels", (json_int_t)count[k]));
    for (int g = 0; g < d->j.graders; g++) json_array_append_new(graders, jout_text(d->j.grader[g]));
    free(count);
    put(root, "data", jout_text(u->path));
    put(root, "column", jout_text(u->name));
    put(root, "grader", jout_text(d->j.grader[d->me]));
    put(root, "graders", graders);
    put(root, "classes", classes);
    put(root, "rows", json_integer(u->rows));
    put(root, "labelled", json_integer(labelled));
    put(root, "ranges", json_integer(ranges));
    put(root, "skipped", json_integer(skipped));
    put(root, "mine", json_integer(desk_count(d, DID_GRADE)));
    put(root, "again", agreement_json(agreement_self(&d->j, d->ctx, d->me)));
    put(root, "model", model_json(&d->model));
    return root;
}

/* ---- several graders ---- */

typedef struct {
    int64_t row;
    int apart;
} disagreement;

static int most_apart_first(const void *a, const void *b)
{
    const disagreement *x = a, *y = b;
    return x->apart != y->apart ? y->apart - x->apart : (x->row > y->row) - (x->row < y->row);
}

/* By how much the grades of a row differ: classes between the highest low end and the lowest high end. */
static int apart(const journal *j, int64_t row, json_t *grades)
{
    int lowest = j->of->classes, highest = 0, n = 0;
    for (int g = 0; g < j->graders; g++) {
        grade one = grade_by(j, g, row);
        if (one.state != GRADED) continue;
        n++;
        if (one.high < lowest) lowest = one.high;
        if (one.low > highest) highest = one.low;
        if (grades)
            json_array_append_new(
                grades, json_pack("{s:o, s:o}", "grader", jout_text(j->grader[g]), "label", label_text(j->of, one)));
    }
    return n > 1 && highest > lowest ? highest - lowest : 0;
}

json_t *pages_agreement(desk *d)
{
    const journal *j = &d->j;
    json_t *root = json_object(), *pairs = json_array(), *rows = json_array(), *classes = json_array();
    disagreement *found = allocate((size_t)j->of->rows, sizeof *found);
    int64_t n = 0, left = 0;
    for (int a = 0; a < j->graders; a++)
        for (int b = a + 1; b < j->graders; b++) {
            json_t *one = agreement_json(agreement_pair(j, d->ctx, a, b));
            put(one, "a", jout_text(j->grader[a]));
            put(one, "b", jout_text(j->grader[b]));
            json_array_append_new(pairs, one);
        }
    for (int64_t row = 0; row < j->of->rows; row++) {
        int by = j->last[row] < 0 ? 0 : apart(j, row, NULL);
        if (by > 0) found[n++] = (disagreement){row, by - (is_settled(j, row) ? j->of->classes : 0)};
        left += by > 0 && !is_settled(j, row);
    }
    qsort(found, (size_t)n, sizeof *found, most_apart_first); /* those that are settled last */
    for (int64_t i = 0; i < n && i < MOST_DISAGREEMENTS; i++) {
        json_t *one = pages_row(d, found[i].row), *grades = json_array();
        apart(j, found[i].row, grades);
        put(one, "grades", grades);
        put(one, "settled", is_settled(j, found[i].row) ? label_text(j->of, label_of(j, found[i].row)) : json_null());
        json_array_append_new(rows, one);
    }
    free(found);
    for (int k = 0; k < j->of->classes; k++) json_array_append_new(classes, jout_text(j->of->class_name[k]));
    put(root, "data", jout_text(j->of->path));
    put(root, "classes", classes);
    put(root, "pairs", pairs);
    put(root, "disagreements", json_integer(n));
    put(root, "left", json_integer(left));
    put(root, "rows", rows);
    return root;
}
