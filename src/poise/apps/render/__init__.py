"""Pictures without a screen: figure strips and short animations, drawn by ourselves."""

from poise.apps.render.animation import as_png as as_png
from poise.apps.render.animation import check_picture_path as check_picture_path
from poise.apps.render.animation import write_picture as write_picture
from poise.apps.render.ground import triangles_near as triangles_near
from poise.apps.render.marks import Overlays as Overlays
from poise.apps.render.marks import overlays_of as overlays_of
from poise.apps.render.marks import support_outline as support_outline
from poise.apps.render.palette import with_few_colors as with_few_colors
from poise.apps.render.scene import Stage as Stage
from poise.apps.render.scene import beside as beside
from poise.apps.render.scene import stage_for as stage_for
from poise.apps.render.strip import draw_strip as draw_strip
