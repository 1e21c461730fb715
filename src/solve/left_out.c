// SPDX-License-Identifier: BSD-3-Clause
#include "solve/left_out.h"

#include <math.h>

void left_out_residuals(const row_groups *together, int64_t n, const double *rest, double floor, int64_t stride,
                        double *residual)
{
    for (int64_t i = 0; i < n; i++)
        if (!together || row_groups_size(together, together->of[i]) == 1) residual[i * stride] /= fmax(rest[i], floor);
    for (int64_t g = 0; together && g < together->count; g++) {
        const int64_t *rows = together->rows + together->start[g], m = row_groups_size(together, g);
        if (m == 1) continue;
        double leverage = 0, sum = 0;
        for (int64_t k = 0; k < m; k++) {
            leverage += 1 - rest[rows[k]];
            sum += (1 - rest[rows[k]]) * residual[rows[k] * stride];
        }
        double moved = sum / fmax(1 - leverage, floor);
        for (int64_t k = 0; k < m; k++) residual[rows[k] * stride] += moved;
    }
}
