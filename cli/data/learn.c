// SPDX-License-Identifier: BSD-3-Clause
#include "data/learn.h"

#include <stdlib.h>
#include <string.h>

#include "data/datafile.h"
#include "processes/processes.h"

#define GROUP "Data"
const option learn_options[] = {
    {"label", 'l', "COLUMN",
     "column of the labels, by name or position from 1 (default: label, else the last); a cell may be an interval of "
     "classes: 2..4, <=2",
     GROUP},
    {"formula", 0, "Y~A+B", "label and features as in R: 'grade ~ age*sex + poly(bmi, 2)'; other columns are left out",
     GROUP},
    {"order", 0, "A<B<C", "the classes, lowest first; needed when labels are text", GROUP},
    {"real", 0, NULL, "the labels are real numbers to be predicted (some methods)", GROUP},
    {"bins", 0, "Q[,width]",
     "the labels are real numbers: divide them into Q classes of equal frequency, or of equal width", GROUP},
    {"ignore", 0, "COL[,COL]", "columns to leave out; may be repeated", GROUP},
    FEATURE_OPTIONS(GROUP),
    {"random-effects", 0, "TERM",
     "columns of groups with effects of their own, for mixed: judge, school/class, '(temp | judge)'; may be repeated",
     GROUP},
    {"predict-groups", 0, "new|known",
     "the groups whose error is measured: hold out whole groups of --random-effects (the default), or rows one by one",
     GROUP},
    {"weights", 0, "COLUMN", "column of row weights", GROUP},
    {"weights-are", 0, "probability|frequency",
     "weights of a survey, which say how many people a row stands for, or counts of equal rows: what the standard "
     "errors of pom assume (default: whole numbers are counts)",
     GROUP},
    {"weight", 'w', "CLASS=W|balanced", "weight of a class, may be repeated; balanced: all classes count the same",
     GROUP},
    {"scale", 0, "standard|minmax|rank|relevance|none",
     "scaling of the feature columns (default standard); relevance: weighted by what boosted trees use", GROUP},
    {"equal-rows", 0, "together|apart|auto",
     "labelled rows that agree in every column: copies that are held out together, or replicates that are held out one "
     "by one (default auto: by counts)",
     GROUP},
    {"missing", 0, "median|error", "missing feature cells: replace them by the median (the default) or reject them",
     GROUP},
    {0}};

/* ---- the spec: checked before any data is read ---- */

/* NAME=VALUE cut at an equals sign; the name is to be freed, NULL: there was none. */
static char *cut(const char *text, const char *equals)
{
    return equals && equals > text ? text_of("%.*s", (int)(equals - text), text) : NULL;
}

static int set_params(session *s, const arguments *args, rung_spec *spec)
{
    const char *text;
    for (int at = 0; (text = option_each(args, "param", &at));) {
        const char *equals = strchr(text, '=');
        char *name = cut(text, equals);
        if (!name) {
            complain("%s: -p %s: expected NAME=VALUE, such as -p gamma=0.5", s->command, text);
            return USAGE;
        }
        rung_status status = rung_spec_set(s->ctx, spec, name, equals + 1);
        free(name);
        CHECK(s, status);
    }
    return EXIT_OK;
}

static int set_class_weights(session *s, const arguments *args, rung_spec *spec)
{
    const char *text;
    for (int at = 0; (text = option_each(args, "weight", &at));) {
        if (strcmp(text, "balanced") == 0) {
            CHECK(s, rung_spec_set_balanced(s->ctx, spec, 1));
            continue;
        }
        const char *equals = strrchr(text, '=');
        char *name = cut(text, equals);
        double weight;
        if (!name || !parse_double(equals + 1, &weight)) {
            complain("%s: -w %s: expected CLASS=WEIGHT, such as -w high=2, or balanced; a column of row weights is "
                     "--weights COLUMN",
                     s->command, text);
            free(name);
            return USAGE;
        }
        rung_status status = rung_spec_set_class_weight(s->ctx, spec, name, weight);
        free(name);
        CHECK(s, status);
    }
    return EXIT_OK;
}

/* What weights mean is a matter of standard errors alone. */
static int set_weights_are(session *s, const arguments *args, rung_spec *spec)
{
    const char *kind = option_value(args, "weights-are");
    if (!kind) return EXIT_OK;
    bool probability = !strcmp(kind, "probability");
    if (!option_given(args, "weights")) {
        complain("%s: --weights-are %s: which column are the weights? Give --weights COLUMN", s->command, kind);
        return USAGE;
    }
    if (strcmp(rung_spec_method(spec)->name, "pom") != 0) {
        complain("%s: --weights-are is about standard errors, which only pom has", s->command);
        return USAGE;
    }
    CHECK(s, rung_spec_set(s->ctx, spec, "errors", probability ? "robust" : "model"));
    return EXIT_OK;
}

int learn_spec(session *s, const arguments *args, const char *method, rung_spec **out)
{
    const char *scale = option_value(args, "scale"), *equal = option_value(args, "equal-rows");
    CHECK(s, rung_spec_new(s->ctx, method, option_given(args, "as-published"), out));
    if (option_given(args, "real") && !(rung_method_find(method)->flags & RUNG_METHOD_REAL_TARGETS)) {
        complain("%s: --real: %s predicts classes, not numbers; divide the numbers into classes with --bins Q",
                 s->command, method);
        return USAGE;
    }
    int code = set_params(s, args, *out);
    if (code == EXIT_OK) code = set_class_weights(s, args, *out);
    if (code == EXIT_OK) code = set_weights_are(s, args, *out);
    if (code == EXIT_OK && scale) code = session_check(s, rung_spec_set_scale(s->ctx, *out, scale));
    if (code == EXIT_OK && equal) code = session_check(s, rung_spec_set_equal_rows(s->ctx, *out, equal));
    return code;
}

/* ---- the data ---- */

/* Q, or Q,width */
static bool parse_bins(const char *text, rung_encode_options *how)
{
    long long bins;
    const char *comma = strchr(text, ',');
    if (comma && strcmp(comma, ",width")) return false;
    char *number = text_of("%.*s", comma ? (int)(comma - text) : (int)strlen(text), text);
    bool good = parse_whole(number, 2, RUNG_MOST_NUMERIC_CLASSES, &bins);
    free(number);
    if (!good) return false;
    how->bins = (int)bins;
    how->bins_width = comma != NULL;
    return true;
}

typedef struct { /* lists of columns, each to be freed */
    const char **ignore, **nominal, **numeric, **dates, **ordinal, **derive, **random;
} column_lists;

static int encode_options(session *s, const arguments *args, const column_lists *columns, rung_encode_options *out)
{
    rung_encode_options how = {.size = sizeof how,
                               .label = option_value(args, "label"),
                               .formula = option_value(args, "formula"),
                               .ignore = columns->ignore,
                               .nominal = columns->nominal,
                               .numeric = columns->numeric,
                               .dates = columns->dates,
                               .ordinal = columns->ordinal,
                               .derive = columns->derive,
                               .random = columns->random,
                               .weights = option_value(args, "weights"),
                               .groups = option_value(args, "groups"),
                               .unlabelled = option_given(args, "no-label"),
                               .real = option_given(args, "real")};
    const char *asked = option_value(args, "predict-groups"), *missing = option_value(args, "missing"),
               *bins = option_value(args, "bins");
    int code = order_option(s, args, &how.order);
    if (code != EXIT_OK) return code;
    how.known_groups = asked && !strcmp(asked, "known");
    how.missing_error = missing && !strcmp(missing, "error");
    if (bins && !parse_bins(bins, &how)) {
        complain("%s: --bins %s: expected a number of classes from 2 to %d, optionally followed by ,width", s->command,
                 bins, RUNG_MOST_NUMERIC_CLASSES);
        return USAGE;
    }
    if (how.real + (how.bins > 0) + (how.order != NULL) > 1) {
        complain("%s: --order (classes), --real (numbers) and --bins (numbers divided into classes) exclude each other",
                 s->command);
        return USAGE;
    }
    *out = how;
    return EXIT_OK;
}

static int encode_files(session *s, const arguments *args, const column_lists *columns, rung_table **table,
                        rung_data **out)
{
    rung_encode_options how;
    int code = encode_options(s, args, columns, &how);
    if (code == EXIT_OK) code = datafile_read_all(s, args, 0, table);
    return code == EXIT_OK ? session_check(s, rung_data_encode(s->ctx, *table, &how, out)) : code;
}

/* The columns that an option names, which may be repeated. */
static const char **columns_of(const arguments *args, const char *name)
{
    char *all = NULL;
    const char *text;
    for (int at = 0; (text = option_each(args, name, &at));) {
        char *longer = all ? text_of("%s,%s", all, text) : text_of("%s", text);
        free(all);
        all = longer;
    }
    const char **list = learn_columns(all);
    free(all);
    return list;
}

static column_lists lists_of(const arguments *args)
{
    return (column_lists){columns_of(args, "ignore"),          columns_of(args, "nominal"),
                          columns_of(args, "numeric"),         columns_of(args, "dates"),
                          learn_values(args, "ordinal"),       learn_values(args, "derive"),
                          learn_values(args, "random-effects")};
}

static void lists_free(column_lists *own)
{
    const char **lists[] = {own->ignore,  own->nominal, own->numeric, own->dates,
                            own->ordinal, own->derive,  own->random};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]);
}

int learn_table(session *s, const arguments *args, rung_table **table, rung_data **out)
{
    column_lists columns = lists_of(args);
    int code = encode_files(s, args, &columns, table, out);
    lists_free(&columns);
    return code;
}

int learn_encode(session *s, const arguments *args, const rung_table *table, int64_t label, const char *order,
                 const int *left_out, rung_data **out)
{
    column_lists columns = lists_of(args);
    rung_encode_options how;
    int code = encode_options(s, args, &columns, &how);
    how.label = NULL;
    how.label_place = label + 1;
    how.unlabelled = label < 0;
    how.order = label < 0 ? NULL : order;
    how.left_out = left_out;
    if (code == EXIT_OK) code = session_check(s, rung_data_encode(s->ctx, table, &how, out));
    lists_free(&columns);
    return code;
}

int learn_data(session *s, const arguments *args, rung_data **out)
{
    rung_table *table = NULL;
    int code = learn_table(s, args, &table, out);
    rung_table_free(table);
    return code;
}

/* Processes divide the rows among them only where these are read in passes. */
static int open_files(session *s, const arguments *args, const rung_encode_options *how, const rung_spec *spec,
                      rung_data **out)
{
    rung_files *files = NULL;
    rung_read_options reading = {.size = sizeof reading};
    bool shared = processes_all() > 1 || (processes_launched() && (rung_spec_method(spec)->flags & RUNG_METHOD_PASSES));
    rung_passes passes = shared || option_given(args, "passes") ? RUNG_PASSES_ALWAYS : RUNG_PASSES_AUTO;
    int code = datafile_options(s, args, &reading);
    if (code == EXIT_OK) code = datafile_list(s, args, 0, &files);
    if (code == EXIT_OK) code = session_check(s, rung_data_open(s->ctx, spec, files, &reading, how, passes, out));
    rung_files_free(files);
    return code;
}

int learn_rows(session *s, const arguments *args, const rung_spec *spec, rung_data **out)
{
    if (option_given(args, "sql")) return learn_data(s, args, out);
    column_lists columns = lists_of(args);
    rung_encode_options how;
    int code = encode_options(s, args, &columns, &how);
    if (code == EXIT_OK) code = open_files(s, args, &how, spec, out);
    lists_free(&columns);
    return code;
}

const char **learn_values(const arguments *args, const char *name)
{
    const char **list = allocate((size_t)args->n + 1, sizeof *list), *text;
    int n = 0;
    for (int at = 0; (text = option_each(args, name, &at));) list[n++] = text;
    return list;
}

const char **learn_list(char *text)
{
    size_t room = 2;
    for (const char *p = text; *p; p++) room += *p == ',';
    const char **list = allocate(room, sizeof *list);
    int n = 0;
    for (char *p = text; p;) {
        char *comma = strchr(p, ',');
        if (comma) *comma = 0;
        list[n++] = p;
        p = comma ? comma + 1 : NULL;
    }
    return list;
}

/* The end of an entry: a comma that does not stand in quotation marks, or the end of the text. */
static const char *entry_end(const char *p)
{
    for (bool quoted = false; *p && (quoted || *p != ','); p++)
        if (*p == '"') quoted = !quoted;
    return p;
}

/* Copies an entry without its quotation marks, of which two in a row within others stand for one, and without the
 * spaces around it. Returns the end of the copy. */
static char *copy_entry(const char *from, const char *end, char *to)
{
    bool quoted = false;
    while (from < end && *from == ' ') from++;
    while (end > from && end[-1] == ' ') end--;
    for (; from < end; from++) {
        if (*from != '"')
            *to++ = *from;
        else if (quoted && from[1] == '"')
            *to++ = *from++;
        else
            quoted = !quoted;
    }
    *to++ = 0;
    return to;
}

const char **learn_columns(const char *text)
{
    size_t entries = 2, length = text ? strlen(text) : 0;
    for (size_t i = 0; i < length; i++) entries += text[i] == ',';
    const char **list = allocate(entries * sizeof *list + length + entries, 1);
    char *to = (char *)(list + entries);
    int n = 0;
    for (const char *p = length ? text : NULL, *end; p; p = *end ? end + 1 : NULL) {
        end = entry_end(p);
        list[n++] = to;
        to = copy_entry(p, end, to);
    }
    return list;
}
