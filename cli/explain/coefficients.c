// SPDX-License-Identifier: BSD-3-Clause
#include "explain/coefficients.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"
#include "core/output.h"
#include "explain/regression.h"

static const double LEVEL = 0.05;

static char *column_text(const rung_model *model, int64_t column)
{
    const char *name = rung_model_column(model, column, NULL);
    return *name ? text_of("%s", name) : text_of("x%lld", (long long)column + 1);
}

static const char *category_text(const rung_model *model, int64_t column, int index)
{
    const char *name = rung_model_category(model, column, index);
    return name && *name ? name : "missing";
}

/* The class above a threshold: the next that had labels. */
static int next_rank(const rung_model *model, int rank)
{
    for (rank++; rank < rung_model_classes(model) && !rung_model_class_present(model, rank);) rank++;
    return rank;
}

char *coefficient_name(const rung_model *model, const rung_coefficient *c)
{
    static const char *const parts[] = {"", " (year, sine)", " (year, cosine)", " (week, sine)", " (week, cosine)"};
    if (c->column < 0)
        return text_of("%s | %s", rung_model_class_name(model, c->rank),
                       rung_model_class_name(model, next_rank(model, c->rank)));
    char *column = column_text(model, c->column), *name;
    if (c->rank > 0) { /* of one threshold */
        rung_coefficient of_all = *c;
        of_all.rank = 0;
        char *all = coefficient_name(model, &of_all);
        name = text_of("%s at %s | %s", all, rung_model_class_name(model, c->rank),
                       rung_model_class_name(model, next_rank(model, c->rank)));
        free(all);
    } else if (c->category >= 0)
        name = text_of("%s: %s against %s", column, category_text(model, c->column, c->category),
                       category_text(model, c->column, c->against));
    else
        name = text_of("%s%s", column, parts[c->part < 5 ? c->part : 0]);
    free(column);
    return name;
}

char *parallel_sentence(const rung_model *model)
{
    rung_parallel_test all = {.size = sizeof all}, one = {.size = sizeof one};
    if (!rung_model_parallel(model, 0, &all)) return NULL;
    if (isnan(all.chi2))
        return text_of("%s", "the test of proportional odds has no result: the likelihood of a coefficient for each "
                             "threshold could not be maximised");
    char *text = text_of("the test of proportional odds (likelihood ratio) gives chi-squared %.2f with %d degrees of "
                         "freedom, p = %.3g: %s",
                         all.chi2, all.df, all.p,
                         all.p >= LEVEL ? "no evidence against proportional odds"
                                        : "the coefficients differ between the thresholds, so that an odds ratio is "
                                          "an average over them");
    int found = 0;
    char *names = text_of("%s", "");
    for (int i = 1; all.p < LEVEL && rung_model_parallel(model, i, &one); i++) {
        if (!(one.p < LEVEL)) continue;
        char *name = column_text(model, one.column),
             *more = text_of("%s%s%s (p = %.3g)", text, found ? ", " : "; columns that differ: ", name, one.p),
             *list = text_of("%s%s%s", names, found++ ? "," : "", name);
        free(names);
        names = list;
        free(name);
        free(text);
        text = more;
    }
    if (found) {
        char *more = text_of("%s; -p by-threshold=%s gives %s a coefficient at every threshold", text, names,
                             found > 1 ? "them" : "it");
        free(text);
        text = more;
    }
    free(names);
    return text;
}

/* Whether weights are counts because nobody said that they are not. */
static bool takes_counts(const rung_model *model)
{
    rung_likelihood l = {.size = sizeof l};
    const char *name, *value;
    if (!rung_model_likelihood(model, &l) || l.rows == 0 || l.rows == (double)rung_model_labelled(model)) return false;
    for (int i = 0; (name = rung_model_param_at(model, i, &value)); i++)
        if (!strcmp(name, "errors")) return value && !strcmp(value, "auto");
    return false;
}

char *errors_sentence(const rung_model *model)
{
    int64_t units = 0;
    const char *kind = rung_model_standard_errors(model, &units);
    if (!kind) return NULL;
    char *text =
        strcmp(kind, "groups") == 0
            ? text_of("The standard errors are robust: %lld groups are independent, rows of one group are not. ",
                      (long long)units)
        : strcmp(kind, "rows") == 0
            ? text_of("%s", "The standard errors are robust: they hold whatever the weights mean. ")
            : text_of("%s", takes_counts(model) ? "The weights are whole numbers and taken for counts of equal rows; "
                                                  "for weights of a survey fit with --weights-are probability. "
                                                : "");
    rung_coefficient c = {.size = sizeof c};
    for (int i = 0; rung_model_coefficient(model, 0, i, &c); i++) {
        if (!isinf(c.error)) continue;
        char *name = coefficient_name(model, &c),
             *more = text_of("%sThe classes are separated along %s: its coefficient has no finite estimate; "
                             "-p penalty=firth keeps it finite. ",
                             text, name);
        free(name);
        free(text);
        text = more;
    }
    char *all = text_of("%s%s", text,
                        rung_model_tempered(model)
                            ? "Predicted probabilities are those of these numbers, flattened as held-out rows justify; "
                              "--as-published keeps them as they are. "
                            : "");
    free(text);
    if (*all) return all;
    free(all);
    return NULL;
}

static void add_row(sheet *t, const regression_row *row, const regression *r)
{
    const rung_coefficient *c = &row->c;
    double low = r->odds ? row->odds_low : row->low, high = r->odds ? row->odds_high : row->high;
    sheet_add(t, "%s", row->name);
    sheet_add(t, "%.6g", c->value);
    if (!r->errors) return;
    if (isnan(c->error)) {
        for (int i = 0; i < 3; i++) sheet_add(t, "-");
    } else {
        sheet_add(t, "%.4g", c->error);
        sheet_add(t, "%.3f", c->z);
        sheet_add(t, c->p < 1e-4 ? "%.1e" : "%.4f", c->p);
    }
    const char *none = c->column < 0 ? "" : "-";
    if (r->odds && isnan(low))
        sheet_add(t, "%s", none);
    else if (r->odds)
        sheet_add(t, "%.4g", row->odds);
    if (isnan(low) || c->column < 0)
        sheet_add(t, "%s", none);
    else
        sheet_add(t, "%.4g to %.4g", low, high);
}

/* Several outputs: a column for each. */
static void print_matrix(FILE *file, const rung_model *model, int outputs)
{
    char *align = allocate((size_t)outputs + 2, 1);
    for (int o = 0; o <= outputs; o++) align[o] = o ? 'r' : 'l';
    sheet t = sheet_new(align);
    rung_coefficient c = {.size = sizeof c};
    sheet_add(&t, "coefficient");
    for (int o = 1; o <= outputs; o++) sheet_add(&t, "score %d", o);
    for (int i = 0; rung_model_coefficient(model, 0, i, &c); i++) {
        char *name = coefficient_name(model, &c);
        sheet_add(&t, "%s", name);
        free(name);
        for (int o = 0; o < outputs; o++) {
            rung_model_coefficient(model, o, i, &c);
            sheet_add(&t, "%.6g", c.value);
        }
    }
    sheet_print(&t, file, "");
    free(align);
}

/* What the model loses without each column. */
static void print_columns(FILE *file, const rung_model *model)
{
    rung_parallel_test test = {.size = sizeof test};
    if (!rung_model_column_test(model, 0, &test)) return;
    sheet t = sheet_new("lrrr");
    sheet_add(&t, "%s",
              strcmp(rung_model_standard_errors(model, NULL), "model") ? "column (Wald)" : "without the column");
    sheet_add(&t, "chi-squared");
    sheet_add(&t, "df");
    sheet_add(&t, "p");
    for (int j = 0; rung_model_column_test(model, j, &test); j++) {
        char *name = column_text(model, j);
        sheet_add(&t, "%s", name);
        sheet_add_number(&t, test.chi2, 4);
        sheet_add(&t, test.df ? "%d" : "-", test.df);
        if (isnan(test.p))
            sheet_add(&t, "-");
        else
            sheet_add(&t, test.p < 1e-4 ? "%.1e" : "%.4f", test.p);
        free(name);
    }
    fputc('\n', file);
    sheet_print(&t, file, "");
}

void coefficients_text(FILE *file, const rung_model *model)
{
    static const char *const head[] = {"coefficient", "value", "s.e.", "z", "p", "odds ratio", "95 % range"};
    rung_coefficient c = {.size = sizeof c};
    if (!rung_model_coefficient(model, 0, 0, &c) && !rung_model_threshold_coefficient(model, 0, &c)) return;
    fputc('\n', file);
    if (rung_model_outputs(model) > 1) {
        print_matrix(file, model, rung_model_outputs(model));
        return;
    }
    regression r = regression_of(model);
    sheet t = sheet_new(r.odds && r.errors ? "lrrrrrr" : r.errors ? "lrrrrr" : "lr");
    for (int k = 0; k < (r.errors ? 7 : 2); k++)
        if (k != 5 || r.odds) sheet_add(&t, "%s", head[k]);
    for (int i = 0; i < r.rows; i++) add_row(&t, &r.row[i], &r);
    sheet_print(&t, file, "");
    fputc('\n', file);
    wrap_text(file,
              "Per unit of the column as it stands in the file; a positive value moves rows to higher classes. A | "
              "marks the threshold between two classes.",
              0, 0);
    char *ranges = ranges_sentence(&r), *fit = likelihood_sentence(model);
    if (ranges) wrap_text(file, ranges, 0, 0);
    if (fit) say(file, "%s\n", fit);
    char *of_errors = errors_sentence(model), *sentence = parallel_sentence(model);
    if (of_errors) wrap_text(file, of_errors, 0, 0);
    if (sentence) {
        sentence[0] = 'T';
        wrap_text(file, sentence, 0, 0);
    }
    print_columns(file, model);
    free(ranges);
    free(fit);
    free(of_errors);
    free(sentence);
    regression_free(&r);
}
