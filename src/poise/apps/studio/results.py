"""What runs have made, on disk beside the history: it took long, and is there after a restart.

Plain clips and JSON. A project may be anybody's, so nothing is unpickled. Families are not kept:
they are built anew.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np

from poise.apps.studio.solving import Solution
from poise.contact import ContactSchedule, read_contacts, write_contacts
from poise.environment import scaled
from poise.errors import PoiseError
from poise.formats import atomic_write, load_clip, read_bytes, save_clip
from poise.job import Recipe, Subject, load_pattern
from poise.motion import Clip

MOST_RESULTS = 8
_FACTS = "facts.json"
_LAST, _KNOWN = "contacts.json", "known_contacts.json"


def save_result(folder: Path, key: str, solution: Solution) -> None:
    """Keep what a recipe has come to; old ones go.

    Raises:
        PoiseError, OSError: what the system refuses.
    """
    if solution.family is not None:
        return
    place = folder / key
    place.mkdir(parents=True, exist_ok=True)
    for index, clip in enumerate(solution.clips):
        save_clip(clip, place / f"clip-{index}.npz")
    save_clip(solution.start, place / "start.npz")
    known = solution.prepared.contacts
    for name, contacts in ((_LAST, solution.contacts), (_KNOWN, known)):
        if contacts is not None:
            write_contacts(contacts, place / name)
    coefficients = None if solution.scatter is None else solution.scatter[1]
    facts = {
        "clips": len(solution.clips), "status": solution.status, "summary": solution.summary,
        "notes": solution.notes, "met": solution.met, "scale": solution.scale,
        "coefficients": None if coefficients is None else np.asarray(coefficients).tolist(),
        "unknown": solution.unknown,
    }  # fmt: skip
    atomic_write(place / _FACTS, json.dumps(facts).encode())  # last: without it there is nothing
    whole = sorted(folder.glob(f"*/{_FACTS}"), key=lambda path: path.stat().st_mtime)
    for old in whole[:-MOST_RESULTS]:
        shutil.rmtree(old.parent, ignore_errors=True)


def load_result(folder: Path, key: str, recipe: Recipe, prepared: Subject) -> Solution | None:
    """What a run has made of a recipe; None where there is nothing, or nothing whole."""
    place = folder / key
    try:
        facts = json.loads(read_bytes(place / _FACTS))
        clips = tuple(load_clip(place / f"clip-{i}.npz") for i in range(int(facts["clips"])))
        after = prepared
        if prepared.target is not None:
            known = read_contacts(place / _KNOWN)
            after = _on_target(prepared, clips[0], float(facts["scale"]), known)
        before = after.moved_from or after
        contacts = read_contacts(place / _LAST) if (place / _LAST).is_file() else None
        scatter = None
        if recipe.steps[-1].pattern is not None:
            now = facts["coefficients"]
            pattern = load_pattern(recipe.folder / recipe.steps[-1].pattern)
            scatter = pattern, None if now is None else np.array(now, dtype=np.float64)
        return Solution(
            prepared=after, clips=clips, contacts=contacts,
            start=load_clip(place / "start.npz"), start_character=before.character,
            status=str(facts["status"]), summary=str(facts["summary"]),
            notes=tuple(map(str, facts["notes"])),
            met={str(name): (bool(met), str(worst)) for name, (met, worst) in facts["met"].items()},
            scatter=scatter, scale=float(facts["scale"]),
            unknown=tuple((int(first), int(stop)) for first, stop in facts.get("unknown", ())),
        )  # fmt: skip
    except (PoiseError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        return None


def _on_target(prepared: Subject, clip: Clip, scale: float, contacts: ContactSchedule) -> Subject:
    """As `retarget` leaves it: the other body, the place at its size."""
    grounds = prepared.environment.grounds
    height = float(grounds[0].heights_m(np.zeros(3))) if grounds else 0.0
    place = scaled(prepared.environment, scale, np.array([0.0, height, 0.0]))
    assert prepared.target is not None
    return prepared.on_body(prepared.target, clip, contacts, place)
