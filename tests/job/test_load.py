"""Recipes with mistakes: every message, word for word, and all of them at once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from poise.errors import FileProblem, PoiseError
from poise.job import ClipChoice, Outputs, RecipeProblem, load_recipe, recipe_from_text
from tests.job.fakes import WORDS, Settings

GOOD = """\
poise: 1
about: A walk that reaches for a shelf.
clip:
  file: ../walk.bvh
  frames: [0, 360]
  rate_hz: 24
character: {mass_kg: 70, sex: male}
environment: place.yaml
steps:
  - lift:
      settings: {strategy: weights}
      constraints:
        - plant: {name: left foot, part: left_foot, frames: [10, 40], ease: 3, priority: 1}
        - follow_curve:
            name: reach
            point: left_wrist
            seconds: [1.0, 3.0]
            through: [{second: 2.0, place_m: [0.3, 1.4, 0.5]}]
            priority: 2
            recruit: {up_to: spine}
outputs: {clip: out.bvh, report: out.html}
"""


def messages(text: str) -> list[str]:
    with pytest.raises(RecipeProblem) as refused:
        recipe_from_text(text, path="r.yaml", words=WORDS)
    assert str(refused.value).splitlines()[:20] == [str(p) for p in refused.value.problems][:20]
    return [str(problem) for problem in refused.value.problems]


def test_a_good_recipe_becomes_records() -> None:
    recipe = recipe_from_text(GOOD, path="folder/r.yaml", words=WORDS)
    assert recipe.clip == ClipChoice(file="../walk.bvh", frames=(0, 360), rate_hz=24.0)
    assert recipe.folder == Path("folder")
    assert recipe.outputs == Outputs(clip="out.bvh", report="out.html")
    (step,) = recipe.steps
    assert step.method == "lift" and step.settings == Settings(strategy="weights")
    foot, reach = step.constraints
    assert (foot.kind, foot.name, reach.name) == ("plant", "left foot", "reach")
    assert foot.values["frames"] == (10, 40) and foot.values["ease"] == 3
    assert reach.values["through"] == ({"second": 2.0, "place_m": (0.3, 1.4, 0.5)},)


def test_little_is_needed() -> None:
    recipe = recipe_from_text("poise: 1\nsteps: [lift: ]", words=WORDS)
    assert not recipe.has_clip and recipe.steps[0].settings == Settings()
    empty = "poise: 1\nclip: walk.bvh\ncharacter:\noutputs:\nsteps: [lift: {constraints: }]"
    assert recipe_from_text(empty, words=WORDS).clip == ClipChoice(file="walk.bvh")


HEAD = "poise: 1\n"
STEPS = "steps:\n  - lift:\n"


def constraint(text: str) -> str:
    return f"poise: 1\nsteps:\n  - lift:\n      constraints:\n        - {text}\n"


CASES = {
    "no version": (
        STEPS,
        "r.yaml:1:1: expected 'poise' in the recipe, found none. "
        "A recipe begins with 'poise: 1', the version of the format.",
    ),
    "another version": (
        f"poise: 2\n{STEPS}",
        "r.yaml:1:8: expected 1 for poise, found 2. "
        "A recipe begins with 'poise: 1', the version of the format.",
    ),
    "no steps": (HEAD, "r.yaml:1:1: expected 'steps' in the recipe, found none."),
    "an empty list of steps": (
        "poise: 1\nsteps: []",
        "r.yaml:2:8: expected at least one step, found an empty list.",
    ),
    "a list": (
        "- poise: 1",
        "r.yaml:1:1: expected keys and values for a recipe, found a list of 1.",
    ),
    "an unknown key": (
        f"poise: 1\noutput: a.bvh\n{STEPS}",
        "r.yaml:2:1: expected a key of the recipe, found 'output'. Did you mean 'outputs'? "
        "Known: poise, about, clip, character, environment, steps, outputs.",
    ),
    "a key twice": (
        f"poise: 1\nabout: a\nabout: b\n{STEPS}",
        "r.yaml:3:1: expected each key once, found 'about' again (first in line 2).",
    ),
    "an unknown method": (
        "poise: 1\nsteps: [lfit: {}]",
        "r.yaml:2:9: expected a key of entry 1 of steps, found 'lfit'. Did you mean 'lift'? "
        "Known: lift, raise.",
    ),
    "two methods in one step": (
        "poise: 1\nsteps:\n  - lift: {}\n    raise: {}",
        "r.yaml:3:5: expected one method in entry 1 of steps, found 'lift' and 'raise'. "
        "Start each with a dash.",
    ),
    "an unknown setting": (
        "poise: 1\nsteps: [lift: {settings: {pases: 2}}]",
        "r.yaml:2:27: expected a key of settings of lift, found 'pases'. Did you mean 'passes'? "
        "Known: lift_m, strategy, passes, mobility, inner.",
    ),
    "a wrong choice": (
        "poise: 1\nsteps: [lift: {settings: {strategy: weight}}]",
        "r.yaml:2:37: expected 'priorities' or 'weights' for strategy of settings of lift, "
        "found 'weight'. Did you mean 'weights'?",
    ),
    "a setting that the method refuses": (
        "poise: 1\nsteps: [lift: {settings: {passes: 0}}]",
        "r.yaml:2:35: passes must be at least 1, got 0.",
    ),
    "a setting inside a setting that is refused": (
        "poise: 1\nsteps: [lift: {settings: {inner: {turns: -1}}}]",
        "r.yaml:2:42: turns must be zero or more, got -1.",
    ),
    "a wrong value under a free key": (
        "poise: 1\nsteps: [lift: {settings: {mobility: {spine: stiff}}}]",
        "r.yaml:2:45: expected a number for spine of mobility of settings of lift, found 'stiff'.",
    ),
    "half a frame": (
        "poise: 1\nsteps: [lift: {settings: {passes: 2.5}}]",
        "r.yaml:2:35: expected a whole number for passes of settings of lift, found 2.5.",
    ),
    "a word for a number": (
        f"poise: 1\ncharacter: {{mass_kg: heavy}}\n{STEPS}",
        "r.yaml:2:22: expected a number for mass_kg of character, found 'heavy'.",
    ),
    "true for a number": (
        f"poise: 1\ncharacter: {{mass_kg: true}}\n{STEPS}",
        "r.yaml:2:22: expected a number for mass_kg of character, found true.",
    ),
    "not a number": (
        f"poise: 1\ncharacter: {{mass_kg: .nan}}\n{STEPS}",
        "r.yaml:2:22: expected a finite number, found '.nan'.",
    ),
    "a huge number": (
        f"poise: 1\ncharacter: {{mass_kg: 1e300}}\n{STEPS}",
        "r.yaml:2:22: expected a number of at most 1e+09 (or quotes around it), found '1e300'.",
    ),
    "a negative mass": (
        f"poise: 1\ncharacter: {{mass_kg: -3}}\n{STEPS}",
        "r.yaml:2:22: mass_kg must be between 0 and 1000, got -3.0.",
    ),
    "a number for a name": (
        constraint("hold_point: {name: 7, point: head, place_m: [0, 1, 0], frames: all}"),
        "r.yaml:5:30: expected text for name of hold_point (constraint 1), found 7. "
        "Put quotes around it if it is a name.",
    ),
    "two clips": (
        f"poise: 1\nclip: {{file: a.bvh, sample: walk}}\n{STEPS}",
        "r.yaml:2:7: clip must be either a file or a sample, got 'both'.",
    ),
    "an unknown sample": (
        f"poise: 1\nclip: {{sample: wlak}}\n{STEPS}",
        "r.yaml:2:16: No sample is called 'wlak'. Did you mean 'walk'? "
        "Known: walk, run, jump, jump-up, jump-twice, smash, kick, jump-kick, hop, dance, reach, "
        "golf, squat, stand, sit, getup, kneel, roll, cartwheel.",
    ),
    "an unknown key of a clip": (
        f"poise: 1\nclip: {{file: a.bvh, rate: 24}}\n{STEPS}",
        "r.yaml:2:21: expected a key of clip, found 'rate'. Did you mean 'rate_hz'? Known: file, "
        "sample, seconds, defects, stand_in, frames, rate_hz, clean, unit, up, skeleton, "
        "capture_rate_hz, wrong_rate, animation.",
    ),
    "a number for a clip": (
        f"poise: 1\nclip: 7\n{STEPS}",
        "r.yaml:2:7: expected text or keys and values (file, sample, seconds, defects, stand_in, "
        "frames, rate_hz, clean, unit, up, skeleton, capture_rate_hz, wrong_rate, animation) "
        "for clip, found 7.",
    ),
    "frames backwards": (
        f"poise: 1\nclip: {{file: a.bvh, frames: [9, 3]}}\n{STEPS}",
        "r.yaml:2:29: frames must be a first frame from 0 to the last, got (9, 3).",
    ),
    "an unknown cleaning step": (
        f"poise: 1\nclip: {{file: a.bvh, clean: [t-pos]}}\n{STEPS}",
        "r.yaml:2:29: No cleaning step is called 't-pos'. Did you mean 't-pose'? Known: "
        "wrong-unit, missing-thorax, t-pose, dropped-frames, root-jumps, rotation-flips, "
        "rotation-jumps.",
    ),
    "an unknown constraint": (
        constraint("plnt: {name: a}"),
        "r.yaml:5:11: expected a key of entry 1 of constraints of lift, found 'plnt'. "
        f"Did you mean 'plant'? Known: {', '.join(WORDS.constraints)}.",
    ),
    "nothing under a constraint": (
        constraint("orient:"),
        "r.yaml:5:18: expected keys and values (name, joint, turn_wxyz, frames, seconds, ease, "
        "ease_seconds, mode, relative_to, priority, weight, recruit) for orient (constraint 1), "
        "found nothing.",
    ),
    "no time": (
        constraint("plant: {name: a, part: left_foot}"),
        "r.yaml:5:18: expected either 'frames' or 'seconds' in 'a', found none.",
    ),
    "two times": (
        constraint("plant: {name: a, part: left_foot, frames: all, seconds: [1, 2]}"),
        "r.yaml:5:18: expected either 'frames' or 'seconds' in 'a', found both.",
    ),
    "two easings": (
        constraint("plant: {name: a, part: left_foot, frames: all, ease: 1, ease_seconds: 1}"),
        "r.yaml:5:18: expected either 'ease' or 'ease_seconds' in 'a', found both.",
    ),
    "one end of an interval": (
        constraint("plant: {name: a, part: left_foot, frames: [3]}"),
        "r.yaml:5:53: expected a list of 2 whole numbers or 'all' for frames of 'a', "
        "found a list of 1.",
    ),
    "half a frame in an interval": (
        constraint("plant: {name: a, part: left_foot, frames: [3, 4.5]}"),
        "r.yaml:5:57: expected a whole number for entry 2 of frames of 'a', found 4.5.",
    ),
    "an interval backwards": (
        constraint("plant: {name: a, part: left_foot, seconds: [3, 2]}"),
        "r.yaml:5:54: interval must be a first frame from 0 to the last, got (3000, 2000).",
    ),
    "easing that is too long": (
        constraint("plant: {name: a, part: left_foot, frames: [3, 9], ease: 4}"),
        "r.yaml:5:67: easing must be shorter together than the interval (6 frames), got (4, 4).",
    ),
    "a pass point without a time": (
        constraint(
            "follow_curve: {name: a, point: b, frames: all, through: [{place_m: [0, 0, 0]}]}"
        ),
        "r.yaml:5:68: expected either 'frame' or 'second' in entry 1 of through of 'a', "
        "found none.",
    ),
    "a place with two numbers": (
        constraint(
            "follow_curve: {name: a, point: b, frames: all, through: [{frame: 1, place_m: [0, 0]}]}"
        ),
        "r.yaml:5:88: expected a list of 3 numbers for place_m of entry 1 of through of 'a', "
        "found a list of 2.",
    ),
    "a pass point outside": (
        constraint(
            "follow_curve: {name: a, point: b, frames: [0, 5], "
            "through: [{frame: 9, place_m: [0, 0, 0]}]}"
        ),
        "r.yaml:5:70: through of 'a' must be inside its interval (0 to 5), got 'frames 9 to 9'.",
    ),
    "a low priority": (
        constraint("plant: {name: a, part: left_foot, frames: all, priority: 0}"),
        "r.yaml:5:68: priority of 'a' must be 1 (the most important) or more, got 0.",
    ),
    "an unknown key of recruit": (
        constraint("plant: {name: a, part: left_foot, frames: all, recruit: {upto: spine}}"),
        "r.yaml:5:68: expected a key of recruit of 'a', found 'upto'. Did you mean 'up_to'? "
        "Known: up_to, joints.",
    ),
    "two values that fit neither of two types": (
        constraint("look_at: {name: a, joint: head, target: [0, 1], frames: all}"),
        "r.yaml:5:51: expected a list of 3 numbers or text for target of 'a', found a list of 2.",
    ),
    "a wrong value inside one of two types": (
        constraint("look_at: {name: a, joint: head, target: [0, up, 1], frames: all}"),
        "r.yaml:5:55: expected a number for entry 2 of target of 'a', found 'up'.",
    ),
    "a name twice": (
        constraint("plant: {name: a, part: left_foot, frames: all}")
        + "        - plant: {name: a, part: right_foot, frames: all}\n",
        "r.yaml:6:25: expected different names of constraints, found 'a' again.",
    ),
    "a place with a misspelt key": (
        f"poise: 1\nenvironment:\n  ground: {{heigt_m: 0}}\n{STEPS}",
        "r.yaml:3: expected a key of ground of environment, found 'heigt_m'. Did you mean "
        "'height_m'? Known: height_m, tilt_deg, uphill, belt_velocity_m_s.",
    ),
    "a list for outputs": (
        f"poise: 1\noutputs: [a.bvh]\n{STEPS}",
        "r.yaml:2:10: expected keys and values (clip, glb, before, contacts, report, robot, "
        "layout, root_motion) for outputs, found a list of 1.",
    ),
    "a tag": (
        f"poise: 1\nabout: !!python/name:os.system x\n{STEPS}",
        "r.yaml:2:8: expected a plain value, found 'tag:yaml.org,2002:python/name:os.system'. "
        "Leave the tag out; put quotes around what should be text.",
    ),
    "a list as a key": (
        f"poise: 1\n? [a, b]\n: 1\n{STEPS}",
        "r.yaml:2:3: expected a word as the key, found a list or keys and values.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_mistake_is_one_clear_line(name: str) -> None:
    text, message = CASES[name]
    assert messages(text) == [message]


def test_all_mistakes_come_at_once_in_the_order_of_the_file() -> None:
    text = (
        "poise: 1\n"
        "abuot: x\n"
        "about: x\n"
        "about: x\n"
        "character: {mass_kg: .nan, sex: x}\n"
        "clip: {sample: walk, rate_hz: fast}\n"
        "environment: {ground: {tlit_deg: 1}}\n"
        "steps:\n"
        "  - lift:\n"
        "      settings: {strategy: both, passes: x}\n"
        "      constraints:\n"
        "        - plant: {name: a, frames: [9, 1], prio: 1}\n"
        "        - orient: {name: b, joint: head, turn_wxyz: [0, 0, 0, 0], frames: all}\n"
        "        - plant: {name: b, part: left_foot, frames: [3, 1]}\n"
    )
    found = messages(text)
    assert [line.split(": ")[0].removeprefix("r.yaml:") for line in found] == [
        "2:1", "4:1", "5:22", "5:33", "6:31", "7", "10:28", "10:42",
        "12:18", "12:44", "13:53", "14:25", "14:53",
    ]  # fmt: skip


def test_a_message_stays_a_page(tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text("".join(f"key{i}: 1\n" for i in range(300)), encoding="utf-8")
    with pytest.raises(RecipeProblem) as refused:
        load_recipe(path, words=WORDS)
    lines = str(refused.value).splitlines()
    assert len(lines) == 21 and lines[-1] == f"{path}: and 282 more."
    assert len(refused.value.problems) == 302  # poise and steps are missing, too


def test_words_of_yaml_1_2() -> None:
    text = "poise: 1\nabout: no\nsteps: [lift: {settings: {lift_m: 1e-3}}]"
    recipe = recipe_from_text(text, words=WORDS)
    assert recipe.about == "no" and recipe.steps[0].settings.lift_m == 1e-3


def test_anchors_are_understood() -> None:
    text = (
        "poise: 1\nsteps:\n  - lift: &first {settings: {passes: 2}}\n  - raise: *first\n"
    )  # fmt: skip
    recipe = recipe_from_text(text, words=WORDS)
    assert [step.settings for step in recipe.steps] == [Settings(passes=2)] * 2


HOSTILE = {
    "empty": b"",
    "binary": bytes(range(256)),
    "utf-16": "poise: 1".encode("utf-16"),
    "zero bytes": b"poise: 1\x00\nsteps: []",
    "two documents": b"poise: 1\n---\npoise: 1\n",
    "unclosed": b"poise: [1\n",
    "tabs": b"steps:\n\t- lift:\n",
    "deep brackets": b"poise: " + b"[" * 5000,
    "deep blocks": b"- " * 3000 + b"1",
    "laughs": b"a: &a [x,x,x,x,x,x,x,x,x,x]\n"
    + b"".join(
        f"{c}: &{c} [{','.join([f'*{p}'] * 10)}]\n".encode()
        for p, c in zip("abcdefgh", "bcdefghi", strict=True)
    ),
    "a circle": b"poise: 1\nsteps: &s [*s]\n",
    "a circle of keys": b"poise: &p {a: *p}\n",
    "an object": b"!!python/object/apply:os.system ['true']\n",
    "a date": b"poise: 2001-01-01\nsteps: 0o17\n",
    "a merge": b"poise: 1\nclip: {<<: {file: a.bvh}}\nsteps: [lift: {}]\n",
    "a set": b"poise: !!set {a, b}\n",
    "many digits": b"poise: " + b"9" * 10_000,
    "many keys": b"".join(b"k%d: 1\n" % i for i in range(20_000)),
    "large": b"about: " + b"x" * 2**19,
    "long key": b"x" * 900 + b": 1",
    "control": b'poise: "\\x07\\e[31m"\nsteps: [lift: {}]',
    "numbers for keys": b"1: 2\n3: 4\n",
}


@pytest.fixture(scope="module")
def long_file_s(tmp_path_factory: pytest.TempPathFactory) -> float:
    """What a thousand lines cost that do no harm: the least of three."""
    path = tmp_path_factory.mktemp("long") / "long.yaml"
    path.write_text("".join(f"k{i}: 1\n" for i in range(1000)))
    tries: list[float] = []
    for _ in range(3):
        start = time.thread_time()
        with pytest.raises(RecipeProblem):
            load_recipe(path, words=WORDS)
        tries.append(time.thread_time() - start)
    return min(tries)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_a_moment(
    name: str, tmp_path: Path, long_file_s: float
) -> None:
    path = tmp_path / "hostile.yaml"
    path.write_bytes(HOSTILE[name])
    start = time.thread_time()
    with pytest.raises((RecipeProblem, FileProblem)) as refused:
        load_recipe(path, words=WORDS)
    assert time.thread_time() - start < 200.0 * long_file_s
    said = str(refused.value)
    assert "hostile.yaml" in said and len(said) < 25 * 600
    assert all(c.isprintable() or c == "\n" for c in said)


def test_a_folder_and_a_missing_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.yaml"):
        with pytest.raises(PoiseError, match="expected"):
            load_recipe(path, words=WORDS)
