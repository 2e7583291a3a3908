"""One way from files to a result: the subject (clip, body, place), the run, the outputs."""

import poise.recipes  # noqa: F401  # pyright: ignore[reportUnusedImport]  # until it has moved
from poise.job.ball_file import read_ball as read_ball
from poise.job.clip import MUST_BE_CLEANED as MUST_BE_CLEANED
from poise.job.clip import clip_of as clip_of
from poise.job.evaluation import AS_IT_IS as AS_IT_IS
from poise.job.evaluation import evaluate_files as evaluate_files
from poise.job.evaluation import evaluation_of as evaluation_of
from poise.job.evaluation import find_contacts as find_contacts
from poise.job.evaluation import measurable as measurable
from poise.job.family_file import MemberFolder as MemberFolder
from poise.job.family_file import ground_of as ground_of
from poise.job.family_file import is_family_file as is_family_file
from poise.job.family_file import load_family as load_family
from poise.job.family_file import save_family as save_family
from poise.job.known_contacts import known_contacts as known_contacts
from poise.job.outputs import PlannedOutputs as PlannedOutputs
from poise.job.outputs import planned_outputs as planned_outputs
from poise.job.outputs import write_outputs as write_outputs
from poise.job.outputs import write_robot_file as write_robot_file
from poise.job.pattern_file import is_pattern_file as is_pattern_file
from poise.job.pattern_file import load_pattern as load_pattern
from poise.job.pattern_file import save_pattern as save_pattern
from poise.job.run import Outcome as Outcome
from poise.job.run import edit_of as edit_of
from poise.job.run import run_prepared as run_prepared
from poise.job.run import run_recipe as run_recipe
from poise.job.subject import Subject as Subject
from poise.job.subject import standing_clip as standing_clip
from poise.job.subject import subject as subject
