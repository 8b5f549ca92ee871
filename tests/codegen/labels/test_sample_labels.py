"""``sample_labels``: its law where it is known, and its bits after a kill."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from cases.topic_models import beta, members, mixture, theta, topics, z
from sympy import log

from catalog.scir import scir
from catalog.sgrld import sgrld_reciprocal
from codegen import Completion, CountTable, Kept, sample_labels
from codegen.files.counts import count_table
from codegen.labels.rows import potential
from recipe import RecipeError, mirror, total
from recipe.language.calculus import gradient
from verify.decide.zero.decide import vanishes

SCIR = {"params": {"a": beta + z.data / z.batch * z.summed, "alpha": 0.1, "beta": 0.5}}
SCIR |= {"scheme": "exact", "step_size": 0.5}
SGRLD = mirror(sgrld_reciprocal, sgrld_reciprocal.state[0])


def documents(number=30, width=20, length=25, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.full(width, 0.2), 3)
    mixed = rng.dirichlet(np.full(3, 0.3), number) @ rows
    return np.array([rng.multinomial(length, p) for p in mixed])


OF_MEMBERS = {
    "model": mixture(),
    "params": {"a": beta + members.data / members.batch * members.summed, "beta": 0.5},
    "burn_in": None,
}


def run(sampler=scir, data=None, model=None, **changes):
    arguments = {"labels": 3, "steps": 12, "batch_size": 8, "sweeps": 4, "seed": 2, **SCIR}
    given = documents() if data is None else data
    return sample_labels(model or topics(), sampler, given, **arguments | changes)


def test_with_one_label_the_rows_have_the_gamma_law_of_the_counts():
    """Full batches, one label: theta_w has the law Gamma(beta + n_w) after the first steps. 4,000
    draws with a correlation of exp(-1) are 1,848 effective ones: the bound is five standard errors.
    """
    data = documents(10)
    kept = Kept(1)
    run(data=data, labels=1, batch_size=None, steps=4000, step_size=1.0, reducers=(kept,))
    shape = 0.5 + data.sum(axis=0)
    draws = kept.draws[20:, 0]
    effective = len(draws) * np.tanh(0.5)
    assert (np.abs(draws.mean(axis=0) - shape) < 5 * np.sqrt(shape / effective)).all()
    assert np.abs(draws.var(axis=0) / shape - 1).max() < 0.3


def test_the_potential_of_a_row_is_that_of_the_estimate():
    model = topics()
    law = potential(model, theta)
    counts = {s: z.summed.at(s.label) for s in law.atoms() if getattr(s, "base", "") == "z_summed"}
    assert vanishes(gradient(law.xreplace(counts), theta) + model.estimate[theta])


@pytest.mark.parametrize(
    ("term", "said"),
    [
        (z.count**2, "not shown to be affine in the counts of a datum"),
        (z.count * z.size, "reads z.size of each datum"),
        (total(z.counts**2) / (1 + z.count), "not shown to be affine in the counts of a datum"),
        # of degree one in the counts, and no sum of counts determines it
        (total(z.counts**2) / z.count, "not shown to be affine in the counts of a datum"),
    ],
)
def test_a_law_that_sums_of_counts_do_not_determine_is_refused(term, said):
    law = z.sum(total(z.counts * log(theta)) - term * total(theta))
    model = topics(log_joint=law, conditional=None, gradient=None)
    with pytest.raises(RecipeError, match=said):
        potential(model, theta)


@pytest.mark.parametrize("sampler", ["scir", "sgrld"])
def test_the_bits_are_the_same_for_any_number_of_threads(sampler):
    changes = {} if sampler == "scir" else {"sampler": SGRLD, "scheme": "euler"}
    if changes:
        changes |= {"params": {"alpha": 0.1, "beta": 0.5}, "step_size": 0.01}
    found = [run(threads=n, **changes).blocks["theta"].tobytes() for n in (1, 2, 3)]
    assert len(set(found)) == 1


def test_chains_and_seeds_differ_and_minibatches_do_not_repeat():
    one, other, seed = (run(**c).blocks["theta"] for c in ({}, {"chain": 1}, {"seed": 3}))
    assert (one != other).mean() > 0.99
    assert (one != seed).mean() > 0.99


class Stream:
    """Data that are made when they are asked for."""

    def __init__(self, table):
        self.table, self.asked = table, []
        self.width, self.digest = table.width, table.digest

    def __len__(self):
        return len(self.table)

    def rows(self, which):
        self.asked.append(list(which))
        return self.table.rows(which)


def test_a_stream_that_is_fetched_by_index_gives_the_same_draws():
    stream = Stream(count_table(documents()))
    assert run(data=stream).blocks["theta"].tobytes() == run().blocks["theta"].tobytes()
    assert len(stream.asked) == 12
    assert all(len(set(batch)) == 8 for batch in stream.asked)


def test_a_run_in_two_pieces_is_the_run_in_one(tmp_path):
    path = tmp_path / "run.npz"

    def reducers():
        given = documents()
        return (Completion(given, given, every=3, sweeps=4), Kept(5))

    whole = run(steps=14, reducers=reducers())
    run(steps=6, reducers=reducers(), checkpoint=path)
    rest = run(steps=14, reducers=reducers(), checkpoint=path)
    assert rest.blocks["theta"].tobytes() == whole.blocks["theta"].tobytes()
    for one, other in zip(whole.reducers, rest.reducers, strict=True):
        for name, array in one.state().items():
            assert array.tobytes() == other.state()[name].tobytes(), name


PROGRAM = """
import sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from codegen.labels import sample
sample.CHECKPOINT_SECONDS = 0.0
from cases import topic_models
from cases.topic_models import beta
from catalog.scir import scir
from codegen import Completion
data = np.load(sys.argv[2])
model = getattr(topic_models, sys.argv[5])()
z = model.labels
done = sample.sample_labels(
    model, scir, data, labels=3, steps=int(sys.argv[4]), batch_size=8, sweeps=4, seed=2,
    params={"a": beta + z.data / z.batch * z.summed, "beta": 0.5}
    | ({"alpha": 0.1} if sys.argv[5] == "topics" else {}),
    scheme="exact", step_size=0.5, checkpoint=sys.argv[3],
    reducers=(Completion(data, data, every=3, sweeps=4),),
)
"""


@pytest.mark.slow  # the program compiles in a process of its own
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL")
@pytest.mark.parametrize("name", ["topics", "mixture"])
def test_a_run_that_is_killed_goes_on_bit_for_bit(tmp_path, name):
    np.save(tmp_path / "data.npy", documents())
    path, steps = tmp_path / "run.npz", 100_000
    arguments = [os.path.dirname(os.path.dirname(os.path.dirname(__file__))), tmp_path / "data.npy"]
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *map(str, arguments), str(path), str(steps), name]
    )
    try:
        for _ in range(1200):
            time.sleep(0.05)
            if path.exists():
                break
        time.sleep(0.2)
    finally:
        program.kill()
        program.wait()
    from codegen.labels.checkpoint import read_checkpoint

    done = read_checkpoint(path)[0]["done"]
    assert 0 < done < steps

    def reducers():
        return (Completion(documents(), documents(), every=3, sweeps=4),)

    wanted, changes = done + 5, {} if name == "topics" else OF_MEMBERS
    rest = run(steps=wanted, reducers=reducers(), checkpoint=path, **changes)
    whole = run(steps=wanted, reducers=reducers(), **changes)
    assert rest.blocks["theta"].tobytes() == whole.blocks["theta"].tobytes()
    assert rest.reducers[0].perplexity.tobytes() == whole.reducers[0].perplexity.tobytes()


def test_the_checkpoint_of_another_run_and_a_damaged_one_are_refused(tmp_path):
    path = tmp_path / "run.npz"
    run(steps=2, checkpoint=path)
    with pytest.raises(RecipeError, match="the checkpoint of another run"):
        run(steps=4, checkpoint=path, sweeps=6)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(RecipeError, match="is damaged"):
        run(steps=4, checkpoint=path)


def test_with_one_label_the_predictive_probability_is_that_of_the_row():
    data = documents(6)
    completion = Completion(data, data, every=2, sweeps=2)
    done = run(data=data, labels=1, steps=2, batch_size=None, reducers=(completion,))
    row = done.blocks["theta"][0]
    expected = np.exp(-(data * np.log(row / row.sum())).sum() / data.sum())
    assert completion.perplexity == pytest.approx(expected, rel=1e-12)
    assert completion.single == pytest.approx(expected, rel=1e-12)


REFUSED = {
    "no sampler": ({"sampler": 3}, "the sampler of a row must be a Recipe"),
    "no counts": (
        {"params": {"a": 1.0, "alpha": 0.1, "beta": 0.5}},
        "takes no notice of the counts: give a parameter of it in z.summed",
    ),
    "an unknown parameter": (
        {"params": {**SCIR["params"], "b": z.summed}},
        "params= has b, which is no parameter of the sampler",
    ),
    "a parameter that is missing": (
        {"params": {"a": beta + z.summed, "beta": 0.5}},
        "missing parameters: alpha",
    ),
    "a large minibatch": ({"batch_size": 31}, "batch_size"),
    "no sweeps": ({"sweeps": 0}, "sweeps"),
    "a burn-in of all sweeps": ({"burn_in": 4}, "burn_in"),
    "rows of another shape": ({"initial": np.ones((2, 20))}, "a row for each label"),
    "a stream without N": ({"data": iter([1])}, "len(), which is N"),
    "an empty document": ({"data": np.zeros((2, 3), dtype=int)}, "datum 0 has no items at all"),
    "a step that is too large": (
        {"sampler": SGRLD, "scheme": "euler", "step_size": 1e300,
         "params": {"alpha": 0.1, "beta": 0.5}},
        "take smaller steps",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_call_is_refused_in_one_sentence(name):
    changes, said = REFUSED[name]
    with pytest.raises(RecipeError) as caught:
        run(**changes)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_held_out_counts_must_be_of_the_same_data():
    with pytest.raises(RecipeError, match="parts of the same data"):
        Completion(documents(5), documents(6), every=1)
    assert isinstance(Completion(documents(5), documents(5), every=1).given, CountTable)
