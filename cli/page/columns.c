// SPDX-License-Identifier: BSD-3-Clause
#include "page/columns.h"

#include <math.h>
#include <stdlib.h>

#include "core/output.h"
#include "explain/coefficients.h"
#include "explain/effects.h"
#include "explain/importance.h"
#include "explain/regression.h"
#include "page/model.h"

enum { LEADING = 4, MOST_BARS = 30, PAGE_ROWS = 500, EFFECT_ROWS = 200 };

static const page_section importance_section = {"importance", "Importance of the columns"},
                          effects_section = {"effects", "Effects of the most important columns"},
                          coefficients_section = {"coefficients", "Coefficients"};

static int effects_of(session *s, const rung_model *model, const rung_data *data, const char *const *columns, int pair,
                      rung_effects **out)
{
    rung_effects_options how = {.size = sizeof how, .columns = columns, .rows = EFFECT_ROWS, .pair = pair};
    return session_check(s, rung_effects_run(s->ctx, model, data, &how, out));
}

int leading_effects(session *s, const rung_model *model, const rung_data *data, bool pair, column_facts *facts)
{
    const char *names[LEADING + 1];
    int n = importance_leading(facts->importance, LEADING, names);
    int code = n ? effects_of(s, model, data, names, 0, &facts->effects) : EXIT_OK;
    if (code != EXIT_OK || !pair || n < 2) return code;
    names[2] = NULL;
    return effects_of(s, model, data, names, 1, &facts->pair);
}

static bool is_linear(const rung_model *model)
{
    rung_coefficient c = {.size = sizeof c};
    return rung_model_coefficient(model, 0, 0, &c);
}

int column_facts_find(session *s, const rung_model *model, const rung_data *data, column_facts *out)
{
    rung_importance_options how = {.size = sizeof how, .rows = PAGE_ROWS};
    *out = (column_facts){0};
    rung_status status = rung_importance_run(s->ctx, model, data, &how, &out->importance);
    if (status == RUNG_EARG || status == RUNG_EDATA) { /* nothing to explain, or nothing to compare with */
        out->reason = text_of("%s", rung_ctx_message(s->ctx));
        return EXIT_OK;
    }
    CHECK(s, status);
    return leading_effects(s, model, data, true, out);
}

void column_facts_free(column_facts *f)
{
    rung_importance_free(f->importance);
    rung_effects_free(f->effects);
    rung_effects_free(f->pair);
    free(f->reason);
}

int column_sections(const column_facts *f, const rung_model *model, page_section *out)
{
    int n = 0;
    out[n++] = importance_section;
    if (f->effects) out[n++] = effects_section;
    if (is_linear(model)) out[n++] = coefficients_section;
    return n;
}

/* ---- sections ---- */

static void range_cells(FILE *file, rung_range range)
{
    bool there = !isnan(range.low);
    char *text =
        there ? text_of("%.4f to %.4f", without_sign(range.low, 4), without_sign(range.high, 4)) : text_of("–");
    page_number(file, there ? range.mean : NAN, 4, NULL, false);
    page_number(file, NAN, 0, text, false);
    free(text);
}

static void importance_table(FILE *file, const rung_importance *found)
{
    const char *second = rung_importance_about(found)->loss[1];
    const char *const head[] = {"Column", "mae", "95 % range", second, "95 % range", "others"};
    const rung_permuted *one;
    page_fold_begin(file, false, "As a table");
    page_table_begin(file, &(page_table){"Rise of the error when a column is permuted", 6, head, 0, true});
    for (int i = 0; (one = rung_importance_at(found, i)) && one->n == 1; i++) {
        page_row(file, one->column[0]);
        for (int k = 0; k < RUNG_LOSSES; k++) range_cells(file, one->rise[k]);
        char *share = isnan(one->others) ? text_of("–") : text_of("%.0f %%", 100 * one->others);
        page_number(file, one->others, 0, share, false);
        free(share);
    }
    page_table_end(file);
    page_paragraph(file, "others: the share of the column's variance that the other columns can stand in for.");
    page_fold_end(file);
}

static void importance_part(FILE *file, const column_facts *f)
{
    page_heading(file, &importance_section);
    if (!f->importance) {
        page_paragraph(file, "Not measured: %s.", f->reason);
        return;
    }
    importance_drawing d;
    char *rows = importance_rows(f->importance);
    bool seen = rung_importance_about(f->importance)->seen;
    importance_draw(f->importance, "Importance of the columns", MOST_BARS, &d);
    page_paragraph(file, "%sMeasured on %s.", seen ? "Warning: the model has seen these rows. " : "", rows);
    page_figure(file, &d.f,
                "By how much the mean absolute error rises when the cells of a column are permuted among the rows. "
                "The larger the rise, the more the model relies on the column.");
    importance_table(file, f->importance);
    importance_free(&d);
    free(rows);
}

static void effects_part(FILE *file, const column_facts *f, const rung_model *model)
{
    effects_drawing d;
    page_heading(file, &effects_section);
    effects_drawing_new(model, f->effects, "Effects of the columns", &d);
    page_figure(file, &d.f,
                "Partial dependence: the mean answer if every row had this value. Local effects move only rows near "
                "the value. Ticks mark values of rows; below, the mean probability of every class.");
    effects_drawing_free(&d);
    if (!f->pair) return;
    effects_drawing_new(model, f->pair, "The two most important columns together", &d);
    page_figure(file, &d.f, "The mean answer if every row had these two values.");
    effects_drawing_free(&d);
}

static void digits(FILE *file, double x)
{
    char text[32] = "–";
    if (!isnan(x)) snprintf(text, sizeof text, "%.4g", x);
    page_number(file, x, 0, text, false);
}

static void coefficient_row(FILE *file, const char *name, const rung_coefficient *c, double low, double high)
{
    char *range = isnan(low) ? text_of("–") : text_of("%.4g to %.4g", low, high);
    page_row(file, name);
    digits(file, c->value);
    digits(file, c->error);
    digits(file, c->z);
    digits(file, c->p);
    digits(file, c->column < 0 ? NAN : c->odds);
    page_number(file, NAN, 0, range, false);
    free(range);
}

static void coefficients_part(FILE *file, const rung_model *model)
{
    static const char *const head[] = {"Coefficient", "Value", "s.e.", "z", "p", "Odds ratio", "95 % range"};
    rung_coefficient c = {.size = sizeof c};
    regression r = regression_of(model);
    page_heading(file, &coefficients_section);
    page_paragraph(file, "Per unit of the column as it stands in the file; a positive value moves rows to higher "
                         "classes. A | marks the threshold between two classes.");
    for (int o = 0; o < rung_model_outputs(model); o++) {
        char *caption = rung_model_outputs(model) > 1 ? text_of("Coefficients of score %d", o + 1)
                                                      : text_of("%s", "Coefficients and thresholds");
        page_table_begin(file, &(page_table){caption, 7, head, 0, true});
        for (int i = 0; i < r.rows; i++)
            coefficient_row(file, r.row[i].name, &r.row[i].c, r.row[i].odds_low, r.row[i].odds_high);
        for (int i = 0; r.rows == 0 && rung_model_coefficient(model, o, i, &c); i++) {
            char *name = coefficient_name(model, &c);
            coefficient_row(file, name, &c, NAN, NAN);
            free(name);
        }
        page_table_end(file);
        free(caption);
    }
    char *of_errors = errors_sentence(model), *sentence = parallel_sentence(model);
    if (of_errors) page_paragraph(file, "%s", of_errors);
    if (sentence) {
        sentence[0] = 'T';
        page_paragraph(file, "%s.", sentence);
    }
    regression_free(&r);
    free(of_errors);
    free(sentence);
}

void page_columns(FILE *file, const column_facts *f, const rung_model *model)
{
    importance_part(file, f);
    if (f->effects) effects_part(file, f, model);
    if (is_linear(model)) coefficients_part(file, model);
}

void columns_page(FILE *file, const columns_heading *h, const arguments *args, const column_facts *f,
                  const rung_model *model)
{
    static const page_section model_section = {"model", "Model"}, repeat_section = {"repeat", "How to repeat this"};
    page_section list[COLUMN_SECTIONS + 3];
    int n = column_sections(f, model, list);
    list[n++] = model_section;
    list[n++] = repeat_section;
    list[n] = (page_section){0};
    page_begin(file, h->title, h->answer, h->lead, list);
    page_columns(file, f, model);
    page_heading(file, &model_section);
    page_model(file, model);
    page_heading(file, &repeat_section);
    page_repeat(file, h->command, args, h->model_path, model);
    page_end(file);
}
