"""Words that count right."""

from __future__ import annotations

import pytest

from poise.wording import counted, frame_list


def test_one_is_singular() -> None:
    assert counted(1, "frame") == "1 frame" and counted(0, "frame") == "0 frames"


@pytest.mark.parametrize(
    ("frames", "most", "words"),
    [
        ([7], None, "frame 7"),
        ([3, 4, 5, 9], None, "frames 3-5, 9"),
        ([9, 3, 1], None, "frames 1, 3, 9"),
        ([1, 3, 5, 6, 7], 2, "frames 1, 3 and 3 more"),
    ],
)
def test_runs_of_frames_are_joined(frames: list[int], most: int | None, words: str) -> None:
    assert frame_list(frames, most) == words
