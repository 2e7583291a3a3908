"""One solve for a whole clip: contacts, reaction forces, torques, flight, ranges and likeness.

Methods hand it a motion to stay close to, what touches when, and tasks; none alternates between a
solver that knows the feet and one that knows the forces.
"""

from poise.physics.clearance_rows import NO_FLESH as NO_FLESH
from poise.physics.clearance_rows import Flesh as Flesh
from poise.physics.settings import LAWLESS as LAWLESS
from poise.physics.settings import PhysicsSettings as PhysicsSettings
from poise.physics.settings import Stage as Stage
from poise.physics.windows import PhysicsSolution as PhysicsSolution
from poise.physics.windows import solve_clip as solve_clip
