"""Who moves: skeletons, bodies, roles and named points."""

from poise.character.body import Body as Body
from poise.character.character import Character as Character
from poise.character.roles import JOINT_ROLES as JOINT_ROLES
from poise.character.roles import Roles as Roles
from poise.character.sites import Sites as Sites
from poise.character.skeleton import Skeleton as Skeleton
