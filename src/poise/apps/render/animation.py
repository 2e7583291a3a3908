"""Short animations: a steady eye on the whole motion, or one that goes along."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from scipy.ndimage import gaussian_filter1d

import poise.apps.render.palette as palette
from poise.apps.render.camera import Camera, framed, view_axes
from poise.apps.render.ground import SQUARE_M
from poise.apps.render.layout import draw_legend
from poise.apps.render.palette import color_table, write
from poise.apps.render.scene import (
    Scene,
    Stage,
    draw,
    figure_solids,
    marks_of,
    part_solid,
    prop_points,
)
from poise.apps.render.strip import draw_strip
from poise.arrays import Array
from poise.errors import BadValue, FileProblem, MissingExtra
from poise.formats import atomic_write

FPS = 25
WIDTH = 640
HEIGHTS = (360, 560)
SMALLEST_FIGURE = 0.42
"""Share of the picture's height; a motion that goes so far that its figure comes out smaller is
followed by the eye instead."""
MOVING_VIEW = "three-quarter"
EYE = 5.0
"""Distance of the eye, in sizes of what it sees."""
GIF_COLORS = 160
MARGIN_PX = (14, 40, 14, 34)
_FOLLOW_SMOOTH_S = 0.35
_SAMPLED = 24
"""Frames that say where a motion goes."""


def frames_at(stage: Stage, fps: float = FPS) -> list[int]:
    """The clip's frames nearest to each picture of an animation."""
    clip = stage.figure.clip
    count = int(np.floor(clip.duration_s * fps + 1e-9)) + 1
    wanted = np.round(np.arange(count) / fps * clip.rate_hz).astype(int)
    return np.minimum(wanted, clip.frame_count - 1).tolist()


def draw_frames(
    stage: Stage,
    *,
    view: str = MOVING_VIEW,
    size: tuple[int, int] | None = None,
    title: str = "",
    samples: int = 2,
    fps: float = FPS,
    every: int = 1,
) -> Iterator[Image.Image]:
    """One picture after another, or only one in so many."""
    axes = view_axes(view, stage.figure.travel_direction(range(stage.figure.clip.frame_count)))
    whole = _sampled_points(stage)
    stand = np.concatenate([*whole, prop_points(stage)])
    camera = _camera(axes, stand, size)
    path = None
    tallest = max(float(np.ptp(p @ axes[1])) for p in whole)
    if tallest * camera.pixels_per_m < SMALLEST_FIGURE * camera.height:
        camera, path = _following(stage, axes, whole, (camera.width, camera.height))
    parts = stage.part_triangles_m
    fixed = [] if parts is None else [part_solid(parts, np.zeros(3))]
    for frame in frames_at(stage, fps)[::every]:
        solids = [*figure_solids(stage, frame, np.zeros(3)), *fixed]
        eye = camera if path is None else replace(camera, center_m=camera.center_m + path[frame])
        scene = Scene(solids, stage.plane, [marks_of(stage, frame, np.zeros(3))], stand)
        picture = draw(scene, eye, samples=samples)
        draw_legend(picture, stage, "", MARGIN_PX[0])
        seconds = (frame + stage.first_frame) / stage.figure.clip.rate_hz
        _caption(picture, stage, title, seconds)
        yield picture


def _sampled_points(stage: Stage) -> list[Array]:
    """Vertices of the figure, and of the ghost, in some frames."""
    both = (stage.figure,) if stage.ghost is None else (stage.figure, stage.ghost)
    return [each.posed(f)[0] for each in both for f in stage.figure.some_frames(_SAMPLED)]


def _camera(
    axes: tuple[Array, Array, Array], points: Array, size: tuple[int, int] | None
) -> Camera:
    wide, tall = float(np.ptp(points @ axes[0])), float(np.ptp(points @ axes[1]))
    distance = EYE * max(wide, tall)
    if size is None:
        free = WIDTH - MARGIN_PX[0] - MARGIN_PX[2]
        height = int(np.clip(free * tall / wide + MARGIN_PX[1] + MARGIN_PX[3], *HEIGHTS))
        size = (WIDTH, height - height % 2)
    return framed(axes, size, points, MARGIN_PX, distance_m=distance)


def _following(
    stage: Stage, axes: tuple[Array, Array, Array], whole: list[Array], size: tuple[int, int]
) -> tuple[Camera, Array]:
    """An eye that goes with the root, and (F, 3) its way."""
    clip = stage.figure.clip
    roots = clip.root_positions_m * np.array([1.0, 0.0, 1.0])
    smooth = gaussian_filter1d(roots, _FOLLOW_SMOOTH_S * clip.rate_hz, axis=0, mode="nearest")
    ways = [smooth[f] for f in stage.figure.some_frames(_SAMPLED)]
    near = [cloud - way for cloud, way in zip(whole, chain(ways, ways), strict=False)]
    return _camera(axes, np.concatenate(near), size), smooth


def _caption(picture: Image.Image, stage: Stage, title: str, seconds: float) -> None:
    paint = ImageDraw.Draw(picture)
    y = picture.height - 16
    write(paint, (MARGIN_PX[0], y), f"{seconds:.2f} s", 15, halo=True)
    scale = f"floor squares {SQUARE_M:g} m" if stage.plane is not None else ""
    words = " · ".join(part for part in (title, scale) if part)
    place = (picture.width - MARGIN_PX[0], y)
    write(paint, place, words, 12, color=palette.FAINT_INK, align="right", halo=True)


def as_gif(frames: Iterable[Image.Image], chosen: Sequence[Image.Image], fps: float = FPS) -> bytes:
    """An endless GIF: one palette for all pictures and no dithering, so that it stays small.

    Args:
        frames: the pictures; they are held with their palette, a byte a pixel.
        chosen: some of them, whose colours the palette is of.
        fps: pictures a second.
    """
    sheet = Image.new("RGB", (chosen[0].width, sum(p.height for p in chosen)))
    for i, picture in enumerate(chosen):
        sheet.paste(picture, (0, i * chosen[0].height))
    table = color_table(sheet, GIF_COLORS)
    indexed = [p.quantize(palette=table, dither=Image.Dither.NONE) for p in frames]
    out = io.BytesIO()
    indexed[0].save(
        out, "GIF", save_all=True, append_images=indexed[1:], loop=0,
        duration=round(1000 / fps), optimize=False, disposal=1,
    )  # fmt: skip
    return out.getvalue()


def as_mp4(frames: Iterator[Image.Image], fps: float = FPS) -> bytes:
    """An H.264 film that browsers and players show.

    Raises:
        MissingExtra: PyAV is not installed.
    """
    try:
        import av
    except ImportError:
        raise MissingExtra("Writing .mp4", "video") from None
    out = io.BytesIO()
    with av.open(out, "w", format="mp4") as film:
        stream = film.add_stream("libx264", rate=Fraction(fps).limit_denominator(1001))
        stream.pix_fmt = "yuv420p"
        stream.options = {"crf": "20", "preset": "medium"}
        for i, picture in enumerate(frames):
            even = picture.crop((0, 0, picture.width & ~1, picture.height & ~1))
            if i == 0:
                stream.width, stream.height = even.size
            for packet in stream.encode(av.VideoFrame.from_image(even)):
                film.mux(packet)
        for packet in stream.encode():
            film.mux(packet)
    return out.getvalue()


STILL, MOVING = (".png",), (".gif", ".mp4")
LARGEST_PX = 8192
MOST_PIXELS = 3840 * 2160
"""Of one picture: with its rays and marks, each takes about 50 bytes."""
MOST_PICTURES = 3000
"""Two minutes are enough for anyone to look at."""
MOST_GIF_PIXELS = 2**28
"""Of all pictures of a GIF together, which it holds in memory; a film (.mp4) does not."""


def check_picture_path(path: Path) -> None:
    """Raise unless the extension is one of a picture."""
    known = (*STILL, *MOVING)
    if path.suffix.lower() not in known:
        raise FileProblem(
            path, f"a picture ({', '.join(known)})", f"'{path.suffix}'" if path.suffix else "none"
        )


def write_picture(
    path: Path,
    stage: Stage,
    *,
    view: str | None = None,
    size: tuple[int, int] | None = None,
    figures: int | None = None,
    title: str = "",
    fps: float = FPS,
) -> str:
    """Draw and write; returns what was written, in words."""
    check_picture_path(path)
    _check_size(size)
    suffix = path.suffix.lower()
    if suffix in STILL:
        picture = draw_strip(stage, view=view or "side", size=size, figures=figures, title=title)
        atomic_write(path, as_png(picture))
        return f"{picture.width}x{picture.height} pixels"
    if not 1.0 <= fps <= 60.0:
        raise BadValue("fps", "from 1 to 60", fps)
    count = int(stage.figure.clip.duration_s * fps) + 1
    if count > MOST_PICTURES:
        raise BadValue("frames", f"at most {MOST_PICTURES} pictures; choose fewer frames", count)
    if suffix == ".gif":
        data = _gif(stage, count, view=view, size=size, title=title, fps=fps)
    else:
        frames = draw_frames(stage, view=view or MOVING_VIEW, size=size, title=title, fps=fps)
        data = as_mp4(frames, fps)
    atomic_write(path, data)
    return f"{count} pictures at {fps:g} a second"


def _check_size(size: tuple[int, int] | None) -> None:
    if size is None:
        return
    asked = f"{size[0]}x{size[1]}"
    if not all(64 <= side <= LARGEST_PX for side in size):
        raise BadValue("size", f"from 64 to {LARGEST_PX} pixels each way", asked)
    if size[0] * size[1] > MOST_PIXELS:
        raise BadValue("size", f"at most {MOST_PIXELS} pixels in all (3840x2160)", asked)


def _gif(
    stage: Stage,
    count: int,
    *,
    view: str | None,
    size: tuple[int, int] | None,
    title: str,
    fps: float,
) -> bytes:
    def drawn(every: int) -> Iterator[Image.Image]:
        return draw_frames(
            stage, view=view or MOVING_VIEW, size=size, title=title, fps=fps, every=every
        )

    chosen = list(drawn(max(1, count // 6)))
    width, height = chosen[0].size
    most = MOST_GIF_PIXELS // (width * height)
    if count > most:
        allowed = f"at most {most} pictures of {width}x{height} in a GIF"
        advice = "choose fewer frames, fewer fps, a smaller size, or .mp4"
        raise BadValue("frames", f"{allowed}; {advice}", count)
    return as_gif(drawn(1), chosen, fps)


def as_png(picture: Image.Image) -> bytes:
    """The bytes of a PNG file."""
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()
