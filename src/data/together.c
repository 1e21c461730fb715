// SPDX-License-Identifier: BSD-3-Clause
/* together.c - copies and replicates, told apart by counts.
 *
 * Let E be the pairs of rows that agree in all columns, E_j those that agree in all columns but perhaps j, and p_j the
 * chance that two unrelated rows agree in column j. Where rows coincide by chance, a pair that agrees elsewhere agrees
 * in j about as often as any pair: (E / E_j) / p_j is near 1. Copies agree in j because they are the same object,
 * however fine the column is. p_j is the sum of the squared shares of the categories; for numbers that of a histogram
 * whose bins are as wide as their values are apart. */
#include "data/together.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "data/row_groups.h"
#include "data/row_hash.h"

/* Rows are copies where the excess is so large that labels need not be asked; or where it is large, and of the pairs
 * more than a share have equal labels, beyond chance. Columns of few values cannot have a large excess, but labels that
 * always agree do without. docs/equal-rows.md has what these numbers were chosen by. */
static const struct {
    double excess, agreeing;
} COPIES[] = {{100, -HUGE_VAL}, {10, 0.3}, {5, 0.9}};
static const double LEAST_CHANCE = 1e-12, LEAST_GRAIN = 1e-9;
enum { MOST_ROWS = 20000, MOST_COLUMNS = 300, FEW_VALUES = 5 };

static const char *const rules[] = {[EQUAL_AUTO] = "auto", [EQUAL_TOGETHER] = "together", [EQUAL_APART] = "apart"};

const char *equal_rule_name(equal_rule rule) { return rules[rule]; }

bool equal_rule_parse(const char *text, equal_rule *out)
{
    for (int i = EQUAL_AUTO; i <= EQUAL_APART; i++) {
        if (strcmp(text, rules[i]) != 0) continue;
        *out = (equal_rule)i;
        return true;
    }
    return false;
}

/* Pairs with equal hashes; sorts the list. */
static double count_pairs(int64_t n, counted_hash *list)
{
    double pairs = 0;
    sort_hashes(n, list);
    for (int64_t first = 0, end; first < n; first = end) {
        double size = 0;
        for (end = first; end < n && list[end].hash == list[first].hash; end++) size += list[end].count;
        pairs += fmax(size * (size - 1) / 2, 0);
    }
    return pairs;
}

/* ---- chance ---- */

typedef struct {
    double value, count;
} counted_value;

static int by_value(const void *a, const void *b)
{
    return compare_numbers(&((const counted_value *)a)->value, &((const counted_value *)b)->value);
}

/* Merges equal values of a sorted list. */
static int64_t merge_values(int64_t n, counted_value *list)
{
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        if (m > 0 && list[m - 1].value == list[i].value)
            list[m - 1].count += list[i].count;
        else
            list[m++] = list[i];
    }
    return m;
}

static double grain_of(int64_t m, const counted_value *v)
{
    double grain = INFINITY, least = m > 1 ? (v[m - 1].value - v[0].value) * LEAST_GRAIN : 0;
    for (int64_t i = 1; i < m; i++) {
        double step = v[i].value - v[i - 1].value;
        if (step > least && step < grain) grain = step;
    }
    return grain;
}

/* The sum of squared shares that m sorted values would have if they were spread evenly over the multiples of their
 * grain within each bin. Few values have a bin each. */
static double chance_of_numbers(int64_t m, const counted_value *v)
{
    double total = 0, chance = 0, grain = grain_of(m, v), bins = m <= FEW_VALUES ? (double)m : ceil(sqrt((double)m));
    for (int64_t i = 0; i < m; i++) total += v[i].count;
    for (int64_t first = 0, end; first < m; first = end) {
        double share = v[first].count / total;
        for (end = first + 1; end < m && m > FEW_VALUES; end++) {
            if (share + v[end].count / total > 1 / bins) break;
            share += v[end].count / total;
        }
        double places = end - first > 1 ? (v[end - 1].value - v[first].value) / grain + 1 : 1;
        chance += share * share / places;
    }
    return chance;
}

typedef struct { /* the rows that are counted */
    const together_input *in;
    int64_t n, *rows;
    double *count, total;
    uint64_t *whole; /* the hash of all columns */
    counted_hash *list;
    counted_value *values;
} counted_rows;

static double chance_of_categories(const counted_rows *c, const column_code *col)
{
    double squares = 0;
    for (int64_t i = 0; i < c->n; i++)
        c->list[i] = (counted_hash){hash_cell(col, c->in->data->X + c->rows[i] * c->in->data->d), c->count[i]};
    sort_hashes(c->n, c->list);
    for (int64_t first = 0, end; first < c->n; first = end) {
        double size = 0;
        for (end = first; end < c->n && c->list[end].hash == c->list[first].hash; end++) size += c->list[end].count;
        squares += size * size;
    }
    return squares / (c->total * c->total);
}

static double chance_of(const counted_rows *c, const column_code *col)
{
    double missing = 0;
    int64_t n = 0;
    if (col->nominal) return chance_of_categories(c, col);
    for (int64_t i = 0; i < c->n; i++) {
        double x = c->in->data->X[c->rows[i] * c->in->data->d + col->first] + 0.0;
        if (isnan(x))
            missing += c->count[i];
        else
            c->values[n++] = (counted_value){x, c->count[i]};
    }
    qsort(c->values, (size_t)n, sizeof *c->values, by_value);
    double there = 1 - missing / c->total;
    return (1 - there) * (1 - there) +
           (n ? there * there * chance_of_numbers(merge_values(n, c->values), c->values) : 0);
}

/* ---- counts ---- */

/* All rows, or of very many an even part: the counts are compared with each other, so that a part will do. */
static rung_status counted_new(rung_ctx *ctx, const together_input *in, counted_rows *out)
{
    const rung_data *data = in->data;
    int64_t step = (in->n + MOST_ROWS - 1) / MOST_ROWS;
    *out = (counted_rows){.in = in};
    TRY(NEW(ctx, &ctx->scratch, out->rows, in->n));
    TRY(NEW(ctx, &ctx->scratch, out->count, in->n));
    TRY(NEW(ctx, &ctx->scratch, out->whole, in->n));
    TRY(NEW(ctx, &ctx->scratch, out->list, in->n));
    TRY(NEW(ctx, &ctx->scratch, out->values, in->n));
    for (int64_t i = 0; i < in->n; i += step) {
        int64_t row = in->rows[i];
        out->rows[out->n] = row;
        out->count[out->n] = in->count ? in->count[row] : 1;
        out->whole[out->n] = hash_columns(&data->code, data->X + row * data->d);
        out->total += out->count[out->n++];
    }
    return RUNG_OK;
}

/* The median of the excesses over the columns that vary; 1 where there is none. */
static rung_status count_excess(rung_ctx *ctx, const counted_rows *c, double *out)
{
    const coding *code = &c->in->data->code;
    double *excess = NULL, whole;
    int64_t m = 0, step = (code->n_columns + MOST_COLUMNS - 1) / MOST_COLUMNS;
    TRY(NEW(ctx, &ctx->scratch, excess, code->n_columns));
    for (int64_t i = 0; i < c->n; i++) c->list[i] = (counted_hash){c->whole[i], c->count[i]};
    whole = count_pairs(c->n, c->list);
    for (int64_t k = 0; k < code->n_columns && whole > 0; k += step) {
        const column_code *col = &code->columns[k];
        double chance = chance_of(c, col);
        if (chance >= 1 - 1e-9) continue; /* a constant says nothing */
        for (int64_t i = 0; i < c->n; i++) {
            uint64_t cell = hash_cell(col, c->in->data->X + c->rows[i] * c->in->data->d);
            c->list[i] = (counted_hash){c->whole[i] - cell, c->count[i]};
        }
        excess[m++] = whole / count_pairs(c->n, c->list) / fmax(chance, LEAST_CHANCE);
    }
    qsort(excess, (size_t)m, sizeof *excess, compare_numbers);
    *out = m == 0 ? 1 : sqrt(excess[(m - 1) / 2] * excess[m / 2]);
    return RUNG_OK;
}

/* The share of pairs with equal labels. Labels that are intervals are not compared. */
static void count_agreement(const counted_rows *c, equal_counts *out)
{
    const together_input *in = c->in;
    double pairs, all;
    int64_t n = 0;
    for (int pass = 0; pass < 2; pass++) { /* equal rows, then any */
        for (int labels = 0; labels < 2; labels++) {
            n = 0;
            for (int64_t i = 0; i < c->n; i++) {
                int64_t row = c->rows[i];
                bool one = in->target || (in->y && in->y[row] && (!in->upper || in->upper[row] == in->y[row]));
                if (!one) continue;
                uint64_t label = hash_value(UINT64_MAX - 1, in->target ? in->target[row] : in->y[row]);
                c->list[n++] = (counted_hash){(pass ? 0 : c->whole[i]) + (labels ? label : 0), c->count[i]};
            }
            *(labels ? &pairs : &all) = count_pairs(n, c->list);
        }
        *(pass ? &out->chance : &out->agree) = all > 0 ? pairs / all : NAN;
    }
}

static bool are_copies(const equal_counts *c)
{
    double agreeing = isnan(c->agree) ? -HUGE_VAL : (c->agree - c->chance) / fmax(1 - c->chance, LEAST_CHANCE);
    for (size_t i = 0; i < sizeof COPIES / sizeof *COPIES; i++)
        if (c->excess >= COPIES[i].excess && agreeing >= COPIES[i].agreeing) return true;
    return false;
}

rung_status equal_judge(rung_ctx *ctx, const together_input *in, equal_counts *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    counted_rows c;
    TRY(counted_new(ctx, in, &c));
    TRY(count_excess(ctx, &c, &out->excess));
    count_agreement(&c, out);
    out->copies = are_copies(out);
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

/* ---- groups ---- */

static rung_status count_sets(rung_ctx *ctx, const together_input *in, leaving *out)
{
    pool_mark mark = pool_here(&ctx->scratch);
    row_groups g;
    TRY(row_groups_new(ctx, &ctx->scratch, in->data->n, out->same, &g));
    for (int64_t k = 0; k < g.count; k++)
        out->counts.sets += row_groups_size(&g, k) > 1 && out->same[g.rows[g.start[k]]] >= 0;
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

static rung_status find_same(rung_ctx *ctx, const together_input *in, leaving *out)
{
    TRY(NEW_RAW(ctx, &ctx->scratch, out->same, in->data->n));
    for (int64_t i = 0; i < in->data->n; i++) out->same[i] = -1;
    TRY(equal_rows(ctx, in->data->d, in->data->X, in->n, in->rows, out->same, &out->counts.repeated));
    bool counted = false; /* a row that stands for several equals itself */
    for (int64_t i = 0; i < in->n && in->count; i++) counted = counted || in->count[in->rows[i]] > 1;
    if (out->counts.repeated == 0 && !counted) out->same = NULL;
    return out->same ? count_sets(ctx, in, out) : RUNG_OK;
}

/* Only the rows listed are held out: the others are each by themselves. */
static rung_status join_data_groups(rung_ctx *ctx, const together_input *in, leaving *out)
{
    pool_mark mark;
    int *a = NULL, *b = NULL, *both = NULL;
    const int *group = in->data->group;
    TRY(NEW_RAW(ctx, &ctx->scratch, out->group, in->data->n));
    mark = pool_here(&ctx->scratch);
    TRY(NEW_RAW(ctx, &ctx->scratch, a, in->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, b, in->n));
    TRY(NEW_RAW(ctx, &ctx->scratch, both, in->n));
    for (int64_t i = 0; i < in->n; i++) {
        a[i] = group[in->rows[i]];
        b[i] = out->equal ? out->equal[in->rows[i]] : (int)i;
    }
    TRY(join_groups(ctx, in->n, a, b, both));
    for (int64_t i = 0; i < in->data->n; i++) out->group[i] = -1;
    for (int64_t i = 0; i < in->n; i++) out->group[in->rows[i]] = both[i];
    pool_release(&ctx->scratch, mark);
    return RUNG_OK;
}

rung_status rows_together(rung_ctx *ctx, const together_input *in, leaving *out)
{
    *out = (leaving){.counts = {.excess = NAN, .agree = NAN, .chance = NAN, .copies = in->rule != EQUAL_APART}};
    TRY(find_same(ctx, in, out));
    if (out->same && in->rule == EQUAL_AUTO) TRY(equal_judge(ctx, in, &out->counts));
    if (out->counts.copies) out->equal = out->same;
    out->group = out->equal;
    return in->data->group ? join_data_groups(ctx, in, out) : RUNG_OK;
}

rung_status counted_labels(rung_ctx *ctx, const rung_data *data, together_input *out)
{
    int64_t *rows = NULL, n = 0;
    TRY(NEW(ctx, &ctx->scratch, rows, data->n));
    for (int64_t i = 0; i < data->n; i++) {
        bool labelled = data->target ? !isnan(data->target[i]) : data->y[i] > 0;
        if (labelled && !(data->weight && data->weight[i] == 0)) rows[n++] = i;
    }
    *out = (together_input){
        .data = data, .n = n, .rows = rows, .y = data->y, .upper = data->upper, .target = data->target};
    return RUNG_OK;
}

rung_status data_together(rung_ctx *ctx, const rung_data *data, equal_rule rule, leaving *out)
{
    together_input in;
    TRY(counted_labels(ctx, data, &in));
    in.rule = rule;
    return rows_together(ctx, &in, out);
}
