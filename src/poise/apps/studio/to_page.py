"""What the server says to the page: JSON, or a head of JSON before bytes (`wire.py`).

Each goes with a `kind`, which is the name of its record: `document_state`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from poise.apps.studio.from_page import Touch

Which = Literal["before", "after", "live", "preview"]
"""Whose motion: as captured and put in its place; edited; while dragging; while a method runs."""


Use = Literal["clip", "recipe", "body", "place", "pattern"]
ArrayType = Literal["float32", "uint32", "uint8"]


@dataclass(frozen=True)
class Stage:
    """A stretch of a leap: on the ground or in the air."""

    name: str
    """ground or flight."""
    first: int
    last: int
    place_m: tuple[float, float, float]
    """Of a ground stage: the middle between the feet; of a flight: its highest point."""


@dataclass(frozen=True)
class ArrayOf:
    """One array of a message in bytes."""

    name: str
    shape: tuple[int, ...]
    type: ArrayType


@dataclass(frozen=True)
class FileEntry:
    """A file of the project folder that can be opened."""

    path: str
    bytes: int
    what: Use


@dataclass(frozen=True)
class Recoverable:
    """A document that was worked on before."""

    id: str
    name: str
    edits: int
    changed: str
    """When, as ISO time."""


@dataclass(frozen=True)
class MethodEntry:
    """What a step of a method may be given."""

    constraints: tuple[str, ...]
    """Kinds, the usual first."""
    presets: dict[str, dict[str, object]]
    """Settings that differ from the defaults, by preset."""


@dataclass(frozen=True)
class Welcome:
    """The first message."""

    version: str
    project: str
    """Name of the folder that is open."""
    samples: tuple[str, ...]
    files: tuple[FileEntry, ...]
    documents: tuple[Recoverable, ...]
    recipe_schema: dict[str, object]
    """JSON schema: fields of constraints and settings, with types, defaults and what they mean."""
    methods: dict[str, MethodEntry]
    """All of them by name."""
    endings: dict[str, tuple[str, ...]]
    """Extensions by what files are: clip, companion (of a clip), body, mesh, written."""
    upload_limit_bytes: int


@dataclass(frozen=True)
class Files:
    """What is in the project folder."""

    files: tuple[FileEntry, ...]
    documents: tuple[Recoverable, ...]


@dataclass(frozen=True)
class Site:
    """A named point of the body."""

    name: str
    joint: int
    offset_m: tuple[float, float, float]


@dataclass(frozen=True)
class Figure:
    """A body; motions name it.

    Arrays: offsets_m (J, 3), rest_wxyz (J, 4), and of a simple skin at rest: positions_m (V, 3),
    normals (V, 3), triangles (T, 3), skin_joints (V, 4), weights (V, 4).
    """

    key: str
    name: str
    joint_names: tuple[str, ...]
    parents: tuple[int, ...]
    """-1 for the root."""
    roles: dict[str, str]
    """Role and joint."""
    sites: tuple[Site, ...]
    height_m: float
    mass_kg: float
    kept: dict[str, object]
    """Content of a step of deform that keeps what this body does, but for what is asked of it."""
    arrays: tuple[ArrayOf, ...] = ()


@dataclass(frozen=True)
class Place:
    """Ground and what stands on it, as triangles. Arrays: positions_m (V, 3), triangles (T, 3)."""

    ground_m: float
    """Height at the origin, for grids."""
    up: tuple[float, float, float]
    """Of the ground."""
    arrays: tuple[ArrayOf, ...] = ()


@dataclass(frozen=True)
class Motion:
    """A motion. Arrays: roots_m (F, 3), rotations_wxyz (F, J, 4) local.

    With `first` above 0 or fewer frames than the clip, only those frames have changed.
    """

    which: Which
    figure: str
    rate_hz: float
    frames: int
    """Of the whole clip."""
    first: int
    number: int = 0
    """Of the drag or blend that it answers."""
    arrays: tuple[ArrayOf, ...] = ()


@dataclass(frozen=True)
class Forget:
    """There is no such motion any more."""

    which: Which


@dataclass(frozen=True)
class Doubt:
    """Frames, from the first to the last, in which it is in doubt whether a part touches."""

    part: str
    first: int
    last: int
    percent: int
    """Lowest probability that what is said is right."""


@dataclass(frozen=True)
class Stretch:
    """Frames from the first to the last."""

    first: int
    last: int


@dataclass(frozen=True)
class Physics:
    """What is drawn on top.

    Arrays: com_m (F, 3), zmp_m (F, 3; NaN in flight), outside_m (F,) how far it lies outside,
    points_m (F, C, 3) of contact points, forces_n (F, C, 3), and the support area as corners_m
    (N, 3) with starts (F + 1,). Of contacts that were found also confidence (P, F), in percent: the
    probability that what is said of a part is right, of the first P of `parts`.
    """

    which: Which
    weight_n: float
    touches: tuple[Touch, ...]
    parts: tuple[str, ...]
    """Lanes: parts that can touch on this body."""
    stages: tuple[Stage, ...]
    doubts: tuple[Doubt, ...] = ()
    """By their first frames."""
    unknown: tuple[Stretch, ...] = ()
    """Where something that is not known carries the body."""
    arrays: tuple[ArrayOf, ...] = ()


@dataclass(frozen=True)
class Goal:
    """Where a constraint wants a point, frame by frame: path_m of the message has its rows."""

    name: str
    constraint: str
    """Its kind: hold_point."""
    step: int
    index: int
    """In the step's list."""
    first: int
    last: int
    row: int
    """Of path_m that belongs to the first frame."""
    met: bool | None
    """None: not solved yet."""
    worst: str
    """How far off at worst, in words."""


@dataclass(frozen=True)
class Goals:
    """What the constraints want. Arrays: path_m (N, 3)."""

    goals: tuple[Goal, ...]
    arrays: tuple[ArrayOf, ...] = ()


@dataclass(frozen=True)
class DocumentState:
    """A document after anything has happened to it."""

    id: str
    name: str
    recipe: dict[str, object]
    frames: int
    rate_hz: float
    undo: str
    """What would be taken back; empty: nothing."""
    redo: str
    solved: Literal["no", "stale", "solving", "yes"]
    """Whether `after` is of this recipe."""
    status: str
    """converged, infeasible, ... as the method says; empty when not solved."""
    summary: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Progress:
    """How far a run is."""

    method: str
    stage: str
    done: int
    total: int


@dataclass(frozen=True)
class Waiting:
    """Something slow and rare goes on, such as compiling the first time."""

    text: str
    """Empty: it is over."""


@dataclass(frozen=True)
class RunEnded:
    """A run has ended."""

    how: Literal["done", "cancelled", "failed"]
    seconds: float


@dataclass(frozen=True)
class FigureRow:
    """One measure before and after."""

    key: str
    name: str
    group: str
    about: str
    unit: str
    before: float | None
    after: float | None
    verdict: Literal["good", "fair", "poor", ""]
    change: Literal["better", "worse", "same", ""]


@dataclass(frozen=True)
class Plot:
    """A curve over time, before and after: rows of the message's arrays."""

    name: str
    unit: str
    row: int
    limit: float | None = None
    """A line not to be crossed."""


@dataclass(frozen=True)
class Measures:
    """Figures, and curves over time.

    Arrays: before (P, F) and after (P, F), NaN where there is none.
    """

    rows: tuple[FigureRow, ...]
    plots: tuple[Plot, ...]
    notes: tuple[str, ...]
    arrays: tuple[ArrayOf, ...] = ()


@dataclass(frozen=True)
class Scatter:
    """A pattern in the plane of its two strongest components. Arrays: places (N, 2), goal (2,)."""

    names: tuple[str, ...]
    shares: tuple[float, ...]
    """Of the variance."""
    weights: tuple[float, ...]
    """How much each example counts now."""
    arrays: tuple[ArrayOf, ...] = ()


@dataclass(frozen=True)
class FamilyState:
    """A family that can be blended. Arrays: members (M, A) coordinates of all members."""

    axes: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    statuses: tuple[str, ...]
    weights: tuple[float, ...]
    """Of members in the last blend."""
    arrays: tuple[ArrayOf, ...] = ()


@dataclass(frozen=True)
class Saved:
    """A file was written."""

    path: str
    bytes: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProblemLine:
    """One thing that is wrong."""

    text: str
    path: str = ""
    """Where in the recipe, with dots: steps.0.deform.constraints.1; empty: nowhere."""


@dataclass(frozen=True)
class Problem:
    """Something was wrong with what was asked; nothing has changed."""

    lines: tuple[ProblemLine, ...]
    about: str
    """The kind of message that it answers."""


FromServer = (
    Welcome | Files | Figure | Place | Motion | Forget | Physics | Goals | DocumentState | Progress
    | Waiting | RunEnded | Measures | Scatter | FamilyState | Saved | Problem
)  # fmt: skip
