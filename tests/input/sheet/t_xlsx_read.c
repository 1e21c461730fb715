// SPDX-License-Identifier: BSD-3-Clause
/* Workbooks, which libzip packs here. */
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"

#include "data/dataset.h"
#include "input/sheet/xlsx_cells.h"

#ifdef RUNG_XLSX
#include <zip.h>

typedef struct {
    const char *name, *text;
} part;

#define RELATIONS "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
static const part frame[] = {
    {"_rels/.rels", "<Relationships><Relationship Id='a' Type='" RELATIONS
                    "/officeDocument' Target='/xl/workbook.xml'/></Relationships>"},
    {"xl/workbook.xml",
     "<workbook xmlns:r='" RELATIONS "'><workbookPr date1904='1'/><sheets>"
     "<sheet name='Hidden' state='hidden' r:id='r2'/><sheet name='One' r:id='r1'/></sheets></workbook>"},
    {"xl/_rels/workbook.xml.rels",
     "<Relationships><Relationship Id='r1' Type='" RELATIONS "/worksheet' Target='worksheets/sheet1.xml'/>"
     "<Relationship Id='r2' Type='" RELATIONS "/worksheet' Target='worksheets/hidden.xml'/>"
     "<Relationship Id='s' Type='" RELATIONS "/sharedStrings' Target='texts.xml'/>"
     "<Relationship Id='t' Type='" RELATIONS "/styles' Target='styles.xml'/></Relationships>"},
    {"xl/styles.xml",
     "<styleSheet><numFmts><numFmt numFmtId='170' formatCode='dd/mm/yyyy\\ hh:mm'/><numFmt numFmtId='171' "
     "formatCode='00000'/></numFmts><cellStyleXfs><xf numFmtId='14'/></cellStyleXfs><cellXfs><xf "
     "numFmtId='0'/><xf numFmtId='14'/><xf numFmtId='170'/><xf numFmtId='20'/><xf numFmtId='171'/>"
     "</cellXfs></styleSheet>"},
    {"xl/worksheets/hidden.xml",
     "<worksheet><sheetData><row><c><v>7</v></c><c><v>1</v></c></row></sheetData></worksheet>"},
};
static const char texts[] =
    "<sst><si><t>size</t></si><si><r><t>ti</t></r><r><t>me</t></r><rPh><t>x</t></rPh></si></sst>";

/* A file with this sheet and these shared texts. */
static temp workbook(const char *sheet, const char *shared)
{
    temp file = temp_file("", 0);
    int code;
    zip_t *z = zip_open(file.path, ZIP_TRUNCATE | ZIP_CREATE, &code);
    assert_non_null(z);
    const part last[] = {{"xl/worksheets/sheet1.xml", sheet}, {"xl/texts.xml", shared}};
    for (size_t k = 0; k < sizeof frame / sizeof *frame + 2; k++) {
        const part *p = k < 2 ? &last[k] : &frame[k - 2];
        zip_source_t *s = p->text ? zip_source_buffer(z, p->text, strlen(p->text), 0) : NULL;
        if (p->text) assert_true(zip_file_add(z, p->name, s, ZIP_FL_ENC_UTF_8) >= 0);
    }
    assert_int_equal(zip_close(z), 0);
    return file;
}

static rung_status read_sheet(rung_ctx *ctx, const char *sheet, const rung_read_options *options, rung_table **out)
{
    temp file = workbook(sheet, texts);
    rung_status status = read_table(ctx, file.path, options, out);
    unlink(file.path);
    return status;
}

#define SHEET(cells) "<x:worksheet xmlns:x='m'><x:sheetData>" cells "</x:sheetData></x:worksheet>"

static void test_cells(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    assert_ok(ctx,
              read_sheet(ctx,
                         SHEET("<x:row r='3'><x:c r='B3' t='s'><x:v>0</x:v></x:c><x:c t='s'><x:v>1</x:v></x:c>"
                               "<x:c r='D3' t='inlineStr'><x:is><x:t>at &amp; on</x:t></x:is></x:c>"
                               "<x:c r='E3' t='str'><x:v>code</x:v></x:c><x:c r='F3' t='str'><x:v>zip</x:v></x:c>"
                               "<x:c r='G3' t='str'><x:v>ok</x:v></x:c></x:row>"
                               "<x:row r='5'><x:c r='B5'><x:f>1+1</x:f><x:v>2</x:v></x:c><x:c s='1'><x:v>0</x:v></x:c>"
                               "<x:c s='2'><x:v>1.5</x:v></x:c><x:c r='E5' t='str'><x:v>007</x:v></x:c>"
                               "<x:c r='F5' s='4'><x:v>1067</x:v></x:c><x:c r='G5' t='b'><x:v>1</x:v></x:c></x:row>"
                               "<x:row><x:c r='B6' t='e'><x:v>#N/A</x:v></x:c><x:c/><x:c s='3'><x:v>0.5</x:v></x:c>"
                               "<x:c t='str'><x:v>8</x:v></x:c></x:row>"),
                         NULL, &t));
    static const char *const names[] = {"size", "time", "at & on", "code", "zip", "ok"};
    assert_int_equal(t->n_columns, 6);
    assert_int_equal(t->n_rows, 2);
    for (int j = 0; j < 6; j++) assert_string_equal(t->columns[j].name, names[j]);
    assert_close(number_at(t, 0, 0), 2, 0);
    assert_true(isnan(number_at(t, 1, 0)));
    assert_string_equal(text_at(t, 0, 1), "1904-01-01");
    assert_string_equal(text_at(t, 1, 1), "<missing>");
    assert_string_equal(text_at(t, 0, 2), "1904-01-02 12:00:00");
    assert_string_equal(text_at(t, 1, 2), "12:00:00");
    assert_string_equal(text_at(t, 0, 3), "007");
    assert_string_equal(text_at(t, 1, 3), "8");
    assert_string_equal(text_at(t, 0, 4), "01067");
    assert_string_equal(text_at(t, 0, 5), "TRUE");
    assert_int_equal(table_line(t, 0), 5);
    assert_int_equal(table_line(t, 1), 6);
    table_free(t);
}

#define NUMBERS                                                                                                        \
    SHEET("<x:row><x:c><x:v>1</x:v></x:c><x:c><x:v>2</x:v></x:c></x:row><x:row><x:c><x:v>3</x:v></x:c></x:row>")

static void test_sheets(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    assert_ok(ctx, read_sheet(ctx, NUMBERS, NULL, &t)); /* the first that is not hidden */
    assert_false(t->has_names);
    assert_int_equal(t->n_rows, 2);
    assert_close(number_at(t, 1, 0), 3, 0);
    assert_true(isnan(number_at(t, 1, 1)));
    table_free(t);
    static const char *const which[] = {"Hidden", "1"};
    for (int k = 0; k < 2; k++) {
        assert_ok(ctx, read_sheet(ctx, NUMBERS, &(rung_read_options){.sheet = which[k]}, &t));
        assert_close(number_at(t, 0, 0), 7, 0);
        table_free(t);
    }
    assert_ok(ctx, read_sheet(ctx, NUMBERS, &(rung_read_options){.header = RUNG_HEADER_PRESENT}, &t));
    assert_string_equal(t->columns[1].name, "2");
    table_free(t);
    assert_fails(ctx, read_sheet(ctx, NUMBERS, &(rung_read_options){.sheet = "3"}, &t), RUNG_EARG, "no sheet '3'");
    assert_fails(ctx, read_text(ctx, "a,b\n1,2\n", &(rung_read_options){.sheet = "3"}, &t), RUNG_EARG, "no workbook");
}

#define assert_bad(sheet, words) assert_fails(ctx, read_sheet(ctx, sheet, NULL, &t), RUNG_EDATA, words)

static void test_layout(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    assert_bad(SHEET(""), "is empty");
    assert_bad(
        "<worksheet><sheetData><row><c t='str'><v>a</v></c></row><row><c><v>1</v></c><c><v>1</v></c></row></sheetData>"
        "<mergeCells><mergeCell ref='A1:B1'/></mergeCells></worksheet>",
        "merged");
    assert_bad(SHEET("<x:row><x:c t='str'><x:v>Title</x:v></x:c></x:row><x:row><x:c><x:v>1</x:v></x:c><x:c><x:v>1</x:v>"
                     "</x:c></x:row>"),
               "holds only 'Title'");
    assert_bad(
        SHEET("<x:row><x:c t='str'><x:v>a</x:v></x:c><x:c t='str'><x:v>a</x:v></x:c></x:row><x:row><x:c><x:v>1</x:v>"
              "</x:c></x:row>"),
        "both named 'a'");
}

static void test_hostile(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    char deep[4096] = "", *p = deep;
    assert_bad("<!DOCTYPE a [<!ENTITY b 'bbbb'>]><worksheet/>", "document type");
    for (int k = 0; k < 200; k++) p += sprintf(p, "<a>");
    assert_bad(deep, "inside each other");
    assert_bad(SHEET("<x:row r='2'/><x:row r='1'/>"), "out of order");
    assert_bad(SHEET("<x:row r='1'><x:c r='B1'/><x:c r='A1'/></x:row>"), "out of order");
    assert_bad(SHEET("<x:row r='1'><x:c r='ZZZZ1'/></x:row>"), "out of order");
    assert_bad(SHEET("<x:row r='99999999999'/>"), "out of order");
    assert_bad(SHEET("<x:row><x:c t='s'><x:v>2</x:v></x:c></x:row>"), "not there");
    assert_bad(SHEET("<x:row><x:c><x:v>1x</x:v></x:c></x:row>"), "a number that is none");
    assert_bad("<worksheet>", "damaged workbook");
    assert_bad(NULL, "no part xl/worksheets/sheet1.xml");
    assert_fails(ctx, read_bytes(ctx, "PK\3\4 and nothing else", 22, NULL, &t), RUNG_EDATA, "cannot be read");

    /* 80 MB of blanks in some KB */
    size_t n = 80 << 20;
    char *blanks = malloc(n + 64);
    assert_non_null(blanks);
    memcpy(blanks, "<worksheet>", 11);
    memset(blanks + 11, ' ', n);
    strcpy(blanks + n, "</worksheet>");
    assert_fails(ctx, read_sheet(ctx, blanks, NULL, &t), RUNG_ELIMIT, "unpacks to more than");
    free(blanks);

    FILE *from = fopen(RUNG_GOLDEN "/../fuzz/corpus/xlsx/stored.xlsx", "rb");
    char bytes[1 << 14];
    assert_non_null(from);
    n = fread(bytes, 1, sizeof bytes, from);
    fclose(from);
    assert_true(n > 1000 && n < sizeof bytes);
    for (size_t at = 4; at < n; at += n / 60) {
        char was = bytes[at];
        bytes[at] ^= 0x11;
        try_bytes(ctx, bytes, n, NULL);
        try_bytes(ctx, bytes, at, NULL);
        bytes[at] = was;
    }
}

static void test_places(void **state)
{
    int32_t row, place;
    (void)state;
    assert_true(xlsx_cell_place("AB12", &row, &place) && row == 12 && place == 28);
    assert_true(xlsx_cell_place("XFD1048576", &row, &place) && row == 1048576 && place == 16384);
    static const char *const bad[] = {"", "A", "1", "A0", "XFE1", "A1048577", "a1", "A1x", "AAAAAAAAAAAAAAA1"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) assert_false(xlsx_cell_place(bad[k], &row, &place));
}

static void test_styles(void **state)
{
    static const struct {
        const char *format;
        stat_count counts;
        int digits;
    } list[] = {
        {"General", COUNT_NUMBER, 0},        {"0.00E+00", COUNT_NUMBER, 0},   {"#,##0 \"days\"", COUNT_NUMBER, 0},
        {"[Red]-0.00", COUNT_NUMBER, 0},     {"00000", COUNT_NUMBER, 5},      {"yyyy-mm-dd", COUNT_DAYS, 0},
        {"d. mmm yy", COUNT_DAYS, 0},        {"m/d/yy h:mm", COUNT_DAYS, 0},  {"h:mm AM/PM", COUNT_TIME, 0},
        {"[h]:mm:ss", COUNT_TIME, 0},        {"mm:ss.0", COUNT_TIME, 0},      {"\\d0", COUNT_NUMBER, 0},
        {"[$-407]mmmm yyyy", COUNT_DAYS, 0}, {"0.0;[Red]d", COUNT_NUMBER, 0}, {"mmm", COUNT_DAYS, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        xlsx_style s = xlsx_style_of(list[k].format);
        assert_int_equal(s.counts, list[k].counts);
        assert_int_equal(s.digits, list[k].digits);
    }
}
#else
static void test_without(void **state)
{
    rung_table *t;
    assert_fails(*state, read_bytes(*state, "PK\3\4 and more", 13, NULL, &t), RUNG_EDATA, "without libzip and expat");
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef RUNG_XLSX
        WITH_CONTEXT(test_cells),   WITH_CONTEXT(test_sheets), WITH_CONTEXT(test_layout),
        WITH_CONTEXT(test_hostile), WITH_CONTEXT(test_places), WITH_CONTEXT(test_styles),
#else
        WITH_CONTEXT(test_without),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
