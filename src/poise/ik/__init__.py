"""From constraints to poses, frame by frame: what several methods need."""

from poise.ik.problem import IkProblem as IkProblem
from poise.ik.problem import IkSolution as IkSolution
from poise.ik.problem import build as build
from poise.ik.problem import keep_in_range as keep_in_range
from poise.ik.problem import look as look
from poise.ik.problem import solve as solve
from poise.ik.problem import unsolved as unsolved
from poise.ik.settings import IkSettings as IkSettings
