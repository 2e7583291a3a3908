"""Data in and out: one file per format, one table from extensions to readers and writers."""

from poise.formats.amc_read import find_skeleton as find_skeleton
from poise.formats.body_shape import BodyMesh as BodyMesh
from poise.formats.body_shape import Solid as Solid
from poise.formats.body_shape import body_mesh as body_mesh
from poise.formats.body_shape import solids_of as solids_of
from poise.formats.bvh import plain as plain
from poise.formats.bvh_layout import BvhLayout as BvhLayout
from poise.formats.bvh_plan import DECIMALS as DECIMALS
from poise.formats.bvh_plan import SAME as SAME
from poise.formats.bvh_plan import plan_for as plan_for
from poise.formats.bvh_plan import rotation_distance as rotation_distance
from poise.formats.disk import atomic_write as atomic_write
from poise.formats.disk import check_readable as check_readable
from poise.formats.disk import content_hash as content_hash
from poise.formats.disk import kind_of as kind_of
from poise.formats.disk import os_problem as os_problem
from poise.formats.disk import read_bytes as read_bytes
from poise.formats.disk import reading_below as reading_below
from poise.formats.gltf_document import buffer_files as buffer_files
from poise.formats.mesh import EXTENSIONS as EXTENSIONS
from poise.formats.mesh import MeshFile as MeshFile
from poise.formats.mesh import read_mesh as read_mesh
from poise.formats.npz import read_clip as read_clip
from poise.formats.npz import read_members as read_members
from poise.formats.npz import write as write
from poise.formats.robot_trajectory import check_hinged as check_hinged
from poise.formats.robot_trajectory import check_robot_file as check_robot_file
from poise.formats.robot_trajectory import robot_trajectory as robot_trajectory
from poise.formats.robot_trajectory import write_robot as write_robot
from poise.formats.table import FORMATS as FORMATS
from poise.formats.table import check_can_write as check_can_write
from poise.formats.table import extensions as extensions
from poise.formats.table import load_character as load_character
from poise.formats.table import load_clip as load_clip
from poise.formats.table import save_clip as save_clip
from poise.formats.text import MAX_MAGNITUDE as MAX_MAGNITUDE
from poise.formats.text import Lines as Lines
from poise.formats.text import converted as converted
from poise.formats.text import number_from as number_from
from poise.formats.text import read_text as read_text
from poise.formats.text import shown as shown
from poise.formats.text import without_comments as without_comments
from poise.one_line import show_records as _show_records

_show_records(globals())
