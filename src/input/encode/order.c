// SPDX-License-Identifier: BSD-3-Clause
#include "input/encode/order.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- reading ---- */

static bool blank(char c) { return c == ' ' || c == '\t'; }

/* The next '<' that separates; the end of the text: none. */
static const char *separator(const char *p)
{
    for (; *p && *p != '<'; p++)
        if (*p == '\\' && (p[1] == '<' || p[1] == '\\')) p++;
    return p;
}

static rung_status take_name(rung_ctx *ctx, pool *mem, const char *p, const char *end, const char **out)
{
    char *name = NULL, *to;
    TRY(NEW(ctx, mem, name, end - p + 1));
    for (to = name; p < end; p++) {
        if (*p == '\\' && p + 1 < end && (p[1] == '<' || p[1] == '\\')) p++;
        *to++ = *p;
    }
    *out = name;
    return RUNG_OK;
}

rung_status order_parse(rung_ctx *ctx, pool *mem, const char *order, int *n, const char ***names)
{
    int64_t count = 1;
    for (const char *p = order; *(p = separator(p)); p++) count++;
    if (count > INT_MAX) return set_error(ctx, RUNG_EARG, "an order of %lld classes is too long", (long long)count);
    TRY(NEW(ctx, mem, *names, count));
    const char *p = order;
    for (int k = 0; k < (int)count; k++) {
        const char *stop = separator(p), *end = stop;
        while (p < end && blank(*p)) p++;
        while (end > p && blank(end[-1])) end--;
        if (p == end) return set_error(ctx, RUNG_EARG, "the order \"%.200s\" has no name for class %d", order, k + 1);
        TRY(take_name(ctx, mem, p, end, &(*names)[k]));
        p = stop + 1;
    }
    *n = (int)count;
    return RUNG_OK;
}

/* ---- guessing ---- */

/* Words of one scale, lowest first; equals sign: the same step. */
static const char *const scales[] = {
    "lowest<very low<lower<low<below average<medium low<medium=mid=middle=moderate=normal=average<medium high<above "
    "average<high<higher<very high<highest<extreme",
    "never<almost never<hardly ever<very rarely<rarely=seldom<occasionally<sometimes<often=frequently<usually<very "
    "often<mostly<almost always<always",
    "strongly disagree<disagree<somewhat disagree<slightly disagree<neutral=undecided=neither=neither agree nor "
    "disagree<slightly agree<somewhat agree<agree<strongly agree",
    "very dissatisfied<dissatisfied<neutral<satisfied<very satisfied",
    "worst<terrible<awful<very bad<unacceptable=unacc<bad<very poor<poor<below "
    "average<insufficient<fair<average<ok=okay"
    "<acceptable=acc<sufficient<satisfactory<good<very good=vgood<excellent<outstanding<perfect<best",
    "none=absent=healthy<minimal<very mild<mild<light<moderate<marked<severe<very severe<extreme<critical",
    "tiny<very small<small<medium<large=big<very large<huge",
    "xxs<xs<s<m<l<xl<xxl<xxxl",
    "shortest<very short<short<medium<long<very long<longest",
    "coldest<freezing<cold<cool<mild<warm<hot<hottest",
    "youngest<infant<child<teenager<young<adult<middle aged<old<elderly<oldest",
    "no<maybe=unsure<yes",
    "false<true",
    "fail<pass<merit<distinction",
    "beginner<novice<elementary<intermediate<advanced<expert",
    "primary<secondary<tertiary",
    "first<second<third<fourth<fifth<sixth<seventh<eighth<ninth<tenth",
    "one<two<three<four<five<six<seven<eight<nine<ten",
    "i<ii<iii<iv<v<vi<vii<viii<ix<x",
    "bronze<silver<gold<platinum",
    "january=jan<february=feb<march=mar<april=apr<may<june=jun<july=jul<august=aug<september=sep<october=oct<november="
    "nov<december=dec",
};

/* Small letters are capitals, and _ and - are blanks. */
static bool same_word(const char *name, const char *word, size_t length)
{
    if (strlen(name) != length) return false;
    for (size_t i = 0; i < length; i++) {
        char c = (char)tolower((unsigned char)name[i]);
        if ((c == '_' || c == '-' ? ' ' : c) != word[i]) return false;
    }
    return true;
}

/* The step of the name on the scale; -1: it is not on it. */
static int step_of(const char *scale, const char *name)
{
    int step = 0;
    for (const char *p = scale;;) {
        size_t length = strcspn(p, "<=");
        if (same_word(name, p, length)) return step;
        p += length;
        if (!*p) return -1;
        step += *p++ == '<';
    }
}

/* The only number in the name, as in 3rd, grade 3 or 25-34: the first digits of it; -1: it has none. */
static double number_in(const char *name)
{
    const char *p = name + strcspn(name, "0123456789");
    double x;
    size_t length = strspn(p, "0123456789");
    return length > 0 && text_number(p, length, '.', &x) ? x : -1;
}

typedef struct {
    const char *name;
    double place;
} placed;

static int by_place(const void *a, const void *b)
{
    double x = ((const placed *)a)->place, y = ((const placed *)b)->place;
    return (x > y) - (x < y);
}

/* True if all names have different places. */
static bool arrange(int n, placed *list, const char **names)
{
    for (int i = 0; i < n; i++)
        if (list[i].place < 0) return false;
    qsort(list, (size_t)n, sizeof *list, by_place);
    for (int i = 1; i < n; i++)
        if (list[i].place == list[i - 1].place) return false;
    for (int i = 0; i < n; i++) names[i] = list[i].name;
    return true;
}

bool order_guess(int n, const char **names)
{
    enum { MOST = 64 }; /* no scale is longer */
    placed list[MOST];
    if (n < 2 || n > MOST) return false;
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        for (int i = 0; i < n; i++) list[i] = (placed){names[i], step_of(scales[s], names[i])};
        if (arrange(n, list, names)) return true;
    }
    for (int i = 0; i < n; i++) list[i] = (placed){names[i], number_in(names[i])};
    return arrange(n, list, names);
}

/* ---- writing ---- */

static size_t escaped(const char *name, char *out) /* out NULL: the length alone */
{
    size_t n = 0;
    for (; *name; name++) {
        if (*name == '<' || (*name == '\\' && (name[1] == '<' || name[1] == '\\' || !name[1]))) {
            if (out) out[n] = '\\';
            n++;
        }
        if (out) out[n] = *name;
        n++;
    }
    return n;
}

rung_status order_text(rung_ctx *ctx, int n, const char *const *names, const char **out)
{
    size_t room = 1;
    char *order = NULL;
    for (int i = 0; i < n; i++) room += escaped(names[i], NULL) + 1;
    TRY(NEW(ctx, &ctx->scratch, order, (int64_t)room));
    char *to = order;
    for (int i = 0; i < n; i++) {
        if (i) *to++ = '<';
        to += escaped(names[i], to);
    }
    *out = order;
    return RUNG_OK;
}
