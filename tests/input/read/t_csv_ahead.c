// SPDX-License-Identifier: BSD-3-Clause
/* CSV files that all threads read: the same table, the same lines and the same errors as one thread finds, and as the
 * reader finds that takes row after row, which a doubled quote in every row makes it do. */
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"

#include "base/rng.h"

enum { PIECE = 1 << 18, THREADS = 5, MOST_COLUMNS = 6 };

typedef struct {
    char *text;
    size_t n, room;
} writing;

static void put(writing *w, const char *text)
{
    size_t n = strlen(text);
    if (w->n + n + 1 > w->room) {
        w->room = 2 * (w->n + n + 1);
        w->text = realloc(w->text, w->room);
    }
    memcpy(w->text + w->n, text, n + 1);
    w->n += n;
}

typedef struct { /* of a hundred cells or rows; kinds of trouble */
    int quoted, broken, doubled, missing, blank_lines, spaces, odd, crlf, long_cell;
    bool numbers_only;
    char delimiter;
} style;

static void put_number(writing *w, rng *r, const style *s)
{
    static const char *const odd[] = {"1e400", "nan", "N/A", "-", "1e", "true", "0x1", "1 000", "inf", "\"1.5\"", "+5"};
    static const char *const forms[] = {"%.3f", "%.17g", "%.0f", "%.6e", "%.1f", "%.19e"};
    char text[64];
    if (rng_below(r, 1000) < s->odd) {
        put(w, odd[rng_below(r, sizeof odd / sizeof *odd)]);
        return;
    }
    double x = rng_normal(r) * (rng_below(r, 2) ? 1 : 1e6);
    snprintf(text, sizeof text, forms[rng_below(r, sizeof forms / sizeof *forms)], x);
    put(w, text);
}

static void put_text(writing *w, rng *r, const style *s)
{
    static const char *const words[] = {
        "red",      "dark blue", "x",          "NA",       "?",
        "\xc3\xa4", "violet",    "a;b,c|d\te", "5\" pipe", "a quite long word that needs more than eight bytes"};
    char one[64], delimiter[] = {s->delimiter, 0};
    const char *word = words[rng_below(r, sizeof words / sizeof *words)];
    bool quoted = rng_below(r, 100) < s->quoted || strstr(word, delimiter);
    if (strchr(word, '"') && quoted) word = "pipe";
    if (rng_below(r, 20) == 0) snprintf(one, sizeof one, "id%d", (int)rng_below(r, 100000)), word = one;
    if (quoted) put(w, "\"");
    put(w, word);
    if (quoted && rng_below(r, 100) < s->broken) put(w, "\n1,2,3\n");
    if (quoted && rng_below(r, 100) < s->doubled) put(w, "\"\"x");
    for (int k = 0; k < 3000 && rng_below(r, 100000) < s->long_cell; k++)
        put(w, quoted ? "long, and longer " : "longer and longer ");
    if (quoted) put(w, "\"");
}

/* Returns what the second form adds. */
static size_t put_row(writing *w, rng *r, const style *s, int columns, bool slow)
{
    char delimiter[] = {s->delimiter, 0};
    for (int j = 0; j < columns; j++) {
        if (j > 0) put(w, delimiter);
        if (rng_below(r, 100) < s->spaces) put(w, "  ");
        if (rng_below(r, 100) >= s->missing || columns == 1)
            j % 2 && !s->numbers_only ? put_text(w, r, s) : put_number(w, r, s);
        if (rng_below(r, 100) < s->spaces) put(w, " ");
    }
    if (!slow) return 0;
    put(w, delimiter);
    put(w, "\"a\"\"b\"");
    return 7;
}

static void put_end(writing *w, rng *r, const style *s)
{
    const char *end = rng_below(r, 100) < s->crlf ? "\r\n" : "\n";
    put(w, end);
    if (rng_below(r, 100) < s->blank_lines) put(w, end);
}

/* The same table twice; in the second form every row needs a second look. bad: a row that no table has, or NULL. */
static char *random_file(uint64_t seed, bool slow, size_t size, const char *bad, size_t *length)
{
    rng r;
    rng_open(&r, seed, 0);
    style s = {.delimiter = ",;\t|"[rng_below(&r, 4)], .numbers_only = rng_below(&r, 3) == 0};
    int *const share[] = {&s.quoted, &s.broken, &s.doubled, &s.missing, &s.blank_lines, &s.spaces, &s.odd, &s.crlf};
    for (size_t k = 0; k < sizeof share / sizeof *share; k++) *share[k] = rng_below(&r, 2) ? (int)rng_below(&r, 30) : 0;
    if (rng_below(&r, 3) == 0) s.crlf = 100;
    if (rng_below(&r, 3) == 0) s.long_cell = 99990;
    int columns = 2 + (int)rng_below(&r, MOST_COLUMNS - 1); /* one alone may have blank lines */
    if (!slow && seed % 5 == 0) columns = 1;
    writing w = {0};
    if (rng_below(&r, 4) == 0) put(&w, "\xef\xbb\xbf");
    size_t bad_at = bad ? (size_t)rng_below(&r, (int64_t)size) : SIZE_MAX;
    for (size_t written = 0, row = 0; written < size; row++) {
        size_t before = w.n, added = 0;
        char name[32], delimiter[] = {s.delimiter, 0};
        for (int j = 0; row == 0 && j < columns; j++) {
            snprintf(name, sizeof name, "%sname%d", j ? delimiter : "", j);
            put(&w, name);
        }
        if (row == 0 && slow) put(&w, delimiter), put(&w, "slow"), added = 5;
        if (row > 0 && written > bad_at)
            put(&w, bad), bad_at = SIZE_MAX;
        else if (row > 0)
            added = put_row(&w, &r, &s, columns, slow);
        put_end(&w, &r, &s);
        written += w.n - before - added;
    }
    if (rng_below(&r, 2)) w.text[w.n -= 1] = 0; /* no last line break */
    *length = w.n;
    return w.text;
}

static void same_column(const rung_table *a, const rung_table *b, int64_t j, uint64_t seed)
{
    const column *p = &a->columns[j], *q = &b->columns[j];
    if (p->kind != q->kind || p->n_values != q->n_values || p->marks != q->marks || p->odd_row != q->odd_row)
        fail_msg("seed %d: column %d differs", (int)seed, (int)j);
    for (int32_t v = 0; v < p->n_values; v++) assert_string_equal(p->values[v], q->values[v]);
    for (int64_t i = 0; i < a->n_rows; i++) {
        bool same = p->kind == COLUMN_TEXT ? p->text[i] == q->text[i] : memcmp(&p->number[i], &q->number[i], 8) == 0;
        if (!same && !(p->kind == COLUMN_NUMBER && isnan(p->number[i]) && isnan(q->number[i])))
            fail_msg("seed %d: row %d, column %d differs", (int)seed, (int)i, (int)j);
    }
}

static void same_table(const rung_table *a, const rung_table *b, int64_t columns, uint64_t seed)
{
    if (a->n_rows != b->n_rows) fail_msg("seed %d: %d and %d rows", (int)seed, (int)a->n_rows, (int)b->n_rows);
    for (int64_t i = 0; i < a->n_rows; i++)
        if (table_line(a, i) != table_line(b, i)) fail_msg("seed %d: the line of row %d differs", (int)seed, (int)i);
    for (int64_t j = 0; j < columns; j++) same_column(a, b, j, seed);
}

static void threads_read_what_one_does(void **state)
{
    rung_ctx *ctx = *state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        rung_table *t[3] = {NULL};
        for (int k = 0; k < 3; k++) {
            size_t length;
            char *text = random_file(seed, k == 2, seed % 4 ? PIECE / 3 : 5 * PIECE, NULL, &length);
            ctx->threads = k == 0 ? 1 : THREADS;
            assert_ok(ctx, read_bytes(ctx, text, length, NULL, &t[k]));
            free(text);
        }
        same_table(t[0], t[1], t[0]->n_columns, seed);
        if (t[0]->n_columns > 1) same_table(t[0], t[2], t[0]->n_columns, seed);
        for (int k = 0; k < 3; k++) table_free(t[k]);
    }
}

/* The message behind the name of the file. */
static const char *said(const rung_ctx *ctx)
{
    const char *line = strstr(ctx->message, ", line ");
    return line ? line : ctx->message;
}

static void threads_find_the_same_errors(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const bad[] = {"1,,,,,,,,;;;;;;;;\t\t\t\t\t\t\t\t||||||||", "\"never closed", "\"a\" b",
                                      "\"\xff\""};
    for (uint64_t seed = 1; seed <= 32; seed++) {
        char message[3][CONTEXT_MESSAGE];
        for (int k = 0; k < 3; k++) {
            size_t length;
            rung_table *t;
            char *text = random_file(seed, k == 2, 3 * PIECE, bad[seed % 4], &length);
            ctx->threads = k == 0 ? 1 : THREADS;
            rung_status status = read_bytes(ctx, text, length, NULL, &t);
            snprintf(message[k], sizeof message[k], "%s", status == RUNG_OK ? "" : said(ctx));
            table_free(t);
            free(text);
            if (k == 2 && (seed % 5 == 0 || seed % 4 == 1)) continue; /* an open quote ends at the next one */
            if (k == 2)
                message[0][strcspn(message[0] + 2, ",:") + 2] = message[2][strcspn(message[2] + 2, ",:") + 2] = 0;
            if (strcmp(message[0], message[k]) != 0)
                fail_msg("seed %d, %d: %s and %s (%s)", (int)seed, k, message[0], message[k], ctx->message);
        }
    }
}

/* Blocks end anywhere in what was read ahead, and a block has words of its own. */
static void blocks_do_not_depend_on_threads(void **state)
{
    rung_ctx *ctx = *state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        size_t length;
        char *text = random_file(seed, false, 3 * PIECE, NULL, &length);
        temp file = temp_file(text, length);
        rung_read_options how = {.size = sizeof how, .text = 1};
        rung_reader *reader[2];
        rng r;
        rng_open(&r, seed, 1);
        for (int k = 0; k < 2; k++) assert_ok(ctx, reader_open(ctx, file.path, &how, NULL, &reader[k]));
        for (bool more = true; more;) {
            int64_t rows = 1 + rng_below(&r, 5000);
            rung_table *t[2];
            for (int k = 0; k < 2; k++) {
                ctx->threads = k ? THREADS : 1;
                assert_ok(ctx, reader_next(ctx, reader[k], rows, &t[k]));
            }
            more = t[0] != NULL;
            if (more) same_table(t[0], t[1], t[0]->n_columns, seed);
            assert_true(more == (t[1] != NULL));
            for (int k = 0; k < 2; k++) table_free(t[k]);
        }
        for (int k = 0; k < 2; k++) reader_close(reader[k]);
        unlink(file.path);
        free(text);
    }
}

/* Every cut is inside a quoted cell whose lines look like rows. */
static void lines_in_quotes_are_no_rows(void **state)
{
    rung_ctx *ctx = *state;
    writing w = {0};
    put(&w, "a,b\n");
    for (int i = 0; i < 3; i++) {
        put(&w, "1,\"");
        for (int k = 0; k < PIECE / 2; k++) put(&w, "3,4\n");
        put(&w, "\"\n");
    }
    rung_table *t;
    ctx->threads = THREADS;
    assert_ok(ctx, read_bytes(ctx, w.text, w.n, NULL, &t));
    assert_int_equal(t->n_rows, 3);
    assert_int_equal(table_line(t, 2), 2 + 2 * (PIECE / 2 + 1));
    assert_int_equal(t->columns[1].n_values, 1);
    table_free(t);
    free(w.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(threads_read_what_one_does),
        WITH_CONTEXT(threads_find_the_same_errors),
        WITH_CONTEXT(blocks_do_not_depend_on_threads),
        WITH_CONTEXT(lines_in_quotes_are_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
