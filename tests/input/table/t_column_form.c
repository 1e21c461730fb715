// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include <math.h>
#include <string.h>

#include "input/table/measure.h"

static void numbers_with_commas(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double comma, grouped; /* NAN: none */
    } cases[] = {{"3,14", 3.14, NAN},
                 {"1,200", 1.2, 1200},
                 {"1,200,300", NAN, 1200300},
                 {"1.200,5", 1200.5, NAN},
                 {"1,200.5", NAN, 1200.5},
                 {"-12,5", -12.5, NAN},
                 {"12", 12, 12},
                 {"1,20", 1.2, NAN},
                 {",5", 0.5, NAN},
                 {"1,,200", NAN, NAN},
                 {"1234,567", 1234.567, NAN},
                 {"a", NAN, NAN},
                 {"1,200,30", NAN, NAN},
                 {"1e3", 1000, 1000},
                 {"", NAN, NAN},
                 {"1 200,5", 1200.5, NAN},
                 {"1 200", 1200, 1200},
                 {"1'200.5", NAN, 1200.5},
                 {"12\u00a0345\u00a0678", 12345678, 12345678},
                 {"1\u202f200,25", 1200.25, NAN},
                 {"12 34", NAN, NAN},
                 {"1 200 ", NAN, NAN},
                 {" 200", NAN, NAN},
                 {"12 kg", NAN, NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x = NAN;
        if (!form_number(cases[i].text, FORM_COMMA, &x)) x = NAN;
        assert_close(x, cases[i].comma, 0);
        if (!form_number(cases[i].text, FORM_GROUPED, &x)) x = NAN;
        assert_close(x, cases[i].grouped, 0);
    }
}

static void forms_of_columns(void **state)
{
    (void)state;
    column_form form;
    bool unclear;
    assert_true(form_of_numbers(2, (const char *[]){"3,14", "2"}, &form, &unclear));
    assert_true(form == FORM_COMMA && !unclear);
    assert_true(form_of_numbers(2, (const char *[]){"1,200", "1,200,300"}, &form, &unclear));
    assert_true(form == FORM_GROUPED && !unclear);
    assert_true(form_of_numbers(2, (const char *[]){"1,200", "3,5"}, &form, &unclear));
    assert_true(form == FORM_COMMA && !unclear);
    assert_true(form_of_numbers(2, (const char *[]){"1,200", "15"}, &form, &unclear));
    assert_true(unclear);
    assert_true(form_of_numbers(2, (const char *[]){"1 200", "900"}, &form, &unclear)); /* the same either way */
    assert_true(form == FORM_GROUPED && !unclear);
    assert_true(form_of_numbers(2, (const char *[]){"1 200,5", "900"}, &form, &unclear));
    assert_true(form == FORM_COMMA && !unclear);
    assert_true(form_of_numbers(2, (const char *[]){"1 200", "1.200"}, &form, &unclear));
    assert_true(unclear);
    assert_false(form_of_numbers(2, (const char *[]){"3,14", "x"}, &form, &unclear));
    assert_false(form_of_numbers(2, (const char *[]){"3,14", "1,200.5"}, &form, &unclear)); /* neither fits both */
}

static void dates_are_days(void **state)
{
    (void)state;
    double days;
    assert_true(form_date("1970-01-01", DATE_YMD, &days) && days == 0);
    assert_true(form_date("2000-03-01", DATE_YMD, &days) && days == 11017);
    assert_true(form_date("1969-12-31T12:00", DATE_YMD, &days) && days == -0.5);
    assert_true(form_date("2024-02-29 06:00:00.000Z", DATE_YMD, &days) && days == 19782.25);
    assert_true(form_date("29.2.2024", DATE_DMY, &days) && days == 19782);
    assert_true(form_date("02/29/2024", DATE_MDY, &days) && days == 19782);
    static const char *const wrong[] = {"2023-02-29", "2024-13-01", "2024-1",           "24-01-01", "2024-01-01x",
                                        "2024-01/01", "20240101",   "2024-01-01T25:00", "",         "2024-00-10"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(form_date(wrong[i], DATE_YMD, &days));
    assert_false(form_date("01.31.2024", DATE_MDY, &days)); /* with points the day comes first */
    static const struct {
        const char *text;
        date_order order;
        double days;
    } cases[] = {{"29 Feb 2024", DATE_DMY, 19782},
                 {"29-feb-24", DATE_DMY, 19782},
                 {"29/02/24", DATE_DMY, 19782},
                 {"01.01.69", DATE_DMY, -365},
                 {"Feb. 29, 2024", DATE_MDY, 19782},
                 {"February 29 2024 18:00", DATE_MDY, 19782.75},
                 {"2/29/24 6:00 pm", DATE_MDY, 19782.75},
                 {"2024-Feb-29", DATE_YMD, 19782},
                 {"2024-03", DATE_YMD, 19783},
                 {"20240229", DATE_COMPACT, 19782},
                 {"2024-02-29T06:00:00+06:00", DATE_YMD, 19782},
                 {"2024-02-29 06:00 -0600", DATE_YMD, 19782.5},
                 {"29.2.2024 6:00", DATE_DMY, 19782.25}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(form_date(cases[i].text, cases[i].order, &days));
        assert_close(days, cases[i].days, 0);
    }
    static const struct {
        const char *text;
        date_order order;
    } bad[] = {{"29 Fbr 2024", DATE_DMY},
               {"29 Feb", DATE_DMY},
               {"29-02-24", DATE_DMY},
               {"20240230", DATE_COMPACT},
               {"2024-02-29T06:00+15", DATE_YMD},
               {"13/13/24", DATE_MDY},
               {"2024-13", DATE_YMD},
               {"1/2/24 13:00 pm", DATE_MDY},
               {"May 2024", DATE_MDY},
               {"29 Februar 2024", DATE_DMY},
               {"", DATE_COMPACT}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(form_date(bad[i].text, bad[i].order, &days));
    char text[DAY_TEXT];
    for (double day = -1000; day < 40000; day += 17.25) { /* there and back */
        form_day_text(day, text);
        assert_true(form_date(text, DATE_YMD, &days) && days == floor(day));
    }
}

static void times_are_hours(void **state)
{
    (void)state;
    double x;
    assert_true(form_hours("12:30", &x) && x == 12.5);
    assert_true(form_hours("9:15:36", &x) && fabs(x - 9.26) < 1e-12);
    assert_true(form_hours("12:15 am", &x) && x == 0.25);
    assert_true(form_hours("1:30 P.M.", &x) && x == 13.5);
    assert_true(form_hours("100:00", &x) && x == 100);
    static const char *const wrong[] = {"12", "12:3", "12:60", "13:00 pm", "1:2:3", "12:30x", ":30", "", "1:00 xm"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(form_hours(wrong[i], &x));
}

static void codes_are_no_numbers(void **state)
{
    (void)state;
    static const char *const codes[] = {"007", "01", "+4930123456", "1234567890123456"},
                             *const numbers[] = {
                                 "0", "0.5", "7", "-07.5", "+7", "123456789012345", "1.2345678901234567", ""};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) assert_true(form_is_code(codes[i], strlen(codes[i])));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_false(form_is_code(numbers[i], strlen(numbers[i])));
}

static void numbers_with_units(void **state)
{
    (void)state;
    measure m;
    double x;
    assert_true(measure_of(2, (const char *[]){"5 mg/m3", "7.5mg/m3"}, '.', &m));
    assert_true(m.form == FORM_PLAIN && !m.limit && strcmp(m.unit, "mg/m3") == 0);
    assert_true(measure_of(3, (const char *[]){"<0,05", "1.200,5", "n.d."}, '.', &m));
    assert_true(m.form == FORM_COMMA && strcmp(m.limit, "<0,05") == 0 && !*m.unit);
    assert_true(measure_number("1.200,5", FORM_COMMA, '.', "", &x) && x == 1200.5);
    assert_true(measure_of(2, (const char *[]){"1,200 EUR", "3 EUR"}, '.', &m) && m.unclear);
    assert_true(measure_of(2, (const char *[]){"EUR 1,200", "EUR 3"}, '.', &m) && !m.unclear && m.form == FORM_GROUPED);
    assert_true(measure_number("- 1.5e3 m", FORM_PLAIN, '.', "m", &x) && x == -1500);
    assert_true(measure_number("\u2265 2 \u00b0C", FORM_PLAIN, '.', "\u00b0C", &x) && x == 2);
    static const char *const none[] = {"kg",   "",   "5-6", "120/80", "12:30", "5 kg and more of it",
                                       "$5 m", "(5", "Q1",  "n.d."};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) assert_false(measure_of(1, &none[i], '.', &m));
    assert_false(measure_of(2, (const char *[]){"5 kg", "5 g"}, '.', &m));
}

static void orders_of_dates(void **state)
{
    (void)state;
    date_order order;
    bool unclear;
    assert_true(form_of_dates(2, (const char *[]){"2024-01-31", "2023-12-01"}, &order, &unclear));
    assert_true(order == DATE_YMD && !unclear);
    assert_true(form_of_dates(2, (const char *[]){"01/02/2024", "13/02/2024"}, &order, &unclear));
    assert_true(order == DATE_DMY && !unclear);
    assert_true(form_of_dates(2, (const char *[]){"01/02/2024", "02/13/2024"}, &order, &unclear));
    assert_true(order == DATE_MDY && !unclear);
    assert_true(form_of_dates(1, (const char *[]){"01/02/2024"}, &order, &unclear));
    assert_true(unclear);
    assert_false(form_of_dates(2, (const char *[]){"2024-01-31", "soon"}, &order, &unclear));
}

/* A year and a week later the cyclic parts come round again. */
static void cyclic_parts(void **state)
{
    (void)state;
    double a[CYCLIC_COLUMNS], b[CYCLIC_COLUMNS];
    form_columns_of(FORM_CYCLIC, 100, a);
    form_columns_of(FORM_CYCLIC, 107, b);
    assert_true(a[0] == 100 && b[0] == 107);
    assert_close(a[3], b[3], 1e-12);
    assert_close(a[4], b[4], 1e-12);
    assert_true(fabs(a[1] - b[1]) + fabs(a[2] - b[2]) > 0.05);
    form_columns_of(FORM_CYCLIC, 100 + 400 * 365.2425, b);
    assert_close(a[1], b[1], 1e-9);
    assert_close(a[2], b[2], 1e-9);
    assert_int_equal(form_columns(FORM_DAYS), 1);
}

/* To the last bit: a zone that moves a time into another day included. */
static void instants_have_one_number(void **state)
{
    static const char *const same[][2] = {{"2024-03-01 00:30:00+01:00", "2024-02-29 23:30:00"},
                                          {"2023-12-31 22:10:07.25-05:00", "2024-01-01T03:10:07.25Z"},
                                          {"2024-07-01 13:00 +02", "2024-07-01 11:00"}};
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        double a, b;
        assert_true(form_date(same[i][0], DATE_YMD, &a) && form_date(same[i][1], DATE_YMD, &b));
        assert_true(a == b);
    }
}

static void names_of_forms(void **state)
{
    (void)state;
    for (int f = FORM_COMMA; f <= FORM_HOURS; f++) {
        column_form found;
        assert_true(form_find(form_name((column_form)f), &found) && (int)found == f);
    }
    column_form form;
    date_order order;
    assert_null(form_name(FORM_PLAIN));
    assert_false(form_find("plain", &form));
    assert_true(date_order_find("mdy", &order) && order == DATE_MDY);
    assert_false(date_order_find("ydm", &order));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_with_commas), cmocka_unit_test(forms_of_columns),
        cmocka_unit_test(dates_are_days),      cmocka_unit_test(orders_of_dates),
        cmocka_unit_test(cyclic_parts),        cmocka_unit_test(names_of_forms),
        cmocka_unit_test(times_are_hours),     cmocka_unit_test(codes_are_no_numbers),
        cmocka_unit_test(numbers_with_units),  cmocka_unit_test(instants_have_one_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
