// SPDX-License-Identifier: BSD-3-Clause
#include "eval/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* "up=2,down=1", in either order; both must be there. */
static bool parse_steps(const char *text, double *up, double *down)
{
    bool has_up = false, has_down = false;
    while (*text) {
        size_t length = strcspn(text, ",");
        bool is_up = strncmp(text, "up=", 3) == 0, is_down = strncmp(text, "down=", 5) == 0;
        size_t name = is_up ? 3 : 5;
        double value;
        if ((!is_up && !is_down) || length <= name || !text_number(text + name, length - name, '.', &value))
            return false;
        *(is_up ? up : down) = value;
        has_up = has_up || is_up;
        has_down = has_down || is_down;
        text += length + (text[length] == ',');
    }
    return has_up && has_down;
}

rung_status cost_parse(rung_ctx *ctx, const char *text, int classes, double *out)
{
    double up = 1, down = 1;
    bool zero_one = strcmp(text, "zero-one") == 0, squared = strcmp(text, "squared") == 0;
    if (!zero_one && !squared && strcmp(text, "absolute") != 0 && !parse_steps(text, &up, &down))
        return hint(ctx,
                    set_error(ctx, RUNG_EARG,
                              "'%s' is no cost: expected absolute, squared, zero-one, or a cost per class too high and "
                              "too low, such as up=2,down=1",
                              text),
                    "option cost");
    for (int y = 0; y < classes; y++)
        for (int a = 0; a < classes; a++) {
            double steps = abs(a - y), each = a > y ? up : down;
            out[y * classes + a] = zero_one ? a != y : squared ? steps * steps : a == y ? 0 : each * steps;
        }
    return cost_check(ctx, classes, out, 0);
}

rung_status cost_check(rung_ctx *ctx, int classes, const double *matrix, double abstain)
{
    if (!(abstain >= 0) || !isfinite(abstain))
        return hint(ctx, set_error(ctx, RUNG_EARG, "the cost of no answer is %g: expected a number above 0", abstain),
                    "option abstain");
    for (int y = 0; y < classes; y++)
        for (int a = 0; a < classes; a++) {
            double cost = matrix[y * classes + a];
            if (!(cost >= 0) || !isfinite(cost))
                return hint(ctx,
                            set_error(ctx, RUNG_EARG,
                                      "answering class %d where class %d is true costs %g: expected a "
                                      "number of at least 0",
                                      a + 1, y + 1, cost),
                            "option cost");
            if (cost < matrix[y * classes + y])
                return hint(ctx,
                            set_error(ctx, RUNG_EARG,
                                      "where class %d is true, answering class %d costs %g, less than the right answer "
                                      "(%g): a mistake must not be cheaper",
                                      y + 1, a + 1, cost, matrix[y * classes + y]),
                            "option cost");
        }
    return RUNG_OK;
}

rung_status cost_copy(rung_ctx *ctx, pool *mem, int classes, const double *matrix, double abstain, answer_cost *out)
{
    *out = (answer_cost){0};
    if (!matrix && abstain == 0) return RUNG_OK;
    TRY(NEW(ctx, mem, out->matrix, (int64_t)classes * classes));
    if (matrix)
        memcpy(out->matrix, matrix, (size_t)classes * (size_t)classes * sizeof *matrix);
    else
        TRY(cost_parse(ctx, "absolute", classes, out->matrix));
    out->abstain = abstain;
    return cost_check(ctx, classes, out->matrix, abstain);
}

int cost_answer(const answer_cost *c, int classes, int K, const int *present, const double *p)
{
    int best = 0;
    double least = INFINITY;
    for (int a = 1; a <= K; a++) {
        double cost = 0;
        for (int q = 0; q < K; q++) cost += p[q] * c->matrix[(present[q] - 1) * classes + present[a - 1] - 1];
        if (!(cost < least)) continue;
        least = cost;
        best = a;
    }
    return c->abstain > 0 && least > c->abstain ? 0 : best;
}

double cost_of(const answer_cost *c, int classes, int low, int high, int answer)
{
    double least = INFINITY;
    if (!answer) return c->abstain;
    for (int truth = low; truth <= high; truth++) least = fmin(least, c->matrix[(truth - 1) * classes + answer - 1]);
    return least;
}
