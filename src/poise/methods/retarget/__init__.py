"""The same motion on another body: any two that are recognised, robots among them.

Poses at the target's size with feet where they stand, then balance, strength and flights. What is
where: docs/retarget.md.
"""

from poise.methods.retarget.impossible import Impossible as Impossible
from poise.methods.retarget.impossible import drive as drive
from poise.methods.retarget.impossible import frames_of as frames_of
from poise.methods.retarget.kinematic import Kinematic as Kinematic
from poise.methods.retarget.kinematic import retargeted as retargeted
from poise.methods.retarget.report import RetargetReport as RetargetReport
from poise.methods.retarget.report import Stage as Stage
from poise.methods.retarget.residuals import FIGURES as FIGURES
from poise.methods.retarget.residuals import UNKNOWN as UNKNOWN
from poise.methods.retarget.residuals import Residuals as Residuals
from poise.methods.retarget.run import run as run
from poise.methods.retarget.settings import Settings as Settings
from poise.methods.retarget.stream import RetargetStream as RetargetStream
from poise.methods.retarget.suitable import SUITABLE as SUITABLE
from poise.methods.retarget.suitable import why_not as why_not
from poise.one_line import show_records as _show_records

TAKES_CONSTRAINTS = False
TAKES_CONTACTS = False

_show_records(globals())
