// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include <locale.h>

#include "base/rng.h"
#include "base/text.h"

static uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static double double_of(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* The C library's strtod rounds exactly; this process stays in the C locale. The text is given without a terminator. */
static void same_as_strtod(const char *text)
{
    size_t length = strlen(text);
    char *bare = malloc(length + !length); /* its own block: ASan sees a read past the end */
    memcpy(bare, text, length);
    double x = -77, want = strtod(text, NULL);
    if (!text_number(bare, length, '.', &x)) fail_msg("'%.60s' was refused", text);
    if (bits_of(x) != bits_of(want)) fail_msg("'%.60s': %a, expected %a", text, x, want);
    for (size_t i = 0; i < length; i++)
        if (bare[i] == '.') bare[i] = ',';
    x = -77;
    if (!text_number(bare, length, ',', &x) || bits_of(x) != bits_of(want))
        fail_msg("'%.60s' with a decimal comma: %a, expected %a", text, x, want);
    free(bare);
}

static void hard_numbers_are_rounded_exactly(void **state)
{
    (void)state;
    const char *texts[] = {
        "0",
        "-0",
        "+0",
        "0.0",
        "-0.0",
        "00000",
        "0e5",
        "-0e-400",
        "0e99999999999999999999",
        "1",
        "-1",
        "+1",
        "007",
        "1.",
        ".5",
        "-.5",
        "+.5e1",
        "1.e2",
        "1e5",
        "1E5",
        "1e+5",
        "1e-5",
        "1e0000000005",
        "123456789012345678901234567890",
        /* borders of the integers that a double holds */
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9007199254740994",
        "9007199254740995",
        "-9007199254740993",
        "9007199254740993.0",
        "9007199254740992.999999999999999999999999",
        "900719925474099.3",
        "9007199254740993e-22",
        "9007199254740993e22",
        "9007199254740992e22",
        "9007199254740992e23",
        "9007199254740992e-23",
        "18014398509481985",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "1e22",
        "1e23",
        "1e-22",
        "1e-23",
        "8.5e22",
        "0.1",
        "0.3",
        "2.675",
        "1.005",
        /* a half-way case and its neighbours, far behind the point */
        "9007199254740993.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
        "9007199254740992.99999999999999999999999999999999999999999999999999999999999999999999999999999999999999999",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        /* the ends of the range */
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1.797693134862315807e308",
        "1e308",
        "1e309",
        "-1e309",
        "1e999",
        "1e99999999999999999999",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "4.9406564584124654e-324",
        "5e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.47032822920623272e-324",
        "1e-323",
        "1e-324",
        "-1e-324",
        "1e-99999999999999999999",
        "6.9294956446009195e15",
        "3.237883913302901e-319",
        "7.2057594037927933e16",
        "1.2345678901234567e-310",
        "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000001e84",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) same_as_strtod(texts[i]);
}

static void random_doubles_read_back(void **state)
{
    (void)state;
    rng r;
    rng_open(&r, 1, 0);
    for (int i = 0; i < 100000; i++) {
        double x = double_of(rng_bits(&r));
        if (!isfinite(x)) continue;
        char text[64];
        snprintf(text, sizeof text, "%.*e", (int)rng_below(&r, 20), x);
        same_as_strtod(text);
        snprintf(text, sizeof text, "%.17g", ldexp((double)(int64_t)rng_bits(&r), -(int)rng_below(&r, 100)));
        same_as_strtod(text);
    }
}

static void random_digits_are_rounded_exactly(void **state)
{
    (void)state;
    rng r;
    rng_open(&r, 2, 0);
    for (int i = 0; i < 100000; i++) {
        char text[128];
        int n = 0, digits = 1 + (int)rng_below(&r, i % 10 == 0 ? 60 : 21), point = (int)rng_below(&r, digits + 1);
        if (rng_below(&r, 2)) text[n++] = "+-"[rng_below(&r, 2)];
        for (int j = 0; j < digits; j++) {
            if (j == point) text[n++] = '.';
            text[n++] = (char)('0' + rng_below(&r, 10));
        }
        text[n] = 0;
        if (rng_below(&r, 2)) snprintf(text + n, sizeof text - (size_t)n, "e%d", (int)rng_below(&r, 60) - 30);
        same_as_strtod(text);
    }
}

/* Around 2^53 and its multiples the fast path meets the exact one. */
static void the_borders_of_the_fast_path_agree(void **state)
{
    (void)state;
    for (int64_t k = -50; k <= 50; k++)
        for (int e = -30; e <= 30; e++) {
            char text[64];
            snprintf(text, sizeof text, "%llde%d", (long long)((INT64_C(1) << 53) + k), e);
            same_as_strtod(text);
            snprintf(text, sizeof text, "%lld.%llde%d", (long long)((INT64_C(1) << 53) / 1000 + k), (long long)(k + 50),
                     e);
            same_as_strtod(text);
        }
}

/* The middle of two doubles in 17 to 19 digits: 128 bits of a power of five must tell on which side it is. */
static void the_neighbourhood_of_half_way_is_rounded_exactly(void **state)
{
    (void)state;
    rng r;
    rng_open(&r, 3, 0);
    for (int i = 0; i < 100000; i++) {
        double x = ldexp(1 + (double)rng_below(&r, INT64_C(1) << 52) * 0x1p-52, (int)rng_below(&r, 460) - 230);
        long double middle = ((long double)x + (long double)nextafter(x, INFINITY)) / 2;
        char text[64];
        snprintf(text, sizeof text, "%.*Le", 16 + i % 3, middle);
        same_as_strtod(text);
    }
}

/* 1/2 ulp above 2^-1074 k exactly, in all its digits (up to 767 of them), then one unit less and more. */
static void half_way_subnormals_are_rounded_exactly(void **state)
{
    (void)state;
    rng r;
    rng_open(&r, 4, 0);
    for (int i = 0; i < 200; i++) {
        uint64_t low = (uint64_t)rng_below(&r, INT64_C(1) << (1 + i % 52));
        char text[1400];
        int n = snprintf(text, sizeof text, "%.1100f", double_of(low)); /* exact, zeros behind */
        same_as_strtod(text);
        /* the middle (low + 1/2) 2^-1074 = (2 low + 1) 2^-1075: add half of the smallest double, digit by digit */
        char half[1400], sum[1400];
        int m = snprintf(half, sizeof half, "%.1100Lf", ldexpl(1.0L, -1075));
        assert_int_equal(n, m);
        int carry = 0;
        for (int j = n - 1; j >= 0; j--) {
            if (text[j] == '.') {
                sum[j] = '.';
                continue;
            }
            int d = text[j] - '0' + half[j] - '0' + carry;
            sum[j] = (char)('0' + d % 10);
            carry = d / 10;
        }
        sum[n] = 0;
        same_as_strtod(sum);
        sum[n - 1] = '1';
        same_as_strtod(sum);
    }
}

static char *repeated(const char *head, char c, size_t times, const char *tail)
{
    size_t h = strlen(head), t = strlen(tail);
    char *text = malloc(h + times + t + 1);
    memcpy(text, head, h);
    memset(text + h, c, times);
    memcpy(text + h + times, tail, t + 1);
    return text;
}

static void very_long_numbers_are_rounded_exactly(void **state)
{
    (void)state;
    const struct {
        const char *head;
        char c;
        size_t times;
        const char *tail;
        double want;
    } cases[] = {
        {"", '9', 308, "", 1e308},
        {"", '9', 310, "", INFINITY},
        {"1", '0', 200000, "e-200000", 1},
        {"1", '0', 200018, "e-100000", INFINITY},
        {"0.", '0', 200000, "1e200001", 1},
        {"0.", '0', 200000, "1e100000", 0},
        {"0.", '0', 99999, "1e1000000", INFINITY},
        {"-0.", '0', 99999, "1e99999999999999999999", -INFINITY},
        {"1.", '0', 5000, "1", 1},
        {"0.", '3', 5000, "", 1.0 / 3},
        {"9007199254740993.", '0', 5000, "", 9007199254740992},  /* half-way: to the even one */
        {"9007199254740993.", '0', 5000, "1", 9007199254740994}, /* a digit far behind decides */
        {"9007199254740992.", '9', 5000, "", 9007199254740992 + 0.0},
        {"", '0', 5000, "25", 25},
        {"1e", '0', 5000, "3", 1000},
        {"1e-", '0', 5000, "3", 0.001},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = repeated(cases[i].head, cases[i].c, cases[i].times, cases[i].tail);
        double x = -77;
        assert_true(text_number(text, strlen(text), '.', &x));
        if (bits_of(x) != bits_of(cases[i].want)) fail_msg("case %zu: %.17g", i, x);
        free(text);
    }
}

static void words_are_numbers_too(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double want;
    } words[] = {{"inf", INFINITY},    {"INF", INFINITY},      {"+Inf", INFINITY},
                 {"-inf", -INFINITY},  {"infinity", INFINITY}, {"-Infinity", -INFINITY},
                 {"nan", (double)NAN}, {"NaN", (double)NAN},   {"-nan", (double)NAN}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        double x = -77;
        assert_true(text_number(words[i].text, strlen(words[i].text), '.', &x));
        assert_true(isnan(words[i].want) ? isnan(x) : x == words[i].want);
    }
}

static void anything_else_is_refused(void **state)
{
    (void)state;
    const char *texts[] = {"",    " ",    " 1",    "1 ",   "\t1",   "1\n",      "+",        "-",     ".",
                           "+.",  "e5",   ".e5",   "1e",   "1e+",   "1e-",      "1e5.0",    "1.2.3", "1..2",
                           "1,2", "--1",  "+-1",   "0x10", "0x",    "1f",       "1d5",      "1_0",   "1'0",
                           "in",  "infi", "infin", ".inf", "-.nan", "1inf",     "nan0",     "nan()", "$1",
                           "1%",  "a",    "1e5e5", "1e 5", "1e5 ",  "\xc3\xa9", "1\xc2\xa0"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double x = -77;
        if (text_number(texts[i], strlen(texts[i]), '.', &x)) fail_msg("'%s' was taken as %g", texts[i], x);
        assert_true(x == -77); /* and nothing is written */
    }
    double x = -77;
    assert_false(text_number("1.5", 3, ',', &x)); /* a point where a comma is the decimal point */
    assert_false(text_number("1\0002", 3, '.', &x));
    assert_false(text_number("1\000", 2, '.', &x));
    assert_true(text_number("12345", 2, '.', &x)); /* the length rules, not a terminator */
    assert_true(x == 12);
    assert_true(text_number("1e5", 1, '.', &x));
    assert_true(x == 1);
}

static void integers_are_strict_and_complete(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int64_t want;
    } good[] = {{"0", 0},
                {"-0", 0},
                {"+7", 7},
                {"007", 7},
                {"-42", -42},
                {"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN},
                {"000000000000000000000000000000000001", 1}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t x = -77;
        assert_true(text_integer(good[i].text, strlen(good[i].text), &x));
        assert_true(x == good[i].want);
    }
    const char *bad[] = {"",
                         "+",
                         "-",
                         " 1",
                         "1 ",
                         "1.0",
                         "1e3",
                         "0x1",
                         "a",
                         "1a",
                         "--1",
                         "9223372036854775808",
                         "-9223372036854775809",
                         "99999999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t x = -77;
        if (text_integer(bad[i], strlen(bad[i]), &x)) fail_msg("'%s' was taken as %lld", bad[i], (long long)x);
        assert_int_equal(x, -77);
    }
    int64_t x;
    assert_true(text_integer("123", 2, &x));
    assert_int_equal(x, 12);
}

static void comparison_ignores_ascii_case_only(void **state)
{
    (void)state;
    assert_true(text_equal("", ""));
    assert_true(text_equal("KdLoR", "kdlor"));
    assert_false(text_equal("kdlor", "kdlo"));
    assert_false(text_equal("kdlo", "kdlor"));
    assert_false(text_equal("a", "b"));
    assert_false(text_equal("@", "`")); /* 32 apart, but no letters */
    assert_false(text_equal("[", "{"));
    assert_true(text_equal("\xc3\x84", "\xc3\x84"));
    assert_false(text_equal("\xc3\x84", "\xc3\xa4"));
}

static void formatted(double x, const char *want)
{
    char text[32];
    int length = text_format(x, text);
    assert_string_equal(text, want);
    assert_int_equal(length, strlen(want));
}

static void formatting_uses_the_fewest_digits(void **state)
{
    (void)state;
    formatted(0, "0");
    formatted(-0.0, "-0");
    formatted(1, "1");
    formatted(-2.5, "-2.5");
    formatted(0.1, "0.1");
    formatted(1.0 / 3, "0.3333333333333333");
    formatted(0.1 + 0.2, "0.30000000000000004");
    formatted(100000, "100000");
    formatted(1e15, "1e+15");
    formatted(123456789012345.0, "123456789012345");
    formatted(1e300, "1e+300");
    formatted(1.7976931348623157e308, "1.7976931348623157e+308");
    formatted(2.2250738585072014e-308, "2.2250738585072014e-308");
    formatted(-2.2250738585072014e-308, "-2.2250738585072014e-308");
    formatted(5e-324, "5e-324");
    formatted(-1.5e-323, "-1.5e-323");
    formatted((double)INFINITY, "inf");
    formatted(-(double)INFINITY, "-inf");
    formatted((double)NAN, "nan");
    formatted(-(double)NAN, "nan");
}

static void formatted_doubles_read_back_to_the_bit(void **state)
{
    (void)state;
    rng r;
    rng_open(&r, 5, 0);
    for (int i = 0; i < 200000; i++) {
        uint64_t u = rng_bits(&r);
        if (i % 4 == 1) u &= ~(UINT64_C(0x7ff) << 52);                  /* subnormal */
        if (i % 4 == 2) u = bits_of((double)(int64_t)(u >> 40) / 1000); /* few digits */
        if (i % 4 == 3) u &= UINT64_C(0xfff) << 52;                     /* powers of two: uneven neighbours */
        double x = double_of(u), back;
        if (!isfinite(x)) continue;
        char text[32];
        int length = text_format(x, text);
        assert_in_range(length, 1, 24);
        assert_int_equal(length, strlen(text));
        assert_true(text_number(text, (size_t)length, '.', &back));
        if (bits_of(back) != u) fail_msg("%a became '%s'", x, text);
    }
}

/* Numbers look the same whatever locale the program runs in. Any installed locale with a decimal comma will do. */
static void the_locale_does_not_matter(void **state)
{
    (void)state;
    const char *names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "pt_BR.UTF-8", "ru_RU.UTF-8", "de_DE", "fr_FR"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) found = setlocale(LC_ALL, names[i]);
    if (!found) skip();
    double x = 0, slow = 0;
    char text[32];
    bool fast_read = text_number("1.5", 3, '.', &x);
    bool slow_read = text_number("1.5000000000000000000000000", 27, '.', &slow);
    text_format(0.1, text);
    setlocale(LC_ALL, "C");
    assert_true(fast_read && slow_read);
    assert_true(x == 1.5 && slow == 1.5);
    assert_string_equal(text, "0.1");
}

static void distances_count_edits(void **state)
{
    (void)state;
    assert_int_equal(text_distance("", ""), 0);
    assert_int_equal(text_distance("", "abc"), 3);
    assert_int_equal(text_distance("abc", ""), 3);
    assert_int_equal(text_distance("gamma", "gamma"), 0);
    assert_int_equal(text_distance("gamma", "GAMMA"), 0);
    assert_int_equal(text_distance("gama", "gamma"), 1);
    assert_int_equal(text_distance("gamma", "gama"), 1);
    assert_int_equal(text_distance("gamma", "gamna"), 1);
    assert_int_equal(text_distance("gmama", "gamma"), 1); /* two neighbours exchanged are one edit */
    assert_int_equal(text_distance("kitten", "sitting"), 3);
    assert_int_equal(text_distance("abcd", "wxyz"), 4);
    char a[200], b[200];
    memset(a, 'a', sizeof a - 1), a[sizeof a - 1] = 0;
    memcpy(b, a, sizeof b);
    b[0] = 'b', b[150] = 'b';
    assert_int_equal(text_distance(a, b), 1); /* only the first 63 bytes are looked at */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hard_numbers_are_rounded_exactly),
        cmocka_unit_test(random_doubles_read_back),
        cmocka_unit_test(random_digits_are_rounded_exactly),
        cmocka_unit_test(the_borders_of_the_fast_path_agree),
        cmocka_unit_test(the_neighbourhood_of_half_way_is_rounded_exactly),
        cmocka_unit_test(half_way_subnormals_are_rounded_exactly),
        cmocka_unit_test(very_long_numbers_are_rounded_exactly),
        cmocka_unit_test(words_are_numbers_too),
        cmocka_unit_test(anything_else_is_refused),
        cmocka_unit_test(integers_are_strict_and_complete),
        cmocka_unit_test(comparison_ignores_ascii_case_only),
        cmocka_unit_test(formatting_uses_the_fewest_digits),
        cmocka_unit_test(formatted_doubles_read_back_to_the_bit),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(distances_count_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
