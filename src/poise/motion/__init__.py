"""What moves: clips, and what can be done to them without knowing any physics."""

from poise.motion.clip import Clip as Clip
from poise.motion.source import Source as Source
