"""What is done with every clip of a batch, as it is sent to workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from poise import job
from poise.formats import check_can_write, read_bytes
from poise.job import Change, Recipe, recipe_from_text, typed_change


@dataclass(frozen=True)
class Order:
    """A recipe as it was when the batch began: edits while it runs are for the next run."""

    recipe: str
    """Its path: what messages call it, and where paths in it start."""
    text: str
    changes: tuple[Change, ...] = ()
    """Values that are others than in the text."""
    without: tuple[str, ...] = ()
    """Constraints that are left out."""
    format: str = ""
    """Extension of the written clips; empty: each its own."""
    pages: bool = False
    """Whether each clip gets a report."""

    def followed_with(self, changes: Sequence[str | Change] = ()) -> Recipe:
        """The recipe, with the changes for one clip.

        Raises:
            RecipeProblem: all that is wrong with it.
        """
        recipe = recipe_from_text(
            self.text, path=self.recipe, changes=(*self.changes, *changes), without=self.without
        )
        return recipe.for_clip(self)  # the clips are those of the library


def order_from(
    recipe: Path | None = None,
    *,
    to: Path | None = None,
    form: str = "",
    pages: bool = False,
    changes: Sequence[str | Change] = (),
    without: Sequence[str] = (),
) -> Order:
    """What a recipe file says; without one, what `poise correct` or, with `to`, `retarget` does.

    Clips are written in the format `form` (bvh, glb, npz), or each in its own.

    Raises:
        FileProblem: no such file, or no such format.
    """
    extension = f".{form.lower().lstrip('.')}" if form else ""
    if extension:
        check_can_write(Path(f"clip{extension}"))
    usual = "correct_clip.yaml" if to is None else "retarget_clip.yaml"
    path = recipe or Path(job.__file__).with_name(usual)
    body = () if to is None else (Change(("character", "to"), str(to), f"--to {to}", Path.cwd()),)
    # Seen from here, not from where a worker stands.
    given = [typed_change(each) if isinstance(each, str) else each for each in changes]
    text = read_bytes(path).decode("utf-8-sig", "replace")
    return Order(str(path.absolute()), text, (*body, *given), tuple(without), extension, pages)
