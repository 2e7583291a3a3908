"""Written files against Blender: every bone, every frame, within a tenth of a millimetre.

    python tests/blender/run.py [--pictures FOLDER]

Blender comes as the Python module `bpy` into an environment of its own, `.venv-blender`; it is
large and needs one particular Python, so none of this is part of `make test`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from poise import rotations
from poise.formats import load_clip, save_clip
from poise.formats.body_shape import body_mesh
from poise.mechanics import forward_kinematics, site_positions
from poise.motion import Clip

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("POISE_SHARED", ROOT.parent / "shared"))
CLIP = SHARED / "mocap" / "cmu" / "02_01.bvh"
ENVIRONMENT = ROOT / ".venv-blender"
BLENDER = "bpy==4.5.*"
BLENDER_PYTHON = (3, 11)
"""The one Python for which wheels of this Blender exist."""

TOLERANCE_M = 1e-4


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pictures", type=Path, help="also render the GLB into this folder")
    options = parser.parse_args()
    if not CLIP.is_file():
        print(f"real clip not found: {CLIP} (set POISE_SHARED)")
        return 1
    python = blender_python()
    clip = load_clip(CLIP)
    with tempfile.TemporaryDirectory() as folder:
        return compare(clip, Path(folder), python, options.pictures)


def compare(clip: Clip, folder: Path, python: Path, pictures: Path | None) -> int:
    assert clip.source is not None
    unit_m = clip.source.unit.metres
    again = folder / "from_blender.glb"
    files = {"glb": folder / "ours.glb", "gltf": folder / "ours.gltf", "bvh": folder / "ours.bvh"}
    tasks = []
    for kind, file in {**files, "bvh as downloaded": CLIP}.items():
        if file is not CLIP:
            save_clip(clip, file)
        bones = str(folder / f"{kind}.npz")
        tasks.append({"kind": kind, "file": str(file), "unit_m": unit_m, "bones": bones})
    tasks[2]["export"] = str(again)  # Blender's own glTF of our BVH, for our reader
    frames = [0, clip.frame_count // 2, clip.frame_count - 1]
    tasks[0].update(skin=str(folder / "skin.npz"), skin_frames=frames)
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
        tasks[0]["pictures"] = str(pictures.resolve() / "frame_")
        tasks[0]["picture_frames"] = [0, clip.frame_count // 4, clip.frame_count // 2]
    order = folder / "order.json"
    facts = {"rate_hz": clip.rate_hz, "frame_count": clip.frame_count, "tasks": tasks}
    order.write_text(json.dumps(facts), encoding="utf-8")
    script = Path(__file__).with_name("in_blender.py")
    done = subprocess.run([python, script, order], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout[-4000:], done.stderr[-4000:], sep="\n")
        return 1
    worst = 0.0
    for task in tasks:
        joints, tips = against_blender(clip, Path(task["bones"]))
        worst = max(worst, joints, tips)
        report(f"Blender reads {task['kind']}", clip, joints, tips)
    with np.load(folder / "skin.npz", allow_pickle=False) as found:
        skin = distance(ours(found["vertices"]), skinned(clip, frames))
    print(f"{'Blender skins the body':30s} {skin * 1e3:.5f} mm over {len(frames)} frames")
    back = load_clip(again)
    joints, tips = between(clip, back)
    worst = max(worst, skin, joints, tips)
    report("we read Blender's glb", back, joints, tips)
    good = worst <= TOLERANCE_M and back.frame_count == clip.frame_count
    print(f"worst {worst * 1e3:.5f} mm, allowed {TOLERANCE_M * 1e3:g} mm: {'ok' if good else 'NO'}")
    return 0 if good else 1


def report(what: str, clip: Clip, joints_m: float, tips_m: float) -> None:
    size = f"{clip.frame_count} frames, {clip.skeleton.joint_count} joints"
    print(f"{what:30s} {size}: joints {joints_m * 1e3:.5f} mm, tips {tips_m * 1e3:.5f} mm")


def against_blender(clip: Clip, bones: Path) -> tuple[float, float]:
    """Largest distance of joints and of end sites over all frames."""
    skeleton, ends = clip.skeleton, clip.skeleton.end_sites
    state = forward_kinematics(skeleton, clip.root_positions_m, clip.rotations_wxyz)
    places = site_positions(state, ends)
    with np.load(bones, allow_pickle=False) as found:
        names = [str(name) for name in found["names"]]
        heads, tails = ours(found["heads"]), ours(found["tails"])
    columns = [names.index(name) for name in skeleton.joint_names]
    joints = distance(heads[:, columns], state.positions_m)
    tips = 0.0
    for site, joint in enumerate(ends.joints.tolist()):
        # In glTF the tip is a node of its own; in BVH it is where the last bone ends.
        name = skeleton.joint_names[joint]
        own = f"{name}_end"
        seen = heads[:, names.index(own)] if own in names else tails[:, names.index(name)]
        if own not in names and np.linalg.norm(ends.offsets_m[site]) < 1e-3:
            continue  # Blender has no bones without length and makes this one longer
        tips = max(tips, distance(seen, places[:, site]))
    return joints, tips


def between(clip: Clip, other: Clip) -> tuple[float, float]:
    """Largest distance of joints, and of end sites, of one name in two clips over all frames."""
    states = [
        forward_kinematics(
            c.skeleton, c.root_positions_m, c.rotations_wxyz, c.moving_joints, c.moving_offsets_m
        )
        for c in (clip, other)
    ]
    frames = min(state.frame_count for state in states)
    columns = [other.skeleton.index(name) for name in clip.skeleton.joint_names]
    joints = distance(states[0].positions_m[:frames], states[1].positions_m[:frames, columns])
    tips = [site_positions(state, state.skeleton.end_sites)[:frames] for state in states]
    there = {columns.index(j): i for i, j in enumerate(other.skeleton.end_sites.joints.tolist())}
    order = [there[j] for j in clip.skeleton.end_sites.joints.tolist()]
    return joints, distance(tips[0], tips[1][:, order])


def skinned(clip: Clip, frames: list[int]) -> np.ndarray:
    """(frames, V, 3) the body's vertices by linear blending, from our own poses."""
    body, skeleton = body_mesh(clip.skeleton), clip.skeleton
    state = forward_kinematics(skeleton, clip.root_positions_m, clip.rotations_wxyz)
    from_rest = rotations.conjugate(skeleton.rest_world_wxyz)[body.joints]
    local = body.positions_m[:, None] - skeleton.rest_positions_m[body.joints]
    local = rotations.rotate(from_rest, local)
    placed = rotations.rotate(state.rotations_wxyz[frames][:, body.joints], local)
    placed = placed + state.positions_m[frames][:, body.joints]
    return np.sum(body.weights[:, :, None] * placed, axis=2)


def ours(points: np.ndarray) -> np.ndarray:
    """From Blender's axes (Z up) to ours (Y up)."""
    return np.stack([points[..., 0], points[..., 2], -points[..., 1]], axis=-1)


def distance(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.linalg.norm(a - b, axis=-1).max())


def blender_python() -> Path:
    """The Python of Blender's environment, which is made on first use."""
    scripts = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / ("python.exe" if os.name == "nt" else "python")
    if not works(python):
        print(f"installing {BLENDER} into {ENVIRONMENT.name} (about 1 GB, once) ...", flush=True)
        maker = suitable_python()
        subprocess.run([*maker, "-m", "venv", "--clear", str(ENVIRONMENT)], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", BLENDER]
        if subprocess.run(pip, check=False).returncode != 0 or not works(python):
            sys.exit(
                f"{BLENDER} could not be installed: it has wheels for 64-bit Windows, macOS and "
                "Linux with glibc, and needs the system's X11 and OpenGL libraries on Linux."
            )
    return python


def works(python: Path) -> bool:
    if not python.exists():
        return False
    check = subprocess.run([python, "-c", "import bpy"], capture_output=True, check=False)
    return check.returncode == 0


def suitable_python() -> list[str]:
    if sys.version_info[:2] == BLENDER_PYTHON:
        return [sys.executable]
    wanted = ".".join(map(str, BLENDER_PYTHON))
    found = shutil.which(f"python{wanted}")
    if found:
        return [found]
    if os.name == "nt" and shutil.which("py"):
        return ["py", f"-{wanted}"]
    sys.exit(f"{BLENDER} has wheels for Python {wanted} only, and no python{wanted} was found.")


if __name__ == "__main__":
    sys.exit(main())
