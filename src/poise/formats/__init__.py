"""Data in and out: one file per format, one table from extensions to readers and writers."""

from poise.formats.table import FORMATS as FORMATS
from poise.formats.table import check_can_write as check_can_write
from poise.formats.table import load_character as load_character
from poise.formats.table import load_clip as load_clip
from poise.formats.table import save_clip as save_clip
