"""An edit written down: what a recipe may say, how it is read, and how it runs."""

from poise.job import CharacterChoice as CharacterChoice
from poise.job import ClipChoice as ClipChoice
from poise.job import ConstraintSpec as ConstraintSpec
from poise.job import Outputs as Outputs
from poise.job import Recipe as Recipe
from poise.job import RecipeProblem as RecipeProblem
from poise.job import Step as Step
from poise.job import load_recipe as load_recipe
from poise.job import recipe_from_text as recipe_from_text
from poise.job import recipe_from_values as recipe_from_values
from poise.job import recipe_schema as recipe_schema
from poise.job import recipe_text as recipe_text
from poise.job import spec_from as spec_from
from poise.recipes.prepare import Prepared as Prepared
from poise.recipes.prepare import prepare as prepare
from poise.recipes.run import Outcome as Outcome
from poise.recipes.run import run_prepared as run_prepared
from poise.recipes.run import run_recipe as run_recipe
from poise.yaml_nodes import Place as Place
from poise.yaml_nodes import Problem as Problem

Wish = ConstraintSpec
wish_from = spec_from
