"""What must hold: one frozen record per file, and what each comes down to for a solver."""

from poise.constraints.nesting import check_nesting as check_nesting
from poise.constraints.part_move import moved_by as moved_by
from poise.constraints.part_move import rise_to_surface_m as rise_to_surface_m
from poise.constraints.record_checks import Vector as Vector
from poise.constraints.record_checks import check_record as check_record
from poise.constraints.record_checks import items as items
from poise.constraints.record_checks import number as number
from poise.constraints.record_checks import put as put
from poise.constraints.record_checks import vector as vector
from poise.constraints.record_checks import whole as whole
from poise.constraints.record_checks import words as words
from poise.constraints.recruiting import EVERYTHING as EVERYTHING
from poise.constraints.recruiting import TRANSLATION as TRANSLATION
from poise.constraints.recruiting import Recruit as Recruit
from poise.constraints.recruiting import Recruits as Recruits
from poise.constraints.recruiting import carries_weight as carries_weight
from poise.constraints.recruiting import find_joint as find_joint
from poise.constraints.recruiting import find_point as find_point
from poise.constraints.recruiting import recruits_of_point as recruits_of_point
from poise.constraints.recruiting import recruits_of_turn as recruits_of_turn
from poise.constraints.scene import FLAT as FLAT
from poise.constraints.scene import Scene as Scene
from poise.constraints.scene import blended as blended
from poise.constraints.scene import blended_turns as blended_turns
from poise.constraints.scene import point_path as point_path
from poise.constraints.shape_curve import CurveEnd as CurveEnd
from poise.constraints.shape_curve import PassPoint as PassPoint
from poise.constraints.shape_curve import ShapeCurve as ShapeCurve
from poise.constraints.shape_curve import TimeCurve as TimeCurve
from poise.constraints.shape_curve import hermite as hermite
from poise.constraints.shape_curve import kochanek_bartels as kochanek_bartels
from poise.constraints.shape_curve import shape_curve as shape_curve
from poise.constraints.stage_edits import FlightHeight as FlightHeight
from poise.constraints.stage_edits import Gravity as Gravity
from poise.constraints.stage_edits import MoveStage as MoveStage
from poise.constraints.stage_edits import StageEdit as StageEdit
from poise.constraints.table import *  # noqa: F403  (its __all__: the records and their table)
from poise.constraints.table import key_of as key_of
from poise.constraints.task import GOAL_SIZE as GOAL_SIZE
from poise.constraints.task import Interval as Interval
from poise.constraints.task import Task as Task
from poise.constraints.task import TaskKind as TaskKind
from poise.one_line import show_records as _show_records

_show_records(globals())
