"""Small bodies that a human's motion does not fit, or fits only just, as robot files."""

from __future__ import annotations

from dataclasses import dataclass, replace

SIDES = {"left": 1.0, "right": -1.0}
Place = tuple[float, float, float]
X, Y, Z = "1 0 0", "0 1 0", "0 0 1"


@dataclass(frozen=True)
class Link:
    """A link, where it is on its parent, and the joint that it turns on."""

    name: str
    place_m: Place
    axis: str = ""
    """Of its hinge; none welds it."""
    below: tuple[Link, ...] = ()
    size_m: Place = (0.03, 0.03, 0.03)
    middle_m: Place = (0.0, 0.0, 0.0)
    range_rad: tuple[float, float] = (-2.0, 2.0)
    kind: str = "hinge"


def chain(*links: Link) -> Link:
    """Each below the one before."""
    made = links[-1]
    for link in links[-2::-1]:
        made = replace(link, below=(*link.below, made))
    return made


def mjcf(root: Link, *, floats: bool = True) -> str:
    """A model of MuJoCo, Z up, facing X."""
    free = "<freejoint/>" if floats else ""
    world = f"<worldbody>{_body(root, free)}</worldbody>"
    return f'<mujoco><compiler angle="radian"/>{world}</mujoco>'


def _body(link: Link, joint: str = "") -> str:
    if link.axis:
        low, high = link.range_rad
        joint = (
            f'<joint name="{link.name}_joint" type="{link.kind}" axis="{link.axis}" '
            f'range="{low} {high}" limited="true"/>'
        ).replace("_joint_joint", "_joint")
    below = "".join(_body(child) for child in link.below)
    return (
        f'<body name="{link.name}" pos="{_words(link.place_m)}">{joint}'
        f'<geom type="box" size="{_words(link.size_m)}" pos="{_words(link.middle_m)}" mass="1"/>'
        f"{below}</body>"
    )


def bvh(root: Link) -> str:
    """The same as a capture of two frames at rest, Y up, facing Z."""
    lines, count = _joint(root, "ROOT"), len(all_names(root))
    row = " ".join(["0"] * (3 + 3 * count))
    motion = ["MOTION", "Frames: 2", "Frame Time: 0.033333", row, row]
    return "\n".join(["HIERARCHY", *lines, *motion]) + "\n"


def _joint(link: Link, kind: str = "JOINT") -> list[str]:
    moves = "6 Xposition Yposition Zposition" if kind == "ROOT" else "3"
    offset = _words((100.0 * link.place_m[1], 100.0 * link.place_m[2], 100.0 * link.place_m[0]))
    below = [line for child in link.below for line in _joint(child)]
    end = [] if below else ["End Site", "{", "OFFSET 0 0 5", "}"]
    return [f"{kind} {link.name}", "{", f"OFFSET {offset}",
            f"CHANNELS {moves} Zrotation Xrotation Yrotation", *below, *end, "}"]  # fmt: skip


def _words(numbers: Place) -> str:
    return " ".join(f"{number:g}" for number in numbers)


def renamed(link: Link, names: dict[str, str]) -> Link:
    """The same with other names."""
    below = tuple(renamed(child, names) for child in link.below)
    return replace(link, name=names.get(link.name, link.name), below=below)


def all_names(link: Link) -> list[str]:
    return [link.name, *(name for child in link.below for name in all_names(child))]


def anonymous(link: Link) -> Link:
    """The same with names that say nothing."""
    return renamed(link, {name: f"part{i}" for i, name in enumerate(all_names(link))})


def mirrored(link: Link) -> Link:
    """The same with left called right."""
    swap = {"left": "right", "right": "left"}
    names = {
        name: name.replace(side, swap[side], 1)
        for name in all_names(link)
        for side in SIDES
        if name.startswith(side)
    }
    return renamed(link, names)


def leg(side: str, way: float, knee: tuple[float, float] = (0.0, 2.4)) -> Link:
    foot = (0.1, 0.04, 0.02)
    return chain(
        Link(f"{side}_hip_pitch", (0.0, 0.1 * way, -0.05), Y),
        Link(f"{side}_hip_roll", (0.0, 0.0, 0.0), X),
        Link(f"{side}_hip_yaw", (0.0, 0.0, 0.0), Z),
        Link(f"{side}_knee", (0.0, 0.0, -0.35), Y, range_rad=knee),
        Link(f"{side}_ankle_pitch", (0.0, 0.0, -0.35), Y, range_rad=(-1.0, 1.0)),
        Link(f"{side}_ankle_roll", (0.0, 0.0, 0.0), X, (), foot, (0.05, 0.0, -0.04), (-0.5, 0.5)),
    )


def arm(side: str, way: float) -> Link:
    return chain(
        Link(f"{side}_shoulder_pitch", (0.0, 0.18 * way, 0.3), Y),
        Link(f"{side}_shoulder_roll", (0.0, 0.0, 0.0), X),
        Link(f"{side}_shoulder_yaw", (0.0, 0.0, 0.0), Z),
        Link(f"{side}_elbow", (0.0, 0.0, -0.25), Y, range_rad=(-2.4, 0.2)),
        Link(f"{side}_wrist", (0.0, 0.0, -0.22), Z),
        Link(f"{side}_hand", (0.0, 0.0, -0.08)),
    )


def trunk(*, arms: bool = True) -> Link:
    sides = tuple(arm(side, way) for side, way in SIDES.items()) if arms else ()
    head = chain(Link("neck", (0.0, 0.0, 0.36), Z), Link("head", (0.0, 0.0, 0.08), Y))
    return Link("torso", (0.0, 0.0, 0.08), Z, (*sides, head), (0.08, 0.12, 0.15), (0.0, 0.0, 0.18))


def humanoid(knee: tuple[float, float] = (0.0, 2.4), *, arms: bool = True) -> Link:
    """A small robot of hinges."""
    legs = tuple(leg(side, way, knee) for side, way in SIDES.items())
    return Link("pelvis", (0.0, 0.0, 0.8), "", (*legs, trunk(arms=arms)), (0.08, 0.1, 0.05))


def legs_only() -> Link:
    """A robot that walks, and has nothing above its hips."""
    legs = tuple(leg(side, way) for side, way in SIDES.items())
    return Link("pelvis", (0.0, 0.0, 0.8), "", legs, (0.08, 0.1, 0.1))


def on_wheels() -> Link:
    """Two arms and a head on a cart."""
    wheels = tuple(
        Link(f"{side}_wheel", (0.0, 0.2 * way, -0.05), Y, range_rad=(-100.0, 100.0))
        for side, way in SIDES.items()
    )
    column = Link("column", (0.0, 0.0, 0.4), "", (trunk(),))
    return Link("base", (0.0, 0.0, 0.1), "", (*wheels, column), (0.25, 0.25, 0.05))


def quadruped() -> Link:
    """Joints and names as Unitree's Go2 has them."""
    legs = tuple(
        chain(
            Link(f"{end}{side}_hip", (0.19 * front, 0.05 * way, 0.0), X, range_rad=(-1.0, 1.0)),
            Link(f"{end}{side}_thigh", (0.0, 0.095 * way, 0.0), Y, range_rad=(-1.5, 3.4)),
            Link(f"{end}{side}_calf", (0.0, 0.0, -0.213), Y, range_rad=(-2.7, -0.1)),
            Link(f"{end}{side}_foot", (0.0, 0.0, -0.213), size_m=(0.02, 0.02, 0.02)),
        )
        for end, front in (("F", 1.0), ("R", -1.0))
        for side, way in (("L", 1.0), ("R", -1.0))
    )
    head = Link("Head_upper", (0.285, 0.0, 0.01))
    return Link("base", (0.0, 0.0, 0.45), "", (head, *legs), (0.19, 0.05, 0.06))


def dog() -> Link:
    """A captured animal whose joints are called as a human's are."""

    def limb(side: str, way: float, names: tuple[str, str, str]) -> Link:
        upper, lower, end = (f"{side}{name}" for name in names)
        places = (0.0, 0.1 * way, 0.0), (0.0, 0.0, -0.22), (0.0, 0.0, -0.22)
        return chain(*(Link(n, p) for n, p in zip((upper, lower, end), places, strict=True)))

    sides = (("Left", 1.0), ("Right", -1.0))
    fore = tuple(limb(side, way, ("Arm", "ForeArm", "Hand")) for side, way in sides)
    hind = tuple(limb(side, way, ("UpLeg", "Leg", "Foot")) for side, way in sides)
    head = chain(Link("Neck", (0.15, 0.0, 0.1)), Link("Head", (0.15, 0.0, 0.1)))
    back = chain(
        Link("Spine", (0.25, 0.0, 0.0)), Link("Spine1", (0.25, 0.0, 0.0), "", (*fore, head))
    )
    tail = chain(Link("Tail", (-0.15, 0.0, 0.0)), Link("Tail1", (-0.15, 0.0, 0.0)))
    return Link("Hips", (0.0, 0.0, 0.5), "", (*hind, back, tail))


def hand() -> Link:
    """A palm and five fingers."""
    fingers = ("thumb", "index", "middle", "ring", "little")
    lines = tuple(
        chain(
            *(
                Link(f"{finger}_{bone}", (0.0, 0.022 * (i - 2) if n == 0 else 0.0, 0.04), Y)
                for n, bone in enumerate(("knuckle", "proximal", "middle", "distal"))
            )
        )
        for i, finger in enumerate(fingers)
    )
    return Link("palm", (0.0, 0.0, 0.2), "", lines, (0.01, 0.05, 0.04))


def arm_alone() -> Link:
    """Joints and names as those of Universal Robots."""
    return chain(
        Link("base_link", (0.0, 0.0, 0.0)),
        Link("shoulder_pan", (0.0, 0.0, 0.09), Z),
        Link("shoulder_lift", (0.0, 0.13, 0.0), Y),
        Link("elbow", (0.0, -0.12, 0.42), Y),
        Link("wrist_1", (0.0, 0.0, 0.39), Y),
        Link("wrist_2", (0.0, 0.09, 0.0), Z),
        Link("wrist_3", (0.0, 0.0, 0.09), Y),
    )
