"""Who moves: skeletons, bodies, roles and named points."""

from poise.character.body import Body as Body
from poise.character.character import Character as Character
from poise.character.from_skeleton import character_from as character_from
from poise.character.role_detection import find_partial_roles as find_partial_roles
from poise.character.role_detection import find_roles as find_roles
from poise.character.role_file import RoleOverrides as RoleOverrides
from poise.character.role_file import read_role_file as read_role_file
from poise.character.role_sites import role_sites as role_sites
from poise.character.roles import JOINT_ROLES as JOINT_ROLES
from poise.character.roles import Roles as Roles
from poise.character.sites import Sites as Sites
from poise.character.skeleton import Skeleton as Skeleton
