"""BVH, the Biovision hierarchy: read and written without losing anything.

What the format leaves open, and how it is read here:

- The channel order of a joint is the order of its turns in reading order, each in the frame the
  ones before it left: `Zrotation Yrotation Xrotation` is Rz·Ry·Rx. Degrees.
- A position channel *replaces* the joint's OFFSET on its axis (the convention of Blender, of
  MotionBuilder's exports and of LAFAN1); it is not added to it. Axes without a channel keep the
  OFFSET.
- A joint other than the root with one rotation channel is a hinge, with none it is fixed.
- Neither unit nor up axis is stated; `parsed.clip_from` decides them and says so.
- Frame times are printed with few digits: `.0083333` means 120 Hz (`parsed.snapped_rate_hz`).

What is written back (`bvh_write`) keeps the header as it stood, channel order, end sites and
names; numbers that still say the same as the clip are put back as they were in the file.
"""

from poise.formats.bvh_layout import BvhJoint as BvhJoint
from poise.formats.bvh_layout import BvhLayout as BvhLayout
from poise.formats.bvh_layout import BvhTip as BvhTip
from poise.formats.bvh_read import MAX_JOINTS as MAX_JOINTS
from poise.formats.bvh_read import read as read
from poise.formats.bvh_read import read_character as read_character
from poise.formats.bvh_read import read_skeleton as read_skeleton
from poise.formats.bvh_write import write as write
