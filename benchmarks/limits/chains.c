/* Many chains of SGLD on a banana, U = x^2/2 + (y - x^2)^2/2: all x, then all y; a chain has a key of its own and needs one
   counter a step. */
#include <stdlib.h>

#include "normal.h"

void banana(double *restrict x, double *restrict y, word chains, double step, word seed, word start, word steps) {
    const double scale = sqrt(2 * step);
    word *restrict a_key = malloc(2 * chains * sizeof(word)), *restrict b_key = a_key + chains;
    for (word c = 0; c < chains; c++) {
        const Key key = stream_key(seed, 0, c);
        a_key[c] = key.a, b_key[c] = key.b;
    }
    Words words;
    for (word t = start; t < start + steps; t++)
        for (word first = 0; first < chains; first += BLOCK) {
            const word n = chains - first < BLOCK ? chains - first : BLOCK;
            double *restrict u = x + first, *restrict v = y + first;
            for (word k = 0; k < n; k++) {
                word p = t, q = 0;
                threefry(&p, &q, (Key){a_key[first + k], b_key[first + k]});
                words.x[k] = p, words.y[k] = q;
            }
            for (word k = 0; k < n; k++) {
                double a, b;
                box_muller(words.x[k], words.y[k], &a, &b);
                const double gap = v[k] - u[k] * u[k];
                const double moved = u[k] + (scale * a - step * (u[k] - 2 * u[k] * gap));
                v[k] += scale * b - step * gap;
                u[k] = moved;
            }
        }
    free(a_key);
}
