"""Where: grounds, height fields and convex parts; the nearest surface to many points at once."""

from poise.environment.convex_part import ConvexPart as ConvexPart
from poise.environment.drawing import SurfaceMesh as SurfaceMesh
from poise.environment.drawing import surface_meshes as surface_meshes
from poise.environment.drawing import surface_triangles as surface_triangles
from poise.environment.environment import Environment as Environment
from poise.environment.environment import Surface as Surface
from poise.environment.ground import UP as UP
from poise.environment.ground import Ground as Ground
from poise.environment.height_field import HeightField as HeightField
from poise.environment.place_file import load_environment as load_environment
from poise.environment.place_file import place_from as place_from
from poise.environment.places import scaled as scaled
from poise.environment.query import SurfacePoints as SurfacePoints
from poise.environment.query import query as query
from poise.environment.yaml_entries import Entry as Entry
from poise.one_line import show_records as _show_records

_show_records(globals())
