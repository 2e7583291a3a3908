"""What a package imports to extend Poise: formats, constraints, measures and methods.

A package names what it adds in its metadata, and Poise finds it where it is installed:

    [project.entry-points."poise.formats"]
    joint_table = "my_package.joint_table:FORMAT"       # a Format

    [project.entry-points."poise.constraints"]
    carry_level = "my_package.carry_level:CONSTRAINT"   # a ConstraintKind

    [project.entry-points."poise.measures"]
    hand_level = "my_package.hand_level:MEASURES"       # a MeasureFamily

    [project.entry-points."poise.methods"]
    smooth = "my_package.smooth:METHOD"                 # a Method

The name of an entry point is the name in recipes and lists. docs/extending.md has the whole story,
`examples/extension` a package to start from. Names here load when they are used, so that a format
does not wait for the solvers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from poise.record_ranges import check_record as _check_ranges

if TYPE_CHECKING:
    from poise.arrays import Array as Array
    from poise.character import Character as Character
    from poise.character import Sites as Sites
    from poise.character import Skeleton as Skeleton
    from poise.constraints import EVERYTHING as EVERYTHING
    from poise.constraints import ConstraintKind as ConstraintKind
    from poise.constraints import Interval as Interval
    from poise.constraints import Recruit as Recruit
    from poise.constraints import Recruits as Recruits
    from poise.constraints import Scene as Scene
    from poise.constraints import Task as Task
    from poise.constraints import blended as blended
    from poise.constraints import blended_turns as blended_turns
    from poise.constraints import check_record as check_record
    from poise.constraints import find_joint as find_joint
    from poise.constraints import find_point as find_point
    from poise.constraints import point_path as point_path
    from poise.constraints import recruits_of_point as recruits_of_point
    from poise.constraints import recruits_of_turn as recruits_of_turn
    from poise.constraints import tasks_of as tasks_of
    from poise.contact import ContactSchedule as ContactSchedule
    from poise.contact import Series as Series
    from poise.environment import Environment as Environment
    from poise.errors import BadShape as BadShape
    from poise.errors import BadValue as BadValue
    from poise.errors import FileProblem as FileProblem
    from poise.errors import PoiseError as PoiseError
    from poise.errors import UnknownName as UnknownName
    from poise.formats import FileStart as FileStart
    from poise.formats import Format as Format
    from poise.formats import Lines as Lines
    from poise.formats import Parsed as Parsed
    from poise.formats import atomic_write as atomic_write
    from poise.formats import number_from as number_from
    from poise.formats import read_bytes as read_bytes
    from poise.formats import read_text as read_text
    from poise.formats import sites_of as sites_of
    from poise.measures import Figures as Figures
    from poise.measures import MeasureFamily as MeasureFamily
    from poise.measures import MeasureKind as MeasureKind
    from poise.methods import ConstraintReport as ConstraintReport
    from poise.methods import Edit as Edit
    from poise.methods import Method as Method
    from poise.methods import Progress as Progress
    from poise.methods import ProgressCallback as ProgressCallback
    from poise.methods import Result as Result
    from poise.methods import Takes as Takes
    from poise.motion import Clip as Clip
    from poise.motion import Provenance as Provenance
    from poise.units import Unit as Unit

_HOMES = {
    "poise.arrays": "Array",
    "poise.character": "Character Sites Skeleton",
    "poise.constraints": (
        "EVERYTHING ConstraintKind Interval Recruit Recruits Scene Task blended "
        "blended_turns check_record find_joint find_point point_path recruits_of_point "
        "recruits_of_turn tasks_of"
    ),
    "poise.contact": "ContactSchedule Series",
    "poise.environment": "Environment",
    "poise.errors": "BadShape BadValue FileProblem PoiseError UnknownName",
    "poise.formats": (
        "FileStart Format Lines Parsed atomic_write number_from read_bytes read_text sites_of"
    ),
    "poise.measures": "Figures MeasureFamily MeasureKind",
    "poise.methods": "ConstraintReport Edit Method Progress ProgressCallback Result Takes",
    "poise.motion": "Clip Provenance",
    "poise.units": "Unit",
}
"""The same for when they are used."""

_HOME_OF = {name: module for module, names in _HOMES.items() for name in names.split()}


def check_settings(settings: object) -> None:
    """Raise unless every field of a record is in the range of its annotation.

    Raises:
        BadValue: the first that is not, by its name.
    """
    _check_ranges(settings)


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"poise.extend has no {name}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return sorted([*_HOME_OF, "check_settings"])
