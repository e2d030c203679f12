"""Figures are drawn where there are cells for them, the same bytes each time."""

import pytest

from whether.study.errors import RunError
from whether.study.figures import draw_all
from whether.study.figures.gallery import DRAWINGS
from whether.study.figures.identifiability import _MARKS
from whether.study.plan import STUDIES


@pytest.fixture(autouse=True)
def _draw_coarsely(monkeypatch):
    monkeypatch.setattr("whether.study.figures.style.DPI", 40)


@pytest.fixture
def rows(make_row):
    """Two replicates of two worlds of every study that has figures."""
    made = []
    for study in ("simulation", "diabetes", "stress", "autism", "field"):
        all_worlds = STUDIES[study].worlds
        worlds = (
            all_worlds
            if study == "autism"
            else all_worlds[-2:]
            if study == "field"
            else all_worlds[:: len(all_worlds) - 1]
        )
        for world in worlds:
            for entry in STUDIES[study].entries[: 5 if study == "autism" else None]:
                for seed in range(2):
                    scores = {"auc": 0.8 + 0.01 * seed, "propensity_outcome_auc": 0.5}
                    if study == "field":
                        scores |= {"population.level_error": 0.01 * len(entry.label), "labels.log_loss": 0.5}
                    if study == "autism":
                        scores |= {
                            f"{target}.{metric}": 0.7 + 0.01 * seed
                            for target in ("evaluable", "truth")
                            for metric in ("auc", "average_precision")
                        }
                    made.append(make_row(study, world, entry.name, entry.learner, seed, **scores))
    return made


def test_every_figure_is_drawn_at_both_widths_in_both_formats(rows, tmp_path):
    names = {path.name for path in draw_all(rows, tmp_path / "figures")}
    assert names == {
        f"{name}-{size}.{ending}" for name in DRAWINGS for size in ("column", "page") for ending in ("png", "svg")
    }
    assert {path.name for path in (tmp_path / "figures").iterdir()} == names


def test_the_same_results_make_the_same_bytes(make_row, tmp_path):
    rows = [make_row(method=method, auc=0.8, propensity_outcome_auc=0.5) for method in ("SARPU-R", "AFTMC-F", "oracle")]
    first, second = (list(draw_all(rows, tmp_path / name)) for name in ("first", "second"))
    assert len(first) == 8
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_without_cells_for_any_figure_there_is_one_sentence(make_row, tmp_path):
    with pytest.raises(RunError, match="No stored cell belongs to a figure"):
        list(draw_all([make_row("cohorts", "hodgkin-staggered", auc=0.6)], tmp_path))


def test_every_world_and_method_of_a_figure_has_a_look():
    assert set(_MARKS) == set(STUDIES["simulation"].worlds)
    assert len({marker for _, marker in _MARKS.values()}) == len(_MARKS)  # told apart without colour
    assert all(entry.method.look.title for study in STUDIES.values() for entry in study.entries)
