// SPDX-License-Identifier: BSD-3-Clause
#include "datafile.h"

#include <string.h>

#define GROUP "Reading files"
const option reader_options[] = {
    {"format", 0, "NAME", "csv (default: by file name, then by content)", GROUP},
    {"no-header", 0, NULL, "the first row is data, not names", GROUP},
    {"delimiter", 0, "C", "what separates cells: a character, or tab (default: recognised)", GROUP},
    {"decimal", 0, "C", "the decimal point, such as , for 3,14 (default .)", GROUP},
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

int datafile_read(session *s, const arguments *args, const char *path, rung_table **out)
{
    rung_read_options how = {.format = option_value(args, "format"),
                             .header = option_given(args, "no-header") ? -1 : 0};
    const char *delimiter = option_value(args, "delimiter"), *decimal = option_value(args, "decimal");
    if (delimiter && !parse_character(delimiter, &how.delimiter)) {
        complain("%s: --delimiter '%s': expected one character, or tab", s->command, delimiter);
        return USAGE;
    }
    if (decimal && !parse_character(decimal, &how.decimal)) {
        complain("%s: --decimal '%s': expected one character", s->command, decimal);
        return USAGE;
    }
    CHECK(s, rung_read(s->ctx, path, &how, out));
    return GOOD;
}

int load_model(session *s, const char *path, rung_model **out)
{
    if (!strcmp(path, "-")) {
        complain("%s: a model is read from a file, not from standard input", s->command);
        return USAGE;
    }
    CHECK(s, rung_load(s->ctx, path, out));
    return GOOD;
}

int datafile_for_model(session *s, const arguments *args, int labels, rung_model **model, rung_data **data)
{
    rung_table *table = NULL;
    int code = load_model(s, operand(args, 0), model);
    if (code == GOOD) code = datafile_read(s, args, operand(args, 1), &table);
    if (code == GOOD) code = session_check(s, rung_model_encode(s->ctx, *model, table, labels, data));
    rung_table_free(table);
    return code;
}
