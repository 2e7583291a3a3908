"""What `import poise` gives: one function a job, and a result that shows itself."""

from poise.face.edits import apply as apply
from poise.face.edits import leap_edits as leap_edits
from poise.face.edits import retargeted as retargeted
from poise.face.edits import run_recipe_file as run_recipe_file
from poise.face.library import inspect_file as inspect_file
from poise.face.library import run_batch as run_batch
from poise.face.measure_table import MeasureTable as MeasureTable
from poise.face.measure_table import measure_clip as measure_clip
from poise.face.result import Result as Result
from poise.face.result import render_clip as render_clip
from poise.face.result import report_clip as report_clip
