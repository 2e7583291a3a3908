"""What moves: clips, and what can be done to them without knowing any physics."""

from poise.motion.clip import Clip as Clip
from poise.motion.clip import Provenance as Provenance
from poise.motion.clip import Source as Source
from poise.motion.clip import provenance_of as provenance_of
from poise.motion.derivatives import Derivatives as Derivatives
from poise.motion.derivatives import differentiate as differentiate
from poise.motion.easing import smooth_step as smooth_step
from poise.motion.followed_hips import with_root_at_hips as with_root_at_hips
from poise.motion.joint_peaks import joint_accelerations_rad_s2 as joint_accelerations_rad_s2
from poise.motion.joint_peaks import joint_speeds_rad_s as joint_speeds_rad_s
from poise.motion.joint_peaks import peak_accelerations_rad_s2 as peak_accelerations_rad_s2
from poise.motion.joint_peaks import peak_speeds_rad_s as peak_speeds_rad_s
from poise.motion.low_pass import BAND_HZ as BAND_HZ
from poise.motion.low_pass import low_pass as low_pass
from poise.motion.low_pass import settled as settled
from poise.motion.resample import at_capture_rate as at_capture_rate
from poise.motion.resample import resample as resample
from poise.motion.rest_frames import with_world_aligned_frames as with_world_aligned_frames
from poise.one_line import show_records as _show_records

_show_records(globals())
