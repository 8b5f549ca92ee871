/* Standard normal numbers: Threefry2x64 with 13 rounds (Salmon et al. 2011) and Box-Muller by polynomials: the algorithm
   of generated modules.

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

typedef struct { word a, b; } Key; /* of a stream: one use of random numbers of one chain */

#define THIRTEEN_ROUNDS                                                        \
    const word k0 = key.a, k1 = key.b, k2 = 0x1BD11BDAA9FC1A22ull ^ k0 ^ k1;   \
    word x = *px + k0, y = *py + k1;                                           \
    ROUND(16); ROUND(42); ROUND(12); ROUND(31); x += k1; y += k2 + 1;          \
    ROUND(16); ROUND(32); ROUND(24); ROUND(21); x += k2; y += k0 + 2;          \
    ROUND(16); ROUND(42); ROUND(12); ROUND(31); x += k0; y += k1 + 3;          \
    ROUND(16);

INLINE void threefry(word *px, word *py, Key key) {
    THIRTEEN_ROUNDS
    *px = x, *py = y;
}

/* The key of a stream is a block of 20 rounds. */
INLINE Key stream_key(word seed, word purpose, word chain) {
    const Key key = {seed, 0};
    const word *px = &purpose, *py = &chain;
    THIRTEEN_ROUNDS
    ROUND(32); ROUND(24); ROUND(21); x += k1; y += k2 + 4;
    ROUND(16); ROUND(42); ROUND(12); ROUND(31); x += k2; y += k0 + 5;
    return (Key){x, y};
}

/* sqrt(-2 log u), u = (k + 1/2) / 2^52 for the low 52 bits k, with the top bit of x as its sign: u = 2^e m, m from sqrt(1/2) to
   sqrt(2), log m = 2 artanh((m - 1) / (m + 1)). */
INLINE double radius(word x) {
    const word bits = as_word(as_float((x & FRACTION) | ONE) - 0.9999999999999999) + 0x00095F6200000000ull;
    const double e = as_float((bits >> 52) | 0x4330000000000000ull) - 4503599627371519.0;
    const double m = as_float((bits & FRACTION) + 0x3FE6A09E00000000ull);
    const double s = (m - 1.0) / (m + 1.0), z = s * s;
    const double p = -4.0 + z * (-1.3333333333317499 + z * (-0.8000000010427583 + z * (-0.5714283430200593 +
                     z * (-0.4444674047606026 + z * (-0.36247382794330024 + z * -0.33638328143152957)))));
    return as_float(as_word(sqrt(e * -1.3862943611198906 + s * p)) | (x & SIGN));
}

/* Two normal numbers: the low 52 bits of y are an angle between -pi/4 and pi/4, bit 62 mirrors it, the radius has a sign. */
INLINE void box_muller(word x, word y, double *a, double *b) {
    const double r = radius(x);
    const double p = as_float((y & FRACTION) | (ONE + 1)) - 1.5, z = p * p;
    const double c = 1.0 + z * (-1.2337005501361553 + z * (0.2536695078999563 + z * (-0.020863480735805545 +
                     z * (0.0009192599535978243 + z * (-2.52001408430133e-05 + z * 4.6553041704386153e-07)))));
    const double s = p * (1.5707963267948966 + z * (-0.645964097506228 + z * (0.07969262624527501 + z * (-0.004681754119168649 +
                     z * (0.00016044104872182924 + z * (-3.598279430554989e-06 + z * 5.58528032059985e-08))))));
    const int mirrored = (y & (SIGN >> 1)) != 0;
    *a = r * (mirrored ? s : c);
    *b = r * (mirrored ? c : s);
}

/* Words for n counters into a buffer that stays in the first cache: a loop of its own, as processors look ahead further in two short
   loops than in one long one (8 per cent here). */
#define BLOCK 512
typedef struct { word x[BLOCK], y[BLOCK]; } Words;

INLINE void draw(Words *words, word n, Key key, word t, word first) {
    for (word k = 0; k < n; k++) {
        word x = t, y = first + k;
        threefry(&x, &y, key);
        words->x[k] = x, words->y[k] = y;
    }
}
