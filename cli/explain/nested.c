// SPDX-License-Identifier: BSD-3-Clause
#include "explain/nested.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/common.h"
#include "core/json_out.h"
#include "core/output.h"

static const double NO_RIDGE = 1e-6;

static const char *param_of(const rung_model *model, const char *wanted)
{
    const char *name, *value;
    for (int i = 0; (name = rung_model_param_at(model, i, &value)); i++)
        if (!strcmp(name, wanted)) return value ? value : "";
    return "";
}

/* Whether every name of one list, separated by commas, is in the other. */
static bool is_part(const char *list, const char *of)
{
    for (size_t length; *list; list += length + (list[length] == ',')) {
        bool found = false;
        length = strcspn(list, ",");
        for (const char *at = of; *at && !found;) {
            size_t other = strcspn(at, ",");
            found = other == length && !strncmp(at, list, length);
            at += other + (at[other] == ',');
        }
        if (!found) return false;
    }
    return true;
}

static bool has_column(const rung_model *model, const char *name)
{
    for (int64_t j = 0; j < rung_model_columns(model); j++)
        if (!strcmp(rung_model_column(model, j, NULL), name)) return true;
    return false;
}

static bool same_labels(const rung_model *a, const rung_model *b)
{
    bool same = !strcmp(rung_model_label(a), rung_model_label(b)) && rung_model_classes(a) == rung_model_classes(b) &&
                rung_model_labelled(a) == rung_model_labelled(b);
    for (int k = 1; same && k <= rung_model_classes(a); k++)
        same = !strcmp(rung_model_class_name(a, k), rung_model_class_name(b, k));
    return same;
}

static bool is_plain(const rung_model *model)
{
    const char *errors = rung_model_standard_errors(model, NULL);
    return errors && !strcmp(errors, "model");
}

/* Why there is no test of a against b, which has more parameters; NULL: there is one. */
static const char *no_test(const rung_model *a, const rung_model *b)
{
    if (!same_labels(a, b)) return "fitted to other rows";
    if (!is_plain(a) || !is_plain(b)) return "the rows are not independent: no likelihood-ratio test";
    if (atof(param_of(a, "ridge")) > NO_RIDGE || atof(param_of(b, "ridge")) > NO_RIDGE ||
        !strcmp(param_of(a, "penalty"), "firth") || !strcmp(param_of(b, "penalty"), "firth"))
        return "the fits are penalised: fit with --as-published";
    bool within = !strcmp(param_of(a, "link"), param_of(b, "link")) &&
                  !strcmp(param_of(a, "offset"), param_of(b, "offset")) &&
                  is_part(param_of(a, "by-threshold"), param_of(b, "by-threshold")) &&
                  is_part(param_of(a, "spread"), param_of(b, "spread"));
    for (int64_t j = 0; within && j < rung_model_columns(a); j++) within = has_column(b, rung_model_column(a, j, NULL));
    return within ? NULL : "not nested";
}

static int by_parameters(const void *x, const void *y)
{
    return ((const nested_model *)x)->fit.parameters - ((const nested_model *)y)->fit.parameters;
}

bool nested_compare(int n, nested_model *list)
{
    for (int k = 0; k < n; k++) {
        list[k].fit = (rung_likelihood){.size = sizeof list[k].fit};
        if (!rung_model_likelihood(list[k].model, &list[k].fit) || list[k].fit.parameters == 0) return false;
    }
    qsort(list, (size_t)n, sizeof *list, by_parameters);
    for (int k = 0; k < n; k++) {
        nested_model *b = &list[k];
        b->in = -1;
        b->chi2 = b->p = NAN;
        b->why = k ? "not nested" : NULL;
        for (int a = k - 1; a >= 0 && b->in < 0; a--) {
            b->why = no_test(list[a].model, b->model);
            if (b->why || list[a].fit.parameters == b->fit.parameters) continue;
            b->in = a;
            b->df = b->fit.parameters - list[a].fit.parameters;
            b->chi2 = fmax(2 * (b->fit.log_likelihood - list[a].fit.log_likelihood), 0);
            b->p = rung_chi_square_tail(b->chi2, b->df);
        }
    }
    return true;
}

void nested_text(int n, const nested_model *list)
{
    sheet t = sheet_new("lrrrrlrrr");
    static const char *const head[] = {"model", "parameters", "log likelihood", "AIC", "BIC", "against", "chi-squared",
                                       "df",    "p"};
    for (size_t k = 0; k < sizeof head / sizeof *head; k++) sheet_add(&t, "%s", head[k]);
    for (int k = 0; k < n; k++) {
        const nested_model *m = &list[k];
        sheet_add(&t, "%s", m->path);
        sheet_add(&t, "%d", m->fit.parameters);
        sheet_add(&t, "%.4f", m->fit.log_likelihood);
        sheet_add(&t, "%.4f", m->fit.aic);
        sheet_add(&t, "%.4f", m->fit.bic);
        sheet_add(&t, "%s", m->in >= 0 ? list[m->in].path : m->why ? m->why : "");
        if (m->in < 0) {
            for (int i = 0; i < 3; i++) sheet_add(&t, "%s", "");
            continue;
        }
        sheet_add(&t, "%.4f", m->chi2);
        sheet_add(&t, "%d", m->df);
        sheet_add(&t, m->p < 1e-4 ? "%.1e" : "%.4f", m->p);
    }
    sheet_print(&t, stdout, "");
    wrap_text(
        stdout,
        "\nA likelihood-ratio test compares a model with the largest one above it whose columns and parameters it "
        "contains: a small p says that what it has more is needed. It takes fits to the same rows.",
        0, 0);
}

void nested_json(int n, const nested_model *list)
{
    json_t *all = json_object(), *models = json_array();
    for (int k = 0; k < n; k++) {
        const nested_model *m = &list[k];
        json_t *one = json_object();
        json_object_set_new(one, "model", jout_text(m->path));
        json_object_set_new(one, "parameters", json_integer(m->fit.parameters));
        json_object_set_new(one, "log_likelihood", jout_number(m->fit.log_likelihood));
        json_object_set_new(one, "aic", jout_number(m->fit.aic));
        json_object_set_new(one, "bic", jout_number(m->fit.bic));
        json_object_set_new(one, "against", m->in >= 0 ? jout_text(list[m->in].path) : json_null());
        json_object_set_new(one, "chi2", m->in >= 0 ? jout_number(m->chi2) : json_null());
        json_object_set_new(one, "df", m->in >= 0 ? json_integer(m->df) : json_null());
        json_object_set_new(one, "p", m->in >= 0 ? jout_number(m->p) : json_null());
        json_array_append_new(models, one);
    }
    json_object_set_new(all, "models", models);
    jout_print(all);
}
