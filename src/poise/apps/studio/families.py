"""Families of leaps in the studio: built by a run or read from a file, blended and steered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from poise.apps.studio import to_page as say
from poise.apps.studio import views
from poise.apps.studio.history import key_of
from poise.apps.studio.wire import Told, told
from poise.character import Character
from poise.errors import BadValue
from poise.job import Recipe, Subject, edit_of, is_family_file, load_family, vocabulary
from poise.methods import Progress
from poise.methods.momentum import Family, LeapController, Settings, build_family, two_leaps_reach_m


def family_settings(recipe: Recipe) -> Settings | None:
    """Of the last step, where it asks for a family and not for one leap."""
    asked = recipe.steps[-1].settings if recipe.steps else None
    if isinstance(asked, Settings) and (asked.family or asked.two_leaps_m is not None):
        return asked
    return None


def built(
    recipe: Recipe, settings: Settings, prepared: Subject, progress: Callable[[Progress], None]
) -> Family:
    """Solve all members of the recipe's last step.

    Raises:
        PoiseError: as `build_family`.
    """
    edit = edit_of(recipe, len(recipe.steps) - 1, prepared, prepared.clip, vocabulary())
    return build_family(edit, settings, progress=progress)


def recipe_of(family: Family, name: str) -> dict[str, object]:
    """What asks for a family that is in a file: its axes, of the captured leap in the same file."""
    asked: dict[str, object] = {"two_leaps_m": two_leaps_reach_m(family.axes)}
    if asked["two_leaps_m"] is None:
        axes = [asdict(axis).items() for axis in family.axes]
        asked = {"family": [{key: v for key, v in each if v is not None} for each in axes]}
    clip = {"file": name, "frames": [0, family.frame_count - 1], "clean": False}
    return {"poise": 1, "clip": clip, "steps": [{"momentum": {"settings": asked}}]}


def from_file(recipe: Recipe) -> Family | None:
    """The family that a recipe asks for, if the file of its clip has it; None for any other."""
    name = recipe.clip.file
    if family_settings(recipe) is None or name is None or not is_family_file(recipe.folder / name):
        return None
    family = load_family(recipe.folder / name)
    assert recipe.written is not None  # those of the studio are made from values
    same = key_of(recipe_of(family, name)) == key_of(recipe.written.plain())
    return family if same else None


@dataclass
class Played:
    """A family that is played with."""

    family: Family
    character: Character
    controller: LeapController | None = None

    def state(self, coordinate: Sequence[float] | None = None) -> Told:
        """What the pad shows: members, and how much each counts at a coordinate."""
        family = self.family
        weights = np.zeros(family.member_count)
        if coordinate is not None:
            members, shares = family.around(coordinate)
            weights[members] = shares
        grid = np.meshgrid(*(axis.values for axis in family.axes), indexing="ij")
        members = np.stack([each.ravel() for each in grid], axis=1)
        message = say.FamilyState(
            axes=tuple(axis.name for axis in family.axes),
            low=tuple(low for low, _ in family.bounds),
            high=tuple(high for _, high in family.bounds),
            statuses=tuple(str(each) for each in family.statuses),
            weights=tuple(weights.tolist()),
        )
        return told(message, members=members)

    def blended(self, coordinate: Sequence[float], number: int) -> list[Told]:
        """The leap at a coordinate, as near as the family goes.

        Raises:
            BadShape: not one number for every axis.
        """
        bounds = self.family.bounds
        if len(coordinate) != len(bounds):
            raise BadValue("coordinate", f"{len(bounds)} numbers", list(coordinate))
        inside = [min(max(v, low), high) for v, (low, high) in zip(coordinate, bounds, strict=True)]
        clip = self.family.at(inside)
        return [views.motion(clip, "live", number=number), self.state(inside)]

    def steered(self, forward: float, turn: float, number: int) -> Told:
        """One more leap of the controller: forward along z, turn along x, shares of its reach.

        Raises:
            BadValue: a family that cannot be steered.
        """
        if self.controller is None:
            self.controller = LeapController(self.family, self.character)
        reach = self.controller.reach_m
        played = self.controller.step((turn * reach, forward * reach))
        return views.motion(played.clip, "live", number=number)
