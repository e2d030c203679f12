import errno
import os

import pytest

from whether.files.whole_files import atomic_path, whole_folder


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def test_a_finished_file_has_the_name_and_nothing_else_is_left(tmp_path):
    with atomic_path(tmp_path / "a.csv") as unfinished:
        unfinished.write_text("risk")
    assert names(tmp_path) == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "risk"


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), SystemExit(1)])
def test_an_interrupted_write_leaves_the_old_file_as_it_was(tmp_path, error):
    (tmp_path / "a.csv").write_text("old")

    def write():
        with atomic_path(tmp_path / "a.csv") as unfinished:
            unfinished.write_text("half")
            raise error

    with pytest.raises(type(error)):
        write()
    assert names(tmp_path) == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "old"


def test_a_disk_that_fails_at_the_last_moment_leaves_nothing(tmp_path, monkeypatch):
    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"), atomic_path(tmp_path / "a.csv") as unfinished:
        unfinished.write_text("whole")
    assert names(tmp_path) == []


def test_a_missing_folder_is_an_error_before_anything_is_written(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_path(tmp_path / "no" / "a.csv"):
        pass


def test_the_umask_decides_who_may_read_it(tmp_path):
    before = os.umask(0o027)
    try:
        with atomic_path(tmp_path / "a.csv"):
            pass
    finally:
        os.umask(before)
    assert (tmp_path / "a.csv").stat().st_mode & 0o777 == 0o640


def test_a_full_disk_is_told_with_the_name_of_the_file(tmp_path):
    with pytest.raises(OSError, match="No space left on device") as full, atomic_path(tmp_path / "a.csv"):
        raise OSError(errno.ENOSPC, "Error writing bytes to file")
    assert full.value.filename == str(tmp_path / "a.csv")


def test_a_file_of_a_folder_is_named_as_it_would_be_called(tmp_path):
    with pytest.raises(OSError, match="No space") as full, whole_folder(tmp_path / "r", ["a.csv"], "s") as folder:
        with atomic_path(folder / "a.csv"):
            raise OSError(errno.ENOSPC, "No space left on device")
    assert full.value.filename == str(tmp_path / "r" / "a.csv")
    assert names(tmp_path) == []


def test_an_error_about_another_file_keeps_its_name(tmp_path):
    with pytest.raises(FileNotFoundError) as missing, atomic_path(tmp_path / "a.csv"):
        open(tmp_path / "none")
    assert missing.value.filename == str(tmp_path / "none")
