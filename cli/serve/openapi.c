// SPDX-License-Identifier: BSD-3-Clause
#include "serve/openapi.h"

#include <stdlib.h>

#include "core/json_out.h"

/* ---- small schemas; what is in `pack` is written as Jansson's json_pack has it ---- */

static json_t *type(const char *name) { return json_pack("{s:s}", "type", name); }

static json_t *list_of(json_t *items) { return json_pack("{s:s, s:o}", "type", "array", "items", items); }

static json_t *share(void) { return json_pack("{s:s, s:i, s:i}", "type", "number", "minimum", 0, "maximum", 1); }

static json_t *reference(const char *kind, const char *name)
{
    char *path = text_of("#/components/schemas/%s%s", kind, name);
    json_t *value = json_pack("{s:s}", "$ref", path);
    free(path);
    return value;
}

/* Under components a single model has no name. */
static const char *suffix(const answers *a, int i) { return a->n > 1 ? a->of[i].name : ""; }

/* ---- the rows of a request ---- */

static json_t *cell(const rung_model *model, int64_t input)
{
    enum { EXAMPLES = 20 };
    const char *category;
    int64_t column = rung_model_input(model, input);
    json_t *value = json_pack("{s:[s, s, s, s]}", "type", "number", "string", "boolean", "null"), *known = json_array();
    for (int k = 0; k < EXAMPLES && (category = rung_model_category(model, column, k)); k++)
        json_array_append_new(known, jout_text(category));
    if (json_array_size(known)) json_object_set(value, "examples", known);
    json_decref(known);
    return value;
}

static json_t *row_of(const rung_model *model)
{
    json_t *properties = json_object(), *required = json_array(), *either = json_array();
    int64_t n = rung_model_inputs(model);
    for (int64_t j = 0; j < n; j++) {
        json_t *name = jout_text(rung_model_column(model, rung_model_input(model, j), NULL));
        json_object_set_new(properties, json_string_value(name), cell(model, j));
        json_array_append_new(required, name);
    }
    if (n && *rung_model_column(model, rung_model_input(model, 0), NULL))
        json_array_append_new(either, json_pack("{s:s, s:s, s:O, s:O}", "type", "object", "description",
                                                "a value for every column; other fields are ignored, but id comes back "
                                                "with the answer",
                                                "properties", properties, "required", required));
    json_array_append_new(either, json_pack("{s:s, s:s, s:{}, s:I, s:I}", "type", "array", "description",
                                            "the values in the order of the columns in health", "items", "minItems",
                                            (json_int_t)n, "maxItems", (json_int_t)n));
    json_decref(properties);
    json_decref(required);
    return json_pack("{s:o}", "anyOf", either);
}

/* {"rows": [...]} with its options, or the list alone. */
static json_t *body_of(const char *row, int most, json_t *options)
{
    json_t *rows = json_pack("{s:s, s:o, s:i, s:i}", "type", "array", "items", reference("Row", row), "minItems", 1,
                             "maxItems", most),
           *id = json_pack("{s:s, s:s, s:s}", "type", "string", "default", "id", "description",
                           "the field of the rows that comes back with their answers");
    json_object_set(options, "rows", rows);
    json_object_set_new(options, "id", id);
    json_t *whole = json_pack("{s:s, s:o, s:[s], s:b}", "type", "object", "properties", options, "required", "rows",
                              "additionalProperties", 0);
    return json_pack("{s:b, s:{s:{s:{s:[o, o]}}}}", "required", 1, "content", "application/json", "schema", "anyOf",
                     whole, rows);
}

/* ---- the rows of an answer ---- */

static json_t *prediction_of(const rung_model *model)
{
    json_t *properties = json_object(), *required = json_pack("[s]", "score");
    json_object_set_new(properties, "id", json_pack("{s:s}", "description", "that of the row, where it has one"));
    if (rung_model_has_ranks(model)) {
        json_object_set_new(properties, "label", type("string"));
        json_object_set_new(properties, "rank",
                            json_pack("{s:s, s:i, s:i}", "type", "integer", "minimum", 1, "maximum",
                                      rung_model_classes(model) > 0 ? rung_model_classes(model) : 1));
        json_array_append_new(required, json_string("label"));
        json_array_append_new(required, json_string("rank"));
    }
    json_object_set_new(properties, "score", rung_model_outputs(model) == 1 ? type("number") : list_of(type("number")));
    if (rung_model_has_probabilities(model)) {
        json_t *proba = list_of(share());
        json_object_set_new(proba, "description", json_string("of the classes in health, in order"));
        json_object_set_new(properties, "proba", proba);
        json_array_append_new(required, json_string("proba"));
    }
    if (rung_model_has_probabilities(model) && rung_model_has_latent(model)) {
        json_object_set_new(properties, "mean", type("number"));
        json_object_set_new(properties, "sd", type("number"));
    }
    if (rung_model_interval(model)) {
        json_object_set_new(properties, "low", type("integer"));
        json_object_set_new(properties, "high", type("integer"));
    }
    return json_pack("{s:s, s:o, s:o}", "type", "object", "properties", properties, "required", required);
}

static json_t *explanation(void)
{
    return json_pack("{s:s, s:{s:{s:s}}, s:s}", "type", "object", "properties", "id", "description",
                     "that of the row, where it has one", "description",
                     "the contributions of the columns, as 'rung explain --row --json' writes them");
}

static json_t *health_of_model(void)
{
    json_t *column = json_pack("{s:s, s:{s:o, s:o}, s:[s, s]}", "type", "object", "properties", "name", type("string"),
                               "text", type("boolean"), "required", "name", "text");
    json_t *properties =
        json_pack("{s:{s:s}, s:o, s:o, s:o, s:{s:[s, s]}, s:o, s:o, s:o}", "status", "const", "ok", "version",
                  type("string"), "model", type("string"), "method", type("string"), "label", "type", "string", "null",
                  "classes", list_of(type("string")), "columns", list_of(column), "explains", type("boolean"));
    return json_pack("{s:s, s:o, s:[s]}", "type", "object", "properties", properties, "required", "status");
}

static json_t *health_of_all(void)
{
    json_t *properties = json_pack("{s:{s:s}, s:o, s:o}", "status", "const", "ok", "version", type("string"), "models",
                                   list_of(type("string")));
    return json_pack("{s:s, s:o, s:[s]}", "type", "object", "properties", properties, "required", "status");
}

/* ---- paths ---- */

static json_t *content(const char *what, json_t *schema)
{
    return json_pack("{s:s, s:{s:{s:o}}}", "description", what, "content", "application/json", "schema", schema);
}

/* The answer and what may come instead; `often`: of a POST. */
static json_t *responses(json_t *good, bool often)
{
    static const struct {
        const char *status, *when;
        bool of_post;
    } bad[] = {{"400", "the body is not JSON, a column is missing, or a value cannot be read", true},
               {"403", "no token, another Host, or a page of another site", false},
               {"413", "the request is too large", true},
               {"500", "the request was good, but could not be answered", true},
               {"503", "too many requests wait already; try again later", false}};
    json_t *all = json_pack("{s:o}", "200", good);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (often || !bad[i].of_post)
            json_object_set_new(all, bad[i].status, content(bad[i].when, reference("Error", "")));
    return all;
}

static json_t *operation(const char *id, const char *of, const char *what, json_t *replies)
{
    char *name = text_of("%s%s%s", id, *of ? "_" : "", of);
    json_t *value = json_pack("{s:s, s:s, s:o}", "operationId", name, "summary", what, "responses", replies);
    free(name);
    return value;
}

static json_t *rows_answered(const char *kind, const char *of)
{
    return json_pack("{s:s, s:{s:o, s:o}, s:[s]}", "type", "object", "properties", "rows", list_of(reference(kind, of)),
                     "warnings", list_of(type("string")), "required", "rows");
}

static void put(json_t *paths, const answers *a, int i, const char *path, const char *method, json_t *value)
{
    char *full = a->n > 1 ? text_of("/%s/%s", a->of[i].name, path) : text_of("/%s", path);
    json_object_set_new(paths, full, json_pack("{s:o}", method, value));
    free(full);
}

static void add_model(json_t *paths, json_t *schemas, const answers *a, int i)
{
    const served *of = &a->of[i];
    const char *name = suffix(a, i);
    char *row = text_of("Row%s", name), *prediction = text_of("Prediction%s", name);
    json_object_set_new(schemas, row, row_of(of->model));
    json_object_set_new(schemas, prediction, prediction_of(of->model));
    json_t *interval = json_pack("{s:s, s:i, s:i, s:s}", "type", "number", "exclusiveMinimum", 0, "exclusiveMaximum", 1,
                                 "description", "the probability with which low to high contains the true rank");
    json_t *predict =
        operation("predict", name, "the class of every row",
                  responses(content("a prediction for every row, in order", rows_answered("Prediction", name)), true));
    json_object_set_new(predict, "requestBody", body_of(name, MOST_ROWS, json_pack("{s:o}", "interval", interval)));
    put(paths, a, i, "predict", "post", predict);
    if (of->background) {
        json_t *explain = operation(
            "explain", name, "why a row is predicted so",
            responses(content("an explanation of every row, in order", rows_answered("Explanation", "")), true));
        json_t *samples = json_pack("{s:s, s:i, s:i}", "type", "integer", "minimum", 1, "maximum", MOST_SAMPLES),
               *fixed = json_pack("{s:s, s:s}", "type", "string", "description",
                                  "columns that cannot change, separated by commas");
        json_object_set_new(explain, "requestBody",
                            body_of(name, MOST_EXPLAINED, json_pack("{s:o, s:o}", "fixed", fixed, "samples", samples)));
        put(paths, a, i, "explain", "post", explain);
        json_object_set_new(schemas, "Explanation", explanation());
    }
    put(paths, a, i, "health", "get",
        operation("health", name, "the model",
                  responses(content("its classes and columns", reference("Model", "")), false)));
    free(row);
    free(prediction);
}

json_t *openapi_of(const answers *a)
{
    json_t *paths = json_object(), *schemas = json_object();
    for (int i = 0; i < a->n; i++) add_model(paths, schemas, a, i);
    if (a->n > 1)
        json_object_set_new(paths, "/health",
                            json_pack("{s:o}", "get",
                                      operation("health", "", "the models",
                                                responses(content("their names", health_of_all()), false))));
    json_object_set_new(schemas, "Model", health_of_model());
    json_object_set_new(schemas, "Error",
                        json_pack("{s:s, s:{s:o}, s:[s]}", "type", "object", "properties", "error", type("string"),
                                  "required", "error"));
    /* Its place is that of this description, whether the token is in the path or in a header. */
    return json_pack("{s:s, s:{s:s, s:s}, s:[{s:s}], s:[{s:[]}], s:o, s:{s:o, s:{s:{s:s, s:s}}}}", "openapi", "3.1.0",
                     "info", "title", "rung serve", "version", rung_version(), "servers", "url", ".", "security",
                     "token", "paths", paths, "components", "schemas", schemas, "securitySchemes", "token", "type",
                     "http", "scheme", "bearer");
}
