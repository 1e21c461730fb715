// SPDX-License-Identifier: BSD-3-Clause
/* A point (a, b) of the plane is the row  origin + a u + b v  of coded columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/costs.h"
#include "plot/subject.h"

typedef struct {
    int64_t n, d;
    rung_view X;
    double *origin, *u, *v;
    double *scale; /* of the columns: 1 where the plane is made of two of them */
    double *fill;  /* what stands for a missing cell: the median of the column */
} frame;

static double cell(const frame *f, int64_t i, int64_t j)
{
    double x = f->X.v[i * f->X.row + j * f->X.col];
    return isnan(x) ? f->fill[j] : x;
}

static void find_medians(frame *f)
{
    double *sorted = allocate((size_t)f->n + 1, sizeof *sorted);
    for (int64_t j = 0; j < f->d; j++) {
        int64_t n = 0;
        for (int64_t i = 0; i < f->n; i++) {
            double x = f->X.v[i * f->X.row + j * f->X.col];
            if (!isnan(x)) sorted[n++] = x;
        }
        qsort(sorted, (size_t)n, sizeof *sorted, compare_numbers);
        f->fill[j] = n ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : 0;
    }
    free(sorted);
}

static void by_columns(frame *f, int64_t x, int64_t y)
{
    double *sorted = allocate((size_t)f->n, sizeof *sorted);
    for (int64_t j = 0; j < f->d; j++) {
        for (int64_t i = 0; i < f->n; i++) sorted[i] = cell(f, i, j);
        qsort(sorted, (size_t)f->n, sizeof *sorted, compare_numbers);
        f->origin[j] = sorted[(f->n - 1) / 2];
    }
    free(sorted);
    f->origin[x] = f->origin[y] = 0;
    f->u[x] = f->v[y] = 1;
}

/* w := Z'Z w without its part along `without`, and length 1; false when nothing is left. */
static bool iterate(const frame *f, double *w, const double *without)
{
    double *next = allocate((size_t)f->d, sizeof *next), length = 0, along = 0;
    for (int64_t i = 0; i < f->n; i++) {
        double t = 0;
        for (int64_t j = 0; j < f->d; j++)
            if (f->scale[j] > 0) t += (cell(f, i, j) - f->origin[j]) / f->scale[j] * w[j];
        for (int64_t j = 0; j < f->d; j++)
            if (f->scale[j] > 0) next[j] += (cell(f, i, j) - f->origin[j]) / f->scale[j] * t;
    }
    for (int64_t j = 0; without && j < f->d; j++) along += next[j] * without[j];
    for (int64_t j = 0; j < f->d; j++) {
        if (without) next[j] -= along * without[j];
        length += next[j] * next[j];
    }
    for (int64_t j = 0; j < f->d; j++) w[j] = length > 0 ? next[j] / sqrt(length) : 0;
    free(next);
    return length > 0;
}

/* The first two principal components of the standardised columns, by power iteration; in the end u and v are rows of
 * the data again. */
static void by_components(frame *f)
{
    enum { ROUNDS = 200 };
    for (int64_t j = 0; j < f->d; j++) {
        double mean = 0, squares = 0;
        for (int64_t i = 0; i < f->n; i++) mean += cell(f, i, j) / (double)f->n;
        for (int64_t i = 0; i < f->n; i++) squares += (cell(f, i, j) - mean) * (cell(f, i, j) - mean);
        f->origin[j] = mean;
        f->scale[j] = sqrt(squares / (double)f->n);
        f->u[j] = 1 + 0.01 * (double)(j % 7);
        f->v[j] = j % 2 ? 1 : -1 + 0.01 * (double)(j % 5);
    }
    for (int round = 0; round < ROUNDS && iterate(f, f->u, NULL); round++) {}
    for (int round = 0; round < ROUNDS && iterate(f, f->v, f->u); round++) {}
    for (int which = 0; which < 2; which++) { /* a sign for both: the largest entry is positive */
        double *w = which ? f->v : f->u;
        int64_t largest = 0;
        for (int64_t j = 0; j < f->d; j++)
            if (fabs(w[j]) > fabs(w[largest]) * (1 + 1e-9)) largest = j;
        if (w[largest] < 0)
            for (int64_t j = 0; j < f->d; j++) w[j] = -w[j];
    }
}

static int find_column(session *s, const subject *p, const char *name, int64_t *out)
{
    char text[256];
    for (*out = 0; *out < rung_data_features(p->data); ++*out) {
        rung_data_feature_name(p->data, *out, text, sizeof text);
        if (!strcmp(text, name)) return EXIT_OK;
    }
    long long position;
    if (parse_whole(name, 1, rung_data_features(p->data), &position)) {
        *out = position - 1;
        return EXIT_OK;
    }
    complain("%s: no column '%s'; expected the name of a (coded) feature column or its position", s->command, name);
    return USAGE;
}

static char *column_name(const subject *p, int64_t column)
{
    char text[256];
    rung_data_feature_name(p->data, column, text, sizeof text);
    return *text ? text_of("%s", text) : text_of("column %lld", (long long)column + 1);
}

/* The data on the plane's own axes, and a range with some room around them. */
static void place_rows(const frame *f, plane *out)
{
    out->x = allocate((size_t)f->n, sizeof *out->x);
    out->y = allocate((size_t)f->n, sizeof *out->y);
    out->x_low = out->y_low = INFINITY, out->x_high = out->y_high = -INFINITY;
    for (int64_t i = 0; i < f->n; i++) {
        for (int64_t j = 0; j < f->d; j++) {
            if (!(f->scale[j] > 0)) continue;
            double z = (cell(f, i, j) - f->origin[j]) / f->scale[j];
            out->x[i] += z * f->u[j];
            out->y[i] += z * f->v[j];
        }
        out->x_low = fmin(out->x_low, out->x[i]), out->x_high = fmax(out->x_high, out->x[i]);
        out->y_low = fmin(out->y_low, out->y[i]), out->y_high = fmax(out->y_high, out->y[i]);
    }
    double dx = 0.04 * (out->x_high - out->x_low), dy = 0.04 * (out->y_high - out->y_low);
    out->x_low -= dx > 0 ? dx : 1, out->x_high += dx > 0 ? dx : 1;
    out->y_low -= dy > 0 ? dy : 1, out->y_high += dy > 0 ? dy : 1;
}

typedef struct {
    int64_t n;
    int *at;       /* which cells of the answers */
    double *x, *y; /* where they are looked up, in cells */
} lookups;

static void look_up(lookups *l, int at, double x, double y)
{
    l->at[l->n] = at;
    l->x[l->n] = x;
    l->y[l->n++] = y;
}

/* Predicts what is listed, and empties the list. */
static int answer_all(session *s, const subject *p, const frame *f, plane *out, lookups *l)
{
    enum { BLOCK = 512 };
    size_t d = (size_t)f->d;
    double *row = allocate(BLOCK * d, sizeof *row);
    int rank[BLOCK];
    rung_status status = RUNG_OK;
    for (int64_t first = 0; first < l->n && status == RUNG_OK; first += BLOCK) {
        int64_t n = l->n - first < BLOCK ? l->n - first : BLOCK;
        for (int64_t i = 0; i < n; i++) {
            double a = out->x_low + l->x[first + i] / out->columns * (out->x_high - out->x_low),
                   b = out->y_low + l->y[first + i] / out->rows * (out->y_high - out->y_low);
            for (size_t j = 0; j < d; j++)
                row[(size_t)i * d + j] =
                    f->origin[j] + (f->scale[j] > 0 ? f->scale[j] : 1) * (a * f->u[j] + b * f->v[j]);
        }
        rung_view view = {row, n, f->d, f->d, 1};
        const rung_predict_options how = {.size = sizeof how, .cost = p->cost, .abstain = p->abstain};
        status = rung_model_predict(s->ctx, p->model, &view, &how,
                                    &(rung_output){.size = sizeof(rung_output), .rank = rank});
        for (int64_t i = 0; i < n && status == RUNG_OK; i++) out->answer[l->at[first + i]] = rank[i];
    }
    l->n = 0;
    free(row);
    return session_check(s, status);
}

/* Whether a block of 2 x 2 cells or one of its eight neighbours has another answer. */
static bool on_edge(const plane *p, const int *answer, int r, int k)
{
    int own = answer[r * p->columns + k];
    for (int dr = -2; dr <= 2; dr += 2)
        for (int dk = -2; dk <= 2; dk += 2) {
            int row = r + dr, column = k + dk;
            if (row < 0 || row >= p->rows || column < 0 || column >= p->columns) continue;
            if (answer[row * p->columns + column] != own) return true;
        }
    return false;
}

/* One answer for a block of 2 x 2 cells, and one for each cell along the edges of the regions: these are drawn finer
 * than the rest at little cost. */
static int answer_grid(session *s, const subject *p, const frame *f, plane *out)
{
    int columns = out->columns, rows = out->rows;
    size_t cells = (size_t)columns * (size_t)rows;
    lookups l = {
        .at = allocate(cells, sizeof *l.at), .x = allocate(cells, sizeof *l.x), .y = allocate(cells, sizeof *l.y)};
    out->answer = allocate(cells, sizeof *out->answer);
    for (int r = 0; r < rows; r += 2)
        for (int k = 0; k < columns; k += 2) look_up(&l, r * columns + k, k + 1, r + 1);
    int code = answer_all(s, p, f, out, &l);
    int *coarse = allocate(cells, sizeof *coarse);
    memcpy(coarse, out->answer, cells * sizeof *coarse);
    for (int r = 0; r < rows && code == EXIT_OK; r++)
        for (int k = 0; k < columns; k++) {
            int at = r * columns + k;
            out->answer[at] = coarse[(r - r % 2) * columns + k - k % 2];
            if (on_edge(out, coarse, r - r % 2, k - k % 2)) look_up(&l, at, k + 0.5, r + 0.5);
        }
    if (code == EXIT_OK) code = answer_all(s, p, f, out, &l);
    free(coarse);
    free(l.at);
    free(l.x);
    free(l.y);
    return code;
}

static int choose_plane(session *s, const subject *p, const char *x, const char *y, frame *f, plane *out)
{
    if (f->d < 2) {
        complain("%s: a plane needs two feature columns, and the model has %lld", s->command, (long long)f->d);
        return FAILED;
    }
    if ((x != NULL) != (y != NULL)) {
        complain("%s: --x and --y must be given together", s->command);
        return USAGE;
    }
    for (int64_t j = 0; j < f->d; j++) f->scale[j] = 1;
    if (!x && f->d > 2) {
        by_components(f);
        out->x_name = text_of("principal component 1");
        out->y_name = text_of("principal component 2");
        return EXIT_OK;
    }
    int64_t first = 0, second = 1;
    int code = x ? find_column(s, p, x, &first) : EXIT_OK;
    if (code == EXIT_OK && y) code = find_column(s, p, y, &second);
    if (code != EXIT_OK) return code;
    if (first == second) {
        complain("%s: --x and --y are the same column", s->command);
        return USAGE;
    }
    by_columns(f, first, second);
    out->x_name = column_name(p, first);
    out->y_name = column_name(p, second);
    return EXIT_OK;
}

int plane_make(session *s, const subject *p, const char *x, const char *y, int columns, int rows, plane *out)
{
    frame f = {.n = p->n, .d = rung_data_features(p->data), .X = rung_data_view(p->data)};
    *out = (plane){.columns = columns, .rows = rows};
    double *block = allocate(5 * (size_t)f.d + 1, sizeof *block);
    f.origin = block, f.u = block + f.d, f.v = block + 2 * f.d, f.scale = block + 3 * f.d, f.fill = block + 4 * f.d;
    find_medians(&f);
    int code = choose_plane(s, p, x, y, &f, out);
    if (code == EXIT_OK) {
        place_rows(&f, out);
        code = answer_grid(s, p, &f, out);
    }
    free(block);
    return code;
}

void plane_free(plane *p)
{
    free(p->x_name);
    free(p->y_name);
    free(p->answer);
    free(p->x);
    free(p->y);
    *p = (plane){0};
}
