"""What moves: clips, and what can be done to them without knowing any physics."""

from poise.motion.clip import Clip as Clip
from poise.motion.clip import Provenance as Provenance
from poise.motion.clip import Source as Source
from poise.motion.clip import provenance_of as provenance_of
from poise.motion.derivatives import Derivatives as Derivatives
from poise.motion.derivatives import differentiate as differentiate
from poise.motion.resample import resample as resample
from poise.motion.rest_frames import with_world_aligned_frames as with_world_aligned_frames
