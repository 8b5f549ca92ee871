"""The text of ``draw_labels``, which is the same for all models but for numbers of labels."""

from __future__ import annotations

from codegen.labels.weight import Weight

DRAW_LABELS = '''
@run_kernel
def draw_labels(
    starts, columns, counts, first, last, labels, width, weights, params, seed, purpose, chain, t,
    sweeps, burn_in, table, shares, words, drawn, number, factors, cumulative,
):
    """Sweeps over the labels of the data first .. last - 1 of a minibatch, from uniform labels.

    weights has a row of width factors for each column, and table gets how often an item of that
    column had each label, in all sweeps after the first burn_in ones. shares, if it has room, gets
    the sums of the factors of the counts of each datum. Returns the datum whose weights have no
    positive finite sum, or -1.
    """
    wide()
    key = stream_key(seed, purpose, chain)
    for s in range(first, last):
        counter = np.uint64(s) << np.uint64(40)
        items = np.uint64(0)
        for entry in range(starts[s], starts[s + 1]):
            for repetition in range(counts[entry]):
                words[items] = np.uint64(columns[entry]) * width
                items += np.uint64(1)
        for k in range(width):
            number[k] = 0.0
            factors[k] = 0.0
        u = other = 0.0
        for i in range(items):
            if i & np.uint64(1) == np.uint64(0):
                u, other = two_uniforms(key, t, counter)
                counter += np.uint64(1)
            else:
                u = other
            k = min(np.uint64(u * labels), np.uint64(labels) - np.uint64(1))
            drawn[i] = k
            number[k] += 1.0
        for k in range(np.uint64(labels)):
            factors[k] = count_factor(number[k], params)
        for sweep in range(sweeps):
            for i in range(items):
                if i & np.uint64(1) == np.uint64(0):
                    u, other = two_uniforms(key, t, counter)
                    counter += np.uint64(1)
                else:
                    u = other
                old = drawn[i]
                number[old] -= 1.0
                factors[old] = count_factor(number[old], params)
                running_weights(cumulative, factors, weights, words[i], width)
                k = drawn_label(cumulative, width, u)
                if k >= width:
                    return s
                drawn[i] = k
                number[k] += 1.0
                factors[k] = count_factor(number[k], params)
            if sweep >= burn_in:
                for i in range(items):
                    table[words[i] + drawn[i]] += 1
                if shares.size > 0:
                    for k in range(width):
                        shares[np.uint64(s) * width + k] += factors[k]
    return -1
'''


DRAW_LABELS_OF_DATA = '''
@run_kernel
def draw_labels(
    starts, columns, counts, first, last, labels, width, weights, params, seed, purpose, chain, t,
    sweeps, burn_in, table, shares, words, drawn, number, factors, cumulative,
):
    """Independent draws of the label of each of the data first .. last - 1 of a minibatch.

    weights has a row of width numbers for each column, what one of its items adds to the log weight
    of each label. table gets how many items of that column had each label, in all draws. shares, if
    it has room, gets how often each datum had each label. Returns the datum whose weights have no
    positive finite sum, or -1.
    """
    wide()
    key = stream_key(seed, purpose, chain)
    for s in range(first, last):
        counter = np.uint64(s) << np.uint64(40)
        for k in range(width):
            number[k] = 0.0
            factors[k] = 0.0
        for entry in range(starts[s], starts[s + 1]):
            for k in range(np.uint64(labels)):
                number[k] += float(counts[entry]) * weights[np.uint64(columns[entry]) * width + k]
        most = number[0]
        for k in range(np.uint64(labels)):
            most = max(most, number[k])
        for k in range(np.uint64(labels)):
            factors[k] = exp(number[k] - most)
        running_sums(cumulative, factors, width)
        u = other = 0.0
        for i in range(np.uint64(sweeps)):
            if i & np.uint64(1) == np.uint64(0):
                u, other = two_uniforms(key, t, counter)
                counter += np.uint64(1)
            else:
                u = other
            k = drawn_label(cumulative, width, u)
            if k >= width:
                return s
            for entry in range(starts[s], starts[s + 1]):
                table[np.uint64(columns[entry]) * width + k] += counts[entry]
            if shares.size > 0:
                shares[np.uint64(s) * width + k] += 1.0
    return -1
'''

# With a number of each label, ``own``: what is said in the place of what stands above.
ARGUMENTS = "number, factors, cumulative,"
ENTRIES = "        for entry in range(starts[s], starts[s + 1]):\n            for k in range"
OF_LABELS = (
    "        for k in range(np.uint64(labels)):\n"
    "            number[k] += label_weight(own[k], params)\n"
)


def draw_labels_text(weight: Weight) -> str:
    """Return the function that draws labels; where these have numbers of their own, log weights
    begin with what those say.

    Args:
        weight: the weight of a label.
    """
    if not weight.of_datum:
        return DRAW_LABELS
    if weight.of_label is None:
        return DRAW_LABELS_OF_DATA
    with_own = DRAW_LABELS_OF_DATA.replace(ARGUMENTS, f"{ARGUMENTS} own,")
    return with_own.replace(ENTRIES, OF_LABELS + ENTRIES, 1)
