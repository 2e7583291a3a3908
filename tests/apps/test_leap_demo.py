"""Leaping in the browser: what the server answers, and the page in a real browser."""

from __future__ import annotations

import base64
import http.client
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image

from poise import rotations
from poise.apps.leap_demo.figure import LEFT, MIDDLE, RIGHT, ball_figure
from poise.apps.leap_demo.server import LeapServer
from poise.apps.leap_demo.sessions import MOST
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.errors import BadValue
from poise.job import save_family
from poise.mechanics import forward_kinematics
from poise.methods.momentum.controller import LeapController
from poise.methods.momentum.family import Family
from poise.methods.momentum.family_axes import FamilyAxis
from poise.methods.momentum.two_leaps import AXES
from poise.motion import Clip
from poise.samples import sample_character
from tests.apps.command_line import Command

CHROMIUM = next(
    (p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))), None
)
needs_browser = pytest.mark.skipif(
    CHROMIUM is None or os.name == "nt", reason="no Chromium to open the page in"
)
REACH_M = 0.4
STAGES = (
    ("ground", 0, 4), ("flight", 4, 9), ("ground", 9, 14), ("flight", 14, 19), ("ground", 19, 23)
)  # fmt: skip
PATIENCE_S = 30.0


def small_family(axes: tuple[str, ...] = AXES) -> Family:
    """Two leaps of nobody in particular: a stiff figure that is carried, waving at random."""
    skeleton = sample_character().skeleton
    rng = np.random.default_rng(5)
    frames, joints = STAGES[-1][2], skeleton.joint_count
    times = np.arange(frames)
    waves = np.sin(0.4 * times[:, None, None] + rng.uniform(0.0, 6.0, (joints, 3)))
    legs = [i for i, name in enumerate(skeleton.joint_names) if "Leg" in name or "Foot" in name]
    waves[:, [0, *legs]] = 0.0
    turns = rotations.exp(0.15 * waves)
    high = float(skeleton.offsets_m[0, 1])
    roots, poses = [], []
    for x1, z1, x2, z2 in product((-REACH_M, REACH_M), repeat=4):
        path = np.zeros((frames, 3))
        path[:, 0] = np.interp(times, [3, 9, 13, 19], [-x1, 0.0, 0.0, x2])
        path[:, 2] = np.interp(times, [3, 9, 13, 19], [-z1, 0.0, 0.0, z2])
        path[:, 1] = high
        for kind, first, stop in STAGES:
            if kind == "flight":
                part = (np.arange(first, stop) - first + 1) / (stop - first + 1)
                path[first:stop, 1] += 0.4 * part * (1.0 - part)
        roots.append(path)
        poses.append(turns)
    touching = np.zeros((frames, 2), dtype=np.bool_)
    for kind, first, stop in STAGES:
        touching[first:stop] = kind == "ground"
    stages = (0, 0, -1, -1)
    ways = ((-1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    return Family(
        tuple(
            FamilyAxis(name, stage, (-REACH_M, REACH_M), by_m=way)
            for name, stage, way in zip(axes, stages, ways, strict=True)
        ),
        Clip(skeleton, 30.0, roots[0], poses[0]),
        np.array(roots),
        np.array(poses),
        ("converged",) * 16,
        ContactSchedule(("left_foot", "right_foot"), touching, 30.0),
        STAGES,
        Environment.flat(0.0),
        np.zeros((3, 3)),
    )


@contextmanager
def serving(family: Family) -> Generator[LeapServer, None, None]:
    with LeapServer(family, sample_character()) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def family() -> Family:
    return small_family()


@pytest.fixture(scope="module")
def server(family: Family) -> Generator[LeapServer, None, None]:
    with serving(family) as running:
        yield running


def ask(
    server: LeapServer, method: str, path: str, **headers: str
) -> tuple[int, dict[str, Any] | str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8")
        is_json = answer.getheader("Content-Type") == "application/json"
        return answer.status, json.loads(text) if is_json else text
    finally:
        connection.close()


def opened(server: LeapServer) -> dict[str, Any]:
    status, figure = ask(server, "GET", "/figure")
    assert status == 200
    assert isinstance(figure, dict)
    return figure


def stepped(server: LeapServer, session: str, x: float, z: float) -> dict[str, Any]:
    status, leap = ask(server, "POST", f"/step?session={session}&x={x}&z={z}")
    assert status == 200, leap
    assert isinstance(leap, dict)
    return leap


# ---- The server ----------------------------------------------------------------------------------


def test_the_page_asks_nothing_of_the_network(server: LeapServer) -> None:
    status, page = ask(server, "GET", "/")
    assert status == 200
    assert isinstance(page, str)
    assert page.startswith("<!doctype html>")
    for target in re.findall(r"""(?:src|href|action)\s*=\s*["']([^"']*)""", page):
        assert target.startswith("data:"), target
    assert "url(" not in page
    assert "@import" not in page
    assert not re.search(r"https?://", page)
    for button in re.findall(r"<button[^>]*>[^<]*</button>", page):
        label = re.search(r'aria-label="([^"]+)"', button) or re.search(r">([^<]+)<", button)
        assert label is not None and len(label.group(1)) > 3, button


def test_the_figure_is_all_a_page_needs_to_draw(server: LeapServer) -> None:
    figure = opened(server)
    assert figure["rate_hz"] == 30.0
    assert figure["reach_m"] == REACH_M
    assert figure["ground_mm"] == 0
    assert 1400 < figure["height_mm"] < 1750
    assert figure["facing"][1] > 0.95
    count = figure["ball_count"]
    assert len(figure["radii_mm"]) == count
    assert min(figure["radii_mm"]) > 0
    used = {ball for part in figure["parts"] for hull in part["hulls"] for ball in hull}
    assert used == set(range(count))
    assert {part["side"] for part in figure["parts"]} == {MIDDLE, LEFT, RIGHT}
    assert all(figure["feet"])


def test_steps_are_those_of_the_controller(server: LeapServer, family: Family) -> None:
    session = opened(server)["session"]
    controller = LeapController(family, sample_character())
    drawn = ball_figure(family.clip.skeleton)
    asked = [(0.4, 0.0), (0.1, -0.3), (9.0, 0.2), (0.0, 0.0)]
    for x, z in asked:
        leap, played = stepped(server, session, x, z), controller.step((x, z))
        state = forward_kinematics(played.clip.skeleton, *played.clip.pose)
        found = np.array(leap["positions_mm"])
        assert found.shape == (STAGES[3][2] - STAGES[2][1], drawn.ball_count, 3)
        assert np.abs(found - 1e3 * drawn.places_m(state)).max() <= 0.5 + 1e-9
        assert leap["ground_frames"] == played.ground_frames
        assert leap["landed_m"] == pytest.approx(played.landed_m, abs=1e-4)
        assert leap["direction_m"] == pytest.approx(played.direction_m, abs=1e-4)
        assert np.allclose(leap["coming_m"], controller.coming, atol=1e-4)
    assert leap["landed_m"] == pytest.approx([0.5, -0.3])
    assert leap["direction_m"] == pytest.approx([0.4, 0.2])


def test_pages_do_not_share_a_leaper(server: LeapServer) -> None:
    one, other = opened(server)["session"], opened(server)["session"]
    for _ in range(3):
        stepped(server, one, 0.4, 0.0)
    assert stepped(server, other, 0.0, 0.0)["landed_m"] == [0.0, 0.0]
    assert stepped(server, one, 0.4, 0.0)["landed_m"] == pytest.approx([0.8, 0.0])


def test_many_pages_at_once_are_answered_each_on_its_own(server: LeapServer) -> None:
    def leaping(way: float) -> list[float]:
        session = opened(server)["session"]
        return [stepped(server, session, way, 0.0)["landed_m"][0] for _ in range(6)]

    ways = [0.4, -0.4, 0.2, -0.2, 0.3, -0.3]
    with ThreadPoolExecutor(len(ways)) as pool:
        for way, places in zip(ways, pool.map(leaping, ways), strict=True):
            assert places == pytest.approx([0.0, 0.0, *(way * k for k in (1, 2, 3, 4))])


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "x must be one number"),
        ("x=1", "z must be one number"),
        ("x=left&z=0", "got 'left'"),
        ("x=nan&z=0", "got 'nan'"),
        ("x=0&z=inf", "got 'inf'"),
        ("x=0&x=1&z=0", "x must be one number"),
    ],
)
def test_a_bad_query_is_answered_with_a_sentence(server: LeapServer, query: str, said: str) -> None:
    session = opened(server)["session"]
    status, answer = ask(server, "POST", f"/step?session={session}&{query}")
    assert status == 400
    assert isinstance(answer, dict)
    assert said in answer["problem"]
    assert answer["problem"].endswith(".")
    assert stepped(server, session, 0.0, 0.0)["landed_m"] == [0.0, 0.0]


def test_what_there_is_not_is_said(server: LeapServer) -> None:
    for path in ("/step?session=nobody&x=0&z=0", "/step?x=0&z=0"):
        status, answer = ask(server, "POST", path)
        assert status == 404
        assert isinstance(answer, dict)
        assert "reload" in answer["problem"]
    assert ask(server, "GET", "/../../etc/passwd")[0] == 404
    assert ask(server, "GET", "/step?x=0&z=0")[0] == 405
    assert ask(server, "POST", "/figure")[0] == 405


def test_pages_of_other_sites_are_sent_away(server: LeapServer) -> None:
    assert ask(server, "GET", "/figure", Host="elsewhere.example")[0] == 403
    assert ask(server, "GET", "/figure", Host=f"localhost:{server.port}")[0] == 200
    assert ask(server, "POST", "/step", **{"Content-Length": "99999999"})[0] == 413
    assert ask(server, "POST", "/step", **{"Content-Length": "many"})[0] == 413


def test_the_quietest_page_makes_room(family: Family) -> None:
    with serving(family) as server:
        first, second = opened(server)["session"], opened(server)["session"]
        for _ in range(MOST - 2):
            opened(server)
        stepped(server, first, 0.0, 0.0)
        opened(server)
        stepped(server, first, 0.0, 0.0)
        assert ask(server, "POST", f"/step?session={second}&x=0&z=0")[0] == 404


def test_another_family_and_a_taken_port_are_refused(server: LeapServer) -> None:
    other = small_family(("a", "b", "c", "d"))
    with pytest.raises(BadValue, match="two leaps"):
        LeapServer(other, sample_character())
    with pytest.raises(BadValue, match="free"):
        LeapServer(small_family(), sample_character(), server.port)
    with pytest.raises(BadValue, match="free"):
        LeapServer(small_family(), sample_character(), 99_999)


# ---- The figure ----------------------------------------------------------------------------------


def test_balls_ride_on_their_bones_and_stand_on_their_soles(family: Family) -> None:
    skeleton = family.clip.skeleton
    figure = ball_figure(skeleton)
    rest = forward_kinematics(
        skeleton, skeleton.rest_positions_m[None, 0], skeleton.rest_wxyz[None]
    )
    places = figure.places_m(rest)[0]
    low = places[:, 1] - figure.radii_m
    feet = [*figure.feet[0], *figure.feet[1]]
    assert np.abs(low[feet].min()) < 0.005
    assert low[feet].min() >= low.min() - 1e-9
    assert (places[list(figure.feet[0]), 0] > 0.0).all()
    assert (places[list(figure.feet[1]), 0] < 0.0).all()
    for part in figure.parts:
        x = np.array([places[ball, 0] for hull in part.hulls for ball in hull])
        if part.side == LEFT:
            assert x.mean() > 0.0
        elif part.side == RIGHT:
            assert x.mean() < 0.0
    # As one whole: turned and moved with the root.
    turn = rotations.exp(np.array([0.3, 1.0, -0.2]))
    turned = skeleton.rest_wxyz.copy()
    turned[0] = rotations.multiply(turn, turned[0])
    root = skeleton.rest_positions_m[0]
    moved = figure.places_m(
        forward_kinematics(skeleton, root[None] + 1.0, turned[None])
    )[0]  # fmt: skip
    assert np.allclose(moved, rotations.rotate(turn, places - root) + root + 1.0, atol=1e-9)


# ---- The command ---------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="no Ctrl-C from another process on Windows")
def test_the_command_serves_until_it_is_interrupted(family: Family, tmp_path: Path) -> None:
    path = tmp_path / "two leaps.npz"
    save_family(family, path)
    command = [sys.executable, "-c", "from poise.apps.cli.main import main; main()"]
    command += ["family", "play", str(path), "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:  # fmt: skip
        try:
            assert running.stdout is not None
            line = running.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
            assert found is not None, running.communicate()[1]
            connection = http.client.HTTPConnection("127.0.0.1", int(found.group(1)))
            connection.request("GET", "/")
            assert b"<canvas" in connection.getresponse().read()
            running.send_signal(signal.SIGINT)  # while a connection is open
            out, err = running.communicate(timeout=PATIENCE_S)
            connection.close()
        finally:
            running.kill()
    assert (running.returncode, out, err) == (0, "", "")


def test_the_command_refuses_other_families_in_one_line(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "other.npz"
    save_family(small_family(("a", "b", "c", "d")), path)
    done = command("family", "play", path, "--no-browser")
    assert done.code == 2
    assert "two leaps" in done.err
    assert len(done.err.splitlines()) == 1
    save_family(small_family(), path)
    assert command("family", "play", path, "--no-browser", "--port", 99_999).code == 2


# ---- In a browser --------------------------------------------------------------------------------

_LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
os.dup2(ends[0], 3)
os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """Chromium, told what to do through a pipe."""

    def __init__(self, profile: Path, width: int = 1000, height: int = 700) -> None:
        assert CHROMIUM is not None
        commands, self._to = os.pipe()
        self._from, answers = os.pipe()
        arguments = [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
            "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-sync", f"--user-data-dir={profile}", f"--window-size={width},{height}",
            "--remote-debugging-pipe", "about:blank",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, str(commands), str(answers), *arguments],
            pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(commands)
        os.close(answers)
        self._read, self._count, self._page = b"", 0, ""
        self.events: list[dict[str, Any]] = []
        pages = [t for t in self.do("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        target = pages[0]["targetId"]
        self._page = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.do(f"{domain}.enable")

    def do(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._page:
            message["sessionId"] = self._page
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self._read:
                more = os.read(self._from, 1 << 20)
                assert more, f"the browser has gone during {method}"
                self._read += more
            text, self._read = self._read.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def value(self, expression: str) -> Any:
        return self.do("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get(
            "value"
        )

    def until(self, what: Callable[[], Any]) -> Any:
        end = time.monotonic() + PATIENCE_S
        while not (found := what()):
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.02)
        return found

    def key(self, kind: str, code: str) -> None:
        self.do("Input.dispatchKeyEvent", type=kind, code=code, key=code)

    def mouse(self, kind: str, x: float, y: float) -> None:
        self.do("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def middle(self, element: str) -> tuple[float, float]:
        box = f"document.getElementById('{element}').getBoundingClientRect()"
        return (
            self.value(f"{box}.left + {box}.width / 2"),
            self.value(f"{box}.top + {box}.height / 2"),
        )

    def picture(self) -> np.ndarray[Any, np.dtype[np.int16]]:
        shot = base64.b64decode(self.do("Page.captureScreenshot")["data"])
        return np.array(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=np.int16)

    @property
    def asked(self) -> list[tuple[float, float]]:
        """The directions that the page has asked for."""
        urls = [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]
        queries = [parse_qs(urlsplit(url).query) for url in urls if "/step" in url]
        return [(float(query["x"][0]), float(query["z"][0])) for query in queries]

    def asks_for(self, x: float, z: float) -> bool:
        """Whether the last direction was this one."""
        self.value("0")  # whatever has happened is read
        return bool(self.asked) and self.asked[-1] == pytest.approx((x, z), abs=2e-3)

    @property
    def complaints(self) -> list[dict[str, Any]]:
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [event for event in self.events if event.get("method") in kinds]

    def close(self) -> None:
        self._page = ""
        self.do("Browser.close")
        self._process.wait(PATIENCE_S)
        os.close(self._to)
        os.close(self._from)


@pytest.fixture
def browser(tmp_path: Path) -> Generator[Browser, None, None]:
    made = Browser(tmp_path / "profile")
    try:
        yield made
    finally:
        made.close()


def drawn_share(picture: np.ndarray[Any, np.dtype[np.int16]]) -> float:
    """How much of the middle of a picture has the colours of the body."""
    middle = picture[:, picture.shape[1] // 3 : -picture.shape[1] // 3]
    return float((middle[..., 2] - middle[..., 0] > 20).mean())


@needs_browser
def test_in_a_browser_keys_lead_and_the_motion_goes_on(
    browser: Browser, server: LeapServer
) -> None:
    browser.do("Page.navigate", url=server.url)
    browser.until(lambda: browser.value("count") is not None and browser.value("count >= 2"))
    assert browser.asked[0] == (0.0, 0.0)
    before = browser.picture()
    assert drawn_share(before) > 0.01
    # The figure faces +z: up goes there, and right is −x.
    for code, wanted in (
        ("ArrowUp", (0.0, REACH_M)), ("KeyD", (-REACH_M, 0.0)), ("ArrowDown", (0.0, -REACH_M)),
        ("KeyA", (REACH_M, 0.0)),
    ):  # fmt: skip
        browser.key("rawKeyDown", code)
        browser.until(lambda wanted=wanted: browser.asks_for(*wanted))
        browser.key("keyUp", code)
    browser.until(lambda: browser.asks_for(0.0, 0.0))
    browser.key("rawKeyDown", "ArrowUp")
    browser.key("rawKeyDown", "ArrowLeft")
    browser.until(lambda: browser.asks_for(REACH_M, REACH_M))
    browser.key("keyUp", "ArrowUp")
    browser.key("keyUp", "ArrowLeft")
    browser.until(lambda: browser.asks_for(0.0, 0.0))
    # A key that is let go before the next leap is asked for still counts, once.
    told = len(browser.asked)
    browser.key("rawKeyDown", "ArrowDown")
    browser.key("keyUp", "ArrowDown")
    browser.until(lambda: browser.asks_for(0.0, 0.0) and len(browser.asked) > told + 1)
    assert browser.asked[told:].count((0.0, -REACH_M)) == 1
    assert browser.value("count") > 8
    assert np.abs(browser.picture() - before).max() > 50
    assert browser.value("document.getElementById('problem').hidden")
    assert browser.complaints == []


@needs_browser
def test_in_a_browser_it_moves_without_a_break(browser: Browser, server: LeapServer) -> None:
    """From picture to picture the pose follows the frames, over the seams between leaps too."""
    browser.do("Page.navigate", url=server.url)
    browser.until(lambda: browser.value("count >= 1"))
    browser.key("rawKeyDown", "ArrowUp")
    browser.value(
        "seen = []; plain = poseAt;"
        "poseAt = when => { const p = plain(when); seen.push([when, look.x, look.z, ...p]);"
        "return p; }; 0"
    )
    browser.until(lambda: browser.value("count >= 6"))
    seen = np.array(browser.value("seen"))
    seen = seen[np.concatenate([[True], np.diff(seen[:, 0]) > 0.0])]
    frames, moved = np.diff(seen[:, 0]), np.abs(np.diff(seen[:, 3:], axis=0)).max(axis=1)
    assert len(seen) > 20
    # Nothing in this family is faster than 0.4 m in 6 frames and a little waving; a cubic that
    # does not overshoot may be half as fast again.
    assert (moved / np.maximum(frames, 1e-3)).max() < 0.25
    followed = np.abs(np.diff(seen[:, 1:3], axis=0)).max(axis=1)
    assert (followed / np.maximum(frames, 0.25)).max() < 0.1
    assert browser.complaints == []


@needs_browser
def test_in_a_browser_the_pad_leads_too(browser: Browser, server: LeapServer) -> None:
    browser.do("Page.navigate", url=server.url)
    browser.until(lambda: browser.value("count >= 1"))
    x, y = browser.middle("right")
    browser.mouse("mousePressed", x, y)
    browser.until(lambda: browser.asks_for(-REACH_M, 0.0))
    browser.mouse("mouseReleased", x, y)
    browser.until(lambda: browser.asks_for(0.0, 0.0))
    x, y = browser.middle("pad")
    browser.mouse("mousePressed", x, y)
    browser.mouse("mouseMoved", x, y - 30)
    browser.until(lambda: browser.asks_for(0.0, 30 / (0.36 * 168) * REACH_M))
    browser.mouse("mouseReleased", x, y - 30)
    browser.until(lambda: browser.asks_for(0.0, 0.0))
    assert browser.complaints == []


@needs_browser
def test_in_a_browser_it_stands_still_for_those_who_want_that(
    browser: Browser, server: LeapServer
) -> None:
    calm = [{"name": "prefers-reduced-motion", "value": "reduce"}]
    browser.do("Emulation.setEmulatedMedia", features=calm)
    browser.do("Page.navigate", url=server.url)
    browser.until(lambda: browser.value("typeof frames === 'object' && frames.length"))
    assert browser.value("[paused, time]") == [True, 0]
    assert browser.value("document.getElementById('pause').textContent") == "Play"
    browser.until(lambda: drawn_share(browser.picture()) > 0.01)
    browser.key("rawKeyDown", "Space")
    browser.until(lambda: browser.value("count >= 3"))
    browser.key("keyUp", "Space")
    browser.key("rawKeyDown", "Space")
    halted = browser.value("[paused, time]")
    assert halted[0]
    told = len(browser.asked)
    assert browser.value("time") == halted[1]
    browser.value("0")
    assert len(browser.asked) == told
    assert browser.complaints == []


@needs_browser
def test_in_a_browser_an_ended_session_is_said(browser: Browser, family: Family) -> None:
    with serving(family) as server:
        browser.do("Page.navigate", url=server.url)
        browser.until(lambda: browser.value("count >= 1"))
        browser.value("setPaused(true)")
        browser.until(lambda: browser.value("!asking"))
        for _ in range(MOST):
            server.sessions.open()
        browser.value("setPaused(false)")
        browser.until(lambda: browser.value("!document.getElementById('problem').hidden"))
        assert "reload" in browser.value("document.getElementById('problem').textContent")
