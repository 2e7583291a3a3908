"""One solve for a whole clip: contacts, reaction forces, torques, flight, ranges and likeness.

Methods hand it a motion to stay close to, what touches when, and tasks; none alternates between a
solver that knows the feet and one that knows the forces.
"""

from poise.one_line import show_records as _show_records
from poise.physics.checks import Shortfall as Shortfall
from poise.physics.checks import shortfalls as shortfalls
from poise.physics.checks import shortfalls_in_words as shortfalls_in_words
from poise.physics.clearance_rows import NO_FLESH as NO_FLESH
from poise.physics.clearance_rows import Flesh as Flesh
from poise.physics.equations import capture_wrench as capture_wrench
from poise.physics.likeness import WholeSettings as WholeSettings
from poise.physics.self_clearance_rows import Clearing as Clearing
from poise.physics.settings import LAWLESS as LAWLESS
from poise.physics.settings import Asked as Asked
from poise.physics.settings import PhysicsSettings as PhysicsSettings
from poise.physics.settings import Stage as Stage
from poise.physics.settings import kinematic as kinematic
from poise.physics.settings import nowhere as nowhere
from poise.physics.unexplained import Unexplained as Unexplained
from poise.physics.unexplained import unexplained_in_words as unexplained_in_words
from poise.physics.unexplained import unexplained_stretches as unexplained_stretches
from poise.physics.windows import PhysicsSolution as PhysicsSolution
from poise.physics.windows import solve_clip as solve_clip

_show_records(globals())
