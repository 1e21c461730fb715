// SPDX-License-Identifier: BSD-3-Clause
#include "data/datafile.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/output.h"
#include "data/query.h"

#define GROUP "Reading files"
const option reader_options[] = {
    {"format", 0, "csv|libsvm|arff|orca|spss|stata|sas|xlsx", "file format (default: by name and content)", GROUP},
    {"no-header", 0, NULL, "the first row holds data, not column names", GROUP},
    {"delimiter", 0, "C", "cell separator: a character, or tab (default: detected)", GROUP},
    {"encoding", 0, "utf-8|utf-16|cp1252|latin1",
     "how letters are stored (default: recognised; UTF-16 by the mark it begins with)", GROUP},
    {"decimal", 0, "C", "the decimal point, such as , for 3,14 (default .)", GROUP},
    {"sheet", 0, "NAME|N", "of a workbook, the sheet of this name or number (default: the first)", GROUP},
    {"sql", 0, "QUERY", "DATA is an SQLite database: the rows this selects", GROUP},
    {0}};

/* A single character, or its name. */
static bool parse_character(const char *text, char *out)
{
    if (!strcmp(text, "tab") || !strcmp(text, "\\t"))
        *out = '\t';
    else if (!strcmp(text, "space"))
        *out = ' ';
    else if (text[0] && !text[1])
        *out = text[0];
    else
        return false;
    return true;
}

int datafile_options(session *s, const arguments *args, rung_read_options *out)
{
    *out = (rung_read_options){.size = sizeof(rung_read_options),
                               .format = option_value(args, "format"),
                               .encoding = option_value(args, "encoding"),
                               .sheet = option_value(args, "sheet"),
                               .header = option_given(args, "no-header") ? RUNG_HEADER_ABSENT : RUNG_HEADER_AUTO};
    const char *delimiter = option_value(args, "delimiter"), *decimal = option_value(args, "decimal");
    if (delimiter && !parse_character(delimiter, &out->delimiter)) {
        complain("%s: --delimiter '%s': expected a single character, or tab", s->command, delimiter);
        return USAGE;
    }
    if (decimal && !parse_character(decimal, &out->decimal)) {
        complain("%s: --decimal '%s': expected a single character", s->command, decimal);
        return USAGE;
    }
    return EXIT_OK;
}

static int read_as(session *s, const arguments *args, const char *path, int text, rung_table **out)
{
    rung_read_options how = {.size = sizeof how};
    int code = datafile_options(s, args, &how);
    if (code != EXIT_OK) return code;
    how.text = text;
    const char *sql = option_value(args, "sql");
    return sql ? query_read(s, path, sql, out) : session_check(s, rung_table_read(s->ctx, path, &how, out));
}

int datafile_read(session *s, const arguments *args, const char *path, rung_table **out)
{
    return read_as(s, args, path, 0, out);
}

int datafile_read_text(session *s, const arguments *args, const char *path, rung_table **out)
{
    return read_as(s, args, path, 1, out);
}

static bool overwrites(session *s, const arguments *args, const rung_files *files)
{
    const option *by;
    const char *to, *path;
    for (int at = 0; (to = option_written(args, &at, &by));)
        for (int64_t i = 0; (path = rung_files_at(files, i)); i++) {
            if (!output_same_file(to, path)) continue;
            complain("%s: --%s %s would overwrite the input %s; give another file", s->command, by->name, to, path);
            return true;
        }
    return false;
}

int datafile_list(session *s, const arguments *args, int first, rung_files **out)
{
    const char **names = allocate((size_t)args->operands + 1, sizeof *names);
    for (int i = first; i < args->operands; i++) names[i - first] = operand(args, i);
    int code = session_check(s, rung_files_new(s->ctx, names, out));
    free(names);
    return code == EXIT_OK && overwrites(s, args, *out) ? USAGE : code;
}

static int one_database(const session *s, const arguments *args, int first)
{
    if (!option_value(args, "sql") || args->operands <= first + 1) return EXIT_OK;
    complain("%s: --sql selects from a single database", s->command);
    return USAGE;
}

int datafile_read_all(session *s, const arguments *args, int first, rung_table **out)
{
    if (one_database(s, args, first) != EXIT_OK) return USAGE;
    if (option_value(args, "sql")) return datafile_read(s, args, operand(args, first), out);
    rung_files *files = NULL;
    rung_read_options how = {.size = sizeof how};
    int code = datafile_options(s, args, &how);
    if (code == EXIT_OK) code = datafile_list(s, args, first, &files);
    if (code == EXIT_OK) code = session_check(s, rung_table_read_files(s->ctx, files, &how, out));
    rung_files_free(files);
    return code;
}

char *datafile_name(const arguments *args, int first)
{
    int more = args->operands - first - 1;
    const char *name = operand(args, first);
    return more > 0 ? text_of("%s and %d more", name, more) : text_of("%s", name);
}

int order_option(session *s, const arguments *args, const char **out)
{
    *out = option_value(args, "order");
    if (!*out || strchr(*out, '<')) return EXIT_OK;
    complain("%s: --order '%s': expected the classes, lowest first, separated by <, such as \"low<mid<high\"",
             s->command, *out);
    return USAGE;
}

int load_model(session *s, const char *path, rung_model **out)
{
    if (!strcmp(path, "-")) {
        complain("%s: a model must be read from a file, not from standard input", s->command);
        return USAGE;
    }
    CHECK(s, rung_model_load(s->ctx, path, out));
    return EXIT_OK;
}

int model_possible(session *s, const char *path)
{
    if (strcmp(path, "-")) return output_possible(path) ? EXIT_OK : FAILED;
    complain("%s: -o -: a model must be written to a file, not to standard output", s->command);
    return USAGE;
}

static int read_list_for(session *s, const arguments *args, const rung_model *model, const rung_files *files, int text,
                         rung_table **out)
{
    rung_read_options how = {.size = sizeof how};
    int code = datafile_options(s, args, &how);
    how.text = text;
    return code == EXIT_OK ? session_check(s, rung_model_read(s->ctx, model, files, &how, out)) : code;
}

static int read_one_for(session *s, const arguments *args, const rung_model *model, const char *path, int text,
                        rung_table **out)
{
    const char *sql = option_value(args, "sql");
    rung_files *files = NULL;
    if (sql) return query_read(s, path, sql, out);
    int code = session_check(s, rung_files_new(s->ctx, (const char *const[]){path, NULL}, &files));
    if (code == EXIT_OK) code = read_list_for(s, args, model, files, text, out);
    rung_files_free(files);
    return code;
}

int datafile_read_for(session *s, const arguments *args, const rung_model *model, const char *path, rung_table **out)
{
    return read_one_for(s, args, model, path, 0, out);
}

int datafile_read_for_all(session *s, const arguments *args, const rung_model *first, const char *path,
                          rung_table **out)
{
    return read_one_for(s, args, first, path, 1, out);
}

int datafile_encode(session *s, const arguments *args, const rung_model *model, const char *path, rung_labels labels,
                    rung_data **out)
{
    rung_table *table = NULL;
    int code = datafile_read_for(s, args, model, path, &table);
    if (code == EXIT_OK) code = session_check(s, rung_model_encode(s->ctx, model, table, labels, out));
    rung_table_free(table);
    return code;
}

int datafile_table_for_model(session *s, const arguments *args, rung_labels labels, rung_model **model,
                             rung_data **data, rung_table **table)
{
    rung_files *files = NULL;
    int code = load_model(s, operand(args, 0), model);
    if (code == EXIT_OK) code = one_database(s, args, 1);
    if (code == EXIT_OK && option_value(args, "sql")) {
        code = datafile_read_for(s, args, *model, operand(args, RUNG_LABELS_OPTIONAL), table);
    } else {
        if (code == EXIT_OK) code = datafile_list(s, args, RUNG_LABELS_OPTIONAL, &files);
        if (code == EXIT_OK) code = read_list_for(s, args, *model, files, 0, table);
    }
    if (code == EXIT_OK) code = session_check(s, rung_model_encode(s->ctx, *model, *table, labels, data));
    rung_files_free(files);
    return code;
}

int datafile_for_model(session *s, const arguments *args, rung_labels labels, rung_model **model, rung_data **data)
{
    rung_table *table = NULL;
    int code = datafile_table_for_model(s, args, labels, model, data, &table);
    rung_table_free(table);
    return code;
}

/* The place of a column by name or position from 1; -1, after a complaint: there is none. */
static int64_t column_given(const session *s, const char *key, const char *name, const rung_table *table)
{
    int64_t columns = rung_table_columns(table);
    long long position;
    for (int64_t j = 0; j < columns; j++)
        if (!strcmp(rung_table_name(table, j), name)) return j;
    if (parse_whole(name, 1, columns, &position)) return position - 1;
    complain("%s: --%s %s: the data have no such column", s->command, key, name);
    return -1;
}

int datafile_weights(session *s, const arguments *args, const char *key, const rung_table *table, double **out)
{
    const char *name = option_value(args, key);
    int64_t n = rung_table_rows(table), j = name ? column_given(s, key, name, table) : -1;
    char cell[64];
    *out = NULL;
    if (!name) return EXIT_OK;
    if (j < 0) return USAGE;
    *out = allocate((size_t)n + 1, sizeof **out);
    for (int64_t i = 0; i < n; i++) {
        int64_t length = rung_table_cell(table, i, j, cell, sizeof cell);
        if (length < (int64_t)sizeof cell && parse_double(cell, &(*out)[i]) && (*out)[i] >= 0) continue;
        complain("%s: --%s %s: '%s' in row %lld is not a weight: expected a number >= 0", s->command, key, name, cell,
                 (long long)i + 1);
        return FAILED;
    }
    return EXIT_OK;
}

typedef struct {
    char *text;
    int64_t row;
} named_row;

static int by_text(const void *a, const void *b)
{
    const named_row *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : (x->row > y->row) - (x->row < y->row);
}

int datafile_groups(session *s, const arguments *args, const char *key, const rung_table *table, int **out)
{
    const char *name = option_value(args, key);
    int64_t n = rung_table_rows(table), j = name ? column_given(s, key, name, table) : -1;
    *out = NULL;
    if (!name) return EXIT_OK;
    if (j < 0) return USAGE;
    named_row *rows = allocate((size_t)n + 1, sizeof *rows);
    *out = allocate((size_t)n + 1, sizeof **out);
    for (int64_t i = 0; i < n; i++) {
        int64_t size = rung_table_cell(table, i, j, NULL, 0) + 1;
        rows[i] = (named_row){allocate((size_t)size, 1), i};
        rung_table_cell(table, i, j, rows[i].text, size);
    }
    qsort(rows, (size_t)n, sizeof *rows, by_text);
    int group = 0;
    for (int64_t k = 0; k < n; k++) {
        /* a row without a name is a group of its own, as in a fit */
        group += k == 0 || !*rows[k].text || strcmp(rows[k].text, rows[k - 1].text) != 0;
        (*out)[rows[k].row] = group;
    }
    for (int64_t k = 0; k < n; k++) free(rows[k].text);
    free(rows);
    return EXIT_OK;
}

static bool is_mark(const rung_table *table, int64_t row, int64_t column)
{
    char text[8];
    int64_t length = rung_table_cell(table, row, column, text, sizeof text);
    return length == 0 || (length < (int64_t)sizeof text && (!strcmp(text, "chosen") || !strcmp(text, "random")));
}

int64_t datafile_marks(const rung_table *table)
{
    int64_t rows = rung_table_rows(table);
    for (int64_t j = 0; j < rung_table_columns(table); j++) {
        if (strcasecmp(rung_table_name(table, j), "suggested")) continue;
        int64_t i = 0;
        while (i < rows && is_mark(table, i, j)) i++;
        if (i == rows) return j;
    }
    return -1;
}
