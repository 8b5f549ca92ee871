/* One chain on a standard normal law of d coordinates (d even): steps of four samplers, the noise in the loop that moves the state.

   The coordinates k and d/2 + k share a counter. Nothing is looked at for divergence. */
#include "normal.h"

/* For the pairs of all blocks: draw a block's random words, then k = its pairs, l = their second halves, a and b = their noise. */
#define EACH_PAIR(...)                                                            \
    for (word first = 0; first < half; first += BLOCK) {                          \
        const word end = half - first < BLOCK ? half : first + BLOCK;             \
        draw(&words, end - first, seed, 0, t, first);                             \
        _Pragma("GCC ivdep") for (word k = first; k < end; k++) {                 \
            const word l = half + k;                                              \
            double a, b;                                                          \
            box_muller(words.x[k - first], words.y[k - first], &a, &b);           \
            __VA_ARGS__                                                           \
        }                                                                         \
    }

void sgld(double *restrict theta, word d, double step, word seed, word start, word steps) {
    const word half = d / 2;
    const double scale = sqrt(2 * step);
    Words words;
    for (word t = start; t < start + steps; t++)
        EACH_PAIR(
            theta[k] += scale * a - step * theta[k];
            theta[l] += scale * b - step * theta[l];
        )
}

void sghmc(double *restrict theta, double *restrict r, word d, double friction, double step, word seed, word start, word steps) {
    const word half = d / 2;
    const double scale = sqrt(2 * friction * step);
    Words words;
    for (word t = start; t < start + steps; t++)
        EACH_PAIR(
            const double u = r[k] + (scale * a - step * (theta[k] + friction * r[k]));
            const double v = r[l] + (scale * b - step * (theta[l] + friction * r[l]));
            r[k] = u;
            r[l] = v;
            theta[k] += step * u;
            theta[l] += step * v;
        )
}

/* The thermostat needs the sum of r^2 at the beginning of a step: it is taken where r is written, in the step before. */
void sgnht(double *restrict theta, double *restrict r, double *restrict xi, word d, double friction, double step, word seed, word start,
           word steps) {
    const word half = d / 2;
    const double scale = sqrt(2 * friction * step);
    Words words;
    double squares = 0;
    for (word k = 0; k < d; k++) squares += r[k] * r[k];
    for (word t = start; t < start + steps; t++) {
        const double x = *xi += step * (squares / d - 1);
        squares = 0;
        EACH_PAIR(
            const double u = r[k] + (scale * a - step * (theta[k] + x * r[k]));
            const double v = r[l] + (scale * b - step * (theta[l] + x * r[l]));
            r[k] = u;
            r[l] = v;
            theta[k] += step * u;
            theta[l] += step * v;
            squares += u * u + v * v;
        )
    }
}

/* The metric is 1 + theta^2, the drift therefore -theta q - 2 theta q^2 with its inverse q. */
INLINE double riemannian(double theta, double noise, double step, double scale) {
    const double q = 1 / (1 + theta * theta);
    return theta - step * theta * q * (1 + 2 * q) + scale * noise * sqrt(q);
}

/* Here divisions and roots decide, and random words are drawn while they are under way: one loop. */
void sgrld(double *restrict theta, word d, double step, word seed, word start, word steps) {
    const word half = d / 2;
    const double scale = sqrt(2 * step);
    double *restrict other = theta + half;
    for (word t = start; t < start + steps; t++)
        for (word k = 0; k < half; k++) {
            word x = t, y = k;
            double a, b;
            threefry(&x, &y, seed, 0);
            box_muller(x, y, &a, &b);
            theta[k] = riemannian(theta[k], a, step, scale);
            other[k] = riemannian(other[k], b, step, scale);
        }
}
