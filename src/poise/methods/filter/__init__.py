"""Filter a motion so that constraints and the laws of motion hold on the body it is for.

Tak and Ko, A Physically-Based Motion Retargeting Filter, 2005. What is where: docs/filter.md. What
differs from the paper stands there too.
"""

from poise.methods.filter.curve_fit import CurveFit as CurveFit
from poise.methods.filter.report import FilterReport as FilterReport
from poise.methods.filter.run import run as run
from poise.methods.filter.settings import Frames as Frames
from poise.methods.filter.settings import Settings as Settings
from poise.methods.filter.sliding_fit import SlidingFit as SlidingFit
from poise.methods.filter.sliding_fit import on_side_of as on_side_of
from poise.methods.filter.stream import FilterStream as FilterStream
from poise.methods.filter.stream import clip_of as clip_of
from poise.methods.filter.stream import frames_of as frames_of
from poise.methods.filter.stream_contacts import FoundContacts as FoundContacts
from poise.methods.filter.stream_contacts import StreamPoints as StreamPoints
from poise.methods.filter.stream_goals import ALWAYS as ALWAYS
from poise.methods.filter.stream_window import NO_OFFSETS as NO_OFFSETS
from poise.methods.filter.stream_window import IncomingPoses as IncomingPoses
from poise.methods.filter.stream_window import Passing as Passing
from poise.methods.filter.stream_window import StreamFrame as StreamFrame
from poise.methods.filter.stream_window import run_stream as run_stream
from poise.methods.filter.stream_window import single_motion as single_motion
from poise.one_line import show_records as _show_records

_show_records(globals())
