"""Editing in the style of a set of motions: the ball is hit there, the swing stays a swing.

Carvalho, Boulic & Thalmann 2007, "Motion Pattern Preserving IK Operating in the Motion Principal
Coefficients Space": motion vectors and their components (section 4.1), inverse kinematics in the
coefficients (4.2), continuity (4.3), normalisation (5). What is where, and what differs and why:
docs/pattern.md.
"""

from poise.methods.pattern.events import EventRule as EventRule
from poise.methods.pattern.learning import learn as learn
from poise.methods.pattern.model import Pattern as Pattern
from poise.methods.pattern.run import run as run
from poise.methods.pattern.settings import Settings as Settings

TAKES_PATTERN = True
