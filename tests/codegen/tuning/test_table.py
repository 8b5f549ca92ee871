"""The table of a tuning: one line for settings that differ in open parameters alone."""

from codegen.tuning.tuning import Alternative
from codegen.tuning.words import table_lines


def test_the_cheapest_of_several_frictions_is_shown():
    settings = [
        Alternative("sghmc", "baoab", 0.1, None, {"C": c}, 0.01, rows)
        for c, rows in ((2.0, 10.0), (0.7, 20.0), (8.0, 90.0))
    ]
    other = Alternative("sgld", "euler", 0.1, None, {}, 0.01, 50.0)
    lines = table_lines((*settings[:2], other, settings[2]))
    assert [line.split()[0] for line in lines] == ["sampler", "sghmc", "sgld", "and"]
    assert "C=2" in lines[1]
    assert lines[-1] == "and 2 with other open parameters: Tuning.alternatives, or --json"
