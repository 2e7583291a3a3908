"""Clips made by code, with known truth and known defects."""

from collections.abc import Callable

from poise.one_line import show_records as _show_records
from poise.samples.cartwheel import cartwheeling as cartwheeling
from poise.samples.dance import dancing as dancing
from poise.samples.defects import with_dropped_frames as with_dropped_frames
from poise.samples.defects import with_float as with_float
from poise.samples.defects import with_foot_slide as with_foot_slide
from poise.samples.defects import with_lean as with_lean
from poise.samples.defects import with_noise as with_noise
from poise.samples.defects import with_penetration as with_penetration
from poise.samples.defects import with_rotation_noise as with_rotation_noise
from poise.samples.defects import with_t_pose as with_t_pose
from poise.samples.defects import with_wrong_rate as with_wrong_rate
from poise.samples.getup import getting_up as getting_up
from poise.samples.golf import golf_swings as golf_swings
from poise.samples.golf import golfing as golfing
from poise.samples.hop import hopping as hopping
from poise.samples.human import human_skeleton as human_skeleton
from poise.samples.human import sample_character as sample_character
from poise.samples.jump import jumping as jumping
from poise.samples.kick import jump_kicking as jump_kicking
from poise.samples.kick import kicking as kicking
from poise.samples.kneel import kneeling as kneeling
from poise.samples.reach import reaching as reaching
from poise.samples.roll import rolling as rolling
from poise.samples.run import running as running
from poise.samples.sit import sitting as sitting
from poise.samples.standing import squatting as squatting
from poise.samples.standing import standing as standing
from poise.samples.truth import Flight as Flight
from poise.samples.truth import Injected as Injected
from poise.samples.truth import Planted as Planted
from poise.samples.truth import Sample as Sample
from poise.samples.upward import jumping_twice as jumping_twice
from poise.samples.upward import jumping_up as jumping_up
from poise.samples.upward import smashing as smashing
from poise.samples.walk import walk as walk
from poise.samples.walk import walking as walking

SAMPLES: dict[str, Callable[..., Sample]] = {
    "walk": walking,
    "run": running,
    "jump": jumping,
    "jump-up": jumping_up,
    "jump-twice": jumping_twice,
    "smash": smashing,
    "kick": kicking,
    "jump-kick": jump_kicking,
    "hop": hopping,
    "dance": dancing,
    "reach": reaching,
    "golf": golfing,
    "squat": squatting,
    "stand": standing,
    "sit": sitting,
    "getup": getting_up,
    "kneel": kneeling,
    "roll": rolling,
    "cartwheel": cartwheeling,
}
"""What `poise sample` can make, by name."""

DEFECTS: dict[str, Callable[[Sample, float], Sample]] = {
    "slide_cm_s": with_foot_slide,
    "sink_cm": with_penetration,
    "float_cm": with_float,
    "noise_mm": with_noise,
    "rotation_noise_deg": with_rotation_noise,
}
"""Defects by name, in an order in which each keeps its size."""

_show_records(globals())
