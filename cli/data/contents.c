// SPDX-License-Identifier: BSD-3-Clause
#include "data/contents.h"

#include <math.h>
#include <stdlib.h>

#include "core/common.h"

json_t *params_json(const rung_model *model)
{
    json_t *all = json_object();
    const char *name, *value;
    for (int i = 0; (name = rung_model_param_at(model, i, &value)); i++)
        json_object_set_new(all, name, jout_text(value));
    return all;
}

json_t *classes_json(const rung_model *model)
{
    json_t *all = json_array();
    for (int k = 1; k <= rung_model_classes(model); k++)
        json_array_append_new(all, jout_text(rung_model_class_name(model, k)));
    return all;
}

const char *answer_name(const rung_model *model)
{
    return rung_model_is_real(model)             ? "predicted number"
           : rung_model_has_probabilities(model) ? "expected rank"
                                                 : "rank";
}

json_t *thresholds_json(const rung_model *model)
{
    int n = rung_model_thresholds(model, 0, NULL);
    double *threshold = allocate((size_t)n, sizeof *threshold);
    rung_model_thresholds(model, n, threshold);
    json_t *all = jout_numbers(n, n ? threshold : NULL);
    free(threshold);
    return all;
}

json_t *model_report_json(const rung_model *model)
{
    json_t *all = json_object();
    const double *value;
    const char *name;
    int64_t n;
    for (int i = 0; (name = rung_model_report_at(model, i, &value, &n)); i++)
        json_object_set_new(all, name, n < 0 ? jout_number(*value) : jout_numbers(n, value));
    return all;
}

char *numbers_text(int64_t n, const double *value, const char *between)
{
    char *text = text_of("%s", "");
    for (int64_t i = 0; i < n; i++) {
        text_add(&text, "%s", i ? between : "");
        if (isfinite(value[i]))
            text_add(&text, "%.6g", value[i]);
        else
            text_add(&text, "none");
    }
    return text;
}
