"""The jobs whose outputs are frozen: every example recipe, a library, every command that writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.shared_data import SHARED

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "examples" / "recipes"
MOCAP = SHARED / "mocap"
CMU = MOCAP / "cmu"
LIBRARY = ("cmu", "cmu_3dsmax", "cmu_asfamc", "cmu_random", "tennis")

NOT_RECIPES = (
    "chair", "stool", "hill", "irregular_stairs", "made_stool", "made_hill", "made_stairs",
)  # fmt: skip
"""Places beside the recipes that name them."""
FAMILIES = ("smash_family",)
GOLF = "golf.npz"


@dataclass(frozen=True)
class Job:
    """One command; `{out}` in its arguments is a folder of its own, whose files are hashed."""

    name: str
    arguments: tuple[str, ...]
    needs: str = ""
    """An earlier job whose folder is `{needs}`."""
    may_end_with: tuple[int, ...] = (0, 3)
    steady: bool = True
    """Whether it prints the same in every run: a batch says how long it takes."""


def jobs() -> list[Job]:
    """All of them, earlier ones first where later ones need them."""
    return [*_recipes(), *_commands(), *_retargets(), _library()]


def _recipes() -> list[Job]:
    found: list[Job] = []
    learn = ("pattern", "learn", *map(str, sorted(CMU.glob("64_0*.bvh"))), "--fit-club")
    found.append(Job("pattern learn", (*learn, "-o", f"{{out}}/{GOLF}")))
    for path in sorted(RECIPES.rglob("*.yaml")):
        name = f"recipe {path.relative_to(RECIPES).with_suffix('').as_posix()}"
        if path.stem in NOT_RECIPES:
            continue
        if path.stem in FAMILIES:
            found.append(Job(name, ("family", "build", str(path), "-o", "{out}/family.npz")))
        elif path.parent.name == "pattern":
            given = ("--set", f"pattern.pattern={{needs}}/{GOLF}")
            wanted = ("run", str(path), "-o", "{out}/clip.npz", *given)
            found.append(Job(name, wanted, "pattern learn"))
        else:
            found.append(Job(name, ("run", str(path), "-o", "{out}/clip.npz")))
    return found


def _commands() -> list[Job]:
    walk, jump = str(CMU / "02_01.bvh"), str(CMU / "13_11.bvh")
    amc = str(MOCAP / "cmu_asfamc" / "02_01.amc")
    robot = str(SHARED / "robots" / "unitree_g1" / "g1_mjx.xml")
    walking = str(RECIPES / "correct" / "walking.yaml")
    stairs = str(RECIPES / "deform" / "stepping.yaml")
    wide = str(RECIPES / "filter" / "wide_steps.yaml")
    report = ("--report", "{out}/page.html")
    found = [
        Job("formats", ("formats",)),
        Job("schema", ("run", "--schema", "x")),
        Job("inspect all", ("inspect", str(MOCAP), "--json")),
        Job("inspect robot", ("inspect", robot, "--json")),
        Job("inspect text", ("inspect", walk)),
        Job("convert", ("convert", walk, "{out}/a.glb", "--clean", "all")),
        Job("convert cut", ("convert", amc, "{out}/a.bvh", "--frames", "20:200", "--fps", "30")),
        Job("contacts", ("contacts", walk, "-o", "{out}/contacts.csv")),
        Job("measure against", ("measure", jump, "--against", walk, "--json")),
        Job("report", ("report", walk, "-o", "{out}/page.html")),
        Job("render strip", ("render", walk, "-o", "{out}/strip.png")),
        Job("render animation", ("render", jump, "-o", "{out}/a.gif", "--frames", "200:300")),
        Job("render robot", ("render", robot, "-o", "{out}/robot.png")),
        Job("sample", ("sample", "jump", "-o", "{out}/jump.bvh", "--slide", "10")),
        Job("correct", ("correct", walk, "-o", "{out}/a.bvh", *report, "--contacts-out",
                        "{out}/c.csv", "--preview", "{out}/first.npz")),
        Job("correct again", ("correct", walk, "-o", "{out}/a.npz", "--contacts",
                              "{needs}/c.csv"), "correct"),
        Job("correct on", ("correct", walk, "--to", str(MOCAP / "cmu_3dsmax" / "131_01.bvh"),
                           "-o", "{out}/a.npz")),
        Job("correct recipe", ("correct", walk, "--recipe", walking, "-o", "{out}/a.npz",
                               "--set", "correct.settings.smoothing_s=0.03", "--set",
                               "clip.frames=[0, 200]")),
        Job("deform", ("deform", walk, "--recipe", stairs, "-o", "{out}/a.npz")),
        Job("deform on", ("deform", walk, "--to", str(CMU / "07_01.bvh"), "-o", "{out}/a.npz")),
        Job("filter", ("filter", walk, "--recipe", wide, "-o", "{out}/a.npz")),
        Job("filter on", ("filter", walk, "--to", str(CMU / "07_01.bvh"), "-o", "{out}/a.npz")),
        Job("filter stream", ("filter", walk, "--to", str(CMU / "07_01.bvh"), "--stream",
                              "-o", "{out}/a.bvh")),
        Job("leap stages", ("leap", jump, "--stages")),
        Job("leap", ("leap", jump, "--turn", "40", "--higher", "1.1", "-o", "{out}/a.npz")),
        Job("pattern show", ("pattern", "show", f"{{needs}}/{GOLF}"), "pattern learn"),
        Job("pattern edit", ("pattern", "edit", f"{{needs}}/{GOLF}", str(CMU / "64_01.bvh"), "--by",
                             "club_head", "0", "0", "-0.05", "--frame", "hit", "-o",
                             "{out}/a.npz"), "pattern learn"),
        Job("family blend", ("family", "blend", "{needs}/family.npz", "--at", "0.1,-0.2", "-o",
                             "{out}/a.npz"), "recipe momentum/smash_family"),
    ]  # fmt: skip
    for clip in ("02_01", "13_11", "49_06", "05_02", "140_01", "35_03"):
        found.append(Job(f"measure {clip}", ("measure", str(CMU / f"{clip}.bvh"), "--json")))
    return found


def _retargets() -> list[Job]:
    robots = SHARED / "robots"
    bodies = {
        "g1": str(robots / "unitree_g1" / "g1_mjx.xml"),
        "h1": str(robots / "unitree_h1" / "h1.xml"),
        "t1": str(robots / "booster_t1" / "t1.xml"),
        "83": str(CMU / "83_40.bvh"),
    }
    found = [Job("retarget explain", ("retarget", str(CMU / "02_01.bvh"), "--to", bodies["g1"],
                                      "--explain"))]  # fmt: skip
    for clip in ("02_01", "49_06"):
        for name, body in bodies.items():
            wanted = ("retarget", str(CMU / f"{clip}.bvh"), "--to", body, "--fps", "30",
                      "-o", "{out}/a.npz")  # fmt: skip
            robot = () if name == "83" else ("--robot", "{out}/robot.csv")
            found.append(Job(f"retarget {clip} {name}", (*wanted, *robot)))
    for kind in ("--poses", "--kinematic"):
        wanted = ("retarget", str(CMU / "05_02.bvh"), "--to", bodies["g1"], "--fps", "30", kind)
        found.append(Job(f"retarget {kind}", (*wanted, "-o", "{out}/a.npz")))
    return found


def _library() -> Job:
    return Job("batch", ("batch", "{list}", "--out", "{out}", "--workers", "2"), steady=False)
