"""The command, as a user types it: what it prints, where it writes, and its exit status."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from cases.recipe_files import HEAD, UNDECIDED, WRONG, file
from helpers.command import ROOT, command
from rich.console import Console

from codegen import Divergence, Draws
from codegen.inputs.options import SamplingOptions
from recipe_cli.declarations.find import declarations
from recipe_cli.main import main
from recipe_cli.output.saving import Output
from recipe_cli.sampling import sample_posterior as sampling
from recipe_cli.sandbox.process_limits import Limits

POSTERIOR = """
import numpy as np
from sympy import exp, log
from recipe import Data, Posterior, Vector, total
theta = Vector("theta")
x, y = Data("x", like=theta), Data("y")
rng = np.random.default_rng(0)
posterior = Posterior(theta, -log(1 + exp(-y * total(x * theta))), -total(theta**2) / 2,
                      data={x: rng.normal(size=(20, 2)),
                            y: np.where(rng.random(20) < 0.5, -1.0, 1.0)})
"""


def test_list_shows_what_each_entry_is_for_and_needs():
    done = command("list")
    assert done.returncode == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    samplers, posteriors = done.stdout.split("\n\n")
    names = re.findall(r"^  (\w+)$", samplers, re.MULTILINE)
    of_sghmc = " ".join(samplers.partition("  sghmc\n")[2].partition("  sgld\n")[0].split())
    assert "a gradient, which minibatches may estimate; C, positive: friction" in of_sghmc
    assert {
        "sgld",
        "sghmc",
        "sgrld",
        "sgnht",
        "sgrhmc",
        "hmc",
        "fisher_sgld",
        "third_order_langevin",
    } <= set(names)
    models = re.findall(r"^  (\w+)", posteriors, re.MULTILINE)
    assert models == sorted(p.stem for p in (ROOT / "catalog/posteriors").glob("[a-z]*.py"))
    assert "569 tumours" in posteriors.partition("breast_cancer")[2].splitlines()[0]
    as_json = json.loads(command("list", "--json").stdout)
    assert [e["name"] for e in as_json["samplers"]] == names
    assert [e["name"] for e in as_json["posteriors"]] == models
    by_name = {e["name"]: e for e in as_json["samplers"]}
    assert {by_name[n]["gradient"] for n in ("sghmc", "mala", "jacobi_beta")} == {
        "estimated",
        "exact",
        "none",
    }
    assert by_name["scir"]["domain"] == {"theta": "Interval.open(0, oo)"}
    unexplained = [p for e in by_name.values() for p in e["parameters"] if not p["meaning"]]
    assert not unexplained


def test_verify_proves_a_catalog_entry_by_file_and_by_name():
    for where in ("catalog/sgrhmc.py", "sgrhmc"):
        done = command("verify", where)
        assert done.returncode == 0, done.stderr
        assert "stationarity" in done.stdout
        assert "refuted" not in done.stdout


def test_verify_as_json():
    done = command("verify", "sgnht", "--json")
    (entry,) = json.loads(done.stdout)
    assert (entry["name"], entry["file"], entry["kind"], entry["verdict"]) == (
        "sgnht",
        "catalog/sgnht.py",
        "recipe",
        "proved",
    )
    assert {line["name"] for line in entry["obligations"]} >= {
        "well-defined",
        "diffusion-symmetric",
        "curl-skew",
        "diffusion-psd",
        "stationarity",
        "agrees-with-update",
    }


def test_verify_refutes_with_a_witness_and_status_1(tmp_path):
    done = command("verify", file(tmp_path, WRONG))
    assert done.returncode == 1
    assert "witness" in done.stdout


def test_an_audit_that_comes_out_as_expected_is_good(tmp_path):
    expected = WRONG.replace("}, U)", "}, U, expect='refuted')")
    assert command("verify", file(tmp_path, expected)).returncode == 0
    surprised = WRONG.replace("}, U)", "}, U, expect='proved')")
    assert command("verify", file(tmp_path, surprised)).returncode == 1


def test_verify_undecided_is_status_3(tmp_path):
    assert command("verify", file(tmp_path, UNDECIDED)).returncode == 3
    assert command("verify", "scir", "--require", "uniqueness").returncode == 3


BAD_FILES = {
    "nothing in it": ("x = 1\n", "defines no Recipe and no Update"),
    "a syntax error": ("def\n", "line 1: SyntaxError"),
    "an exception": ("\n1 / 0\n", "line 2: ZeroDivisionError: division by zero"),
    "an exit": ("raise SystemExit(0)\n", "SystemExit"),
    "a recipe that is wrong": (
        HEAD + "bad = Recipe((theta, r), U + r**2 / 2, eye(2), zeros(2))\n",
        "total(r**2/2)",
    ),
    "an update without a limit": (
        HEAD + "bad = Update(eps, {theta: theta + 1}, U)\n",
        "bad: the rule of theta has no limit",
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_one_sentence_and_status_2(name, tmp_path):
    text, said = BAD_FILES[name]
    done = command("verify", file(tmp_path, text))
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_missing_files_and_names():
    assert command("verify", "nowhere.py").returncode == 2
    assert "recipe list" in command("verify", "nothing").stderr
    assert "it defines sgld" in command("verify", "catalog/sgld.py:nothing").stderr


@pytest.mark.parametrize(
    ("kind", "said"),
    [("text", "Gamma[xi] = -1"), ("latex", "\\begin{align*}"), ("json", '"gamma"')],
)
def test_derive(kind, said):
    done = command("derive", "catalog/sgnht.py", "--format", kind)
    assert done.returncode == 0
    assert said in done.stdout


def test_explain_says_what_an_obligation_states():
    assert "div v - v . grad H = 0" in command("explain", "stationarity").stdout
    assert command("explain").stdout.count("\n") >= 20
    assert command("explain", "beauty").returncode == 2


def test_help_has_examples_and_version_is_the_version():
    import recipe

    for name in ("list", "verify", "explain", "derive", "generate", "sample", "diagnose"):
        assert "Example" in command(name, "--help").stdout
    assert command("--version").stdout.strip() == f"recipe {recipe.__version__}"


def test_generate_writes_a_module_that_needs_numpy_and_numba_only(tmp_path):
    output = tmp_path / "kernel.py"
    assert command("generate", "catalog/sgrhmc.py", "-o", output).returncode == 0
    before = output.read_text()
    imports = {
        line.split()[1].split(".")[0]
        for line in before.splitlines()
        if line.startswith(("import ", "from "))
    }
    assert imports <= {
        "numpy",
        "numba",
        "llvmlite",
        "math",
        "operator",
        "typing",
    }  # Numba stands on llvmlite
    again = command("generate", "catalog/sgrhmc.py", "-o", output)
    assert again.returncode == 2
    assert "--force" in again.stderr
    assert output.read_text() == before
    assert command("generate", "sgrhmc", "-o", output, "--force").returncode == 0
    assert output.read_text() == before


def test_generate_refuses_what_is_unbound(tmp_path):
    done = command(
        "generate",
        file(tmp_path, HEAD + "s = Recipe((theta,), U, 1 / Field('G', theta, positive=True), 0)\n"),
        "-o",
        "x.py",
    )
    assert done.returncode == 2
    assert "G" in done.stderr


def sample(tmp_path, *more):
    posterior = file(tmp_path, POSTERIOR, "posterior.py")
    return command(
        "sample",
        "sghmc",
        "--posterior",
        posterior,
        "--step-size",
        "0.05",
        "--steps",
        "400",
        "--seed",
        "1",
        *more,
    )


@pytest.mark.slow
def test_sample_saves_the_same_draws_for_any_number_of_threads(tmp_path):
    import arviz

    first, second = tmp_path / "one.nc", tmp_path / "two.nc"
    done = sample(tmp_path, "--param", "C=1", "--threads", "1", "-o", first)
    assert done.returncode == 0, done.stderr
    assert "theta[0]" in done.stdout
    assert sample(tmp_path, "--param", "C=1", "--threads", "2", "-o", second).returncode == 0
    one, two = (arviz.from_netcdf(p).posterior["theta"] for p in (first, second))
    assert one.shape == (4, 360, 2)
    assert (one.to_numpy() == two.to_numpy()).all()
    assert sample(tmp_path, "--param", "C=1", "-o", first).returncode == 2


@pytest.mark.slow
def test_sample_lists_missing_parameters_and_reports_divergence(tmp_path):
    missing = sample(tmp_path)
    assert missing.returncode == 2
    assert "missing parameters: C" in missing.stderr
    assert "such as --param C=1" in sample(tmp_path, "--param", "C").stderr
    diverged = sample(tmp_path, "--param", "C=1e6")
    assert diverged.returncode == 1
    assert "diverged in step" in diverged.stdout


REFUTED_RECIPE = (
    HEAD + "bad = Recipe((theta, r), U + total(r**2) / 2, eye(2), Matrix([[1, -1], [1, 0]]))\n"
)


@pytest.mark.slow
def test_sample_refuses_what_is_refuted(tmp_path):
    call = [
        "sample",
        file(tmp_path, REFUTED_RECIPE),
        "--posterior",
        file(tmp_path, POSTERIOR, "p.py"),
        "--step-size",
        "0.01",
    ]
    done = command(*call, "--steps", "100")
    assert done.returncode == 1
    assert "bad is refuted (curl-skew, stationarity)" in done.stderr
    saved = tmp_path / "bad.nc"
    assert command(*call, "--steps", "100", "--unproved", "-o", saved).returncode == 0
    assert "bad is refuted (curl-skew, stationarity): " in command("diagnose", saved).stdout


def test_sample_refuses_a_flow_and_knows_what_is_meant_by_nuts(tmp_path):
    call = ["--posterior", file(tmp_path, POSTERIOR, "p.py"), "--step-size", "0.01", "--steps", "9"]
    done = command("sample", "hmc", *call)
    assert done.returncode == 1
    assert "other laws, too" in done.stderr
    assert "hmc_kernel" in done.stderr
    done = command("sample", "nuts", *call)
    assert done.returncode == 2
    assert "did you mean hmc_kernel" in done.stderr


def test_a_concrete_instance_is_said_and_outputs_are_regular_files_of_their_own(tmp_path):
    done = command("generate", "sgrhmc", "-o", tmp_path / "k.py")
    assert "this is sgrhmc_bounded" in done.stderr
    assert "# sgrhmc_bounded, generated by" in (tmp_path / "k.py").read_text()
    source = file(tmp_path, HEAD + "s = Recipe((theta,), U, 1, 0)\n")
    before = source.read_text()
    assert "is the input" in command("generate", source, "-o", source, "--force").stderr
    assert source.read_text() == before
    assert "not a regular file" in command("generate", "sgld", "-o", os.devnull, "--force").stderr


def test_floats_are_said(tmp_path):
    rule = (
        HEAD + "u = Update(eps, {theta: theta - eps * grad(U, theta) + sqrt(2.0 * eps) * w}, U,"
        " expect='proved')\n"
    )
    done = command("verify", file(tmp_path, rule))
    assert done.returncode == 1
    assert "write it exactly, sqrt(2)" in done.stderr
    assert "expected to be proved, but it is refuted" in done.stdout


def test_a_chain_that_stops_at_once_does_not_cost_the_draws_of_the_others(tmp_path, monkeypatch):
    values = np.stack([np.full((5, 2), np.nan), np.ones((5, 2))])
    draws = Draws(
        {"theta": values},
        np.array([0, 5]),
        (Divergence(0, 0, "theta"),),
        False,
        {},
        np.full(5, 0.1),
    )
    monkeypatch.setattr(
        sampling, "sample_kernel", lambda _, __, caller, *___: caller.after(draws) or draws
    )
    options = SamplingOptions(steps=5, step_size=0.1, scheme="euler", chains=2, threads=1)
    posterior = file(tmp_path, POSTERIOR, "posterior.py")
    output = tmp_path / "draws.nc"
    assert (
        sampling.sample_posterior(
            declarations("sgld")[0],
            str(posterior),
            options,
            Limits(),
            Output(output),
            Console(quiet=True),
        )
        == 1
    )
    assert output.exists()


def saved_draws(tmp_path, name="draws.nc", shift=0.0, divergences=(), attributes=None, length=50):
    values = np.random.default_rng(0).normal(size=(4, 500, length))
    values[1] += shift
    if divergences:
        values[0, 100:] = np.nan
    draws = Draws(
        {"theta": values},
        np.full(4, 500),
        tuple(divergences),
        False,
        {"recipe": "sgld"} | (attributes or {}),
        np.full(500, 0.1),
    )
    return draws.save(tmp_path / name)


@pytest.mark.slow
def test_diagnose_prints_a_table_and_what_to_worry_about(tmp_path):
    done = command(
        "diagnose",
        saved_draws(tmp_path, shift=1.0, attributes={"seconds": 2.0}),
        "--plots",
        tmp_path / "new" / "plots",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("sgld: 4 chains of 500 draws")
    assert "theta[39]" in done.stdout
    assert "theta[40] " not in done.stdout.partition("coordinates more")[0]
    assert "10 coordinates more (--all shows them)" in done.stdout
    assert "effective draws a second" in done.stdout
    assert "do not agree yet in 50 of 50 coordinates" in done.stdout
    assert sorted(p.name for p in (tmp_path / "new" / "plots").iterdir()) == [
        "rank.png",
        "trace.png",
    ]


@pytest.mark.slow
def test_diagnose_shows_everything_where_it_is_asked_to(tmp_path):
    path = saved_draws(tmp_path)
    assert "theta[49]" in command("diagnose", path, "--all").stdout
    done = command("diagnose", path, "--json", "--plots", tmp_path)
    assert len(json.loads(done.stdout, parse_constant=pytest.fail)["coordinates"]) == 50
    assert done.stderr == ""


def test_diagnose_has_status_1_where_a_chain_diverged(tmp_path):
    done = command("diagnose", saved_draws(tmp_path, divergences=[Divergence(0, 100, "theta")]))
    assert done.returncode == 1
    assert "chain 0 diverged in step 100" in done.stdout
    assert "are of chains 1, 2, 3: chain 0 has 100 finite draws of 500" in done.stdout


@pytest.mark.slow
def test_a_kernel_is_generated_and_sampled(tmp_path):
    posterior = file(tmp_path, POSTERIOR, "posterior.py")
    done = command("generate", "mala:mala", "--posterior", posterior, "-o", tmp_path / "mala.py")
    assert done.returncode == 0, done.stderr
    assert (
        "accepted with the log ratio cost(x, y) - cost(y, x)" in (tmp_path / "mala.py").read_text()
    )
    call = ["sample", "mala:mala", "--posterior", posterior, "--step-size", "0.3", "--steps", "600"]
    done = command(*call)
    assert "acceptance rate of Metropolis tests: 0." in done.stdout, done.stderr
    refused = command(*call, "--batch-size", "4")
    assert refused.returncode != 0
    assert "batch_size=4: a Metropolis test compares values of exp(-H)" in refused.stderr


def no_posterior(path):
    import arviz

    arviz.from_dict(prior={"theta": np.zeros((1, 5))}).to_netcdf(str(path), engine="h5netcdf")


def damaged(path):
    whole = bytearray(saved_draws(path.parent, "whole.nc").read_bytes())
    whole[len(whole) // 3 : -len(whole) // 3] = b"x" * len(
        whole[len(whole) // 3 : -len(whole) // 3]
    )
    path.write_bytes(whole)


def words(path):
    import xarray

    xarray.Dataset({"word": (("chain", "draw"), [["a", "b"]])}).to_netcdf(
        path, group="posterior", engine="h5netcdf"
    )


BAD_DRAWS = {
    "not there": (lambda path: None, "there is no file"),
    "a folder": (lambda path: path.mkdir(), "there is no file"),
    "empty": (lambda path: path.touch(), "cannot be read as netCDF"),
    "text": (lambda path: path.write_text("theta\n1\n"), "cannot be read as netCDF"),
    "cut": (
        lambda path: path.write_bytes(saved_draws(path.parent, "whole.nc").read_bytes()[:5000]),
        "cannot be read as netCDF",
    ),
    "damaged": (damaged, "is damaged"),
    "no posterior": (no_posterior, "has no posterior group (it has prior)"),
    "words": (words, "word in the posterior group is not numbers by chain and draw"),
}


@pytest.mark.by_default(4)
@pytest.mark.parametrize("name", BAD_DRAWS)
def test_draws_that_cannot_be_read_are_one_sentence_and_status_2(
    name, tmp_path, monkeypatch, capsys
):
    make, said = BAD_DRAWS[name]
    make(tmp_path / "draws.nc")
    monkeypatch.setattr(sys, "argv", ["recipe", "diagnose", str(tmp_path / "draws.nc")])
    with pytest.raises(SystemExit, match="2"):
        main()
    stdout, stderr = capsys.readouterr()
    assert said in stderr
    assert len(stderr.strip().splitlines()) == 1
    assert stdout == ""


def test_a_folder_for_plots_that_cannot_be_written_is_said_before_the_work(tmp_path):
    file(tmp_path, "", "taken")
    done = command("diagnose", saved_draws(tmp_path), "--plots", tmp_path / "taken")
    assert done.returncode == 2
    assert "taken cannot be written: File exists; choose another one" in done.stderr
    assert done.stdout == ""
    done = sample(
        tmp_path, "--param", "C=1", "--plots", tmp_path / "taken", "-o", tmp_path / "d.nc"
    )
    assert done.returncode == 2
    assert not (tmp_path / "d.nc").exists()


@pytest.mark.slow
def test_sample_plots_and_prints_json_and_nothing_else(tmp_path):
    done = sample(
        tmp_path, "--param", "C=1", "--json", "--plots", tmp_path / "plots", "-o", tmp_path / "d.nc"
    )
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout, parse_constant=pytest.fail)
    assert set(data) == {"diagnosis", "output"}
    assert data["output"] == str(tmp_path / "d.nc")
    assert {c["coordinate"] for c in data["diagnosis"]["coordinates"]} == {
        "theta[0]",
        "theta[1]",
        "r[0]",
        "r[1]",
    }
    assert (tmp_path / "plots" / "trace.png").stat().st_size > 1000
    again = command("diagnose", tmp_path / "d.nc", "--json")
    assert json.loads(again.stdout)["coordinates"] == data["diagnosis"]["coordinates"]


def test_the_command_starts_without_arviz_and_matplotlib():
    code = (
        "import sys, recipe_cli.main, codegen; print({'arviz', 'matplotlib', 'xarray', 'h5netcdf'}"
        " & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


SAMPLE = ["sample", "sgld", "--step-size", "0.01", "--steps", "300", "--chains", "2"]


@pytest.mark.slow
def test_schedules_minibatches_and_checkpoints_on_the_command_line(tmp_path):
    posterior = str(file(tmp_path, POSTERIOR, "posterior.py"))
    more = [
        "--posterior",
        posterior,
        "--batch-size",
        "2",
        "--no-replace",
        "--keep",
        "theta",
        "--decay",
        "100,0.5",
        "--json",
    ]
    call = [*SAMPLE, *more, "--checkpoint", "run", "-o", "draws.nc"]
    first = command(*call, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    again = command(*call, "--force", cwd=tmp_path)
    assert (
        json.loads(again.stdout)["diagnosis"]["coordinates"]
        == json.loads(first.stdout)["diagnosis"]["coordinates"]
    )
    assert json.loads(first.stdout)["diagnosis"]["attributes"]["step_size"].startswith(
        '{"schedule": "Polynomial"'
    )
    other = command(*call, "--force", "--seed", "3", cwd=tmp_path)
    assert (other.returncode, other.stdout) == (2, "")
    assert "is of another run: seed was 0 and is 3" in other.stderr


@pytest.mark.by_default(2)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--decay", "3"], "--decay 3: write B,C"),
        (["--decay", "3,1", "--cycle", "10"], "two schedules"),
        (["--cycle", "0"], "--cycle=0 must be a whole number, at least 1"),
        (["--param", "C=linear:1,2"], "'linear' is no kind of schedule"),
        (["--param", "C=geometric:1,2"], "geometric:A,LAST,STEPS[,EVERY]"),
        (["--param", "C=geometric:1,2,x"], "STEPS is 'x', which is not a number"),
        (["--step-size", "polynomial:1,2,1", "--cycle", "5"], "is a schedule already"),
        (["--step-size", "auto", "--param", "C=cyclical:1,50"], "needs numbers as parameters"),
        (["--control-variates"], "control_variates= is about minibatches"),
        (["--compensate", "--batch-size", "1"], "batch_size of 2 or more"),
        (["--saga", "--batch-size", "1"], "give replace=False"),
        (["--checkpoint", "posterior.py"], "cannot be read: Not a directory"),
    ],
)
def test_options_of_sample_that_do_not_fit(tmp_path, options, message):
    posterior = str(file(tmp_path, POSTERIOR, "posterior.py"))
    done = command(*SAMPLE, "--posterior", posterior, *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_sample_refuses_a_refuted_rule_and_does_not_tune_one(tmp_path):
    rule = (
        "from sympy import Symbol, sqrt\nfrom recipe import Noise, Update, grad\n"
        "eps, w = Symbol('epsilon', positive=True), Noise('w', like=theta)\n"
        "bad = Update(step=eps, target=U, rule={theta: theta - eps*grad(U, theta) + sqrt(eps)*w})\n"
    )
    where, law = file(tmp_path, HEAD + rule), file(tmp_path, POSTERIOR, "p.py")
    done = command("sample", where, "--posterior", law, "--step-size", "0.01", "--steps", "9")
    assert done.returncode == 1
    assert done.stderr.startswith("recipe: bad is refuted (stationarity): the residual is ")
    assert done.stderr.endswith(
        "; repair: the noise sqrt(epsilon)*w of theta must be sqrt(2*epsilon)*w; see recipe verify,"
        " or add --unproved\n"
    )
    done = command("sample", where, "--posterior", law, "--step-size", "auto")
    assert done.returncode == 2
    assert "bad is an update rule, and tuning takes a recipe or a kernel" in done.stderr
