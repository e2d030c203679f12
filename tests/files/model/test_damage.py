"""A file may be anything: it opens as the model that was saved, or it is refused with one kind of error."""

import copy
import io
import json
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import whether as wh
from whether.estimators import refits
from whether.files.model import ModelFileError, load_model, save_model
from whether.files.model.archive import array_to_bytes
from whether.files.table.encoder import CategoryPlan, Encoder, NumberPlan
from whether.learners.linear.linear_fit import Moves, Standardization

N_CASES = 300


def members_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write_members(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def opens_or_is_refused(path):
    """The opened model, or None if the file was refused."""
    try:
        return load_model(path).model
    except ModelFileError:
        return None


def test_flipped_bytes_are_noticed_or_harmless(tmp_path, saved, fitted, frame):
    content, rng = saved.read_bytes(), np.random.default_rng(0)
    expected, path = fitted("FUMC-F").predict_proba(frame), tmp_path / "damaged"
    refused = 0
    for _ in range(N_CASES):
        damaged = bytearray(content)
        for position in rng.integers(len(content), size=rng.integers(1, 4)):
            damaged[position] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged)
        model = opens_or_is_refused(path)
        refused += model is None
        if model is not None:
            np.testing.assert_array_equal(model.predict_proba(frame), expected)
    assert refused > 0.8 * N_CASES


def test_a_truncated_file_is_refused(tmp_path, saved):
    content, path = saved.read_bytes(), tmp_path / "short"
    for length in np.linspace(0, len(content) - 1, 100).astype(int):
        path.write_bytes(content[:length])
        assert opens_or_is_refused(path) is None


def test_random_bytes_are_refused(tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "noise"
    for size in range(1, 400, 7):
        path.write_bytes(rng.bytes(size))
        assert opens_or_is_refused(path) is None
        path.write_bytes(b"PK\x03\x04" + rng.bytes(size))
        assert opens_or_is_refused(path) is None


def test_members_swapped_removed_or_replaced_by_noise_are_noticed_or_harmless(tmp_path, saved, frame):
    members, rng, path = members_of(saved), np.random.default_rng(0), tmp_path / "mixed"
    names = list(members)
    for _ in range(N_CASES):
        mixed = dict(members)
        name, other = rng.choice(names, size=2)
        action = rng.integers(4)
        if action == 0:
            del mixed[name]
        elif action == 1:
            mixed[name] = rng.bytes(int(rng.integers(200)))
        elif action == 2:
            mixed[name] = members[other]
        else:
            mixed[name] = members[name][: int(rng.integers(len(members[name])))]
        write_members(path, mixed)
        model = opens_or_is_refused(path)
        if model is not None:
            assert model.predict_proba(frame).shape == (len(frame), 2)
            assert name != "refits" or not hasattr(model, "refits_") or np.isfinite(model.predict_interval(frame)).all()


STRANGE = (
    None, True, -1, 0, 10**12, 10**400, 1.5, 1e308, "", "x", "../../etc/passwd", "__class__", [], {}, [[]], {"a": 1},
    {"array": 0}, {"array": 999}, {"array": "0"}, {"float": "nan"}, {"float": 3}, {"tuple": []}, {"tuple": 3},
    {"dict": {}}, {"dict": []}, {"texts": []}, {"texts": [1]}, {"object": "LinearFit", "fields": {}},
    {"object": "Status", "fields": {"name": "CONVERGED"}}, {"object": "os.system", "fields": {"command": "true"}},
)  # fmt: skip


def places(node, path=()):
    """Paths to every entry of nested JSON."""
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in entries:
        yield (*path, key)
        yield from places(value, (*path, key))


@pytest.fixture
def refitted(fitted, cohort, frame, monkeypatch):
    """A model whose intervals come from refits, and reach to other models."""
    monkeypatch.setattr(refits, "N_REFITS", 2)
    model = copy.copy(fitted("AFT")).fit_intervals(frame, cohort.y, time=cohort.time)
    every = Standardization(np.arange(frame.shape[1]), np.zeros(frame.shape[1]), np.ones(frame.shape[1]))
    model.refits_ = replace(model.refits_, moves=Moves(every, np.full((2, 1 + frame.shape[1]), 0.1)))
    return model


@pytest.mark.parametrize("name", ["FUMC-F", "DTMC", "refits"])
def test_a_description_with_a_strange_entry_is_refused_or_predicts(tmp_path, fitted, refitted, frame, name):
    save_model(refitted if name == "refits" else fitted(name), tmp_path / "m")
    members, rng, path = members_of(tmp_path / "m"), np.random.default_rng(0), tmp_path / "strange"
    description = json.loads(members["whether.json"])
    where = list(places(description))
    for _ in range(N_CASES):
        changed = copy.deepcopy(description)
        *above, last = where[rng.integers(len(where))]
        node = changed
        for key in above:
            node = node[key]
        node[last] = STRANGE[rng.integers(len(STRANGE))]
        write_members(path, {**members, "whether.json": json.dumps(changed)})
        model = opens_or_is_refused(path)
        if model is not None:
            assert model.predict_proba(frame).shape == (len(frame), 2)


@pytest.fixture
def encoded(tmp_path, cohort):
    """A file whose model was fitted to a table."""
    plans = (NumberPlan("age", 40.0), CategoryPlan("stage", ("I", "II")))
    encoder = Encoder(plans, ("age", "stage=II"), ids=("patient",))
    table = pa.table({"age": cohort.X[:, 0], "stage": ["I", "II"] * 200})
    features = pd.DataFrame(encoder.encode_table(table, []), columns=list(encoder.features))
    save_model(wh.LabelClassifier().fit(features, cohort.y), tmp_path / "encoded", encoder=encoder)
    assert load_model(tmp_path / "encoded").encoder == encoder
    return tmp_path / "encoded"


def plan(kind, **fields):
    return {"plans": {"tuple": [{"object": kind, "fields": {"name": "age", "flags_missing": False, **fields}}]}}


@pytest.mark.parametrize(
    "damage",
    [
        {"features": {"tuple": ["age", "age"]}},
        {"features": {"tuple": ["weight"]}},
        {"features": "age"},
        {"ids": {"tuple": ["patient", "patient"]}},
        {"ids": {"tuple": [3]}},
        plan("PicturePlan"),
        plan("NumberPlan", fill="forty"),
        plan("NumberPlan", fill=0, name=3),
        plan("NumberPlan", fill=0, flags_missing="no"),
        plan("CategoryPlan", levels={"tuple": [1]}, pools_others=False),
        plan("CategoryPlan", levels={"tuple": []}, pools_others=False),
    ],
)
def test_a_damaged_encoder_is_refused(tmp_path, encoded, damage):
    members = members_of(encoded)
    description = json.loads(members["whether.json"])
    description["encoder"]["fields"] |= damage
    write_members(tmp_path / "m", {**members, "whether.json": json.dumps(description)})
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(tmp_path / "m")


def test_a_newer_file_says_so(tmp_path, saved):
    members = members_of(saved)
    description = {**json.loads(members["whether.json"]), "format_version": 2, "whether_version": "9.1"}
    write_members(tmp_path / "new", {**members, "whether.json": json.dumps(description)})
    with pytest.raises(ModelFileError, match=r"newer whether \(9.1, format 2\).*Update it"):
        load_model(tmp_path / "new")


def test_a_foreign_zip_file_says_so(tmp_path):
    write_members(tmp_path / "zip", {"readme.txt": "hello"})
    with pytest.raises(ModelFileError, match="damaged"):
        load_model(tmp_path / "zip")


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(ModelFileError, match="There is no file"):
            load_model(path)


def test_a_compressed_member_is_refused_before_it_unfolds(tmp_path, saved):
    members = members_of(saved) | {"arrays/99.npy": bytes(50_000_000)}
    write_members(tmp_path / "bomb", members, zipfile.ZIP_DEFLATED)
    assert (tmp_path / "bomb").stat().st_size < 100_000
    with pytest.raises(ModelFileError, match="compressed"):
        load_model(tmp_path / "bomb")


def test_members_on_top_of_each_other_are_refused(tmp_path, saved):
    content = saved.read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        directory = archive.start_dir
        largest = max(archive.infolist(), key=lambda info: info.file_size)
    entry_start = content.index(largest.filename.encode(), directory) - 46
    entry = content[entry_start : entry_start + 46 + len(largest.filename)]
    copies = b"".join(entry[:46] + f"arrays/9{i:04d}.npy".encode()[: len(largest.filename)] for i in range(50))
    (tmp_path / "stacked").write_bytes(content[:directory] + copies + content[directory:])
    assert opens_or_is_refused(tmp_path / "stacked") is None


class Bomb:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


def forged(path, saved, change, **arrays):
    """Write a model file with another description, and other arrays under their numbers."""
    members = members_of(saved)
    description = json.loads(members["whether.json"])
    change(description)
    members |= {f"arrays/{name[1:]}.npy": array_to_bytes(values) for name, values in arrays.items()}
    write_members(path, {**members, "whether.json": json.dumps(description)})
    return path


def test_parts_that_are_longer_than_any_are_refused_before_they_are_used(tmp_path, saved, fitted):
    def points(description):
        description["fitted"]["follow_up_points_"] = {"array": 900}

    def padded(description):
        description["training"]["notes"] = "x" * 2**25

    with pytest.raises(ModelFileError, match="a part is too long"):
        load_model(forged(tmp_path / "points", saved, points, _900=np.ones(20_000)))
    with pytest.raises(ModelFileError, match="its description is too long"):
        load_model(forged(tmp_path / "padded", saved, padded))

    save_model(fitted("DTMC"), tmp_path / "edges")

    def edges(description):
        description["fitted"]["model_"]["fields"]["propensity"]["fields"]["edges"] = {"array": 900}

    with pytest.raises(ModelFileError, match="a part is too long"):
        load_model(forged(tmp_path / "long", tmp_path / "edges", edges, _900=np.arange(1.0, 50_001.0)))


def test_a_model_that_predicts_no_number_is_refused(tmp_path, saved):
    def huge(description):
        description["fitted"]["model_"]["fields"]["propensity"]["fields"]["spread"] = 1e308
        description["fitted"]["model_"]["fields"]["propensity"]["fields"]["center"] = -1e308

    numbers = members_of(saved)
    arrays = {f"_{name[7:-4]}": np.load(io.BytesIO(content)) for name, content in numbers.items() if "arrays" in name}
    large = {name: np.full_like(values, 1e308) for name, values in arrays.items() if values.dtype == float}
    with pytest.raises(ModelFileError):
        load_model(forged(tmp_path / "huge", saved, huge, **large))


@pytest.mark.parametrize("method", ["PGLIN", "uPU", "AFTMC-F"])
def test_coefficients_whose_sums_are_no_numbers_for_some_people_are_refused(tmp_path, fitted, method):
    model = fitted(method)
    save_model(model, tmp_path / "plain")

    def large(description):
        description["fitted"]["model_"]["fields"]["predictor"]["fields"]["coefficients"] = {"array": 900}

    numbers = np.full_like(model.model_.coefficients, 1e308)
    with pytest.raises(ModelFileError, match="a coefficient is out of range"):
        load_model(forged(tmp_path / "large", tmp_path / "plain", large, _900=numbers))


def test_a_pickle_in_an_array_is_never_opened(tmp_path, saved):
    victim = tmp_path / "executed"
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.array([Bomb(victim)], dtype=object), allow_pickle=True)
    for content in (buffer.getvalue(), pickle.dumps(Bomb(victim))):
        write_members(tmp_path / "evil", {**members_of(saved), "arrays/0.npy": content})
        assert opens_or_is_refused(tmp_path / "evil") is None
    assert not victim.exists()


def test_an_array_that_claims_to_be_huge_is_refused(tmp_path, saved):
    header = array_to_bytes(np.zeros(1)).replace(b"(1,)", b"(1" + b"0" * 9 + b",)")
    write_members(tmp_path / "huge", {**members_of(saved), "arrays/0.npy": header})
    assert opens_or_is_refused(tmp_path / "huge") is None


def test_deeply_nested_json_is_refused(tmp_path, saved):
    nested = "[" * 100_000 + "]" * 100_000
    write_members(tmp_path / "deep", {**members_of(saved), "whether.json": nested})
    assert opens_or_is_refused(tmp_path / "deep") is None


def test_an_unreadable_file_is_an_error_of_the_system(saved, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.read_bytes", refuse)
    with pytest.raises(PermissionError):
        load_model(saved)
