/* The loop over the pairs of coordinates of a vector: k and half + k share a counter. */
#include "normal.h"

/* Needs half, t and a buffer ``words``; gives k and l = half + k, and a and b, their standard normal numbers. */
#define EACH_PAIR(key, ...)                                                       \
    for (word first = 0; first < half; first += BLOCK) {                          \
        const word end = half - first < BLOCK ? half : first + BLOCK;             \
        draw(&words, end - first, key, t, first);                                 \
        _Pragma("GCC ivdep") for (word k = first; k < end; k++) {                 \
            const word l = half + k;                                              \
            double a, b;                                                          \
            box_muller(words.x[k - first], words.y[k - first], &a, &b);           \
            __VA_ARGS__                                                           \
        }                                                                         \
    }
