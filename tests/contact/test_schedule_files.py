"""Contact schedules as CSV and JSON files."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.contact.schedule import BODY_PARTS, ContactSchedule
from poise.contact.schedule_files import read_contacts, write_contacts
from poise.errors import FileProblem
from poise.formats import reading_below


def some_schedule(frames=7, rate=120.0, parts=("left_foot", "right_foot", "head")):
    rng = np.random.default_rng(3)
    return ContactSchedule(parts, rng.random((frames, len(parts))) < 0.5, rate)


def test_the_csv_has_one_row_a_frame(tmp_path) -> None:
    path = tmp_path / "c.csv"
    flags = [[True, False], [True, True], [False, True]]
    write_contacts(ContactSchedule(("left_foot", "right_hand"), np.array(flags), 50.0), path)
    assert path.read_text(encoding="utf-8").splitlines() == [
        "frame,time_s,left_foot,right_hand",
        "0,0.000000000,1,0",
        "1,0.020000000,1,1",
        "2,0.040000000,0,1",
    ]


def test_the_json_has_intervals(tmp_path) -> None:
    path = tmp_path / "c.json"
    flags = np.array([[1], [1], [0], [1]])
    write_contacts(ContactSchedule(("left_foot",), flags, 60.0), path)
    content = json.loads(path.read_text(encoding="utf-8"))
    assert content == {"rate_hz": 60.0, "frames": 4, "contacts": {"left_foot": [[0, 2], [3, 4]]}}


def test_what_slides_is_a_two_in_the_csv_and_an_interval_in_the_json(tmp_path) -> None:
    sliding = np.array([[0, 0], [1, 0], [1, 0], [0, 0]], dtype=bool)
    touching = np.array([[1, 0], [1, 1], [1, 1], [0, 1]], dtype=bool)
    schedule = ContactSchedule(("left_foot", "head"), touching, 50.0, sliding)
    write_contacts(schedule, tmp_path / "c.csv")
    rows = (tmp_path / "c.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert [row.split(",")[2:] for row in rows] == [["1", "0"], ["2", "1"], ["2", "1"], ["0", "1"]]
    write_contacts(schedule, tmp_path / "c.json")
    content = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert content["sliding"] == {"left_foot": [[1, 3]], "head": []}
    for name in ("c.csv", "c.json"):
        read = read_contacts(tmp_path / name)
        assert read.sliding is not None
        assert (read.sliding == sliding).all() and (read.touching == touching).all()


def test_files_without_slides_say_nothing_of_them(tmp_path) -> None:
    for name in ("c.csv", "c.json"):
        write_contacts(some_schedule(), tmp_path / name)
        assert read_contacts(tmp_path / name).sliding is None
        nothing = some_schedule()
        nothing = ContactSchedule(
            nothing.parts, nothing.touching, 120.0, np.zeros_like(nothing.touching)
        )
        write_contacts(nothing, tmp_path / name)
        assert read_contacts(tmp_path / name).sliding is None


@settings(max_examples=40, deadline=None)
@given(
    frames=st.integers(2, 30), seed=st.integers(0, 1000), ending=st.sampled_from([".csv", ".json"])
)
def test_slides_are_read_back(tmp_path_factory, frames, seed, ending) -> None:
    path = tmp_path_factory.mktemp("contacts") / f"c{ending}"
    numbers = np.random.default_rng(seed).integers(0, 3, (frames, 3))
    parts = ("left_foot", "right_hand", "pelvis")
    written = ContactSchedule(parts, numbers > 0, 60.0, numbers == 2)
    write_contacts(written, path)
    read = read_contacts(path)
    for part in parts:
        assert (read.column(part) == written.column(part)).all()
        assert (read.standing(part) == written.standing(part)).all()


def sure_schedule(frames: int = 6, parts=("left_foot", "pelvis"), seed: int = 3) -> ContactSchedule:
    rng = np.random.default_rng(seed)
    touching = rng.random((frames, len(parts))) < 0.5
    sliding = touching & (rng.random(touching.shape) < 0.3)
    return ContactSchedule(tuple(parts), touching, 60.0, sliding, rng.random(touching.shape))


def test_confidence_follows_the_parts_in_the_csv_and_is_a_list_in_the_json(tmp_path) -> None:
    touching, sure = np.array([[True, False]] * 2), np.array([[0.5, 1.0], [0.25, 0.0]])
    schedule = ContactSchedule(("left_foot", "head"), touching, 50.0, None, sure)
    write_contacts(schedule, tmp_path / "c.csv")
    rows = (tmp_path / "c.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "frame,time_s,left_foot,head,left_foot_confidence,head_confidence"
    assert [[float(cell) for cell in row.split(",")[4:]] for row in rows[1:]] == sure.tolist()
    write_contacts(schedule, tmp_path / "c.json")
    content = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert content["confidence"] == {"left_foot": [0.5, 0.25], "head": [1.0, 0.0]}


@settings(max_examples=40, deadline=None)
@given(
    frames=st.integers(2, 30),
    seed=st.integers(0, 1000),
    parts=st.lists(st.sampled_from(BODY_PARTS), min_size=1, unique=True),
    ending=st.sampled_from([".csv", ".json"]),
)
def test_confidence_is_read_back(tmp_path_factory, frames, seed, parts, ending) -> None:
    path = tmp_path_factory.mktemp("contacts") / f"c{ending}"
    written = sure_schedule(frames, parts, seed)
    write_contacts(written, path)
    read = read_contacts(path)
    assert read.parts == written.parts and (read.touching == written.touching).all()
    assert read.confidence is not None and written.confidence is not None
    np.testing.assert_allclose(read.confidence, written.confidence, atol=0.001)
    assert read.confidence.min() >= 0.0 and read.confidence.max() <= 1.0
    again = path.with_name(f"again{ending}")
    write_contacts(read, again)
    second = read_contacts(again).confidence
    assert second is not None and (second == read.confidence).all()


def test_files_without_confidence_have_none(tmp_path) -> None:
    for name in ("c.csv", "c.json"):
        write_contacts(some_schedule(), tmp_path / name)
        assert read_contacts(tmp_path / name).confidence is None


def test_confidence_of_some_parts_leaves_the_others_certain(tmp_path) -> None:
    (tmp_path / "c.csv").write_text(
        "frame,time_s,left_foot,head,head_confidence\n0,0,1,0,0.5\n1,0.1,1,1,1\n",
        encoding="utf-8",
    )
    content = {"rate_hz": 10, "frames": 2, "contacts": {"left_foot": [[0, 2]], "head": [[1, 2]]}}
    content["confidence"] = {"head": [0.5, 1]}
    (tmp_path / "c.json").write_text(json.dumps(content), encoding="utf-8")
    for name in ("c.csv", "c.json"):
        sure = read_contacts(tmp_path / name).confidence
        assert sure is not None and sure.tolist() == [[1.0, 0.5], [1.0, 1.0]]


@settings(max_examples=60, deadline=None)
@given(
    frames=st.integers(2, 40),
    rate=st.sampled_from([24.0, 25.0, 29.97, 30000 / 1001, 59.94, 60.0, 100.0, 120.0, 240.0, 33.3]),
    parts=st.lists(st.sampled_from(BODY_PARTS), min_size=1, unique=True),
    seed=st.integers(0, 1000),
    ending=st.sampled_from([".csv", ".json", ".CSV"]),
)
def test_what_is_written_is_read_back(tmp_path_factory, frames, rate, parts, seed, ending) -> None:
    path = tmp_path_factory.mktemp("contacts") / f"c{ending}"
    flags = np.random.default_rng(seed).random((frames, len(parts))) < 0.5
    written = ContactSchedule(tuple(parts), flags, rate)
    write_contacts(written, path)
    read = read_contacts(path)
    assert read.parts == written.parts
    assert (read.touching == written.touching).all()
    assert read.rate_hz == pytest.approx(rate, rel=1e-6 if ending != ".json" else 1e-15)


def test_usual_rates_come_back_exactly(tmp_path) -> None:
    for rate in (24.0, 25.0, 30.0, 60.0, 100.0, 120.0, 200.0, 240.0, 29.97):
        write_contacts(some_schedule(500, rate), tmp_path / "c.csv")
        assert read_contacts(tmp_path / "c.csv").rate_hz == rate


def test_times_may_start_anywhere_and_cells_may_be_quoted(tmp_path) -> None:
    path = tmp_path / "c.csv"
    path.write_bytes(
        b'\xef\xbb\xbf"frame","time_s","left_foot"\r\n0, 3.38 ,1\r\n1,3.39,"0"\r\n\r\n'
    )
    schedule = read_contacts(path)
    assert schedule.rate_hz == pytest.approx(100.0)
    assert schedule.column("left_foot").tolist() == [True, False]


HEADER = "frame,time_s,left_foot\n"
SURE = "frame,time_s,left_foot,left_foot_confidence"


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("", 1, "an empty file"),
        ("\n \n", 1, "an empty file"),
        ("time_s,frame,left_foot\n", 1, "the header 'frame,time_s,'"),
        ("frame,time_s\n0,0\n", 1, "one body part per further column"),
        ("frame,time_s,left_fot\n", 1, "Did you mean 'left_foot'?"),
        ("frame,time_s,left_foot,left_foot\n", 1, "'left_foot' again"),
        (HEADER, 1, "at least 2 frames"),
        (HEADER + "0,0,1\n", 2, "at least 2 frames"),
        (HEADER + "0,0,1\n1,0.1\n", 3, "3 cells as in the header, found 2"),
        (HEADER + "0,0,1\n2,0.1,1\n", 3, "frame 1 next, found '2'"),
        (HEADER + "0,0,1\n1,soon,1\n", 3, "a time in seconds, found 'soon'"),
        (HEADER + "0,0,1\n1,nan,1\n", 3, "a time in seconds, found 'nan'"),
        (HEADER + "0,0,1\n1,1_0,1\n", 3, "a time in seconds, found '1_0'"),
        (HEADER + "0,0,1\n1,0.1,yes\n", 3, "0, 1 or 2 for left_foot, found 'yes'"),
        (HEADER + "0,0,1\n1,0.1,3\n", 3, "0, 1 or 2 for left_foot, found '3'"),
        (HEADER + "0,0,1\n1,0.1,2.0\n", 3, "0, 1 or 2 for left_foot, found '2.0'"),
        (HEADER + "0,0,1\n1,0.1,1\n2,0.1,1\n", 4, "times that go up"),
        (HEADER + "0,0,1\n1,0.1,1\n2,0.5,1\n3,0.6,1\n", 4, "evenly spaced times"),
        (HEADER + "0,0,1\n\n1,0.1,1\n", 3, "3 cells as in the header"),
        ("frame,time_s,left_foot_confidence\n", 1, "confidence of the parts"),
        ("frame,time_s,left_foot,head_confidence\n", 1, "confidence of the parts before"),
        (SURE.replace("left_foot,left", "left_foot,head,left") + ",head\n", 1, "confidence of the"),
        (SURE + "\n0,0,1,1.5\n1,0.1,1,1\n", 2, "1.5"),
        (SURE + "\n0,0,1,-0.1\n1,0.1,1,1\n", 2, "-0.1"),
        (SURE + "\n0,0,1,nan\n1,0.1,1,1\n", 2, "nan"),
        (SURE + "\n0,0,1,sure\n1,0.1,1,1\n", 2, "sure"),
    ],
)
def test_a_broken_csv_is_refused_with_its_line(tmp_path, content, line, says) -> None:
    path = tmp_path / "broken.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(FileProblem) as problem:
        read_contacts(path)
    assert f"broken.csv:{line}: " in str(problem.value)
    assert says in str(problem.value)


GOOD = {"rate_hz": 60, "frames": 10, "contacts": {"left_foot": [[0, 3]]}}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"rate_hz": 0}, "rate_hz as a positive number"),
        ({"rate_hz": True}, "rate_hz as a positive number"),
        ({"rate_hz": "60"}, "rate_hz as a positive number"),
        ({"frames": 0}, "frames as a number"),
        ({"frames": 10**12}, "frames as a number"),
        ({"frames": 1.5}, "frames as a number"),
        ({"contacts": []}, "contacts as an object"),
        ({"contacts": {"tail": []}}, "a body part, found 'tail'"),
        ({"contacts": {"head": 3}}, "head as a list"),
        ({"contacts": {"head": [[3]]}}, "head as a list"),
        ({"contacts": {"head": [[3, 3]]}}, "head as a list"),
        ({"contacts": {"head": [[3, 11]]}}, "inside 0 to 10"),
        ({"contacts": {"head": [[-1, 2]]}}, "head as a list"),
        ({"contacts": {"head": [[0, True]]}}, "head as a list"),
        ({"sliding": []}, "sliding as an object"),
        ({"sliding": {"tail": [[0, 1]]}}, "sliding of parts that touch"),
        ({"sliding": {"head": [[0, 1]]}}, "sliding of parts that touch, found 'head'"),
        ({"sliding": {"left_foot": [[2, 4]]}}, "sliding of left_foot while it touches"),
        ({"sliding": {"left_foot": [[0, 11]]}}, "inside 0 to 10"),
        ({"sliding": {"left_foot": 3}}, "left_foot as a list"),
        ({"confidence": []}, "confidence as an object"),
        ({"confidence": {"head": [1.0] * 10}}, "confidence of parts that are listed"),
        ({"confidence": {"left_foot": 1.0}}, "10 probabilities for left_foot"),
        ({"confidence": {"left_foot": [1.0] * 9}}, "10 probabilities for left_foot"),
        ({"confidence": {"left_foot": [1.0] * 9 + [1.5]}}, "left_foot"),
        ({"confidence": {"left_foot": [1.0] * 9 + [True]}}, "left_foot"),
    ],
)
def test_a_wrong_json_is_refused(tmp_path, change, says) -> None:
    path = tmp_path / "broken.json"
    path.write_text(json.dumps({**GOOD, **change}), encoding="utf-8")
    with pytest.raises(FileProblem, match=r"broken\.json") as problem:
        read_contacts(path)
    assert says in str(problem.value)


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("a.json", b"{\n 'a'", "broken"),
        ("a.json", b"[1]", "an object with"),
        ("a.json", b'{"rate_hz": 60, "frames": 3}', "no 'contacts'"),
        ("a.json", b"[" * 100_000, "found"),
        ("a.json", b'{"rate_hz": ' + b"9" * 5000 + b"}", "found"),
        ("a.csv", b"frame,time_s,left_foot\n\xff", "UTF-8 text"),
        ("a.csv", b"\0" * 100, "the header"),
        ("a.txt", b"frame", ".csv or .json"),
    ],
)
def test_hostile_files_get_one_clear_line(tmp_path, name, data, says) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(FileProblem) as problem:
        read_contacts(path)
    assert "\n" not in str(problem.value)
    assert len(str(problem.value)) < 600
    if says != "broken":
        assert says in str(problem.value)
    else:
        assert problem.value.line == 2


def test_what_is_not_there_or_no_file_is_refused(tmp_path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for name in ("missing.csv", "folder.csv", "no\0name.csv"):
        with pytest.raises(FileProblem):
            read_contacts(tmp_path / name)
    for name in ("folder.csv", "nowhere/c.csv"):
        with pytest.raises(FileProblem):
            write_contacts(some_schedule(), tmp_path / name)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder.csv"]


def test_writing_again_replaces_the_file(tmp_path) -> None:
    path = tmp_path / "c.csv"
    write_contacts(some_schedule(9), path)
    write_contacts(some_schedule(5), path)
    assert read_contacts(path).frame_count == 5
    assert [p.name for p in tmp_path.iterdir()] == ["c.csv"]


@pytest.mark.skipif(os.name == "nt", reason="links as on POSIX systems")
def test_links_are_followed_as_they_are_for_clips(tmp_path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "c.csv").write_text("old", encoding="utf-8")
    (tmp_path / "c.csv").symlink_to(tmp_path / "far" / "c.csv")
    write_contacts(some_schedule(5), tmp_path / "c.csv")
    assert (tmp_path / "c.csv").is_symlink()
    assert read_contacts(tmp_path / "far" / "c.csv").frame_count == 5
    assert os.listdir(tmp_path / "far") == ["c.csv"]


def test_what_is_written_is_on_disk_before_it_takes_its_place(tmp_path, monkeypatch) -> None:
    (tmp_path / "c.csv").write_text("old", encoding="utf-8")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileProblem, match="No space left"):
        write_contacts(some_schedule(), tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["c.csv"]


def test_contacts_are_read_below_a_folder_only_where_that_is_asked_for(tmp_path) -> None:
    (tmp_path / "project").mkdir()
    write_contacts(some_schedule(), tmp_path / "c.csv")
    with reading_below(tmp_path / "project"), pytest.raises(FileProblem, match="outside of it"):
        read_contacts(tmp_path / "c.csv")
