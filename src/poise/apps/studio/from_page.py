"""What the page says to the server: JSON, each with its `kind`.

A document is a recipe (see docs/recipes.md) in plain values, and what came of it. The page changes
the recipe and sends it whole; the server checks it, keeps what was before for undo, and solves.
`studio/src/messages.ts` is made from this file and `to_page.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Touch:
    """A bar of the contact lanes: a part touches, from the first frame to the last."""

    part: str
    first: int
    last: int
    sliding: bool = False


@dataclass(frozen=True)
class OpenSample:
    """Make a document of a clip made by code."""

    name: str
    kind: Literal["open_sample"] = "open_sample"


@dataclass(frozen=True)
class OpenFile:
    """Make a document of a clip or a recipe in the project folder."""

    path: str
    """Below the folder, with slashes."""
    kind: Literal["open_file"] = "open_file"


@dataclass(frozen=True)
class OpenDocument:
    """Go on with a document that there is already."""

    id: str
    kind: Literal["open_document"] = "open_document"


@dataclass(frozen=True)
class EditRecipe:
    """The recipe after an edit."""

    recipe: dict[str, object]
    label: str
    """What was done, for the undo button: "move right wrist"."""
    merge: str = ""
    """Edits in a row with the same word here are one for undo, such as steps of a slider."""
    kind: Literal["edit_recipe"] = "edit_recipe"


@dataclass(frozen=True)
class EditContacts:
    """What touches when, as the user wants it; for the step that is open."""

    step: int
    touches: tuple[Touch, ...]
    label: str
    kind: Literal["edit_contacts"] = "edit_contacts"


@dataclass(frozen=True)
class BeginDrag:
    """The recipe as a drag begins: solved at once with deform, not kept."""

    recipe: dict[str, object]
    number: int
    """Counts up; what comes back has it, and stale ones are dropped on both sides."""
    kind: Literal["begin_drag"] = "begin_drag"


@dataclass(frozen=True)
class Drag:
    """A move of a drag: one constraint of the recipe that it began with is another now."""

    step: int
    index: int
    """In the step's list."""
    constraint: dict[str, object]
    """As recipes write it: {hold_point: {...}}."""
    number: int
    kind: Literal["drag"] = "drag"


@dataclass(frozen=True)
class Command:
    """What its kind says, of the document as it is; ended drags show what was there before."""

    kind: Literal[
        "end_drag", "run_method", "cancel_run", "undo", "redo", "ask_measures", "ask_files"
    ]


@dataclass(frozen=True)
class SaveFile:
    """Write the edited clip, or the recipe, into the project folder."""

    path: str
    """Below the folder; the extension says the format (.bvh .glb .npz .yaml .html)."""
    overwrite: bool = False
    kind: Literal["save_file"] = "save_file"


@dataclass(frozen=True)
class BlendFamily:
    """A motion between the members of the family that the last run has built."""

    coordinate: tuple[float, ...]
    number: int
    kind: Literal["blend_family"] = "blend_family"


@dataclass(frozen=True)
class SteerLeap:
    """One more leap of the jump controller: what the keys say."""

    forward: float
    """-1 to 1."""
    turn: float
    """-1 to 1."""
    number: int
    kind: Literal["steer_leap"] = "steer_leap"


FromPage = (
    OpenSample | OpenFile | OpenDocument | EditRecipe | EditContacts | BeginDrag | Drag | Command
    | SaveFile | BlendFamily | SteerLeap
)  # fmt: skip
