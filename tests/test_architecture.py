"""The house itself: which room may import which."""

import ast
import importlib
import os
import subprocess
import sys
import tomllib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from cases.catalog_recipes import catalog_recipes
from helpers.command import forked

import recipe

ROOT = Path(__file__).parent.parent
ROOMS = {
    "recipe": set(),
    "catalog": {"recipe"},
    "verify": {"recipe"},
    "codegen": {"recipe"},
    "recipe_cli": {"recipe", "catalog", "verify", "codegen"},
    "recipe_sampler": {"recipe", "verify", "recipe_cli"},  # on first use
}
# Every package may import these, which import the standard library alone.
GROUND = {f"recipe_sampler.{name}" for name in ("extras", "one_distribution", "version")}
# The floors of each package, from the ground up: a room or file imports from lower floors only.
FLOORS = {
    "recipe": """
        language,
        language.checks,
        signs,
        declare.transformations,
        declare,
        change,
        scheme,
        kernel,
        latent,
        laws rebuild printing files,
        lifting.tree,
        lifting.claims,
        lifting.tracing,
        lifting.fronts.jax lifting.fronts.numpy,
        lifting.fronts.torch,
        lifting.fronts,
        lifting,
        lifting.adapters
    """,
    "verify": """
        checker decide.identities decide.linear_algebra encode evidence generator scope
            statistics.numbers,
        decide.points verdict statistics.null statistics.recover,
        decide.zero report statistics.step translation.parse,
        decide decide.asymptotics decide.nonnegative,
        decide.psd diffusion.hypoelliptic diffusion.infinity kernels labels
            translation.reference,
        subject translation.state,
        audit diffusion.boundary diffusion.change_of_variable discrete discrete.exact
            discrete.weak_order obligation translation.reading,
        audit.repair diffusion discrete.linear obligations.map translation.loops,
        obligations.process statistics.law translation.labels translation.posterior translation.run,
        obligations.kernel obligations.labels obligations.step translation.batch,
        obligations translation,
        certificate engine,
        statistics.trial,
        statistics
    """,
    "codegen": """
        check_arguments device system,
        lowering,
        files printing,
        check_generation store,
        module,
        generate,
        inputs,
        inputs.density,
        inputs.gradients,
        running,
        bias.step,
        bias.linear,
        bias labels step_size,
        results.diagnostics,
        results,
        tuning.law,
        tuning verdict_before,
        label_chains sample
    """,
    "recipe_cli": """
        interruption lost_signals shortage slips streams,
        terminal,
        errors,
        declarations meanings output,
        sandbox,
        program,
        testing,
        render,
        sampling,
        commands,
        main,
        start,
        __main__
    """,
}
# Rooms that a declaration imports on first use, as printing is not needed to declare.
ON_FIRST_USE = {"recipe.printing"}
# The one file of codegen that asks for a verdict: docs/decisions/0057.
ASKS_FOR_A_VERDICT = {Path("codegen/verdict_before.py"): {"verify"}}
FORBIDDEN_CALLS = {"eval", "exec", "parse_expr", "literal_eval"}


def sources(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def imported_by(path: Path) -> set[str]:
    return imported(parsed(path))


def imported(tree: ast.AST) -> set[str]:
    """Every module that a file imports, wherever the import stands."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names |= {
                f"{node.module}.{a.name}" if is_module(f"{node.module}.{a.name}") else node.module
                for a in node.names
            }
    return names


@cache
def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


@pytest.mark.parametrize("room", ROOMS)
def test_every_arrow_points_down(room):
    for path in sources(room):
        beyond = set() if path.name == "__main__.py" else imported_by(path) - GROUND
        rooms = {name.split(".")[0] for name in beyond} & ROOMS.keys()
        more = ASKS_FOR_A_VERDICT.get(path.relative_to(ROOT), set())
        assert rooms <= ROOMS[room] | {room} | more, (
            f"{path.relative_to(ROOT)} imports {sorted(rooms - ROOMS[room] - {room})}"
        )


def test_the_catalog_uses_the_public_language_only():
    for path in sources("catalog"):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "recipe":
                assert node.module == "recipe", path
                assert {a.name for a in node.names} <= set(recipe.__all__), path


@pytest.mark.parametrize("package", FLOORS)
def test_every_room_imports_from_lower_floors_only(package):
    floors = [floor.split() for floor in FLOORS[package].split(",")]
    floor = {f"{package}.{room}": n for n, rooms in enumerate(floors) for room in rooms}
    for path in sources(package):
        module = dotted(path)
        if module == package:
            continue
        room = room_of(module)
        assert room in floor, f"{room} stands on no floor"
        for name in imported_by(path):
            other = room_of(name)
            if name.split(".")[0] == package and other not in {package, room} | ON_FIRST_USE:
                assert floor[other] < floor[room], f"{module} imports {name}, which is not below it"


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def room_of(module: str) -> str:
    """The folder of a module, or the module itself where it stands beside the rooms."""
    folder = ROOT.joinpath(*module.split(".")).is_dir()
    parent = module.rpartition(".")[0]
    return module if folder or "." not in parent else parent


@pytest.mark.parametrize("package", FLOORS)
def test_no_two_files_import_each_other_at_load_time(package):
    edges = {}
    for path in sources(package):
        statements = parsed(path).body
        top_level = [n for n in statements if isinstance(n, ast.Import | ast.ImportFrom)]
        needed = imported(ast.Module(top_level, []))
        edges[dotted(path)] = {name for name in needed if name.split(".")[0] == package}
    while edges:
        leaves = [m for m, needs in edges.items() if not needs & edges.keys() - {m}]
        assert leaves, f"a cycle among {sorted(edges)}"
        for leaf in leaves:
            del edges[leaf]


@pytest.mark.parametrize("room", ROOMS)
def test_texts_are_parsed_by_one_thread_at_a_time(room):
    """``recipe.files.python_tree`` says why."""
    for path in sources(room):
        if path.name != "python_tree.py":
            assert "ast.parse(" not in path.read_text(), path


@pytest.mark.parametrize("room", ROOMS)
def test_text_is_never_evaluated(room):
    for path in sources(room):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call):
                name = (
                    node.func.id
                    if isinstance(node.func, ast.Name)
                    else getattr(node.func, "attr", "")
                )
                strict = any(k.arg == "strict" for k in node.keywords)
                assert name not in FORBIDDEN_CALLS, f"{path}:{node.lineno}"
                assert name != "sympify" or strict, (
                    f"{path}:{node.lineno} sympify without strict=True evaluates text"
                )
            assert not (
                isinstance(node, ast.Import) and any(a.name == "pickle" for a in node.names)
            ), path


@pytest.mark.parametrize("room", ROOMS)
def test_a_folder_says_what_it_is_for_and_holds_few_files(room):
    for path in sources(room):
        files = len([p for p in path.parent.glob("*.py") if p.name != "__init__.py"])
        assert files <= 25 or room == "catalog", path.parent
        if path.name == "__init__.py":
            assert ast.get_docstring(parsed(path)), path


def test_the_version_is_said_once_and_the_same():
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" not in configuration["project"]
    place = configuration["tool"]["setuptools"]["dynamic"]["version"]["attr"]
    module, _, name = place.rpartition(".")
    assert getattr(importlib.import_module(module), name) == recipe.__version__
    assert f"## {recipe.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_every_catalog_file_cites_its_source_and_brings_its_update():
    for name, entry in catalog_recipes().items():
        assert entry.source, name
        assert entry.update is not None, name


def test_the_wheel_contains_every_room():
    include = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"][
        "packages"
    ]["find"]["include"]
    assert all(any(room.startswith(pattern.rstrip("*")) for pattern in include) for room in ROOMS)


@pytest.mark.parametrize("folder", ["examples", "benchmarks"])
def test_scripts_import_what_is_here(folder):
    """mypy does not look for these modules: what else scripts import may be absent."""
    for path in sources(folder):
        for name in imported_by(path):
            if name.split(".")[0] in ROOMS:
                assert is_module(name), f"{path.relative_to(ROOT)} imports {name}, which is gone"


def test_no_test_file_imports_from_another_one():
    for path in sources("tests"):
        named = {part for name in imported_by(path) for part in name.split(".")}
        others = {name for name in named if name.startswith("test_")}
        assert not others, f"{path.relative_to(ROOT)} imports {sorted(others)}"


def test_test_files_have_names_of_their_own():
    names = [path.name for path in sources("tests") if path.name.startswith("test_")]
    assert len(names) == len(set(names))


WHERE = "import recipe; print(recipe.__file__)"


def where_it_is(told):
    import catalog

    told.write_text(catalog.__file__)


def test_the_wheel_is_what_is_tried(tmp_path):
    """`make test` puts the files of the wheel first on the path; children find them there too."""
    wheel = os.environ.get("PYTHONPATH")
    if wheel is None:
        pytest.skip("the checkout is tried")
    for package in [*ROOMS, "recipe_sampler"]:
        spec = find_spec(package)
        assert Path(spec.origin).parents[1] == Path(wheel) != ROOT, package
    call = [sys.executable, "-c", WHERE]
    spawned = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert Path(spawned.stdout.strip()).parents[1] == Path(wheel)
    told = tmp_path / "told"
    process = forked(where_it_is, told)
    process.join()
    assert Path(told.read_text()).parents[1] == Path(wheel)
