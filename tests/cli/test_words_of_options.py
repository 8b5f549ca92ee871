"""Options that would have no effect are refused, and advice names what can be typed."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.command import command

from codegen.bias.checks import _unscaled
from codegen.files.libsvm_lines import Lines, rows_of
from recipe import RecipeError
from recipe.language.numbers import array_of_numbers
from recipe_cli.errors import as_typed, mistake_of, without_nearer
from recipe_cli.sampling.initial_typed import initial_typed

MODEL = ["sample", "sghmc", "--posterior", "bioassay", "--step-size", "0.05", "--param", "C=1"]
NEARER = "take more steps, or start nearer (initial=)"


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--no-replace",), "replace=False is about minibatches"),
        (("--max-error", "0.2"), "--max-error 0.2 is what --step-size auto finds"),
    ],
)
def test_options_without_effect_are_refused(option, said):
    done = command(*MODEL, "--dry-run", *option)
    assert done.returncode == 2
    assert said in done.stderr


def test_advice_names_the_option_and_none_that_there_is_not():
    assert as_typed(NEARER) == "take more steps, or start nearer (--initial)"
    assert mistake_of(RecipeError(NEARER)).sentence == as_typed(NEARER)
    assert without_nearer(NEARER) == "take more steps"


@pytest.mark.parametrize("text", ["\ufeff0.5,0.6\n1,2\n", '"0.5","0.6"\n"1","2"\n'])
def test_first_values_of_a_spreadsheet_are_read(tmp_path, text):
    file = tmp_path / "start.csv"
    file.write_text(text, encoding="utf-8")
    found = initial_typed([f"beta={file}"])["beta"]
    np.testing.assert_array_equal(found, [[0.5, 0.6], [1, 2]])


@pytest.mark.parametrize(("scaled", "count"), [(True, 0), (False, 1)])
def test_columns_are_not_named_where_each_coordinate_has_its_own_scale(scaled, count):
    gradient = SimpleNamespace(fields={"x": "x"})
    kernel = SimpleNamespace(
        module=SimpleNamespace(estimators={"U": SimpleNamespace(gradient=gradient)}),
        data={"x": np.array([[1.0, 1e5], [2.0, 3e5]])},
        options=SimpleNamespace(tuning=json.dumps({"scaled": scaled})),
    )
    assert len(list(_unscaled(kernel))) == count


def test_a_line_of_another_file_is_shown_as_text(tmp_path):
    with pytest.raises(RecipeError, match="line 1: 'site,a,b") as heard:
        rows_of(Lines(tmp_path / "dm.csv", 1, [b"site,a,b\n"]))
    assert "(b'" not in str(heard.value)


@pytest.mark.parametrize("ordered", [True, False])
def test_an_outcome_of_categories_or_text_leads_to_its_codes(ordered):
    pandas = pytest.importorskip("pandas")
    answers = ["never", "often", "never"]
    y = pandas.Categorical(answers, ordered=True) if ordered else pandas.Series(answers)
    with pytest.raises(RecipeError, match=r"\.codes"):
        array_of_numbers("the data of y", y, "an array of numbers")
