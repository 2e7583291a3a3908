"""What must hold: one frozen record per file, and what each comes down to for a solver."""

from poise.constraints.interval import Interval as Interval
from poise.constraints.recruiting import EVERYTHING as EVERYTHING
from poise.constraints.recruiting import Recruit as Recruit
from poise.constraints.recruiting import Recruits as Recruits
from poise.constraints.scene import Scene as Scene
from poise.constraints.task import Task as Task
