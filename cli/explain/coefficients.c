// SPDX-License-Identifier: BSD-3-Clause
#include "explain/coefficients.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"
#include "core/output.h"

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
    if (c->category >= 0)
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
    for (int i = 1; all.p < LEVEL && rung_model_parallel(model, i, &one); i++) {
        if (!(one.p < LEVEL)) continue;
        char *name = column_text(model, one.column),
             *more = text_of("%s%s%s (p = %.3g)", text, found++ ? ", " : "; columns that differ: ", name, one.p);
        free(name);
        free(text);
        text = more;
    }
    return text;
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
            : text_of("%s", "");
    rung_coefficient c = {.size = sizeof c};
    for (int i = 0; rung_model_coefficient(model, 0, i, &c); i++) {
        if (!isinf(c.error)) continue;
        char *name = coefficient_name(model, &c),
             *more = text_of("%sThe classes are separated along %s: its coefficient has no finite estimate; a larger "
                             "ridge keeps it finite. ",
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

static void add_coefficient(sheet *t, const rung_model *model, const rung_coefficient *c, bool errors, bool odds)
{
    char *name = coefficient_name(model, c);
    sheet_add(t, "%s", name);
    sheet_add(t, "%.6g", c->value);
    if (errors && isnan(c->error)) {
        for (int i = 0; i < 3; i++) sheet_add(t, "-");
    } else if (errors) {
        sheet_add(t, "%.4g", c->error);
        sheet_add(t, "%.3f", c->z);
        sheet_add(t, c->p < 1e-4 ? "%.1e" : "%.4f", c->p);
    }
    if (odds && isnan(c->odds_low)) {
        sheet_add(t, "%s", c->column < 0 ? "" : "-");
        sheet_add(t, "%s", c->column < 0 ? "" : "-");
    } else if (odds) {
        sheet_add(t, "%.4g", c->odds);
        sheet_add(t, "%.4g to %.4g", c->odds_low, c->odds_high);
    }
    free(name);
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

void coefficients_text(FILE *file, const rung_model *model)
{
    rung_coefficient c = {.size = sizeof c};
    if (!rung_model_coefficient(model, 0, 0, &c)) return;
    bool errors = !isnan(rung_model_log_likelihood(model)), odds = errors && !isnan(c.odds);
    fputc('\n', file);
    if (rung_model_outputs(model) > 1) {
        print_matrix(file, model, rung_model_outputs(model));
        return;
    }
    sheet t = sheet_new(odds ? "lrrrrrr" : errors ? "lrrrr" : "lr");
    static const char *const head[] = {"coefficient", "value", "s.e.", "z", "p", "odds ratio", "95 % range"};
    for (int k = 0; k < (odds ? 7 : errors ? 5 : 2); k++) sheet_add(&t, "%s", head[k]);
    for (int i = 0; rung_model_coefficient(model, 0, i, &c); i++) add_coefficient(&t, model, &c, errors, odds);
    for (int i = 0; rung_model_threshold_coefficient(model, i, &c); i++) add_coefficient(&t, model, &c, errors, odds);
    sheet_print(&t, file, "");
    fputc('\n', file);
    wrap_text(file,
              "Per unit of the column as it stands in the file; a positive value moves rows to higher classes. A | "
              "marks the threshold between two classes.",
              0, 0);
    if (errors) say(file, "log likelihood %.4f\n", rung_model_log_likelihood(model));
    char *of_errors = errors_sentence(model), *sentence = parallel_sentence(model);
    if (of_errors) wrap_text(file, of_errors, 0, 0);
    if (sentence) {
        sentence[0] = 'T';
        wrap_text(file, sentence, 0, 0);
    }
    free(of_errors);
    free(sentence);
}
