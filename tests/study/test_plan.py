"""Studies as data: every name leads somewhere, and a partial run is balanced."""

import json

import pytest

from whether.study.errors import StudyError
from whether.study.lineup import COMPARABLE
from whether.study.metrics import title_of_metric
from whether.study.plan import STUDIES, Options, choose_entries, find_any_world, find_study, plan_cells
from whether.study.score_tables import read_published


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_worlds_methods_and_metrics_of_a_study_exist(study):
    assert all(find_any_world(world).title for world in (*study.worlds, *study.quick_worlds))
    assert {entry.name for entry in study.entries} <= set(COMPARABLE)
    assert all(title_of_metric(metric) for metric in study.metrics)
    assert set(study.quick_worlds) <= set(study.worlds)


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_a_pair_of_method_and_learner_and_a_label_occur_once(study):
    assert len({entry.pair for entry in study.entries}) == len(study.entries)
    assert len({entry.label for entry in study.entries}) == len(study.entries)


def test_every_number_of_the_paper_has_a_cell():
    for name, world, method in read_published():
        study = STUDIES[name]
        assert world in study.worlds
        assert method in {entry.paper for entry in study.entries}
    assert len(read_published()) == 9 * (13 + 7)


def test_cells_come_replicate_by_replicate_and_long_ones_first():
    cells = plan_cells(STUDIES["simulation"], replicates=3)
    assert [cell.seed for cell in cells] == sorted(cell.seed for cell in cells)
    first = [cell.cost for cell in cells if cell.seed == 0]
    assert first == sorted(first, reverse=True)
    assert len({cell.key for cell in cells}) == len(cells) == 3 * 13 * len(STUDIES["simulation"].entries)


def test_a_cell_says_all_that_its_result_depends_on():
    cell = plan_cells(STUDIES["autism"], replicates=1, all_rows=True)[0]
    plan = json.loads(cell.plan)
    assert plan["options"] == {"n": None, "n_fresh": 20_000, "all_rows": True}
    assert (plan["study"], plan["world"], plan["seed"]) == ("autism", cell.world, 0)


def test_a_quick_run_is_small_and_linear():
    cells = plan_cells(STUDIES["simulation"], quick=True)
    assert {cell.entry.learner for cell in cells} == {"linear"}
    assert {cell.options for cell in cells} == {Options(n=1000, n_fresh=4000)}
    assert {cell.seed for cell in cells} == {0, 1}


def test_methods_are_chosen_by_name_by_pair_and_by_the_papers_name():
    study = STUDIES["simulation"]
    assert {entry.pair for entry in choose_entries(study, ["AFTMC-F"])} == {
        "AFTMC-F/neural",
        "AFTMC-F/linear",
        "AFTMC-F/auto",
    }
    assert [entry.pair for entry in choose_entries(study, ["DTNN", "LR"])] == ["DTMC/neural", "LR/linear"]
    assert [entry.pair for entry in choose_entries(study, ["FUMC-F/auto"])] == ["FUMC-F/auto"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"worlds": ["basline"]}, "no world 'basline'; did you mean baseline"),
        ({"methods": ["AFTMC-X"]}, "no method 'AFTMC-X'; did you mean AFTMC-"),
        ({"replicates": 0}, "must be at least 1, got 0"),
    ],
)
def test_what_a_study_does_not_have_is_refused(changes, message):
    with pytest.raises(StudyError, match=message):
        plan_cells(STUDIES["simulation"], **changes)


def test_an_unknown_study_is_refused_with_the_nearest_name():
    with pytest.raises(StudyError, match="No study is called 'diabetis'; did you mean diabetes"):
        find_study("diabetis")
