// SPDX-License-Identifier: BSD-3-Clause
#include "page/columns.h"

#include <math.h>
#include <stdlib.h>

#include "core/output.h"
#include "explain/coefficients.h"
#include "explain/effects.h"
#include "explain/importance.h"
#include "page/model.h"

enum { LEADING = 4, MOST_BARS = 30, PAGE_ROWS = 500, EFFECT_ROWS = 200 };

static const page_section importance_section = {"importance", "Importance of the columns"},
                          effects_section = {"effects", "Effects of the most important columns"},
                          coefficients_section = {"coefficients", "Coefficients"};

const char *answer_name(const rung_model *model)
{
    return rung_model_is_real(model)             ? "predicted number"
           : rung_model_has_probabilities(model) ? "expected rank"
                                                 : "rank";
}

static int effects_of(session *s, const rung_model *model, const rung_data *data, const char *const *columns, int pair,
                      json_t **out)
{
    char *text = NULL;
    rung_effects_options how = {.size = sizeof how, .columns = columns, .rows = EFFECT_ROWS, .pair = pair};
    CHECK(s, rung_effects_run(s->ctx, model, data, &how, &text));
    *out = jout_parse(text);
    rung_free(text);
    return EXIT_OK;
}

int leading_effects(session *s, const rung_model *model, const rung_data *data, const json_t *importance,
                    json_t **effects, json_t **pair)
{
    const char *names[LEADING + 1], *two[3];
    int code = importance_leading(importance, LEADING, names) ? effects_of(s, model, data, names, 0, effects) : EXIT_OK;
    if (code == EXIT_OK && pair && importance_leading(importance, 2, two) == 2 && *effects)
        code = effects_of(s, model, data, two, 1, pair);
    return code;
}

column_facts column_facts_of(const rung_model *model, json_t *importance, json_t *effects, json_t *pair)
{
    rung_coefficient c = {.size = sizeof c};
    return (column_facts){.answer = answer_name(model),
                          .importance = json_incref(importance),
                          .effects = json_incref(effects),
                          .pair = json_incref(pair),
                          .linear = rung_model_coefficient(model, 0, 0, &c)};
}

static int measure(session *s, const rung_model *model, const rung_data *data, column_facts *out)
{
    char *text = NULL;
    rung_importance_options how = {.size = sizeof how, .rows = PAGE_ROWS};
    rung_status status = rung_importance_run(s->ctx, model, data, &how, &text);
    if (status == RUNG_EARG || status == RUNG_EDATA) { /* nothing to explain, or nothing to compare with */
        out->reason = text_of("%s", rung_ctx_message(s->ctx));
        return EXIT_OK;
    }
    CHECK(s, status);
    out->importance = jout_parse(text);
    rung_free(text);
    return EXIT_OK;
}

int column_facts_find(session *s, const rung_model *model, const rung_data *data, column_facts *out)
{
    *out = column_facts_of(model, NULL, NULL, NULL);
    int code = measure(s, model, data, out);
    if (code == EXIT_OK && out->importance)
        code = leading_effects(s, model, data, out->importance, &out->effects, &out->pair);
    return code;
}

void column_facts_free(column_facts *f)
{
    json_decref(f->importance);
    json_decref(f->effects);
    json_decref(f->pair);
    free(f->reason);
}

int column_sections(const column_facts *f, page_section *out)
{
    int n = 0;
    out[n++] = importance_section;
    if (f->effects) out[n++] = effects_section;
    if (f->linear) out[n++] = coefficients_section;
    return n;
}

/* ---- sections ---- */

static void importance_table(FILE *file, const json_t *report)
{
    const char *second = json_string_value(json_object_get(report, "second"));
    const char *const head[] = {"Column", "mae", "95 % range", second, "95 % range", "others"};
    size_t i;
    json_t *one;
    page_fold_begin(file, false, "As a table");
    page_table_begin(file, &(page_table){"Rise of the error when a column is permuted", 6, head, 0, true});
    json_array_foreach(json_object_get(report, "columns"), i, one)
    {
        const json_t *part[] = {json_object_get(one, "mae"), json_object_get(one, second)};
        const json_t *others = json_object_get(one, "others");
        page_row(file, json_string_value(json_object_get(one, "name")));
        for (int k = 0; k < 2; k++) {
            bool there = json_is_object(part[k]) && json_is_number(json_object_get(part[k], "low"));
            char *range =
                there ? text_of("%.4f to %.4f", without_sign(json_number_value(json_object_get(part[k], "low")), 4),
                                without_sign(json_number_value(json_object_get(part[k], "high")), 4))
                      : text_of("%s", "–");
            page_number(file, there ? json_number_value(json_object_get(part[k], "mean")) : NAN, 4, NULL, false);
            page_number(file, NAN, 0, range, false);
            free(range);
        }
        char *share = json_is_number(others) ? text_of("%.0f %%", 100 * json_number_value(others)) : text_of("–");
        page_number(file, json_is_number(others) ? json_number_value(others) : NAN, 0, share, false);
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
    bool seen = json_is_true(json_object_get(f->importance, "seen"));
    importance_draw(f->importance, "Importance of the columns", MOST_BARS, &d);
    page_paragraph(file, "%sMeasured on %s.", seen ? "Warning: the model has seen these rows. " : "", rows);
    page_figure(file, &d.f,
                "By how much the mean absolute error rises when the cells of a column are permuted among the rows. "
                "The larger the rise, the more the model relies on the column.");
    importance_table(file, f->importance);
    importance_free(&d);
    free(rows);
}

static void effects_part(FILE *file, const column_facts *f)
{
    effects_drawing d;
    page_heading(file, &effects_section);
    effects_drawing_new(f->effects, "Effects of the columns", f->answer, &d);
    page_figure(file, &d.f,
                "Partial dependence: the mean answer if every row had this value. Local effects move only rows near "
                "the value. Ticks mark values of rows; below, the mean probability of every class.");
    effects_drawing_free(&d);
    if (!f->pair) return;
    effects_drawing_new(f->pair, "The two most important columns together", f->answer, &d);
    page_figure(file, &d.f, "The mean answer if every row had these two values.");
    effects_drawing_free(&d);
}

static void digits(FILE *file, double x)
{
    char text[32] = "–";
    if (!isnan(x)) snprintf(text, sizeof text, "%.4g", x);
    page_number(file, x, 0, text, false);
}

static void coefficient_row(FILE *file, const rung_model *model, const rung_coefficient *c)
{
    char *name = coefficient_name(model, c),
         *range = isnan(c->odds_low) ? text_of("–") : text_of("%.4g to %.4g", c->odds_low, c->odds_high);
    page_row(file, name);
    digits(file, c->value);
    digits(file, c->error);
    digits(file, c->z);
    digits(file, c->p);
    digits(file, c->column < 0 ? NAN : c->odds);
    page_number(file, NAN, 0, range, false);
    free(name);
    free(range);
}

static void coefficients_part(FILE *file, const rung_model *model)
{
    static const char *const head[] = {"Coefficient", "Value", "s.e.", "z", "p", "Odds ratio", "95 % range"};
    rung_coefficient c = {.size = sizeof c};
    page_heading(file, &coefficients_section);
    page_paragraph(file, "Per unit of the column as it stands in the file; a positive value moves rows to higher "
                         "classes. A | marks the threshold between two classes.");
    for (int o = 0; o < rung_model_outputs(model); o++) {
        char *caption = rung_model_outputs(model) > 1 ? text_of("Coefficients of score %d", o + 1)
                                                      : text_of("%s", "Coefficients and thresholds");
        page_table_begin(file, &(page_table){caption, 7, head, 0, true});
        for (int i = 0; rung_model_coefficient(model, o, i, &c); i++) coefficient_row(file, model, &c);
        for (int i = 0; rung_model_outputs(model) == 1 && rung_model_threshold_coefficient(model, i, &c); i++)
            coefficient_row(file, model, &c);
        page_table_end(file);
        free(caption);
    }
    char *of_errors = errors_sentence(model), *sentence = parallel_sentence(model);
    if (of_errors) page_paragraph(file, "%s", of_errors);
    if (sentence) {
        sentence[0] = 'T';
        page_paragraph(file, "%s.", sentence);
    }
    free(of_errors);
    free(sentence);
}

void page_columns(FILE *file, const column_facts *f, const rung_model *model)
{
    importance_part(file, f);
    if (f->effects) effects_part(file, f);
    if (f->linear) coefficients_part(file, model);
}

void columns_page(FILE *file, const columns_heading *h, const arguments *args, const column_facts *f,
                  const rung_model *model)
{
    static const page_section model_section = {"model", "Model"}, repeat_section = {"repeat", "How to repeat this"};
    page_section list[COLUMN_SECTIONS + 3];
    int n = column_sections(f, list);
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
