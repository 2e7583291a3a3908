"""The studio in a real browser: a page, whatever it asks for, and everything that it is told."""

from __future__ import annotations

import base64
import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.apps.studio.running_server import Heard, Said, Studio, unpacked

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Locator, Page

CHROMIUM = next(
    (p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))), None
)
ARGUMENTS = (
    "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
)  # fmt: skip
SMALL, LARGE = (1280, 720), (1920, 1080)
PATIENCE_S = 240.0
"""For any one thing to happen; without a graphics card a busy machine draws a few pictures a
second."""


def why_no_browser() -> str:
    """What is missing to open a page; empty: nothing."""
    if find_spec("playwright") is None:
        return "no playwright (it is among the dev dependencies)"
    return "" if CHROMIUM else "no Chromium to open the page in"


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser of this machine; none is ever downloaded."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as made:
        browser = made.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


class StudioPage:
    """One tab. All that goes wrong in it, and all hosts that it asks, are kept."""

    def __init__(
        self,
        browser: Browser,
        studio: Studio,
        size: tuple[int, int] = SMALL,
        context: BrowserContext | None = None,
        **options: Any,
    ) -> None:
        self.studio = studio
        width, height = size
        self.context = context or browser.new_context(
            viewport={"width": width, "height": height}, **options
        )
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(1e3 * PATIENCE_S)
        self.heard = Said()
        self.sent: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.forgiven: tuple[str, ...] = ()
        """Parts of complaints that a test has brought about on purpose."""
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("websocket", self._listen)
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))

    def _listen(self, socket: Any) -> None:
        self.asked.append(socket.url)
        socket.on("framereceived", self._hear)
        socket.on("framesent", lambda text: self.sent.append(json.loads(text)))

    def _hear(self, data: str | bytes) -> None:
        head_and_arrays = unpacked(data) if isinstance(data, bytes) else (json.loads(data), {})
        self.heard.append(Heard(*head_and_arrays))

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    @property
    def unforgiven(self) -> list[str]:
        return [c for c in self.complaints if not any(part in c for part in self.forgiven)]

    @property
    def strangers(self) -> list[str]:
        """Addresses that it has asked beside its own server."""
        own = (self.studio.host, "")  # "": made by the page itself, such as blob: and data:
        return [url for url in self.asked if urlsplit(url).netloc not in own]

    # Finding and doing.

    def visit(self, fragment: str = "") -> None:
        """The address that `poise studio` says; ready when something can be opened or is."""
        more = fragment.replace("#", "&")
        self.page.goto(f"{self.studio.origin}/#token={self.studio.token}{more}")
        if not fragment:
            self.by("open-sample-walk").wait_for()

    def by(self, testid: str) -> Locator:
        return self.page.get_by_test_id(testid)

    def click(self, *testids: str) -> None:
        for each in testids:
            self.by(each).click()

    def press(self, *keys: str) -> None:
        for each in keys:
            self.page.keyboard.press(each)

    def value(self, expression: str) -> Any:
        return self.page.evaluate(expression)

    def dismiss_notices(self) -> None:
        """They lie on the timeline for some seconds."""
        close = "[data-testid=notice] button"
        self.value(f"document.querySelectorAll('{close}').forEach((each) => each.click())")
        self.until(lambda: self.by("notice").count() == 0, "no notices")

    def until(
        self, what: Callable[[], Any], about: str = "something", seconds: float = PATIENCE_S
    ) -> Any:
        end = time.monotonic() + seconds
        while not (found := what()):
            assert not self.unforgiven, self.unforgiven
            assert time.monotonic() < end, f"waited in vain for {about}"
            self.page.wait_for_timeout(20)
        return found

    def picture(self, path: Path) -> Path:
        self.page.screenshot(path=path)
        return path

    def close(self) -> None:
        self.context.close()

    # What the server has said.

    def since(self, mark: int) -> Said:
        return Said(self.heard[mark:])

    def told(self, mark: int, kind: str, seconds: float = PATIENCE_S, **values: Any) -> Heard:
        """The first message of a kind since a mark; waits for it."""
        return self.until(
            lambda: next(iter(self.since(mark).all(kind, **values)), None),
            f"{kind} {values or ''}", seconds,
        )  # fmt: skip

    def after(self, act: Callable[[], Any], kind: str = "physics", **values: Any) -> Said:
        """Do something; all that is heard up to a message, by default the last one of an edit
        that is solved at once."""
        values = values or ({"which": "after"} if kind == "physics" else {})
        self.settled()
        mark = len(self.heard)
        act()
        self.told(mark, kind, **values)
        return self.since(mark)

    def settled(self) -> None:
        """Wait for the rest of what belongs to the last state that was told."""

        def whole() -> bool:
            states = [i for i, each in enumerate(self.heard) if each.kind == "document_state"]
            if not states or self.heard[states[-1]].solved != "yes":
                return True
            if self.heard[states[-1] - 1].kind == "problem":  # nothing has changed
                return True
            return bool(self.since(states[-1]).all("physics", which="after"))

        self.until(whole, "the physics of the last state")

    @property
    def state(self) -> Heard:
        return self.heard.state

    def wishes(self, step: int = 0) -> list[dict[str, Any]]:
        """Constraints of a step as the document has them, each with its `kind`."""
        (content,) = self.state.recipe["steps"][step].values()
        return [
            {"kind": kind, **values}
            for each in content.get("constraints", ())
            for kind, values in each.items()
        ]

    def wish(self, step: int = 0, **values: Any) -> tuple[int, dict[str, Any]]:
        """The one constraint that has some values, and its number in the step."""
        (found,) = [
            (index, each)
            for index, each in enumerate(self.wishes(step))
            if all(each.get(key) == value for key, value in values.items())
        ]
        return found

    def motion(self, which: str = "after") -> tuple[bytes, bytes]:
        return self.heard.motion(which)

    # Opening.

    def opened(self) -> None:
        """Wait for the figure that was just asked for."""
        self.until(
            lambda: self.value("!!window.poiseViewport?.jointWorld('right_wrist')"), "a figure"
        )

    def open_sample(self, name: str) -> Said:
        said = self.after(lambda: self.click(f"open-sample-{name}"))
        self.opened()
        return said

    def open_file(self, path: str) -> Said:
        self.by("file-filter").fill(Path(path).name)
        said = self.after(lambda: self.click(f"open-file-{path}"))
        self.opened()
        return said

    def drop(
        self,
        name: str,
        data: bytes,
        *more: tuple[str, bytes],
        over: Callable[[], Any] = lambda: None,
    ) -> None:
        """Files from the user's disk onto the window; `over` is called while they hover."""
        transfer = self.page.evaluate_handle(
            """(files) => {
                const made = new DataTransfer();
                for (const [name, text] of files) {
                    const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
                    made.items.add(new File([bytes], name));
                }
                return made;
            }""",
            [[each, base64.b64encode(held).decode()] for each, held in ((name, data), *more)],
        )
        for kind in ("dragenter", "dragover", "drop"):
            if kind == "drop":
                over()
            self.page.dispatch_event("body", kind, {"dataTransfer": transfer})

    def downloaded(self, key: str) -> tuple[str, bytes]:
        """Name and bytes of a file from the export menu."""
        self.click("export")
        with self.page.expect_download() as coming:
            self.click(f"export-{key}")
        return coming.value.suggested_filename, Path(coming.value.path()).read_bytes()

    # In the picture.

    @property
    def frame(self) -> int:
        """Where the cursor is, as the timeline says it."""
        return int(self.by("tl-frame-input").input_value())

    def go_to(self, frame: int) -> None:
        self.by("tl-frame-input").fill(str(frame))
        self.by("tl-frame-input").press("Enter")
        self.until(lambda: self.value("poiseViewport.frameShown()") == frame, f"frame {frame}")

    def drawn(self) -> None:
        """Wait for a picture of how things are now."""
        count = "poiseViewport.renderStats().frames"
        seen = self.value(f"poiseViewport.redraw(), {count}")
        self.until(lambda: self.value(count) > seen, "a picture")

    def place(self, name: str) -> tuple[float, float, float]:
        """Of a joint, a role or a handle, in metres."""
        x, y, z = self.value(f"poiseViewport.jointWorld('{name}')")
        return x, y, z

    def seen_at(self, name: str) -> tuple[float, float]:
        """The same in pixels of the page."""
        found = self.value(f"poiseViewport.project('{name}')")
        return found["x"], found["y"]

    def drag_point(self, name: str, dx: float, dy: float, dz: float, steps: int = 8) -> Said:
        """Take hold of something, move it by some metres, let go; solved when it comes back."""
        return self.after(
            lambda: self.value(f"poiseViewport.dragTo('{name}', {dx}, {dy}, {dz}, {steps})")
        )

    def drag_mouse(
        self, start: tuple[float, float], by: tuple[float, float], steps: int = 8
    ) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(start[0] + by[0], start[1] + by[1], steps=steps)
        mouse.up()

    # Running.

    def run(self, seconds: float = 300.0) -> Said:
        """Press Run; all that is heard until the result is there."""
        mark = len(self.heard)
        self.click("run")
        ended = self.told(mark, "run_ended", seconds)
        problems = self.since(mark).problem_lines()
        assert ended.how == "done", problems
        self.told(mark, "physics", which="after")
        return self.since(mark)

    def choose_method(self, name: str) -> None:
        self.after(lambda: self.by("method-select").select_option(name), "document_state")
