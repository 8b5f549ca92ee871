"""R-hat, effective sample sizes and Monte Carlo errors of one coordinate, in plain Python.

Vehtari, Gelman, Simpson, Carpenter, Buerkner, Rank-normalization, folding, and localization,
Bayesian Analysis 16 (2021), sections 3.1, 3.2 and 4, and Geyer's sequence as in Stan's reference
manual: every sum is written out, ranks are counted, and the quantile of the normal law is bisected.
"""

import math

INF = math.inf


def quantities(chains):
    """By name, for a list of chains, each a list of draws."""
    pooled = [x for chain in chains for x in chain]
    mean = sum(pooled) / len(pooled)
    squares = [[(x - mean) ** 2 for x in chain] for chain in chains]
    flat = [s for chain in squares for s in chain]
    variance = sum(flat) / len(flat)
    of_squares = sum((s - variance) ** 2 for s in flat) / len(flat)
    sd = math.sqrt(sum(flat) / (len(flat) - 1))
    ordered = sorted(pooled)
    median = (ordered[(len(pooled) - 1) // 2] + ordered[len(pooled) // 2]) / 2
    folded = [[abs(x - median) for x in chain] for chain in chains]
    low, high = quantile(pooled, 1, 20), quantile(pooled, 19, 20)
    return {
        "mean": mean,
        "sd": sd,
        "mcse_mean": sd / math.sqrt(effective(halves(chains))),
        "mcse_sd": math.sqrt(of_squares / effective(halves(squares)) / (4 * variance)),
        "ess_bulk": effective(scored(halves(chains))),
        "ess_tail": min(
            effective(halves([[float(x <= q) for x in chain] for chain in chains]))
            for q in (low, high)
        ),
        "r_hat": math.nan
        if len(chains) == 1
        else max(reduction(scored(halves(these))) for these in (chains, folded)),
    }


def halves(chains):
    """Each chain is two; the draw in the middle of an odd number is left out."""
    half = len(chains[0]) // 2
    return [part for chain in chains for part in (chain[:half], chain[len(chain) - half :])]


def scored(chains):
    """The normal score of the rank of each draw among all, equal draws having their mean rank."""
    pooled = [x for chain in chains for x in chain]
    size = len(pooled)

    def score(x):
        below, equal = sum(y < x for y in pooled), sum(y == x for y in pooled)
        return normal_quantile((below + (equal + 1) / 2 - 3 / 8) / (size + 1 / 4))

    return [[score(x) for x in chain] for chain in chains]


def normal_quantile(p):
    low, high = -10.0, 10.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erfc(-middle / math.sqrt(2)) / 2 < p else (low, middle)
    return (low + high) / 2


def quantile(numbers, over, under):
    """By linear interpolation between the order statistics."""
    ordered = sorted(numbers)
    place, rest = divmod(over * (len(ordered) - 1), under)
    if rest == 0:
        return ordered[place]
    return ordered[place] + (ordered[place + 1] - ordered[place]) * rest / under


def moments(chains):
    """The draws of a chain, the mean of the variances within, the variance of the means."""
    draws = len(chains[0])
    means = [sum(chain) / draws for chain in chains]
    grand = sum(means) / len(means)
    within = sum(
        sum((x - mean) ** 2 for x in chain) / (draws - 1)
        for chain, mean in zip(chains, means, strict=True)
    ) / len(chains)
    return draws, within, sum((mean - grand) ** 2 for mean in means) / (len(means) - 1)


def reduction(chains):
    """Potential scale reduction."""
    draws, within, between = moments(chains)
    if within == 0:
        return INF if between > 0 else math.nan
    return math.sqrt(((draws - 1) / draws * within + between) / within)


def effective(chains):
    """The number of independent draws with as small a variance of the mean."""
    size = len(chains) * len(chains[0])
    if all(x == chains[0][0] for chain in chains for x in chain):
        return size
    draws, within, between = moments(chains)
    variance = (draws - 1) / draws * within + between

    def rho(lag):
        if lag == 0:
            return 1.0
        covariance = 0.0
        for chain in chains:
            mean = sum(chain) / draws
            products = ((a - mean) * (b - mean) for a, b in zip(chain, chain[lag:], strict=False))
            covariance += sum(products) / draws
        return 1 - (within - covariance / len(chains)) / variance

    def pair(k):
        return rho(2 * k) + rho(2 * k + 1)

    pairs = [pair(0)]
    while pairs[-1] > 0 and 2 * len(pairs) + 1 <= draws - 2:
        pairs.append(pair(len(pairs)))
    last, kept = pairs.pop(), []
    for value in pairs:
        kept.append(min([value, *kept]))
    even = rho(2 * len(pairs))
    end = even if even > 0 or last >= 0 else 0.0
    return size / max(-1 + 2 * sum(kept) + end, 1 / math.log10(size))
