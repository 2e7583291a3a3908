"""The same motion on another body: any two that are recognised, robots among them.

Which joint follows which, how poses of one rest pose become those of another, and places at the
target's size with feet where they stand. What is where: docs/retarget.md.
"""

from poise.methods.retarget.as_method import run as run
from poise.methods.retarget.correspondence import Correspondence as Correspondence
from poise.methods.retarget.correspondence import correspondence as correspondence
from poise.methods.retarget.drive import drive as drive
from poise.methods.retarget.impossible import Impossible as Impossible
from poise.methods.retarget.impossible import frames_of as frames_of
from poise.methods.retarget.kinematic import Kinematic as Kinematic
from poise.methods.retarget.kinematic import retargeted as retargeted
from poise.methods.retarget.run import FIGURES as FIGURES
from poise.methods.retarget.run import Retargeted as Retargeted
from poise.methods.retarget.run import Stage as Stage
from poise.methods.retarget.run import retarget as retarget
from poise.methods.retarget.settings import Settings as Settings
from poise.methods.retarget.stream import RetargetStream as RetargetStream
from poise.methods.retarget.suitable import SUITABLE as SUITABLE
from poise.methods.retarget.suitable import why_not as why_not
