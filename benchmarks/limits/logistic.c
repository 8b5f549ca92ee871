/* SGLD on a logistic regression with minibatches drawn with replacement; a row of x is y x; D, the number of coefficients, is known
   to the compiler. Rows are looked at in blocks: indices, products, weights, sum; each is a loop that gcc vectorises. */
#include "pairs.h"

#define ROWS 128

INLINE double exponential(double x) { /* for |x| < 700: 2^k e^r, |r| < log(2)/2, by Taylor's polynomial */
    const double k = rint(x * 1.4426950408889634);
    const double r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    const double p = 1 + r * (1 + r * (1. / 2 + r * (1. / 6 + r * (1. / 24 + r * (1. / 120 + r * (1. / 720 + r * (1. / 5040 +
                     r * (1. / 40320 + r * (1. / 362880 + r * (1. / 3628800 + r * (1. / 39916800)))))))))));
    return as_float(as_word(p) + ((word)(int64_t)k << 52));
}

INLINE double likely(double x) { return exponential(x < -700 ? -700 : x > 700 ? 700 : x); }

static void draw_rows(word *row, word n, word rows, Key key, word t, word first) {
    word x[ROWS / 2], y[ROWS / 2];
    for (word k = 0; k < (n + 1) / 2; k++) {
        x[k] = t, y[k] = first / 2 + k;
        threefry(&x[k], &y[k], key);
    }
    for (word k = 0; k < n; k++) row[k] = (word)((double)((k & 1 ? y : x)[k / 2] >> 11) * 0x1p-53 * (double)rows);
}

void logistic(const double *restrict x, double *restrict theta, word rows, word batch, double step, word seed, word start, word steps) {
    const word half = D / 2;
    const double scale = sqrt(2 * step), weight = (double)rows / batch;
    const Key noise = stream_key(seed, 0, 0), choice = stream_key(seed, 1, 0);
    Words words;
    for (word t = start; t < start + steps; t++) {
        double g[D] = {0};
        word row[ROWS], next[ROWS];
        draw_rows(next, batch < ROWS ? batch : ROWS, rows, choice, t, 0);
        for (word first = 0; first < batch; first += ROWS) {
            const word n = batch - first < ROWS ? batch - first : ROWS, left = batch - first - n;
            double w[ROWS];
            memcpy(row, next, sizeof row);
            for (word k = 0; k < n; k++) {
                if (k + 16 < n)
                    for (word j = 0; j < D; j += 8) __builtin_prefetch(x + row[k + 16] * D + j);
                const double *restrict r = x + row[k] * D;
                double z = 0;
                for (word j = 0; j < D; j++) z += r[j] * theta[j];
                w[k] = z;
            }
            for (word k = 0; k < n; k++) w[k] = 1 / (1 + likely(w[k]));
            for (word k = 0; k < n; k++) {
                const double *restrict r = x + row[k] * D;
                for (word j = 0; j < D; j++) g[j] += w[k] * r[j];
            }
            if (left) draw_rows(next, left < ROWS ? left : ROWS, rows, choice, t, first + n);
        }
        EACH_PAIR(noise,
            theta[k] += scale * a + step * (weight * g[k] - theta[k]);
            theta[l] += scale * b + step * (weight * g[l] - theta[l]);
        )
    }
}
