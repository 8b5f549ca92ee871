/* SGRLD on the simplex in the coordinates "expanded mean", reflected at zero: a row of theta for each topic, of an even number of words. */
#include "pairs.h"

static double sum(const double *row, word n) {
    double total = 0;
    for (word k = 0; k < n; k++) total += row[k];
    return total;
}

/* ``counted`` and ``totals``, of a number a topic, are the sums of the counts and of theta. */
void expanded_mean(double *theta, const double *counts, const double *alpha, double *counted, double *totals, word topics, word n,
                   double step, word seed, word start, word steps) {
    const word half = n / 2;
    const double scale = sqrt(2 * step);
    Words words;
    for (word i = 0; i < topics; i++) counted[i] = sum(counts + i * n, n), totals[i] = sum(theta + i * n, n);
    for (word t = start; t < start + steps; t++)
        for (word i = 0; i < topics; i++) {
            const Key key = stream_key(seed, 0, i);
            double *restrict row = theta + i * n;
            const double *restrict c = counts + i * n, *restrict p = alpha + i * n;
            const double shrink = 1 + counted[i] / totals[i];
            double total = 0;
            EACH_PAIR(key,
                const double u = fabs(row[k] + step * (p[k] + c[k] - row[k] * shrink) + scale * a * sqrt(row[k]));
                const double v = fabs(row[l] + step * (p[l] + c[l] - row[l] * shrink) + scale * b * sqrt(row[l]));
                row[k] = u;
                row[l] = v;
                total += u + v;
            )
            totals[i] = total;
        }
}
