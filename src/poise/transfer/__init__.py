"""A motion on another body: which joint follows which, its poses, its path, its height."""

from poise.one_line import show_records as _show_records
from poise.transfer.correspondence import Correspondence as Correspondence
from poise.transfer.correspondence import correspondence as correspondence
from poise.transfer.onto_body import OntoBody as OntoBody
from poise.transfer.onto_body import onto_body as onto_body
from poise.transfer.placing import hip_joints as hip_joints
from poise.transfer.placing import leg_ratio as leg_ratio
from poise.transfer.placing import scaled_m as scaled_m
from poise.transfer.placing import standing_rise_m as standing_rise_m
from poise.transfer.placing import touching_rise_m as touching_rise_m
from poise.transfer.pose_map import freely_turned as freely_turned
from poise.transfer.pose_map import local_turns as local_turns
from poise.transfer.pose_map import wanted_turns as wanted_turns

_show_records(globals())
