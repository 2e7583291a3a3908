"""What must hold: one frozen record per file, and what each comes down to for a solver."""

from poise.constraints.follow_curve import FollowCurve as FollowCurve
from poise.constraints.hold_point import HoldPoint as HoldPoint
from poise.constraints.interval import Interval as Interval
from poise.constraints.keep_distance import KeepDistance as KeepDistance
from poise.constraints.kochanek_bartels import KochanekBartels as KochanekBartels
from poise.constraints.kochanek_bartels import kochanek_bartels as kochanek_bartels
from poise.constraints.look_at import LookAt as LookAt
from poise.constraints.moved_by import moved_by as moved_by
from poise.constraints.nesting import check_nesting as check_nesting
from poise.constraints.orient import Orient as Orient
from poise.constraints.place_center_of_mass import PlaceCenterOfMass as PlaceCenterOfMass
from poise.constraints.plant import Plant as Plant
from poise.constraints.recruiting import EVERYTHING as EVERYTHING
from poise.constraints.recruiting import Recruit as Recruit
from poise.constraints.recruiting import Recruits as Recruits
from poise.constraints.scene import Scene as Scene
from poise.constraints.shape_curve import CurveEnd as CurveEnd
from poise.constraints.shape_curve import PassPoint as PassPoint
from poise.constraints.shape_curve import ShapeCurve as ShapeCurve
from poise.constraints.shape_curve import shape_curve as shape_curve
from poise.constraints.stay_on_side import StayOnSide as StayOnSide
from poise.constraints.table import CONSTRAINTS as CONSTRAINTS
from poise.constraints.table import Constraint as Constraint
from poise.constraints.table import tasks_of as tasks_of
from poise.constraints.task import Task as Task
from poise.constraints.time_curve import TimeCurve as TimeCurve
