"""A place from a file: a mesh, or an environment file that may name several."""

from __future__ import annotations

from pathlib import Path

from poise.environment.environment import Environment
from poise.environment.ground import UP, Ground
from poise.errors import BadValue, FileProblem, nearest_name
from poise.formats import EXTENSIONS as MESH_EXTENSIONS

PLACE_EXTENSIONS = (".yaml", ".yml", ".json")


def load_environment(
    path: str | Path, *, unit: str | None = None, up: str | None = None, ground: bool = True
) -> Environment:
    """Read a place from an OBJ, STL or glTF mesh, or from an environment file (YAML, JSON).

    Each connected piece of a mesh becomes the convex part around it. Level ground is put under a
    mesh: at height 0, or at its lowest point if that is lower. What was assumed is in `notes`.

    Args:
        path: the file; its extension says what it is.
        unit: length unit of a mesh (`cm`, or metres per unit as a number); metres when neither
            you nor the file says.
        up: the up axis of a mesh, "y" or "z".
        ground: whether a mesh gets level ground under it.

    Raises:
        FileProblem: with what is wrong, and the line where there are lines.
    """
    path = Path(path)
    extension = path.suffix.lower()
    if extension in PLACE_EXTENSIONS:
        if unit is not None or up is not None:
            raise BadValue("unit and up", "left out for environment files", (unit, up))
        from poise.environment.place_file import read_place

        return read_place(path)
    if extension in MESH_EXTENSIONS:
        return _from_mesh(path, unit, up, ground)
    known = (*PLACE_EXTENSIONS, *MESH_EXTENSIONS)
    near = nearest_name(extension, known) if extension else None
    raise FileProblem(
        path,
        "an extension that a place can be read from",
        f"'{extension}'" if extension else "none",
        advice=(f"Did you mean '{near}'? " if near else "") + f"Known: {', '.join(known)}.",
    )


def _from_mesh(path: Path, unit: str | None, up: str | None, ground: bool) -> Environment:
    from poise.environment.mesh_parts import read_parts

    parts, notes = read_parts(path, unit=unit, up=up)
    if not ground:
        return Environment(parts, notes)
    lowest = min(float((part.vertices_m @ UP).min()) for part in parts)
    height = min(0.0, lowest)
    under = f"Level ground put under {path.name}, at height {height:.4g} m."
    return Environment((Ground(height), *parts), (*notes, under))
