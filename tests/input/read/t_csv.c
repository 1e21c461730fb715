// SPDX-License-Identifier: BSD-3-Clause
#define _POSIX_C_SOURCE 200809L
#include "data/temp.h"

#include "base/rng.h"

static const char *cell_text(const rung_table *t, int64_t row, int64_t j)
{
    assert_int_equal(t->columns[j].kind, COLUMN_TEXT);
    int32_t v = t->columns[j].text[row];
    return v < 0 ? "<missing>" : t->columns[j].values[v];
}

static void check_size(const rung_table *t, int64_t rows, int64_t columns, bool names)
{
    assert_int_equal(t->n_rows, rows);
    assert_int_equal(t->n_columns, columns);
    assert_int_equal(t->has_names, names);
}

#define assert_bad(text, words)                                                                                        \
    do {                                                                                                               \
        rung_table *bad_;                                                                                              \
        assert_fails(ctx, read_text(ctx, text, NULL, &bad_), RUNG_EDATA, words);                                       \
        assert_null(bad_);                                                                                             \
    } while (0)

static void test_plain(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of(ctx, "a,b,grade\n1,-2.5,low\n ? ,1e3,high\n,NA,low\n");
    check_size(t, 3, 3, true);
    assert_string_equal(t->columns[0].name, "a");
    assert_string_equal(t->columns[2].name, "grade");
    assert_int_equal(t->columns[0].kind, COLUMN_NUMBER);
    double a[] = {1, NAN, NAN}, b[] = {-2.5, 1000, NAN};
    assert_arrays_close(3, t->columns[0].number, a, 0);
    assert_arrays_close(3, t->columns[1].number, b, 0);
    assert_string_equal(cell_text(t, 0, 2), "low");
    assert_string_equal(cell_text(t, 1, 2), "high");
    assert_int_equal(t->columns[2].n_values, 2);
    assert_int_equal(t->columns[2].text[2], 0);
    assert_int_equal(table_line(t, 2), 4);
    assert_int_equal(t->columns[0].odd_row, -1);
    table_free(t);
}

static void test_text(void **state) /* cells stay as they are */
{
    rung_ctx *ctx = *state;
    rung_read_options how = {.size = sizeof how, .text = 1};
    rung_table *t;
    assert_ok(ctx, read_text(ctx, "id,x,grade\n007,1.50,2\n,1e3,NA\n", &how, &t));
    check_size(t, 2, 3, true);
    assert_string_equal(cell_text(t, 0, 0), "007");
    assert_string_equal(cell_text(t, 0, 1), "1.50");
    assert_string_equal(cell_text(t, 1, 1), "1e3");
    assert_string_equal(cell_text(t, 1, 0), "<missing>");
    assert_string_equal(cell_text(t, 1, 2), "NA"); /* as it stands */
    table_free(t);
}

static void test_quotes(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of(ctx, "\"na\"\"me\",x\n\"a,b\",\"1\"\n\"two\nlines\" , 2\n\n\"say \"\"hi\"\"\",3\n\"\",4");
    check_size(t, 4, 2, true);
    assert_string_equal(t->columns[0].name, "na\"me");
    assert_string_equal(cell_text(t, 0, 0), "a,b");
    assert_string_equal(cell_text(t, 1, 0), "two\nlines");
    assert_string_equal(cell_text(t, 2, 0), "say \"hi\"");
    assert_string_equal(cell_text(t, 3, 0), "<missing>");
    double x[] = {1, 2, 3, 4};
    assert_arrays_close(4, t->columns[1].number, x, 0);
    int64_t lines[] = {2, 3, 6, 7}; /* a quoted line break and a blank line */
    for (int i = 0; i < 4; i++) assert_int_equal(table_line(t, i), lines[i]);
    table_free(t);
}

static void test_line_ends_and_mark(void **state)
{
    rung_ctx *ctx = *state;
    static const char *const texts[] = {"x,y\n1,2\n3,4\n", "x,y\r\n1,2\r\n3,4\r\n", "x,y\r1,2\r3,4\r",
                                        "\xef\xbb\xbfx,y\n1,2\n3,4", "\n \nx,y\n\r\n1,2\n   \n3,4\n\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        rung_table *t = table_of(ctx, texts[i]);
        check_size(t, 2, 2, true);
        assert_string_equal(t->columns[0].name, "x");
        assert_true(t->columns[1].number[1] == 4);
        table_free(t);
    }
}

static void test_delimiters(void **state)
{
    rung_ctx *ctx = *state;
    static const struct {
        const char *text;
        int columns;
    } cases[] = {
        {"x;y;z\n1;2;3\n4;5;6\n", 3},
        {"x\ty\n1\t2\n\t5\n", 2},
        {"x|y\n1|2\n", 2},
        {"  x   y z\n 1 2\t 3  \n4 5 6\n", 3},
        {"x y,z\n1 2,3\n", 2},     /* a comma before blanks */
        {"1,5;2,5\n3,5;4,5\n", 2}, /* a semicolon before a comma */
        {"x\n1\n2\n", 1},
        {"very good\nbad\nnot so bad\nbad\nvery good\n", 1}, /* words, no table */
        {"a;\"b;c\";d\n1;\";\";2\n", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rung_table *t = table_of(ctx, cases[i].text);
        assert_int_equal(t->n_columns, cases[i].columns);
        table_free(t);
    }
    rung_table *t;
    assert_ok(ctx, read_text(ctx, "a;b,c\n1;2,3\n", &(rung_read_options){.delimiter = ','}, &t));
    check_size(t, 1, 2, true);
    assert_string_equal(t->columns[0].name, "a;b");
    table_free(t);
    assert_ok(ctx, read_text(ctx, "x;y\n1,5;-2,25e1\n", &(rung_read_options){.decimal = ','}, &t));
    check_size(t, 1, 2, true);
    assert_true(t->columns[0].number[0] == 1.5 && t->columns[1].number[0] == -22.5);
    table_free(t);
    /* A comma that is the decimal point is never the delimiter. */
    assert_ok(ctx, read_text(ctx, "1,5\n2,5\n", &(rung_read_options){.decimal = ','}, &t));
    check_size(t, 2, 1, false);
    table_free(t);
}

static void test_header(void **state)
{
    rung_ctx *ctx = *state;
    static const struct {
        const char *text;
        bool header;
    } cases[] = {
        {"1,2\n3,4\n", false},
        {"1,?\n3,4\n", false},
        {"a,b\n3,4\n", true},
        {"id,2019,2020\n1,2,3\n", true},
        {"5.1,red,low\n4.9,blue,mid\n", false},
        {",name,grade\n0,bob,low\n1,ann,low\n", true},
        {"red,low\nblue,mid\nred,high\n", false}, /* red comes again */
        {"colour,grade\nred,low\nblue,mid\n", true},
        {"colour,size,urban,grade\nred,S,urban,low\nblue,L,rural,mid\n", true}, /* one name of four is also a value */
        {"red,S,urban,low\nred,S,rural,mid\n", false},
        {"yes,yes\nno,no\nno,no\n", false}, /* equal cells are no names */
        {"?,red\n1,red\n2,blue\n", false},
        {"PK,x\n1,2\n", true},           /* begins like a packed file */
        {"\xef\xbb\x80,x\n1,2\n", true}, /* and like the mark of UTF-8 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rung_table *t = table_of(ctx, cases[i].text);
        assert_int_equal(t->has_names, cases[i].header);
        table_free(t);
    }
    rung_table *t;
    assert_ok(ctx, read_text(ctx, "1,2\n3,4\n", &(rung_read_options){.header = RUNG_HEADER_PRESENT}, &t));
    check_size(t, 1, 2, true);
    assert_string_equal(t->columns[1].name, "2");
    table_free(t);
    assert_ok(ctx, read_text(ctx, "a,b\n3,4\n", &(rung_read_options){.header = RUNG_HEADER_ABSENT}, &t));
    check_size(t, 2, 2, false);
    assert_string_equal(t->columns[0].name, "");
    assert_string_equal(cell_text(t, 1, 0), "3");
    table_free(t);
    t = table_of(ctx, ",x,\n1,2,3\n");
    assert_string_equal(t->columns[0].name, "column1");
    assert_string_equal(t->columns[2].name, "column3");
    table_free(t);
}

static rung_status read_pipe(rung_ctx *ctx, const char *text, rung_table **out)
{
    piped p = pipe_in(text);
    rung_status status = read_table(ctx, "-", NULL, out);
    pipe_out(&p);
    return status;
}

/* Text behind more rows than the first look sees: the cells before it keep their own writing. */
static void check_late_text(rung_table *t, int64_t rows)
{
    check_size(t, rows, 4, true);
    assert_int_equal(t->columns[0].kind, COLUMN_NUMBER);
    assert_true(t->columns[0].number[rows - 1] == 1.5);
    assert_string_equal(cell_text(t, 0, 1), "007");
    assert_string_equal(cell_text(t, rows - 2, 1), "x");
    assert_int_equal(t->columns[1].n_values, 2);
    assert_string_equal(cell_text(t, 1, 2), "w1");
    assert_int_equal(t->columns[2].n_values, 3);
    assert_string_equal(cell_text(t, 5, 3), "nan");
    assert_int_equal(t->columns[3].odd_row, -1);
    assert_int_equal(table_line(t, rows - 1), rows + 1);
    table_free(t);
}

static void test_late_text(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 60000, ROOM = ROWS * 32 };
    char *text = malloc(ROOM), *p = text;
    unsigned char *packed = malloc(ROOM);
    assert_true(text && packed);
    p += sprintf(p, "a,b,c,d\n");
    for (int i = 0; i < ROWS; i++)
        p += sprintf(p, "1.50,%s,w%d,%s\n", i == ROWS - 2 ? "x" : "007", i % 3, i == ROWS - 1 ? "y" : "nan");
    check_late_text(table_of(ctx, text), ROWS);
    rung_table *t;
    assert_ok(ctx, read_bytes(ctx, packed, (size_t)pack(text, packed, ROOM), NULL, &t));
    check_late_text(t, ROWS);
    assert_ok(ctx, read_pipe(ctx, text, &t));
    assert_string_equal(t->path, "standard input");
    check_late_text(t, ROWS);
    /* Without names; the table grows after the first text, and other columns turn out as text even later. */
    p = text;
    for (int i = 0; i < ROWS; i++)
        p += sprintf(p, "1.50,%s,w%d,%s\n", i == ROWS / 2 ? "x" : "007", i % 3, i == ROWS - 1 ? "y" : "8.0");
    assert_ok(ctx, read_bytes(ctx, packed, (size_t)pack(text, packed, ROOM), NULL, &t));
    check_size(t, ROWS, 4, false);
    assert_string_equal(cell_text(t, 0, 1), "007");
    assert_string_equal(cell_text(t, ROWS / 2, 1), "x");
    assert_string_equal(cell_text(t, ROWS - 1, 2), "w2");
    assert_string_equal(cell_text(t, 0, 3), "8.0");
    assert_true(t->columns[0].number[ROWS - 1] == 1.5);
    table_free(t);
    free(text);
    free(packed);
}

/* Cells that end where the buffer does, in a quote, a doubled quote, CR LF or CR. */
static void test_ends_of_buffer(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 16000 };
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    char *text = malloc(32 * ROWS);
    assert_non_null(text);
    for (int e = 0; e < 3; e++)
        for (int shift = 0; shift < 19; shift++) { /* a row has 19 bytes or fewer: some shift meets the end */
            char *p = text + sprintf(text, "a,b%.*s%s", shift, "bbbbbbbbbbbbbbbbbbb", ends[e]);
            for (int i = 0; i < ROWS; i++) p += sprintf(p, "\"x\"\"%d\",\"1%05d\"%s", i % 10, i, ends[e]);
            rung_table *t = table_of(ctx, text);
            check_size(t, ROWS, 2, true);
            for (int i = 0; i < ROWS; i++) {
                char cell[8] = {'x', '"', (char)('0' + i % 10)};
                assert_true(t->columns[1].number[i] == 100000 + i);
                assert_string_equal(cell_text(t, i, 0), cell);
            }
            assert_int_equal(table_line(t, ROWS - 1), ROWS + 1);
            table_free(t);
        }
    free(text);
}

/* Rows and cells longer than the reader's buffer. */
static void test_wide_and_long_cells(void **state)
{
    rung_ctx *ctx = *state;
    enum { COLUMNS = 100000, LONG = 1 << 20 };
    char *text = malloc(COLUMNS * 24 + LONG), *p = text;
    assert_non_null(text);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < COLUMNS; j++) p += sprintf(p, "%d%c", 1000 + i * 10 + j % 10, j + 1 < COLUMNS ? ';' : '\n');
    rung_table *t = table_of(ctx, text);
    check_size(t, 3, COLUMNS, false);
    assert_true(t->columns[COLUMNS - 1].number[2] == 1029);
    table_free(t);

    p = text + sprintf(text, "x;y\n1;\"");
    memset(p, 'q', LONG);
    p += LONG;
    strcpy(p, "\n\"\n2;b\n");
    for (int header = 0; header < 2; header++) { /* the long cell in the second row, then in the first */
        t = table_of(ctx, header ? text : text + 4);
        check_size(t, 2, 2, header);
        assert_int_equal(strlen(cell_text(t, 0, 1)), LONG + 1);
        assert_string_equal(cell_text(t, 1, 1), "b");
        assert_int_equal(table_line(t, 1), 3 + header);
        table_free(t);
    }
    free(text);
}

static void test_odd_numbers(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of(ctx, "a,b,c\n1,2,nan\n1e999,2,\n3,-inf,5\nnan,1,2\n");
    check_size(t, 4, 3, true);
    for (int j = 0; j < 3; j++) assert_int_equal(t->columns[j].kind, COLUMN_NUMBER);
    assert_int_equal(t->columns[0].odd_row, 1);
    assert_string_equal(t->columns[0].odd, "1e999");
    assert_true(isinf(t->columns[0].number[1]) && isnan(t->columns[0].number[3]));
    assert_int_equal(t->columns[1].odd_row, 2);
    assert_string_equal(t->columns[1].odd, "-inf");
    assert_int_equal(t->columns[2].odd_row, 0);
    table_free(t);
}

static rung_table *of_bytes(rung_ctx *ctx, const unsigned char *bytes, size_t n, const char *encoding)
{
    static const char path[] = "t_csv_bytes.csv";
    rung_table *t;
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
    assert_ok(ctx, rung_table_read(ctx, path,
                                   &(rung_read_options){.size = sizeof(rung_read_options), .encoding = encoding}, &t));
    remove(path);
    return t;
}

/* a,b then 1,TEXT in so many rows: TEXT is \u00e9\u20ac and a character beyond 16 bits. Long enough to be read in parts,
 * whose ends fall between the halves of characters. */
static void test_utf_16(void **state)
{
    enum { ROWS = 60001 };
    rung_ctx *ctx = *state;
    static const unsigned head[] = {'a', ',', 'b', '\n'}, row[] = {'1', ',', 0xe9, 0x20ac, 0xd83d, 0xde00, '\n'};
    static unsigned char bytes[2 + 8 + ROWS * 14];
    for (int form = 0; form < 4; form++) { /* low or high byte first, with a mark or the caller's word */
        size_t n = 0;
        if (form < 2) bytes[n++] = form ? 0xfe : 0xff, bytes[n++] = form ? 0xff : 0xfe;
        for (int i = 0; i < 4 + 7 * ROWS; i++) {
            unsigned c = i < 4 ? head[i] : row[(i - 4) % 7];
            bytes[n++] = (unsigned char)(form % 2 ? c >> 8 : c & 255);
            bytes[n++] = (unsigned char)(form % 2 ? c & 255 : c >> 8);
        }
        rung_table *t = of_bytes(ctx, bytes, n, form < 2 ? NULL : "utf-16");
        check_size(t, ROWS, 2, true);
        assert_int_equal(t->columns[1].n_values, 1);
        assert_string_equal(t->columns[1].values[0], "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
        table_free(t);
    }
    /* Halves of characters, and of their bytes. */
    static const unsigned char halves[] = {0xff, 0xfe, 'a', 0, '\n', 0, 'x', 0, 0, 0xd8, 'x', 0, '\n', 0, 'y'};
    rung_table *t = of_bytes(ctx, halves, sizeof halves, NULL);
    assert_string_equal(t->columns[0].values[0], "x\xef\xbf\xbd"
                                                 "x");
    assert_string_equal(t->columns[0].values[1], "\xef\xbf\xbd");
    table_free(t);
}

/* What looks like UTF-8 is read as the caller says. */
static void test_encoding_said(void **state)
{
    rung_ctx *ctx = *state;
    static const char text[] = "a,b\n1,\xc3\xa9\n2,\x80\n";
    static const unsigned char *bytes = (const unsigned char *)text;
    for (int i = 0; i < 2; i++) {
        rung_table *t = of_bytes(ctx, bytes, sizeof text - 1, i ? "latin1" : "CP1252");
        assert_string_equal(t->columns[1].values[0], "\xc3\x83\xc2\xa9");
        assert_string_equal(t->columns[1].values[1], "\xe2\x82\xac");
        table_free(t);
    }
    rung_table *t = NULL;
    assert_fails(ctx, read_text(ctx, "a,b\n1,caf\xe9\n", &(rung_read_options){.encoding = "utf-8"}, &t), RUNG_EDATA,
                 "byte 0xE9 is not valid UTF-8");
    assert_fails(ctx, read_text(ctx, "a,b\n", &(rung_read_options){.encoding = "ebcdic"}, &t), RUNG_EARG,
                 "unknown encoding 'ebcdic'; expected utf-8, utf-16, cp1252 or latin1");
}

static void test_errors(void **state)
{
    rung_ctx *ctx = *state;
    assert_bad("a,b,c,d\n1,2,3,4\n1,2,3\n", ", line 3: 3 cells, expected 4 as in line 1");
    assert_bad("\na,b\n1,2\n\n1\n", ", line 5: 1 cell, expected 2 as in line 2");
    assert_bad("a,b\n1,2,3\n", "expected");
    assert_bad("a,b\n1,2\n3,\"x\n4,5\n", ", line 3: a quote is opened but never closed");
    assert_bad("a,b\n1,2\n\"x\"y,5\n", ", line 3: text after the closing quote of cell 1");
    assert_bad("", "the file is empty");
    assert_bad(" \n\n  \n", "the file is empty");
    assert_bad("a,b\n", "a header but no rows");
    assert_bad("a,b,a\n1,2,3\n", ", line 1: columns 1 and 3 are both named 'a'");
    assert_bad("a,b\n1,\xc3\xa9\n1,caf\xe9\n2,x\n", ", line 3, column 'b': byte 0xE9 is not valid UTF-8");
    assert_bad("\xef\xbb\xbf"
               "caf\xe9,b\n1,2\n",
               ", line 1, column 1: byte 0xE9");
    assert_bad("a,b\n1,caf\xe9\n2,x\x01\n", ", line 2, column 'b': byte 0xE9"); /* no text in either encoding */
    rung_table *t;
    assert_fails(ctx, read_bytes(ctx, "a,b\n1,2\n3\0,4\n", 13, NULL, &t), RUNG_EDATA,
                 ", line 3: a NUL byte, so this is not a text file");
    assert_fails(ctx, read_bytes(ctx, "\0\0", 2, NULL, &t), RUNG_EDATA, "a NUL byte, so this is not a text file");
    assert_fails(ctx, read_text(ctx, "1\n", &(rung_read_options){.format = "xls"}, &t), RUNG_EARG,
                 "unknown format 'xls'; expected one of csv");
    assert_fails(ctx, read_text(ctx, "1\n", &(rung_read_options){.decimal = ';'}, &t), RUNG_EARG, "decimal point");
    assert_fails(ctx, read_text(ctx, "1\n", &(rung_read_options){.delimiter = '"'}, &t), RUNG_EARG, "0x22");
    assert_fails(ctx, read_text(ctx, "1\n", &(rung_read_options){.delimiter = '7'}, &t), RUNG_EARG,
                 "the character 0x37 cannot be the delimiter");
    assert_fails(ctx, read_text(ctx, "1\n", &(rung_read_options){.delimiter = '-'}, &t), RUNG_EARG, "0x2D");
    assert_fails(ctx, read_text(ctx, "1\n", &(rung_read_options){.delimiter = ',', .decimal = ','}, &t), RUNG_EARG,
                 "both the delimiter and the decimal point");
    ctx->memory = 1000;
    assert_fails(ctx, read_text(ctx, "1,2\n3,4\n", NULL, &t), RUNG_ELIMIT, "above the memory limit");
}

static void test_files(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t;
    assert_fails(ctx, read_table(ctx, "/tmp/no-such-file.csv", NULL, &t), RUNG_EIO,
                 "cannot open '/tmp/no-such-file.csv': No such file or directory");
    assert_null(t);
    assert_fails(ctx, read_table(ctx, "/tmp", NULL, &t), RUNG_EIO, "cannot open '/tmp': Is a directory");
    assert_fails(ctx, read_text(ctx, "a,b\n1\n", NULL, &t), RUNG_EDATA, "/tmp/rung_test_");
    assert_fails(ctx, read_pipe(ctx, "a,b\n1\n", &t), RUNG_EDATA, "standard input, line 2: 1 cell");
    atomic_store(&ctx->interrupted, 1);
    assert_fails(ctx, read_text(ctx, "a,b\n1,2\n", NULL, &t), RUNG_EINTERRUPT, "interrupted");
}

static void test_gzip(void **state)
{
    rung_ctx *ctx = *state;
    unsigned char bytes[4096] = {0};
    rung_table *t;
    /* Two members and padding. */
    int64_t first = pack("x,y\n1,2\n", bytes, 2048), both = first + pack("3,4\n5,6", bytes + first, 2048);
    assert_ok(ctx, read_bytes(ctx, bytes, (size_t)both + 100, NULL, &t));
    check_size(t, 3, 2, true);
    assert_true(t->columns[1].number[2] == 6);
    table_free(t);
    assert_fails(ctx, read_bytes(ctx, bytes, (size_t)both - 5, NULL, &t), RUNG_EIO, "truncated gzip file");
    bytes[both] = 'x';
    assert_fails(ctx, read_bytes(ctx, bytes, (size_t)both + 1, NULL, &t), RUNG_EIO, "other bytes follow its end");
    bytes[12] ^= 0xff;
    bytes[13] ^= 0xff;
    assert_fails(ctx, read_bytes(ctx, bytes, (size_t)both, NULL, &t), RUNG_EIO, "corrupt gzip file");
}

static void test_find(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of(ctx, "age,2,grade,weight\n1,2,3,4\n");
    int64_t j = -1;
    assert_ok(ctx, table_find(ctx, t, "grade", "label", &j));
    assert_int_equal(j, 2);
    assert_ok(ctx, table_find(ctx, t, "4", "label", &j));
    assert_int_equal(j, 3);
    assert_ok(ctx, table_find(ctx, t, "2", "label", &j)); /* the name comes first */
    assert_int_equal(j, 1);
    assert_fails(ctx, table_find(ctx, t, "grad", "label", &j), RUNG_EARG,
                 "no column 'grad' (label); did you mean 'grade'?");
    assert_fails(ctx, table_find(ctx, t, "zzzzzz", "label", &j), RUNG_EARG, "there are 'age', '2', 'grade', 'weight'");
    assert_fails(ctx, table_find(ctx, t, "5", "label", &j), RUNG_EARG, "no column 5 (label); the file has 4 columns");
    assert_fails(ctx, table_find(ctx, t, "0", "label", &j), RUNG_EARG, "no column 0");
    table_free(t);
    t = table_of(ctx, "1,2\n");
    assert_fails(ctx, table_find(ctx, t, "x", "label", &j), RUNG_EARG,
                 "there is no header; use a position from 1 to 2");
    table_free(t);
    t = table_of(ctx, "abc1,abc2,abc3,abc,abd\n1,2,3,4,5\n");
    assert_fails(ctx, table_find(ctx, t, "abcc", "label", &j), RUNG_EARG, "did you mean 'abc1' or 'abc2' or 'abc3'?");
    assert_fails(ctx, table_find(ctx, t, "ABC", "label", &j), RUNG_EARG, "did you mean 'abc' or");
    table_free(t);
    assert_true(cell_missing("", 0) && cell_missing("?", 1) && cell_missing("nA", 2));
    assert_false(cell_missing("nan", 3) || cell_missing("-", 1) || cell_missing("NAN", 3));
}

typedef struct {
    rung_ctx *ctx;
    const char *path;
} read_call;

static rung_status read_once(void *argument)
{
    read_call *call = argument;
    rung_table *t;
    rung_status status = read_table(call->ctx, call->path, NULL, &t);
    assert_true(call->ctx->scratch.last == NULL);
    table_free(t);
    return status;
}

static void test_memory(void **state)
{
    static const char text[] = "a,b,c\n1,x,\"q\"\"q\"\n\n2,y,nan\n1e999,x,3\n";
    temp file = temp_file(text, strlen(text));
    read_call call = {*state, file.path};
    assert_true(fail_each_allocation(read_once, &call) > 10);
    unlink(file.path);
}

/* A file whose first rows are longer than the others has a few more rows than they let expect, not twice as many. */
static void test_room(void **state)
{
    rung_ctx *ctx = *state;
    enum { ROWS = 100000, WIDTH = 8 };
    char *text = malloc((size_t)ROWS * WIDTH + 1), *at = text;
    assert_non_null(text);
    for (int i = 0; i < ROWS; i++) at += sprintf(at, i < 64 ? "1.125,2\n" : "1.12,2\n");
    rung_table *t = table_of(ctx, text);
    check_size(t, ROWS, 2, false);
    assert_true(t->mem.bytes < 1.3 * ROWS * 2 * sizeof(double));
    table_free(t);
    free(text);
}

static void try_somehow(rung_ctx *ctx, const unsigned char *bytes, size_t count, rng *r)
{
    static const char delimiters[] = {0, 0, 0, ',', ' ', '\t', 'a'};
    rung_read_options options = {.delimiter = delimiters[rng_below(r, sizeof delimiters)],
                                 .decimal = rng_below(r, 4) ? 0 : ',',
                                 .header = (rung_header)rng_below(r, 3)};
    try_bytes(ctx, bytes, count, &options);
}

static void test_random_bytes(void **state)
{
    rung_ctx *ctx = *state;
    static const char alphabet[] = "\"\",,;;\t| \n\n\r01-.e9anNA?<x\xc3\xa9";
    static const char valid[] = "id,colour,size,label\n1,red,2.5,low\n2,\"blue, dark\",NA,mid\r\n3,\"a \"\"b\"\"\",1e5,"
                                "high\n\n4,?,-3,\n";
    unsigned char bytes[256], packed[512];
    rng r;
    rng_open(&r, 7, 0);
    for (int round = 0; round < 3000; round++) {
        size_t count = (size_t)rng_below(&r, sizeof bytes);
        for (size_t i = 0; i < count; i++)
            bytes[i] = round % 2 ? (unsigned char)rng_below(&r, 256)
                                 : (unsigned char)alphabet[rng_below(&r, sizeof alphabet - 1)];
        try_somehow(ctx, bytes, count, &r);

        count = strlen(valid);
        memcpy(bytes, valid, count);
        for (int64_t k = 1 + rng_below(&r, 4); k > 0; k--)
            bytes[rng_below(&r, (int64_t)count)] = (unsigned char)alphabet[rng_below(&r, sizeof alphabet - 1)];
        try_somehow(ctx, bytes, (size_t)rng_below(&r, (int64_t)count + 1), &r);

        int64_t size = pack(valid, packed, sizeof packed);
        packed[rng_below(&r, size)] ^= (unsigned char)(1 << rng_below(&r, 8));
        try_somehow(ctx, packed, (size_t)size, &r);
    }
}

/* Rows of a file whose first character that is not ASCII stands `before` bytes after the header, then one in every row.
 * */
static char *special_rows(int64_t before, bool western)
{
    enum { ROWS = 40000 };
    static const char *const words[2][3] = {{"gr\xc3\xbcn", "\xe2\x82\xac", "\xc3\xa9"}, {"gr\xfcn", "\x80", "\xe9"}};
    char *text = malloc((size_t)before + 32 * ROWS), *at = text;
    assert_non_null(text);
    at += sprintf(at, "a,b\n1,");
    memset(at, 'x', (size_t)before);
    at += before;
    for (int i = 0; i < ROWS; i++) at += sprintf(at, "%s\n%d,", words[western][i % 3], i);
    sprintf(at, "end\n");
    return text;
}

/* Windows-1252 is read as the same text in UTF-8, wherever the pieces end in which a file is read. */
static void test_western(void **state)
{
    rung_ctx *ctx = *state;
    rung_table *t = table_of(ctx, "\xf6,b\n\x93x\x94,2\n");
    assert_string_equal(t->columns[0].name, "\xc3\xb6");
    assert_string_equal(cell_text(t, 0, 0), "\xe2\x80\x9cx\xe2\x80\x9d");
    table_free(t);
    for (int64_t before = (1 << 18) - 12; before < (1 << 18); before += before == (1 << 18) - 12 ? 2 : 1) {
        rung_table *both[2];
        for (int western = 0; western < 2; western++) {
            char *text = special_rows(before, western);
            both[western] = table_of(ctx, text);
            free(text);
        }
        check_size(both[1], both[0]->n_rows, 2, true);
        for (int64_t i = 0; i < both[0]->n_rows; i++)
            assert_string_equal(cell_text(both[1], i, 1), cell_text(both[0], i, 1));
        table_free(both[0]);
        table_free(both[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(test_plain),
        WITH_CONTEXT(test_text),
        WITH_CONTEXT(test_quotes),
        WITH_CONTEXT(test_line_ends_and_mark),
        WITH_CONTEXT(test_delimiters),
        WITH_CONTEXT(test_header),
        WITH_CONTEXT(test_ends_of_buffer),
        WITH_CONTEXT(test_late_text),
        WITH_CONTEXT(test_wide_and_long_cells),
        WITH_CONTEXT(test_odd_numbers),
        WITH_CONTEXT(test_utf_16),
        WITH_CONTEXT(test_encoding_said),
        WITH_CONTEXT(test_errors),
        WITH_CONTEXT(test_western),
        WITH_CONTEXT(test_files),
        WITH_CONTEXT(test_gzip),

        WITH_CONTEXT(test_find),
        WITH_CONTEXT(test_memory),
        WITH_CONTEXT(test_room),
        WITH_CONTEXT(test_random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
