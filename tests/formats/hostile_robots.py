"""Robots that would read other files, end the process, hang it or fill its memory.

Each is made in a folder `project/robots/` beside `outside/`, which is none of its business: a robot
and a mesh whose names and masses are seen in the result if either was read.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

CUBE = "\n".join(
    [f"v {x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    + ["f 1 2 4", "f 1 4 3", "f 5 7 8", "f 5 8 6", "f 1 5 6", "f 1 6 2"]
    + ["f 3 4 8", "f 3 8 7", "f 1 3 7", "f 1 7 5", "f 2 6 8", "f 2 8 4"]
)
BALL = "<geom size='.1'/>"
FREE = f"<body name='base'><freejoint/>{BALL}"
THEIRS = f"<mujoco><worldbody><body name='theirs'><joint/>{BALL}</body></worldbody></mujoco>"
SECRET = "theirs"

Make = Callable[[Path], bytes | str]


@dataclass(frozen=True)
class Hostile:
    """A robot of a stranger."""

    name: str
    make: Make
    """Writes what the robot needs into its folder; returns the robot itself."""
    loads: bool = False
    """It does no harm where its bad part is left out; all others are refused."""
    suffix: str = ".xml"
    needs_pipes: bool = False
    only_confined: bool = False
    """Refused by servers only: on a user's own machine the user's links are followed."""
    is_slow: bool = False
    """It takes MuJoCo to a limit of time or memory."""

    def written(self, folder: Path, name: str = "robots") -> Path:
        """The robot, in a folder of its own below `project`; see the module."""
        robots, outside = folder / "project" / name, folder / "outside"
        robots.mkdir(parents=True)
        outside.mkdir(exist_ok=True)
        (outside / "theirs.xml").write_text(THEIRS, encoding="utf-8")
        (outside / "theirs.obj").write_text(CUBE, encoding="utf-8")
        content = self.make(robots)
        path = robots / f"robot{self.suffix}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path


def world(bodies: str, before: str = "", after: str = "") -> str:
    return f"<mujoco>{before}<worldbody>{bodies}</worldbody>{after}</mujoco>"


def meshed(file: str, mesh: str = "", compiler: str = "") -> str:
    """A robot whose mass depends on a mesh."""
    return world(
        "<body name='base'><freejoint/><geom type='mesh' mesh='m'/></body>",
        f"{compiler}<asset><mesh name='m' file={file!r} {mesh}/></asset>",
    )


def urdf(inside: str = "", link: str = "") -> str:
    mass = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
    return f"<robot name='r'><link name='base'>{mass}</inertial>{link}</link>{inside}</robot>"


def plain(content: bytes | str) -> Make:
    return lambda _: content


def beside(content: bytes | str, **files: bytes | str) -> Make:
    """With other files in its folder; `__` in a name stands for a dot, `___` for a slash."""

    def make(folder: Path) -> bytes | str:
        for name, text in files.items():
            path = folder / name.replace("___", "/").replace("__", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return content

    return make


def including(file: str) -> str:
    return f"<mujoco><include file={file!r}/></mujoco>"


def attaching(file: str, *, name: str = "theirs") -> str:
    attach = f"<attach model='m' body='{name}' prefix='x'/>"
    return world(f"{FREE}{attach}</body>", f"<asset><model name='m' file={file!r}/></asset>")


def absolute(form: Callable[[str], str], name: str) -> Make:
    return lambda folder: form((folder.parent.parent / "outside" / name).as_posix())


def linked(form: str, name: str, link: str) -> Make:
    def make(folder: Path) -> str:
        (folder / link).symlink_to(folder.parent.parent / "outside" / name)
        return form

    return make


def piped(content: str, name: str) -> Make:
    def make(folder: Path) -> str:
        os.mkfifo(folder / name)
        return content

    return make


def chain(count: int) -> Make:
    """Models that each take in the next."""

    def make(folder: Path) -> str:
        for k in range(count):
            (folder / f"m{k}.xml").write_text(including(f"m{k + 1}.xml"), encoding="utf-8")
        (folder / f"m{count}.xml").write_text(THEIRS, encoding="utf-8")
        return including("m0.xml")

    return make


def doubling(count: int) -> Make:
    """Models of which each attaches the next twice."""

    def make(folder: Path) -> str:
        (folder / f"m{count}.xml").write_text(THEIRS, encoding="utf-8")
        text = ""
        for k in reversed(range(count)):
            both = "".join(f"<attach model='m' body='theirs' prefix='{p}{k}'/>" for p in "xy")
            text = world(
                f"<body name='theirs'><joint/>{BALL}{both}</body>",
                f"<asset><model name='m' file='m{k + 1}.xml'/></asset>",
            )
            (folder / f"m{k}.xml").write_text(text, encoding="utf-8")
        return text

    return make


def doubled_here(count: int) -> str:
    """Bodies of which each attaches the one before twice."""
    rows = [f"<body name='b0'><joint/>{BALL}</body>"]
    for k in range(count):
        both = "".join(f"<attach body='b{k}' prefix='{p}{k}'/>" for p in "xy")
        rows.append(f"<body name='b{k + 1}'><joint/>{BALL}{both}</body>")
    return world("".join(rows))


def doubled_unseen(count: int) -> str:
    """The same by the names that bodies have once they are attached: no reader can count these."""
    rows = [f"<body name='c0'><joint/>{BALL}</body>"]
    for k in range(count):
        both = "".join(f"<attach body='z{k}c{k}' prefix='{p}{k}'/>" for p in "xy")
        rows.append(f"<body name='h{k}'>{BALL}<attach body='c{k}' prefix='z{k}'/></body>")
        rows.append(f"<body name='c{k + 1}'><joint/>{BALL}{both}</body>")
    return world("".join(rows))


def replicated(*counts: int | str) -> str:
    text = f"<body><joint/>{BALL}</body>"
    for count in counts:
        text = f"<replicate count='{count}' offset='1 0 0'>{text}</replicate>"
    return world(f"{FREE}{text}</body>")


def binary_stl(triangles: int, said: int | None = None) -> bytes:
    facet = bytes(12) + b"\0\0\0\0" * 9 + b"\0\0"
    return bytes(80) + (said or triangles).to_bytes(4, "little") + facet * triangles


def bumpy(count: int) -> str:
    """A mesh in the file itself, all of whose vertices are on its hull."""
    points = " ".join(
        f"{(k * 37 % 101 - 50) / 50:.3f} {(k * 61 % 103 - 51) / 51:.3f} {k / count:.6f}"
        for k in range(count)
    )
    return world(
        "<body name='base'><freejoint/><geom type='mesh' mesh='m'/></body>",
        f"<asset><mesh name='m' inertia='convex' vertex='{points}'/></asset>",
    )


GOOD = world(f"{FREE}<body name='tip' pos='0 0 1'><joint name='j'/>{BALL}</body></body>")
DECLARED = "<?xml version='1.0' encoding='{}'?>"


def declared(encoding: str, codec: str = "utf-8", text: str = GOOD) -> Make:
    return plain((DECLARED.format(encoding) + text).encode(codec))


OUT = "../../outside/"
ESCAPES = (
    Hostile("an include outside", plain(including(f"{OUT}theirs.xml"))),
    Hostile("an absolute include", absolute(including, "theirs.xml")),
    Hostile("an include of a device", plain(including("/dev/zero"))),
    Hostile("an include in a namespace", plain(
        f"<mujoco xmlns='urn:x'><include file='{OUT}theirs.xml'/></mujoco>")),
    Hostile("an include in a prefix", plain(
        f"<mujoco xmlns:x='urn:x'><x:include file='{OUT}theirs.xml'/></mujoco>")),
    Hostile("an include in capitals", plain(
        f"<mujoco><INCLUDE file='{OUT}theirs.xml'/></mujoco>")),
    Hostile("an include below mujocoinclude", beside(
        including("a.xml"),
        a__xml=f"<mujocoinclude xmlns='u'><include file='{OUT}theirs.xml'/></mujocoinclude>")),
    Hostile("an include whose name has a line break", plain(
        f"<mujoco><include file='\n{OUT}theirs.xml'/></mujoco>")),
    Hostile("an include whose name has a written line break", plain(
        f"<mujoco><include file='{OUT}&#10;theirs.xml'/></mujoco>")),
    Hostile("an include whose name has entities", plain(
        "<mujoco><include file='&#46;&#46;/../outside/theirs.xml'/></mujoco>")),
    Hostile("an include behind a bracket", plain(
        f"<mujoco><include x='>' file='{OUT}theirs.xml'/></mujoco>")),
    Hostile("an include with backslashes", plain(including("..\\..\\outside\\theirs.xml"))),
    Hostile("an include on another machine", plain(including("//server.invalid/share/a.xml"))),
    Hostile("an include on a drive", plain(including("C:/outside/theirs.xml"))),
    Hostile("an include by its address", plain(including("file:///etc/passwd"))),
    Hostile("an include far down", plain(world(
        f"{FREE}<frame><body><include file='{OUT}theirs.xml'/></body></frame></body>"))),
    Hostile("a mesh outside", plain(meshed(f"{OUT}theirs.obj"))),
    Hostile("an absolute mesh", absolute(meshed, "theirs.obj")),
    Hostile("a mesh whose name has a line break", plain(meshed(f"{OUT}&#10;theirs.obj"))),
    Hostile("a folder of meshes outside", plain(
        meshed("theirs.obj", compiler=f"<compiler meshdir='{OUT}'/>"))),
    Hostile("an absolute folder of meshes", absolute(
        lambda path: meshed("theirs.obj", compiler=f"<compiler meshdir='{path}'/>"), "")),
    Hostile("a folder of assets outside", plain(
        meshed("theirs.obj", compiler=f"<compiler assetdir='{OUT}'/>"))),
    Hostile("a folder of meshes outside, from an include", beside(
        meshed("theirs.obj", compiler="<include file='a.xml'/>"),
        a__xml=f"<mujoco><compiler meshdir='{OUT}'/></mujoco>")),
    Hostile("a folder of meshes outside, in two halves", plain(
        meshed("../outside/theirs.obj", compiler="<compiler meshdir='..'/>"))),
    Hostile("a mesh that is a device", plain(meshed("/dev/zero"))),
    Hostile("a model outside", plain(attaching(f"{OUT}theirs.xml"))),
    Hostile("an absolute model", absolute(attaching, "theirs.xml")),
    Hostile("a model whose mesh is outside", beside(
        attaching("a.xml", name="base"), a__xml=meshed(f"{OUT}theirs.obj"))),
    Hostile("a model whose include is outside", beside(
        attaching("a.xml"), a__xml=including(f"{OUT}theirs.xml"))),
    Hostile("an entity outside", plain(
        f"<!DOCTYPE mujoco [<!ENTITY x SYSTEM '{OUT}theirs.xml'>]><mujoco>&x;</mujoco>")),
    Hostile("pictures, heights and skins outside are left out", plain(world(
        f"{FREE}<geom type='hfield' hfield='h'/><geom size='1' material='s' mass='0'/></body>",
        f"<compiler texturedir='{OUT}'/><asset><texture type='2d' name='t' file='theirs.obj'/>"
        f"<hfield name='h' file='{OUT}theirs.obj' size='1 1 1 1'/>"
        f"<material name='s' texture='t'/><skin file='/dev/zero'/></asset>")), loads=True),
    Hostile("URDF: meshes are left out", plain(urdf(
        link="<visual><geometry><mesh filename='file:///dev/zero'/></geometry></visual>"
        f"<collision><geometry><mesh filename='package://{OUT}theirs.obj'/></geometry>"
        "</collision>")), loads=True, suffix=".urdf"),
    Hostile("URDF: an include in its compiler", plain(urdf(
        f"<mujoco><compiler/><include file='{OUT}theirs.xml'/></mujoco>")),
        loads=True, suffix=".urdf"),
)  # fmt: skip
"""Named for what leads out of the folder."""

LINKS = (
    Hostile("an include that is a link", linked(including("a.xml"), "theirs.xml", "a.xml"),
            only_confined=True),
    Hostile("a mesh that is a link", linked(meshed("a.obj"), "theirs.obj", "a.obj"),
            only_confined=True),
    Hostile("an include that is a pipe", piped(including("a.xml"), "a.xml"), needs_pipes=True),
    Hostile("a mesh that is a pipe", piped(meshed("a.obj"), "a.obj"), needs_pipes=True),
    Hostile("a model that is a pipe", piped(attaching("a.xml"), "a.xml"), needs_pipes=True),
)  # fmt: skip
"""Files that are none."""

LOOPS = (
    Hostile("it includes itself", plain(including("robot.xml"))),
    Hostile("two that include each other", beside(
        including("a.xml"), a__xml=including("robot.xml"))),
    Hostile("the same include twice", beside(
        "<mujoco><include file='a.xml'/><include file='./a.xml'/></mujoco>", a__xml=THEIRS)),
    Hostile("it attaches itself", plain(attaching("robot.xml", name="base"))),
    Hostile("two that attach each other", beside(
        attaching("a.xml", name="base"), a__xml=attaching("robot.xml", name="base"))),
    Hostile("a body that attaches itself", plain(world(
        f"{FREE}<attach body='base' prefix='x'/></body>"))),
    Hostile("bodies that attach each other", plain(world(
        f"<body name='a'>{BALL}<attach body='b' prefix='x'/></body>"
        f"<body name='b'>{BALL}<attach body='a' prefix='y'/></body>"))),
    Hostile("a long chain of includes", chain(1000)),
    Hostile("models that double", doubling(24)),
    Hostile("bodies that double", plain(doubled_here(24))),
    Hostile("bodies that double unseen", plain(doubled_unseen(24)), is_slow=True),
)  # fmt: skip
"""Of files and bodies that take in each other."""

HUGE = (
    Hostile("a billion copies", plain(replicated(10**9))),
    Hostile("copies of copies", plain(replicated(100, 100, 100, 100))),
    Hostile("ten thousand copies", plain(replicated(10_000))),
    Hostile("copies without end", plain(replicated("1e300"))),
    Hostile("a negative number of copies", plain(replicated(-5))),
    Hostile("100,000 bodies", plain(world(f"{FREE}{f'<body>{BALL}</body>' * 100_000}</body>"))),
    Hostile("bodies 400 deep", plain(world(f"<body>{BALL}" * 400 + "</body>" * 400))),
    Hostile("bodies 100,000 deep", plain(world("<body>" * 100_000 + "</body>" * 100_000))),
    Hostile("frames 10,000 deep", plain(world("<frame>" * 10_000 + "</frame>" * 10_000))),
    Hostile("five million elements", plain(world("<a/>" * 5_000_000))),
    Hostile("two million attributes", plain(
        world("<body " + " ".join(f"a{k}=''" for k in range(2_000_000)) + "/>"))),
    Hostile("a file of 40 MB", plain("<mujoco>" + " " * 40_000_000 + "</mujoco>")),
    Hostile("includes of 40 MB together", beside(
        "<mujoco><include file='a.xml'/><include file='b.xml'/></mujoco>",
        a__xml="<mujoco>" + " " * 20_000_000 + "</mujoco>",
        b__xml="<mujoco>" + " " * 20_000_000 + "</mujoco>")),
    Hostile("a name of a megabyte", plain(GOOD.replace("tip", "x" * 1_000_000))),
    Hostile("a file name of a megabyte", plain(including("x" * 1_000_000))),
    Hostile("3,000 joints", plain(world(
        f"{FREE}{''.join(f'<body><joint/>{BALL}</body>' for _ in range(3000))}</body>"))),
    Hostile("nested default classes", plain(
        "<mujoco>" + "".join(f"<default class='c{k}'>" for k in range(5000))
        + "</default>" * 5000 + "</mujoco>")),
    Hostile("a built-in mesh of enormous detail", plain(world(
        "<body><freejoint/><geom type='mesh' mesh='m'/></body>",
        "<asset><mesh name='m' builtin='supertorus' params='40000 1 1 1 1'/></asset>"))),
    Hostile("a built-in sphere divided 30 times", plain(world(
        "<body><freejoint/><geom type='mesh' mesh='m'/></body>",
        "<asset><mesh name='m' builtin='sphere' params='30'/></asset>"))),
    Hostile("pictures and heights of enormous size are left out", plain(world(
        f"{FREE}<geom type='hfield' hfield='h'/></body>",
        "<asset><texture type='2d' name='t' builtin='checker' width='2000000' height='200000'/>"
        "<texture type='skybox' builtin='gradient' width='100000' height='600000'/>"
        "<hfield name='h' nrow='100000' ncol='100000' size='1 1 1 1'/></asset>")), loads=True),
    Hostile("a composite of a billion bodies is left out", plain(world(
        f"{FREE}<composite type='cable' count='1000000000 1 1' offset='0 0 1'>{BALL}</composite>"
        "</body>")), loads=True),
    Hostile("a flexcomp of a billion points is left out", plain(world(
        f"{FREE}<flexcomp name='f' type='grid' count='1000 1000 1000' spacing='1 1 1'/></body>")),
        loads=True),
    Hostile("sizes of terabytes are left out", plain(
        GOOD.replace("<worldbody>", "<size memory='9000G' nuser_geom='2000000000'/><worldbody>")),
        loads=True),
    Hostile("a muscle whose length range needs a simulation", plain(GOOD.replace(
        "<worldbody>",
        "<compiler><lengthrange mode='all' inttotal='1e9' timestep='1e-6' useexisting='false'/>"
        "</compiler><worldbody>").replace(
        "</mujoco>", "<actuator><muscle joint='j'/></actuator></mujoco>")), loads=True),
    Hostile("a hull of half a million points", plain(bumpy(500_000)), is_slow=True, loads=True),
    Hostile("an STL that says four billion triangles", beside(
        meshed("a.stl"), a__stl=binary_stl(12, 2**32 - 1))),
    Hostile("an STL without volume", beside(meshed("a.stl"), a__stl=binary_stl(200_000))),
    Hostile("an OBJ of numbers that are none", beside(
        meshed("a.obj"), a__obj=CUBE.replace("v 1 1 1", "v nan inf 1e999"))),
    Hostile("an OBJ whose faces are nowhere", beside(
        meshed("a.obj"), a__obj=CUBE + "\nf 99999999 -99999999 2147483648")),
    Hostile("a mesh of noise", beside(meshed("a.stl"), a__stl=bytes(range(256)) * 4000)),
    Hostile("an empty mesh", beside(meshed("a.obj"), a__obj=b"")),
    Hostile("an MSH of enormous counts", beside(
        meshed("a.msh"), a__msh=b"\xff\xff\xff\x7f" * 4 + bytes(64))),
    Hostile("a mesh of 300 MB", beside(meshed("a.obj"), a__obj=b"#" * 300_000_000)),
)  # fmt: skip
"""Counts and sizes that no robot has."""

WORDS = (
    Hostile("an encoding nobody knows", declared("klingon")),
    Hostile("UTF-7, declared", declared("utf-7")),
    Hostile("UTF-7, hidden", declared("utf-7", "utf-7")),
    Hostile("UTF-16 that is none", declared("utf-16")),
    Hostile("UTF-16 without a mark", declared("utf-16", "utf-16-le")),
    Hostile("UTF-32", declared("utf-32", "utf-32")),
    Hostile("an encoding of bytes", declared("zlib")),
    Hostile("an encoding that escapes", declared("unicode_escape")),
    Hostile("UTF-8 that is none", plain(GOOD.replace("tip", "t\xefp").encode("latin-1"))),
    Hostile("half a UTF-16 file", plain(GOOD.encode("utf-16")[:-7])),
    Hostile("a zero byte", plain(GOOD.replace("tip", "t\0p"))),
    Hostile("a character that is none", plain(GOOD.replace("tip", "t&#xD800;p"))),
    Hostile("entities that multiply", plain(
        "<!DOCTYPE m [<!ENTITY a 'aaaaaaaaaa'>" + "".join(
            f"<!ENTITY {b} '{f'&{a};' * 10}'>"
            for a, b in zip("abcdefgh", "bcdefghi", strict=True))
        + "]><mujoco model='&i;'/>")),
    Hostile("URDF in an unknown encoding",
            plain(DECLARED.format("ebcdic-cp-be") + urdf()), suffix=".urdf"),
    Hostile("URDF with xacro left in it", plain(urdf(
        "<xacro:include filename='/dev/zero'/>").replace(
        "<robot", "<robot xmlns:xacro='http://www.ros.org/wiki/xacro'")), suffix=".urdf"),
    Hostile("URDF with a xacro number", plain(urdf().replace("value='1'", "value='${m}'")),
            suffix=".urdf"),
    Hostile("URDF whose links are a circle", plain(urdf(
        "<link name='b'/><joint name='j' type='fixed'><parent link='base'/><child link='b'/>"
        "</joint><joint name='k' type='fixed'><parent link='b'/><child link='base'/></joint>")),
        suffix=".urdf"),
    Hostile("URDF of 3,000 links", plain(urdf("".join(
        f"<link name='l{k}'/><joint name='j{k}' type='fixed'><parent link='base'/>"
        f"<child link='l{k}'/></joint>" for k in range(3000)))), suffix=".urdf"),
    Hostile("URDF in a chain of 1,900 links", plain(urdf("".join(
        f"<link name='l{k}'/><joint name='j{k}' type='fixed'><parent link='"
        f"{f'l{k - 1}' if k else 'base'}'/><child link='l{k}'/></joint>"
        for k in range(1900)))), suffix=".urdf"),
    Hostile("a plugin that is left out", plain(GOOD.replace(
        "<worldbody>", "<extension><plugin plugin='mujoco.sdf.torus'/></extension><worldbody>")),
        loads=True),
    Hostile("formats in names", plain(GOOD.replace("tip", "%s%n%s%n").replace(
        "<joint name='j'/>", "<joint name='%s%n%x' class='%s%n%s%n'/>"))),
)  # fmt: skip
"""Letters and words."""

ALL = (*ESCAPES, *LINKS, *LOOPS, *HUGE, *WORDS)
