import tempfile

from whether.files.private_folders import TABLES, clear_stale, private_folder


def test_a_copy_that_a_killed_run_left_is_removed_and_one_in_use_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, foreign = tmp_path / f"{TABLES}abcd1234", tmp_path / f"{TABLES}somebody-elses"
    left.mkdir()
    (left / "table.csv").write_text("age\n61\n")
    foreign.mkdir()
    with private_folder(TABLES) as in_use:
        assert clear_stale(TABLES) == [left]
        assert in_use.is_dir()
    assert [entry.name for entry in tmp_path.iterdir()] == [foreign.name]
