"""`whether predict --within` and `--event-free-for`: when, as well as whether."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import whether as wh
from tests.cli.conftest import make_cohort, to_csv
from whether.files.model import load_model


def test_windows_and_waiting_are_columns_of_the_predictions(run, table, model, tmp_path):
    output = tmp_path / "risks.csv"
    done = run("predict", model, table, "--within", "0.5", "--event-free-for", "follow_up", "-o", output, "--json")
    assert done.code == 0, done.err
    risks = pd.read_csv(output)
    opened, people = load_model(model), pd.DataFrame(make_cohort())
    X = pd.DataFrame(opened.encoder.encode_table(pa.table(make_cohort()), []))
    X.columns = opened.encoder.features
    still = opened.model.predict_proba_event_free(X, people.follow_up)
    np.testing.assert_allclose(risks.still_to_come, still, rtol=1e-10)
    assert np.all((risks.risk_within > 0) & (risks.risk_within < risks.still_to_come))
    assert done.json["mean_risk_within"] == pytest.approx(risks.risk_within.mean())
    assert any("extrapolation" in note["text"] for note in done.json["notes"])
    with pytest.warns(wh.FollowUpWarning, match="extrapolation"):
        same = opened.predict(table, within=0.5, event_free_for="follow_up")
    np.testing.assert_allclose(same.risk_within, risks.risk_within)


def test_the_sentences_say_within_what(run, table, model, tmp_path):
    done = run("predict", model, table, "--within", "0.5", "-o", tmp_path / "r.csv")
    assert done.code == 0, done.err
    assert "within the next 0.5" in done.out
    assert "still_to_come" not in done.out


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--within", "0"), 2, "--within must be a length of time above zero, got 0"),
        (("--within", "nan"), 2, "--within must be a length of time above zero, got nan"),
        (("--event-free-for", "Follow_Up_"), 1, "Did you mean 'follow_up'?"),
        (("--event-free-for", "stage"), 1, "must hold the time without the event as numbers; row 1"),
    ],
)
def test_what_is_no_window_is_refused(run, table, model, tmp_path, options, code, said):
    done = run("predict", model, table, *options, "-o", tmp_path / "r.csv")
    assert done.code == code
    assert said in done.err
    assert not (tmp_path / "r.csv").exists()


def test_a_model_without_times_says_so(run, table, tmp_path):
    fitted = run("fit", table, "--event", "event", "--method", "LR", "--drop", "time,follow_up", "--id", "patient",
                 "-o", tmp_path / "m")  # fmt: skip
    assert fitted.code == 0, fitted.err
    for options in (("--within", "5"), ("--event-free-for", "time")):
        done = run("predict", tmp_path / "m", table, *options, "-o", tmp_path / "r.csv")
        assert done.code == 2
        assert f"{options[0]} needs a model of event times, and LR has none" in done.err


def test_somebody_whose_waiting_is_not_known_is_refused(run, model, tmp_path):
    columns = make_cohort()
    (tmp_path / "t.csv").write_text(to_csv({**columns, "waited": ["", *columns["time"][1:]]}))
    done = run("predict", model, tmp_path / "t.csv", "--event-free-for", "waited", "-o", tmp_path / "r.csv")
    assert done.code == 1
    assert "'waited' has empty cells" in done.err
