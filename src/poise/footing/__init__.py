"""What touches, as tasks that hold exactly: feet on their prints, other parts on their spots.

Shared by the methods that end in poses: `correct` recovers joint angles with it, `momentum` lands
leaps on it.
"""

from poise.footing.clearance import Cleared as Cleared
from poise.footing.clearance import center_tasks as center_tasks
from poise.footing.clearance import clearance_tasks as clearance_tasks
from poise.footing.clearance import solve_until_clear as solve_until_clear
from poise.footing.contact_tasks import ORIGIN as ORIGIN
from poise.footing.contact_tasks import WISHED as WISHED
from poise.footing.contact_tasks import Movers as Movers
from poise.footing.contact_tasks import Spot as Spot
from poise.footing.contact_tasks import Touching as Touching
from poise.footing.contact_tasks import ankle_slack_rad as ankle_slack_rad
from poise.footing.contact_tasks import contact_tasks as contact_tasks
from poise.footing.contact_tasks import held_longer as held_longer
from poise.footing.contact_tasks import moving_joints as moving_joints
from poise.footing.contact_tasks import spot_task as spot_task
from poise.footing.contact_tasks import touching as touching
from poise.footing.contact_tasks import with_slides as with_slides
from poise.footing.contact_tasks import worst_miss as worst_miss
from poise.footing.foot_path import FootPath as FootPath
from poise.footing.foot_shape import BALL as BALL
from poise.footing.foot_shape import HEEL as HEEL
from poise.footing.foot_shape import INNER as INNER
from poise.footing.foot_shape import OUTER as OUTER
from poise.footing.foot_shape import TIP as TIP
from poise.footing.foot_shape import FootShape as FootShape
