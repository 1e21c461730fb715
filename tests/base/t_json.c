// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "base/json.h"

static void text_that_is_not_utf8_is_kept_readable(void **state)
{
    (void)state;
    json_t *good = json_clean("Größe"), *bad = json_clean("Gr\xf6\xdf"
                                                          "e");
    assert_string_equal(json_string_value(good), "Größe");
    assert_string_equal(json_string_value(bad), "Gr??e");
    json_decref(good);
    json_decref(bad);
}

static void mistakes_are_told_with_their_place(void **state)
{
    rung_ctx *ctx = *state;
    json_t *json;
    const char *a;
    int b;
    assert_fails(ctx, json_parse(ctx, "{\"a\":1,}", 8, "the text", &json), RUNG_EFORMAT, "the text is not valid JSON");
    assert_null(json);
    assert_fails(ctx, json_parse(ctx, "{\"a\":1,\"a\":2}", 13, "the text", &json), RUNG_EFORMAT, "duplicate");
    assert_ok(ctx, json_parse(ctx, "{\"a\":\"x\",\"b\":2}", 15, "the text", &json));
    assert_fails(ctx, json_take(ctx, json, "it", "{s:s}", "a", &a), RUNG_EFORMAT, "left unpacked");
    assert_fails(ctx, json_take(ctx, json, "it", "{s:s, s:s}", "a", &a, "b", &a), RUNG_EFORMAT, "Expected string");
    assert_ok(ctx, json_take(ctx, json, "it", "{s:s, s:i}", "a", &a, "b", &b));
    assert_string_equal(a, "x");
    assert_int_equal(b, 2);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_that_is_not_utf8_is_kept_readable),
                                       WITH_CONTEXT(mistakes_are_told_with_their_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
