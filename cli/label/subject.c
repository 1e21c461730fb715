// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE /* realpath */
#include "label/subject.h"

#include <stdlib.h>
#include <string.h>

#include "data/datafile.h"
#include "data/learn.h"
#include "label/head.h"

#define GROUP "Data"
const option subject_options[] = {
    {"label", 'l', "COLUMN", "column of the grades, new or in the file (default label)", GROUP},
    {"order", 0, "A<B<C",
     "the grades, lowest first (default: those of the journal, else the labels of DATA if they are numbers)", GROUP},
    {"text", 0, "COLUMN", "show this column as running text; no feature; may be repeated", GROUP},
    {"images", 0, "COLUMN", "show the pictures that this column names, in the folder of DATA; may be repeated", GROUP},
    {"ignore", 0, "COL[,COL]", "columns to show, but not to learn from; may be repeated", GROUP},
    FEATURE_OPTIONS(GROUP),
    {0}};

/* ---- cells ---- */

char *subject_cell(const subject *u, int64_t row, int64_t column)
{
    int64_t length = rung_table_cell(u->cells, row, column, NULL, 0);
    char *text = allocate((size_t)length + 1, 1);
    rung_table_cell(u->cells, row, column, text, length + 1);
    return text;
}

char *subject_column(const subject *u, int64_t column)
{
    const char *name = rung_table_name(u->cells, column);
    return *name ? text_of("%s", name) : text_of("column%lld", (long long)column + 1);
}

uint64_t subject_check(const subject *u, int64_t row) /* FNV-1a, with a byte that ends each cell */
{
    uint64_t hash = 0xcbf29ce484222325;
    for (int64_t j = 0; j < u->columns; j++) {
        if (j == u->label) continue;
        char *text = subject_cell(u, row, j);
        for (const char *c = text;; c++) {
            hash = (hash ^ (unsigned char)(*c ? *c : 0x1f)) * 0x100000001b3;
            if (!*c) break;
        }
        free(text);
    }
    return hash;
}

/* By name, then by position from 1; -1: neither. */
static int64_t find_column(const subject *u, const char *text)
{
    long long position;
    for (int64_t j = 0; j < u->columns; j++)
        if (!strcmp(rung_table_name(u->cells, j), text)) return j;
    return parse_whole(text, 1, u->columns, &position) ? position - 1 : -1;
}

/* ---- labels ---- */

char *subject_label(const subject *u, int low, int high)
{
    return low == high ? text_of("%s", u->class_name[low - 1])
                       : text_of("%s..%s", u->class_name[low - 1], u->class_name[high - 1]);
}

bool subject_ranks(const subject *u, const char *label, int *low, int *high)
{
    return rung_label_ranks(u->classes, (const char *const *)u->class_name, label, low, high);
}

/* The library reads the order and the labels, so that they mean here what they mean to a fit. */
static void take_classes(subject *u, const rung_data *data)
{
    const int *rank = rung_data_ranks(data), *upper = rung_data_uppers(data);
    u->classes = rung_data_classes(data);
    u->class_name = allocate((size_t)u->classes, sizeof *u->class_name);
    for (int k = 0; k < u->classes; k++) u->class_name[k] = text_of("%s", rung_data_class_name(data, k + 1));
    for (int64_t i = 0; u->label >= 0 && i < u->rows; i++) {
        u->given[i] = rank[i];
        u->given_upper[i] = upper ? upper[i] : rank[i];
    }
}

/* The classes of an order, for a file without the column. */
static int classes_alone(session *s, subject *u, const char *order)
{
    rung_data *data = NULL;
    const char *const none = NULL;
    int code = session_check(s, rung_data_new_labels(s->ctx, 1, &none, order, &data));
    if (code == EXIT_OK) take_classes(u, data);
    rung_data_free(data);
    return code;
}

bool subject_classes(subject *u, int classes, char *const *names)
{
    bool same = u->classes == classes || u->classes == 0;
    for (int k = 0; same && k < u->classes; k++) same = !strcmp(u->class_name[k], names[k]);
    if (!same || u->classes) return same;
    u->classes = classes;
    u->class_name = allocate((size_t)classes, sizeof *u->class_name);
    for (int k = 0; k < classes; k++) u->class_name[k] = text_of("%s", names[k]);
    return true;
}

/* ---- reading ---- */

static int mark_columns(session *s, const arguments *args, subject *u, const char *name, shown_as how)
{
    const char *text;
    for (int at = 0; (text = option_each(args, name, &at));) {
        int64_t j = find_column(u, text);
        if (j < 0 || j == u->label) {
            complain("%s: --%s %s: %s has no such column%s", s->command, name, text, u->path,
                     j < 0 ? "" : " beside that of the grades");
            return USAGE;
        }
        u->shown[j] = how;
    }
    return EXIT_OK;
}

/* Columns of texts and pictures are shown, not learned from. Returns how many columns are left; *out: to be freed. */
static int64_t not_learned(const subject *u, int **out)
{
    int64_t left = u->columns - (u->label >= 0);
    *out = allocate((size_t)u->columns, sizeof **out);
    for (int64_t j = 0; j < u->columns; j++) {
        (*out)[j] = u->shown[j] != SHOWN_CELL;
        left -= (*out)[j];
    }
    return left;
}

/* Grading goes on without a model where no column is left to learn from. */
static int code_columns(session *s, const arguments *args, subject *u, const rung_table *table, const char *order)
{
    int *left_out, code = EXIT_OK;
    int64_t left = not_learned(u, &left_out);
    rung_data *data = NULL;
    if (left > 0 || u->label >= 0)
        code = learn_encode(s, args, table, u->label, order, left > 0 ? left_out : NULL, &data);
    if (code == EXIT_OK && u->label >= 0)
        take_classes(u, data);
    else if (code == EXIT_OK && order)
        code = classes_alone(s, u, order);
    if (left > 0)
        u->data = data;
    else
        rung_data_free(data);
    if (left == 0) u->no_data = text_of("there is no column to learn from: each is a text or a picture");
    free(left_out);
    return code;
}

/* The order of --order or else, for the column that it is about, that of the journal; NULL: none; to be freed. */
static int order_of(session *s, const arguments *args, const subject *u, const char *journal, char **out)
{
    const char *given;
    journal_head head;
    *out = NULL;
    int code = order_option(s, args, &given);
    if (code != EXIT_OK) return code;
    if (given)
        *out = text_of("%s", given);
    else if (head_of_file(journal, &head) && !strcmp(head.column, u->name))
        *out = head_order(&head);
    if (!given) head_free(&head);
    return EXIT_OK;
}

static int read_table(session *s, const arguments *args, const char *journal, subject *u)
{
    const char *wanted = option_value(args, "label");
    char *order = NULL;
    rung_table *table = NULL;
    int code = datafile_read_text(s, args, u->path, &u->cells);
    if (code != EXIT_OK) return code;
    u->rows = rung_table_rows(u->cells);
    u->columns = rung_table_columns(u->cells);
    u->shown = allocate((size_t)u->columns, sizeof *u->shown);
    u->given = allocate((size_t)u->rows, sizeof *u->given);
    u->given_upper = allocate((size_t)u->rows, sizeof *u->given_upper);
    u->label = find_column(u, wanted ? wanted : "label");
    u->name = u->label >= 0 ? subject_column(u, u->label) : text_of("%s", wanted ? wanted : "label");
    code = order_of(s, args, u, journal, &order);
    if (code == EXIT_OK) code = mark_columns(s, args, u, "text", SHOWN_TEXT);
    if (code == EXIT_OK) code = mark_columns(s, args, u, "images", SHOWN_IMAGE);
    if (code == EXIT_OK) code = datafile_read(s, args, u->path, &table);
    if (code == EXIT_OK) code = code_columns(s, args, u, table, order);
    rung_table_free(table);
    free(order);
    return code;
}

int subject_read(session *s, const arguments *args, const char *journal, subject *out)
{
    *out = (subject){.path = operand(args, 0), .label = -1};
    if (!strcmp(out->path, "-")) {
        complain("%s: DATA must be a file: the grades are kept beside it", s->command);
        return USAGE;
    }
    int code = read_table(s, args, journal, out);
    if (code != EXIT_OK) return code;
    char *real = realpath(out->path, NULL), *slash = real ? strrchr(real, '/') : NULL;
    out->folder = slash ? text_of("%.*s", slash == real ? 1 : (int)(slash - real), real) : text_of(".");
    free(real);
    return EXIT_OK;
}

void subject_free(subject *u)
{
    for (int k = 0; k < u->classes; k++) free(u->class_name[k]);
    free(u->class_name);
    free(u->given);
    free(u->given_upper);
    free(u->shown);
    free(u->name);
    free(u->folder);
    free(u->no_data);
    rung_data_free(u->data);
    rung_table_free(u->cells);
}
