"""The house itself: which room may call which, and that no file outgrows a reader."""

import ast
import tomllib
from pathlib import Path

import pytest
from samplers import catalog_recipes

import recipe

ROOT = Path(__file__).parent.parent
ROOMS = {
    "recipe": set(),
    "catalog": {"recipe"},
    "verify": {"recipe"},
    "codegen": {"recipe"},
    "recipe_cli": {"recipe", "catalog", "verify", "codegen"},
}
LONGER = {"checker.py": 1900}  # it must stand alone: one file, which imports nothing of this project
FORBIDDEN_CALLS = {"eval", "exec", "parse_expr", "literal_eval"}


def sources(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


def imported(tree: ast.AST) -> set[str]:
    """Every module that a file imports, wherever the import stands."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names |= {f"{node.module}.{a.name}" if is_module(f"{node.module}.{a.name}") else node.module for a in node.names}
    return names


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


@pytest.mark.parametrize("room", ROOMS)
def test_every_arrow_points_down(room):
    for path in sources(room):
        rooms = {name.split(".")[0] for name in imported(ast.parse(path.read_text()))} & ROOMS.keys()
        assert rooms <= ROOMS[room] | {room}, f"{path.relative_to(ROOT)} imports {sorted(rooms - ROOMS[room] - {room})}"


def test_the_catalog_uses_the_public_language_only():
    for path in sources("catalog"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "recipe":
                assert node.module == "recipe", path
                assert {a.name for a in node.names} <= set(recipe.__all__), path


@pytest.mark.parametrize("room", ["recipe", "verify", "codegen"])
def test_no_two_files_import_each_other_at_load_time(room):
    edges = {}
    for path in sources(room):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        top_level = ast.Module([n for n in ast.parse(path.read_text()).body if isinstance(n, ast.Import | ast.ImportFrom)], [])
        edges[module] = {name for name in imported(top_level) if name.split(".")[0] == room}
    while edges:
        leaves = [module for module, needs in edges.items() if not needs & edges.keys() - {module}]
        assert leaves, f"a cycle among {sorted(edges)}"
        for leaf in leaves:
            del edges[leaf]


@pytest.mark.parametrize("room", ROOMS)
def test_text_is_never_evaluated(room):
    for path in sources(room):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                strict = any(k.arg == "strict" for k in node.keywords)
                assert name not in FORBIDDEN_CALLS, f"{path}:{node.lineno}"
                assert name != "sympify" or strict, f"{path}:{node.lineno} sympify without strict=True evaluates text"
            assert not (isinstance(node, ast.Import) and any(a.name == "pickle" for a in node.names)), path


@pytest.mark.parametrize("room", ROOMS)
def test_files_and_functions_stay_readable(room):
    for path in sources(room):
        text = path.read_text()
        assert text.count("\n") <= LONGER.get(path.name, 450), path
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno - node.lineno < 60, f"{path}:{node.lineno} {node.name}"


def test_the_version_is_said_once_and_the_same():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == recipe.__version__
    assert f"## {recipe.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_every_catalog_file_cites_its_source_and_brings_its_update():
    for name, entry in catalog_recipes().items():
        assert entry.source, name
        assert entry.update is not None, name


def test_the_wheel_contains_every_room():
    include = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]["include"]
    assert all(any(room.startswith(pattern.rstrip("*")) for pattern in include) for room in ROOMS)
