// SPDX-License-Identifier: BSD-3-Clause
#include "input/table/column_form.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "input/table/table.h"

static const double PI = 3.14159265358979323846;

/* ---- names ---- */

static const char *const names[] = {NULL, "comma", "grouped", "ordinal", "days", "cyclic", "hours", "level"};

const char *form_name(column_form form) { return names[form]; }

bool form_find(const char *name, column_form *out)
{
    for (int i = FORM_COMMA; i <= FORM_LEVEL; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (column_form)i;
            return true;
        }
    return false;
}

int form_columns(column_form form) { return form == FORM_CYCLIC ? CYCLIC_COLUMNS : 1; }

/* ---- numbers ---- */

size_t form_spacer(const char *p)
{
    static const char *const spacers[] = {" ", "'", "\u00a0", "\u202f", "\u2009", "\u2019"};
    for (size_t i = 0; i < sizeof spacers / sizeof *spacers; i++)
        if (strncmp(p, spacers[i], strlen(spacers[i])) == 0) return strlen(spacers[i]);
    return 0;
}

/* Copies text without the characters that part thousands. False: they do not stand between groups of three digits. */
static bool without_groups(const char *text, char group, char decimal, char *out, size_t size, int *groups)
{
    const char *p = text + (*text == '+' || *text == '-');
    size_t used = 0, run = 0; /* digits since the sign or the last group character */
    *groups = 0;
    if (strlen(text) >= size) return false;
    if (p > text) out[used++] = *text;
    for (size_t length; *p; p += length) {
        length = *p == group ? 1 : form_spacer(p);
        if (length > 0) {
            if (run == 0 || run > 3 || (*groups > 0 && run != 3)) return false;
            ++*groups;
            run = 0;
            continue;
        }
        if (!isdigit((unsigned char)*p)) break;
        length = 1;
        out[used++] = *p;
        run++;
    }
    if (*groups > 0 && run != 3) return false;
    if (*groups > 0 && *p && *p != decimal) return false;
    strcpy(out + used, p);
    return true;
}

bool form_is_code(const char *text, size_t length)
{
    enum { EXACT_DIGITS = 15, MOST_DIGITS = 40, PHONE_DIGITS = 8 };
    if (length < 2 || (*text != '0' && *text != '+' && length <= EXACT_DIGITS)) return false;
    size_t digits = 0, sign = *text == '+';
    while (sign + digits < length && isdigit((unsigned char)text[sign + digits])) digits++;
    if (sign + digits != length || digits > MOST_DIGITS) return false;
    return (digits > 1 && text[sign] == '0') || digits > EXACT_DIGITS || (sign && digits >= PHONE_DIGITS);
}

bool form_number(const char *text, column_form form, double *out)
{
    char plain[64], decimal = form == FORM_COMMA ? ',' : '.';
    int groups;
    if (form == FORM_PLAIN) return text_number(text, strlen(text), '.', out);
    return without_groups(text, decimal == ',' ? '.' : ',', decimal, plain, sizeof plain, &groups) &&
           text_number(plain, strlen(plain), decimal, out);
}

void form_votes_add(form_votes *v, const char *text)
{
    double x, y;
    bool has = strchr(text, ','), comma = form_number(text, FORM_COMMA, &x),
         grouped = form_number(text, FORM_GROUPED, &y);
    v->sure_comma |= has && comma && !grouped;
    v->sure_grouped |= has && grouped && !comma;
    v->differ |= comma && grouped && x != y;
    v->not_comma |= !comma;
    v->not_grouped |= !grouped;
}

bool form_votes_count(const form_votes *v, column_form *form, bool *unclear)
{
    bool sure = v->sure_comma || v->sure_grouped;
    if (v->not_comma && v->not_grouped) return false;
    *unclear = !v->not_comma && !v->not_grouped && !sure && v->differ;
    bool rather_grouped = !v->not_grouped && (v->sure_grouped || !(v->sure_comma || v->differ));
    *form = !v->not_comma && !rather_grouped ? FORM_COMMA : FORM_GROUPED;
    return true;
}

bool form_of_numbers(int64_t n, const char *const *texts, column_form *form, bool *unclear)
{
    form_votes v = {0};
    for (int64_t i = 0; i < n && !(v.not_comma && v.not_grouped); i++)
        if (!cell_says_missing(texts[i], strlen(texts[i]), true)) form_votes_add(&v, texts[i]);
    return form_votes_count(&v, form, unclear);
}

/* ---- coded columns ---- */

void form_columns_of(column_form form, double x, double *out)
{
    out[0] = x;
    if (form != FORM_CYCLIC) return;
    double year = 2 * PI * x / 365.2425, week = 2 * PI * x / 7;
    out[1] = sin(year);
    out[2] = cos(year);
    out[3] = sin(week);
    out[4] = cos(week);
}
