// SPDX-License-Identifier: BSD-3-Clause
#include "explain/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"
#include "core/output.h"
#include "explain/coefficients.h"

enum { MOST_GROUPS = 30, MOST_EFFECTS = 8, NAME = 200 };

/* "intercept", or the name of a slope; to be freed. */
static char *effect_name(const rung_model *model, int term, int effect)
{
    rung_random_effect e = {.size = sizeof e};
    rung_model_random_effect(model, term, effect, &e);
    if (e.column < 0) return text_of("%s", "intercept");
    rung_coefficient c = {
        .size = sizeof c, .column = e.column, .part = e.part, .category = e.category, .against = e.against};
    return coefficient_name(model, &c);
}

static void add_test(sheet *t, double chi2, int df, double p)
{
    if (isnan(chi2)) {
        for (int i = 0; i < 3; i++) sheet_add(t, "-");
        return;
    }
    sheet_add(t, "%.3f", chi2);
    sheet_add(t, "%d", df);
    sheet_add(t, p < 1e-4 ? "%.1e" : "%.4f", p);
}

static void print_deviations(FILE *file, const rung_model *model)
{
    static const char *const head[] = {"random effect", "groups",      "",   "s.d.", "95 % range",
                                       "variance",      "chi-squared", "df", "p"};
    sheet t = sheet_new("lrlrrrrrr");
    rung_random_term term = {.size = sizeof term};
    for (size_t k = 0; k < sizeof head / sizeof *head; k++) sheet_add(&t, "%s", head[k]);
    for (int i = 0; rung_model_random_term(model, i, &term); i++) {
        rung_random_effect e = {.size = sizeof e};
        char name[NAME];
        rung_model_random_name(model, i, name, sizeof name);
        for (int r = 0; rung_model_random_effect(model, i, r, &e); r++) {
            char *effect = effect_name(model, i, r);
            sheet_add(&t, "%s", r ? "" : name);
            if (r)
                sheet_add(&t, "%s", "");
            else
                sheet_add(&t, "%lld", (long long)term.groups);
            sheet_add(&t, "%s", effect);
            sheet_add(&t, "%.4g", e.sd);
            if (isnan(e.sd_low))
                sheet_add(&t, "-");
            else
                sheet_add(&t, "%.4g to %.4g", e.sd_low, e.sd_high);
            sheet_add(&t, "%.4g", e.variance);
            if (r == 0) add_test(&t, term.chi2, term.df, term.p);
            if (r == 1) add_test(&t, term.slopes_chi2, term.slopes_df, term.slopes_p);
            for (int k = 0; r > 1 && k < 3; k++) sheet_add(&t, "%s", "");
            free(effect);
        }
    }
    sheet_print(&t, file, "");
}

static void print_correlations(FILE *file, const rung_model *model)
{
    rung_random_term term = {.size = sizeof term};
    for (int i = 0; rung_model_random_term(model, i, &term); i++)
        for (int a = 0; a < term.effects; a++)
            for (int b = a + 1; b < term.effects; b++) {
                double low, high, value = rung_model_random_correlation(model, i, a, b, &low, &high);
                char *one = effect_name(model, i, a), *other = effect_name(model, i, b);
                say(file, "correlation of %s and %s: %.3f", one, other, value);
                if (!isnan(low)) say(file, " (95 %% range %.3f to %.3f)", low, high);
                say(file, "\n");
                free(one);
                free(other);
            }
}

static void print_groups(FILE *file, const rung_model *model, int number, const rung_random_term *term)
{
    char name[NAME], align[2 * MOST_EFFECTS + 2] = "l";
    double mode[MOST_EFFECTS], error[MOST_EFFECTS];
    for (int r = 0; r < 2 * term->effects; r++) strcat(align, "r");
    sheet t = sheet_new(align);
    rung_model_random_name(model, number, name, sizeof name);
    sheet_add(&t, "%s", name);
    for (int r = 0; r < term->effects; r++) {
        char *effect = effect_name(model, number, r);
        sheet_add(&t, "%s", effect);
        sheet_add(&t, "s.e.");
        free(effect);
    }
    for (int64_t g = 0; rung_model_random_group(model, number, g, name, sizeof name, mode, error); g++) {
        sheet_add(&t, "%s", name);
        for (int r = 0; r < term->effects; r++) {
            sheet_add(&t, "%.4f", mode[r]);
            sheet_add(&t, "%.4f", error[r]);
        }
    }
    fputc('\n', file);
    sheet_print(&t, file, "");
}

void random_text(FILE *file, const rung_model *model)
{
    rung_random_term term = {.size = sizeof term};
    if (!rung_model_random_term(model, 0, &term)) return;
    fputc('\n', file);
    print_deviations(file, model);
    print_correlations(file, model);
    fputc('\n', file);
    wrap_text(file,
              "Effects of groups are normal; new groups are predicted by the mean over them. The range of a standard "
              "deviation is Wald's for its logarithm. Chi-squared is what the likelihood loses without the term (in a "
              "line with a slope, without the slopes); p knows that a variance cannot be below 0.",
              0, 0);
    for (int i = 0; rung_model_random_term(model, i, &term); i++)
        if (term.groups <= MOST_GROUPS && term.effects <= MOST_EFFECTS) print_groups(file, model, i, &term);
}
