// SPDX-License-Identifier: BSD-3-Clause
#include "trees/bins.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 256,          /* rows coded at a time */
    SAMPLE_ROWS = 200000, /* that quantiles are taken from */
    LONG_COLUMN = 4096,   /* worth a task of its own */
    DIGIT_BITS = 11,
    DIGITS = 1 << DIGIT_BITS
};

int64_t cuts_below(int64_t n, const double *cut, double x)
{
    const double *base = cut;
    if (n == 0) return 0;
    while (n > 1) { /* no branch: its outcome would be unpredictable */
        int64_t half = n / 2;
        base += half & -(int64_t)(base[half - 1] < x);
        n -= half;
    }
    return base - cut + (*base < x);
}

int64_t row_category(const column_code *c, const double *row)
{
    for (int64_t k = 0; k < c->n_categories; k++)
        if (row[c->first + k] > 0) return k;
    return -1;
}

/* ---- quantiles ---- */

/* Numbers as keys in the same order. */
static uint64_t key_of(double x)
{
    uint64_t u;
    x += 0.0; /* one zero */
    memcpy(&u, &x, sizeof u);
    return u >> 63 ? ~u : u | (uint64_t)1 << 63;
}

static double number_of(uint64_t key)
{
    double x;
    uint64_t u = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* By digits from the last to the first; a digit all keys agree in is skipped. */
static void sort_keys(int64_t n, uint64_t *key, uint64_t *other)
{
    uint64_t *from = key, *to = other;
    for (int shift = 0; shift < 64; shift += DIGIT_BITS) {
        int64_t place[DIGITS] = {0}, sum = 0;
        for (int64_t i = 0; i < n; i++) place[from[i] >> shift & (DIGITS - 1)]++;
        if (place[from[0] >> shift & (DIGITS - 1)] == n) continue;
        for (int k = 0; k < DIGITS; k++) {
            int64_t count = place[k];
            place[k] = sum;
            sum += count;
        }
        for (int64_t i = 0; i < n; i++) to[place[from[i] >> shift & (DIGITS - 1)]++] = from[i];
        uint64_t *swap = from;
        from = to, to = swap;
    }
    if (from != key) memcpy(key, from, (size_t)n * sizeof *key);
}

/* A cut above a and at most b (a < b), the midpoint if it is finite. */
static double between(double a, double b)
{
    double middle = a / 2 + b / 2;
    return middle > a && middle < b ? middle : a;
}

/* Cuts of n > 0 sorted keys: between all distinct values where these are few, else a bin is closed once it has its
 * share of the remaining rows. Returns how many. */
static int64_t choose_cuts(int64_t n, const uint64_t *key, double *cut)
{
    int64_t distinct = 1, count = 0, bins_left = MOST_BINS, in_bin = 0;
    for (int64_t i = 1; i < n; i++) distinct += key[i] != key[i - 1];
    bool each = distinct <= bins_left;
    for (int64_t i = 0; i + 1 < n; i++) {
        in_bin++;
        if (key[i] == key[i + 1]) continue;
        bool full = in_bin * bins_left >= n - (i + 1 - in_bin);
        if (!each && (!full || bins_left <= 1)) continue;
        cut[count++] = between(number_of(key[i]), number_of(key[i + 1]));
        in_bin = 0;
        bins_left--;
    }
    return count;
}

/* Evenly spaced rows are used if there are very many. */
static int64_t number_cuts(const tree_table *t, const column_code *c, uint64_t *key, uint64_t *other, double *cut)
{
    int64_t n = 0, d = t->code->d, most = t->n_rows < SAMPLE_ROWS ? t->n_rows : SAMPLE_ROWS;
    for (int64_t s = 0; s < most; s++) {
        int64_t i = s * t->n_rows / most;
        double x = t->cells[i * d + c->first];
        if (!isnan(x) && row_counts(t, i)) key[n++] = key_of(x);
    }
    if (n == 0) return 0;
    sort_keys(n, key, other);
    return choose_cuts(n, key, cut);
}

/* ---- categories ---- */

typedef struct {
    int64_t rows, number;
} category_count;

static int more_rows(const void *a, const void *b)
{
    const category_count *x = a, *y = b;
    return x->rows != y->rows ? (x->rows < y->rows) - (x->rows > y->rows)
                              : (x->number > y->number) - (x->number < y->number);
}

static rung_status category_bins(rung_ctx *ctx, pool *mem, const tree_table *t, const column_code *c, int *count,
                                 uint8_t **out)
{
    category_count *all = NULL;
    TRY(NEW(ctx, mem, *out, c->n_categories));
    *count = c->n_categories < MOST_BINS ? (int)c->n_categories : MOST_BINS;
    for (int64_t k = 0; k < c->n_categories; k++) (*out)[k] = (uint8_t)(k < MOST_BINS ? k + 1 : MOST_BINS);
    if (c->n_categories <= MOST_BINS) return RUNG_OK;
    TRY(NEW(ctx, &ctx->scratch, all, c->n_categories));
    for (int64_t k = 0; k < c->n_categories; k++) all[k].number = k;
    for (int64_t i = 0; i < t->n_rows; i++) {
        int64_t k = row_category(c, t->cells + i * t->code->d);
        if (k >= 0 && row_counts(t, i)) all[k].rows++;
    }
    qsort(all, (size_t)c->n_categories, sizeof *all, more_rows);
    for (int64_t k = 0; k < c->n_categories; k++) (*out)[all[k].number] = (uint8_t)(k < MOST_BINS ? k + 1 : MOST_BINS);
    return RUNG_OK;
}

/* ---- whole ---- */

/* Whether two rows differ: in the category, or, in a column of numbers without cuts, in whether the cell is missing. */
static bool rows_differ(const tree_table *t, const column_code *c)
{
    int64_t d = t->code->d, first = 0, own;
    bool any = false;
    for (int64_t i = 0; i < t->n_rows; i++) {
        if (!row_counts(t, i)) continue;
        own = c->nominal ? row_category(c, t->cells + i * d) : isnan(t->cells[i * d + c->first]);
        if (any && own != first) return true;
        first = own;
        any = true;
    }
    return false;
}

rung_status bins_new(rung_ctx *ctx, pool *mem, const tree_table *t, tree_bins *out)
{
    int64_t columns = t->code->n_columns, most = t->n_rows < SAMPLE_ROWS ? t->n_rows : SAMPLE_ROWS, used = 0;
    int threads = ctx->threads;
    uint64_t *key = NULL;
    double *room = NULL;
    *out = (tree_bins){.code = t->code, .n_columns = columns};
    TRY(NEW(ctx, mem, out->count, columns));
    TRY(NEW(ctx, mem, out->varies, columns));
    TRY(NEW(ctx, mem, out->category, columns));
    TRY(NEW(ctx, mem, out->cut_first, columns + 1));
    for (int64_t c = 0; c < columns; c++)
        if (t->code->columns[c].nominal)
            TRY(category_bins(ctx, mem, t, &t->code->columns[c], &out->count[c], &out->category[c]));
    pool_mark mark = pool_here(&ctx->scratch);
    TRY(NEW_RAW(ctx, &ctx->scratch, key, 2 * most * threads));
    TRY(NEW_RAW(ctx, &ctx->scratch, room, columns * MOST_BINS));
#pragma omp taskgroup
    for (int64_t c = 0; c < columns; c++) {
        if (t->code->columns[c].nominal) continue;
#pragma omp task if (threads > 1 && most > LONG_COLUMN)
        {
            uint64_t *own = key + 2 * most * omp_get_thread_num();
            out->count[c] = 1 + (int)number_cuts(t, &t->code->columns[c], own, own + most, room + c * MOST_BINS);
        }
    }
    for (int64_t c = 0; c < columns; c++)
        out->varies[c] = (!t->code->columns[c].nominal && out->count[c] > 1) || rows_differ(t, &t->code->columns[c]);
    for (int64_t c = 0; c < columns; c++)
        out->cut_first[c + 1] = out->cut_first[c] + (t->code->columns[c].nominal ? 0 : out->count[c] - 1);
    TRY(NEW_RAW(ctx, mem, out->cut, out->cut_first[columns]));
    for (int64_t c = 0; c < columns; c++, used = out->cut_first[c])
        memcpy(out->cut + used, room + c * MOST_BINS, (size_t)(out->cut_first[c + 1] - used) * sizeof *room);
    if (mem != &ctx->scratch) pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static uint8_t bin_of(const tree_bins *b, int64_t c, const double *row)
{
    const column_code *code = &b->code->columns[c];
    if (code->nominal) {
        int64_t k = row_category(code, row);
        return k < 0 ? 0 : b->category[c][k];
    }
    double x = row[code->first];
    int64_t first = b->cut_first[c];
    return isnan(x) ? 0 : (uint8_t)(1 + cuts_below(b->cut_first[c + 1] - first, b->cut + first, x));
}

/* The rows from first on, column by column: the cuts of one column fit the fastest memory. */
static void code_block(const tree_bins *b, const tree_table *t, int64_t first, const int64_t *rows, tree_codes *out)
{
    int64_t columns = b->n_columns, n = out->n;
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = first; i < n && i < first + BLOCK; i++)
            out->by_column[c * n + i] = out->by_row[i * columns + c] =
                bin_of(b, c, t->cells + (rows ? rows[i] : i) * b->code->d);
}

rung_status codes_new(rung_ctx *ctx, pool *mem, const tree_bins *b, const tree_table *t, int64_t n, const int64_t *rows,
                      tree_codes *out)
{
    int64_t columns = b->n_columns, blocks = (n + BLOCK - 1) / BLOCK, parts = blocks > 16 ? 4 * ctx->threads : 1;
    *out = (tree_codes){.n = n};
    TRY(NEW_RAW(ctx, mem, out->by_row, n * columns));
    TRY(NEW_RAW(ctx, mem, out->by_column, n * columns));
#pragma omp taskgroup
    for (int64_t k = 0; k < parts; k++) {
#pragma omp task if (parts > 1)
        for (int64_t block = blocks * k / parts; block < blocks * (k + 1) / parts; block++)
            code_block(b, t, block * BLOCK, rows, out);
    }
    return RUNG_OK;
}
