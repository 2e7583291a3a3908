"""Write `climbing_stairs.yaml` and its stairs from the footsteps of a level walk.

A recipe is data, and may be made by a program. This one finds where the feet of a walk stand, puts
a step of its own height under each footprint, and works out through which places heel and ball of
each foot have to pass so that they rest on the steps and clear the edges between. It does so twice:
for a captured walk, and for the walk made by code that stands in where the capture is missing:

    python examples/recipes/deform/make_stairs.py
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.constraints import CurveEnd, PassPoint, shape_curve
from poise.contact import detect_contacts, intervals
from poise.job import Subject, recipe_from_text, subject
from poise.mechanics import forward_kinematics, site_positions

HERE = Path(__file__).resolve().parent
RECIPE = HERE / "climbing_stairs.yaml"
PLACE, MADE_PLACE = HERE / "irregular_stairs.yaml", HERE / "made_stairs.yaml"
CAPTURE = "file: ../../../../shared/mocap/cmu/02_01.bvh"
RATE = "rate_hz: 30"
MADE = "sample: walk, seconds: 2.85"

RISES_M = (0.15, 0.10, 0.18, 0.12)
"""Of each step. The last one is the landing, on which the last two footprints are."""
EDGE_M = 0.05
"""How far before the heel of a footprint its step begins."""
CLEARANCE_M = 0.03
"""How far the swinging foot stays above the edges."""
LOWER_M, LAST_LOWER_M = 0.02, 0.06
"""How much nearer the body is to the foot that pushes off than in the level walk, where that leg is
nearly straight; and to the one that is still on the last step when the clip ends."""
WIDTH_M, BEYOND_M, BELOW_M = 1.2, 0.9, 0.5
"""Of the stairs; how far the last step goes on; how far all of them go down into the ground."""

STILL_M = 0.025
"""A point rests while it is no further than this from where it stands in the middle of a step."""
STANCE_S = 0.3
"""A foot that stands for less in the clip only pushes off, or only lands."""
STROKE_S = 0.1
"""How long toes push off: their lowest place in this time is put on the step."""
RISEN_BY, TURNED_FROM = 0.6, 0.6
"""Share of the swing after which a foot is as high as its next step, and from which on it turns
flat to land."""
LANDING_FROM = 0.8
"""Share of the swing from which on a foot comes down on its step, and may be near it."""
LIFT_M = 0.005
"""By so much a stride is lifted more and more until it clears the edges."""
EXACT_M = 0.006
"""How closely the curves follow the paths worked out here: places to pass are added until then."""
FOREARM_AHEAD = "[0.7071, -0.7071, 0, 0]"
"""Of the made figure, whose arms hang at rest: from there forward."""
POINTS = ("heel", "ball")
SOLE = ("heel", "ball", "inner_edge", "outer_edge", "toe_tip")


@dataclass(frozen=True, eq=False)
class Footprint:
    """A foot on the ground, in the original."""

    side: str
    first: int
    last: int
    """Frames, both included."""
    z_m: float
    """Where the heel stands, along the way."""


@dataclass(frozen=True, eq=False)
class Rest:
    """A point of a foot that rests on a step."""

    first: int
    last: int
    place_m: Array


@dataclass(frozen=True, eq=False)
class Walk:
    """A level walk with the points of its soles."""

    prepared: Subject
    names: tuple[str, ...]
    points_m: Array
    """(F, S, 3)"""
    prints: tuple[Footprint, ...]
    """In the order in which they are left."""

    @property
    def frames(self) -> int:
        return len(self.points_m)

    def path(self, side: str, point: str) -> Array:
        """(F, 3) of a point of a foot."""
        return self.points_m[:, self.names.index(f"{side}_{point}")]

    def lasting(self, seconds: float) -> int:
        """A duration in frames."""
        return round(seconds * self.prepared.clip.rate_hz)


@dataclass(frozen=True)
class Stairs:
    """Steps up along z."""

    ground_m: float
    edges_m: tuple[float, ...]
    x_m: float
    end_m: float

    def height_m(self, z_m: Array | float) -> Array:
        """Of the treads at places along the way."""
        heights = self.ground_m + np.concatenate([[0.0], np.cumsum(RISES_M)])
        return heights[np.searchsorted(self.edges_m, z_m, side="right")]


def read_walk(source: str) -> Walk:
    """A clip, its points and footprints."""
    anything = "[{place_center_of_mass: {name: balance, mode: original, frames: all}}]"
    text = (
        f"poise: 1\nclip: {{{source}, {RATE}}}\nsteps: [{{deform: {{constraints: {anything}}}}}]\n"
    )
    prepared = subject(recipe_from_text(text, path=RECIPE))
    clip, character = prepared.clip, prepared.character
    names = character.sites.names
    points = site_positions(forward_kinematics(clip.skeleton, *clip.pose), character.sites)
    contacts = detect_contacts(clip, character, prepared.environment)
    prints: list[Footprint] = []
    for side in ("left", "right"):
        heel = points[:, names.index(f"{side}_heel"), 2]
        for first, stop in intervals(contacts.column(f"{side}_foot")):
            middle = float(heel[(first + stop - 1) // 2])
            prints.append(Footprint(side, first, stop - 1, middle))
    prints.sort(key=lambda each: (each.last, each.first))
    return Walk(prepared, names, points, tuple(prints))


def stairs_under(walk: Walk) -> Stairs:
    """A step under each footprint but the first two and the last."""
    ground = walk.prepared.environment.grounds[0]
    start = walk.prints[1]
    place = walk.path(start.side, "heel")[(start.first + start.last) // 2]
    climbed = walk.prints[-len(RISES_M) - 1 : -1]
    return Stairs(
        ground_m=round(float(ground.heights_m(place[None])[0]), 3),
        edges_m=tuple(round(each.z_m - EDGE_M, 2) for each in climbed),
        x_m=round(float(walk.prepared.clip.root_positions_m[:, 0].mean()), 2),
        end_m=round(walk.prints[-1].z_m + BEYOND_M, 2),
    )


def rests_of(walk: Walk, stairs: Stairs, footprint: Footprint) -> dict[str, Rest]:
    """When heel and ball rest on the step of a footprint, and where; none if it is too short.

    They come to rest together: who climbs lands with a flat foot, where a level walk lands on the
    heel.
    """
    short = footprint.last - footprint.first < walk.lasting(STANCE_S)
    middle = footprint.first + round(0.45 * (footprint.last - footprint.first))
    if short and footprint.first == 0:
        return {}
    if short:
        middle = footprint.last  # it lands as the clip ends
    height = float(stairs.height_m(footprint.z_m))
    heel = walk.path(footprint.side, "heel")
    still = np.linalg.norm(heel - heel[middle], axis=1) < STILL_M
    still[: footprint.first], still[footprint.last + 1 :] = False, False
    first, stop = next((a, b) for a, b in intervals(still) if a <= middle < b)
    made: dict[str, Rest] = {}
    for point in POINTS:
        place = walk.path(footprint.side, point)[middle].copy()
        place[1] = height
        made[point] = Rest(first, stop - 1, place)
    return made


def smooth(share: Array) -> Array:
    """From 0 to 1 without a jolt."""
    share = np.clip(share, 0.0, 1.0)
    return share**3 * (share * (6.0 * share - 15.0) + 10.0)


def bump(share: Array) -> Array:
    """From 0 up to 1 and back, with its height at two fifths."""
    share = np.clip(share, 0.0, 1.0)
    return share**2 * (1.0 - share) ** 3 / (0.4**2 * 0.6**3)


def strides(
    walk: Walk, stairs: Stairs, side: str, lifts_m: list[float]
) -> dict[str, tuple[Array, list[Rest]]]:
    """Where heel and ball of a foot are to be, (F, 3) each, and when they rest.

    Args:
        walk: the level walk.
        stairs: what it is to climb.
        side: left or right.
        lifts_m: of each stride, on top of what brings it up to its step.
    """
    own = [each for each in walk.prints if each.side == side]
    resting = [rests_of(walk, stairs, each) for each in own]
    toes = walk.path(side, "toe_tip")[:, 1]
    frames = np.arange(walk.frames)
    made: dict[str, tuple[Array, list[Rest]]] = {}
    for point in POINTS:
        path = walk.path(side, point)
        added = np.zeros_like(path)
        for number, (each, rests) in enumerate(zip(own, resting, strict=True)):
            low = toes[max(each.last - walk.lasting(STROKE_S), 0) : each.last + 1].min()
            pushes = np.array([0.0, float(stairs.height_m(each.z_m)) - float(low), 0.0])
            last, leaves = each.first, pushes
            if rests:
                rest = rests[point]
                stands = slice(rest.first, rest.last + 1)
                added[stands] = rest.place_m - path[stands]
                if number == 0:
                    added[: rest.first] = added[rest.first]
                last, leaves = rest.last, rest.place_m - path[rest.last]
            share = smooth((frames - last) / max(each.last - last, 1))[:, None]
            left = slice(last + 1 if rests else 0, None)
            added[left] = (leaves + share * (pushes - leaves))[left]
            if number + 1 < len(own):
                new = resting[number + 1]
                arrive = {name: _added(walk, side, name, new[name]) for name in POINTS}
                share = (frames - each.last) / (new[point].first - each.last)
                rise = smooth(share / RISEN_BY)[:, None] * (arrive["heel"] - pushes)
                turn = smooth((share - TURNED_FROM) / (1.0 - TURNED_FROM))[:, None]
                swing = pushes + rise + turn * (arrive[point] - arrive["heel"])
                swing[:, 1] += lifts_m[number] * bump(share)
                added[each.last + 1 :] = swing[each.last + 1 :]
        made[point] = path + added, [rests[point] for rests in resting if rests]
    return made


def _added(walk: Walk, side: str, point: str, rest: Rest) -> Array:
    """(3,) what brings a point to its rest when it begins."""
    return rest.place_m - walk.path(side, point)[rest.first]


def lifted_strides(walk: Walk, stairs: Stairs, side: str) -> dict[str, tuple[Array, list[Rest]]]:
    """The strides of a foot, each as high as it must be to clear the edges and no higher."""
    own = [each for each in walk.prints if each.side == side]
    lifts = [0.0] * (len(own) - 1)
    while True:
        made = strides(walk, stairs, side, lifts)
        low = [n for n in range(len(lifts)) if _too_low(walk, stairs, made, own[n], own[n + 1])]
        if not low:
            print(f"{side} foot: strides lifted by {', '.join(f'{lift:.3f}' for lift in lifts)} m")
            return made
        for number in low:
            lifts[number] += LIFT_M


def _too_low(
    walk: Walk,
    stairs: Stairs,
    made: dict[str, tuple[Array, list[Rest]]],
    before: Footprint,
    after: Footprint,
) -> bool:
    """Whether some point of the sole is too near the treads, or the edges, in a swing."""
    frames = np.arange(before.last + 1, after.first)
    share = (frames - before.last) / (after.first - before.last)
    wanted = CLEARANCE_M * np.minimum(1.0, 5.0 * np.minimum(share, 1.0 - share))
    for point in SOLE:
        with_it = point if point in POINTS else "ball"
        added = made[with_it][0] - walk.path(before.side, with_it)
        places = (walk.path(before.side, point) + added)[frames]
        around = [stairs.height_m(places[:, 2] + aside) for aside in (-0.02, 0.02)]
        if (places[:, 1] - np.maximum(*around) < wanted)[share < LANDING_FROM].any():
            return True
    return False


def passes(path: Array, original: Array, rests: list[Rest]) -> list[PassPoint]:
    """Rests, and between them as many places as the curve needs to be close to a path."""
    end = len(path) - 1
    start, stop = (
        CurveEnd(frame, original[frame], sign * (original[other] - original[frame]))
        for frame, other, sign in ((0, 1, 1.0), (end, end - 1, -1.0))
    )
    through: dict[int, tuple[Array, int | None]] = {0: (path[0], None), end: (path[-1], None)}
    resting = np.zeros(len(path), dtype=np.bool_)
    for each in rests:
        resting[each.first : each.last + 1] = True
        through = {f: place for f, place in through.items() if not each.first <= f <= each.last}
        through[each.first] = (each.place_m, each.last)
    while True:
        points = [
            PassPoint(frame, (round(x, 3), round(y, 3), round(z, 3)), until)
            for frame, ((x, y, z), until) in sorted(through.items())
        ]
        off = np.linalg.norm(shape_curve(start, stop, points).at(np.arange(end + 1)) - path, axis=1)
        off[resting] = 0.0
        off[list(through)] = 0.0
        worst = int(off.argmax())
        if off[worst] < EXACT_M:
            return points
        through[worst] = (path[worst], None)


def heights(walk: Walk, stairs: Stairs) -> list[tuple[int, float]]:
    """How much higher the centre of mass is, frame by frame, than in the level walk.

    When a foot pushes off, the body is as high above it as it was, or a little less.
    """
    keys = {0: 0.0}
    for each in walk.prints[1:]:
        lower = LOWER_M if each.last < walk.frames - 1 else LAST_LOWER_M
        rise = float(stairs.height_m(each.z_m)) - stairs.ground_m
        keys.setdefault(each.last, round(rise - lower, 3))
    return sorted(keys.items())


Climb = tuple[Walk, Stairs]


def curves(climb: Climb) -> dict[str, list[str]]:
    """The places through which heel and ball of each foot pass, by the name of the curve."""
    walk, stairs = climb
    found: dict[str, list[str]] = {}
    for side in ("left", "right"):
        made = lifted_strides(walk, stairs, side)
        for point in POINTS:
            lines = found.setdefault(f"{side} {point}", [])
            for each in passes(made[point][0], walk.path(side, point), made[point][1]):
                until = "" if each.until is None else f", until: {each.until}"
                place = ", ".join(f"{number:g}" for number in each.place_m)
                lines.append(f"- {{frame: {each.frame}{until}, place_m: [{place}]}}\n")
    return found


def rises(climb: Climb) -> list[str]:
    """The heights of the centre of mass, key by key."""
    return [f"- [{frame}, [0, {rise:g}, 0]]\n" for frame, rise in heights(*climb)]


def listed(lines: list[str], indent: int) -> str:
    """Entries of a list, so far to the right."""
    return "".join(" " * indent + line for line in lines)


def recipe_text(captured: Climb, made: Climb) -> str:
    """The recipe, from `HEAD` to `TAIL`."""
    text = HEAD.replace("CAPTURE", CAPTURE).replace("RATE", RATE)
    text = text.replace("SAMPLE", MADE.replace(", ", "\n    ")).replace(
        "      SET\n", stand_in_text(made)
    )
    for name, lines in curves(captured).items():
        side, point = name.split()
        text += FOOT.replace("SIDE", side).replace("POINT", point)
        text += "" if point == "heel" else "            axes: xy\n"
        text += "            through:\n" + listed(lines, 14)
    return text + TAIL.replace("              KEYS\n", listed(rises(captured), 14))


def stand_in_text(climb: Climb) -> str:
    """What is different for the walk made by code: its stairs, its places, its arm."""
    last = climb[0].frames - 1
    text = f"      environment: {MADE_PLACE.name}\n"
    for name, lines in curves(climb).items():
        text += f"      {name}.through:\n" + listed(lines, 8)
    elbow = f"{{frame: 14, until: {last}, place_m: [-0.23, -0.12, -0.05]}}"
    text += f"      right elbow.through: [{elbow}]\n"
    text += f"      right forearm.turn_wxyz: {FOREARM_AHEAD}\n"
    return text + "      balance.displacement_m:\n" + listed(rises(climb), 8)


def place_text(stairs: Stairs) -> str:
    """The place: one box a step, each reaching to the end, so that they overlap."""
    text = "# Made by make_stairs.py.\n"
    text += f"ground: {{height_m: {stairs.ground_m:g}}}\nparts:\n"
    top = 0.0
    for number, (edge, rise) in enumerate(zip(stairs.edges_m, RISES_M, strict=True), start=1):
        top += rise
        depth = stairs.end_m - edge
        size = f"[{WIDTH_M:g}, {BELOW_M + top:g}, {depth:.2f}]"
        at = f"[{stairs.x_m:g}, {stairs.ground_m - BELOW_M:g}, {edge + 0.5 * depth:.3f}]"
        text += f"  - {{name: step {number}, box: {{size_m: {size}}}, at_m: {at}}}\n"
    return text


HEAD = """\
poise: 1
about: |
  A level walk climbs stairs of irregular height: "Putting it all together" of Le Callennec and
  Boulic (2004), Fig. 7. This recipe and its stairs were made by make_stairs.py from the footsteps
  of the clip.

      poise run climbing_stairs.yaml -o climbing.glb --report climbing.html

  As in the paper, four shape constraints make the pattern of walking on stairs, one holds the right
  elbow beside the trunk, an orientation the forearm level, and the centre of mass rises with the
  stairs. Two more keep the knees in line, which two points of a foot leave free.

  Layer 1: heel and ball of each foot rest on the steps, and pass the places between. Of the ball,
  height and side count; how far ahead of the heel it is, the foot itself knows. Layer 1 too: the
  arm, which shares no joint with the feet. Layer 2: the centre of mass keeps to its path, raised.
  Layer 3: the knees are no further out or in than in the walk.
clip:
  CAPTURE
  RATE
  stand_in:
    SAMPLE
    set:
      SET
environment: irregular_stairs.yaml
# A flat foot under a bent knee turns the ankle further than the 20 degrees in the tables.
character: {ranges: none}
steps:
  - deform:
      constraints:
        # Joints are listed by role, without the two that this skeleton has between pelvis and
        # thighs: they are none of a body's.
"""

FOOT = """\
        - follow_curve:
            name: SIDE POINT
            point: SIDE_POINT
            frames: all
            priority: 1
            recruit: {joints: [translation, SIDE_hip, SIDE_knee, SIDE_ankle]}
"""

TAIL = """\
        - follow_curve:
            name: right elbow
            point: right_elbow
            mode: relative
            relative_to: chest
            frames: all
            through: [{frame: 14, until: 85, place_m: [-0.23, -0.12, -0.05]}]
            priority: 1
            recruit: {joints: [right_collar, right_shoulder]}
        - orient:
            name: right forearm
            joint: right_elbow
            mode: relative
            relative_to: chest
            turn_wxyz: [0.617, -0.263, 0.691, 0.27]
            frames: all
            ease: [14, 0]
            priority: 1
            recruit: {joints: [right_collar, right_shoulder, right_elbow]}
        - place_center_of_mass:
            name: balance
            mode: original
            displacement_m:
              KEYS
            frames: all
            priority: 2
            recruit:
              joints:
                [translation, left_hip, left_knee, left_ankle, right_hip, right_knee, right_ankle]
        - follow_curve:
            name: left knee
            point: left_knee
            axes: x
            through: []
            frames: all
            priority: 3
            recruit: {joints: [translation, left_hip, left_knee, left_ankle]}
        - follow_curve:
            name: right knee
            point: right_knee
            axes: x
            through: []
            frames: all
            priority: 3
            recruit: {joints: [translation, right_hip, right_knee, right_ankle]}
"""


def main() -> None:
    climbs: list[Climb] = []
    for source, place in ((CAPTURE, PLACE), (MADE, MADE_PLACE)):
        walk = read_walk(source)
        climbs.append((walk, stairs_under(walk)))
        place.write_text(place_text(climbs[-1][1]), encoding="utf-8")
    RECIPE.write_text(recipe_text(*climbs), encoding="utf-8")
    print(f"{RECIPE.name}, {PLACE.name}, {MADE_PLACE.name}: {len(RISES_M)} steps")


if __name__ == "__main__":
    main()
