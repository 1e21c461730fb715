// SPDX-License-Identifier: BSD-3-Clause
#include "explain/regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"
#include "core/output.h"
#include "explain/coefficients.h"
#include "page/page.h"

static const double Z95 = 1.959963984540054;

/* Whether the thresholds have one coefficient in common; all have the same bits then. */
static bool is_common(const rung_model *model, int index)
{
    int spread = rung_model_spread_output(model);
    rung_coefficient first = {.size = sizeof first}, other = {.size = sizeof other};
    rung_model_coefficient(model, 0, index, &first);
    for (int o = 1; o != spread && rung_model_coefficient(model, o, index, &other); o++)
        if (other.value != first.value) return false;
    return true;
}

static regression_row *next_row(regression *r)
{
    if ((r->rows & (r->rows - 1)) == 0) { /* full: twice as many */
        regression_row *more = allocate(r->rows ? 2 * (size_t)r->rows : 1, sizeof *more);
        if (r->rows) memcpy(more, r->row, (size_t)r->rows * sizeof *more);
        free(r->row);
        r->row = more;
    }
    r->row[r->rows] = (regression_row){.low = NAN, .high = NAN, .odds = NAN, .odds_low = NAN, .odds_high = NAN};
    return &r->row[r->rows++];
}

/* of_output -1: a threshold. */
static void add_row(regression *r, const rung_model *model, int of_output, int index, const rung_coefficient *c)
{
    regression_row *row = next_row(r);
    row->c = *c;
    row->name = coefficient_name(model, c);
    if (of_output >= 0 && of_output == rung_model_spread_output(model)) {
        char *plain = row->name;
        row->name = text_of("spread: %s", plain);
        free(plain);
    }
    if (of_output >= 0 && rung_model_coefficient_range(model, of_output, index, &row->low, &row->high))
        r->profile = true;
    else
        row->low = c->value - Z95 * c->error, row->high = c->value + Z95 * c->error;
    if (isnan(c->odds)) return;
    row->odds = c->odds;
    row->odds_low = exp(row->low);
    row->odds_high = exp(row->high);
    r->odds = true;
}

regression regression_of(const rung_model *model)
{
    regression r = {.errors = !isnan(rung_model_log_likelihood(model))};
    int spread = rung_model_spread_output(model);
    rung_coefficient c = {.size = sizeof c};
    if (rung_model_outputs(model) != 1) return r;
    for (int i = 0; rung_model_coefficient(model, 0, i, &c); i++) {
        bool common = is_common(model, i);
        if (common) c.rank = 0;
        add_row(&r, model, 0, i, &c);
        for (int o = 1; !common && o != spread && rung_model_coefficient(model, o, i, &c); o++)
            add_row(&r, model, o, i, &c);
    }
    for (int i = 0; spread >= 0 && rung_model_coefficient(model, spread, i, &c); i++)
        if (c.value != 0 || !isnan(c.error)) add_row(&r, model, spread, i, &c);
    for (int i = 0; rung_model_threshold_coefficient(model, i, &c); i++) add_row(&r, model, -1, i, &c);
    return r;
}

void regression_free(regression *r)
{
    for (int i = 0; i < r->rows; i++) free(r->row[i].name);
    free(r->row);
    *r = (regression){0};
}

char *likelihood_sentence(const rung_model *model)
{
    rung_likelihood l = {.size = sizeof l};
    if (!rung_model_likelihood(model, &l)) return NULL;
    if (l.parameters == 0) return text_of("log likelihood %.4f", l.log_likelihood);
    return text_of("log likelihood %.4f, %d parameters, AIC %.4f, BIC %.4f", l.log_likelihood, l.parameters, l.aic,
                   l.bic);
}

char *ranges_sentence(const regression *r)
{
    if (!r->errors) return NULL;
    return text_of("%s", r->profile ? "Ranges of coefficients are those of the profile likelihood."
                                    : "Ranges are 1.96 standard errors wide on either side.");
}

/* ---- files ---- */

table_form table_form_of(const char *path)
{
    static const struct {
        const char *end;
        table_form form;
    } known[] = {{".csv", TABLE_CSV}, {".tex", TABLE_TEX}, {".html", TABLE_HTML}};
    size_t n = strlen(path);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        size_t m = strlen(known[k].end);
        if (n > m && !strcmp(path + n - m, known[k].end)) return known[k].form;
    }
    return TABLE_NONE;
}

static void write_csv(FILE *file, const regression *r)
{
    fputs("term,estimate,std_error,z,p,low,high,odds_ratio,odds_low,odds_high\n", file);
    for (int i = 0; i < r->rows; i++) {
        const regression_row *row = &r->row[i];
        csv_cell(file, row->name);
        const double cells[] = {row->c.value, row->c.error, row->c.z,      row->c.p,      row->low,
                                row->high,    row->odds,    row->odds_low, row->odds_high};
        for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) csv_number(file, cells[k]);
        fputc('\n', file);
    }
}

/* A number with its digits for a table: no more than four that count. */
static char *short_number(double x)
{
    if (isnan(x)) return text_of("%s", "");
    if (isinf(x)) return text_of("%s", x > 0 ? "$\\infty$" : "$-\\infty$");
    return fabs(x) < 10 ? text_of("%.3f", x) : text_of("%.4g", x);
}

static void tex_cell(FILE *file, double x)
{
    char *text = short_number(x);
    fprintf(file, " & %s%s", *text == '-' ? "$-$" : "", *text == '-' ? text + 1 : text);
    free(text);
}

static void tex_range(FILE *file, double low, double high)
{
    char *from = short_number(low), *to = short_number(high);
    if (*from)
        fprintf(file, " & [%s, %s]", from, to);
    else
        fputs(" &", file);
    free(from);
    free(to);
}

static void write_tex(FILE *file, const regression *r, const rung_model *model)
{
    fprintf(file, "\\begin{tabular}{lrrrr%s}\n\\hline\n & estimate & s.e. & $z$ & $p$%s \\\\\n\\hline\n",
            r->odds ? "rr" : "r", r->odds ? " & odds ratio & 95\\,\\% range" : " & 95\\,\\% range");
    for (int i = 0; i < r->rows; i++) {
        const regression_row *row = &r->row[i];
        latex_escaped(file, row->name);
        tex_cell(file, row->c.value);
        tex_cell(file, row->c.error);
        tex_cell(file, row->c.z);
        fputs(row->c.p < 0.001 ? " & $<$0.001" : "", file);
        if (!(row->c.p < 0.001)) tex_cell(file, row->c.p);
        if (r->odds) tex_cell(file, row->odds);
        if (r->odds)
            tex_range(file, row->odds_low, row->odds_high);
        else
            tex_range(file, row->low, row->high);
        fputs(" \\\\\n", file);
    }
    char *fit = likelihood_sentence(model);
    if (fit) {
        fprintf(file, "\\hline\n\\multicolumn{%d}{l}{", r->odds ? 7 : 6);
        latex_escaped(file, fit);
        fputs("} \\\\\n", file);
    }
    fputs("\\hline\n\\end{tabular}\n", file);
    free(fit);
}

static void html_number(FILE *file, double x)
{
    char text[32] = "–";
    if (!isnan(x)) snprintf(text, sizeof text, "%.4g", x);
    page_number(file, x, 0, text, false);
}

static void write_html(FILE *file, const regression *r, const rung_model *model, const char *path)
{
    static const page_section sections[] = {{"coefficients", "Coefficients"}, {0}};
    static const char *const head[] = {"Coefficient", "Value", "s.e.", "z", "p", "Odds ratio", "95 % range"};
    char *title = text_of("Coefficients of %s", path), *fit = likelihood_sentence(model), *ranges = ranges_sentence(r),
         *of_errors = errors_sentence(model), *sentence = parallel_sentence(model);
    page_begin(file, title, NULL, fit ? fit : "", sections);
    page_heading(file, &sections[0]);
    page_table_begin(file, &(page_table){"Coefficients and thresholds", 7, head, 0, true});
    for (int i = 0; i < r->rows; i++) {
        const regression_row *row = &r->row[i];
        double low = r->odds ? row->odds_low : row->low, high = r->odds ? row->odds_high : row->high;
        char *range = isnan(low) ? text_of("–") : text_of("%.4g to %.4g", low, high);
        page_row(file, row->name);
        html_number(file, row->c.value);
        html_number(file, row->c.error);
        html_number(file, row->c.z);
        html_number(file, row->c.p);
        html_number(file, row->odds);
        page_number(file, NAN, 0, range, false);
        free(range);
    }
    page_table_end(file);
    if (ranges) page_paragraph(file, "%s", ranges);
    if (of_errors) page_paragraph(file, "%s", of_errors);
    if (sentence) {
        sentence[0] = 'T';
        page_paragraph(file, "%s.", sentence);
    }
    page_end(file);
    free(title);
    free(fit);
    free(ranges);
    free(of_errors);
    free(sentence);
}

void regression_write(FILE *file, table_form form, const rung_model *model, const char *path)
{
    regression r = regression_of(model);
    if (form == TABLE_CSV) write_csv(file, &r);
    if (form == TABLE_TEX) write_tex(file, &r, model);
    if (form == TABLE_HTML) write_html(file, &r, model, path);
    regression_free(&r);
}
