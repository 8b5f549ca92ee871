"""The text of the module that draws labels, from the weight of a label."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Expr, Symbol

import recipe
from codegen.device.elementary import exp
from codegen.device.embed import source_of, with_callees
from codegen.device.intrinsics import INTRINSICS
from codegen.device.labels import DATUM_LABELS, LABELS
from codegen.device.random import stream_key
from codegen.device.simd8 import lanes_text
from codegen.labels.weight import HERE, Weight, weight_of
from codegen.lowering.names import field_namer
from codegen.printing.expression import text_of
from codegen.printing.module import header
from codegen.printing.numba_dialect import NUMBA, OURS
from codegen.store.allowlist import checked
from recipe.language.symbols import Indexed
from recipe.latent.posterior import LabelledPosterior

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


@dataclass(frozen=True, eq=False)
class LabelModule:
    """A module that draws labels, with what it was made from.

    Attributes:
        model: the joint law of a datum and its labels.
        weight: the weight of a label, as it is compiled.
        source: the text of the module.
        name: ``"labels"``.
    """

    model: LabelledPosterior
    weight: Weight
    source: str
    name: str = "labels"

    @property
    def settings(self) -> dict[str, Symbol]:
        """The parameter that each field of ``Params`` stands for, in the order of the fields."""
        return {field: s for s, field in _fields(self.weight).items()}


def label_module(model: LabelledPosterior) -> LabelModule:
    """Return the module that draws the labels of a model.

    Raises:
        RecipeError: where the weight of a label has no compiled form; naming it.
    """
    weight = weight_of(model)
    return LabelModule(model, weight, label_module_text(model, weight))


def _fields(weight: Weight) -> dict[Symbol, str]:
    """The field of ``Params`` of each parameter."""
    fields = field_namer()
    return {s: fields.fresh(str(s)) for s in weight.parameters}


def label_module_text(model: LabelledPosterior, weight: Weight) -> str:
    """Return the text of the module: ``row_weights``, which makes the factors of rows for some
    columns, and ``draw_labels``.
    """
    names = _fields(weight)
    known: dict[Symbol, Symbol] = {s: Symbol(f"params.{name}") for s, name in names.items()}
    own = [exp, *DATUM_LABELS] if weight.of_datum else [*LABELS]
    called = [OURS[f] for f in OURS if any(e.has(f) for e in _expressions(weight))]
    functions = with_callees([*INTRINSICS, stream_key, *own, *called])
    of_count = [] if weight.of_datum else [_function("count_factor", weight.of_count, known)]
    parts = [
        _comment(model, weight),
        header(run_cached=True, kernels_cached=False),
        _params(names),
        lanes_text(),
        *map(source_of, functions),
        *of_count,
        _row_weights(weight, known),
        _row_norm(weight, known),
        DRAW_LABELS_OF_DATA if weight.of_datum else DRAW_LABELS,
    ]
    return checked("\n\n\n".join(p.strip("\n") for p in parts) + "\n")


def _expressions(weight: Weight) -> list[Expr]:
    return [weight.of_count, weight.of_row, *(s.body for s in weight.sums)]


def _comment(model: LabelledPosterior, weight: Weight) -> str:
    lines = [
        f"draws of labels, generated by recipe {recipe.__version__}",
        f"the weight of a label: {model.labels.text_of(model.weight)}",
        *([] if weight.of_datum else [f"of its count: {weight.of_count}"]),
        f"of its row{', the logarithm for one item' * weight.of_datum}: {weight.of_row}",
        *(f"{s.symbol.name} = total({s.body})" for s in weight.sums),
        *([f"source: {model.source}"] if model.source else []),
    ]
    wrapped = [w for line in lines for w in textwrap.wrap(line, 96)]
    return "\n".join(f"# {line}" for line in wrapped)


def _params(names: Mapping[Symbol, str]) -> str:
    body = "".join(f"    {name}: float\n" for name in names.values())
    return f'class Params(NamedTuple):\n    """The parameters."""\n\n{body}'


def _function(name: str, e: Expr, known: Mapping[Symbol, Symbol]) -> str:
    return f"@device\ndef {name}(count, params):\n    return {text_of(e.xreplace(known), NUMBA)}"


def _row_weights(weight: Weight, known: Mapping[Symbol, Symbol]) -> str:
    """The function that makes the factors of one row for some columns."""
    e = weight.of_row.xreplace({HERE: Symbol("row[which[i]]")}).xreplace(known)
    lines = [
        "@run_kernel",
        "def row_weights(row, which, weights, label, width, params):",
        '    """The factors of the row of one label in the columns ``which``."""',
        *_sums(weight, known),
        "    for i in range(np.uint64(which.size)):",
        f"        weights[np.uint64(i) * width + label] = {text_of(e, NUMBA)}",
    ]
    return "\n".join(lines)


def _row_norm(weight: Weight, known: Mapping[Symbol, Symbol]) -> str:
    """The function that sums the factors of one row over all columns."""
    e = weight.of_row.xreplace({HERE: Symbol("row[w]")}).xreplace(known)
    one = text_of(e, NUMBA)
    lines = [
        "@run_kernel",
        "def row_norm(row, params):",
        '    """The sum of the factors of the row of one label over all columns."""',
        *_sums(weight, known),
        "    norm = 0.0",
        "    for w in range(np.uint64(row.size)):",
        f"        norm += {f'exp({one})' if weight.of_datum else one}",
        "    return norm",
    ]
    return "\n".join(lines)


def _sums(weight: Weight, known: Mapping[Symbol, Symbol]) -> list[str]:
    lines = []
    for s in weight.sums:
        body = text_of(_at_column(s.body, "w").xreplace(known), NUMBA)
        lines += [
            f"    {s.symbol.name} = 0.0",
            "    for w in range(np.uint64(row.size)):",
            f"        {s.symbol.name} += {body}",
        ]
    return lines


def _at_column(e: Expr, index: str) -> Expr:
    return e.xreplace({s: Symbol(f"row[{index}]") for s in e.atoms(Indexed)})
