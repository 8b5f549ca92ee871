/* Standard normal numbers: Threefry2x64 with 13 rounds (Salmon et al. 2011) and Box-Muller by polynomials (coefficients of fdlibm).

   Written by hand, and as plain functions of one counter: gcc vectorises the loops around them, eight counters to a vector. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef uint64_t word;

static const word ONE = 0x3FF0000000000000ull, SIGN = 0x8000000000000000ull, FRACTION = 0x000FFFFFFFFFFFFFull;

INLINE double as_float(word x) { double y; memcpy(&y, &x, 8); return y; }
INLINE word as_word(double x) { word y; memcpy(&y, &x, 8); return y; }
INLINE word rotated(word x, int bits) { return (x << bits) | (x >> (64 - bits)); }

#define ROUND(bits) x += y, y = rotated(y, bits) ^ x

INLINE void threefry(word *px, word *py, word k0, word k1) {
    const word k2 = 0x1BD11BDAA9FC1A22ull ^ k0 ^ k1;
    word x = *px + k0, y = *py + k1;
    ROUND(16); ROUND(42); ROUND(12); ROUND(31); x += k1; y += k2 + 1;
    ROUND(16); ROUND(32); ROUND(24); ROUND(21); x += k2; y += k0 + 2;
    ROUND(16); ROUND(42); ROUND(12); ROUND(31); x += k0; y += k1 + 3;
    ROUND(16);
    *px = x, *py = y;
}

/* sqrt(-2 log u), u = (k + 1/2) / 2^52 for the top 52 bits k: u = 2^e m, m from sqrt(1/2) to sqrt(2), log m = 2 artanh((m-1)/(m+1)) */
INLINE double radius(word x) {
    const word bits = as_word(as_float((x >> 12) | ONE) - 0.9999999999999999) + 0x00095F6200000000ull;
    const double e = as_float((bits >> 52) | 0x4330000000000000ull) - 4503599627371519.0;
    const double f = as_float((bits & FRACTION) + 0x3FE6A09E00000000ull) - 1.0;
    const double s = f / (2.0 + f), z = s * s;
    const double p = 6.666666666666735130e-01 + z * (3.999999999940941908e-01 + z * (2.857142874366239149e-01 +
                     z * (2.222219843214978396e-01 + z * (1.818357216161805012e-01 + z * (1.531383769920937332e-01 +
                     z * 1.479819860511658591e-01)))));
    return sqrt(e * -1.3862943611198906 - s * (4.0 + 2.0 * (z * p)));
}

/* Two normal numbers. The first two bits of y are the quadrant of the angle, the next 52 the place in it. */
INLINE void box_muller(word x, word y, double *a, double *b) {
    const double r = radius(x);
    const double p = (as_float(((y >> 10) & FRACTION) | ONE) - 1.5) * 1.5707963267948966, z = p * p;
    const double c = 1.0 + z * (-0.5 + z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 +
                     z * (2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07 +
                     z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))))));
    const double s = p + p * (z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 +
                     z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))))));
    const word odd = y & (SIGN >> 1);
    *a = as_float(as_word(r * (odd ? s : c)) ^ ((y ^ (y << 1)) & SIGN));
    *b = as_float(as_word(r * (odd ? c : s)) ^ (y & SIGN));
}

/* Words for n counters into a buffer that stays in the first cache: a loop of its own, as processors look ahead further in two short
   loops than in one long one (8 per cent here). */
#define BLOCK 512
typedef struct { word x[BLOCK], y[BLOCK]; } Words;

INLINE void draw(Words *words, word n, word seed, word lane, word t, word first) {
    for (word k = 0; k < n; k++) {
        word x = t, y = first + k;
        threefry(&x, &y, seed, lane);
        words->x[k] = x, words->y[k] = y;
    }
}
