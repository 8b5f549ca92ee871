/* One chain on a standard normal law of d coordinates (d even): steps of four samplers, the noise in the loop that moves the state.

   Nothing is looked at for divergence. */
#include "pairs.h"

void sgld(double *restrict theta, word d, double step, word seed, word start, word steps) {
    const word half = d / 2;
    const double scale = sqrt(2 * step);
    const Key key = stream_key(seed, 0, 0);
    Words words;
    for (word t = start; t < start + steps; t++)
        EACH_PAIR(key,
            theta[k] += scale * a - step * theta[k];
            theta[l] += scale * b - step * theta[l];
        )
}

void sghmc(double *restrict theta, double *restrict r, word d, double friction, double step, word seed, word start, word steps) {
    const word half = d / 2;
    const double scale = sqrt(2 * friction * step);
    const Key key = stream_key(seed, 0, 0);
    Words words;
    for (word t = start; t < start + steps; t++)
        EACH_PAIR(key,
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
    const Key key = stream_key(seed, 0, 0);
    Words words;
    double squares = 0;
    for (word k = 0; k < d; k++) squares += r[k] * r[k];
    for (word t = start; t < start + steps; t++) {
        const double x = *xi += step * (squares / d - 1);
        squares = 0;
        EACH_PAIR(key,
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

/* Here divisions and roots decide, and random words are drawn while they are under way: one loop. */
#define RIEMANNIAN(name, moved)                                                                    \
    void name(double *restrict theta, word d, double step, word seed, word start, word steps) {    \
        const word half = d / 2;                                                                   \
        const double scale = sqrt(2 * step);                                                       \
        const Key key = stream_key(seed, 0, 0);                                                    \
        double *restrict other = theta + half;                                                     \
        for (word t = start; t < start + steps; t++)                                               \
            for (word k = 0; k < half; k++) {                                                      \
                word x = t, y = k;                                                                 \
                double a, b;                                                                       \
                threefry(&x, &y, key);                                                             \
                box_muller(x, y, &a, &b);                                                          \
                theta[k] = moved(theta[k], scale * a, step);                                       \
                other[k] = moved(other[k], scale * b, step);                                       \
            }                                                                                      \
    }

/* D = 1 + theta^2: the drift is -theta D + D', and D' = 2 theta. */
INLINE double by_product(double theta, double noise, double step) {
    const double v = 1 + theta * theta;
    return theta - step * theta * (v - 2) + noise * sqrt(v);
}

/* D = 1 / (1 + theta^2): the drift is -theta D + D', and D' = -2 theta D^2. */
INLINE double by_quotient(double theta, double noise, double step) {
    const double q = 1 / (1 + theta * theta);
    return theta - step * theta * q * (1 + 2 * q) + noise * sqrt(q);
}

RIEMANNIAN(sgrld, by_product)
RIEMANNIAN(sgrld_quotient, by_quotient)
