// SPDX-License-Identifier: BSD-3-Clause
#include "data/query.h"

#include <ctype.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "core/output.h"

typedef struct {
    double *number; /* of every row; NaN: missing, or a text */
    char **text;    /* of every row; NULL: missing, or a number */
    bool words;     /* a row has text */
} selected_column;

typedef struct {
    const char *path;
    sqlite3 *db;
    sqlite3_stmt *statement;
    int n_columns;
    int64_t n_rows, room;
    selected_column *columns;
} query;

static int say_error(const query *q)
{
    complain("%s: %s", q->path, sqlite3_errmsg(q->db));
    return FAILED;
}

static int prepare(session *s, query *q, const char *sql)
{
    const char *rest;
    if (sqlite3_open_v2(q->path, &q->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(q->db, sql, -1, &q->statement, &rest) != SQLITE_OK)
        return say_error(q);
    while (isspace((unsigned char)*rest)) rest++;
    if (*rest || !q->statement || !sqlite3_stmt_readonly(q->statement) || !sqlite3_column_count(q->statement)) {
        complain("%s: --sql '%s': expected one query, such as \"select * from grades\"", s->command, sql);
        return USAGE;
    }
    q->n_columns = sqlite3_column_count(q->statement);
    q->columns = allocate((size_t)q->n_columns, sizeof *q->columns);
    return EXIT_OK;
}

static void *grown(void *list, int64_t n, int64_t room, size_t size)
{
    void *more = allocate((size_t)room, size);
    if (n) memcpy(more, list, (size_t)n * size);
    free(list);
    return more;
}

/* As in a file, more digits than a number keeps are a code, such as an account. */
static void take_whole(selected_column *c, int64_t row, int64_t x)
{
    const int64_t most = 1000000000000000;
    if (x > -most && x < most) {
        c->number[row] = (double)x;
        return;
    }
    c->words = true;
    c->text[row] = text_of("%lld", (long long)x);
}

static int take_cell(const query *q, int64_t row, int j)
{
    selected_column *c = &q->columns[j];
    c->number[row] = NAN;
    switch (sqlite3_column_type(q->statement, j)) {
    case SQLITE_NULL: break;
    case SQLITE_INTEGER: take_whole(c, row, sqlite3_column_int64(q->statement, j)); break;
    case SQLITE_FLOAT: c->number[row] = sqlite3_column_double(q->statement, j); break;
    case SQLITE_TEXT:
        c->words = true;
        c->text[row] = text_of("%s", (const char *)sqlite3_column_text(q->statement, j));
        break;
    default:
        complain("%s: row %lld, column '%s' holds bytes (a blob); leave the column out of the query", q->path,
                 (long long)row + 1, sqlite3_column_name(q->statement, j));
        return FAILED;
    }
    return EXIT_OK;
}

static int take_rows(query *q)
{
    int step;
    while ((step = sqlite3_step(q->statement)) == SQLITE_ROW) {
        if (q->n_rows == q->room) {
            q->room = 2 * q->room + 256;
            for (int j = 0; j < q->n_columns; j++) {
                selected_column *c = &q->columns[j];
                c->number = grown(c->number, q->n_rows, q->room, sizeof *c->number);
                c->text = grown(c->text, q->n_rows, q->room, sizeof *c->text);
            }
        }
        int64_t row = q->n_rows++;
        for (int j = 0; j < q->n_columns; j++) {
            int code = take_cell(q, row, j);
            if (code != EXIT_OK) return code;
        }
    }
    if (step != SQLITE_DONE) return say_error(q);
    if (q->n_rows) return EXIT_OK;
    complain("%s: the query selects no rows", q->path);
    return FAILED;
}

/* A number as a cell beside texts. Three digits behind the point could part thousands, so they get a fourth. */
static char *cell_of(double x)
{
    number_text n = number_of(x);
    const char *point = strchr(n.text, '.');
    return text_of("%s%s", n.text, point && strlen(point) == 4 && !strchr(n.text, 'e') ? "0" : "");
}

/* As a file would have them: what a table made from a CSV file holds are its cells. */
static rung_status add_cells(rung_ctx *ctx, const query *q, int j, rung_table *table)
{
    selected_column *c = &q->columns[j];
    for (int64_t i = 0; i < q->n_rows; i++)
        if (!c->text[i] && !isnan(c->number[i])) c->text[i] = cell_of(c->number[i]);
    return rung_table_add_cells(ctx, table, sqlite3_column_name(q->statement, j), (const char *const *)c->text);
}

static int make_table(session *s, const query *q, rung_table **out)
{
    CHECK(s, rung_table_new(s->ctx, q->n_rows, out));
    for (int j = 0; j < q->n_columns; j++) {
        const char *name = sqlite3_column_name(q->statement, j);
        selected_column *c = &q->columns[j];
        CHECK(s, c->words ? add_cells(s->ctx, q, j, *out) : rung_table_add_numbers(s->ctx, *out, name, c->number, 1));
    }
    return EXIT_OK;
}

static void close_query(query *q)
{
    for (int j = 0; q->columns && j < q->n_columns; j++) {
        for (int64_t i = 0; i < q->n_rows; i++) free(q->columns[j].text[i]);
        free(q->columns[j].text);
        free(q->columns[j].number);
    }
    free(q->columns);
    sqlite3_finalize(q->statement);
    sqlite3_close(q->db);
}

int query_read(session *s, const char *path, const char *sql, rung_table **out)
{
    query q = {.path = path};
    *out = NULL;
    int code = prepare(s, &q, sql);
    if (code == EXIT_OK) code = take_rows(&q);
    if (code == EXIT_OK) code = make_table(s, &q, out);
    if (code != EXIT_OK) {
        rung_table_free(*out);
        *out = NULL;
    }
    close_query(&q);
    return code;
}
