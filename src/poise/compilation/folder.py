"""Where compiled kernels are kept: in a folder that nobody but this user can write to.

What is kept are pickles, and a pickle runs when it is loaded: whoever can write there runs code as
whoever loads it. Numba would also take the folder, and every other setting, from a file in the
current folder; that file is not read, also not for kernels of others once Poise is imported.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import tempfile
from collections.abc import Generator
from functools import cache
from pathlib import Path
from typing import Any

from poise.user_folders import cache_folder

_CONFIG_FILE = ".numba_config.yaml"


@contextlib.contextmanager
def _no_config_file() -> Generator[None, None, None]:
    """While Numba is imported, which looks for it then."""
    exists = os.path.exists

    def others_exist(path: str | os.PathLike[str]) -> bool:
        return path != _CONFIG_FILE and exists(path)

    os.path.exists = others_exist
    try:
        yield
    finally:
        os.path.exists = exists


with _no_config_file():
    from numba.core import config
_settings: Any = config  # its types do not know what it holds
_settings._config_fname = ""  # looked for again before each compilation
_settings.reload_config()  # somebody who imported Numba before us may have read it

_log = logging.getLogger("poise")
_refused: list[str] = []


def why_not_kept() -> str:
    """Why some kernels are kept nowhere, and compiled anew each time; empty if all are kept."""
    return _refused[0] if _refused else ""


@cache
def kernel_folder() -> str | None:
    """Where kernels are kept; None if no folder will do.

    `NUMBA_CACHE_DIR`, a whole path, comes before the user's own folder.
    """
    told = os.environ.get("NUMBA_CACHE_DIR")
    folder = told or str(cache_folder() / "kernels")
    why = ""
    if not os.path.isabs(folder):
        why = f"NUMBA_CACHE_DIR is not a whole path: {folder}"
    else:
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            why = f"no file can be written into {folder}"
        else:
            why = "" if is_own(folder) else f"others can write to {folder}"
    if why:  # said aloud, since it costs a minute each time
        _log.warning("Poise compiles in memory, each time anew: %s.", why)
        _refused.append(why)
        return None
    return folder


@cache
def is_own(folder: str) -> bool:
    """Whether nobody but this user, and the system's, can change what is in a folder.

    A relative one is not: it is wherever the current folder is. Windows has other permissions than
    the ones looked at here, and by default gives nobody else a user's folders.
    """
    if not os.path.isabs(folder):
        return False
    if os.name == "nt":
        return True
    paths = {Path(os.path.normpath(folder)), Path(os.path.realpath(folder))}
    try:
        return all(_is_out_of_reach(path) for path in paths)
    except OSError:
        return False


def _is_out_of_reach(folder: Path) -> bool:
    """Of others, on the way from the root to a folder that exists."""
    trusted = {0, os.getuid(), os.stat("/").st_uid}  # in some containers nobody owns the system
    for path in (*reversed(folder.parents), folder):
        status = path.lstat()
        if status.st_uid not in trusted:
            return False
        if stat.S_ISLNK(status.st_mode):
            continue
        others = status.st_mode & stat.S_IRWXO
        if not _is_group_of_one(status.st_gid):
            others |= (status.st_mode & stat.S_IRWXG) >> 3
        sticky = status.st_mode & stat.S_ISVTX and path != folder  # each keeps to their own there
        if others & stat.S_IWOTH and not sticky:
            return False
        if not others & stat.S_IXOTH:  # nobody gets any further
            return True
    return True


@cache
def _is_group_of_one(number: int) -> bool:
    """Whether a group is this user's own, as many systems make one for each."""
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(number)
    except KeyError:
        return False
    alone = user.pw_gid == number and group.gr_name == user.pw_name
    return alone and set(group.gr_mem) <= {user.pw_name}
