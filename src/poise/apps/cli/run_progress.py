"""What a method says while it works: words for the terminal, and a preview as a file."""

from __future__ import annotations

from pathlib import Path

from poise.apps.cli.waiting import Say
from poise.formats import save_clip
from poise.methods import Progress
from poise.wording import counted

STAGES = {
    "contacts": "looking for contacts",
    "places": "finding places for the joints",
    "angles": "turning the joints",
    "leap": "solving the leap, step",
}


class Watching:
    """Is told how far a method is."""

    def __init__(self, say: Say, preview: Path | None = None) -> None:
        self._say = say
        self._preview = preview
        self.written: list[str] = []
        """A line about the preview, once it is written."""
        self.notes: list[str] = []

    def __call__(self, told: Progress) -> None:
        """Show it; the first preview is written."""
        words = STAGES.get(told.stage, told.stage)
        self._say(f"{words}: {told.done} of {told.total}" if told.total > 1 else words)
        if told.preview is None or self._preview is None:
            return
        path, self._preview = self._preview, None
        self.notes += save_clip(told.preview, path)
        clip = told.preview
        frames = f"{counted(clip.frame_count, 'frame')} at {clip.rate_hz:g} Hz"
        self.written.append(f"{path}: a preview before contacts were made exact, {frames}")
