// SPDX-License-Identifier: BSD-3-Clause
/* Confusion matrices of all partitions of a data set, and the metrics of their sum: matrices_<part>.txt and
 * mean-results_matrices_sum_<part>.csv (ORCA's report_sum). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "experiment/report/orca.h"

typedef struct {
    int64_t n;
    int *truth, *rank;
} pairs;

static int *whole_numbers(const char *json, int64_t *n)
{
    json_t *list = json ? json_loads(json, 0, NULL) : NULL, *item;
    size_t i;
    *n = json_is_array(list) ? (int64_t)json_array_size(list) : 0;
    int *out = allocate((size_t)*n + 1, sizeof *out);
    json_array_foreach(list, i, item) out[i] = (int)json_integer_value(item);
    json_decref(list);
    return out;
}

/* True and predicted ranks of one cell; n = 0: it has none (real targets, not done). */
static pairs read_pairs(orca_export *x, int place, int part)
{
    pairs p = {0};
    sqlite3_stmt *q = store_query(x->db, "SELECT truth, rank FROM prediction WHERE cell = ? AND part = ?", "it",
                                  x->entry->cell[place], orca_parts[part][1]);
    if (q && store_step(x->db, q) == SQLITE_ROW && sqlite3_column_type(q, 1) != SQLITE_NULL) {
        int64_t predicted;
        p.truth = whole_numbers((const char *)sqlite3_column_text(q, 0), &p.n);
        p.rank = whole_numbers((const char *)sqlite3_column_text(q, 1), &predicted);
        if (predicted != p.n) p.n = 0;
    }
    sqlite3_finalize(q);
    return p;
}

static void pairs_free(pairs *p)
{
    free(p->truth);
    free(p->rank);
}

static void pairs_join(pairs *all, const pairs *more)
{
    int64_t n = all->n + more->n;
    pairs joined = {
        .n = n, .truth = allocate((size_t)n + 1, sizeof(int)), .rank = allocate((size_t)n + 1, sizeof(int))};
    for (int64_t i = 0; i < n; i++) {
        const pairs *from = i < all->n ? all : more;
        int64_t at = i < all->n ? i : i - all->n;
        joined.truth[i] = from->truth[at];
        joined.rank[i] = from->rank[at];
    }
    pairs_free(all);
    *all = joined;
}

static void write_matrix(FILE *file, int K, const pairs *p)
{
    int64_t *count = allocate((size_t)(K * K), sizeof *count);
    for (int64_t i = 0; i < p->n; i++)
        if (p->truth[i] >= 1 && p->truth[i] <= K && p->rank[i] >= 1 && p->rank[i] <= K)
            count[(p->truth[i] - 1) * K + p->rank[i] - 1]++;
    for (int i = 0; i < K; i++) {
        for (int j = 0; j < K; j++) fprintf(file, "%lld ", (long long)count[i * K + j]);
        fputc('\n', file);
    }
    free(count);
}

static bool write_summed(orca_export *x, int part, const pairs *all)
{
    FILE *file = x->sums[part].file;
    rung_metrics metrics = {.size = sizeof metrics};
    if (rung_metrics_compute(x->session->ctx, all->n, x->set->classes, all->truth, all->rank, NULL, &metrics) !=
        RUNG_OK) {
        complain("experiment report: %s: %s", x->name, rung_ctx_message(x->session->ctx));
        return false;
    }
    fprintf(file, "%s,", x->name);
    for (int k = 0; k < ORCA_COLUMNS; k++)
        fprintf(file, "%f,", orca_columns[k].factor * rung_metrics_value(&metrics, orca_columns[k].key));
    for (int k = 0; k < ORCA_TIMES; k++) {
        double sum = 0;
        for (int place = 0; place < x->set->partitions; place++) {
            double seconds = orca_row(x, part, place)[ORCA_COLUMNS + k];
            if (!isnan(seconds)) sum += seconds;
        }
        fprintf(file, "%f,", sum);
    }
    fputc('\n', file);
    return true;
}

bool orca_write_sums(orca_export *x, int part)
{
    if (x->set->classes < 2) return true; /* real targets */
    char *name = text_of("matrices_%s.txt", orca_parts[part][0]);
    output o;
    bool good = orca_open(&o, x->folder, "", name, "");
    free(name);
    if (!good) return false;
    pairs all = {0};
    for (int place = 0; place < x->set->partitions; place++) {
        if (!orca_done(x, place)) continue;
        pairs p = read_pairs(x, place, part);
        fprintf(o.file, "%s_%s.%d\n----------\n", orca_parts[part][0], x->set->name, x->set->partition[place]);
        write_matrix(o.file, x->set->classes, &p);
        pairs_join(&all, &p);
        pairs_free(&p);
    }
    good = output_keep(&o) && (all.n == 0 || write_summed(x, part, &all));
    pairs_free(&all);
    return good;
}
