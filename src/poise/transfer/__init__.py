"""A motion on another body: which joint follows which, its poses, its path, its height."""

from poise.transfer.correspondence import Correspondence as Correspondence
from poise.transfer.correspondence import correspondence as correspondence
from poise.transfer.pose_map import local_turns as local_turns
from poise.transfer.pose_map import wanted_turns as wanted_turns
