// SPDX-License-Identifier: BSD-3-Clause
#include "input/table/measure.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "input/table/table.h"

enum { BODY = 48 };

typedef struct {
    bool limit, negative, before; /* before: the unit is a currency in front of the number */
    char body[BODY];              /* the number alone */
    char unit[UNIT];
} parts;

/* Passes one of the words; NULL: none of them is there. */
static const char *take(const char **p, int n, const char *const *words)
{
    for (int i = 0; i < n; i++)
        if (strncmp(*p, words[i], strlen(words[i])) == 0) {
            *p += strlen(words[i]);
            return words[i];
        }
    return NULL;
}

static void skip_blanks(const char **p)
{
    static const char *const blanks[] = {" ", "\u00a0", "\u202f", "\u2009"};
    while (take(p, sizeof blanks / sizeof *blanks, blanks)) continue;
}

/* A minus before or behind the currency. */
static void take_sign(const char **p, bool *negative)
{
    static const char *const minus[] = {"-", "\u2212"};
    if (take(p, sizeof minus / sizeof *minus, minus))
        *negative = !*negative;
    else if (**p == '+')
        ++*p;
    skip_blanks(p);
}

/* The bytes at p that go on with a number. */
static size_t number_at(const char *p)
{
    if (isdigit((unsigned char)*p)) return 1;
    if ((*p == '.' || *p == ',') && isdigit((unsigned char)p[1])) return 1;
    size_t space = form_spacer(p);
    return space > 0 && isdigit((unsigned char)p[space]) ? space : 0;
}

static bool take_body(const char **p, char body[BODY])
{
    size_t used = 0, more;
    if (form_spacer(*p)) return false;
    for (; (more = number_at(*p)) > 0; *p += more) {
        if (used + more >= BODY) return false;
        memcpy(body + used, *p, more);
        used += more;
    }
    const char *q = *p;
    if (used > 0 && (*q == 'e' || *q == 'E')) { /* an exponent, if digits follow */
        q += 1 + (q[1] == '+' || q[1] == '-');
        for (more = 0; isdigit((unsigned char)q[more]);) more++;
        more += (size_t)(q - *p);
        if (more > (size_t)(q - *p) && used + more < BODY) {
            memcpy(body + used, *p, more);
            used += more;
            *p += more;
        }
    }
    body[used] = 0;
    return used > 0;
}

static bool split(const char *text, parts *out)
{
    static const char *const limits[] = {"<=", ">=", "<", ">", "\u2264", "\u2265", "~", "\u2248"},
                             *const currencies[] = {"US$", "USD", "EUR", "GBP",    "CHF",    "CAD",
                                                    "AUD", "JPY", "INR", "R$",     "Rs.",    "Rs",
                                                    "$",   "€",   "£",   "\u00a5", "\u20b9", "\u20bd"};
    const char *p = text;
    *out = (parts){0};
    out->limit = take(&p, sizeof limits / sizeof *limits, limits) != NULL;
    skip_blanks(&p);
    bool bracket = *p == '(';
    p += bracket;
    take_sign(&p, &out->negative);
    const char *currency = take(&p, sizeof currencies / sizeof *currencies, currencies);
    skip_blanks(&p);
    if (currency) take_sign(&p, &out->negative);
    if (!take_body(&p, out->body)) return false;
    if (bracket && *p++ != ')') return false;
    if (bracket) out->negative = !out->negative;
    skip_blanks(&p);
    if (currency && *p) return false;
    const char *unit = currency ? currency : p;
    out->before = currency != NULL;
    if (strlen(unit) >= UNIT || (*unit && strchr("/:-.,+(<>=#*'\"", *unit))) return false;
    strcpy(out->unit, unit);
    return true;
}

static bool body_number(const char *body, column_form form, char decimal, double *out)
{
    return form == FORM_PLAIN ? text_number(body, strlen(body), decimal, out) : form_number(body, form, out);
}

bool measure_number(const char *text, column_form form, char decimal, const char *unit, double *out)
{
    parts p;
    double x;
    if (!split(text, &p) || strcmp(p.unit, unit) != 0 || !body_number(p.body, form, decimal, &x)) return false;
    *out = p.negative ? -x : x;
    return true;
}

bool measure_of(int64_t n, const char *const *texts, char decimal, measure *out)
{
    form_votes votes = {0};
    bool plain = true, any = false, before = true;
    *out = (measure){.form = FORM_PLAIN};
    for (int64_t i = 0; i < n; i++) {
        parts p;
        double x;
        if (cell_says_missing(texts[i], strlen(texts[i]), true)) continue;
        if (!split(texts[i], &p) || (any && strcmp(p.unit, out->unit) != 0)) return false;
        strcpy(out->unit, p.unit);
        any = true;
        before = before && p.before;
        if (p.limit && !out->limit) out->limit = texts[i];
        if (!out->odd && !text_number(texts[i], strlen(texts[i]), decimal, &x)) out->odd = texts[i];
        plain = plain && text_number(p.body, strlen(p.body), decimal, &x);
        form_votes_add(&votes, p.body);
    }
    if (!any || (!plain && !form_votes_count(&votes, &out->form, &out->unclear))) return false;
    if (out->unclear && before) out->form = FORM_GROUPED, out->unclear = false; /* $1,200 */
    return true;
}
