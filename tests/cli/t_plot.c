// SPDX-License-Identifier: BSD-3-Clause
/* What figures rest on: text that fits, names that stay text, ticks, colours in order. */
#define _POSIX_C_SOURCE 200809L
#include "helper.h"

#include "plot/axes.h"
#include "plot/canvas.h"
#include "plot/palette.h"

static void fitted_text(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "an unusually long label", "äöü ЖЖЖ 中文 label", "\xff\xfe broken \xc3",
                                        ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (double room = 10; room < 300; room += 7.5) {
            char *text = text_fitted(names[i], 12, room);
            bool whole = !strcmp(text, names[i]);
            assert_true(whole || text_width_at(text, 12, false) <= room + 12.01); /* no less than the ellipsis */
            assert_true(whole || strstr(text, "…"));
            assert_true(!whole || text_width_at(text, 12, false) <= room);
            free(text);
        }
}

static char *escaped(const char *text)
{
    char *out = NULL;
    size_t length;
    FILE *file = open_memstream(&out, &length);
    assert_non_null(file);
    xml_text(file, text);
    fclose(file);
    return out;
}

static void escaping(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"plain é 中", "plain é 中"},
        {"<script>alert('1' & \"2\")</script>", "&lt;script&gt;alert(&#39;1&#39; &amp; &quot;2&quot;)&lt;/script&gt;"},
        {"]]>", "]]&gt;"},
        {"a\x01\x1b[b\x7f", "a\xEF\xBF\xBD\xEF\xBF\xBD[b\xEF\xBF\xBD"},
        {"\xff\xc3(", "\xEF\xBF\xBD\xEF\xBF\xBD("},
        {"tab\tnewline\n", "tab\tnewline\n"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *out = escaped(pairs[i][0]);
        assert_string_equal(out, pairs[i][1]);
        free(out);
    }
}

static void check_axis(double low, double high, bool log, bool widen, double length)
{
    axis a = axis_new(low, high, 0, length, 60, log, widen);
    double slack = 1e-6 * (high - low);
    if (!(a.low <= low + slack && a.high >= high - slack) || a.ticks < 1 || a.ticks > 32) {
        print_error("axis %g to %g, log %d, widen %d: %d ticks, %g to %g\n", low, high, log, widen, a.ticks, a.low,
                    a.high);
        fail();
    }
    for (int i = 0; i < a.ticks; i++) {
        assert_true(a.tick[i] >= a.low - 1e-9 * fabs(a.low) && a.tick[i] <= a.high + 1e-9 * fabs(a.high));
        assert_true(i == 0 || a.tick[i] > a.tick[i - 1]);
        /* two ticks are never written alike */
        if (i) assert_string_not_equal(axis_label(&a, a.tick[i]).text, axis_label(&a, a.tick[i - 1]).text);
    }
    assert_true(fabs(axis_at(&a, a.low)) < 1e-9 && fabs(axis_at(&a, a.high) - length) < 1e-6);
}

static void ticks(void **state)
{
    (void)state;
    static const double width[] = {1e-6, 0.013, 0.5, 0.999, 1, 2, 3.7, 10, 99, 12345};
    static const double from[] = {-100, -1, -0.013, 0, 0.02, 1, 7, 1000, 1000001, -98765432};
    for (size_t i = 0; i < sizeof width / sizeof *width; i++)
        for (size_t k = 0; k < sizeof from / sizeof *from; k++)
            for (double length = 60; length < 1300; length *= 2.7) {
                check_axis(from[k], from[k] + width[i], false, false, length);
                check_axis(from[k], from[k] + width[i], false, true, length);
                if (from[k] > 0 && width[i] > 10 * from[k])
                    check_axis(from[k], from[k] + width[i], true, false, length);
            }
    check_axis(0, 1e-9, false, false, 400);
    check_axis(-1e-40, 1e-40, false, true, 400);
    check_axis(3, 3, false, false, 400); /* one value only */
    check_axis(0, 0, false, true, 400);
    check_axis(1e-9, 1e9, true, false, 400);
}

static double luminance(colour c)
{
    static const double weight[] = {0.0722, 0.7152, 0.2126};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double v = (c >> (8 * i) & 255u) / 255.0;
        sum += weight[i] * (v <= 0.03928 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(colour a, colour b)
{
    double x = luminance(a), y = luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static void colours(void **state)
{
    (void)state;
    for (int K = 2; K <= 12; K++)
        for (int k = 2; k <= K; k++) { /* lightness tells the order */
            assert_true(luminance(palette_class(k, K)) > luminance(palette_class(k - 1, K)));
            assert_true(luminance(palette_tint(k, K)) > luminance(palette_class(k, K)));
        }
    for (double share = 0; share <= 1; share += 0.01) { /* numbers can be read on every ground */
        colour back = palette_share(share);
        assert_true(contrast(palette_ink_on(back), back) >= 4.5);
    }
    for (int i = 0; i < 14; i++) assert_true(contrast(palette_thing(i), PAPER) >= 2);
    for (int i = 0; i < 14; i++) /* no two of the first fourteen look alike */
        for (int j = 0; j < i; j++)
            assert_true(palette_thing(i) != palette_thing(j) || palette_dash(i) != palette_dash(j));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fitted_text), cmocka_unit_test(escaping),
                                       cmocka_unit_test(ticks), cmocka_unit_test(colours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
