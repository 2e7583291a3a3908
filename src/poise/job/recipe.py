"""A recipe: an edit written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import Interval

from poise.character import LEAST_FACTOR, MOST_FACTOR, check_factor, check_mass_factor
from poise.errors import BadValue, UnknownName
from poise.job.root_motion import RootMotion
from poise.motion.cleanup import STEPS, frame_range
from poise.one_line import framed, short
from poise.record_ranges import check_record
from poise.wording import counted
from poise.yaml_nodes import Node

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Rate = Annotated[float, Interval(gt=0, le=1e6), "above 0 and at most 1,000,000 Hz"]
Factor = Annotated[
    float,
    Interval(ge=LEAST_FACTOR, le=MOST_FACTOR),
    f"a factor from {LEAST_FACTOR:g} to {MOST_FACTOR:g}",
]

HEAVIEST_KG = 1000.0
BodyMass = Annotated[float, Interval(gt=0, lt=HEAVIEST_KG), f"between 0 and {HEAVIEST_KG:g}"]

Values = Mapping[str, object]
"""Keys and plain values (words, numbers, tuples, mappings) of a part of a recipe."""

WrongRate = Literal["stop", "fix", "keep"]

SUGGESTED = "suggested"
"""The environment that a clip itself suggests, by where parts rest."""

LARGEST_DEFECT = 100.0
LONGEST_SAMPLE_S = 600.0
SampleLength = Annotated[
    float, Interval(gt=0, le=LONGEST_SAMPLE_S), f"above 0 and at most {LONGEST_SAMPLE_S:g} s"
]

VERSION = 1
"""Of the recipe format; the number after `poise:`."""

RETARGET = "retarget"
"""The step that puts the motion on another body, and leaves later ones to work there."""


@dataclass(frozen=True)
class StandIn:
    """A clip made by code, for machines that do not have the file."""

    sample: str
    """Which one, as `poise sample` makes them."""
    seconds: SampleLength | None = None
    """How long; each sample has its own usual length."""
    frames: tuple[int, int] | None = None
    """First and last frame of it to keep, both included, counted from 0 at 120 Hz."""
    defects: Mapping[str, float] = field(default_factory=dict[str, float])
    """Defects to put in, as a capture has them, each with its size: `slide_cm_s`, `sink_cm`,
    `float_cm`, `noise_mm`, `rotation_noise_deg`."""
    set: Mapping[str, object] = field(default_factory=dict[str, object])
    """Values of the recipe that speak of the capture, and what they are for this clip: paths as
    `--set` takes them."""

    def __post_init__(self) -> None:
        _check_sample(self.sample, self.defects)
        _check_frames(self.frames)
        check_record(self)


@dataclass(frozen=True)
class ClipChoice:
    """Which motion, and what is made of it before the steps."""

    file: str | None = None
    """A motion file, relative to the recipe. Without file and sample, the clip is to be given when
    the recipe runs."""
    sample: str | None = None
    """Instead of a file: a clip made by code, as `poise sample` makes them."""
    seconds: SampleLength | None = None
    """How long the sample lasts; each has its own usual length."""
    defects: Mapping[str, float] = field(default_factory=dict[str, float])
    """Defects to put into the sample, as a capture has them, each with its size: `slide_cm_s`,
    `sink_cm`, `float_cm`, `noise_mm`, `rotation_noise_deg`."""
    stand_in: StandIn | None = None
    """Clip made by code that is used, and announced, where the file is missing."""
    frames: tuple[int, int] | str | None = None
    """Frames to keep, counted from 0 as in the file: first and last, both included; or, as
    `--frames` takes them, START:STOP, STOP not included: `120:480`, `:300`, `-60:`."""
    rate_hz: Rate | None = None
    """Resample to this frame rate."""
    clean: bool | Literal["all"] | tuple[str, ...] = True
    """Repair first: true leaves out fake T-poses, fills lost frames and restores a lost thorax;
    all, or a list of steps, as in `poise convert --clean`; false does nothing."""
    unit: str | float | None = None
    """Length unit of the file: m, cm, mm, in, cmu, or metres per unit."""
    up: Literal["y", "z"] | None = None
    """Up axis of the file."""
    skeleton: str | None = None
    """The .asf of an .amc, when it is not the one beside it; relative to the recipe."""
    capture_rate_hz: Rate | None = None
    """Frame rate of an .amc, which does not state one; of other files, the true one where theirs
    is wrong."""
    wrong_rate: WrongRate = "stop"
    """What is done where flights do not fall at 9.8 m/s² at the rate of the file: `stop`, before a
    step that obeys gravity; `fix` takes the rate at which they do; `keep` insists on the file's."""
    animation: str | int | None = None
    """Which animation of a file that has several (.glb, .gltf), by name or number from 0."""

    def __post_init__(self) -> None:
        if self.file is not None and self.sample is not None:
            raise BadValue("clip", "either a file or a sample", "both")
        if self.sample is not None:
            _check_sample(self.sample, self.defects)
        elif self.seconds is not None or self.defects:
            name = "defects" if self.defects else "seconds"
            raise BadValue(name, "given only with a sample", getattr(self, name))
        if self.stand_in is not None and self.file is None:
            raise BadValue("stand_in", "given only with a file", self.stand_in.sample)
        _check_frames(self.frames)
        check_record(self)
        for step in self.clean if isinstance(self.clean, tuple) else ():
            if step not in STEPS:
                raise UnknownName("cleaning step", step, STEPS)


def _check_sample(name: str, defects: Mapping[str, float]) -> None:
    from poise.samples import DEFECTS, SAMPLES

    if name not in SAMPLES:
        raise UnknownName("sample", name, SAMPLES)
    for defect, size in defects.items():
        if defect not in DEFECTS:
            raise UnknownName("defect", defect, DEFECTS)
        if not 0 <= size <= LARGEST_DEFECT:
            raise BadValue(defect, f"a size from 0 to {LARGEST_DEFECT:g}", size)


def _check_frames(frames: tuple[int, int] | str | None) -> None:
    if isinstance(frames, str):
        frame_range(frames)
    elif frames is not None and not 0 <= frames[0] <= frames[1]:
        raise BadValue("frames", "a first frame from 0 to the last", frames)


@dataclass(frozen=True)
class Carried:
    """Something heavy that is fixed to the body."""

    name: str
    """Also the name of a point of the body, for constraints."""
    on: str
    """What carries it: a joint, a role or a site."""
    mass_kg: float
    place_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """From there, in the axes of the joint."""
    radius_m: float = 0.0
    """Of a ball; 0 is a point."""


HUMAN = "human"
"""What `body` says for a body that is made from the skeleton."""


@dataclass(frozen=True)
class CharacterChoice:
    """Whose body the motion has."""

    mass_kg: BodyMass | None = None
    """Body mass; without it, taken from the stature."""
    sex: Literal["male", "female", "average"] = "average"
    """Whose segment masses and strength."""
    table: Literal["de_leva", "winter"] = "de_leva"
    """Who measured the segment masses."""
    roles: str | Mapping[str, str] | None = None
    """Which joint is what, where it is not recognised: a roles file, or role and joint here."""
    ranges: Literal["anatomical", "none"] = "anatomical"
    """How far joints may turn: as people's do, widened where the clip goes further; or freely."""
    soles: Literal["fitted", "skeleton"] = "fitted"
    """Where the soles of the clip's own body are: fitted to where its feet stand flat; or where the
    skeleton has them, which is right for characters whose skin rests flat on the ground."""
    body: str | None = None
    """Whose body the clip shows: the file of a robot with the clip's joints, relative to the
    recipe; or `human`, one of the skeleton's size. Without it, the robot that the clip's file keeps
    (.npz and glTF that Poise wrote), else a human."""
    to: str | None = None
    """Another body to put the motion on: a motion, skeleton or robot file, relative to the recipe.
    Where the first step is `retarget`, that puts it there. Else its joints have the clip's names
    or the same roles, whatever pose it rests in; its root is raised or lowered by one amount,
    and constraints speak of the clip on its own body."""
    mapping: str | None = None
    """For `retarget`: joints of that body and what they follow, instead of what is found; a YAML
    file, relative to the recipe."""
    limbs: Factor = 1.0
    """Another build of that body, or of the clip's own: thighs, shanks, upper arms and forearms
    so many times as long, and as heavy."""
    arms: Factor = 1.0
    """Arms once more so many times as long."""
    legs: Factor = 1.0
    """The same for legs."""
    trunk: Factor = 1.0
    """The same for what lies between hips and neck."""
    heavier: Mapping[str, float] = field(default_factory=dict[str, float])
    """Parts so many times as heavy, by joint, role or `trunk` (all of the spine)."""
    carries: tuple[Carried, ...] = ()
    """What it carries: a rock on a club, a sandbag on a calf."""

    def __post_init__(self) -> None:
        for name, factor in self.heavier.items():
            check_mass_factor(name, factor)
        check_record(self)
        for name in ("arms", "legs"):
            check_factor(f"{name} times limbs", getattr(self, name) * self.limbs)

    @property
    def is_another(self) -> bool:
        """Whether the body is not the clip's own."""
        other = not self.limbs == self.arms == self.legs == self.trunk == 1.0
        return self.to is not None or other


@dataclass(frozen=True)
class Outputs:
    """Files to write, relative to the recipe."""

    clip: str | None = None
    """The edited clip; the extension decides the format."""
    glb: str | None = None
    """The edited clip once more, to look at."""
    before: str | None = None
    """The clip that went into the first step, to compare with."""
    contacts: str | None = None
    """What touches when, as the last step found or was told it (.csv or .json)."""
    report: str | None = None
    """A page that says how physical the edited clip is beside the original (.html)."""
    robot: str | None = None
    """Joint angles, speeds, torques and contacts of a robot (.csv or .npz), Z up, where the body
    is one."""
    layout: Literal["poise", "unitree", "gmr"] = "poise"
    """Of that file: unitree (.csv: no header, xyzw), gmr (.pkl, .csv)."""
    root_motion: RootMotion = "as-is"
    """Of clip, glb and robot: `in-place` takes the mean horizontal velocity of the root out,
    `travel` turns a cycle in place into one that covers ground at the speed at which its feet go
    backwards, `as-is` leaves it as the input has it."""

    def __post_init__(self) -> None:
        check_record(self)

    def items(self) -> dict[str, str]:
        """The files that are asked for, by key."""
        no_files = ("layout", "root_motion")
        return {k: v for k, v in vars(self).items() if v is not None and k not in no_files}


@dataclass(frozen=True)
class ConstraintSpec:
    """A constraint as a recipe says it. Times may be in seconds until a clip is known."""

    kind: str
    """The constraint's key: `hold_point`."""
    values: Values
    """Its fields as far as they are given, in plain values; an interval as `frames` or `seconds`
    with `ease` or `ease_seconds`."""

    @property
    def name(self) -> str:
        """What the user calls it."""
        return str(self.values.get("name", ""))


@dataclass(frozen=True)
class Step:
    """A method, its settings, and what it is asked to do."""

    method: str
    settings: DataclassInstance
    """The method's own `Settings`."""
    constraints: Sequence[ConstraintSpec] = ()
    contacts: str | None = None
    """What touches when, where it is known: a .csv or .json file, relative to the recipe, as
    `poise contacts` and `poise correct --contacts-out` write it."""
    pattern: str | None = None
    """What motions like the clip have in common: a .npz file, relative to the recipe, as
    `poise pattern learn` writes it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "constraints", tuple(self.constraints))


@dataclass(frozen=True)
class Recipe:
    """Clip, character, place, steps and outputs of an edit."""

    steps: Sequence[Step]
    """What is done, one after the other: each starts from what the one before made."""
    clip: ClipChoice = ClipChoice()
    character: CharacterChoice = CharacterChoice()
    environment: str | Values | None = None
    """An environment file or a mesh, or the content of such a file; `suggested`: the steps, slopes
    and seats that the clip shows; None: level ground at the height that the feet show."""
    outputs: Outputs = Outputs()
    about: str = ""
    """What it is for."""
    folder: Path = field(default=Path(), compare=False)
    """Where relative paths start."""
    written: Node | None = field(default=None, compare=False, repr=False)
    """The text it came from, for messages."""
    for_capture: Recipe | None = field(default=None, compare=False, repr=False)
    """The recipe as it is for the file that is missing, where this one is for the stand-in."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))
        if any(step.method == RETARGET for step in self.steps[1:]):
            methods = [step.method for step in self.steps]
            raise BadValue("steps", f"{RETARGET} first, or not at all", methods)
        if self.retargets and self.character.to is None:
            raise BadValue("to", f"given for the step {RETARGET}", None)
        if self.character.mapping is not None and not self.retargets:
            allowed = f"given only where {RETARGET} is the first step"
            raise BadValue("mapping", allowed, self.character.mapping)

    def __repr__(self) -> str:
        of = self.clip.file or self.clip.sample
        steps = ", ".join(
            f"{step.method} ({counted(len(step.constraints), 'constraint')})"
            if step.constraints
            else step.method
            for step in self.steps
        )
        return framed("Recipe", f"{steps or 'no steps'} on {short(of) if of else 'a given clip'}")

    @property
    def retargets(self) -> bool:
        """Whether its first step puts the motion on another body."""
        return any(step.method == RETARGET for step in self.steps[:1])

    def for_clip(self, clip: object | None) -> Recipe:
        """The recipe for a clip that is given instead of its own: nothing stands in for that."""
        return self if clip is None or self.for_capture is None else self.for_capture

    @property
    def has_clip(self) -> bool:
        """Whether it names a clip of its own."""
        return self.clip.file is not None or self.clip.sample is not None
