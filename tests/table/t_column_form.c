// SPDX-License-Identifier: BSD-3-Clause
#include "helper.h"

#include "table/column_form.h"

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

static void names_of_forms(void **state)
{
    (void)state;
    for (int f = FORM_COMMA; f <= FORM_CYCLIC; f++) {
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
        cmocka_unit_test(numbers_with_commas), cmocka_unit_test(forms_of_columns), cmocka_unit_test(dates_are_days),
        cmocka_unit_test(orders_of_dates),     cmocka_unit_test(cyclic_parts),     cmocka_unit_test(names_of_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
